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
    fn start(&mut self, s: Sid) -> Next {
        // set begin = now;                                                       vllm_replay.sq:54
        self.attrs[s as usize].begin = self.k.now;
        // turn;                                                                  vllm_replay.sq:55
        next_turn(self, s);
        Next::Go(at::AGAIN)
    }

    fn again(&mut self, s: Sid) -> Next {
        // set t0 = now;                                                          vllm_replay.sq:36
        self.attrs[s as usize].t0 = self.k.now;
        // set prompt = K + new;                                                  vllm_replay.sq:37
        self.attrs[s as usize].prompt = self.attrs[s as usize].k
            + self.k.control(s).b.new;
        // branch (K > 0) {                                                       vllm_replay.sq:38
        if self.attrs[s as usize].k > 0.0 {
            // observe hit = min(cachedin(kv), reusable(prompt, bs)) / prompt;        vllm_replay.sq:39
            self.k
                .observe(
                    0,
                    s,
                    cached_in(self, PoolKey::new(pools::KV, 0), s)
                        .min(
                            ((self.attrs[s as usize].prompt - 1.0) / self.params.bs)
                                .floor() * self.params.bs,
                        ) / self.attrs[s as usize].prompt,
                );
        }
        // set length = prompt;                                                   vllm.sq:32
        self.attrs[s as usize].length = self.attrs[s as usize].prompt;
        // set admissions = 0;                                                    vllm.sq:33
        self.attrs[s as usize].admissions = 0.0;
        // hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known) vllm.sq:34
        join(self, s, holds::REQS_KV);
        Next::Wait
    }

    fn holding_reqs_kv(&mut self, s: Sid) -> Next {
        // at admission (known = known_tokens(length), hit = min(cachedin(kv), reusable(known, bs))) { vllm.sq:36
        let known = self
            .attrs[s as usize]
            .length
            .max(self.k.control(s).b.computed + 1.0);
        // set length = known;                                                    vllm.sq:37
        self.attrs[s as usize].length = known;
        // set admissions = admissions + 1;                                       vllm.sq:38
        self.attrs[s as usize].admissions += 1.0;
        // branch (admissions == 1) {                                             vllm.sq:39
        if self.attrs[s as usize].admissions == 1.0 {
            // set admitted = now;                                                    vllm.sq:40
            self.attrs[s as usize].admitted = self.k.now;
            // set found = cached;                                                    vllm.sq:41
            self.attrs[s as usize].found = self.k.control(s).b.cached;
        }
        // run E prefill (length - cached) growing kv;                            vllm.sq:43
        let work = self
            .k
            .work(self.attrs[s as usize].length - self.k.control(s).b.cached, s, 1);
        self.k.control_mut(s).at = at::AFTER_E_PREFILL;
        let stage = StageKey::new(stages::E, 0);
        let pool = PoolKey::new(pools::KV, 0);
        run_on(self, s, stage, Mode::Prefill, work, Some(pool));
        Next::Wait
    }

    fn after_e_prefill(&mut self, s: Sid) -> Next {
        // branch (length == prompt) { set first_token = now; }                   vllm.sq:44
        if self.attrs[s as usize].length == self.attrs[s as usize].prompt {
            // branch (length == prompt) { set first_token = now; }                   vllm.sq:44
            self.attrs[s as usize].first_token = self.k.now;
        }
        // branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; } vllm.sq:46
        if self.attrs[s as usize].length
            < self.attrs[s as usize].prompt + self.k.control(s).b.out - 1.0
        {
            // branch (length < prompt + o - 1) { run E decode (prompt + o - 1 - length) growing kv; } vllm.sq:46
            let work = self
                .k
                .work(
                    self.attrs[s as usize].prompt + self.k.control(s).b.out - 1.0
                        - self.attrs[s as usize].length,
                    s,
                    4,
                );
            self.k.control_mut(s).at = at::AFTER_E_DECODE;
            let stage = StageKey::new(stages::E, 0);
            let pool = PoolKey::new(pools::KV, 0);
            run_on(self, s, stage, Mode::Decode, work, Some(pool));
            Next::Wait
        } else {
            Next::Go(at::MEET)
        }
    }

    fn after_e_decode(&mut self, s: Sid) -> Next {
        Next::Go(at::MEET)
    }

    fn meet(&mut self, s: Sid) -> Next {
        leave(self, s, holds::REQS_KV);
        // observe ttft = first_token - t0;                                       vllm_replay.sq:42
        self.k
            .observe(
                1,
                s,
                self.attrs[s as usize].first_token - self.attrs[s as usize].t0,
            );
        // branch (out > 1) {                                                     vllm_replay.sq:43
        if self.k.control(s).b.out > 1.0 {
            // observe tpot = (now - first_token) / (out - 1);                        vllm_replay.sq:44
            self.k
                .observe(
                    2,
                    s,
                    (self.k.now - self.attrs[s as usize].first_token)
                        / (self.k.control(s).b.out - 1.0),
                );
        }
        // observe response = now - t0;                                           vllm_replay.sq:46
        self.k.observe(3, s, self.k.now - self.attrs[s as usize].t0);
        // set K = prompt + out;                                                  vllm_replay.sq:58
        self.attrs[s as usize].k = self.attrs[s as usize].prompt
            + self.k.control(s).b.out;
        // branch (more) {                                                        vllm_replay.sq:59
        if self.k.control(s).b.more != 0.0 {
            // tool (think);                                                          vllm_replay.sq:60
            let work = self.k.work(self.k.control(s).b.think, s, 5);
            self.k.control_mut(s).at = at::AFTER_TOOL;
            let stage = StageKey::new(stages::TOOL, 0);
            run_on(self, s, stage, Mode::Decode, work, None);
            Next::Wait
        } else {
            // observe session_time = now - begin;                                    vllm_replay.sq:63
            self.k.observe(4, s, self.k.now - self.attrs[s as usize].begin);
            end_session(self, s);
            Next::Wait
        }
    }

    fn after_tool(&mut self, s: Sid) -> Next {
        // turn;                                                                  vllm_replay.sq:61
        next_turn(self, s);
        Next::Go(at::AGAIN)
    }

    /// Runs session `s` from where it is until it waits or ends.
    fn advance(&mut self, s: Sid) {
        while self.k.step(s) {
            let next = match self.k.control(s).at {
                at::START => self.start(s),
                at::AGAIN => self.again(s),
                at::HOLDING_REQS_KV => self.holding_reqs_kv(s),
                at::AFTER_E_PREFILL => self.after_e_prefill(s),
                at::AFTER_E_DECODE => self.after_e_decode(s),
                at::MEET => self.meet(s),
                at::AFTER_TOOL => self.after_tool(s),
                _ => Next::Wait,
            };
            match next {
                Next::Go(at) => self.k.control_mut(s).at = at,
                Next::Wait => return,
            }
        }
    }

    // hold reqs (1), kv (first_units(known, hit, budget_left(E), chunk)) reserve (known) vllm.sq:34
    fn header_reqs_kv(&mut self, s: Sid) -> Header {
        let mut header = Header {
            reuse: ((self
                .attrs[s as usize]
                .length
                .max(self.k.control(s).b.computed + 1.0) - 1.0) / self.params.bs)
                .floor() * self.params.bs,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::REQS, 0);
        let units = 1.0;
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::KV, 0);
        let units = {
            let amount = self
                .attrs[s as usize]
                .length
                .max(self.k.control(s).b.computed + 1.0)
                .min(
                    cached_in(self, PoolKey::new(pools::KV, 0), s)
                        .min(
                            ((self
                                .attrs[s as usize]
                                .length
                                .max(self.k.control(s).b.computed + 1.0) - 1.0)
                                / self.params.bs)
                                .floor() * self.params.bs,
                        )
                        + budget_left(self, StageKey::new(stages::E, 0))
                            .min(f64::INFINITY),
                );
            self.k.units(amount, s, 8)
        };
        let reserve = self
            .k
            .units(
                self.attrs[s as usize].length.max(self.k.control(s).b.computed + 1.0),
                s,
                9,
            );
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
            grows: false,
            lifo: false,
            queue_keys: 0,
            steady_keys: true,
            evict_keys: 0,
            spills: false,
            via: Some((stages::E, true)),
            memory_of: &[],
            dirty: [2, 0, 0],
        },
        PoolSpec {
            name: "kv",
            single: true,
            cached: true,
            grows: true,
            lifo: true,
            queue_keys: 0,
            steady_keys: true,
            evict_keys: 0,
            spills: false,
            via: None,
            memory_of: &[stages::E],
            dirty: [1, 0, 0],
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
        },
    ];
    const HOLDS: &'static [HoldSpec] = &[
        HoldSpec {
            claims: 2,
            caches: true,
            leases: None,
            reuses: true,
            steady: &[(true, false), (false, true)],
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
    const TRACE: TraceSpec = TraceSpec::Text {
        text: "# Sixty sessions of a coding agent, made up: a long first prompt, then mostly short tool results, now and then a file.\n# new: tokens added to the context by a turn; out: tokens generated; think: seconds from an answer to the next turn.\nsession,turn,new,out,think\n0,1,4235,100,4.505\n0,2,369,442,0\n1,1,4971,27,4.584\n1,2,121,187,26.516\n1,3,1516,18,0\n2,1,3964,162,0\n3,1,7679,193,0\n4,1,3488,183,0\n5,1,6814,168,1.091\n5,2,500,60,2.062\n5,3,3460,71,8.141\n5,4,586,39,0.3\n5,5,598,163,14.413\n5,6,380,166,4.781\n5,7,2463,206,3.222\n5,8,2010,320,0\n6,1,3184,518,2.56\n6,2,118,70,1.468\n6,3,2529,42,1.014\n6,4,245,153,10.957\n6,5,211,57,0.61\n6,6,24,330,0\n7,1,7379,92,0\n8,1,7222,550,3.566\n8,2,839,556,2.248\n8,3,220,128,0.729\n8,4,2371,30,0.47\n8,5,327,545,0.382\n8,6,208,191,0\n9,1,3944,350,20.683\n9,2,55,29,0.969\n9,3,90,14,23.783\n9,4,333,14,0\n10,1,8703,346,6.172\n10,2,120,150,2.73\n10,3,641,265,0.884\n10,4,670,50,3.483\n10,5,3841,125,2.523\n10,6,681,241,9.374\n10,7,63,124,1.848\n10,8,2913,10,15.54\n10,9,739,32,3.308\n10,10,899,112,0\n11,1,8913,100,7.534\n11,2,94,34,6.081\n11,3,83,325,31.77\n11,4,338,35,9.042\n11,5,319,498,5.334\n11,6,114,62,0.888\n11,7,140,107,6.22\n11,8,265,167,18.645\n11,9,2544,146,0.247\n11,10,100,10,0.673\n11,11,536,156,2.026\n11,12,633,30,0\n12,1,3800,137,3.768\n12,2,2378,180,0\n13,1,6705,137,22.719\n13,2,316,385,69.029\n13,3,1839,116,1.445\n13,4,464,110,1.102\n13,5,620,514,1.34\n13,6,79,123,0\n14,1,4333,836,9.403\n14,2,309,84,1.159\n14,3,27,155,0.246\n14,4,411,139,10.713\n14,5,1445,29,0.301\n14,6,146,34,6.259\n14,7,139,39,26.134\n14,8,57,20,1.585\n14,9,1134,191,7.186\n14,10,1603,367,1.236\n14,11,1065,66,0\n15,1,3896,636,0.7\n15,2,2986,146,0\n16,1,5216,86,0.921\n16,2,548,154,1.81\n16,3,1668,317,1.908\n16,4,219,137,10.305\n16,5,734,230,1.497\n16,6,42,35,0\n17,1,4337,20,1.399\n17,2,1435,174,0\n18,1,5203,116,8.361\n18,2,2688,60,0\n19,1,3008,83,1.018\n19,2,134,279,4.446\n19,3,373,100,0\n20,1,7335,355,0\n21,1,7887,98,10.655\n21,2,535,195,4.709\n21,3,2980,248,8.75\n21,4,300,334,48.776\n21,5,913,216,0.853\n21,6,77,90,4.717\n21,7,415,187,1.88\n21,8,659,258,0\n22,1,3541,256,4.342\n22,2,127,264,2.824\n22,3,767,24,13.468\n22,4,420,49,1.208\n22,5,492,184,1.846\n22,6,1457,28,0\n23,1,5339,122,0.515\n23,2,1833,698,5.441\n23,3,705,630,0.982\n23,4,1184,52,0.582\n23,5,1240,35,22.77\n23,6,3322,57,21.645\n23,7,21,131,0\n24,1,5817,94,0\n25,1,5771,338,6.723\n25,2,947,71,0\n26,1,7826,24,40.229\n26,2,1994,19,2.719\n26,3,1436,113,3.909\n26,4,243,15,1.477\n26,5,2711,50,6.975\n26,6,401,36,21.618\n26,7,2698,43,1.027\n26,8,556,200,0.882\n26,9,462,32,0.395\n26,10,688,153,1.212\n26,11,243,152,0.68\n26,12,173,92,0\n27,1,6381,96,0\n28,1,3508,134,1.316\n28,2,321,291,0\n29,1,6150,101,7.895\n29,2,845,13,3.29\n29,3,2461,169,1.442\n29,4,4119,358,12.141\n29,5,87,143,7.296\n29,6,436,270,2.205\n29,7,629,57,30.927\n29,8,74,62,3.198\n29,9,49,143,1.428\n29,10,387,11,1.744\n29,11,3051,397,0.869\n29,12,1313,229,0\n30,1,8525,197,0.846\n30,2,204,132,3.368\n30,3,221,11,4.863\n30,4,293,50,0\n31,1,5171,267,7.788\n31,2,102,55,2.936\n31,3,1737,99,9.336\n31,4,41,21,0\n32,1,3927,1090,14.984\n32,2,1118,256,2.93\n32,3,207,82,0.207\n32,4,193,570,8.529\n32,5,196,320,19.161\n32,6,276,93,10.362\n32,7,929,15,4.376\n32,8,36,16,6.517\n32,9,570,421,0.995\n32,10,2939,64,1.151\n32,11,21,263,0\n33,1,3198,324,3.343\n33,2,619,290,47.158\n33,3,294,11,14.036\n33,4,85,58,20.441\n33,5,382,139,0.636\n33,6,439,128,0.638\n33,7,64,23,0.784\n33,8,1803,654,0.557\n33,9,907,58,3.917\n33,10,625,72,0.979\n33,11,140,114,0.871\n33,12,972,47,0\n34,1,7311,57,31.484\n34,2,1661,125,0\n35,1,3330,387,0.329\n35,2,723,48,1.997\n35,3,389,278,0.216\n35,4,514,87,1.239\n35,5,3610,17,6.332\n35,6,703,104,2.626\n35,7,32,133,1.511\n35,8,456,40,2.846\n35,9,146,809,1.553\n35,10,567,397,0.246\n35,11,668,196,1.498\n35,12,2354,40,0\n36,1,5987,121,0.237\n36,2,429,443,2.633\n36,3,300,38,2.041\n36,4,1672,131,90.187\n36,5,74,525,0\n37,1,8213,98,0\n38,1,4312,194,29.259\n38,2,107,125,0.307\n38,3,1755,90,9.025\n38,4,105,397,32.888\n38,5,176,98,4.926\n38,6,438,76,1.433\n38,7,300,45,10.896\n38,8,256,183,50.28\n38,9,224,22,0\n39,1,7131,138,2.73\n39,2,548,280,0.339\n39,3,209,552,5.064\n39,4,3475,313,10.206\n39,5,1275,455,4.082\n39,6,1601,87,0.632\n39,7,1982,314,1.944\n39,8,1850,64,1.161\n39,9,100,41,0\n40,1,4382,292,3.855\n40,2,801,619,2.042\n40,3,925,62,5.055\n40,4,205,94,0.595\n40,5,53,57,8.124\n40,6,310,76,56.063\n40,7,4891,247,0.826\n40,8,412,107,0.322\n40,9,399,18,2.293\n40,10,316,147,1.096\n40,11,202,327,0.236\n40,12,511,117,0\n41,1,5209,102,0.229\n41,2,350,87,1.666\n41,3,3483,61,6.125\n41,4,228,58,3.973\n41,5,340,519,0.756\n41,6,302,194,0\n42,1,5459,187,37.212\n42,2,329,94,0\n43,1,8370,118,0\n44,1,3317,33,69.816\n44,2,1958,19,0\n45,1,7286,652,6.798\n45,2,1633,137,6.077\n45,3,110,41,10.328\n45,4,387,95,68.673\n45,5,4263,148,2.091\n45,6,30,571,0\n46,1,6207,185,6.242\n46,2,30,30,15.573\n46,3,31,17,2.712\n46,4,553,22,1.329\n46,5,704,409,5.258\n46,6,5832,30,0.497\n46,7,772,310,4.558\n46,8,155,28,0\n47,1,5614,83,1.28\n47,2,1574,266,0\n48,1,6900,353,0.279\n48,2,249,276,3.249\n48,3,117,366,4.484\n48,4,20,50,9.727\n48,5,289,131,0\n49,1,5844,577,2.357\n49,2,695,511,0.653\n49,3,3683,131,25.596\n49,4,178,27,0\n50,1,6458,404,0.777\n50,2,945,135,5.585\n50,3,267,146,3.696\n50,4,191,81,4.83\n50,5,561,43,3.912\n50,6,73,121,11.793\n50,7,163,228,0\n51,1,5028,241,0\n52,1,4550,63,137.087\n52,2,449,49,0\n53,1,5436,112,2.74\n53,2,112,98,0\n54,1,8680,55,13.782\n54,2,138,251,0.894\n54,3,3311,169,4.877\n54,4,442,388,2.391\n54,5,100,33,0.952\n54,6,920,59,3.318\n54,7,777,128,5.089\n54,8,452,381,0\n55,1,7012,439,0\n56,1,8867,284,23.309\n56,2,361,150,0\n57,1,6030,142,7.59\n57,2,481,99,0.526\n57,3,2158,20,1.476\n57,4,236,108,1.285\n57,5,121,253,23.721\n57,6,666,99,0\n58,1,8196,48,3.389\n58,2,83,207,44.65\n58,3,2242,266,3.984\n58,4,632,57,3.107\n58,5,3203,128,45.1\n58,6,444,79,2.641\n58,7,929,39,1.416\n58,8,352,80,0\n59,1,7771,12,7.779\n59,2,135,29,0.865\n59,3,190,39,0\n",
        ordered: true,
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
    fn pool(&self, key: PoolKey) -> &Pool<Session> {
        match key.family {
            pools::REQS => &self.reqs,
            _ => &self.kv,
        }
    }

    #[inline]
    fn pool_mut(&mut self, key: PoolKey) -> &mut Pool<Session> {
        match key.family {
            pools::REQS => &mut self.reqs,
            _ => &mut self.kv,
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
    fn delay(&self, key: StageKey) -> &Delay {
        &self.tool
    }

    #[inline]
    fn delay_mut(&mut self, key: StageKey) -> &mut Delay {
        &mut self.tool
    }

    #[inline]
    fn engine(&self, key: StageKey) -> &Engine {
        &self.e
    }

    #[inline]
    fn engine_mut(&mut self, key: StageKey) -> &mut Engine {
        &mut self.e
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

    #[inline]
    fn header(&mut self, s: Sid, hold: u32) -> Header {
        match hold {
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
    fn budget(&mut self, stage: StageKey, totals: &Totals) -> f64 {
        match stage.family {
            stages::E => self.budget_e(stage.member as usize, totals),
            _ => f64::INFINITY,
        }
    }

    #[inline]
    fn cost(&mut self, stage: StageKey, it: &Iteration) -> f64 {
        match stage.family {
            stages::E => self.cost_e(stage.member as usize, it),
            _ => 0.0,
        }
    }

    fn read_gauges(&mut self, dirty: u64) {
        // gauge kv_usage = used(kv) / (used(kv) + free(kv));                     vllm_replay.sq:70
        if dirty & 1 != 0 {
            let value = self.kv.used / (self.kv.used + self.kv.free());
            self.k.set_gauge(0, value);
        }
        // gauge running = used(reqs);                                            vllm_replay.sq:71
        if dirty & 2 != 0 {
            let value = self.reqs.used;
            self.k.set_gauge(1, value);
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
    serq_runtime::cli::main::<Model>()
}
