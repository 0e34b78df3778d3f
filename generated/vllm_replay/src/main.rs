//! vllm_replay: a serQ program as native code.
//!
//! Emitted by serqc from vllm_replay.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let gap = 3;`: time between two arrivals, s
    pub gap: f64,
    /// `let B = 4096;`: tokens that may be scheduled in one iteration
    pub b: f64,
    /// `let max_seqs = 32;`: running requests at most
    pub max_seqs: f64,
    /// `let blocks = 8000;`: KV blocks
    pub blocks: f64,
    /// `let bs = 16;`: tokens in a KV block
    pub bs: f64,
    /// `let a = 2e-5;`: compute time of a scheduled token, s
    pub a: f64,
    /// `let omega = 8e-3;`: time to read the weights once, s
    pub omega: f64,
    /// `let beta = 4e-8;`: time to read the KV of one resident token, s
    pub beta: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            gap: values[0],
            b: values[1],
            max_seqs: values[2],
            blocks: values[3],
            bs: values[4],
            a: values[5],
            omega: values[6],
            beta: values[7],
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
    /// `stage tool : delay;`
    pub tool: Delay,
}

/// A session's attributes.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// `K`
    pub k: f64,
    /// `begin`
    pub begin: f64,
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
        // init { set K = 0; }                                                    vllm_replay.sq:52
        self.attrs[s as usize].k = 0.0;
    }

    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {}
    #[inline(never)]
    fn start(&mut self, s: Sid) {
        // set begin = now;                                                       vllm_replay.sq:54
        self.attrs[s as usize].begin = self.k.now;
        // turn;                                                                  vllm_replay.sq:55
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    #[inline(never)]
    fn again(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set t0 = now;                                                          vllm_replay.sq:36
        attrs.t0 = self.k.now;
        // set prompt = K + new;                                                  vllm_replay.sq:37
        attrs.prompt = attrs.k + self.k.control(s).b.new;
        // branch (K > 0) {                                                       vllm_replay.sq:38
        if attrs.k > 0.0 {
            // observe hit = min(cachedin(kv), reusable(prompt, bs)) / prompt;        vllm_replay.sq:39
            {
                let value = cached_in(self, PoolAt::<{ pools::KV }>::new(0), s)
                    .min(
                        ((self.attrs[s as usize].prompt - 1.0) / self.params.bs).floor()
                            * self.params.bs,
                    ) / self.attrs[s as usize].prompt;
                self.k.observe(0, s, value);
            }
        }
        let attrs = &mut self.attrs[s as usize];
        // set length = prompt;                                                   vllm.sq:32
        attrs.length = attrs.prompt;
        // set admissions = 0;                                                    vllm.sq:33
        attrs.admissions = 0.0;
        // hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known) vllm.sq:34
        join(self, s, HoldAt::<{ holds::REQS_KV }>);
    }

    #[inline(never)]
    fn holding_reqs_kv(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // at admission (known = known_tokens(length), hit = min(cachedin(kv), reusable(known, bs))) { vllm.sq:36
        let known = attrs.length.max(self.k.control(s).b.computed + 1.0);
        // set length = known;                                                    vllm.sq:37
        attrs.length = known;
        // set admissions = admissions + 1;                                       vllm.sq:38
        attrs.admissions += 1.0;
        // branch (admissions == 1) {                                             vllm.sq:39
        if attrs.admissions == 1.0 {
            // set admitted = now;                                                    vllm.sq:40
            attrs.admitted = self.k.now;
            // set found = cached;                                                    vllm.sq:41
            attrs.found = self.k.control(s).b.cached;
        }
        // run E prefill (length - cached) growing kv;                            vllm.sq:43
        let work = self.k.work(attrs.length - self.k.control(s).b.cached, s, 1);
        self.k.control_mut(s).at = at::AFTER_E_PREFILL;
        let stage = StageAt::<{ stages::E }>::new(0);
        let pool = PoolAt::<{ pools::KV }>::new(0);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_e_prefill(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (length == prompt) { set first_token = now; }                   vllm.sq:44
        if attrs.length == attrs.prompt {
            // branch (length == prompt) { set first_token = now; }                   vllm.sq:44
            attrs.first_token = self.k.now;
        }
        // branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; } vllm.sq:46
        if attrs.length < attrs.prompt + self.k.control(s).b.out - 1.0 {
            // branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; } vllm.sq:46
            let work = self
                .k
                .work(attrs.prompt + self.k.control(s).b.out - 1.0 - attrs.length, s, 4);
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
        // observe ttft = first_token - t0;                                       vllm_replay.sq:42
        self.k.observe(1, s, attrs.first_token - attrs.t0);
        // branch (out > 1) {                                                     vllm_replay.sq:43
        if self.k.control(s).b.out > 1.0 {
            // observe tpot = (now - first_token) / (out - 1);                        vllm_replay.sq:44
            self.k
                .observe(
                    2,
                    s,
                    (self.k.now - attrs.first_token) / (self.k.control(s).b.out - 1.0),
                );
        }
        // observe response = now - t0;                                           vllm_replay.sq:46
        self.k.observe(3, s, self.k.now - attrs.t0);
        // set K = prompt + out;                                                  vllm_replay.sq:58
        attrs.k = attrs.prompt + self.k.control(s).b.out;
        // branch (more) {                                                        vllm_replay.sq:59
        if self.k.control(s).b.more != 0.0 {
            // tool (think);                                                          vllm_replay.sq:60
            let work = self.k.work(self.k.control(s).b.think, s, 5);
            self.k.control_mut(s).at = at::AFTER_TOOL;
            let stage = StageAt::<{ stages::TOOL }>::new(0);
            run_on(self, s, stage, Mode::Decode, work);
        } else {
            // observe session_time = now - begin;                                    vllm_replay.sq:63
            self.k.observe(4, s, self.k.now - attrs.begin);
            end_session(self, s);
        }
    }

    #[inline(never)]
    fn after_tool(&mut self, s: Sid) {
        // turn;                                                                  vllm_replay.sq:61
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
            at::AFTER_TOOL => self.after_tool(s),
            _ => {}
        }
    }

    // hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known) vllm.sq:34
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

    // } cache (prompt + o);                                                  vllm.sq:47
    #[inline]
    fn cache_reqs_kv(&mut self, s: Sid) -> f64 {
        self.attrs[s as usize].prompt + self.k.control(s).b.out
    }

    // budget B;                                                              vllm_replay.sq:29
    #[inline]
    fn budget_e(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);         vllm_replay.sq:30
    #[inline]
    fn cost_e(&mut self, member: usize, it: &Iteration) -> f64 {
        (self.params.omega + self.params.beta * (it.kv_decode + it.kv_prefill))
            .max(it.tokens * self.params.a)
    }
}

#[allow(unused_variables, clippy::manual_clamp)]
impl World for Model {
    const NAME: &'static str = "vllm_replay";
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
            dirty: [2, 0, 0],
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
            name: "tool",
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
        (at::START, 30),
        (at::AGAIN, 31),
        (at::HOLDING_REQS_KV, 11),
        (at::AFTER_E_PREFILL, 32),
        (at::AFTER_E_DECODE, 33),
        (at::MEET, 11),
        (at::AFTER_TOOL, 34),
    ];
    const ARRIVE_SITE: u32 = 23;
    const ARRIVALS_SITE: u32 = 29;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "gap",
            default: "3",
            comment: "time between two arrivals, s",
        },
        ParamSpec {
            name: "B",
            default: "4096",
            comment: "tokens that may be scheduled in one iteration",
        },
        ParamSpec {
            name: "max_seqs",
            default: "32",
            comment: "running requests at most",
        },
        ParamSpec {
            name: "blocks",
            default: "8000",
            comment: "KV blocks",
        },
        ParamSpec {
            name: "bs",
            default: "16",
            comment: "tokens in a KV block",
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
    ];
    const OBSERVES: &'static [&'static str] = &[
        "hit",
        "ttft",
        "tpot",
        "response",
        "session_time",
    ];
    const GAUGES: &'static [&'static str] = &["kv_usage", "running"];
    const TRACE: TraceSpec = TraceSpec::File {
        path: "examples/replay/agents.csv",
        order: TraceOrder::InOrder,
    };
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 3.0,
            1 => 4096.0,
            2 => 32.0,
            3 => 8000.0,
            4 => 16.0,
            5 => 2e-5,
            6 => 0.008,
            7 => 4e-8,
            _ => f64::NAN,
        }
    }

    fn run_defaults(_values: &[f64]) -> RunDefaults {
        RunDefaults {
            horizon: Some(10000.0),
            warmup: None,
            seed: None,
            arrivals: Some(60.0),
        }
    }

    fn new(values: &[f64], settings: &Settings) -> Result<Self, Vec<Refusal>> {
        let p = Params::from_values(values);
        let mut refused = Vec::new();
        check(!p.gap.is_nan(), "S162", "a `let` is not a number", 12u32, &mut refused);
        check(!p.b.is_nan(), "S162", "a `let` is not a number", 13u32, &mut refused);
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a `let` is not a number",
            14u32,
            &mut refused,
        );
        check(
            !p.blocks.is_nan(),
            "S162",
            "a `let` is not a number",
            15u32,
            &mut refused,
        );
        check(!p.bs.is_nan(), "S162", "a `let` is not a number", 16u32, &mut refused);
        check(!p.a.is_nan(), "S162", "a `let` is not a number", 17u32, &mut refused);
        check(!p.omega.is_nan(), "S162", "a `let` is not a number", 18u32, &mut refused);
        check(!p.beta.is_nan(), "S162", "a `let` is not a number", 19u32, &mut refused);
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            20u32,
            &mut refused,
        );
        check(
            p.max_seqs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            20u32,
            &mut refused,
        );
        check(
            !(p.blocks * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            21u32,
            &mut refused,
        );
        check(
            p.blocks * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            21u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            22u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            22u32,
            &mut refused,
        );
        check(
            p.gap > 0.0 && p.gap < f64::INFINITY,
            "S186",
            "the gap between arrivals is not a finite number above 0",
            23u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `reqs` ever holds",
            24u32,
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
            tool: Delay::new(settings),
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
            stages::TOOL => 1,
            _ => 0,
        }
    }

    #[inline]
    fn delay(&self, at: impl AtStage) -> &Delay {
        &self.tool
    }

    #[inline]
    fn delay_mut(&mut self, at: impl AtStage) -> &mut Delay {
        &mut self.tool
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
        Arrivals::Renewal
    }

    fn renewal_gap(&mut self) -> f64 {
        self.params.gap
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
        op.run(self, StageAt::<{ stages::TOOL }>(stage.member))
    }

    #[inline]
    fn read_gauges(&mut self, dirty: u64) {
        if dirty & 1 != 0 {
            self.read_gauges_0();
        }
        if dirty & 2 != 0 {
            self.read_gauges_1();
        }
    }
}

