//! vllm: a serQ program as native code.
//!
//! Emitted by serqc from vllm.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let B = 8192;`: tokens that may be scheduled in one iteration
    pub b: f64,
    /// `let max_seqs = 64;`: running requests at most
    pub max_seqs: f64,
    /// `let blocks = 12000;`: KV blocks
    pub blocks: f64,
    /// `let bs = 16;`: tokens in a KV block
    pub bs: f64,
    /// `let max_model_len = 16384;`: longest prompt plus output, in tokens
    pub max_model_len: f64,
    /// `let a = 2e-5;`: compute time of a scheduled token, s
    pub a: f64,
    /// `let omega = 8e-3;`: time to read the weights once, s
    pub omega: f64,
    /// `let beta = 4e-8;`: time to read the KV of one resident token, s
    pub beta: f64,
    /// `let Lambda = 0.6;`: chats that begin per second
    pub lambda: f64,
    /// `let p = 0.85;`: probability of another turn
    pub p: f64,
    /// `let Z = 20;`: mean time from an answer to the next question, s
    pub z: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            b: values[0],
            max_seqs: values[1],
            blocks: values[2],
            bs: values[3],
            max_model_len: values[4],
            a: values[5],
            omega: values[6],
            beta: values[7],
            lambda: values[8],
            p: values[9],
            z: values[10],
        }
    }
}

/// The whole deployment and its sessions.
pub struct Model {
    /// The clock, the sessions, what is pending.
    pub k: Kernel,
    /// The settings.
    pub params: Params,
    /// Attributes, by session slot.
    pub attrs: Vec<Session>,
    /// `pool reqs { cap max_seqs; admit via E; }`
    pub reqs: Pool<Session>,
    /// `pool kv { cap blocks * bs; block bs; evict lru; preempt lifo; }`
    pub kv: Pool<Session>,
    /// `stage E : step {`
    pub e: Engine,
    /// `stage reading : delay;`
    pub reading: Delay,
}

/// A session's attributes.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// `K`
    pub k: f64,
    /// `n`
    pub n: f64,
    /// `o`, hidden from the schedulers
    pub o: f64,
    /// `more`
    pub more: bool,
    /// `t0`
    pub t0: f64,
    /// `prompt`
    pub prompt: f64,
    /// `length`
    pub length: f64,
    /// `admissions`
    pub admissions: f64,
    /// `admitted`
    pub admitted: f64,
    /// `found`
    pub found: f64,
    /// `first_token`
    pub first_token: f64,
}

