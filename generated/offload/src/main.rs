//! offload: a serQ program as native code.
//!
//! Emitted by serqc from offload.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let offload = 1;`: 0: evicted blocks are gone
    pub offload: f64,
    /// `let B = 8192;`: tokens that may be scheduled in one iteration
    pub b: f64,
    /// `let max_seqs = 64;`: running requests at most
    pub max_seqs: f64,
    /// `let blocks = 6000;`: KV blocks on the device
    pub blocks: f64,
    /// `let host_blocks = 20000;`: and in host memory
    pub host_blocks: f64,
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
    /// `let Bw = 2e5;`: bandwidth of the link, each way, tokens/s
    pub bw: f64,
    /// `let x0 = 1e-3;`: time to start a copy, s
    pub x0: f64,
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
            offload: values[0],
            b: values[1],
            max_seqs: values[2],
            blocks: values[3],
            host_blocks: values[4],
            bs: values[5],
            max_model_len: values[6],
            a: values[7],
            omega: values[8],
            beta: values[9],
            bw: values[10],
            x0: values[11],
            lambda: values[12],
            p: values[13],
            z: values[14],
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
    /// `pool kv {`
    pub kv: Pool<Session>,
    /// `pool host { cap host_blocks * bs; block bs; evict lru; }`
    pub host: Pool<Session>,
    /// `stage E : step {`
    pub e: Engine,
    /// `stage pcie_out : ps(Bw);`
    pub pcie_out: Ps,
    /// `stage pcie_in : ps(Bw);`
    pub pcie_in: Ps,
    /// `stage post : delay;`
    pub post: Delay,
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
    /// `m`
    pub m: f64,
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
        // init { set K = 0; }                                                    offload.sq:89
        self.attrs[s as usize].k = 0.0;
    }

    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set n = K == 0 ? floor(~uniform(500, 3000)) : floor(~exp(150)) + 1;    offload.sq:91
        attrs.n = if attrs.k == 0.0 {
            self.k.turn_rng().uniform(500.0, 3000.0).floor()
        } else {
            self.k.turn_rng().exp(150.0).floor() + 1.0
        };
        // set o = floor(~exp(250)) + 1;                                          offload.sq:92
        attrs.o = self.k.turn_rng().exp(250.0).floor() + 1.0;
        // set more = ~bernoulli(p);                                              offload.sq:93
        attrs.more = self.k.turn_rng().bernoulli(self.params.p) != 0.0;
    }

    #[inline(never)]
    fn start(&mut self, s: Sid) {
        // turn;                                                                  offload.sq:96
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    #[inline(never)]
    fn again(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (K + n >= max_model_len) { end; }                               offload.sq:98
        if attrs.k + attrs.n >= self.params.max_model_len {
            end_session(self, s);
        } else {
            // set t0 = now;                                                          offload.sq:68
            attrs.t0 = self.k.now;
            // set prompt = K + n;                                                    offload.sq:69
            attrs.prompt = attrs.k + attrs.n;
            // set o = min(o, max_model_len - prompt);                                offload.sq:70
            attrs.o = attrs.o.min(self.params.max_model_len - attrs.prompt);
            // branch (worth_reading(cachedin(host)) && free(kv) >= cachedin(kv) + cachedin(host)) { offload.sq:71
            if cached_in(self, PoolAt::<{ pools::HOST }>::new(0), s) > 0.0
                && self.params.x0
                    + cached_in(self, PoolAt::<{ pools::HOST }>::new(0), s)
                        / self.params.bw
                    < self.params.a
                        * cached_in(self, PoolAt::<{ pools::HOST }>::new(0), s)
                && self.kv.free()
                    >= cached_in(self, PoolAt::<{ pools::KV }>::new(0), s)
                        + cached_in(self, PoolAt::<{ pools::HOST }>::new(0), s)
            {
                // hold host (cachedin(host)) {                                           offload.sq:58
                join(self, s, HoldAt::<{ holds::HOST }>);
            } else {
                go_on(self, s, at::MEET, Self::meet);
            }
        }
    }

    #[inline(never)]
    fn holding_host(&mut self, s: Sid) {
        // set m = cached;                                                        offload.sq:59
        self.attrs[s as usize].m = self.k.control(s).b.cached;
        // hold kv (cachedin(kv) + m) {                                           offload.sq:60
        join(self, s, HoldAt::<{ holds::KV }>);
    }

    #[inline(never)]
    fn holding_kv(&mut self, s: Sid) {
        // run post (x0);                                                         offload.sq:61
        let work = self.k.work(self.params.x0, s, 4);
        self.k.control_mut(s).at = at::AFTER_POST;
        let stage = StageAt::<{ stages::POST }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_post(&mut self, s: Sid) {
        // transfer on pcie_in (m) from host to kv (m);                           offload.sq:62
        let work = self.k.work(self.attrs[s as usize].m, s, 6);
        self.k.control_mut(s).at = at::AFTER_PCIE_IN;
        let stage = StageAt::<{ stages::PCIE_IN }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_pcie_in(&mut self, s: Sid) {
        // transfer on pcie_in (m) from host to kv (m);                           offload.sq:62
        {
            let amount = self.k.units(self.attrs[s as usize].m, s, 8);
            let pool = PoolAt::<{ pools::KV }>::new(0);
            load(self, s, pool, amount, 8);
        }
        // transfer on pcie_in (m) from host to kv (m);                           offload.sq:62
        {
            let pool = PoolAt::<{ pools::HOST }>::new(0);
            release(self, s, pool);
        }
        leave(self, s, HoldAt::<{ holds::KV }>);
        leave(self, s, HoldAt::<{ holds::HOST }>);
        let attrs = &self.attrs[s as usize];
        // observe reload = now - t0;                                             offload.sq:73
        self.k.observe(0, s, self.k.now - attrs.t0);
        // observe reloaded = m;                                                  offload.sq:74
        self.k.observe(1, s, attrs.m);
        go_on(self, s, at::MEET, Self::meet);
    }

    #[inline(never)]
    fn meet(&mut self, s: Sid) {
        // branch (K > 0) {                                                       offload.sq:76
        if self.attrs[s as usize].k > 0.0 {
            // observe hit = min(cachedin(kv), reusable(prompt, bs)) / prompt;        offload.sq:77
            {
                let value = cached_in(self, PoolAt::<{ pools::KV }>::new(0), s)
                    .min(
                        ((self.attrs[s as usize].prompt - 1.0) / self.params.bs).floor()
                            * self.params.bs,
                    ) / self.attrs[s as usize].prompt;
                self.k.observe(2, s, value);
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
        let work = self.k.work(attrs.length - self.k.control(s).b.cached, s, 12);
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
        if attrs.length < attrs.prompt + attrs.o - 1.0 {
            // branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; } vllm.sq:46
            let work = self.k.work(attrs.prompt + attrs.o - 1.0 - attrs.length, s, 15);
            self.k.control_mut(s).at = at::AFTER_E_DECODE;
            let stage = StageAt::<{ stages::E }>::new(0);
            let pool = PoolAt::<{ pools::KV }>::new(0);
            run_growing(self, s, stage, Mode::Decode, work, pool);
        } else {
            go_on(self, s, at::MEET_2, Self::meet_2);
        }
    }

    #[inline(never)]
    fn after_e_decode(&mut self, s: Sid) {
        go_on(self, s, at::MEET_2, Self::meet_2);
    }

    #[inline(never)]
    fn meet_2(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::REQS_KV }>);
        // drop host;                                                             offload.sq:80
        {
            let pool = PoolAt::<{ pools::HOST }>::new(0);
            drop_prefix(self, s, pool);
        }
        let attrs = &mut self.attrs[s as usize];
        // observe ttft = first_token - t0;                                       offload.sq:81
        self.k.observe(3, s, attrs.first_token - attrs.t0);
        // observe response = now - t0;                                           offload.sq:82
        self.k.observe(4, s, self.k.now - attrs.t0);
        // set K = prompt + o;                                                    offload.sq:100
        attrs.k = attrs.prompt + attrs.o;
        // branch (more) { run reading (~exp(Z)); turn; } else { end; }           offload.sq:101
        if attrs.more {
            // branch (more) { run reading (~exp(Z)); turn; } else { end; }           offload.sq:101
            let work = {
                let amount = self.k.session_rng(s).exp(self.params.z);
                self.k.work(amount, s, 16)
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
        // branch (more) { run reading (~exp(Z)); turn; } else { end; }           offload.sq:101
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    /// Runs session `s` from where it waited until it waits again or ends.
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::HOLDING_HOST => self.holding_host(s),
            at::HOLDING_KV => self.holding_kv(s),
            at::AFTER_POST => self.after_post(s),
            at::AFTER_PCIE_IN => self.after_pcie_in(s),
            at::HOLDING_REQS_KV => self.holding_reqs_kv(s),
            at::AFTER_E_PREFILL => self.after_e_prefill(s),
            at::AFTER_E_DECODE => self.after_e_decode(s),
            at::AFTER_READING => self.after_reading(s),
            _ => {}
        }
    }

    // hold host (cachedin(host)) {                                           offload.sq:58
    #[inline(always)]
    fn header_host(&mut self, s: Sid) -> Header {
        let mut header = Header {
            reuse: f64::INFINITY,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::HOST, 0);
        let units = {
            let amount = cached_in(self, PoolAt::<{ pools::HOST }>::new(0), s);
            self.k.units(amount, s, 21)
        };
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (0);                                                           offload.sq:64
    #[inline]
    fn cache_host(&mut self, s: Sid) -> f64 {
        0.0
    }

    // hold kv (cachedin(kv) + m) {                                           offload.sq:60
    #[inline(always)]
    fn header_kv(&mut self, s: Sid) -> Header {
        let mut header = Header {
            reuse: f64::INFINITY,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::KV, 0);
        let units = {
            let amount = cached_in(self, PoolAt::<{ pools::KV }>::new(0), s)
                + self.attrs[s as usize].m;
            self.k.units(amount, s, 24)
        };
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (cached + m);                                                  offload.sq:63
    #[inline]
    fn cache_kv(&mut self, s: Sid) -> f64 {
        self.k.control(s).b.cached + self.attrs[s as usize].m
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
            self.k.units(amount, s, 26)
        };
        let reserve = self.k.units(known, s, 27);
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (prompt + o);                                                  vllm.sq:47
    #[inline]
    fn cache_reqs_kv(&mut self, s: Sid) -> f64 {
        let attrs = &self.attrs[s as usize];
        attrs.prompt + attrs.o
    }

    // budget B;                                                              offload.sq:44
    #[inline]
    fn budget_e(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);         offload.sq:45
    #[inline]
    fn cost_e(&mut self, member: usize, it: &Iteration) -> f64 {
        (self.params.omega + self.params.beta * (it.kv_decode + it.kv_prefill))
            .max(it.tokens * self.params.a)
    }

    // stage pcie_out : ps(Bw);                                               offload.sq:48
    #[inline]
    fn capacity_pcie_out(&mut self, member: usize, present: f64) -> f64 {
        self.params.bw
    }

    // stage pcie_in : ps(Bw);                                                offload.sq:49
    #[inline]
    fn capacity_pcie_in(&mut self, member: usize, present: f64) -> f64 {
        self.params.bw
    }

    // spill host via pcie_out (size) when (offload);                         offload.sq:39
    fn spill_kv(
        &mut self,
        member: usize,
        attrs: &Session,
        view: &EvictView,
    ) -> Option<(PoolKey, StageKey, f64)> {
        if self.params.offload != 0.0 {
            Some((
                PoolKey::new(pools::HOST, 0),
                StageKey::new(stages::PCIE_OUT, 0),
                view.size,
            ))
        } else {
            None
        }
    }
}

#[allow(unused_variables, clippy::manual_clamp)]
impl World for Model {
    const NAME: &'static str = "offload";
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
            dirty: [0, 0, 2],
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
            spills: true,
            via: None,
            memory_of: &[stages::E],
            dirty: [1, 0, 0],
            kept: [0, 0, 0, 0],
        },
        PoolSpec {
            name: "host",
            single: true,
            cached: true,
            blocks: true,
            grows: false,
            lifo: false,
            queue_keys: 0,
            steady_keys: true,
            evict_keys: 0,
            spills: false,
            via: None,
            memory_of: &[],
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
            plannable: true,
            cost_site: 30,
            dirty: 0,
            kept: 0,
        },
        StageSpec {
            name: "pcie_out",
            single: true,
            kind: StageType::Ps,
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
            name: "pcie_in",
            single: true,
            kind: StageType::Ps,
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
            name: "post",
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
            claims: 1,
            pools: &[pools::HOST],
            caches: true,
            plain_cache: true,
            leases: None,
            reuses: false,
            steady: &[(false, false)],
            checked: &[false],
            body: at::HOLDING_HOST,
            site: 31,
        },
        HoldSpec {
            claims: 1,
            pools: &[pools::KV],
            caches: true,
            plain_cache: true,
            leases: None,
            reuses: false,
            steady: &[(false, false)],
            checked: &[false],
            body: at::HOLDING_KV,
            site: 32,
        },
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
            site: 33,
        },
    ];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 63),
        (at::AGAIN, 64),
        (at::HOLDING_HOST, 31),
        (at::HOLDING_KV, 32),
        (at::AFTER_POST, 65),
        (at::AFTER_PCIE_IN, 66),
        (at::MEET, 67),
        (at::HOLDING_REQS_KV, 33),
        (at::AFTER_E_PREFILL, 68),
        (at::AFTER_E_DECODE, 69),
        (at::MEET_2, 33),
        (at::AFTER_READING, 70),
    ];
    const ARRIVE_SITE: u32 = 56;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "offload",
            default: "1",
            comment: "0: evicted blocks are gone",
        },
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
            default: "6000",
            comment: "KV blocks on the device",
        },
        ParamSpec {
            name: "host_blocks",
            default: "20000",
            comment: "and in host memory",
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
            name: "Bw",
            default: "2e5",
            comment: "bandwidth of the link, each way, tokens/s",
        },
        ParamSpec {
            name: "x0",
            default: "1e-3",
            comment: "time to start a copy, s",
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
    const OBSERVES: &'static [&'static str] = &[
        "reload",
        "reloaded",
        "hit",
        "ttft",
        "response",
    ];
    const GAUGES: &'static [&'static str] = &["kv_usage", "waiting"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 1.0,
            1 => 8192.0,
            2 => 64.0,
            3 => 6000.0,
            4 => 20000.0,
            5 => 16.0,
            6 => 16384.0,
            7 => 2e-5,
            8 => 0.008,
            9 => 4e-8,
            10 => 200000.0,
            11 => 0.001,
            12 => 0.6,
            13 => 0.85,
            14 => 20.0,
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
        check(
            !p.offload.is_nan(),
            "S162",
            "a `let` is not a number",
            34u32,
            &mut refused,
        );
        check(!p.b.is_nan(), "S162", "a `let` is not a number", 35u32, &mut refused);
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a `let` is not a number",
            36u32,
            &mut refused,
        );
        check(
            !p.blocks.is_nan(),
            "S162",
            "a `let` is not a number",
            37u32,
            &mut refused,
        );
        check(
            !p.host_blocks.is_nan(),
            "S162",
            "a `let` is not a number",
            38u32,
            &mut refused,
        );
        check(!p.bs.is_nan(), "S162", "a `let` is not a number", 39u32, &mut refused);
        check(
            !p.max_model_len.is_nan(),
            "S162",
            "a `let` is not a number",
            40u32,
            &mut refused,
        );
        check(!p.a.is_nan(), "S162", "a `let` is not a number", 41u32, &mut refused);
        check(!p.omega.is_nan(), "S162", "a `let` is not a number", 42u32, &mut refused);
        check(!p.beta.is_nan(), "S162", "a `let` is not a number", 43u32, &mut refused);
        check(!p.bw.is_nan(), "S162", "a `let` is not a number", 44u32, &mut refused);
        check(!p.x0.is_nan(), "S162", "a `let` is not a number", 45u32, &mut refused);
        check(
            !p.lambda.is_nan(),
            "S162",
            "a `let` is not a number",
            46u32,
            &mut refused,
        );
        check(!p.p.is_nan(), "S162", "a `let` is not a number", 47u32, &mut refused);
        check(!p.z.is_nan(), "S162", "a `let` is not a number", 48u32, &mut refused);
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            49u32,
            &mut refused,
        );
        check(
            p.max_seqs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            49u32,
            &mut refused,
        );
        check(
            !(p.blocks * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            50u32,
            &mut refused,
        );
        check(
            p.blocks * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            50u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            51u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            51u32,
            &mut refused,
        );
        check(
            !(p.host_blocks * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            52u32,
            &mut refused,
        );
        check(
            p.host_blocks * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            52u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            53u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            53u32,
            &mut refused,
        );
        check(
            !p.bw.is_nan(),
            "S168",
            "the capacity is not a number",
            54u32,
            &mut refused,
        );
        check(
            !p.bw.is_nan(),
            "S168",
            "the capacity is not a number",
            55u32,
            &mut refused,
        );
        check(
            !p.lambda.is_nan(),
            "S162",
            "an arrival rate is not a number",
            56u32,
            &mut refused,
        );
        check(
            p.lambda > 0.0 && p.lambda < f64::INFINITY,
            "S185",
            "the arrival rate is not a finite number above 0",
            56u32,
            &mut refused,
        );
        check(
            p.p >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            57u32,
            &mut refused,
        );
        check(
            p.p <= 1.0,
            "S176",
            "nothing can be drawn with these numbers",
            57u32,
            &mut refused,
        );
        check(
            p.x0 >= 0.0,
            "S163",
            "this work is negative or not a number",
            4u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `reqs` ever holds",
            58u32,
            &mut refused,
        );
        check(
            p.z >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            16u32,
            &mut refused,
        );
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Model {
            k: Kernel::new(settings, None),
            reqs: Pool::new(p.max_seqs, 0.0, settings),
            kv: Pool::new(p.blocks * p.bs, p.bs, settings),
            host: Pool::new(p.host_blocks * p.bs, p.bs, settings),
            e: Engine::new(settings),
            pcie_out: Ps::new(settings),
            pcie_in: Ps::new(settings),
            post: Delay::new(settings),
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
            pools::HOST => 1,
            _ => 0,
        }
    }

    #[inline]
    fn pool(&self, at: impl AtPool) -> &Pool<Session> {
        let key = at.key();
        match key.family {
            pools::REQS => &self.reqs,
            pools::KV => &self.kv,
            _ => &self.host,
        }
    }

    #[inline]
    fn pool_mut(&mut self, at: impl AtPool) -> &mut Pool<Session> {
        let key = at.key();
        match key.family {
            pools::REQS => &mut self.reqs,
            pools::KV => &mut self.kv,
            _ => &mut self.host,
        }
    }

    #[inline]
    fn pool_and_kernel(&mut self, at: impl AtPool) -> (&mut Pool<Session>, &mut Kernel) {
        let key = at.key();
        match key.family {
            pools::REQS => (&mut self.reqs, &mut self.k),
            pools::KV => (&mut self.kv, &mut self.k),
            _ => (&mut self.host, &mut self.k),
        }
    }

    #[inline]
    fn stage_count(&self, f: usize) -> usize {
        match f as u16 {
            stages::E => 1,
            stages::PCIE_OUT => 1,
            stages::PCIE_IN => 1,
            stages::POST => 1,
            stages::READING => 1,
            _ => 0,
        }
    }

    #[inline]
    fn ps(&self, at: impl AtStage) -> &Ps {
        let key = at.key();
        match key.family {
            stages::PCIE_OUT => &self.pcie_out,
            _ => &self.pcie_in,
        }
    }

    #[inline]
    fn ps_mut(&mut self, at: impl AtStage) -> &mut Ps {
        let key = at.key();
        match key.family {
            stages::PCIE_OUT => &mut self.pcie_out,
            _ => &mut self.pcie_in,
        }
    }

    #[inline]
    fn delay(&self, at: impl AtStage) -> &Delay {
        let key = at.key();
        match key.family {
            stages::POST => &self.post,
            _ => &self.reading,
        }
    }

    #[inline]
    fn delay_mut(&mut self, at: impl AtStage) -> &mut Delay {
        let key = at.key();
        match key.family {
            stages::POST => &mut self.post,
            _ => &mut self.reading,
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
            holds::HOST => self.header_host(s),
            holds::KV => self.header_kv(s),
            holds::REQS_KV => self.header_reqs_kv::<false>(s),
            _ => Header::default(),
        }
    }

    #[inline(always)]
    fn joining_header(&mut self, s: Sid, hold: impl AtHold) -> Header {
        match hold.stmt() {
            holds::HOST => self.header_host(s),
            holds::KV => self.header_kv(s),
            holds::REQS_KV => self.header_reqs_kv::<true>(s),
            _ => Header::default(),
        }
    }

    #[inline]
    fn cache_clause(&mut self, s: Sid, hold: u32) -> f64 {
        match hold {
            holds::HOST => self.cache_host(s),
            holds::KV => self.cache_kv(s),
            holds::REQS_KV => self.cache_reqs_kv(s),
            _ => 0.0,
        }
    }

    #[inline]
    fn on_hold<O: OnHold<Self>>(&mut self, hold: u32, op: O) -> O::Out {
        match hold {
            holds::HOST => op.run(self, HoldAt::<{ holds::HOST }>),
            holds::KV => op.run(self, HoldAt::<{ holds::KV }>),
            _ => op.run(self, HoldAt::<{ holds::REQS_KV }>),
        }
    }

    #[inline(always)]
    fn run_body(&mut self, s: Sid, hold: impl AtHold) {
        match hold.stmt() {
            holds::HOST => self.holding_host(s),
            holds::KV => self.holding_kv(s),
            _ => self.holding_reqs_kv(s),
        }
    }

    #[inline]
    fn ps_capacity(&mut self, at: impl AtStage, present: f64) -> f64 {
        match at.key().family {
            stages::PCIE_OUT => self.capacity_pcie_out(at.key().member as usize, present),
            stages::PCIE_IN => self.capacity_pcie_in(at.key().member as usize, present),
            _ => 0.0,
        }
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
        match stage.family {
            stages::PCIE_OUT => {
                op.run(self, StageAt::<{ stages::PCIE_OUT }>(stage.member))
            }
            stages::PCIE_IN => op.run(self, StageAt::<{ stages::PCIE_IN }>(stage.member)),
            stages::POST => op.run(self, StageAt::<{ stages::POST }>(stage.member)),
            _ => op.run(self, StageAt::<{ stages::READING }>(stage.member)),
        }
    }

    #[inline]
    fn spill(
        &mut self,
        pool: PoolKey,
        attrs: &Session,
        view: &EvictView,
    ) -> Option<(PoolKey, StageKey, f64)> {
        match pool.family {
            pools::KV => self.spill_kv(pool.member as usize, attrs, view),
            _ => None,
        }
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
        // gauge kv_usage = used(kv) / (used(kv) + free(kv));                     offload.sq:106
        let value = self.kv.used / (self.kv.used + self.kv.free());
        self.k.set_gauge(0, value);
    }

    #[inline]
    fn read_gauges_1(&mut self) {
        // gauge waiting = queued(reqs);                                          offload.sq:107
        let value = self.reqs.queued();
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
    /// `host`
    pub const HOST: u16 = 2;
}

/// Stage families, in declaration order.
#[allow(dead_code)]
mod stages {
    /// `E`
    pub const E: u16 = 0;
    /// `pcie_out`
    pub const PCIE_OUT: u16 = 1;
    /// `pcie_in`
    pub const PCIE_IN: u16 = 2;
    /// `post`
    pub const POST: u16 = 3;
    /// `reading`
    pub const READING: u16 = 4;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {
    /// `hold host (cachedin(host)) {`
    pub const HOST: u32 = 0;
    /// `hold kv (cachedin(kv) + m) {`
    pub const KV: u32 = 1;
    /// `hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known)`
    pub const REQS_KV: u32 = 2;
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
    /// then 2
    pub const THEN_2: u32 = 4;
    /// otherwise 2
    pub const OTHERWISE_2: u32 = 5;
    /// holding host
    pub const HOLDING_HOST: u32 = 6;
    /// holding kv
    pub const HOLDING_KV: u32 = 7;
    /// after post
    pub const AFTER_POST: u32 = 8;
    /// after pcie in
    pub const AFTER_PCIE_IN: u32 = 9;
    /// meet
    pub const MEET: u32 = 10;
    /// holding reqs kv
    pub const HOLDING_REQS_KV: u32 = 11;
    /// after e prefill
    pub const AFTER_E_PREFILL: u32 = 12;
    /// then 3
    pub const THEN_3: u32 = 13;
    /// otherwise 3
    pub const OTHERWISE_3: u32 = 14;
    /// after e decode
    pub const AFTER_E_DECODE: u32 = 15;
    /// meet 2
    pub const MEET_2: u32 = 16;
    /// then 4
    pub const THEN_4: u32 = 17;
    /// otherwise 4
    pub const OTHERWISE_4: u32 = 18;
    /// after reading
    pub const AFTER_READING: u32 = 19;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "offload.sq",
        line: 71,
        col: 34,
        text: "  branch (worth_reading(cachedin(host)) && free(kv) >= cachedin(kv) + cachedin(host)) {",
    },
    SourceSite {
        file: "offload.sq",
        line: 71,
        col: 49,
        text: "  branch (worth_reading(cachedin(host)) && free(kv) >= cachedin(kv) + cachedin(host)) {",
    },
    SourceSite {
        file: "offload.sq",
        line: 71,
        col: 65,
        text: "  branch (worth_reading(cachedin(host)) && free(kv) >= cachedin(kv) + cachedin(host)) {",
    },
    SourceSite {
        file: "offload.sq",
        line: 71,
        col: 80,
        text: "  branch (worth_reading(cachedin(host)) && free(kv) >= cachedin(kv) + cachedin(host)) {",
    },
    SourceSite {
        file: "offload.sq",
        line: 61,
        col: 17,
        text: "      run post (x0);",
    },
    SourceSite {
        file: "offload.sq",
        line: 61,
        col: 11,
        text: "      run post (x0);",
    },
    SourceSite {
        file: "offload.sq",
        line: 62,
        col: 28,
        text: "      transfer on pcie_in (m) from host to kv (m);",
    },
    SourceSite {
        file: "offload.sq",
        line: 62,
        col: 19,
        text: "      transfer on pcie_in (m) from host to kv (m);",
    },
    SourceSite {
        file: "offload.sq",
        line: 62,
        col: 48,
        text: "      transfer on pcie_in (m) from host to kv (m);",
    },
    SourceSite {
        file: "offload.sq",
        line: 62,
        col: 44,
        text: "      transfer on pcie_in (m) from host to kv (m);",
    },
    SourceSite {
        file: "offload.sq",
        line: 62,
        col: 36,
        text: "      transfer on pcie_in (m) from host to kv (m);",
    },
    SourceSite {
        file: "offload.sq",
        line: 77,
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
        file: "offload.sq",
        line: 79,
        col: 16,
        text: "  vllm_request(E, reqs, kv, bs, inf, prompt, o);",
    },
    SourceSite {
        file: "offload.sq",
        line: 79,
        col: 25,
        text: "  vllm_request(E, reqs, kv, bs, inf, prompt, o);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 46,
        col: 54,
        text: "    branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "offload.sq",
        line: 101,
        col: 36,
        text: "      branch (more) { run reading (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "offload.sq",
        line: 101,
        col: 27,
        text: "      branch (more) { run reading (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "offload.sq",
        line: 80,
        col: 8,
        text: "  drop host;  // what was not read back is stale: the device has the prefix again",
    },
    SourceSite {
        file: "offload.sq",
        line: 58,
        col: 8,
        text: "  hold host (cachedin(host)) {",
    },
    SourceSite {
        file: "offload.sq",
        line: 58,
        col: 23,
        text: "  hold host (cachedin(host)) {",
    },
    SourceSite {
        file: "offload.sq",
        line: 58,
        col: 14,
        text: "  hold host (cachedin(host)) {",
    },
    SourceSite {
        file: "offload.sq",
        line: 60,
        col: 10,
        text: "    hold kv (cachedin(kv) + m) {",
    },
    SourceSite {
        file: "offload.sq",
        line: 60,
        col: 23,
        text: "    hold kv (cachedin(kv) + m) {",
    },
    SourceSite {
        file: "offload.sq",
        line: 60,
        col: 14,
        text: "    hold kv (cachedin(kv) + m) {",
    },
    SourceSite {
        file: "offload.sq",
        line: 79,
        col: 19,
        text: "  vllm_request(E, reqs, kv, bs, inf, prompt, o);",
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
        file: "offload.sq",
        line: 39,
        col: 9,
        text: "  spill host via pcie_out (size) when (offload);",
    },
    SourceSite {
        file: "offload.sq",
        line: 39,
        col: 18,
        text: "  spill host via pcie_out (size) when (offload);",
    },
    SourceSite {
        file: "offload.sq",
        line: 45,
        col: 8,
        text: "  cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);  // memory bound or compute bound",
    },
    SourceSite {
        file: "offload.sq",
        line: 58,
        col: 3,
        text: "  hold host (cachedin(host)) {",
    },
    SourceSite {
        file: "offload.sq",
        line: 60,
        col: 5,
        text: "    hold kv (cachedin(kv) + m) {",
    },
    SourceSite {
        file: "vllm.sq",
        line: 34,
        col: 3,
        text: "  hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known)",
    },
    SourceSite {
        file: "offload.sq",
        line: 17,
        col: 15,
        text: "let offload = 1;    // 0: evicted blocks are gone",
    },
    SourceSite {
        file: "offload.sq",
        line: 18,
        col: 9,
        text: "let B = 8192;       // tokens that may be scheduled in one iteration",
    },
    SourceSite {
        file: "offload.sq",
        line: 19,
        col: 16,
        text: "let max_seqs = 64;  // running requests at most",
    },
    SourceSite {
        file: "offload.sq",
        line: 20,
        col: 14,
        text: "let blocks = 6000;  // KV blocks on the device",
    },
    SourceSite {
        file: "offload.sq",
        line: 21,
        col: 19,
        text: "let host_blocks = 20000;  // and in host memory",
    },
    SourceSite {
        file: "offload.sq",
        line: 22,
        col: 10,
        text: "let bs = 16;        // tokens in a KV block",
    },
    SourceSite {
        file: "offload.sq",
        line: 23,
        col: 21,
        text: "let max_model_len = 16384;  // longest prompt plus output, in tokens",
    },
    SourceSite {
        file: "offload.sq",
        line: 24,
        col: 9,
        text: "let a = 2e-5;       // compute time of a scheduled token, s",
    },
    SourceSite {
        file: "offload.sq",
        line: 25,
        col: 13,
        text: "let omega = 8e-3;   // time to read the weights once, s",
    },
    SourceSite {
        file: "offload.sq",
        line: 26,
        col: 12,
        text: "let beta = 4e-8;    // time to read the KV of one resident token, s",
    },
    SourceSite {
        file: "offload.sq",
        line: 27,
        col: 10,
        text: "let Bw = 2e5;       // bandwidth of the link, each way, tokens/s",
    },
    SourceSite {
        file: "offload.sq",
        line: 28,
        col: 10,
        text: "let x0 = 1e-3;      // time to start a copy, s",
    },
    SourceSite {
        file: "offload.sq",
        line: 29,
        col: 14,
        text: "let Lambda = 0.6;   // chats that begin per second",
    },
    SourceSite {
        file: "offload.sq",
        line: 30,
        col: 9,
        text: "let p = 0.85;       // probability of another turn",
    },
    SourceSite {
        file: "offload.sq",
        line: 31,
        col: 9,
        text: "let Z = 20;         // mean time from an answer to the next question, s",
    },
    SourceSite {
        file: "offload.sq",
        line: 33,
        col: 17,
        text: "pool reqs { cap max_seqs; admit via E; }",
    },
    SourceSite {
        file: "offload.sq",
        line: 35,
        col: 7,
        text: "  cap blocks * bs;",
    },
    SourceSite {
        file: "offload.sq",
        line: 36,
        col: 9,
        text: "  block bs;",
    },
    SourceSite {
        file: "offload.sq",
        line: 41,
        col: 17,
        text: "pool host { cap host_blocks * bs; block bs; evict lru; }",
    },
    SourceSite {
        file: "offload.sq",
        line: 41,
        col: 41,
        text: "pool host { cap host_blocks * bs; block bs; evict lru; }",
    },
    SourceSite {
        file: "offload.sq",
        line: 48,
        col: 21,
        text: "stage pcie_out : ps(Bw);",
    },
    SourceSite {
        file: "offload.sq",
        line: 49,
        col: 20,
        text: "stage pcie_in : ps(Bw);",
    },
    SourceSite {
        file: "offload.sq",
        line: 87,
        col: 18,
        text: "  arrive poisson(Lambda);",
    },
    SourceSite {
        file: "offload.sq",
        line: 93,
        col: 16,
        text: "    set more = ~bernoulli(p);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 34,
        col: 14,
        text: "  hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known)",
    },
    SourceSite {
        file: "offload.sq",
        line: 106,
        col: 23,
        text: "gauge kv_usage = used(kv) / (used(kv) + free(kv));  // share of the memory in use by requests",
    },
    SourceSite {
        file: "offload.sq",
        line: 106,
        col: 35,
        text: "gauge kv_usage = used(kv) / (used(kv) + free(kv));  // share of the memory in use by requests",
    },
    SourceSite {
        file: "offload.sq",
        line: 106,
        col: 46,
        text: "gauge kv_usage = used(kv) / (used(kv) + free(kv));  // share of the memory in use by requests",
    },
    SourceSite {
        file: "offload.sq",
        line: 107,
        col: 24,
        text: "gauge waiting = queued(reqs);",
    },
    SourceSite {
        file: "offload.sq",
        line: 96,
        col: 5,
        text: "    turn;",
    },
    SourceSite {
        file: "offload.sq",
        line: 98,
        col: 7,
        text: "      branch (K + n >= max_model_len) { end; }",
    },
    SourceSite {
        file: "offload.sq",
        line: 61,
        col: 7,
        text: "      run post (x0);",
    },
    SourceSite {
        file: "offload.sq",
        line: 62,
        col: 7,
        text: "      transfer on pcie_in (m) from host to kv (m);",
    },
    SourceSite {
        file: "offload.sq",
        line: 76,
        col: 3,
        text: "  branch (K > 0) {",
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
        file: "offload.sq",
        line: 101,
        col: 23,
        text: "      branch (more) { run reading (~exp(Z)); turn; } else { end; }",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("offload.sq", r#"// A host tier below the KV cache: evicted prefixes are written to host memory and read back when their chat returns.
//
// The engine of `../multi-turn/vllm.sq` with less memory. A block that is evicted goes to `host` over the outward
// half of the PCIe link; when its chat comes back and reading is quicker than computing, its blocks are read in
// again before the request queues, so that it finds them as a cached prefix. The tier evicts too, and a prefix that
// is not worth reading is dropped from it. Eviction takes a prefix from its end, so the engine keeps the head and
// the tier has the tail that follows it.
//
// Look at `hit` and `ttft` with and without the tier (`offload`), and at `reload` against the time that the `reloaded`
// tokens take to compute (`a` each). A link slower than 1 / a, 5e4 tokens/s, is no use: nothing is read back.
//
//   serqc run examples/tiers/offload.sq --seeds 1..5
//   serqc run examples/tiers/offload.sq --seeds 1..5 --set offload=0
//   serqc run examples/tiers/offload.sq --seeds 1..5 --set Bw=4e4
use "../../lib/vllm.sq";

let offload = 1;    // 0: evicted blocks are gone
let B = 8192;       // tokens that may be scheduled in one iteration
let max_seqs = 64;  // running requests at most
let blocks = 6000;  // KV blocks on the device
let host_blocks = 20000;  // and in host memory
let bs = 16;        // tokens in a KV block
let max_model_len = 16384;  // longest prompt plus output, in tokens
let a = 2e-5;       // compute time of a scheduled token, s
let omega = 8e-3;   // time to read the weights once, s
let beta = 4e-8;    // time to read the KV of one resident token, s
let Bw = 2e5;       // bandwidth of the link, each way, tokens/s
let x0 = 1e-3;      // time to start a copy, s
let Lambda = 0.6;   // chats that begin per second
let p = 0.85;       // probability of another turn
let Z = 20;         // mean time from an answer to the next question, s

pool reqs { cap max_seqs; admit via E; }
pool kv {
  cap blocks * bs;
  block bs;
  evict lru;
  preempt lifo;
  spill host via pcie_out (size) when (offload);
}
pool host { cap host_blocks * bs; block bs; evict lru; }

stage E : step {
  budget B;
  cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);  // memory bound or compute bound
  memory kv;
}
stage pcie_out : ps(Bw);
stage pcie_in : ps(Bw);
stage post : delay;
stage reading : delay;  // the person reads and types

// Whether reading m tokens is quicker than computing them.
def worth_reading(m) = m > 0 && x0 + m / Bw < a * m;

// Moves what the tier has of the session's prefix back to the device, behind what is still there.
def fetch() {
  hold host (cachedin(host)) {
    set m = cached;
    hold kv (cachedin(kv) + m) {
      run post (x0);
      transfer on pcie_in (m) from host to kv (m);
    } cache (cached + m);
  } cache (0);
}

server {
  set t0 = now;
  set prompt = K + n;
  set o = min(o, max_model_len - prompt);  // the output stops at the model's length
  branch (worth_reading(cachedin(host)) && free(kv) >= cachedin(kv) + cachedin(host)) {
    fetch();
    observe reload = now - t0;  // s to read a prefix back
    observe reloaded = m;       // tokens of it
  }
  branch (K > 0) {
    observe hit = min(cachedin(kv), reusable(prompt, bs)) / prompt;  // share of a later prompt that is cached
  }
  vllm_request(E, reqs, kv, bs, inf, prompt, o);
  drop host;  // what was not read back is stale: the device has the prefix again
  observe ttft = first_token - t0;  // s to the first token
  observe response = now - t0;  // s to the last token
}

// Chats as in `../multi-turn/vllm.sq`.
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