impl Model {
    #[inline]
    fn read_gauges_0(&mut self) {
        // gauge kv_usage = used(kv) / (used(kv) + free(kv));                     vllm_replay.sq:70
        let value = self.kv.used / (self.kv.used + self.kv.free());
        self.k.set_gauge(0, value);
    }

    #[inline]
    fn read_gauges_1(&mut self) {
        // gauge running = used(reqs);                                            vllm_replay.sq:71
        let value = self.reqs.used;
        self.k.set_gauge(1, value);
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
    /// `tool`
    pub const TOOL: u16 = 1;
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
    /// holding reqs kv
    pub const HOLDING_REQS_KV: u32 = 2;
    /// after e prefill
    pub const AFTER_E_PREFILL: u32 = 3;
    /// then
    pub const THEN: u32 = 4;
    /// otherwise
    pub const OTHERWISE: u32 = 5;
    /// after e decode
    pub const AFTER_E_DECODE: u32 = 6;
    /// meet
    pub const MEET: u32 = 7;
    /// then 2
    pub const THEN_2: u32 = 8;
    /// otherwise 2
    pub const OTHERWISE_2: u32 = 9;
    /// after tool
    pub const AFTER_TOOL: u32 = 10;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "vllm_replay.sq",
        line: 39,
        col: 32,
        text: "    observe hit = min(cachedin(kv), reusable(prompt, bs)) / prompt;  // share of a later prompt that is cached",
    },
    SourceSite {
        file: "vllm.sq",
        line: 43,
        col: 20,
        text: "    run E prefill (length - cached) growing kv;",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 41,
        col: 16,
        text: "  vllm_request(E, reqs, kv, bs, inf, prompt, out);",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 41,
        col: 25,
        text: "  vllm_request(E, reqs, kv, bs, inf, prompt, out);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 46,
        col: 54,
        text: "    branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 60,
        col: 15,
        text: "        tool (think);",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 60,
        col: 9,
        text: "        tool (think);",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 41,
        col: 19,
        text: "  vllm_request(E, reqs, kv, bs, inf, prompt, out);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 15,
        col: 46,
        text: "def first_units(known, hit, budget, chunk) = min(known, hit + min(budget, chunk));",
    },
    SourceSite {
        file: "vllm.sq",
        line: 11,
        col: 28,
        text: "def known_tokens(length) = max(length, computed + 1);",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 30,
        col: 8,
        text: "  cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);  // memory bound or compute bound",
    },
    SourceSite {
        file: "vllm.sq",
        line: 34,
        col: 3,
        text: "  hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known)",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 16,
        col: 11,
        text: "let gap = 3;        // time between two arrivals, s",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 17,
        col: 9,
        text: "let B = 4096;       // tokens that may be scheduled in one iteration",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 18,
        col: 16,
        text: "let max_seqs = 32;  // running requests at most",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 19,
        col: 14,
        text: "let blocks = 8000;  // KV blocks",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 20,
        col: 10,
        text: "let bs = 16;        // tokens in a KV block",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 21,
        col: 9,
        text: "let a = 2e-5;       // compute time of a scheduled token, s",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 22,
        col: 13,
        text: "let omega = 8e-3;   // time to read the weights once, s",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 23,
        col: 12,
        text: "let beta = 4e-8;    // time to read the KV of one resident token, s",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 25,
        col: 17,
        text: "pool reqs { cap max_seqs; admit via E; }",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 26,
        col: 15,
        text: "pool kv { cap blocks * bs; block bs; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 26,
        col: 34,
        text: "pool kv { cap blocks * bs; block bs; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 50,
        col: 18,
        text: "  arrive renewal(gap);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 34,
        col: 14,
        text: "  hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known)",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 70,
        col: 23,
        text: "gauge kv_usage = used(kv) / (used(kv) + free(kv));  // share of the memory in use by requests",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 70,
        col: 35,
        text: "gauge kv_usage = used(kv) / (used(kv) + free(kv));  // share of the memory in use by requests",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 70,
        col: 46,
        text: "gauge kv_usage = used(kv) / (used(kv) + free(kv));  // share of the memory in use by requests",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 71,
        col: 22,
        text: "gauge running = used(reqs);",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 73,
        col: 16,
        text: "run { arrivals 60; horizon 10000; }",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 54,
        col: 5,
        text: "    set begin = now;",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 36,
        col: 3,
        text: "  set t0 = now;",
    },
    SourceSite {
        file: "vllm.sq",
        line: 43,
        col: 5,
        text: "    run E prefill (length - cached) growing kv;",
    },
    SourceSite {
        file: "vllm.sq",
        line: 46,
        col: 40,
        text: "    branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "vllm_replay.sq",
        line: 60,
        col: 9,
        text: "        tool (think);",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("vllm_replay.sq", r#"// A recorded workload on one vLLM engine: the same sessions, in the same order, under every setting.
//
// `agents.csv` has what each turn of each session added to the context, how much it generated and how long it was away
// afterwards. Session i of the file is arrival i, one every `gap` seconds; the next turn begins `think` seconds after
// the last answer, so that a slower engine also delays what is asked of it next. Nothing is drawn: two runs differ
// only in what was changed, and all seeds are alike.
//
// Look at `ttft` and `hit` when `blocks` or `gap` changes, and compare turn by turn with `--samples --json`. The run
// ends when the last session has.
//
//   serqc run examples/replay/vllm_replay.sq
//   serqc run examples/replay/vllm_replay.sq --set blocks=4000
//   serqc run examples/replay/vllm_replay.sq --set gap=1.5
use "../../lib/vllm.sq";

let gap = 3;        // time between two arrivals, s
let B = 4096;       // tokens that may be scheduled in one iteration
let max_seqs = 32;  // running requests at most
let blocks = 8000;  // KV blocks
let bs = 16;        // tokens in a KV block
let a = 2e-5;       // compute time of a scheduled token, s
let omega = 8e-3;   // time to read the weights once, s
let beta = 4e-8;    // time to read the KV of one resident token, s

pool reqs { cap max_seqs; admit via E; }
pool kv { cap blocks * bs; block bs; evict lru; preempt lifo; }

stage E : step {
  budget B;
  cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);  // memory bound or compute bound
  memory kv;
}
stage tool : delay;

server {
  set t0 = now;
  set prompt = K + new;
  branch (K > 0) {
    observe hit = min(cachedin(kv), reusable(prompt, bs)) / prompt;  // share of a later prompt that is cached
  }
  vllm_request(E, reqs, kv, bs, inf, prompt, out);
  observe ttft = first_token - t0;  // s to the first token
  branch (out > 1) {
    observe tpot = (now - first_token) / (out - 1);  // s per token after the first
  }
  observe response = now - t0;  // s to the last token
}

workload {
  arrive renewal(gap);
  trace "agents.csv" ordered;
  init { set K = 0; }
  session {
    set begin = now;
    turn;
    loop {
      request;
      set K = prompt + out;
      branch (more) {
        tool (think);
        turn;
      } else {
        observe session_time = now - begin;  // s from arrival to the last answer
        end;
      }
    }
  }
}

gauge kv_usage = used(kv) / (used(kv) + free(kv));  // share of the memory in use by requests
gauge running = used(reqs);

run { arrivals 60; horizon 10000; }
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