#[allow(unused_variables, clippy::manual_clamp)]
impl Model {
    /// What a session brings when it is created.
    fn start_session(&mut self, s: Sid) {
        // init { set K = 0; }                                                    vllm.sq:58
        self.attrs[s as usize].k = 0.0;
    }

    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set n = K == 0 ? floor(~uniform(500, 3000)) : floor(~exp(150)) + 1;    vllm.sq:60
        attrs.n = if attrs.k == 0.0 {
            self.k.turn_rng().uniform(500.0, 3000.0).floor()
        } else {
            self.k.turn_rng().exp(150.0).floor() + 1.0
        };
        // set o = floor(~exp(250)) + 1;                                          vllm.sq:61
        attrs.o = self.k.turn_rng().exp(250.0).floor() + 1.0;
        // set more = ~bernoulli(p);                                              vllm.sq:62
        attrs.more = self.k.turn_rng().bernoulli(self.params.p) != 0.0;
    }

    #[inline(never)]
    fn start(&mut self, s: Sid) {
        // turn;                                                                  vllm.sq:65
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    #[inline(never)]
    fn again(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (K + n >= max_model_len) { end; }                               vllm.sq:67
        if attrs.k + attrs.n >= self.params.max_model_len {
            end_session(self, s);
        } else {
            // set t0 = now;                                                          vllm.sq:40
            attrs.t0 = self.k.now;
            // set prompt = K + n;                                                    vllm.sq:41
            attrs.prompt = attrs.k + attrs.n;
            // set o = min(o, max_model_len - prompt);                                vllm.sq:42
            attrs.o = attrs.o.min(self.params.max_model_len - attrs.prompt);
            // branch (K > 0) {                                                       vllm.sq:43
            if attrs.k > 0.0 {
                // observe hit = min(cachedin(kv), reusable(prompt, bs)) / prompt;        vllm.sq:44
                {
                    let value = cached_in(self, PoolAt::<{ pools::KV }>::new(0), s)
                        .min(
                            ((self.attrs[s as usize].prompt - 1.0) / self.params.bs)
                                .floor() * self.params.bs,
                        ) / self.attrs[s as usize].prompt;
                    self.k.observe(0, s, value);
                }
            }
            let attrs = &mut self.attrs[s as usize];
            // set length = prompt;                                                   lib/vllm.sq:32
            attrs.length = attrs.prompt;
            // set admissions = 0;                                                    lib/vllm.sq:33
            attrs.admissions = 0.0;
            // hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known) lib/vllm.sq:34
            join(self, s, HoldAt::<{ holds::REQS_KV }>);
        }
    }

    #[inline(never)]
    fn holding_reqs_kv(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // at admission (known = known_tokens(length), hit = min(cachedin(kv), reusable(known, bs))) { lib/vllm.sq:36
        let known = attrs.length.max(self.k.control(s).b.computed + 1.0);
        // set length = known;                                                    lib/vllm.sq:37
        attrs.length = known;
        // set admissions = admissions + 1;                                       lib/vllm.sq:38
        attrs.admissions += 1.0;
        // branch (admissions == 1) {                                             lib/vllm.sq:39
        if attrs.admissions == 1.0 {
            // set admitted = now;                                                    lib/vllm.sq:40
            attrs.admitted = self.k.now;
            // set found = cached;                                                    lib/vllm.sq:41
            attrs.found = self.k.control(s).b.cached;
        }
        // run E prefill (length - cached) growing kv;                            lib/vllm.sq:43
        let work = self.k.work(attrs.length - self.k.control(s).b.cached, s, 1);
        self.k.control_mut(s).at = at::AFTER_E_PREFILL;
        let stage = StageAt::<{ stages::E }>::new(0);
        let pool = PoolAt::<{ pools::KV }>::new(0);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_e_prefill(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (length == prompt) { set first_token = now; }                   lib/vllm.sq:44
        if attrs.length == attrs.prompt {
            // branch (length == prompt) { set first_token = now; }                   lib/vllm.sq:44
            attrs.first_token = self.k.now;
        }
        // branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; } lib/vllm.sq:46
        if attrs.length < attrs.prompt + attrs.o - 1.0 {
            // branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; } lib/vllm.sq:46
            let work = self.k.work(attrs.prompt + attrs.o - 1.0 - attrs.length, s, 4);
            self.k.control_mut(s).at = at::AFTER_E_DECODE;
            let stage = StageAt::<{ stages::E }>::new(0);
            let pool = PoolAt::<{ pools::KV }>::new(0);
            run_growing(self, s, stage, Mode::Decode, work, pool);
        } else {
            go_on(self, s, at::MEET, Self::meet);
        }
    }

    #[inline(never)]
    fn after_e_decode(&mut self, s: Sid) {
        go_on(self, s, at::MEET, Self::meet);
    }

    #[inline(never)]
    fn meet(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::REQS_KV }>);
        let attrs = &mut self.attrs[s as usize];
        // observe ttft = first_token - t0;                                       vllm.sq:47
        self.k.observe(1, s, attrs.first_token - attrs.t0);
        // branch (o > 1) {                                                       vllm.sq:48
        if attrs.o > 1.0 {
            // observe tpot = (now - first_token) / (o - 1);                          vllm.sq:49
            self.k.observe(2, s, (self.k.now - attrs.first_token) / (attrs.o - 1.0));
        }
        // observe response = now - t0;                                           vllm.sq:51
        self.k.observe(3, s, self.k.now - attrs.t0);
        // set K = prompt + o;                                                    vllm.sq:69
        attrs.k = attrs.prompt + attrs.o;
        // branch (more) { run reading (~exp(Z)); turn; } else { end; }           vllm.sq:70
        if attrs.more {
            // branch (more) { run reading (~exp(Z)); turn; } else { end; }           vllm.sq:70
            let work = {
                let amount = self.k.session_rng(s).exp(self.params.z);
                self.k.work(amount, s, 5)
            };
            self.k.control_mut(s).at = at::AFTER_READING;
            let stage = StageAt::<{ stages::READING }>::new(0);
            run_on(self, s, stage, Mode::Decode, work);
        } else {
            end_session(self, s);
        }
    }

    #[inline(never)]
    fn after_reading(&mut self, s: Sid) {
        // branch (more) { run reading (~exp(Z)); turn; } else { end; }           vllm.sq:70
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    /// Runs session `s` from where it waited until it waits again or ends.
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::HOLDING_REQS_KV => self.holding_reqs_kv(s),
            at::AFTER_E_PREFILL => self.after_e_prefill(s),
            at::AFTER_E_DECODE => self.after_e_decode(s),
            at::AFTER_READING => self.after_reading(s),
            _ => {}
        }
    }

    // hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known) lib/vllm.sq:34
    #[inline(always)]
    fn header_reqs_kv<const JOINS: bool>(&mut self, s: Sid) -> Header {
        let known = self
            .attrs[s as usize]
            .length
            .max(self.k.control(s).b.computed + 1.0);
        let part = ((known - 1.0) / self.params.bs).floor() * self.params.bs;
        let mut header = Header {
            reuse: part,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::REQS, 0);
        let units = 1.0;
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::KV, 0);
        let units = if JOINS && part >= 0.0 && known >= 0.0 {
            0.0
        } else {
            let amount = known
                .min(
                    cached_in(self, PoolAt::<{ pools::KV }>::new(0), s).min(part)
                        + budget_left(self, StageAt::<{ stages::E }>::new(0))
                            .min(f64::INFINITY),
                );
            self.k.units(amount, s, 8)
        };
        let reserve = self.k.units(known, s, 9);
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (prompt + o);                                                  lib/vllm.sq:47
    #[inline]
    fn cache_reqs_kv(&mut self, s: Sid) -> f64 {
        let attrs = &self.attrs[s as usize];
        attrs.prompt + attrs.o
    }

    // budget B;                                                              vllm.sq:32
    #[inline]
    fn budget_e(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);         vllm.sq:33
    #[inline]
    fn cost_e(&mut self, member: usize, it: &Iteration) -> f64 {
        (self.params.omega + self.params.beta * (it.kv_decode + it.kv_prefill))
            .max(it.tokens * self.params.a)
    }
}

