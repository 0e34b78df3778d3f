//! shared_prompts: a serQ program as native code.
//!
//! Emitted by serqc from shared_prompts.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let policy = 2;`: as above
    pub policy: f64,
    /// `let alike = 1;`: 0: nobody begins as another
    pub alike: f64,
    /// `let N = 4;`: pods
    pub n: f64,
    /// `let B = 4096;`: tokens that may be scheduled in one iteration
    pub b: f64,
    /// `let max_seqs = 64;`: running requests of a pod at most
    pub max_seqs: f64,
    /// `let blocks = 6000;`: KV blocks of a pod
    pub blocks: f64,
    /// `let bs = 16;`: tokens in a KV block
    pub bs: f64,
    /// `let a = 8e-5;`: compute time of a scheduled token, s
    pub a: f64,
    /// `let omega = 1e-2;`: time to read the weights once, s
    pub omega: f64,
    /// `let beta = 4e-8;`: time to read the KV of one resident token, s
    pub beta: f64,
    /// `let kinds = 12;`: kinds of agents
    pub kinds: f64,
    /// `let usual = 1000;`: tokens to compute of one that waits, as far as the router knows
    pub usual: f64,
    /// `let rules = 400;`: tokens of the rules that all have
    pub rules: f64,
    /// `let Lambda = 2.5;`: agents that begin per second
    pub lambda: f64,
    /// `let p = 0.75;`: probability of another turn
    pub p: f64,
    /// `let Z = 5;`: mean time of a tool, s
    pub z: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            policy: values[0],
            alike: values[1],
            n: values[2],
            b: values[3],
            max_seqs: values[4],
            blocks: values[5],
            bs: values[6],
            a: values[7],
            omega: values[8],
            beta: values[9],
            kinds: values[10],
            usual: values[11],
            rules: values[12],
            lambda: values[13],
            p: values[14],
            z: values[15],
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
    /// `stage tool : delay;`
    pub tool: Delay,
}

