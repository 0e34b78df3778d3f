//! documents_replay: a serQ program as native code.
//!
//! Emitted by serqc from documents_replay.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let N = 2;`: engines
    pub n: f64,
    /// `let affinity = 0;`: 1: to the engine that has most of the prompt
    pub affinity: f64,
    /// `let B = 4096;`: tokens that may be scheduled in one iteration
    pub b: f64,
    /// `let max_seqs = 32;`: running requests at most
    pub max_seqs: f64,
    /// `let blocks = 8000;`: KV blocks of an engine
    pub blocks: f64,
    /// `let bs = 16;`: tokens in a KV block
    pub bs: f64,
    /// `let a = 1e-4;`: compute time of a scheduled token, s
    pub a: f64,
    /// `let omega = 1e-2;`: time to read the weights once, s
    pub omega: f64,
    /// `let beta = 4e-8;`: time to read the KV of one resident token, s
    pub beta: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            n: values[0],
            affinity: values[1],
            b: values[2],
            max_seqs: values[3],
            blocks: values[4],
            bs: values[5],
            a: values[6],
            omega: values[7],
            beta: values[8],
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
    /// `pool reqs[N] { cap max_seqs; admit via E; }`
    pub reqs: Vec<Pool<Session>>,
    /// `pool kv[N] { cap blocks * bs; block bs; evict lru; preempt lifo; prefix shared; }`
    pub kv: Vec<Pool<Session>>,
    /// `stage E[N] : step {`
    pub e: Vec<Engine>,
}

/// A session's attributes.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// `t0`
    pub t0: f64,
    /// `j`
    pub j: usize,
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
        // session { turn; request; }                                             documents_replay.sq:51
        next_turn(self, s);
        // set t0 = now;                                                          documents_replay.sq:41
        self.attrs[s as usize].t0 = self.k.now;
        // choose j in N by (affinity ? -here(j) : 0, holders(reqs[j]) + queued(reqs[j])); documents_replay.sq:42
        {
            let count = self.params.n as usize;
            let (mut best, mut least) = (0, [0.0; 2]);
            for j in 0..count {
                let keys = [
                    if self.params.affinity != 0.0 {
                        -cached_in(self, PoolAt::<{ pools::KV }>::new(j), s)
                            .min(
                                ((self.k.control(s).b.new - 1.0) / self.params.bs).floor()
                                    * self.params.bs,
                            )
                    } else {
                        0.0
                    },
                    self.reqs[j].holders() + self.reqs[j].queued(),
                ];
                if j == 0 || less(&keys, &least) {
                    (best, least) = (j, keys);
                }
            }
            self.attrs[s as usize].j = best;
        }
        let attrs = &mut self.attrs[s as usize];
        // set length = prompt;                                                   vllm.sq:32
        attrs.length = self.k.control(s).b.new;
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
        let work = self.k.work(attrs.length - self.k.control(s).b.cached, s, 4);
        self.k.control_mut(s).at = at::AFTER_E_PREFILL;
        let stage = StageAt::<{ stages::E }>::new(attrs.j);
        let pool = PoolAt::<{ pools::KV }>::new(attrs.j);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_e_prefill(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (length == prompt) { set first_token = now; }                   vllm.sq:44
        if attrs.length == self.k.control(s).b.new {
            // branch (length == prompt) { set first_token = now; }                   vllm.sq:44
            attrs.first_token = self.k.now;
        }
        // branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; } vllm.sq:46
        if attrs.length < self.k.control(s).b.new + self.k.control(s).b.out - 1.0 {
            // branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; } vllm.sq:46
            let work = self
                .k
                .work(
                    self.k.control(s).b.new + self.k.control(s).b.out - 1.0
                        - attrs.length,
                    s,
                    7,
                );
            self.k.control_mut(s).at = at::AFTER_E_DECODE;
            let stage = StageAt::<{ stages::E }>::new(attrs.j);
            let pool = PoolAt::<{ pools::KV }>::new(attrs.j);
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
        let attrs = &self.attrs[s as usize];
        // observe hit = found / new;                                             documents_replay.sq:44
        self.k.observe(0, s, attrs.found / self.k.control(s).b.new);
        // observe ttft = first_token - t0;                                       documents_replay.sq:45
        self.k.observe(1, s, attrs.first_token - attrs.t0);
        // observe response = now - t0;                                           documents_replay.sq:46
        self.k.observe(2, s, self.k.now - attrs.t0);
        end_session(self, s);
    }

    /// Runs session `s` from where it waited until it waits again or ends.
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::HOLDING_REQS_KV => self.holding_reqs_kv(s),
            at::AFTER_E_PREFILL => self.after_e_prefill(s),
            at::AFTER_E_DECODE => self.after_e_decode(s),
            _ => {}
        }
    }

    // hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known) vllm.sq:34
    #[inline(always)]
    fn header_reqs_kv<const JOINS: bool>(&mut self, s: Sid) -> Header {
        let Session { length, j, .. } = self.attrs[s as usize];
        let known = length.max(self.k.control(s).b.computed + 1.0);
        let part = ((known - 1.0) / self.params.bs).floor() * self.params.bs;
        let mut header = Header {
            reuse: part,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::REQS, j);
        let units = 1.0;
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::KV, j);
        let units = if JOINS && part >= 0.0 && known >= 0.0 {
            0.0
        } else {
            let amount = known
                .min(
                    cached_in(self, PoolAt::<{ pools::KV }>::new(j), s).min(part)
                        + budget_left(self, StageAt::<{ stages::E }>::new(j))
                            .min(f64::INFINITY),
                );
            self.k.units(amount, s, 9)
        };
        let reserve = self.k.units(known, s, 10);
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (prompt + o);                                                  vllm.sq:47
    #[inline]
    fn cache_reqs_kv(&mut self, s: Sid) -> f64 {
        self.k.control(s).b.new + self.k.control(s).b.out
    }

    // budget B;                                                              documents_replay.sq:32
    #[inline]
    fn budget_e(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);         documents_replay.sq:33
    #[inline]
    fn cost_e(&mut self, member: usize, it: &Iteration) -> f64 {
        (self.params.omega + self.params.beta * (it.kv_decode + it.kv_prefill))
            .max(it.tokens * self.params.a)
    }

    #[inline]
    fn kept_0(&self, member: usize) -> [f64; 1] {
        // gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N; documents_replay.sq:54
        [self.kv[member].used / (self.kv[member].used + self.kv[member].free())]
    }
}