#[allow(unused_variables, clippy::manual_clamp)]
impl World for Model {
    const NAME: &'static str = "vllm";
    const POOLS: &'static [PoolSpec] = &[
        PoolSpec {
            name: "reqs",
            single: true,
            cached: true,
            blocks: false,
            grows: false,
            lifo: false,
            queue_keys: 0,
            steady_keys: true,
            evict_keys: 0,
            spills: false,
            via: Some((stages::E, true)),
            memory_of: &[],
            dirty: [2, 0, 4],
            kept: [0, 0, 0, 0],
        },
        PoolSpec {
            name: "kv",
            single: true,
            cached: true,
            blocks: true,
            grows: true,
            lifo: true,
            queue_keys: 0,
            steady_keys: true,
            evict_keys: 0,
            spills: false,
            via: None,
            memory_of: &[stages::E],
            dirty: [1, 0, 0],
            kept: [0, 0, 0, 0],
        },
    ];
    const STAGES: &'static [StageSpec] = &[
        StageSpec {
            name: "E",
            single: true,
            kind: StageType::Step,
            exclusive: false,
            only: false,
            serve_keys: 0,
            memory: Some((pools::KV, true)),
            serves: &[pools::REQS],
            plannable: true,
            cost_site: 10,
            dirty: 0,
            kept: 0,
        },
        StageSpec {
            name: "reading",
            single: true,
            kind: StageType::Delay,
            exclusive: false,
            only: false,
            serve_keys: 0,
            memory: None,
            serves: &[],
            plannable: false,
            cost_site: 0,
            dirty: 0,
            kept: 0,
        },
    ];
    const HOLDS: &'static [HoldSpec] = &[
        HoldSpec {
            claims: 2,
            pools: &[pools::REQS, pools::KV],
            caches: true,
            plain_cache: true,
            leases: None,
            reuses: true,
            steady: &[(true, false), (false, true)],
            checked: &[true, false],
            body: at::HOLDING_REQS_KV,
            site: 11,
        },
    ];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 34),
        (at::AGAIN, 35),
        (at::HOLDING_REQS_KV, 11),
        (at::AFTER_E_PREFILL, 36),
        (at::AFTER_E_DECODE, 37),
        (at::MEET, 11),
        (at::AFTER_READING, 38),
    ];
    const ARRIVE_SITE: u32 = 26;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "B",
            default: "8192",
            comment: "tokens that may be scheduled in one iteration",
        },
        ParamSpec {
            name: "max_seqs",
            default: "64",
            comment: "running requests at most",
        },
        ParamSpec {
            name: "blocks",
            default: "12000",
            comment: "KV blocks",
        },
        ParamSpec {
            name: "bs",
            default: "16",
            comment: "tokens in a KV block",
        },
        ParamSpec {
            name: "max_model_len",
            default: "16384",
            comment: "longest prompt plus output, in tokens",
        },
        ParamSpec {
            name: "a",
            default: "2e-5",
            comment: "compute time of a scheduled token, s",
        },
        ParamSpec {
            name: "omega",
            default: "8e-3",
            comment: "time to read the weights once, s",
        },
        ParamSpec {
            name: "beta",
            default: "4e-8",
            comment: "time to read the KV of one resident token, s",
        },
        ParamSpec {
            name: "Lambda",
            default: "0.6",
            comment: "chats that begin per second",
        },
        ParamSpec {
            name: "p",
            default: "0.85",
            comment: "probability of another turn",
        },
        ParamSpec {
            name: "Z",
            default: "20",
            comment: "mean time from an answer to the next question, s",
        },
    ];
    const OBSERVES: &'static [&'static str] = &["hit", "ttft", "tpot", "response"];
    const GAUGES: &'static [&'static str] = &["kv_usage", "running", "waiting"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 8192.0,
            1 => 64.0,
            2 => 12000.0,
            3 => 16.0,
            4 => 16384.0,
            5 => 2e-5,
            6 => 0.008,
            7 => 4e-8,
            8 => 0.6,
            9 => 0.85,
            10 => 20.0,
            _ => f64::NAN,
        }
    }

    fn run_defaults(_values: &[f64]) -> RunDefaults {
        RunDefaults {
            horizon: Some(3000.0),
            warmup: Some(300.0),
            seed: None,
            arrivals: None,
        }
    }

    fn new(values: &[f64], settings: &Settings) -> Result<Self, Vec<Refusal>> {
        let p = Params::from_values(values);
        let mut refused = Vec::new();
        check(!p.b.is_nan(), "S162", "a `let` is not a number", 12u32, &mut refused);
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a `let` is not a number",
            13u32,
            &mut refused,
        );
        check(
            !p.blocks.is_nan(),
            "S162",
            "a `let` is not a number",
            14u32,
            &mut refused,
        );
        check(!p.bs.is_nan(), "S162", "a `let` is not a number", 15u32, &mut refused);
        check(
            !p.max_model_len.is_nan(),
            "S162",
            "a `let` is not a number",
            16u32,
            &mut refused,
        );
        check(!p.a.is_nan(), "S162", "a `let` is not a number", 17u32, &mut refused);
        check(!p.omega.is_nan(), "S162", "a `let` is not a number", 18u32, &mut refused);
        check(!p.beta.is_nan(), "S162", "a `let` is not a number", 19u32, &mut refused);
        check(
            !p.lambda.is_nan(),
            "S162",
            "a `let` is not a number",
            20u32,
            &mut refused,
        );
        check(!p.p.is_nan(), "S162", "a `let` is not a number", 21u32, &mut refused);
        check(!p.z.is_nan(), "S162", "a `let` is not a number", 22u32, &mut refused);
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            23u32,
            &mut refused,
        );
        check(
            p.max_seqs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            23u32,
            &mut refused,
        );
        check(
            !(p.blocks * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            24u32,
            &mut refused,
        );
        check(
            p.blocks * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            24u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            25u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            25u32,
            &mut refused,
        );
        check(
            !p.lambda.is_nan(),
            "S162",
            "an arrival rate is not a number",
            26u32,
            &mut refused,
        );
        check(
            p.lambda > 0.0 && p.lambda < f64::INFINITY,
            "S185",
            "the arrival rate is not a finite number above 0",
            26u32,
            &mut refused,
        );
        check(
            p.p >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            27u32,
            &mut refused,
        );
        check(
            p.p <= 1.0,
            "S176",
            "nothing can be drawn with these numbers",
            27u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `reqs` ever holds",
            28u32,
            &mut refused,
        );
        check(
            p.z >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            5u32,
            &mut refused,
        );
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Model {
            k: Kernel::new(settings, None),
            reqs: Pool::new(p.max_seqs, 0.0, settings),
            kv: Pool::new(p.blocks * p.bs, p.bs, settings),
            e: Engine::new(settings),
            reading: Delay::new(settings),
            attrs: Vec::new(),
            params: p,
        })
    }

    #[inline]
    fn kernel(&self) -> &Kernel {
        &self.k
    }

    #[inline]
    fn kernel_mut(&mut self) -> &mut Kernel {
        &mut self.k
    }

    #[inline]
    fn pool_count(&self, f: usize) -> usize {
        match f as u16 {
            pools::REQS => 1,
            pools::KV => 1,
            _ => 0,
        }
    }

    #[inline]
    fn pool(&self, at: impl AtPool) -> &Pool<Session> {
        let key = at.key();
        match key.family {
            pools::REQS => &self.reqs,
            _ => &self.kv,
        }
    }

    #[inline]
    fn pool_mut(&mut self, at: impl AtPool) -> &mut Pool<Session> {
        let key = at.key();
        match key.family {
            pools::REQS => &mut self.reqs,
            _ => &mut self.kv,
        }
    }

    #[inline]
    fn pool_and_kernel(&mut self, at: impl AtPool) -> (&mut Pool<Session>, &mut Kernel) {
        let key = at.key();
        match key.family {
            pools::REQS => (&mut self.reqs, &mut self.k),
            _ => (&mut self.kv, &mut self.k),
        }
    }

    #[inline]
    fn stage_count(&self, f: usize) -> usize {
        match f as u16 {
            stages::E => 1,
            stages::READING => 1,
            _ => 0,
        }
    }

    #[inline]
    fn delay(&self, at: impl AtStage) -> &Delay {
        &self.reading
    }

    #[inline]
    fn delay_mut(&mut self, at: impl AtStage) -> &mut Delay {
        &mut self.reading
    }

    #[inline]
    fn engine(&self, at: impl AtStage) -> &Engine {
        &self.e
    }

    #[inline]
    fn engine_mut(&mut self, at: impl AtStage) -> &mut Engine {
        &mut self.e
    }

    #[inline]
    fn engine_parts(
        &mut self,
        at: impl AtStage,
    ) -> (&mut Engine, Option<&mut Pool<Session>>, &mut Kernel) {
        (&mut self.e, Some(&mut self.kv), &mut self.k)
    }

    #[inline]
    fn attrs(&self, s: Sid) -> &Session {
        &self.attrs[s as usize]
    }

    #[inline]
    fn attrs_mut(&mut self, s: Sid) -> &mut Session {
        let slot = s as usize;
        if slot >= self.attrs.len() {
            self.attrs.resize_with(slot + 1, Session::default);
        }
        &mut self.attrs[slot]
    }

    #[inline]
    fn arrivals(&self) -> Arrivals {
        Arrivals::Poisson(self.params.lambda)
    }

    #[inline]
    fn init_block(&mut self, s: Sid) {
        self.start_session(s)
    }

    #[inline]
    fn turn_block(&mut self, s: Sid) {
        self.draw_turn(s)
    }

    #[inline]
    fn resume(&mut self, s: Sid) {
        self.advance(s)
    }

    #[inline(always)]
    fn header(&mut self, s: Sid, hold: impl AtHold) -> Header {
        match hold.stmt() {
            holds::REQS_KV => self.header_reqs_kv::<false>(s),
            _ => Header::default(),
        }
    }

    #[inline(always)]
    fn joining_header(&mut self, s: Sid, hold: impl AtHold) -> Header {
        match hold.stmt() {
            holds::REQS_KV => self.header_reqs_kv::<true>(s),
            _ => Header::default(),
        }
    }

    #[inline]
    fn cache_clause(&mut self, s: Sid, hold: u32) -> f64 {
        match hold {
            holds::REQS_KV => self.cache_reqs_kv(s),
            _ => 0.0,
        }
    }

    #[inline]
    fn on_hold<O: OnHold<Self>>(&mut self, hold: u32, op: O) -> O::Out {
        op.run(self, HoldAt::<{ holds::REQS_KV }>)
    }

    #[inline(always)]
    fn run_body(&mut self, s: Sid, hold: impl AtHold) {
        self.holding_reqs_kv(s)
    }

    #[inline]
    fn budget(&mut self, at: impl AtStage, totals: &Totals) -> f64 {
        match at.key().family {
            stages::E => self.budget_e(at.key().member as usize, totals),
            _ => f64::INFINITY,
        }
    }

    #[inline]
    fn cost(&mut self, at: impl AtStage, it: &Iteration) -> f64 {
        match at.key().family {
            stages::E => self.cost_e(at.key().member as usize, it),
            _ => 0.0,
        }
    }

    #[inline]
    fn on_engine<O: OnStage<Self>>(&mut self, stage: StageKey, op: O) -> O::Out {
        op.run(self, StageAt::<{ stages::E }>(stage.member))
    }

    #[inline]
    fn on_station<O: OnStage<Self>>(&mut self, stage: StageKey, op: O) -> O::Out {
        op.run(self, StageAt::<{ stages::READING }>(stage.member))
    }

    #[inline]
    fn read_gauges(&mut self, dirty: u64) {
        if dirty & 1 != 0 {
            self.read_gauges_0();
        }
        if dirty & 2 != 0 {
            self.read_gauges_1();
        }
        if dirty & 4 != 0 {
            self.read_gauges_2();
        }
    }
}