/// A session's attributes.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// `K`
    pub k: f64,
    /// `u`
    pub u: f64,
    /// `kind`
    pub kind: f64,
    /// `tools`
    pub tools: f64,
    /// `own`
    pub own: f64,
    /// `said`
    pub said: f64,
    /// `listed`
    pub listed: f64,
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
    fn start_session(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set K = 0;                                                             shared_prompts.sq:70
        attrs.k = 0.0;
        // set u = ~uniform(0, 1);                                                shared_prompts.sq:71
        attrs.u = self.k.turn_rng().uniform(0.0, 1.0);
        // set kind = floor(kinds * u * u);                                       shared_prompts.sq:72
        attrs.kind = (self.params.kinds * attrs.u * attrs.u).floor();
        // set tools = floor(~uniform(0, 3));                                     shared_prompts.sq:73
        attrs.tools = self.k.turn_rng().uniform(0.0, 3.0).floor();
        // set own = alike ? 0 : 1000 * (serial + 1);                             shared_prompts.sq:74
        attrs.own = if self.params.alike != 0.0 {
            0.0
        } else {
            1000.0 * (self.k.control(s).b.serial + 1.0)
        };
        // set said = 800 + 100 * kind;                                           shared_prompts.sq:75
        attrs.said = 800.0 + 100.0 * attrs.kind;
        // set listed = 600 * (1 + tools);                                        shared_prompts.sq:76
        attrs.listed = 600.0 * (1.0 + attrs.tools);
        // prefix(own, rules);                                                    shared_prompts.sq:77
        {
            let (key, tokens) = (attrs.own, self.params.rules);
            add_segment(self, s, key, tokens, 19);
        }
        // prefix(own + 1 + kind, said);                                          shared_prompts.sq:78
        {
            let attrs = &self.attrs[s as usize];
            let (key, tokens) = (attrs.own + 1.0 + attrs.kind, attrs.said);
            add_segment(self, s, key, tokens, 20);
        }
        // prefix(own + 1 + kind * 3 + tools, listed);                            shared_prompts.sq:79
        {
            let attrs = &self.attrs[s as usize];
            let (key, tokens) = (
                attrs.own + 1.0 + attrs.kind * 3.0 + attrs.tools,
                attrs.listed,
            );
            add_segment(self, s, key, tokens, 21);
        }
    }

    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set n = K == 0 ? rules + said + listed + floor(~exp(200)) + 1 : floor(~exp(300)) + 1; shared_prompts.sq:82
        attrs.n = if attrs.k == 0.0 {
            self.params.rules + attrs.said + attrs.listed
                + self.k.turn_rng().exp(200.0).floor() + 1.0
        } else {
            self.k.turn_rng().exp(300.0).floor() + 1.0
        };
        // set o = floor(~exp(80)) + 1;                                           shared_prompts.sq:83
        attrs.o = self.k.turn_rng().exp(80.0).floor() + 1.0;
        // set more = ~bernoulli(p);                                              shared_prompts.sq:84
        attrs.more = self.k.turn_rng().bernoulli(self.params.p) != 0.0;
    }

    #[inline(never)]
    fn start(&mut self, s: Sid) {
        // turn;                                                                  shared_prompts.sq:87
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    #[inline(never)]
    fn again(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set t0 = now;                                                          shared_prompts.sq:52
        attrs.t0 = self.k.now;
        // set prompt = K + n;                                                    shared_prompts.sq:53
        attrs.prompt = attrs.k + attrs.n;
        // choose j in N by (policy == 1 ? -here(j) : policy == 2 ? ahead(j) + prompt - here(j) : 0, holders... shared_prompts.sq:54
        {
            let count = self.params.n as usize;
            let (mut best, mut least) = (0, [0.0; 2]);
            for j in 0..count {
                let keys = [
                    if self.params.policy == 1.0 {
                        -cached_in(self, PoolAt::<{ pools::KV }>::new(j), s)
                            .min(
                                ((self.attrs[s as usize].prompt - 1.0) / self.params.bs)
                                    .floor() * self.params.bs,
                            )
                    } else {
                        if self.params.policy == 2.0 {
                            stage_work(self, StageAt::<{ stages::E }>::new(j))
                                + self.params.usual * self.reqs[j].queued()
                                + self.attrs[s as usize].prompt
                                - cached_in(self, PoolAt::<{ pools::KV }>::new(j), s)
                                    .min(
                                        ((self.attrs[s as usize].prompt - 1.0) / self.params.bs)
                                            .floor() * self.params.bs,
                                    )
                        } else {
                            0.0
                        }
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
        let stage = StageAt::<{ stages::E }>::new(attrs.j);
        let pool = PoolAt::<{ pools::KV }>::new(attrs.j);
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
            let work = self.k.work(attrs.prompt + attrs.o - 1.0 - attrs.length, s, 9);
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
        let attrs = &mut self.attrs[s as usize];
        // branch (K == 0) {                                                      shared_prompts.sq:56
        if attrs.k == 0.0 {
            // observe found = found;                                                 shared_prompts.sq:57
            self.k.observe(0, s, attrs.found);
            // observe ttft = first_token - t0;                                       shared_prompts.sq:58
            self.k.observe(1, s, attrs.first_token - attrs.t0);
        } else {
            // observe later_ttft = first_token - t0;                                 shared_prompts.sq:60
            self.k.observe(2, s, attrs.first_token - attrs.t0);
        }
        // observe computed_share = 1 - found / prompt;                           shared_prompts.sq:62
        self.k.observe(3, s, 1.0 - attrs.found / attrs.prompt);
        // observe response = now - t0;                                           shared_prompts.sq:63
        self.k.observe(4, s, self.k.now - attrs.t0);
        // set K = prompt + o;                                                    shared_prompts.sq:90
        attrs.k = attrs.prompt + attrs.o;
        // branch (more) { tool (~exp(Z)); turn; } else { end; }                  shared_prompts.sq:91
        if attrs.more {
            // branch (more) { tool (~exp(Z)); turn; } else { end; }                  shared_prompts.sq:91
            let work = {
                let amount = self.k.session_rng(s).exp(self.params.z);
                self.k.work(amount, s, 10)
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
        // branch (more) { tool (~exp(Z)); turn; } else { end; }                  shared_prompts.sq:91
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
            self.k.units(amount, s, 13)
        };
        let reserve = self.k.units(known, s, 14);
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (prompt + o);                                                  vllm.sq:47
    #[inline]
    fn cache_reqs_kv(&mut self, s: Sid) -> f64 {
        let attrs = &self.attrs[s as usize];
        attrs.prompt + attrs.o
    }

    // budget B;                                                              shared_prompts.sq:41
    #[inline]
    fn budget_e(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);         shared_prompts.sq:42
    #[inline]
    fn cost_e(&mut self, member: usize, it: &Iteration) -> f64 {
        (self.params.omega + self.params.beta * (it.kv_decode + it.kv_prefill))
            .max(it.tokens * self.params.a)
    }

    #[inline]
    fn kept_0(&self, member: usize) -> [f64; 1] {
        // gauge spread = max k in N (used(reqs[k])) - min k in N (used(reqs[k])); shared_prompts.sq:96
        [self.reqs[member].used]
    }

    #[inline]
    fn kept_1(&self, member: usize) -> [f64; 1] {
        // gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N; shared_prompts.sq:97
        [self.kv[member].used / (self.kv[member].used + self.kv[member].free())]
    }
}

#[allow(unused_variables, clippy::manual_clamp)]
impl World for Model {
    const NAME: &'static str = "shared_prompts";
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
            dirty: [1, 0, 0],
            kept: [1, 0, 0, 0],
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
            dirty: [2, 0, 0],
            kept: [2, 0, 0, 0],
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
            plannable: false,
            cost_site: 22,
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
            of: KeptOf::Pool(pools::REQS),
            keys: 1,
            least: true,
            greatest: true,
            total: false,
        },
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
            site: 23,
        },
    ];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 52),
        (at::AGAIN, 53),
        (at::HOLDING_REQS_KV, 23),
        (at::AFTER_E_PREFILL, 54),
        (at::AFTER_E_DECODE, 55),
        (at::MEET, 23),
        (at::AFTER_TOOL, 56),
    ];
    const ARRIVE_SITE: u32 = 49;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "policy",
            default: "2",
            comment: "as above",
        },
        ParamSpec {
            name: "alike",
            default: "1",
            comment: "0: nobody begins as another",
        },
        ParamSpec {
            name: "N",
            default: "4",
            comment: "pods",
        },
        ParamSpec {
            name: "B",
            default: "4096",
            comment: "tokens that may be scheduled in one iteration",
        },
        ParamSpec {
            name: "max_seqs",
            default: "64",
            comment: "running requests of a pod at most",
        },
        ParamSpec {
            name: "blocks",
            default: "6000",
            comment: "KV blocks of a pod",
        },
        ParamSpec {
            name: "bs",
            default: "16",
            comment: "tokens in a KV block",
        },
        ParamSpec {
            name: "a",
            default: "8e-5",
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
        ParamSpec {
            name: "kinds",
            default: "12",
            comment: "kinds of agents",
        },
        ParamSpec {
            name: "usual",
            default: "1000",
            comment: "tokens to compute of one that waits, as far as the router knows",
        },
        ParamSpec {
            name: "rules",
            default: "400",
            comment: "tokens of the rules that all have",
        },
        ParamSpec {
            name: "Lambda",
            default: "2.5",
            comment: "agents that begin per second",
        },
        ParamSpec {
            name: "p",
            default: "0.75",
            comment: "probability of another turn",
        },
        ParamSpec {
            name: "Z",
            default: "5",
            comment: "mean time of a tool, s",
        },
    ];
    const OBSERVES: &'static [&'static str] = &[
        "found",
        "ttft",
        "later_ttft",
        "computed_share",
        "response",
    ];
    const GAUGES: &'static [&'static str] = &["spread", "kv_usage"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    const SHARED: &'static [u16] = &[1];
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 2.0,
            1 => 1.0,
            2 => 4.0,
            3 => 4096.0,
            4 => 64.0,
            5 => 6000.0,
            6 => 16.0,
            7 => 8e-5,
            8 => 0.01,
            9 => 4e-8,
            10 => 12.0,
            11 => 1000.0,
            12 => 400.0,
            13 => 2.5,
            14 => 0.75,
            15 => 5.0,
            _ => f64::NAN,
        }
    }

    fn run_defaults(_values: &[f64]) -> RunDefaults {
        RunDefaults {
            horizon: Some(2000.0),
            warmup: Some(200.0),
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
            24u32,
            &mut refused,
        );
        check(!p.alike.is_nan(), "S162", "a `let` is not a number", 25u32, &mut refused);
        check(!p.n.is_nan(), "S162", "a `let` is not a number", 26u32, &mut refused);
        check(!p.b.is_nan(), "S162", "a `let` is not a number", 27u32, &mut refused);
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a `let` is not a number",
            28u32,
            &mut refused,
        );
        check(
            !p.blocks.is_nan(),
            "S162",
            "a `let` is not a number",
            29u32,
            &mut refused,
        );
        check(!p.bs.is_nan(), "S162", "a `let` is not a number", 30u32, &mut refused);
        check(!p.a.is_nan(), "S162", "a `let` is not a number", 31u32, &mut refused);
        check(!p.omega.is_nan(), "S162", "a `let` is not a number", 32u32, &mut refused);
        check(!p.beta.is_nan(), "S162", "a `let` is not a number", 33u32, &mut refused);
        check(!p.kinds.is_nan(), "S162", "a `let` is not a number", 34u32, &mut refused);
        check(!p.usual.is_nan(), "S162", "a `let` is not a number", 35u32, &mut refused);
        check(!p.rules.is_nan(), "S162", "a `let` is not a number", 36u32, &mut refused);
        check(
            !p.lambda.is_nan(),
            "S162",
            "a `let` is not a number",
            37u32,
            &mut refused,
        );
        check(!p.p.is_nan(), "S162", "a `let` is not a number", 38u32, &mut refused);
        check(!p.z.is_nan(), "S162", "a `let` is not a number", 39u32, &mut refused);
        check(
            !p.n.is_nan(),
            "S162",
            "a family's size is not a number",
            40u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            40u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            40u32,
            &mut refused,
        );
        check(
            !p.n.is_nan(),
            "S162",
            "a family's size is not a number",
            41u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            41u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            41u32,
            &mut refused,
        );
        check(
            !p.n.is_nan(),
            "S162",
            "a family's size is not a number",
            42u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            42u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            42u32,
            &mut refused,
        );
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            43u32,
            &mut refused,
        );
        check(
            p.max_seqs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            43u32,
            &mut refused,
        );
        check(
            !(p.blocks * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            44u32,
            &mut refused,
        );
        check(
            p.blocks * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            44u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            45u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            45u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            46u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            46u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            47u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            47u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && p.n >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            48u32,
            &mut refused,
        );
        check(
            p.n <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            48u32,
            &mut refused,
        );
        check(
            !p.lambda.is_nan(),
            "S162",
            "an arrival rate is not a number",
            49u32,
            &mut refused,
        );
        check(
            p.lambda > 0.0 && p.lambda < f64::INFINITY,
            "S185",
            "the arrival rate is not a finite number above 0",
            49u32,
            &mut refused,
        );
        check(
            p.rules >= 0.0,
            "S163",
            "this tokens is negative or not a number",
            19u32,
            &mut refused,
        );
        check(
            p.p >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            50u32,
            &mut refused,
        );
        check(
            p.p <= 1.0,
            "S176",
            "nothing can be drawn with these numbers",
            50u32,
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
            51u32,
            &mut refused,
        );
        check(
            p.z >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            10u32,
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
        let mut all_greatest = f64::NEG_INFINITY;
        let mut all_least = f64::INFINITY;
        if let Some(kept) = kept(self, 0, Self::kept_0) {
            all_greatest = kept.greatest();
            all_least = kept.least();
        } else {
            for its_k in 0..self.reqs.len() {
                let value = self.reqs[its_k].used;
                if value > all_greatest {
                    all_greatest = value;
                }
                if value < all_least {
                    all_least = value;
                }
            }
        }
        // gauge spread = max k in N (used(reqs[k])) - min k in N (used(reqs[k])); shared_prompts.sq:96
        let value = all_greatest - all_least;
        self.k.set_gauge(0, value);
    }

    #[inline]
    fn read_gauges_1(&mut self) {
        let mut all_total = 0.0;
        if let Some(kept) = kept(self, 1, Self::kept_1) {
            all_total = kept.total();
        } else {
            for its_k in 0..self.kv.len() {
                let value = self.kv[its_k].used
                    / (self.kv[its_k].used + self.kv[its_k].free());
                all_total += value;
            }
        }
        // gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N; shared_prompts.sq:97
        let value = all_total / self.params.n;
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
        file: "shared_prompts.sq",
        line: 54,
        col: 15,
        text: "  choose j in N by (policy == 1 ? -here(j) : policy == 2 ? ahead(j) + prompt - here(j) : 0, holders(reqs[j]) + queued(reqs[j]));",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 48,
        col: 31,
        text: "def here(k) = min(cachedin(kv[k]), reusable(prompt, bs));",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 49,
        col: 23,
        text: "def ahead(k) = work(E[k]) + usual * queued(reqs[k]);",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 49,
        col: 49,
        text: "def ahead(k) = work(E[k]) + usual * queued(reqs[k]);",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 54,
        col: 106,
        text: "  choose j in N by (policy == 1 ? -here(j) : policy == 2 ? ahead(j) + prompt - here(j) : 0, holders(reqs[j]) + queued(reqs[j]));",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 54,
        col: 124,
        text: "  choose j in N by (policy == 1 ? -here(j) : policy == 2 ? ahead(j) + prompt - here(j) : 0, holders(reqs[j]) + queued(reqs[j]));",
    },
    SourceSite {
        file: "vllm.sq",
        line: 43,
        col: 20,
        text: "    run E prefill (length - cached) growing kv;",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 55,
        col: 18,
        text: "  vllm_request(E[j], reqs[j], kv[j], bs, inf, prompt, o);",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 55,
        col: 34,
        text: "  vllm_request(E[j], reqs[j], kv[j], bs, inf, prompt, o);",
    },
    SourceSite {
        file: "vllm.sq",
        line: 46,
        col: 54,
        text: "    branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 91,
        col: 29,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 91,
        col: 23,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 55,
        col: 27,
        text: "  vllm_request(E[j], reqs[j], kv[j], bs, inf, prompt, o);",
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
        file: "shared_prompts.sq",
        line: 96,
        col: 38,
        text: "gauge spread = max k in N (used(reqs[k])) - min k in N (used(reqs[k]));  // requests of a pod",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 97,
        col: 38,
        text: "gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N;",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 97,
        col: 53,
        text: "gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N;",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 97,
        col: 67,
        text: "gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N;",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 77,
        col: 17,
        text: "    prefix(own, rules);",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 78,
        col: 28,
        text: "    prefix(own + 1 + kind, said);",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 79,
        col: 40,
        text: "    prefix(own + 1 + kind * 3 + tools, listed);",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 42,
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
        file: "shared_prompts.sq",
        line: 20,
        col: 14,
        text: "let policy = 2;     // as above",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 21,
        col: 13,
        text: "let alike = 1;      // 0: nobody begins as another",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 22,
        col: 9,
        text: "let N = 4;          // pods",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 23,
        col: 9,
        text: "let B = 4096;       // tokens that may be scheduled in one iteration",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 24,
        col: 16,
        text: "let max_seqs = 64;  // running requests of a pod at most",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 25,
        col: 14,
        text: "let blocks = 6000;  // KV blocks of a pod",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 26,
        col: 10,
        text: "let bs = 16;        // tokens in a KV block",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 27,
        col: 9,
        text: "let a = 8e-5;       // compute time of a scheduled token, s",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 28,
        col: 13,
        text: "let omega = 1e-2;   // time to read the weights once, s",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 29,
        col: 12,
        text: "let beta = 4e-8;    // time to read the KV of one resident token, s",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 30,
        col: 13,
        text: "let kinds = 12;     // kinds of agents",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 31,
        col: 13,
        text: "let usual = 1000;   // tokens to compute of one that waits, as far as the router knows",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 32,
        col: 13,
        text: "let rules = 400;    // tokens of the rules that all have",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 33,
        col: 14,
        text: "let Lambda = 2.5;   // agents that begin per second",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 34,
        col: 9,
        text: "let p = 0.75;       // probability of another turn",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 35,
        col: 9,
        text: "let Z = 5;          // mean time of a tool, s",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 37,
        col: 11,
        text: "pool reqs[N] { cap max_seqs; admit via E; }",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 38,
        col: 9,
        text: "pool kv[N] { cap blocks * bs; block bs; evict lru; preempt lifo; prefix shared; }",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 40,
        col: 9,
        text: "stage E[N] : step {",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 37,
        col: 20,
        text: "pool reqs[N] { cap max_seqs; admit via E; }",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 38,
        col: 18,
        text: "pool kv[N] { cap blocks * bs; block bs; evict lru; preempt lifo; prefix shared; }",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 38,
        col: 37,
        text: "pool kv[N] { cap blocks * bs; block bs; evict lru; preempt lifo; prefix shared; }",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 96,
        col: 25,
        text: "gauge spread = max k in N (used(reqs[k])) - min k in N (used(reqs[k]));  // requests of a pod",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 96,
        col: 54,
        text: "gauge spread = max k in N (used(reqs[k])) - min k in N (used(reqs[k]));  // requests of a pod",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 97,
        col: 27,
        text: "gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N;",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 67,
        col: 18,
        text: "  arrive poisson(Lambda);",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 84,
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
        file: "shared_prompts.sq",
        line: 87,
        col: 5,
        text: "    turn;",
    },
    SourceSite {
        file: "shared_prompts.sq",
        line: 52,
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
        file: "shared_prompts.sq",
        line: 91,
        col: 23,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("shared_prompts.sq", r#"// Agents that begin alike, on several vLLM pods: what it saves that a pod knows blocks by their content.
//
// Every agent says the same rules of the house, then the system prompt of its kind, then the list of its tools, and
// only then what its user wants. With `prefix shared` a pod computes what is alike once: an agent finds what any other
// left there, even while that one still runs. Whether it does find it is up to the router. `policy` chooses the pod:
//   0 loaded   the fewest requests, whatever is cached where
//   1 cached   the longest cached prefix, however many requests are there
//   2 both     the fewest tokens to compute first: of those that are there, and of this prompt
// With `alike=0` no two agents say the same key, so that each finds its own earlier turns and no more.
//
// Look at `found`, the tokens of an agent's first prompt that others had computed, at `computed_share` and `ttft`, and at
// `spread`, the difference between the fullest and the emptiest pod. `cached` sends nearly everybody to the pod that had
// the rules of the house first, which does not keep up. `both` computes less than `loaded` and waits less than either;
// with `alike=0` it computes five times as much.
//
//   for p in 0 1 2; do serqc run examples/multi-turn/shared_prompts.sq --seeds 1..5 --set policy=$p; done
//   serqc run examples/multi-turn/shared_prompts.sq --seeds 1..5 --set alike=0
use "../../lib/vllm.sq";

let policy = 2;     // as above
let alike = 1;      // 0: nobody begins as another
let N = 4;          // pods
let B = 4096;       // tokens that may be scheduled in one iteration
let max_seqs = 64;  // running requests of a pod at most
let blocks = 6000;  // KV blocks of a pod
let bs = 16;        // tokens in a KV block
let a = 8e-5;       // compute time of a scheduled token, s
let omega = 1e-2;   // time to read the weights once, s
let beta = 4e-8;    // time to read the KV of one resident token, s
let kinds = 12;     // kinds of agents
let usual = 1000;   // tokens to compute of one that waits, as far as the router knows
let rules = 400;    // tokens of the rules that all have
let Lambda = 2.5;   // agents that begin per second
let p = 0.75;       // probability of another turn
let Z = 5;          // mean time of a tool, s

pool reqs[N] { cap max_seqs; admit via E; }
pool kv[N] { cap blocks * bs; block bs; evict lru; preempt lifo; prefix shared; }

stage E[N] : step {
  budget B;
  cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);  // memory bound or compute bound
  memory kv;
}
stage tool : delay;

// Tokens of this prompt that pod k would find, and those of others that come before it.
def here(k) = min(cachedin(kv[k]), reusable(prompt, bs));
def ahead(k) = work(E[k]) + usual * queued(reqs[k]);

server {
  set t0 = now;
  set prompt = K + n;
  choose j in N by (policy == 1 ? -here(j) : policy == 2 ? ahead(j) + prompt - here(j) : 0, holders(reqs[j]) + queued(reqs[j]));
  vllm_request(E[j], reqs[j], kv[j], bs, inf, prompt, o);
  branch (K == 0) {
    observe found = found;            // tokens of a first prompt that others had computed
    observe ttft = first_token - t0;  // s to the first token of an agent
  } else {
    observe later_ttft = first_token - t0;  // and of its later turns
  }
  observe computed_share = 1 - found / prompt;  // share of a prompt that was computed
  observe response = now - t0;  // s to the last token
}

workload {
  arrive poisson(Lambda);
  hidden o;
  init {
    set K = 0;
    set u = ~uniform(0, 1);
    set kind = floor(kinds * u * u);    // the first kinds are the most frequent
    set tools = floor(~uniform(0, 3));  // and each kind comes with one of three lists
    set own = alike ? 0 : 1000 * (serial + 1);
    set said = 800 + 100 * kind;
    set listed = 600 * (1 + tools);
    prefix(own, rules);
    prefix(own + 1 + kind, said);
    prefix(own + 1 + kind * 3 + tools, listed);
  }
  turn {
    set n = K == 0 ? rules + said + listed + floor(~exp(200)) + 1 : floor(~exp(300)) + 1;
    set o = floor(~exp(80)) + 1;
    set more = ~bernoulli(p);
  }
  session {
    turn;
    loop {
      request;
      set K = prompt + o;
      branch (more) { tool (~exp(Z)); turn; } else { end; }
    }
  }
}

gauge spread = max k in N (used(reqs[k])) - min k in N (used(reqs[k]));  // requests of a pod
gauge kv_usage = sum k in N (used(kv[k]) / (used(kv[k]) + free(kv[k]))) / N;

run { horizon 2000; warmup 200; }
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
