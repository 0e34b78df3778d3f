//! routing: a serQ program as native code.
//!
//! Emitted by serqc from routing.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let policy = 4;`: as above
    pub policy: f64,
    /// `let N = 4;`: replicas
    pub n: f64,
    /// `let blocks = 8000;`: KV blocks of a replica
    pub blocks: f64,
    /// `let bs = 16;`: tokens in a KV block
    pub bs: f64,
    /// `let max_model_len = 32768;`: longest prompt plus output, in tokens
    pub max_model_len: f64,
    /// `let a = 1e-4;`: time to compute a prompt token, s
    pub a: f64,
    /// `let d = 6e-3;`: time to generate a token, s
    pub d: f64,
    /// `let Bw = 5e4;`: bandwidth out of and into a replica, tokens/s
    pub bw: f64,
    /// `let x0 = 0.01;`: time to start a copy, s
    pub x0: f64,
    /// `let Lambda = 0.75;`: sessions that begin per second
    pub lambda: f64,
    /// `let p = 0.85;`: probability of another turn
    pub p: f64,
    /// `let Z = 5;`: mean time between turns, s
    pub z: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            policy: values[0],
            n: values[1],
            blocks: values[2],
            bs: values[3],
            max_model_len: values[4],
            a: values[5],
            d: values[6],
            bw: values[7],
            x0: values[8],
            lambda: values[9],
            p: values[10],
            z: values[11],
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
    /// `pool kv[N] { cap blocks * bs; block bs; evict lru; }`
    pub kv: Vec<Pool<Session>>,
    /// `stage gpu[N] : fifo;`
    pub gpu: Vec<Fifo>,
    /// `stage out[N] : ps(Bw);`
    pub out: Vec<Link>,
    /// `stage in[N] : ps(Bw);`
    pub in_: Vec<Link>,
    /// `stage post : delay;`
    pub post: Delay,
    /// `stage tool : delay;`
    pub tool: Delay,
}

/// A session's attributes.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// `K`
    pub k: f64,
    /// `n`
    pub n: f64,
    /// `o`
    pub o: f64,
    /// `more`
    pub more: bool,
    /// `t0`
    pub t0: f64,
    /// `prompt`
    pub prompt: f64,
    /// `j`
    pub j: usize,
    /// `h`
    pub h: usize,
    /// `m`
    pub m: f64,
    /// `c`
    pub c: f64,
}