impl Model {
    #[inline]
    fn read_gauges_0(&mut self) {
        // gauge kv_usage = used(kv) / (used(kv) + free(kv));                     vllm.sq:75
        let value = self.kv.used / (self.kv.used + self.kv.free());
        self.k.set_gauge(0, value);
    }

    #[inline]
    fn read_gauges_1(&mut self) {
        // gauge running = used(reqs);                                            vllm.sq:76
        let value = self.reqs.used;
        self.k.set_gauge(1, value);
    }

    #[inline]
    fn read_gauges_2(&mut self) {
        // gauge waiting = queued(reqs);                                          vllm.sq:77
        let value = self.reqs.queued();
        self.k.set_gauge(2, value);
    }
}

/// Pool families, in declaration order.
#[allow(dead_code)]
mod pools {
    /// `reqs`
    pub const REQS: u16 = 0;
    /// `kv`
    pub const KV: u16 = 1;
}

/// Stage families, in declaration order.
#[allow(dead_code)]
mod stages {
    /// `E`
    pub const E: u16 = 0;
    /// `reading`
    pub const READING: u16 = 1;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {
    /// `hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known)`
    pub const REQS_KV: u32 = 0;
}

/// Where a session goes on.
#[allow(dead_code)]
mod at {
    /// start
    pub const START: u32 = 0;
    /// again
    pub const AGAIN: u32 = 1;
    /// then
    pub const THEN: u32 = 2;
    /// otherwise
    pub const OTHERWISE: u32 = 3;
    /// holding reqs kv
    pub const HOLDING_REQS_KV: u32 = 4;
    /// after e prefill
    pub const AFTER_E_PREFILL: u32 = 5;
    /// then 2
    pub const THEN_2: u32 = 6;
    /// otherwise 2
    pub const OTHERWISE_2: u32 = 7;
    /// after e decode
    pub const AFTER_E_DECODE: u32 = 8;
    /// meet
    pub const MEET: u32 = 9;
    /// then 3
    pub const THEN_3: u32 = 10;
    /// otherwise 3
    pub const OTHERWISE_3: u32 = 11;
    /// after reading
    pub const AFTER_READING: u32 = 12;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "vllm.sq",
        line: 44,
        col: 32,
        text: "    observe hit = min(cachedin(kv), reusable(prompt, bs)) / prompt;  // share of a later prompt that is cached",
    },
    SourceSite {
        file: "lib/vllm.sq",
        line: 43,
        col: 20,
        text: "    run E prefill (length - cached) growing kv;",
    },
    SourceSite {
        file: "vllm.sq",
        line: 46,
        col: 16,
        text: "  vllm_request(E, reqs, kv, bs, inf, prompt, o);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 46,
        col: 25,
        text: "  vllm_request(E, reqs, kv, bs, inf, prompt, o);",
    },
    SourceSite {
        file: "lib/vllm.sq",
        line: 46,
        col: 54,
        text: "    branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "vllm.sq",
        line: 70,
        col: 36,
        text: "      branch (more) { run reading (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "vllm.sq",
        line: 70,
        col: 27,
        text: "      branch (more) { run reading (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "vllm.sq",
        line: 46,
        col: 19,
        text: "  vllm_request(E, reqs, kv, bs, inf, prompt, o);",
    },
    SourceSite {
        file: "lib/vllm.sq",
        line: 15,
        col: 46,
        text: "def first_units(known, hit, budget, chunk) = min(known, hit + min(budget, chunk));",
    },
    SourceSite {
        file: "lib/vllm.sq",
        line: 11,
        col: 28,
        text: "def known_tokens(length) = max(length, computed + 1);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 33,
        col: 8,
        text: "  cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);  // memory bound or compute bound",
    },
    SourceSite {
        file: "lib/vllm.sq",
        line: 34,
        col: 3,
        text: "  hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known)",
    },
    SourceSite {
        file: "vllm.sq",
        line: 16,
        col: 9,
        text: "let B = 8192;        // tokens that may be scheduled in one iteration",
    },
    SourceSite {
        file: "vllm.sq",
        line: 17,
        col: 16,
        text: "let max_seqs = 64;   // running requests at most",
    },
    SourceSite {
        file: "vllm.sq",
        line: 18,
        col: 14,
        text: "let blocks = 12000;  // KV blocks",
    },
    SourceSite {
        file: "vllm.sq",
        line: 19,
        col: 10,
        text: "let bs = 16;         // tokens in a KV block",
    },
    SourceSite {
        file: "vllm.sq",
        line: 20,
        col: 21,
        text: "let max_model_len = 16384;  // longest prompt plus output, in tokens",
    },
    SourceSite {
        file: "vllm.sq",
        line: 21,
        col: 9,
        text: "let a = 2e-5;        // compute time of a scheduled token, s",
    },
    SourceSite {
        file: "vllm.sq",
        line: 22,
        col: 13,
        text: "let omega = 8e-3;    // time to read the weights once, s",
    },
    SourceSite {
        file: "vllm.sq",
        line: 23,
        col: 12,
        text: "let beta = 4e-8;     // time to read the KV of one resident token, s",
    },
    SourceSite {
        file: "vllm.sq",
        line: 24,
        col: 14,
        text: "let Lambda = 0.6;    // chats that begin per second",
    },
    SourceSite {
        file: "vllm.sq",
        line: 25,
        col: 9,
        text: "let p = 0.85;        // probability of another turn",
    },
    SourceSite {
        file: "vllm.sq",
        line: 26,
        col: 9,
        text: "let Z = 20;          // mean time from an answer to the next question, s",
    },
    SourceSite {
        file: "vllm.sq",
        line: 28,
        col: 17,
        text: "pool reqs { cap max_seqs; admit via E; }",
    },
    SourceSite {
        file: "vllm.sq",
        line: 29,
        col: 15,
        text: "pool kv { cap blocks * bs; block bs; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "vllm.sq",
        line: 29,
        col: 34,
        text: "pool kv { cap blocks * bs; block bs; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "vllm.sq",
        line: 56,
        col: 18,
        text: "  arrive poisson(Lambda);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 62,
        col: 16,
        text: "    set more = ~bernoulli(p);",
    },
    SourceSite {
        file: "lib/vllm.sq",
        line: 34,
        col: 14,
        text: "  hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known)",
    },
    SourceSite {
        file: "vllm.sq",
        line: 75,
        col: 23,
        text: "gauge kv_usage = used(kv) / (used(kv) + free(kv));  // share of the memory in use by requests",
    },
    SourceSite {
        file: "vllm.sq",
        line: 75,
        col: 35,
        text: "gauge kv_usage = used(kv) / (used(kv) + free(kv));  // share of the memory in use by requests",
    },
    SourceSite {
        file: "vllm.sq",
        line: 75,
        col: 46,
        text: "gauge kv_usage = used(kv) / (used(kv) + free(kv));  // share of the memory in use by requests",
    },
    SourceSite {
        file: "vllm.sq",
        line: 76,
        col: 22,
        text: "gauge running = used(reqs);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 77,
        col: 24,
        text: "gauge waiting = queued(reqs);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 65,
        col: 5,
        text: "    turn;",
    },
    SourceSite {
        file: "vllm.sq",
        line: 67,
        col: 7,
        text: "      branch (K + n >= max_model_len) { end; }",
    },
    SourceSite {
        file: "lib/vllm.sq",
        line: 43,
        col: 5,
        text: "    run E prefill (length - cached) growing kv;",
    },
    SourceSite {
        file: "lib/vllm.sq",
        line: 46,
        col: 40,
        text: "    branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "vllm.sq",
        line: 70,
        col: 23,
        text: "      branch (more) { run reading (~exp(Z)); turn; } else { end; }",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("vllm.sq", r#"// Chats on one vLLM engine: what a prefix cache is worth when it must share memory with the running requests.
//
// A chat comes back after a while with its whole history as the prompt. What the engine still has of that history it
// does not compute again, but blocks that nobody runs on are the first to go when others need room, the chat that
// was away longest before the rest. The request itself is `vllm_request` of the library, as in
// `../single-turn/vllm_single.sq`.
//
// Look at `hit`, the share of a prompt that is cached, beside `ttft` and the prefill tokens per second: less memory or
// longer pauses, and the same chats ask for more prefill, which also slows the decodes it shares iterations with
// (`tpot`). With 3,000 blocks the engine no longer keeps up.
//
//   serqc run examples/multi-turn/vllm.sq --seeds 1..5
//   serqc run examples/multi-turn/vllm.sq --seeds 1..5 --set blocks=6000
use "../../lib/vllm.sq";

let B = 8192;        // tokens that may be scheduled in one iteration
let max_seqs = 64;   // running requests at most
let blocks = 12000;  // KV blocks
let bs = 16;         // tokens in a KV block
let max_model_len = 16384;  // longest prompt plus output, in tokens
let a = 2e-5;        // compute time of a scheduled token, s
let omega = 8e-3;    // time to read the weights once, s
let beta = 4e-8;     // time to read the KV of one resident token, s
let Lambda = 0.6;    // chats that begin per second
let p = 0.85;        // probability of another turn
let Z = 20;          // mean time from an answer to the next question, s

pool reqs { cap max_seqs; admit via E; }
pool kv { cap blocks * bs; block bs; evict lru; preempt lifo; }

stage E : step {
  budget B;
  cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);  // memory bound or compute bound
  memory kv;
}

stage reading : delay;  // the person reads and types

server {
  set t0 = now;
  set prompt = K + n;
  set o = min(o, max_model_len - prompt);  // the output stops at the model's length
  branch (K > 0) {
    observe hit = min(cachedin(kv), reusable(prompt, bs)) / prompt;  // share of a later prompt that is cached
  }
  vllm_request(E, reqs, kv, bs, inf, prompt, o);
  observe ttft = first_token - t0;  // s to the first token
  branch (o > 1) {
    observe tpot = (now - first_token) / (o - 1);  // s per token after the first
  }
  observe response = now - t0;  // s to the last token
}

// A chat: the first question brings a document, later ones a few lines, and all that was said is the next prompt.
workload {
  arrive poisson(Lambda);
  hidden o;  // the scheduler does not know how long an answer gets
  init { set K = 0; }
  turn {
    set n = K == 0 ? floor(~uniform(500, 3000)) : floor(~exp(150)) + 1;
    set o = floor(~exp(250)) + 1;
    set more = ~bernoulli(p);
  }
  session {
    turn;
    loop {
      branch (K + n >= max_model_len) { end; }
      request;
      set K = prompt + o;
      branch (more) { run reading (~exp(Z)); turn; } else { end; }
    }
  }
}

gauge kv_usage = used(kv) / (used(kv) + free(kv));  // share of the memory in use by requests
gauge running = used(reqs);
gauge waiting = queued(reqs);

run { horizon 3000; warmup 300; }
"#),
    ("../../lib/vllm.sq", r#"// Quantities of vLLM's scheduler, and a request's way through one engine. Read with `use "…/lib/vllm.sq";`.
// Each is held against the scheduler itself by the recordings under `ref/oracle`.

// Of a request of x tokens, the part that a cached prefix may stand in for: whole blocks of bs tokens, short of
// the last token, which always runs because its logits give the next one.
def reusable(x, bs) = floor((x - 1) / bs) * bs;

// Tokens of a request that must be computed before it goes on, prompt and output, at an admission. `length` is what it
// had come to when it was last admitted, at first its prompt: a request that is preempted before it has caught up
// still has all of its output to catch up with, though it had computed less.
def known_tokens(length) = max(length, computed + 1);

// Blocks to enter with, in tokens: what the cache has, `hit`, and the first chunk of the rest, which the budget left
// in the iteration and the cap on one prompt's chunk bound.
def first_units(known, hit, budget, chunk) = min(known, hit + min(budget, chunk));

// Whether an engine whose steps take `period` steps of a clock starts one at time t.
def due(period, t) = floor(t / period) * period == t;

// One request: a prompt of `prompt` tokens, at least 1, then `o` tokens of output, at least 1. It runs on engine `E`,
// which admits to `reqs` (its slots) and whose memory is `kv`, in blocks of `bs` tokens; `chunk` caps the tokens of one
// prompt in one iteration (`inf`: the budget alone does).
//
// It enters with a slot and the blocks of its first chunk once there is room for all of the prompt; a cached prefix
// is not computed again. The last chunk of the prompt gives the first token. A preempted request comes back to prefill
// what it lost, its own output included, before it decodes on. Prompt and output stay cached, but the last token of
// the output is never computed.
//
// To be read afterwards: `admitted`, when it first entered, `found`, the tokens cached then, `admissions`, how often it
// entered, and `first_token`, when the first token came.
def vllm_request(E, reqs, kv, bs, chunk, prompt, o) {
  set length = prompt;
  set admissions = 0;
  hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known)
       reuse (reusable(known, bs))
       at admission (known = known_tokens(length), hit = min(cachedin(kv), reusable(known, bs))) {
    set length = known;
    set admissions = admissions + 1;
    branch (admissions == 1) {
      set admitted = now;
      set found = cached;
    }
    run E prefill (length - cached) growing kv;
    branch (length == prompt) { set first_token = now; }  // not when it only catches up after a preemption
    // No decode of nothing: those that end in one iteration leave in the order in which they were served.
    branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; }
  } cache (prompt + o);
}
"#),
];