#[allow(unused_variables, clippy::manual_clamp)]
impl World for Model {
    const NAME: &'static str = "documents_replay";
    const POOLS: &'static [PoolSpec] = &[
        PoolSpec {
            name: "reqs",
            single: false,
            cached: true,
            blocks: false,
            grows: false,
            lifo: false,
            queue_keys: 0,
            steady_keys: true,
            evict_keys: 0,
            spills: false,
            via: Some((stages::E, false)),
            memory_of: &[],
            dirty: [0, 0, 0],
            kept: [0, 0, 0, 0],
        },
        PoolSpec {
            name: "kv",
            single: false,
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
            kept: [1, 0, 0, 0],
        },
    ];
    const STAGES: &'static [StageSpec] = &[
        StageSpec {
            name: "E",
            single: false,
            kind: StageType::Step,
            exclusive: false,
            only: false,
            serve_keys: 0,
            memory: Some((pools::KV, false)),
            serves: &[pools::REQS],
            plannable: true,
            cost_site: 14,
            dirty: 0,
            kept: 0,
        },
    ];
    const KEPT: &'static [KeptSpec] = &[
        KeptSpec {
            of: KeptOf::Pool(pools::KV),
            keys: 1,
            least: false,
            greatest: false,
            total: true,
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
            site: 15,
        },
    ];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 33),
        (at::HOLDING_REQS_KV, 15),
        (at::AFTER_E_PREFILL, 34),
        (at::AFTER_E_DECODE, 35),
        (at::MEET, 15),
    ];
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "N",
            default: "2",
            comment: "engines",
        },
        ParamSpec {
            name: "affinity",
            default: "0",
            comment: "1: to the engine that has most of the prompt",
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
            comment: "KV blocks of an engine",
        },
        ParamSpec {
            name: "bs",
            default: "16",
            comment: "tokens in a KV block",
        },
        ParamSpec {
            name: "a",
            default: "1e-4",
            comment: "compute time of a scheduled token, s",
        },
        ParamSpec {
            name: "omega",
            default: "1e-2",
            comment: "time to read the weights once, s",
        },
        ParamSpec {
            name: "beta",
            default: "4e-8",
            comment: "time to read the KV of one resident token, s",
        },
    ];
    const OBSERVES: &'static [&'static str] = &["hit", "ttft", "response"];
    const GAUGES: &'static [&'static str] = &["kv_usage"];
    const TRACE: TraceSpec = TraceSpec::File {
        path: "examples/replay/documents.csv",
        order: TraceOrder::AtArrival,
    };
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    const SHARED: &'static [u16] = &[1];
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 2.0,
            1 => 0.0,
            2 => 4096.0,
            3 => 32.0,
            4 => 8000.0,
            5 => 16.0,
            6 => 0.0001,
            7 => 0.01,
            8 => 4e-8,
            _ => f64::NAN,
        }
    }

    fn run_defaults(_values: &[f64]) -> RunDefaults {
        RunDefaults {
            horizon: Some(f64::INFINITY),
            warmup: None,
            seed: None,
            arrivals: None,
        }
    }

    fn new(values: &[f64], settings: &Settings) -> Result<Self, Vec<Refusal>> {
        let p = Params::from_values(values);
        let mut refused = Vec::new();
        check(!p.n.is_nan(), "S162", "a `let` is not a number", 16u32, &mut refused);
        check(
            !p.affinity.is_nan(),
            "S162",
            "a `let` is not a number",
            17u32,
            &mut refused,
        );
        check(!p.b.is_nan(), "S162", "a `let` is not a number", 18u32, &mut refused);
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a `let` is not a number",
            19u32,
            &mut refused,
        );
        check(
            !p.blocks.is_nan(),
            "S162",
            "a `let` is not a number",
            20u32,
            &mut refused,
        );
        check(!p.bs.is_nan(), "S162", "a `let` is not a number", 21u32, &mut refused);
        check(!p.a.is_nan(), "S162", "a `let` is not a number", 22u32, &mut refused);
        check(!p.omega.is_nan(), "S162", "a `let` is not a number", 23u32, &mut refused);
        check(!p.beta.is_nan(), "S162", "a `let` is not a number", 24u32, &mut refused);
        check(
            !p.n.is_nan(),
            "S162",
            "a family's size is not a number",
            25u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            25u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            25u32,
            &mut refused,
        );
        check(
            !p.n.is_nan(),
            "S162",
            "a family's size is not a number",
            26u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            26u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            26u32,
            &mut refused,
        );
        check(
            !p.n.is_nan(),
            "S162",
            "a family's size is not a number",
            27u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            27u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            27u32,
            &mut refused,
        );
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            28u32,
            &mut refused,
        );
        check(
            p.max_seqs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            28u32,
            &mut refused,
        );
        check(
            !(p.blocks * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            29u32,
            &mut refused,
        );
        check(
            p.blocks * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            29u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            30u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            30u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            31u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            31u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 0.0,
            "S175",
            "a choice is among a whole number of at least 0",
            0u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `reqs` ever holds",
            32u32,
            &mut refused,
        );
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Model {
            k: Kernel::new(settings, None),
            reqs: (0..p.n as usize)
                .map(|_| Pool::new(p.max_seqs, 0.0, settings))
                .collect(),
            kv: (0..p.n as usize)
                .map(|_| Pool::new(p.blocks * p.bs, p.bs, settings))
                .collect(),
            e: (0..p.n as usize).map(|_| Engine::new(settings)).collect(),
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
            pools::REQS => self.reqs.len(),
            pools::KV => self.kv.len(),
            _ => 0,
        }
    }

    #[inline]
    fn pool(&self, at: impl AtPool) -> &Pool<Session> {
        let key = at.key();
        match key.family {
            pools::REQS => &self.reqs[key.member as usize],
            _ => &self.kv[key.member as usize],
        }
    }

    #[inline]
    fn pool_mut(&mut self, at: impl AtPool) -> &mut Pool<Session> {
        let key = at.key();
        match key.family {
            pools::REQS => &mut self.reqs[key.member as usize],
            _ => &mut self.kv[key.member as usize],
        }
    }

    #[inline]
    fn pool_and_kernel(&mut self, at: impl AtPool) -> (&mut Pool<Session>, &mut Kernel) {
        let key = at.key();
        match key.family {
            pools::REQS => (&mut self.reqs[key.member as usize], &mut self.k),
            _ => (&mut self.kv[key.member as usize], &mut self.k),
        }
    }

    #[inline]
    fn stage_count(&self, f: usize) -> usize {
        match f as u16 {
            stages::E => self.e.len(),
            _ => 0,
        }
    }

    #[inline]
    fn engine(&self, at: impl AtStage) -> &Engine {
        let key = at.key();
        &self.e[key.member as usize]
    }

    #[inline]
    fn engine_mut(&mut self, at: impl AtStage) -> &mut Engine {
        let key = at.key();
        &mut self.e[key.member as usize]
    }

    #[inline]
    fn engine_parts(
        &mut self,
        at: impl AtStage,
    ) -> (&mut Engine, Option<&mut Pool<Session>>, &mut Kernel) {
        let key = at.key();
        (
            &mut self.e[key.member as usize],
            Some(&mut self.kv[key.member as usize]),
            &mut self.k,
        )
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
        Arrivals::Recorded
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
    fn read_gauges(&mut self, dirty: u64) {
        if dirty & 1 != 0 {
            let mut all_total = 0.0;
            if let Some(kept) = kept(self, 0, Self::kept_0) {
                all_total = kept.total();
            } else {
                for its_k in 0..self.kv.len() {
                    let value = self.kv[its_k].used
                        / (self.kv[its_k].used + self.kv[its_k].free());
                    all_total += value;
                }
            }
            // gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N; documents_replay.sq:54
            let value = all_total / self.params.n;
            self.k.set_gauge(0, value);
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
    /// holding reqs kv
    pub const HOLDING_REQS_KV: u32 = 1;
    /// after e prefill
    pub const AFTER_E_PREFILL: u32 = 2;
    /// then
    pub const THEN: u32 = 3;
    /// otherwise
    pub const OTHERWISE: u32 = 4;
    /// after e decode
    pub const AFTER_E_DECODE: u32 = 5;
    /// meet
    pub const MEET: u32 = 6;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "documents_replay.sq",
        line: 42,
        col: 15,
        text: "  choose j in N by (affinity ? -here(j) : 0, holders(reqs[j]) + queued(reqs[j]));",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 38,
        col: 31,
        text: "def here(k) = min(cachedin(kv[k]), reusable(new, bs));",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 42,
        col: 59,
        text: "  choose j in N by (affinity ? -here(j) : 0, holders(reqs[j]) + queued(reqs[j]));",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 42,
        col: 77,
        text: "  choose j in N by (affinity ? -here(j) : 0, holders(reqs[j]) + queued(reqs[j]));",
    },
    SourceSite {
        file: "vllm.sq",
        line: 43,
        col: 20,
        text: "    run E prefill (length - cached) growing kv;",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 43,
        col: 18,
        text: "  vllm_request(E[j], reqs[j], kv[j], bs, inf, new, out);",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 43,
        col: 34,
        text: "  vllm_request(E[j], reqs[j], kv[j], bs, inf, new, out);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 46,
        col: 54,
        text: "    branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 43,
        col: 27,
        text: "  vllm_request(E[j], reqs[j], kv[j], bs, inf, new, out);",
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
        file: "documents_replay.sq",
        line: 54,
        col: 38,
        text: "gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N;  // share of the memory in use by requests",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 54,
        col: 53,
        text: "gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N;  // share of the memory in use by requests",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 54,
        col: 67,
        text: "gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N;  // share of the memory in use by requests",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 33,
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
        file: "documents_replay.sq",
        line: 18,
        col: 9,
        text: "let N = 2;          // engines",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 19,
        col: 16,
        text: "let affinity = 0;   // 1: to the engine that has most of the prompt",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 20,
        col: 9,
        text: "let B = 4096;       // tokens that may be scheduled in one iteration",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 21,
        col: 16,
        text: "let max_seqs = 32;  // running requests at most",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 22,
        col: 14,
        text: "let blocks = 8000;  // KV blocks of an engine",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 23,
        col: 10,
        text: "let bs = 16;        // tokens in a KV block",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 24,
        col: 9,
        text: "let a = 1e-4;       // compute time of a scheduled token, s",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 25,
        col: 13,
        text: "let omega = 1e-2;   // time to read the weights once, s",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 26,
        col: 12,
        text: "let beta = 4e-8;    // time to read the KV of one resident token, s",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 28,
        col: 11,
        text: "pool reqs[N] { cap max_seqs; admit via E; }",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 29,
        col: 9,
        text: "pool kv[N] { cap blocks * bs; block bs; evict lru; preempt lifo; prefix shared; }",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 31,
        col: 9,
        text: "stage E[N] : step {",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 28,
        col: 20,
        text: "pool reqs[N] { cap max_seqs; admit via E; }",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 29,
        col: 18,
        text: "pool kv[N] { cap blocks * bs; block bs; evict lru; preempt lifo; prefix shared; }",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 29,
        col: 37,
        text: "pool kv[N] { cap blocks * bs; block bs; evict lru; preempt lifo; prefix shared; }",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 54,
        col: 27,
        text: "gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N;  // share of the memory in use by requests",
    },
    SourceSite {
        file: "vllm.sq",
        line: 34,
        col: 14,
        text: "  hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known)",
    },
    SourceSite {
        file: "documents_replay.sq",
        line: 51,
        col: 13,
        text: "  session { turn; request; }",
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
    ("documents_replay.sq", r#"// A recording with hash ids on two vLLM engines: how much of it a cache can save, and what their caches do save.
//
// Where a recording has no texts it may still say which blocks of its prompts are alike. `serqc trace import` writes
// them to the column `prefix`, from which pools with `prefix shared` know what to find. The requests of
// `documents.csv` come at their recorded times, each to the engine with the fewest requests, or with `affinity=1` to
// the one that has most of its prompt, of equal ones the one with the fewest requests. Nothing is drawn.
//
// Look at `hit`, the share of a prompt that was cached. One engine with room for all finds what the recording repeats
// at all, 73 % of a prompt. Two that take turns compute some of it twice and find 67 %; sent by their caches they find
// what the one does. With few blocks there is less to find, wherever requests go.
//
//   serqc run examples/replay/documents_replay.sq
//   serqc run examples/replay/documents_replay.sq --set affinity=1
//   serqc run examples/replay/documents_replay.sq --set N=1
//   serqc run examples/replay/documents_replay.sq --set blocks=1000
use "../../lib/vllm.sq";

let N = 2;          // engines
let affinity = 0;   // 1: to the engine that has most of the prompt
let B = 4096;       // tokens that may be scheduled in one iteration
let max_seqs = 32;  // running requests at most
let blocks = 8000;  // KV blocks of an engine
let bs = 16;        // tokens in a KV block
let a = 1e-4;       // compute time of a scheduled token, s
let omega = 1e-2;   // time to read the weights once, s
let beta = 4e-8;    // time to read the KV of one resident token, s

pool reqs[N] { cap max_seqs; admit via E; }
pool kv[N] { cap blocks * bs; block bs; evict lru; preempt lifo; prefix shared; }

stage E[N] : step {
  budget B;
  cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);  // memory bound or compute bound
  memory kv;
}

// Of this prompt, what engine k would find.
def here(k) = min(cachedin(kv[k]), reusable(new, bs));

server {
  set t0 = now;
  choose j in N by (affinity ? -here(j) : 0, holders(reqs[j]) + queued(reqs[j]));
  vllm_request(E[j], reqs[j], kv[j], bs, inf, new, out);
  observe hit = found / new;        // share of the prompt that was cached
  observe ttft = first_token - t0;  // s to the first token
  observe response = now - t0;      // s to the last token
}

workload {
  trace "documents.csv" at arrival;
  session { turn; request; }
}

gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N;  // share of the memory in use by requests

run { horizon inf; }
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