#[allow(unused_variables)]
impl Model {
    /// What a session brings when it is created.
    fn start_session(&mut self, s: Sid) {
        // init { set K = 0; }                                                    routing.sq:86
        self.attrs[s as usize].k = 0.0;
    }

    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set n = K == 0 ? floor(~uniform(2000, 6000)) : floor(~exp(300)) + 1;   routing.sq:88
        attrs.n = if attrs.k == 0.0 {
            self.k.turn_rng().uniform(2000.0, 6000.0).floor()
        } else {
            self.k.turn_rng().exp(300.0).floor() + 1.0
        };
        // set o = floor(~exp(50)) + 1;                                           routing.sq:89
        attrs.o = self.k.turn_rng().exp(50.0).floor() + 1.0;
        // set more = ~bernoulli(p);                                              routing.sq:90
        attrs.more = self.k.turn_rng().bernoulli(self.params.p) != 0.0;
    }

    #[inline(never)]
    fn start(&mut self, s: Sid) {
        // turn;                                                                  routing.sq:93
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    #[inline(never)]
    fn again(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (K + n + o > max_model_len) { end; }                            routing.sq:95
        if attrs.k + attrs.n + attrs.o > self.params.max_model_len {
            end_session(self, s);
        } else {
            // set t0 = now;                                                          routing.sq:62
            attrs.t0 = self.k.now;
            // set prompt = K + n;                                                    routing.sq:63
            attrs.prompt = attrs.k + attrs.n;
            // choose j in N by (policy == 0 ? -here(j) : policy == 3 ? myopic(j) : policy == 4 ? lookahead(j) :... routing.sq:64
            {
                let count = self.params.n as usize;
                let (mut best, mut least) = (0, [0.0; 2]);
                for j in 0..count {
                    let keys = [
                        if self.params.policy == 0.0 {
                            -cached_in(self, PoolAt::<{ pools::KV }>::new(j), s)
                                .min(
                                    ((self.attrs[s as usize].prompt - 1.0) / self.params.bs)
                                        .floor() * self.params.bs,
                                )
                        } else {
                            if self.params.policy == 3.0 {
                                stage_work(self, StageAt::<{ stages::GPU }>::new(j))
                                    + self.params.a
                                        * 0.0_f64
                                            .max(
                                                self.attrs[s as usize].k
                                                    - cached_in(self, PoolAt::<{ pools::KV }>::new(j), s)
                                                        .min(
                                                            ((self.attrs[s as usize].prompt - 1.0) / self.params.bs)
                                                                .floor() * self.params.bs,
                                                        ),
                                            )
                            } else {
                                if self.params.policy == 4.0 {
                                    stage_work(self, StageAt::<{ stages::GPU }>::new(j))
                                        + {
                                            let hit = self.params.a * self.attrs[s as usize].n
                                                + self.params.d * self.attrs[s as usize].o;
                                            let ds = self.params.a
                                                * 0.0_f64
                                                    .max(
                                                        self.attrs[s as usize].k
                                                            - cached_in(self, PoolAt::<{ pools::KV }>::new(j), s)
                                                                .min(
                                                                    ((self.attrs[s as usize].prompt - 1.0) / self.params.bs)
                                                                        .floor() * self.params.bs,
                                                                ),
                                                    );
                                            let stage = StageAt::<{ stages::GPU }>::new(j);
                                            price(self, stage, hit, ds)
                                        }
                                } else {
                                    0.0
                                }
                            }
                        },
                        stage_work(self, StageAt::<{ stages::GPU }>::new(j)),
                    ];
                    if j == 0 || less(&keys, &least) {
                        (best, least) = (j, keys);
                    }
                }
                self.attrs[s as usize].j = best;
            }
            // branch (policy == 2) {                                                 routing.sq:65
            if self.params.policy == 2.0 {
                // choose h in N by (-here(h));                                           routing.sq:66
                {
                    let count = self.params.n as usize;
                    let (mut best, mut least) = (0, [0.0; 1]);
                    for h in 0..count {
                        let keys = [
                            -cached_in(self, PoolAt::<{ pools::KV }>::new(h), s)
                                .min(
                                    ((self.attrs[s as usize].prompt - 1.0) / self.params.bs)
                                        .floor() * self.params.bs,
                                ),
                        ];
                        if h == 0 || less(&keys, &least) {
                            (best, least) = (h, keys);
                        }
                    }
                    self.attrs[s as usize].h = best;
                }
                // set gain = here(h) - here(j);                                          routing.sq:67
                let gain = cached_in(
                        self,
                        PoolAt::<{ pools::KV }>::new(self.attrs[s as usize].h),
                        s,
                    )
                    .min(
                        ((self.attrs[s as usize].prompt - 1.0) / self.params.bs).floor()
                            * self.params.bs,
                    )
                    - cached_in(
                            self,
                            PoolAt::<{ pools::KV }>::new(self.attrs[s as usize].j),
                            s,
                        )
                        .min(
                            ((self.attrs[s as usize].prompt - 1.0) / self.params.bs)
                                .floor() * self.params.bs,
                        );
                // branch (x0 + gain / Bw < a * gain && free(kv[j]) >= here(h)) {         routing.sq:68
                if self.params.x0 + gain / self.params.bw < self.params.a * gain
                    && self.kv[self.attrs[s as usize].j].free()
                        >= cached_in(
                                self,
                                PoolAt::<{ pools::KV }>::new(self.attrs[s as usize].h),
                                s,
                            )
                            .min(
                                ((self.attrs[s as usize].prompt - 1.0) / self.params.bs)
                                    .floor() * self.params.bs,
                            )
                {
                    // hold kv[h] (cachedin(kv[h])) {                                         routing.sq:51
                    join(self, s, HoldAt::<{ holds::KV }>);
                } else {
                    go_on(self, s, at::MEET, Self::meet);
                }
            } else {
                go_on(self, s, at::MEET_2, Self::meet_2);
            }
        }
    }

    #[inline(never)]
    fn holding_kv(&mut self, s: Sid) {
        // set m = cached;                                                        routing.sq:52
        self.attrs[s as usize].m = self.k.control(s).b.cached;
        // hold kv[j] (max(m, cachedin(kv[j]))) {                                 routing.sq:53
        join(self, s, HoldAt::<{ holds::KV_2 }>);
    }

    #[inline(never)]
    fn holding_kv_2(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set m = max(0, m - cached);                                            routing.sq:54
        attrs.m = 0.0_f64.max(attrs.m - self.k.control(s).b.cached);
        // run post (x0);                                                         routing.sq:55
        let work = self.k.work(self.params.x0, s, 8);
        self.k.control_mut(s).at = at::AFTER_POST;
        let stage = StageAt::<{ stages::POST }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_post(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // transfer on out[h], in[j] (m) from kv[h] to kv[j] (m);                 routing.sq:56
        let work = self.k.work(attrs.m, s, 10);
        self.k.control_mut(s).at = at::AFTER_OUT_IN;
        let stages = [
            StageKey::new(stages::OUT, attrs.h),
            StageKey::new(stages::IN, attrs.j),
        ];
        run_flow(self, s, &stages, work, 11);
    }

    #[inline(never)]
    fn after_out_in(&mut self, s: Sid) {
        // transfer on out[h], in[j] (m) from kv[h] to kv[j] (m);                 routing.sq:56
        {
            let attrs = &self.attrs[s as usize];
            let amount = self.k.units(attrs.m, s, 14);
            let pool = PoolAt::<{ pools::KV }>::new(attrs.j);
            load(self, s, pool, amount, 14);
        }
        // transfer on out[h], in[j] (m) from kv[h] to kv[j] (m);                 routing.sq:56
        {
            let pool = PoolAt::<{ pools::KV }>::new(self.attrs[s as usize].h);
            release(self, s, pool);
        }
        leave(self, s, HoldAt::<{ holds::KV_2 }>);
        leave(self, s, HoldAt::<{ holds::KV }>);
        // observe moved = m;                                                     routing.sq:70
        self.k.observe(0, s, self.attrs[s as usize].m);
        go_on(self, s, at::MEET, Self::meet);
    }

    #[inline(never)]
    fn meet(&mut self, s: Sid) {
        go_on(self, s, at::MEET_2, Self::meet_2);
    }

    #[inline]
    fn meet_2(&mut self, s: Sid) {
        // hold kv[j] (prompt + o) reuse (reusable(prompt, bs)) {                 routing.sq:73
        join(self, s, HoldAt::<{ holds::KV_3 }>);
    }

    #[inline(never)]
    fn holding_kv_3(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set c = cached;                                                        routing.sq:74
        attrs.c = self.k.control(s).b.cached;
        // run gpu[j] (a * (prompt - c) + d * o);                                 routing.sq:75
        let work = self
            .k
            .work(
                self.params.a * (attrs.prompt - attrs.c) + self.params.d * attrs.o,
                s,
                17,
            );
        self.k.control_mut(s).at = at::AFTER_GPU;
        let stage = StageAt::<{ stages::GPU }>::new(attrs.j);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_gpu(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::KV_3 }>);
        let attrs = &mut self.attrs[s as usize];
        // branch (K > 0) {                                                       routing.sq:77
        if attrs.k > 0.0 {
            // observe hit = c / prompt;                                              routing.sq:78
            self.k.observe(1, s, attrs.c / attrs.prompt);
        }
        // observe response = now - t0;                                           routing.sq:80
        self.k.observe(2, s, self.k.now - attrs.t0);
        // set K = K + n + o;                                                     routing.sq:97
        attrs.k = attrs.k + attrs.n + attrs.o;
        // branch (more) { tool (~exp(Z)); turn; } else { end; }                  routing.sq:98
        if attrs.more {
            // branch (more) { tool (~exp(Z)); turn; } else { end; }                  routing.sq:98
            let work = {
                let amount = self.k.session_rng(s).exp(self.params.z);
                self.k.work(amount, s, 19)
            };
            self.k.control_mut(s).at = at::AFTER_TOOL;
            let stage = StageAt::<{ stages::TOOL }>::new(0);
            run_on(self, s, stage, Mode::Decode, work);
        } else {
            end_session(self, s);
        }
    }

    #[inline(never)]
    fn after_tool(&mut self, s: Sid) {
        // branch (more) { tool (~exp(Z)); turn; } else { end; }                  routing.sq:98
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    /// Runs session `s` from where it waited until it waits again or ends.
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::HOLDING_KV => self.holding_kv(s),
            at::HOLDING_KV_2 => self.holding_kv_2(s),
            at::AFTER_POST => self.after_post(s),
            at::AFTER_OUT_IN => self.after_out_in(s),
            at::HOLDING_KV_3 => self.holding_kv_3(s),
            at::AFTER_GPU => self.after_gpu(s),
            at::AFTER_TOOL => self.after_tool(s),
            _ => {}
        }
    }

    // hold kv[h] (cachedin(kv[h])) {                                         routing.sq:51
    #[inline(always)]
    fn header_kv(&mut self, s: Sid) -> Header {
        let Session { h, .. } = self.attrs[s as usize];
        let mut header = Header {
            reuse: f64::INFINITY,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::KV, h);
        let units = {
            let amount = cached_in(self, PoolAt::<{ pools::KV }>::new(h), s);
            self.k.units(amount, s, 23)
        };
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (0);                                                           routing.sq:58
    #[inline]
    fn cache_kv(&mut self, s: Sid) -> f64 {
        0.0
    }

    // hold kv[j] (max(m, cachedin(kv[j]))) {                                 routing.sq:53
    #[inline(always)]
    fn header_kv_2(&mut self, s: Sid) -> Header {
        let Session { j, m, .. } = self.attrs[s as usize];
        let mut header = Header {
            reuse: f64::INFINITY,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::KV, j);
        let units = {
            let amount = m.max(cached_in(self, PoolAt::<{ pools::KV }>::new(j), s));
            self.k.units(amount, s, 26)
        };
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (m + cached);                                                  routing.sq:57
    #[inline]
    fn cache_kv_2(&mut self, s: Sid) -> f64 {
        self.attrs[s as usize].m + self.k.control(s).b.cached
    }

    // hold kv[j] (prompt + o) reuse (reusable(prompt, bs)) {                 routing.sq:73
    #[inline(always)]
    fn header_kv_3(&mut self, s: Sid) -> Header {
        let Session { prompt, j, o, .. } = self.attrs[s as usize];
        let mut header = Header {
            reuse: ((prompt - 1.0) / self.params.bs).floor() * self.params.bs,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::KV, j);
        let units = self.k.units(prompt + o, s, 28);
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (prompt + o);                                                  routing.sq:76
    #[inline]
    fn cache_kv_3(&mut self, s: Sid) -> f64 {
        let attrs = &self.attrs[s as usize];
        attrs.prompt + attrs.o
    }

    #[inline]
    fn kept_0(&self, member: usize) -> [f64; 1] {
        // gauge waiting = sum k in N (queue(gpu[k]));                            routing.sq:103
        [stage_queue(self, StageAt::<{ stages::GPU }>::new(member))]
    }
}

#[allow(unused_variables)]
impl World for Model {
    const NAME: &'static str = "routing";
    const POOLS: &'static [PoolSpec] = &[
        PoolSpec {
            name: "kv",
            single: false,
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
            name: "gpu",
            single: false,
            kind: StageType::Fifo,
            exclusive: false,
            only: false,
            serve_keys: 0,
            memory: None,
            serves: &[],
            plannable: false,
            cost_site: 0,
            dirty: 1,
            kept: 1,
        },
        StageSpec {
            name: "out",
            single: false,
            kind: StageType::Link,
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
            name: "in",
            single: false,
            kind: StageType::Link,
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
    const KEPT: &'static [KeptSpec] = &[
        KeptSpec {
            of: KeptOf::Stage(stages::GPU),
            keys: 1,
            least: true,
            greatest: true,
            total: true,
        },
    ];
    const HOLDS: &'static [HoldSpec] = &[
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
            site: 30,
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
            body: at::HOLDING_KV_2,
            site: 31,
        },
        HoldSpec {
            claims: 1,
            pools: &[pools::KV],
            caches: true,
            plain_cache: true,
            leases: None,
            reuses: true,
            steady: &[(true, false)],
            checked: &[false],
            body: at::HOLDING_KV_3,
            site: 32,
        },
    ];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 61),
        (at::AGAIN, 62),
        (at::HOLDING_KV, 30),
        (at::HOLDING_KV_2, 31),
        (at::AFTER_POST, 63),
        (at::AFTER_OUT_IN, 11),
        (at::MEET_2, 32),
        (at::HOLDING_KV_3, 32),
        (at::AFTER_GPU, 64),
        (at::AFTER_TOOL, 65),
    ];
    const ARRIVE_SITE: u32 = 56;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "policy",
            default: "4",
            comment: "as above",
        },
        ParamSpec {
            name: "N",
            default: "4",
            comment: "replicas",
        },
        ParamSpec {
            name: "blocks",
            default: "8000",
            comment: "KV blocks of a replica",
        },
        ParamSpec {
            name: "bs",
            default: "16",
            comment: "tokens in a KV block",
        },
        ParamSpec {
            name: "max_model_len",
            default: "32768",
            comment: "longest prompt plus output, in tokens",
        },
        ParamSpec {
            name: "a",
            default: "1e-4",
            comment: "time to compute a prompt token, s",
        },
        ParamSpec {
            name: "d",
            default: "6e-3",
            comment: "time to generate a token, s",
        },
        ParamSpec {
            name: "Bw",
            default: "5e4",
            comment: "bandwidth out of and into a replica, tokens/s",
        },
        ParamSpec {
            name: "x0",
            default: "0.01",
            comment: "time to start a copy, s",
        },
        ParamSpec {
            name: "Lambda",
            default: "0.75",
            comment: "sessions that begin per second",
        },
        ParamSpec {
            name: "p",
            default: "0.85",
            comment: "probability of another turn",
        },
        ParamSpec {
            name: "Z",
            default: "5",
            comment: "mean time between turns, s",
        },
    ];
    const OBSERVES: &'static [&'static str] = &["moved", "hit", "response"];
    const GAUGES: &'static [&'static str] = &["waiting", "spread"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    const ESTIMATES: bool = true;
    const ONE_SERVER: &'static [u16] = &[stages::GPU];
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 4.0,
            1 => 4.0,
            2 => 8000.0,
            3 => 16.0,
            4 => 32768.0,
            5 => 0.0001,
            6 => 0.006,
            7 => 50000.0,
            8 => 0.01,
            9 => 0.75,
            10 => 0.85,
            11 => 5.0,
            _ => f64::NAN,
        }
    }

    fn run_defaults(_values: &[f64]) -> RunDefaults {
        RunDefaults {
            horizon: Some(5000.0),
            warmup: Some(500.0),
            seed: None,
            arrivals: None,
        }
    }

    fn new(values: &[f64], settings: &Settings) -> Result<Self, Vec<Refusal>> {
        let p = Params::from_values(values);
        let mut refused = Vec::new();
        check(
            !p.policy.is_nan(),
            "S162",
            "a `let` is not a number",
            33u32,
            &mut refused,
        );
        check(!p.n.is_nan(), "S162", "a `let` is not a number", 34u32, &mut refused);
        check(
            !p.blocks.is_nan(),
            "S162",
            "a `let` is not a number",
            35u32,
            &mut refused,
        );
        check(!p.bs.is_nan(), "S162", "a `let` is not a number", 36u32, &mut refused);
        check(
            !p.max_model_len.is_nan(),
            "S162",
            "a `let` is not a number",
            37u32,
            &mut refused,
        );
        check(!p.a.is_nan(), "S162", "a `let` is not a number", 38u32, &mut refused);
        check(!p.d.is_nan(), "S162", "a `let` is not a number", 39u32, &mut refused);
        check(!p.bw.is_nan(), "S162", "a `let` is not a number", 40u32, &mut refused);
        check(!p.x0.is_nan(), "S162", "a `let` is not a number", 41u32, &mut refused);
        check(
            !p.lambda.is_nan(),
            "S162",
            "a `let` is not a number",
            42u32,
            &mut refused,
        );
        check(!p.p.is_nan(), "S162", "a `let` is not a number", 43u32, &mut refused);
        check(!p.z.is_nan(), "S162", "a `let` is not a number", 44u32, &mut refused);
        check(
            !p.n.is_nan(),
            "S162",
            "a family's size is not a number",
            45u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            45u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            45u32,
            &mut refused,
        );
        check(
            !p.n.is_nan(),
            "S162",
            "a family's size is not a number",
            46u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            46u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            46u32,
            &mut refused,
        );
        check(
            !p.n.is_nan(),
            "S162",
            "a family's size is not a number",
            47u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            47u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            47u32,
            &mut refused,
        );
        check(
            !p.n.is_nan(),
            "S162",
            "a family's size is not a number",
            48u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            48u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            48u32,
            &mut refused,
        );
        check(
            !(p.blocks * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            49u32,
            &mut refused,
        );
        check(
            p.blocks * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            49u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            50u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            50u32,
            &mut refused,
        );
        check(
            !p.bw.is_nan(),
            "S168",
            "the capacity is not a number",
            51u32,
            &mut refused,
        );
        check(
            !p.bw.is_nan(),
            "S168",
            "the capacity is not a number",
            52u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            53u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            53u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            54u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            54u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            55u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
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
            p.n == p.n.floor() && p.n >= 0.0,
            "S175",
            "a choice is among a whole number of at least 0",
            3u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 0.0,
            "S175",
            "a choice is among a whole number of at least 0",
            2u32,
            &mut refused,
        );
        check(
            p.x0 >= 0.0,
            "S163",
            "this work is negative or not a number",
            8u32,
            &mut refused,
        );
        check(
            f64::from(p.policy == 2.0) == 0.0 || f64::from(p.policy == 2.0) == 1.0,
            "S174",
            "this guard is neither 0 nor 1",
            58u32,
            &mut refused,
        );
        check(
            p.z >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            19u32,
            &mut refused,
        );
        check(
            p.bw > 0.0,
            "S111",
            "the capacity of `out` is not above 0, and flows share it",
            59u32,
            &mut refused,
        );
        check(
            p.bw > 0.0,
            "S111",
            "the capacity of `in` is not above 0, and flows share it",
            60u32,
            &mut refused,
        );
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Model {
            k: Kernel::new(settings, Some(Share::Maxmin)),
            kv: (0..p.n as usize)
                .map(|_| Pool::new(p.blocks * p.bs, p.bs, settings))
                .collect(),
            gpu: (0..p.n as usize).map(|_| Fifo::new(1.0, settings)).collect(),
            out: (0..p.n as usize).map(|_| Link::new(p.bw)).collect(),
            in_: (0..p.n as usize).map(|_| Link::new(p.bw)).collect(),
            post: Delay::new(settings),
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
            pools::KV => self.kv.len(),
            _ => 0,
        }
    }

    #[inline]
    fn pool(&self, at: impl AtPool) -> &Pool<Session> {
        let key = at.key();
        &self.kv[key.member as usize]
    }

    #[inline]
    fn pool_mut(&mut self, at: impl AtPool) -> &mut Pool<Session> {
        let key = at.key();
        &mut self.kv[key.member as usize]
    }

    #[inline]
    fn pool_and_kernel(&mut self, at: impl AtPool) -> (&mut Pool<Session>, &mut Kernel) {
        let key = at.key();
        (&mut self.kv[key.member as usize], &mut self.k)
    }

    #[inline]
    fn stage_count(&self, f: usize) -> usize {
        match f as u16 {
            stages::GPU => self.gpu.len(),
            stages::OUT => self.out.len(),
            stages::IN => self.in_.len(),
            stages::POST => 1,
            stages::TOOL => 1,
            _ => 0,
        }
    }

    #[inline]
    fn fifo(&self, at: impl AtStage) -> &Fifo {
        let key = at.key();
        &self.gpu[key.member as usize]
    }

    #[inline]
    fn fifo_mut(&mut self, at: impl AtStage) -> &mut Fifo {
        let key = at.key();
        &mut self.gpu[key.member as usize]
    }

    #[inline]
    fn delay(&self, at: impl AtStage) -> &Delay {
        let key = at.key();
        match key.family {
            stages::POST => &self.post,
            _ => &self.tool,
        }
    }

    #[inline]
    fn delay_mut(&mut self, at: impl AtStage) -> &mut Delay {
        let key = at.key();
        match key.family {
            stages::POST => &mut self.post,
            _ => &mut self.tool,
        }
    }

    #[inline]
    fn link(&self, at: impl AtStage) -> &Link {
        let key = at.key();
        match key.family {
            stages::OUT => &self.out[key.member as usize],
            _ => &self.in_[key.member as usize],
        }
    }

    #[inline]
    fn link_mut(&mut self, at: impl AtStage) -> &mut Link {
        let key = at.key();
        match key.family {
            stages::OUT => &mut self.out[key.member as usize],
            _ => &mut self.in_[key.member as usize],
        }
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
            holds::KV => self.header_kv(s),
            holds::KV_2 => self.header_kv_2(s),
            holds::KV_3 => self.header_kv_3(s),
            _ => Header::default(),
        }
    }

    #[inline]
    fn cache_clause(&mut self, s: Sid, hold: u32) -> f64 {
        match hold {
            holds::KV => self.cache_kv(s),
            holds::KV_2 => self.cache_kv_2(s),
            holds::KV_3 => self.cache_kv_3(s),
            _ => 0.0,
        }
    }

    #[inline]
    fn on_hold<O: OnHold<Self>>(&mut self, hold: u32, op: O) -> O::Out {
        match hold {
            holds::KV => op.run(self, HoldAt::<{ holds::KV }>),
            holds::KV_2 => op.run(self, HoldAt::<{ holds::KV_2 }>),
            _ => op.run(self, HoldAt::<{ holds::KV_3 }>),
        }
    }

    #[inline(always)]
    fn run_body(&mut self, s: Sid, hold: impl AtHold) {
        match hold.stmt() {
            holds::KV => self.holding_kv(s),
            holds::KV_2 => self.holding_kv_2(s),
            _ => self.holding_kv_3(s),
        }
    }

    #[inline]
    fn on_station<O: OnStage<Self>>(&mut self, stage: StageKey, op: O) -> O::Out {
        match stage.family {
            stages::GPU => op.run(self, StageAt::<{ stages::GPU }>(stage.member)),
            stages::POST => op.run(self, StageAt::<{ stages::POST }>(stage.member)),
            _ => op.run(self, StageAt::<{ stages::TOOL }>(stage.member)),
        }
    }

    #[inline]
    fn read_gauges(&mut self, dirty: u64) {
        if dirty & 1 != 0 {
            let mut all_greatest = f64::NEG_INFINITY;
            let mut all_least = f64::INFINITY;
            let mut all_total = 0.0;
            if let Some(kept) = kept(self, 0, Self::kept_0) {
                all_greatest = kept.greatest();
                all_least = kept.least();
                all_total = kept.total();
            } else {
                for its_k in 0..self.params.n as usize {
                    let value = stage_queue(
                        self,
                        StageAt::<{ stages::GPU }>::new(its_k),
                    );
                    if value > all_greatest {
                        all_greatest = value;
                    }
                    if value < all_least {
                        all_least = value;
                    }
                    all_total += value;
                }
            }
            // gauge waiting = sum k in N (queue(gpu[k]));                            routing.sq:103
            let value_1 = all_total;
            // gauge spread = max k in N (queue(gpu[k])) - min k in N (queue(gpu[k])); routing.sq:104
            let value_2 = all_greatest - all_least;
            self.k.set_gauges(0, [value_1, value_2]);
        }
    }
}

