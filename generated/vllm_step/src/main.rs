//! vllm_step: a serQ program as native code.
//!
//! Emitted by serqc from vllm_step.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let sessions = 2;`: recorded sessions
    pub sessions: f64,
    /// `let bs = 16;`: tokens in a KV block
    pub bs: f64,
    /// `let blocks = 14;`: KV blocks
    pub blocks: f64,
    /// `let max_seqs = 8;`: running requests at most
    pub max_seqs: f64,
    /// `let B = 256;`: tokens that may be scheduled in one step of the engine
    pub b: f64,
    /// `let chunk = inf;`: of them of one prompt
    pub chunk: f64,
    /// `let period = 1;`: steps of the clock that one step of the engine takes
    pub period: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            sessions: values[0],
            bs: values[1],
            blocks: values[2],
            max_seqs: values[3],
            b: values[4],
            chunk: values[5],
            period: values[6],
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
    /// `pool reqs { cap max_seqs; queue by (-waited, forced); admit via E; }`
    pub reqs: Pool<Session>,
    /// `pool kv { cap blocks * bs; block bs; prefix shared; evict lru; preempt lifo; }`
    pub kv: Pool<Session>,
    /// `stage E : step {`
    pub e: Engine,
    /// `stage client : delay;`
    pub client: Delay,
    /// `stage clock : delay;`
    pub clock: Delay,
}

/// A session's attributes.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// `K`
    pub k: f64,
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
    fn start_session(&mut self, s: Sid) {}
    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {}
    #[inline(never)]
    fn start(&mut self, s: Sid) {
        // branch (serial == sessions) {                                          vllm_step.sq:52
        if self.k.control(s).b.serial == self.params.sessions {
            // run clock (0.5);                                                       vllm_step.sq:54
            let work = 0.5;
            self.k.control_mut(s).at = at::AFTER_CLOCK;
            let stage = StageAt::<{ stages::CLOCK }>::new(0);
            run_on(self, s, stage, Mode::Decode, work);
        } else {
            // set K = 0;                                                             vllm_step.sq:61
            self.attrs[s as usize].k = 0.0;
            go_on(self, s, at::AGAIN_2, Self::again_2);
        }
    }

    #[inline(never)]
    fn after_clock(&mut self, s: Sid) {
        go_on(self, s, at::AGAIN, Self::again);
    }

    #[inline(never)]
    fn again(&mut self, s: Sid) {
        // branch (due(period, now - 0.5)) { observe free_blocks = free(kv) / bs; } vllm_step.sq:56
        if ((self.k.now - 0.5) / self.params.period).floor() * self.params.period
            == self.k.now - 0.5
        {
            // branch (due(period, now - 0.5)) { observe free_blocks = free(kv) / bs; } vllm_step.sq:56
            self.k.observe(0, s, self.kv.free() / self.params.bs);
        }
        // run clock (0.5);                                                       vllm_step.sq:57
        let work = 0.5;
        self.k.control_mut(s).at = at::AFTER_CLOCK_2;
        let stage = StageAt::<{ stages::CLOCK }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_clock_2(&mut self, s: Sid) {
        // run clock (0.5);                                                       vllm_step.sq:58
        let work = 0.5;
        self.k.control_mut(s).at = at::AFTER_CLOCK_3;
        let stage = StageAt::<{ stages::CLOCK }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_clock_3(&mut self, s: Sid) {
        go_on(self, s, at::AGAIN, Self::again);
    }

    #[inline(never)]
    fn again_2(&mut self, s: Sid) {
        // turn;                                                                  vllm_step.sq:63
        next_turn(self, s);
        // run client (turn_no == 1 ? think : max(1, think) - 1);                 vllm_step.sq:64
        let work = self
            .k
            .work(
                if self.k.control(s).b.turn_no == 1.0 {
                    self.k.control(s).b.think
                } else {
                    1.0_f64.max(self.k.control(s).b.think) - 1.0
                },
                s,
                4,
            );
        self.k.control_mut(s).at = at::AFTER_CLIENT;
        let stage = StageAt::<{ stages::CLIENT }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_client(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set prompt = K + new;                                                  vllm_step.sq:39
        attrs.prompt = attrs.k + self.k.control(s).b.new;
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
        let work = self.k.work(attrs.length - self.k.control(s).b.cached, s, 6);
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
                .work(attrs.prompt + self.k.control(s).b.out - 1.0 - attrs.length, s, 9);
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
        // observe admit_step = admitted;                                         vllm_step.sq:41
        self.k.observe(1, s, attrs.admitted);
        // observe cached_tokens = found;                                         vllm_step.sq:42
        self.k.observe(2, s, attrs.found);
        // observe first_token_step = first_token - 1;                            vllm_step.sq:43
        self.k.observe(3, s, attrs.first_token - 1.0);
        // observe last_token_step = now - 1;                                     vllm_step.sq:44
        self.k.observe(4, s, self.k.now - 1.0);
        // observe preemptions = admissions - 1;                                  vllm_step.sq:45
        self.k.observe(5, s, attrs.admissions - 1.0);
        // set K = prompt + out;                                                  vllm_step.sq:66
        attrs.k = attrs.prompt + self.k.control(s).b.out;
        // branch (!more) { end; }                                                vllm_step.sq:67
        if !(self.k.control(s).b.more != 0.0) {
            end_session(self, s);
        } else {
            go_on(self, s, at::AGAIN_2, Self::again_2);
        }
    }

    /// Runs session `s` from where it waited until it waits again or ends.
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::AFTER_CLOCK => self.after_clock(s),
            at::AFTER_CLOCK_2 => self.after_clock_2(s),
            at::AFTER_CLOCK_3 => self.after_clock_3(s),
            at::AFTER_CLIENT => self.after_client(s),
            at::HOLDING_REQS_KV => self.holding_reqs_kv(s),
            at::AFTER_E_PREFILL => self.after_e_prefill(s),
            at::AFTER_E_DECODE => self.after_e_decode(s),
            _ => {}
        }
    }

    // hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known) vllm.sq:34
    #[inline(always)]
    fn header_reqs_kv(&mut self, s: Sid) -> Header {
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
        let units = {
            let amount = known
                .min(
                    cached_in(self, PoolAt::<{ pools::KV }>::new(0), s).min(part)
                        + budget_left(self, StageAt::<{ stages::E }>::new(0))
                            .min(self.params.chunk),
                );
            self.k.units(amount, s, 11)
        };
        let reserve = self.k.units(known, s, 12);
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (prompt + o);                                                  vllm.sq:47
    #[inline]
    fn cache_reqs_kv(&mut self, s: Sid) -> f64 {
        self.attrs[s as usize].prompt + self.k.control(s).b.out
    }

    // budget due(period, now) ? B : 0;                                       vllm_step.sq:30
    #[inline]
    fn budget_e(&mut self, member: usize, totals: &Totals) -> f64 {
        if (self.k.now / self.params.period).floor() * self.params.period == self.k.now {
            self.params.b
        } else {
            0.0
        }
    }

    // chunk chunk;                                                           vllm_step.sq:31
    #[inline]
    fn chunk_e(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.chunk
    }

    // cost period;                                                           vllm_step.sq:32
    #[inline]
    fn cost_e(&mut self, member: usize, it: &Iteration) -> f64 {
        self.params.period
    }

    // pool reqs { cap max_seqs; queue by (-waited, forced); admit via E; }   vllm_step.sq:27
    fn queue_keys_reqs(&mut self, member: usize, s: Sid, waited: f64) -> Keys {
        keys([-waited, self.k.control(s).b.forced])
    }
}

#[allow(unused_variables, clippy::manual_clamp)]
impl World for Model {
    const NAME: &'static str = "vllm_step";
    const POOLS: &'static [PoolSpec] = &[
        PoolSpec {
            name: "reqs",
            single: true,
            cached: true,
            blocks: false,
            grows: false,
            lifo: false,
            queue_keys: 2,
            steady_keys: false,
            evict_keys: 0,
            spills: false,
            via: Some((stages::E, true)),
            memory_of: &[],
            dirty: [0, 0, 0],
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
            dirty: [0, 0, 0],
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
            plannable: false,
            cost_site: 13,
            dirty: 0,
            kept: 0,
        },
        StageSpec {
            name: "client",
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
        StageSpec {
            name: "clock",
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
            site: 14,
        },
    ];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 27),
        (at::AFTER_CLOCK, 28),
        (at::AGAIN, 29),
        (at::AFTER_CLOCK_2, 30),
        (at::AFTER_CLOCK_3, 31),
        (at::AGAIN_2, 32),
        (at::AFTER_CLIENT, 33),
        (at::HOLDING_REQS_KV, 14),
        (at::AFTER_E_PREFILL, 34),
        (at::AFTER_E_DECODE, 35),
        (at::MEET, 14),
    ];
    const ARRIVE_SITE: u32 = 25;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "sessions",
            default: "2",
            comment: "recorded sessions",
        },
        ParamSpec {
            name: "bs",
            default: "16",
            comment: "tokens in a KV block",
        },
        ParamSpec {
            name: "blocks",
            default: "14",
            comment: "KV blocks",
        },
        ParamSpec {
            name: "max_seqs",
            default: "8",
            comment: "running requests at most",
        },
        ParamSpec {
            name: "B",
            default: "256",
            comment: "tokens that may be scheduled in one step of the engine",
        },
        ParamSpec {
            name: "chunk",
            default: "inf",
            comment: "of them of one prompt",
        },
        ParamSpec {
            name: "period",
            default: "1",
            comment: "steps of the clock that one step of the engine takes",
        },
    ];
    const OBSERVES: &'static [&'static str] = &[
        "free_blocks",
        "admit_step",
        "cached_tokens",
        "first_token_step",
        "last_token_step",
        "preemptions",
    ];
    const GAUGES: &'static [&'static str] = &[];
    const TRACE: TraceSpec = TraceSpec::File {
        path: "examples/oracle/vllm_step.csv",
        order: TraceOrder::InOrder,
    };
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = true;
    const SHARED: &'static [u16] = &[1];
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 2.0,
            1 => 16.0,
            2 => 14.0,
            3 => 8.0,
            4 => 256.0,
            5 => f64::INFINITY,
            6 => 1.0,
            _ => f64::NAN,
        }
    }

    fn run_defaults(_values: &[f64]) -> RunDefaults {
        RunDefaults {
            horizon: Some(120.0),
            warmup: None,
            seed: None,
            arrivals: None,
        }
    }

    fn new(values: &[f64], settings: &Settings) -> Result<Self, Vec<Refusal>> {
        let p = Params::from_values(values);
        let mut refused = Vec::new();
        check(
            !p.sessions.is_nan(),
            "S162",
            "a `let` is not a number",
            15u32,
            &mut refused,
        );
        check(!p.bs.is_nan(), "S162", "a `let` is not a number", 16u32, &mut refused);
        check(
            !p.blocks.is_nan(),
            "S162",
            "a `let` is not a number",
            17u32,
            &mut refused,
        );
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a `let` is not a number",
            18u32,
            &mut refused,
        );
        check(!p.b.is_nan(), "S162", "a `let` is not a number", 19u32, &mut refused);
        check(!p.chunk.is_nan(), "S162", "a `let` is not a number", 20u32, &mut refused);
        check(
            !p.period.is_nan(),
            "S162",
            "a `let` is not a number",
            21u32,
            &mut refused,
        );
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            22u32,
            &mut refused,
        );
        check(
            p.max_seqs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            22u32,
            &mut refused,
        );
        check(
            !(p.blocks * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            23u32,
            &mut refused,
        );
        check(
            p.blocks * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            23u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            24u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            24u32,
            &mut refused,
        );
        check(
            !(p.sessions + 1.0).is_nan(),
            "S162",
            "a number of sessions is not a number",
            25u32,
            &mut refused,
        );
        check(
            p.sessions + 1.0 == (p.sessions + 1.0).floor()
                && (p.sessions + 1.0 >= 0.0 && p.sessions + 1.0 < f64::INFINITY),
            "S187",
            "the number of sessions is not a whole number of at least 0",
            25u32,
            &mut refused,
        );
        check(
            p.sessions + 1.0 <= 10000000.0,
            "S119",
            "there are more than 10000000 sessions at once",
            25u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `reqs` ever holds",
            26u32,
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
            client: Delay::new(settings),
            clock: Delay::new(settings),
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
            stages::CLIENT => 1,
            stages::CLOCK => 1,
            _ => 0,
        }
    }

    #[inline]
    fn delay(&self, at: impl AtStage) -> &Delay {
        let key = at.key();
        match key.family {
            stages::CLIENT => &self.client,
            _ => &self.clock,
        }
    }

    #[inline]
    fn delay_mut(&mut self, at: impl AtStage) -> &mut Delay {
        let key = at.key();
        match key.family {
            stages::CLIENT => &mut self.client,
            _ => &mut self.clock,
        }
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
        Arrivals::Batch(self.params.sessions + 1.0)
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
            holds::REQS_KV => self.header_reqs_kv(s),
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
    fn chunk(&mut self, at: impl AtStage, totals: &Totals) -> f64 {
        match at.key().family {
            stages::E => self.chunk_e(at.key().member as usize, totals),
            _ => 0.0,
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
        match stage.family {
            stages::CLIENT => op.run(self, StageAt::<{ stages::CLIENT }>(stage.member)),
            _ => op.run(self, StageAt::<{ stages::CLOCK }>(stage.member)),
        }
    }

    #[inline]
    fn queue_keys(&mut self, pool: PoolKey, s: Sid, waited: f64) -> Keys {
        match pool.family {
            pools::REQS => self.queue_keys_reqs(pool.member as usize, s, waited),
            _ => keys([]),
        }
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
    /// `client`
    pub const CLIENT: u16 = 1;
    /// `clock`
    pub const CLOCK: u16 = 2;
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
    /// then
    pub const THEN: u32 = 1;
    /// otherwise
    pub const OTHERWISE: u32 = 2;
    /// after clock
    pub const AFTER_CLOCK: u32 = 3;
    /// again
    pub const AGAIN: u32 = 4;
    /// after clock 2
    pub const AFTER_CLOCK_2: u32 = 5;
    /// after clock 3
    pub const AFTER_CLOCK_3: u32 = 6;
    /// again 2
    pub const AGAIN_2: u32 = 7;
    /// after client
    pub const AFTER_CLIENT: u32 = 8;
    /// holding reqs kv
    pub const HOLDING_REQS_KV: u32 = 9;
    /// after e prefill
    pub const AFTER_E_PREFILL: u32 = 10;
    /// then 2
    pub const THEN_2: u32 = 11;
    /// otherwise 2
    pub const OTHERWISE_2: u32 = 12;
    /// after e decode
    pub const AFTER_E_DECODE: u32 = 13;
    /// meet
    pub const MEET: u32 = 14;
    /// then 3
    pub const THEN_3: u32 = 15;
    /// otherwise 3
    pub const OTHERWISE_3: u32 = 16;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "vllm_step.sq",
        line: 54,
        col: 11,
        text: "      run clock (0.5);",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 57,
        col: 13,
        text: "        run clock (0.5);",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 56,
        col: 70,
        text: "        branch (due(period, now - 0.5)) { observe free_blocks = free(kv) / bs; }",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 58,
        col: 13,
        text: "        run clock (0.5);",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 64,
        col: 19,
        text: "      run client (turn_no == 1 ? think : max(1, think) - 1);",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 64,
        col: 11,
        text: "      run client (turn_no == 1 ? think : max(1, think) - 1);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 43,
        col: 20,
        text: "    run E prefill (length - cached) growing kv;",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 40,
        col: 16,
        text: "  vllm_request(E, reqs, kv, bs, chunk, prompt, out);",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 40,
        col: 25,
        text: "  vllm_request(E, reqs, kv, bs, chunk, prompt, out);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 46,
        col: 54,
        text: "    branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 40,
        col: 19,
        text: "  vllm_request(E, reqs, kv, bs, chunk, prompt, out);",
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
        file: "vllm_step.sq",
        line: 32,
        col: 8,
        text: "  cost period;",
    },
    SourceSite {
        file: "vllm.sq",
        line: 34,
        col: 3,
        text: "  hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known)",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 18,
        col: 16,
        text: "let sessions = 2;  // recorded sessions",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 19,
        col: 10,
        text: "let bs = 16;       // tokens in a KV block",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 20,
        col: 14,
        text: "let blocks = 14;   // KV blocks",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 21,
        col: 16,
        text: "let max_seqs = 8;  // running requests at most",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 22,
        col: 9,
        text: "let B = 256;       // tokens that may be scheduled in one step of the engine",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 23,
        col: 13,
        text: "let chunk = inf;   // of them of one prompt",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 24,
        col: 14,
        text: "let period = 1;    // steps of the clock that one step of the engine takes",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 27,
        col: 17,
        text: "pool reqs { cap max_seqs; queue by (-waited, forced); admit via E; }",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 28,
        col: 15,
        text: "pool kv { cap blocks * bs; block bs; prefix shared; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 28,
        col: 34,
        text: "pool kv { cap blocks * bs; block bs; prefix shared; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 49,
        col: 16,
        text: "  arrive batch(sessions + 1);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 34,
        col: 14,
        text: "  hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known)",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 52,
        col: 5,
        text: "    branch (serial == sessions) {",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 54,
        col: 7,
        text: "      run clock (0.5);",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 56,
        col: 9,
        text: "        branch (due(period, now - 0.5)) { observe free_blocks = free(kv) / bs; }",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 57,
        col: 9,
        text: "        run clock (0.5);",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 58,
        col: 9,
        text: "        run clock (0.5);",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 63,
        col: 7,
        text: "      turn;",
    },
    SourceSite {
        file: "vllm_step.sq",
        line: 64,
        col: 7,
        text: "      run client (turn_no == 1 ? think : max(1, think) - 1);",
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
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("vllm_step.sq", r#"// vLLM's scheduler, step by step: one engine on a clock that counts steps instead of seconds.
//
// The iteration that starts at time t is step t, and what it gives is there at t + 1. Nothing is drawn and nothing takes
// time but steps, so the program must answer as vLLM's own scheduler does: when a request is admitted, how much of it
// the prefix cache has, when its first and last tokens come, how often it is preempted, and how many blocks are free
// after each step was scheduled. `ref/oracle` has recordings of the real scheduler, and
// `cargo test -p serq-tests --test oracle` holds this program against them.
//
// As it stands: two requests whose outputs outgrow the memory. Look at `preemptions` and `admit_step`, then give it
// another recording. A trace has one session a conversation; `think` is the step in which its first request comes and
// then the steps from a last token to the next request, `forced` the request's place in the recording: of those that
// come in one step the first goes first.
//
//   serqc run examples/oracle/vllm_step.sq --samples --json
//   serqc run examples/oracle/vllm_step.sq --set blocks=15
use "../../lib/vllm.sq";

let sessions = 2;  // recorded sessions
let bs = 16;       // tokens in a KV block
let blocks = 14;   // KV blocks
let max_seqs = 8;  // running requests at most
let B = 256;       // tokens that may be scheduled in one step of the engine
let chunk = inf;   // of them of one prompt
let period = 1;    // steps of the clock that one step of the engine takes

// A step of the engine starts only at its own steps of the clock.
pool reqs { cap max_seqs; queue by (-waited, forced); admit via E; }
pool kv { cap blocks * bs; block bs; prefix shared; evict lru; preempt lifo; }
stage E : step {
  budget due(period, now) ? B : 0;
  chunk chunk;
  cost period;
  memory kv;
}
stage client : delay;
stage clock : delay;

server {
  set prompt = K + new;
  vllm_request(E, reqs, kv, bs, chunk, prompt, out);
  observe admit_step = admitted;
  observe cached_tokens = found;
  observe first_token_step = first_token - 1;
  observe last_token_step = now - 1;
  observe preemptions = admissions - 1;
}

workload {
  arrive batch(sessions + 1);
  trace "vllm_step.csv" ordered;
  session {
    branch (serial == sessions) {
      // One session more watches: half a step later all is scheduled. It also wakes an idle engine at every step.
      run clock (0.5);
      loop {
        branch (due(period, now - 0.5)) { observe free_blocks = free(kv) / bs; }
        run clock (0.5);
        run clock (0.5);
      }
    }
    set K = 0;
    loop {
      turn;
      run client (turn_no == 1 ? think : max(1, think) - 1);
      request;
      set K = prompt + out;
      branch (!more) { end; }
    }
  }
}

run { horizon 120; }
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