/// Pool families, in declaration order.
#[allow(dead_code)]
mod pools {
    /// `kv`
    pub const KV: u16 = 0;
}

/// Stage families, in declaration order.
#[allow(dead_code)]
mod stages {
    /// `gpu`
    pub const GPU: u16 = 0;
    /// `out`
    pub const OUT: u16 = 1;
    /// `in`
    pub const IN: u16 = 2;
    /// `post`
    pub const POST: u16 = 3;
    /// `tool`
    pub const TOOL: u16 = 4;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {
    /// `hold kv[h] (cachedin(kv[h])) {`
    pub const KV: u32 = 0;
    /// `hold kv[j] (max(m, cachedin(kv[j]))) {`
    pub const KV_2: u32 = 1;
    /// `hold kv[j] (prompt + o) reuse (reusable(prompt, bs)) {`
    pub const KV_3: u32 = 2;
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
    /// then 3
    pub const THEN_3: u32 = 6;
    /// otherwise 3
    pub const OTHERWISE_3: u32 = 7;
    /// holding kv
    pub const HOLDING_KV: u32 = 8;
    /// holding kv 2
    pub const HOLDING_KV_2: u32 = 9;
    /// after post
    pub const AFTER_POST: u32 = 10;
    /// after out in
    pub const AFTER_OUT_IN: u32 = 11;
    /// meet
    pub const MEET: u32 = 12;
    /// meet 2
    pub const MEET_2: u32 = 13;
    /// holding kv 3
    pub const HOLDING_KV_3: u32 = 14;
    /// after gpu
    pub const AFTER_GPU: u32 = 15;
    /// then 4
    pub const THEN_4: u32 = 16;
    /// otherwise 4
    pub const OTHERWISE_4: u32 = 17;
    /// after tool
    pub const AFTER_TOOL: u32 = 18;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "routing.sq",
        line: 68,
        col: 50,
        text: "    branch (x0 + gain / Bw < a * gain && free(kv[j]) >= here(h)) {",
    },
    SourceSite {
        file: "routing.sq",
        line: 42,
        col: 31,
        text: "def here(k) = min(cachedin(kv[k]), reusable(prompt, bs));",
    },
    SourceSite {
        file: "routing.sq",
        line: 66,
        col: 17,
        text: "    choose h in N by (-here(h));",
    },
    SourceSite {
        file: "routing.sq",
        line: 64,
        col: 15,
        text: "  choose j in N by (policy == 0 ? -here(j) : policy == 3 ? myopic(j) : policy == 4 ? lookahead(j) : 0, work(gpu[j]));",
    },
    SourceSite {
        file: "routing.sq",
        line: 46,
        col: 26,
        text: "def myopic(k) = work(gpu[k]) + again(k);",
    },
    SourceSite {
        file: "routing.sq",
        line: 47,
        col: 29,
        text: "def lookahead(k) = work(gpu[k]) + price(gpu[k], a * n + d * o, again(k));",
    },
    SourceSite {
        file: "routing.sq",
        line: 47,
        col: 45,
        text: "def lookahead(k) = work(gpu[k]) + price(gpu[k], a * n + d * o, again(k));",
    },
    SourceSite {
        file: "routing.sq",
        line: 64,
        col: 113,
        text: "  choose j in N by (policy == 0 ? -here(j) : policy == 3 ? myopic(j) : policy == 4 ? lookahead(j) : 0, work(gpu[j]));",
    },
    SourceSite {
        file: "routing.sq",
        line: 55,
        col: 17,
        text: "      run post (x0);",
    },
    SourceSite {
        file: "routing.sq",
        line: 55,
        col: 11,
        text: "      run post (x0);",
    },
    SourceSite {
        file: "routing.sq",
        line: 56,
        col: 34,
        text: "      transfer on out[h], in[j] (m) from kv[h] to kv[j] (m);",
    },
    SourceSite {
        file: "routing.sq",
        line: 56,
        col: 7,
        text: "      transfer on out[h], in[j] (m) from kv[h] to kv[j] (m);",
    },
    SourceSite {
        file: "routing.sq",
        line: 56,
        col: 23,
        text: "      transfer on out[h], in[j] (m) from kv[h] to kv[j] (m);",
    },
    SourceSite {
        file: "routing.sq",
        line: 56,
        col: 30,
        text: "      transfer on out[h], in[j] (m) from kv[h] to kv[j] (m);",
    },
    SourceSite {
        file: "routing.sq",
        line: 56,
        col: 58,
        text: "      transfer on out[h], in[j] (m) from kv[h] to kv[j] (m);",
    },
    SourceSite {
        file: "routing.sq",
        line: 56,
        col: 54,
        text: "      transfer on out[h], in[j] (m) from kv[h] to kv[j] (m);",
    },
    SourceSite {
        file: "routing.sq",
        line: 56,
        col: 45,
        text: "      transfer on out[h], in[j] (m) from kv[h] to kv[j] (m);",
    },
    SourceSite {
        file: "routing.sq",
        line: 75,
        col: 17,
        text: "    run gpu[j] (a * (prompt - c) + d * o);",
    },
    SourceSite {
        file: "routing.sq",
        line: 75,
        col: 13,
        text: "    run gpu[j] (a * (prompt - c) + d * o);",
    },
    SourceSite {
        file: "routing.sq",
        line: 98,
        col: 29,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "routing.sq",
        line: 98,
        col: 23,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "routing.sq",
        line: 51,
        col: 11,
        text: "  hold kv[h] (cachedin(kv[h])) {",
    },
    SourceSite {
        file: "routing.sq",
        line: 51,
        col: 27,
        text: "  hold kv[h] (cachedin(kv[h])) {",
    },
    SourceSite {
        file: "routing.sq",
        line: 51,
        col: 15,
        text: "  hold kv[h] (cachedin(kv[h])) {",
    },
    SourceSite {
        file: "routing.sq",
        line: 53,
        col: 13,
        text: "    hold kv[j] (max(m, cachedin(kv[j]))) {",
    },
    SourceSite {
        file: "routing.sq",
        line: 53,
        col: 36,
        text: "    hold kv[j] (max(m, cachedin(kv[j]))) {",
    },
    SourceSite {
        file: "routing.sq",
        line: 53,
        col: 17,
        text: "    hold kv[j] (max(m, cachedin(kv[j]))) {",
    },
    SourceSite {
        file: "routing.sq",
        line: 73,
        col: 11,
        text: "  hold kv[j] (prompt + o) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "routing.sq",
        line: 73,
        col: 15,
        text: "  hold kv[j] (prompt + o) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "routing.sq",
        line: 103,
        col: 39,
        text: "gauge waiting = sum k in N (queue(gpu[k]));",
    },
    SourceSite {
        file: "routing.sq",
        line: 51,
        col: 3,
        text: "  hold kv[h] (cachedin(kv[h])) {",
    },
    SourceSite {
        file: "routing.sq",
        line: 53,
        col: 5,
        text: "    hold kv[j] (max(m, cachedin(kv[j]))) {",
    },
    SourceSite {
        file: "routing.sq",
        line: 73,
        col: 3,
        text: "  hold kv[j] (prompt + o) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "routing.sq",
        line: 20,
        col: 14,
        text: "let policy = 4;     // as above",
    },
    SourceSite {
        file: "routing.sq",
        line: 21,
        col: 9,
        text: "let N = 4;          // replicas",
    },
    SourceSite {
        file: "routing.sq",
        line: 22,
        col: 14,
        text: "let blocks = 8000;  // KV blocks of a replica",
    },
    SourceSite {
        file: "routing.sq",
        line: 23,
        col: 10,
        text: "let bs = 16;        // tokens in a KV block",
    },
    SourceSite {
        file: "routing.sq",
        line: 24,
        col: 21,
        text: "let max_model_len = 32768;  // longest prompt plus output, in tokens",
    },
    SourceSite {
        file: "routing.sq",
        line: 25,
        col: 9,
        text: "let a = 1e-4;       // time to compute a prompt token, s",
    },
    SourceSite {
        file: "routing.sq",
        line: 26,
        col: 9,
        text: "let d = 6e-3;       // time to generate a token, s",
    },
    SourceSite {
        file: "routing.sq",
        line: 27,
        col: 10,
        text: "let Bw = 5e4;       // bandwidth out of and into a replica, tokens/s",
    },
    SourceSite {
        file: "routing.sq",
        line: 28,
        col: 10,
        text: "let x0 = 0.01;      // time to start a copy, s",
    },
    SourceSite {
        file: "routing.sq",
        line: 29,
        col: 14,
        text: "let Lambda = 0.75;  // sessions that begin per second",
    },
    SourceSite {
        file: "routing.sq",
        line: 30,
        col: 9,
        text: "let p = 0.85;       // probability of another turn",
    },
    SourceSite {
        file: "routing.sq",
        line: 31,
        col: 9,
        text: "let Z = 5;          // mean time between turns, s",
    },
    SourceSite {
        file: "routing.sq",
        line: 33,
        col: 9,
        text: "pool kv[N] { cap blocks * bs; block bs; evict lru; }",
    },
    SourceSite {
        file: "routing.sq",
        line: 34,
        col: 11,
        text: "stage gpu[N] : fifo;  // a replica's processor",
    },
    SourceSite {
        file: "routing.sq",
        line: 35,
        col: 11,
        text: "stage out[N] : ps(Bw);",
    },
    SourceSite {
        file: "routing.sq",
        line: 36,
        col: 10,
        text: "stage in[N] : ps(Bw);",
    },
    SourceSite {
        file: "routing.sq",
        line: 33,
        col: 18,
        text: "pool kv[N] { cap blocks * bs; block bs; evict lru; }",
    },
    SourceSite {
        file: "routing.sq",
        line: 33,
        col: 37,
        text: "pool kv[N] { cap blocks * bs; block bs; evict lru; }",
    },
    SourceSite {
        file: "routing.sq",
        line: 35,
        col: 19,
        text: "stage out[N] : ps(Bw);",
    },
    SourceSite {
        file: "routing.sq",
        line: 36,
        col: 18,
        text: "stage in[N] : ps(Bw);",
    },
    SourceSite {
        file: "routing.sq",
        line: 103,
        col: 26,
        text: "gauge waiting = sum k in N (queue(gpu[k]));",
    },
    SourceSite {
        file: "routing.sq",
        line: 104,
        col: 25,
        text: "gauge spread = max k in N (queue(gpu[k])) - min k in N (queue(gpu[k]));  // requests at a replica",
    },
    SourceSite {
        file: "routing.sq",
        line: 104,
        col: 54,
        text: "gauge spread = max k in N (queue(gpu[k])) - min k in N (queue(gpu[k]));  // requests at a replica",
    },
    SourceSite {
        file: "routing.sq",
        line: 85,
        col: 18,
        text: "  arrive poisson(Lambda);",
    },
    SourceSite {
        file: "routing.sq",
        line: 90,
        col: 16,
        text: "    set more = ~bernoulli(p);",
    },
    SourceSite {
        file: "routing.sq",
        line: 65,
        col: 11,
        text: "  branch (policy == 2) {",
    },
    SourceSite {
        file: "routing.sq",
        line: 56,
        col: 19,
        text: "      transfer on out[h], in[j] (m) from kv[h] to kv[j] (m);",
    },
    SourceSite {
        file: "routing.sq",
        line: 56,
        col: 27,
        text: "      transfer on out[h], in[j] (m) from kv[h] to kv[j] (m);",
    },
    SourceSite {
        file: "routing.sq",
        line: 93,
        col: 5,
        text: "    turn;",
    },
    SourceSite {
        file: "routing.sq",
        line: 95,
        col: 7,
        text: "      branch (K + n + o > max_model_len) { end; }",
    },
    SourceSite {
        file: "routing.sq",
        line: 55,
        col: 7,
        text: "      run post (x0);",
    },
    SourceSite {
        file: "routing.sq",
        line: 75,
        col: 5,
        text: "    run gpu[j] (a * (prompt - c) + d * o);",
    },
    SourceSite {
        file: "routing.sq",
        line: 98,
        col: 23,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("routing.sq", r#"// Where to send the next turn: to the replica that has the context, or to the one that is free?
//
// Four replicas answer one request at a time. A turn costs its answer and those tokens of its prompt that the chosen
// replica does not have cached; the context of a session lies where its last turns ran. `policy` chooses:
//   0 affinity     the replica with most of the context, however long its queue
//   1 recompute    the least work ahead; what is missing there is computed again
//   2 migrate      the least work ahead; what is missing is copied from another replica when that is quicker
//   3 myopic       the least time for this turn: work ahead plus recomputing
//   4 lookahead    as 3, plus what recomputing would cost those who come later (`price`)
// A missing context is work that everybody behind it waits for as well. Myopic counts it once, for the turn that
// chooses; the price adds the delay of later arrivals, from the load that the replica has seen.
//
// Look at `response`, `hit` and the replicas' busy time under each policy. As written, queues are short and myopic is
// best. At `Lambda=1` recompute is unstable and lookahead is best; at `Lambda=1.15` myopic has gone the same way.
//
//   for p in 0 1 2 3 4; do serqc run examples/multi-turn/routing.sq --seeds 1..5 --set policy=$p; done
//   serqc run examples/multi-turn/routing.sq --seeds 1..5 --set policy=4 --set Lambda=1.15
use "../../lib/vllm.sq";

let policy = 4;     // as above
let N = 4;          // replicas
let blocks = 8000;  // KV blocks of a replica
let bs = 16;        // tokens in a KV block
let max_model_len = 32768;  // longest prompt plus output, in tokens
let a = 1e-4;       // time to compute a prompt token, s
let d = 6e-3;       // time to generate a token, s
let Bw = 5e4;       // bandwidth out of and into a replica, tokens/s
let x0 = 0.01;      // time to start a copy, s
let Lambda = 0.75;  // sessions that begin per second
let p = 0.85;       // probability of another turn
let Z = 5;          // mean time between turns, s

pool kv[N] { cap blocks * bs; block bs; evict lru; }
stage gpu[N] : fifo;  // a replica's processor
stage out[N] : ps(Bw);
stage in[N] : ps(Bw);
stage post : delay;
stage tool : delay;
share maxmin;

// Of this turn's prompt: what replica k has, and the time to compute what it has not, beyond the turn's own tokens.
def here(k) = min(cachedin(kv[k]), reusable(prompt, bs));
def again(k) = a * max(0, K - here(k));

// What policies 3 and 4 compare, in s.
def myopic(k) = work(gpu[k]) + again(k);
def lookahead(k) = work(gpu[k]) + price(gpu[k], a * n + d * o, again(k));

// Moves the session's context from replica h to replica j, where part of it may be.
def migrate(h, j) {
  hold kv[h] (cachedin(kv[h])) {
    set m = cached;
    hold kv[j] (max(m, cachedin(kv[j]))) {
      set m = max(0, m - cached);
      run post (x0);
      transfer on out[h], in[j] (m) from kv[h] to kv[j] (m);
    } cache (m + cached);
  } cache (0);
}

server {
  set t0 = now;
  set prompt = K + n;
  choose j in N by (policy == 0 ? -here(j) : policy == 3 ? myopic(j) : policy == 4 ? lookahead(j) : 0, work(gpu[j]));
  branch (policy == 2) {
    choose h in N by (-here(h));
    set gain = here(h) - here(j);
    branch (x0 + gain / Bw < a * gain && free(kv[j]) >= here(h)) {
      migrate(h, j);
      observe moved = m;  // tokens copied
    }
  }
  hold kv[j] (prompt + o) reuse (reusable(prompt, bs)) {
    set c = cached;
    run gpu[j] (a * (prompt - c) + d * o);
  } cache (prompt + o);
  branch (K > 0) {
    observe hit = c / prompt;  // share of a later prompt that was cached
  }
  observe response = now - t0;  // s to the last token
}

// Agents: a task with a long context, then short turns on it. An answer is as long as it was asked to be.
workload {
  arrive poisson(Lambda);
  init { set K = 0; }
  turn {
    set n = K == 0 ? floor(~uniform(2000, 6000)) : floor(~exp(300)) + 1;
    set o = floor(~exp(50)) + 1;
    set more = ~bernoulli(p);
  }
  session {
    turn;
    loop {
      branch (K + n + o > max_model_len) { end; }
      request;
      set K = K + n + o;
      branch (more) { tool (~exp(Z)); turn; } else { end; }
    }
  }
}

gauge waiting = sum k in N (queue(gpu[k]));
gauge spread = max k in N (queue(gpu[k])) - min k in N (queue(gpu[k]));  // requests at a replica

run { horizon 5000; warmup 500; }
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
