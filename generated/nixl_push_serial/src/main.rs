//! nixl_push_serial: a serQ program as native code.
//!
//! Emitted by serqc from nixl_push_serial.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let NP = 2;`: prefill pods
    pub np: f64,
    /// `let ND = 2;`: decode pods
    pub nd: f64,
    /// `let B = 8192;`: tokens an engine may schedule in one iteration
    pub b: f64,
    /// `let max_seqsP = 16;`: running requests at most, prefill pod
    pub max_seqs_p: f64,
    /// `let max_seqsD = 64;`: running requests at most, decode pod
    pub max_seqs_d: f64,
    /// `let blocksP = 10000;`: KV blocks of a prefill pod
    pub blocks_p: f64,
    /// `let blocksD = 10000;`: KV blocks of a decode pod
    pub blocks_d: f64,
    /// `let bs = 16;`: tokens in a KV block
    pub bs: f64,
    /// `let max_model_len = 16384;`: longest prompt plus output, in tokens; every KV pool has room for one such request
    pub max_model_len: f64,
    /// `let a = 2e-5;`: compute time of a scheduled token, s
    pub a: f64,
    /// `let omega = 2e-4;`: time to read the weights once, s
    pub omega: f64,
    /// `let beta = 2e-9;`: time to read the KV of one resident token, s
    pub beta: f64,
    /// `let BwP = 2e5;`: bandwidth out of a prefill pod, tokens/s
    pub bw_p: f64,
    /// `let BwD = 2e5;`: bandwidth into a decode pod, tokens/s
    pub bw_d: f64,
    /// `let x0 = 0.002;`: time to post a write and notice its end, s
    pub x0: f64,
    /// `let x_reg = 0.001;`: time for a decode pod's block ids to reach the prefill pod, s
    pub x_reg: f64,
    /// `let thr = 512;`: uncached prompt tokens from which a prefill is remote (1: always, 1e18: never)
    pub thr: f64,
    /// `let Lambda = 0.6;`: arriving sessions per second
    pub lambda: f64,
    /// `let p = 0.9;`: probability of another turn
    pub p: f64,
    /// `let Z = 3.0;`: mean time of a tool call between turns, s
    pub z: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            np: values[0],
            nd: values[1],
            b: values[2],
            max_seqs_p: values[3],
            max_seqs_d: values[4],
            blocks_p: values[5],
            blocks_d: values[6],
            bs: values[7],
            max_model_len: values[8],
            a: values[9],
            omega: values[10],
            beta: values[11],
            bw_p: values[12],
            bw_d: values[13],
            x0: values[14],
            x_reg: values[15],
            thr: values[16],
            lambda: values[17],
            p: values[18],
            z: values[19],
        }
    }
}

// queue egress[NP] : link { serve ps(BwP) latency x0; }                  nixl_push_serial.sq:39
/// One member of `egress`.
pub struct Egress {
    /// `queue egress[NP] : link { serve ps(BwP) latency x0; }`
    pub serve: Link,
    /// `queue egress[NP] : link { serve ps(BwP) latency x0; }`
    pub latency: Delay,
}

// queue ingress[ND] : link { serve ps(BwD); }                            nixl_push_serial.sq:40
/// One member of `ingress`.
pub struct Ingress {
    /// `queue ingress[ND] : link { serve ps(BwD); }`
    pub serve: Link,
}

// queue P[NP] : prefill {                                                nixl_push_serial.sq:69
/// One member of `P`.
pub struct P {
    /// `pool reqs { cap max_seqsP; admit via P; }`
    pub reqs: Pool<Session>,
    /// `pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; }`
    pub kv: Pool<Session>,
    /// `serve step {`
    pub serve: Engine,
}

// queue D[ND] : decode {                                                 nixl_push_serial.sq:88
/// One member of `D`.
pub struct D {
    /// `pool reqs { cap max_seqsD; queue by (D.parked, D.place); admit via D; }`
    pub reqs: Pool<Session>,
    /// `pool kv { cap blocksD * bs; block bs; evict lru; preempt lifo; admit via D; }`
    pub kv: Pool<Session>,
    /// `serve step {`
    pub serve: Engine,
}

/// The whole deployment and its sessions.
pub struct Model {
    /// The clock, the sessions, what is pending.
    pub k: Kernel,
    /// The settings.
    pub params: Params,
    /// Attributes, by session slot.
    pub attrs: Vec<Session>,
    /// `queue egress[NP] : link { serve ps(BwP) latency x0; }`
    pub egress: Vec<Egress>,
    /// `queue ingress[ND] : link { serve ps(BwD); }`
    pub ingress: Vec<Ingress>,
    /// `queue P[NP] : prefill {`
    pub p: Vec<P>,
    /// `queue D[ND] : decode {`
    pub d: Vec<D>,
    /// `stage register : delay;`
    pub register: Delay,
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
    /// `remote`
    pub remote: bool,
    /// `i`
    pub i: usize,
    /// `t1`
    pub t1: f64,
    /// `D.length`
    pub d_length: f64,
    /// `D.first_token`
    pub d_first_token: f64,
    /// `D.written_once`
    pub d_written_once: f64,
    /// `D.c`
    pub d_c: f64,
    /// `D.parked`
    pub d_parked: f64,
    /// `D.place`
    pub d_place: f64,
    /// `D.notified`
    pub d_notified: f64,
    /// `D.written`
    pub d_written: f64,
    /// `D.known`
    pub d_known: f64,
}

#[allow(unused_variables, clippy::manual_clamp)]
impl Model {
    /// What a session brings when it is created.
    fn start_session(&mut self, s: Sid) {
        // init { set K = 0; }                                                    nixl_push_serial.sq:147
        self.attrs[s as usize].k = 0.0;
    }

    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set n = K == 0 ? ~uniform(1000, 3000) : ~exp(500);                     nixl_push_serial.sq:149
        attrs.n = if attrs.k == 0.0 {
            self.k.turn_rng().uniform(1000.0, 3000.0)
        } else {
            self.k.turn_rng().exp(500.0)
        };
        // set o = ~exp(200) + 1;                                                 nixl_push_serial.sq:150
        attrs.o = self.k.turn_rng().exp(200.0) + 1.0;
        // set more = ~bernoulli(p);                                              nixl_push_serial.sq:151
        attrs.more = self.k.turn_rng().bernoulli(self.params.p) != 0.0;
    }

    #[inline(never)]
    fn start(&mut self, s: Sid) {
        // turn;                                                                  nixl_push_serial.sq:154
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    #[inline(never)]
    fn again(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (K + n >= max_model_len) { end; }                               nixl_push_serial.sq:156
        if attrs.k + attrs.n >= self.params.max_model_len {
            end_session(self, s);
        } else {
            // set t0 = now;                                                          nixl_push_serial.sq:46
            attrs.t0 = self.k.now;
            // set prompt = K + n;                                                    nixl_push_serial.sq:47
            attrs.prompt = attrs.k + attrs.n;
            // set o = min(o, max_model_len - prompt);                                nixl_push_serial.sq:48
            attrs.o = attrs.o.min(self.params.max_model_len - attrs.prompt);
            // choose j in ND by (holders(D[j].kv) + queued(D[j].kv));                nixl_push_serial.sq:49
            {
                let best = if let Some(best) = kept_choice(self, 0, Self::kept_0) {
                    best
                } else {
                    let count = self.ingress.len();
                    let (mut best, mut least) = (0, [0.0; 1]);
                    for j in 0..count {
                        let keys = [self.d[j].kv.holders() + self.d[j].kv.queued()];
                        if j == 0 || less(&keys, &least) {
                            (best, least) = (j, keys);
                        }
                    }
                    best
                };
                self.attrs[s as usize].j = best;
            }
            // set remote = prompt - min(cachedin(D[j].kv), reusable(prompt, bs)) >= thr; nixl_push_serial.sq:50
            self.attrs[s as usize].remote = self.attrs[s as usize].prompt
                - cached_in(
                        self,
                        PoolAt::<{ pools::D_KV }>::new(self.attrs[s as usize].j),
                        s,
                    )
                    .min(
                        ((self.attrs[s as usize].prompt - 1.0) / self.params.bs).floor()
                            * self.params.bs,
                    ) >= self.params.thr;
            let attrs = &mut self.attrs[s as usize];
            // branch (remote) {                                                      nixl_push_serial.sq:51
            if attrs.remote {
                // choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs)); nixl_push_serial.sq:52
                {
                    let best = if let Some(best) = kept_choice_for(
                        self,
                        1,
                        s,
                        Self::kept_1,
                        Self::keys_1,
                    ) {
                        best
                    } else {
                        let count = self.egress.len();
                        let (mut best, mut least) = (0, [0.0; 2]);
                        for i in 0..count {
                            let keys = [
                                if cached_in(self, PoolAt::<{ pools::P_KV }>::new(i), s)
                                    > 0.0
                                {
                                    0.0
                                } else {
                                    1.0
                                },
                                stage_work(self, StageAt::<{ stages::P }>::new(i))
                                    + self.p[i].reqs.queued(),
                            ];
                            if i == 0 || less(&keys, &least) {
                                (best, least) = (i, keys);
                            }
                        }
                        best
                    };
                    self.attrs[s as usize].i = best;
                }
                // hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt) nixl_push_serial.sq:78
                join(self, s, HoldAt::<{ holds::P_REQS_P_KV }>);
            } else {
                // set length = prompt;                                                   nixl_push_serial.sq:99
                attrs.d_length = attrs.prompt;
                // hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1) nixl_push_serial.sq:100
                join(self, s, HoldAt::<{ holds::D_KV_D_REQS_2 }>);
            }
        }
    }

    #[inline(never)]
    fn holding_p_reqs_p_kv(&mut self, s: Sid) {
        // set c = cached;                                                        nixl_push_serial.sq:80
        let p_c = self.k.control(s).b.cached;
        let attrs = &self.attrs[s as usize];
        // prefill (prompt - c) growing kv;                                       nixl_push_serial.sq:81
        let work = self.k.work(attrs.prompt - p_c, s, 8);
        self.k.control_mut(s).at = at::AFTER_P_PREFILL;
        let stage = StageAt::<{ stages::P }>::new(attrs.i);
        let pool = PoolAt::<{ pools::P_KV }>::new(attrs.i);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_p_prefill(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::P_REQS_P_KV }>);
        let attrs = &mut self.attrs[s as usize];
        // set t1 = now;                                                          nixl_push_serial.sq:54
        attrs.t1 = self.k.now;
        // set length = prompt;                                                   nixl_push_serial.sq:114
        attrs.d_length = attrs.prompt;
        // set written_once = 0;                                                  nixl_push_serial.sq:115
        attrs.d_written_once = 0.0;
        // hold kv (D.written_once ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), ... nixl_push_serial.sq:116
        join(self, s, HoldAt::<{ holds::D_KV_D_REQS }>);
    }

    #[inline(never)]
    fn holding_d_kv_d_reqs(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // at admission (known = known_tokens(D.length),                          nixl_push_serial.sq:118
        attrs.d_known = attrs.d_length.max(self.k.control(s).b.computed + 1.0);
        // set length = known;                                                    nixl_push_serial.sq:120
        attrs.d_length = attrs.d_known;
        // set c = cached;                                                        nixl_push_serial.sq:121
        attrs.d_c = self.k.control(s).b.cached;
        // branch (!written_once) {                                               nixl_push_serial.sq:122
        if !(attrs.d_written_once != 0.0) {
            // set parked = now;                                                      nixl_push_serial.sq:123
            attrs.d_parked = self.k.now;
            // set place = holders(kv);                                               nixl_push_serial.sq:124
            attrs.d_place = self.d[attrs.j].kv.holders();
            // run register (x_reg);                                                  nixl_push_serial.sq:125
            let work = self.k.work(self.params.x_reg, s, 11);
            self.k.control_mut(s).at = at::AFTER_REGISTER;
            let stage = StageAt::<{ stages::REGISTER }>::new(0);
            run_on(self, s, stage, Mode::Decode, work);
        } else {
            go_on(self, s, at::MEET, Self::meet);
        }
    }

    #[inline(never)]
    fn after_register(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // mark notified;                                                         nixl_push_serial.sq:126
        attrs.d_notified = self.k.now;
        // transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c); nixl_push_serial.sq:127
        let work = self.k.work(self.params.x0, s, 14);
        self.k.control_mut(s).at = at::AFTER_EGRESS_LATENCY;
        let stage = StageAt::<{ stages::EGRESS_LATENCY }>::new(attrs.i);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_egress_latency(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c); nixl_push_serial.sq:127
        let work = self.k.work(attrs.prompt - attrs.d_c, s, 16);
        self.k.control_mut(s).at = at::AFTER_EGRESS_INGRESS;
        let stages = [
            StageKey::new(stages::EGRESS, attrs.i),
            StageKey::new(stages::INGRESS, attrs.j),
        ];
        run_flow(self, s, &stages, work, 17);
    }

    #[inline(never)]
    fn after_egress_ingress(&mut self, s: Sid) {
        // transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c); nixl_push_serial.sq:127
        {
            let attrs = &self.attrs[s as usize];
            let amount = self.k.units(attrs.prompt - 1.0 - attrs.d_c, s, 19);
            let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
            load(self, s, pool, amount, 19);
        }
        // transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c); nixl_push_serial.sq:127
        {
            let pool = PoolAt::<{ pools::P_KV }>::new(self.attrs[s as usize].i);
            release(self, s, pool);
        }
        let attrs = &mut self.attrs[s as usize];
        // mark written;                                                          nixl_push_serial.sq:128
        attrs.d_written = self.k.now;
        // set written_once = 1;                                                  nixl_push_serial.sq:129
        attrs.d_written_once = 1.0;
        // set c = prompt - 1;                                                    nixl_push_serial.sq:130
        attrs.d_c = attrs.prompt - 1.0;
        go_on(self, s, at::MEET, Self::meet);
    }

    #[inline]
    fn meet(&mut self, s: Sid) {
        // hold reqs (1) {                                                        nixl_push_serial.sq:132
        join(self, s, HoldAt::<{ holds::D_REQS }>);
    }

    #[inline(never)]
    fn holding_d_reqs(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // prefill (length - c) growing kv;                                       nixl_push_serial.sq:133
        let work = self.k.work(attrs.d_length - attrs.d_c, s, 22);
        self.k.control_mut(s).at = at::AFTER_D_PREFILL;
        let stage = StageAt::<{ stages::D }>::new(attrs.j);
        let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_d_prefill(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (length == prompt) { mark first_token; }                        nixl_push_serial.sq:134
        if attrs.d_length == attrs.prompt {
            // branch (length == prompt) { mark first_token; }                        nixl_push_serial.sq:134
            attrs.d_first_token = self.k.now;
        }
        // branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; } nixl_push_serial.sq:135
        if attrs.d_length < attrs.prompt + attrs.o - 1.0 {
            // branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; } nixl_push_serial.sq:135
            let work = self.k.work(attrs.prompt + attrs.o - 1.0 - attrs.d_length, s, 25);
            self.k.control_mut(s).at = at::AFTER_D_DECODE;
            let stage = StageAt::<{ stages::D }>::new(attrs.j);
            let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
            run_growing(self, s, stage, Mode::Decode, work, pool);
        } else {
            go_on(self, s, at::MEET_2, Self::meet_2);
        }
    }

    #[inline(never)]
    fn after_d_decode(&mut self, s: Sid) {
        go_on(self, s, at::MEET_2, Self::meet_2);
    }

    #[inline(never)]
    fn meet_2(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::D_REQS }>);
        leave(self, s, HoldAt::<{ holds::D_KV_D_REQS }>);
        let attrs = &self.attrs[s as usize];
        // observe lease = D.written - t1;                                        nixl_push_serial.sq:56
        self.k.observe(0, s, attrs.d_written - attrs.t1);
        // observe copy = D.written - D.notified;                                 nixl_push_serial.sq:57
        self.k.observe(1, s, attrs.d_written - attrs.d_notified);
        go_on(self, s, at::MEET_4, Self::meet_4);
    }

    #[inline(never)]
    fn holding_d_kv_d_reqs_2(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // at admission (known = known_tokens(D.length),                          nixl_push_serial.sq:102
        attrs.d_known = attrs.d_length.max(self.k.control(s).b.computed + 1.0);
        // set length = known;                                                    nixl_push_serial.sq:104
        attrs.d_length = attrs.d_known;
        // prefill (length - cached) growing kv;                                  nixl_push_serial.sq:105
        let work = self.k.work(attrs.d_length - self.k.control(s).b.cached, s, 28);
        self.k.control_mut(s).at = at::AFTER_D_PREFILL_2;
        let stage = StageAt::<{ stages::D }>::new(attrs.j);
        let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_d_prefill_2(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (length == prompt) { mark first_token; }                        nixl_push_serial.sq:106
        if attrs.d_length == attrs.prompt {
            // branch (length == prompt) { mark first_token; }                        nixl_push_serial.sq:106
            attrs.d_first_token = self.k.now;
        }
        // branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; } nixl_push_serial.sq:107
        if attrs.d_length < attrs.prompt + attrs.o - 1.0 {
            // branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; } nixl_push_serial.sq:107
            let work = self.k.work(attrs.prompt + attrs.o - 1.0 - attrs.d_length, s, 31);
            self.k.control_mut(s).at = at::AFTER_D_DECODE_2;
            let stage = StageAt::<{ stages::D }>::new(attrs.j);
            let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
            run_growing(self, s, stage, Mode::Decode, work, pool);
        } else {
            go_on(self, s, at::MEET_3, Self::meet_3);
        }
    }

    #[inline(never)]
    fn after_d_decode_2(&mut self, s: Sid) {
        go_on(self, s, at::MEET_3, Self::meet_3);
    }

    #[inline(never)]
    fn meet_3(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::D_KV_D_REQS_2 }>);
        go_on(self, s, at::MEET_4, Self::meet_4);
    }

    #[inline(never)]
    fn meet_4(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // observe ttft = D.first_token - t0;                                     nixl_push_serial.sq:61
        self.k.observe(2, s, attrs.d_first_token - attrs.t0);
        // observe remote = remote;                                               nixl_push_serial.sq:62
        self.k.observe(3, s, f64::from(attrs.remote));
        // observe response = now - t0;                                           nixl_push_serial.sq:63
        self.k.observe(4, s, self.k.now - attrs.t0);
        // set K = prompt + o;                                                    nixl_push_serial.sq:158
        attrs.k = attrs.prompt + attrs.o;
        // branch (more) { tool (~exp(Z)); turn; } else { end; }                  nixl_push_serial.sq:159
        if attrs.more {
            // branch (more) { tool (~exp(Z)); turn; } else { end; }                  nixl_push_serial.sq:159
            let work = {
                let amount = self.k.session_rng(s).exp(self.params.z);
                self.k.work(amount, s, 34)
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
        // branch (more) { tool (~exp(Z)); turn; } else { end; }                  nixl_push_serial.sq:159
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    /// Runs session `s` from where it waited until it waits again or ends.
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::HOLDING_P_REQS_P_KV => self.holding_p_reqs_p_kv(s),
            at::AFTER_P_PREFILL => self.after_p_prefill(s),
            at::HOLDING_D_KV_D_REQS => self.holding_d_kv_d_reqs(s),
            at::AFTER_REGISTER => self.after_register(s),
            at::AFTER_EGRESS_LATENCY => self.after_egress_latency(s),
            at::AFTER_EGRESS_INGRESS => self.after_egress_ingress(s),
            at::HOLDING_D_REQS => self.holding_d_reqs(s),
            at::AFTER_D_PREFILL => self.after_d_prefill(s),
            at::AFTER_D_DECODE => self.after_d_decode(s),
            at::HOLDING_D_KV_D_REQS_2 => self.holding_d_kv_d_reqs_2(s),
            at::AFTER_D_PREFILL_2 => self.after_d_prefill_2(s),
            at::AFTER_D_DECODE_2 => self.after_d_decode_2(s),
            at::AFTER_TOOL => self.after_tool(s),
            _ => {}
        }
    }

    // hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt) nixl_push_serial.sq:78
    #[inline(always)]
    fn header_p_reqs_p_kv<const JOINS: bool>(&mut self, s: Sid) -> Header {
        let Session { i, prompt, .. } = self.attrs[s as usize];
        let mut header = Header {
            reuse: f64::INFINITY,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::P_REQS, i);
        let units = 1.0;
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::P_KV, i);
        let units = if JOINS
            && ((prompt - 1.0) / self.params.bs).floor() * self.params.bs >= 0.0
            && prompt >= 0.0
        {
            0.0
        } else {
            let amount = prompt
                .min(
                    cached_in(self, PoolAt::<{ pools::P_KV }>::new(i), s)
                        .min(((prompt - 1.0) / self.params.bs).floor() * self.params.bs)
                        + budget_left(self, StageAt::<{ stages::P }>::new(i))
                            .min(f64::INFINITY),
                );
            self.k.units(amount, s, 40)
        };
        let reserve = self.k.units(prompt, s, 41);
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // P[i].prefill (prompt);                                                 nixl_push_serial.sq:53
    #[inline]
    fn cache_p_reqs_p_kv(&mut self, s: Sid) -> f64 {
        self.attrs[s as usize].prompt
    }

    // } cache (prompt) lease kv (inf);                                       nixl_push_serial.sq:82
    #[inline]
    fn lease_p_reqs_p_kv(&mut self, s: Sid) -> f64 {
        f64::INFINITY
    }

    // hold kv (D.written_once ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), ... nixl_push_serial.sq:116
    #[inline(always)]
    fn header_d_kv_d_reqs(&mut self, s: Sid) -> Header {
        let Session { d_length, j, d_written_once, .. } = self.attrs[s as usize];
        let d_known = d_length.max(self.k.control(s).b.computed + 1.0);
        let part = ((d_known - 1.0) / self.params.bs).floor() * self.params.bs;
        let mut header = Header {
            reuse: part,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::D_KV, j);
        let units = {
            let amount = if d_written_once != 0.0 {
                d_known
                    .min(
                        cached_in(self, PoolAt::<{ pools::D_KV }>::new(j), s).min(part)
                            + budget_left(self, StageAt::<{ stages::D }>::new(j))
                                .min(f64::INFINITY),
                    )
            } else {
                d_known
            };
            self.k.units(amount, s, 45)
        };
        let reserve = self.k.units(d_known, s, 46);
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::D_REQS, j);
        let units = 0.0;
        let reserve = 1.0;
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (prompt + o);                                                  nixl_push_serial.sq:137
    #[inline]
    fn cache_d_kv_d_reqs(&mut self, s: Sid) -> f64 {
        let attrs = &self.attrs[s as usize];
        attrs.prompt + attrs.o
    }

    // hold reqs (1) {                                                        nixl_push_serial.sq:132
    #[inline(always)]
    fn header_d_reqs(&mut self, s: Sid) -> Header {
        let mut header = Header {
            reuse: f64::INFINITY,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::D_REQS, self.attrs[s as usize].j);
        let units = 1.0;
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        header
    }

    // hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1) nixl_push_serial.sq:100
    #[inline(always)]
    fn header_d_kv_d_reqs_2<const JOINS: bool>(&mut self, s: Sid) -> Header {
        let Session { d_length, j, .. } = self.attrs[s as usize];
        let d_known = d_length.max(self.k.control(s).b.computed + 1.0);
        let part = ((d_known - 1.0) / self.params.bs).floor() * self.params.bs;
        let mut header = Header {
            reuse: part,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::D_KV, j);
        let units = if JOINS && part >= 0.0 && d_known >= 0.0 {
            0.0
        } else {
            let amount = d_known
                .min(
                    cached_in(self, PoolAt::<{ pools::D_KV }>::new(j), s).min(part)
                        + budget_left(self, StageAt::<{ stages::D }>::new(j))
                            .min(f64::INFINITY),
                );
            self.k.units(amount, s, 40)
        };
        let reserve = self.k.units(d_known, s, 46);
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::D_REQS, j);
        let units = 1.0;
        let reserve = units;
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (prompt + o);                                                  nixl_push_serial.sq:108
    #[inline]
    fn cache_d_kv_d_reqs_2(&mut self, s: Sid) -> f64 {
        let attrs = &self.attrs[s as usize];
        attrs.prompt + attrs.o
    }

    // budget B;                                                              nixl_push_serial.sq:73
    #[inline]
    fn budget_p(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);         nixl_push_serial.sq:74
    #[inline]
    fn cost_p(&mut self, member: usize, it: &Iteration) -> f64 {
        (self.params.omega + self.params.beta * (it.kv_decode + it.kv_prefill))
            .max(it.tokens * self.params.a)
    }

    // budget B;                                                              nixl_push_serial.sq:92
    #[inline]
    fn budget_d(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);         nixl_push_serial.sq:93
    #[inline]
    fn cost_d(&mut self, member: usize, it: &Iteration) -> f64 {
        (self.params.omega + self.params.beta * (it.kv_decode + it.kv_prefill))
            .max(it.tokens * self.params.a)
    }

    // pool reqs { cap max_seqsD; queue by (D.parked, D.place); admit via D; } nixl_push_serial.sq:89
    fn queue_keys_d_reqs(&mut self, member: usize, s: Sid, waited: f64) -> Keys {
        let attrs = &self.attrs[s as usize];
        keys([attrs.d_parked, attrs.d_place])
    }

    #[inline]
    fn kept_0(&self, member: usize) -> [f64; 1] {
        // choose j in ND by (holders(D[j].kv) + queued(D[j].kv));                nixl_push_serial.sq:49
        [self.d[member].kv.holders() + self.d[member].kv.queued()]
    }

    #[inline]
    fn kept_1(&self, member: usize) -> [f64; 2] {
        // choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs)); nixl_push_serial.sq:52
        [
            1.0,
            stage_work(self, StageAt::<{ stages::P }>::new(member))
                + self.p[member].reqs.queued(),
        ]
    }

    #[inline]
    fn keys_1(&mut self, member: usize, s: Sid) -> [f64; 2] {
        // choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs)); nixl_push_serial.sq:52
        [
            if cached_in(self, PoolAt::<{ pools::P_KV }>::new(member), s) > 0.0 {
                0.0
            } else {
                1.0
            },
            stage_work(self, StageAt::<{ stages::P }>::new(member))
                + self.p[member].reqs.queued(),
        ]
    }

    #[inline]
    fn kept_2(&self, member: usize) -> [f64; 1] {
        // gauge leased = sum k in NP (used(P[k].kv));                            nixl_push_serial.sq:164
        [self.p[member].kv.used]
    }

    #[inline]
    fn kept_3(&self, member: usize) -> [f64; 1] {
        // gauge out_spread = max k in NP (queue(egress[k])) - min k in NP (queue(egress[k])); nixl_push_serial.sq:165
        [stage_queue(self, StageAt::<{ stages::EGRESS }>::new(member))]
    }
}

#[allow(unused_variables, clippy::manual_clamp)]
impl World for Model {
    const NAME: &'static str = "nixl_push_serial";
    const POOLS: &'static [PoolSpec] = &[
        PoolSpec {
            name: "P.reqs",
            single: false,
            cached: true,
            blocks: false,
            grows: false,
            lifo: false,
            queue_keys: 0,
            steady_keys: true,
            evict_keys: 0,
            spills: false,
            via: Some((stages::P, false)),
            memory_of: &[],
            dirty: [0, 0, 0],
            kept: [0, 0, 2, 0],
        },
        PoolSpec {
            name: "P.kv",
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
            memory_of: &[stages::P],
            dirty: [1, 0, 0],
            kept: [4, 0, 0, 2],
        },
        PoolSpec {
            name: "D.reqs",
            single: false,
            cached: true,
            blocks: false,
            grows: false,
            lifo: false,
            queue_keys: 2,
            steady_keys: true,
            evict_keys: 0,
            spills: false,
            via: Some((stages::D, false)),
            memory_of: &[],
            dirty: [0, 0, 0],
            kept: [0, 0, 0, 0],
        },
        PoolSpec {
            name: "D.kv",
            single: false,
            cached: true,
            blocks: true,
            grows: true,
            lifo: true,
            queue_keys: 0,
            steady_keys: true,
            evict_keys: 0,
            spills: false,
            via: Some((stages::D, false)),
            memory_of: &[stages::D],
            dirty: [0, 0, 0],
            kept: [0, 1, 1, 0],
        },
    ];
    const STAGES: &'static [StageSpec] = &[
        StageSpec {
            name: "egress",
            single: false,
            kind: StageType::Link,
            exclusive: false,
            only: false,
            serve_keys: 0,
            memory: None,
            serves: &[],
            plannable: false,
            cost_site: 0,
            dirty: 2,
            kept: 8,
        },
        StageSpec {
            name: "egress.latency",
            single: false,
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
            name: "ingress",
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
            name: "register",
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
            name: "P",
            single: false,
            kind: StageType::Step,
            exclusive: false,
            only: false,
            serve_keys: 0,
            memory: Some((pools::P_KV, false)),
            serves: &[pools::P_REQS],
            plannable: false,
            cost_site: 55,
            dirty: 0,
            kept: 2,
        },
        StageSpec {
            name: "D",
            single: false,
            kind: StageType::Step,
            exclusive: false,
            only: false,
            serve_keys: 0,
            memory: Some((pools::D_KV, false)),
            serves: &[pools::D_REQS, pools::D_KV],
            plannable: true,
            cost_site: 56,
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
            of: KeptOf::Pool(pools::D_KV),
            keys: 1,
            least: true,
            greatest: false,
            total: false,
        },
        KeptSpec {
            of: KeptOf::Pool(pools::P_KV),
            keys: 2,
            least: true,
            greatest: false,
            total: false,
        },
        KeptSpec {
            of: KeptOf::Pool(pools::P_KV),
            keys: 1,
            least: false,
            greatest: false,
            total: true,
        },
        KeptSpec {
            of: KeptOf::Stage(stages::EGRESS),
            keys: 1,
            least: true,
            greatest: true,
            total: false,
        },
    ];
    const HOLDS: &'static [HoldSpec] = &[
        HoldSpec {
            claims: 2,
            pools: &[pools::P_REQS, pools::P_KV],
            caches: true,
            plain_cache: true,
            leases: Some(1),
            reuses: false,
            steady: &[(true, false), (false, true)],
            checked: &[true, false],
            body: at::HOLDING_P_REQS_P_KV,
            site: 57,
        },
        HoldSpec {
            claims: 2,
            pools: &[pools::D_KV, pools::D_REQS],
            caches: true,
            plain_cache: true,
            leases: None,
            reuses: true,
            steady: &[(false, true), (true, true)],
            checked: &[false, true],
            body: at::HOLDING_D_KV_D_REQS,
            site: 58,
        },
        HoldSpec {
            claims: 1,
            pools: &[pools::D_REQS],
            caches: false,
            plain_cache: false,
            leases: None,
            reuses: false,
            steady: &[(true, false)],
            checked: &[true],
            body: at::HOLDING_D_REQS,
            site: 59,
        },
        HoldSpec {
            claims: 2,
            pools: &[pools::D_KV, pools::D_REQS],
            caches: true,
            plain_cache: true,
            leases: None,
            reuses: true,
            steady: &[(false, true), (true, false)],
            checked: &[false, true],
            body: at::HOLDING_D_KV_D_REQS_2,
            site: 60,
        },
    ];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 105),
        (at::AGAIN, 106),
        (at::HOLDING_P_REQS_P_KV, 57),
        (at::AFTER_P_PREFILL, 107),
        (at::HOLDING_D_KV_D_REQS, 58),
        (at::AFTER_REGISTER, 108),
        (at::AFTER_EGRESS_LATENCY, 17),
        (at::AFTER_EGRESS_INGRESS, 17),
        (at::MEET, 59),
        (at::HOLDING_D_REQS, 59),
        (at::AFTER_D_PREFILL, 109),
        (at::AFTER_D_DECODE, 110),
        (at::MEET_2, 59),
        (at::HOLDING_D_KV_D_REQS_2, 60),
        (at::AFTER_D_PREFILL_2, 111),
        (at::AFTER_D_DECODE_2, 112),
        (at::MEET_3, 60),
        (at::MEET_4, 113),
        (at::AFTER_TOOL, 114),
    ];
    const ARRIVE_SITE: u32 = 96;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "NP",
            default: "2",
            comment: "prefill pods",
        },
        ParamSpec {
            name: "ND",
            default: "2",
            comment: "decode pods",
        },
        ParamSpec {
            name: "B",
            default: "8192",
            comment: "tokens an engine may schedule in one iteration",
        },
        ParamSpec {
            name: "max_seqsP",
            default: "16",
            comment: "running requests at most, prefill pod",
        },
        ParamSpec {
            name: "max_seqsD",
            default: "64",
            comment: "running requests at most, decode pod",
        },
        ParamSpec {
            name: "blocksP",
            default: "10000",
            comment: "KV blocks of a prefill pod",
        },
        ParamSpec {
            name: "blocksD",
            default: "10000",
            comment: "KV blocks of a decode pod",
        },
        ParamSpec {
            name: "bs",
            default: "16",
            comment: "tokens in a KV block",
        },
        ParamSpec {
            name: "max_model_len",
            default: "16384",
            comment: "longest prompt plus output, in tokens; every KV pool has room for one such request",
        },
        ParamSpec {
            name: "a",
            default: "2e-5",
            comment: "compute time of a scheduled token, s",
        },
        ParamSpec {
            name: "omega",
            default: "2e-4",
            comment: "time to read the weights once, s",
        },
        ParamSpec {
            name: "beta",
            default: "2e-9",
            comment: "time to read the KV of one resident token, s",
        },
        ParamSpec {
            name: "BwP",
            default: "2e5",
            comment: "bandwidth out of a prefill pod, tokens/s",
        },
        ParamSpec {
            name: "BwD",
            default: "2e5",
            comment: "bandwidth into a decode pod, tokens/s",
        },
        ParamSpec {
            name: "x0",
            default: "0.002",
            comment: "time to post a write and notice its end, s",
        },
        ParamSpec {
            name: "x_reg",
            default: "0.001",
            comment: "time for a decode pod's block ids to reach the prefill pod, s",
        },
        ParamSpec {
            name: "thr",
            default: "512",
            comment: "uncached prompt tokens from which a prefill is remote (1: always, 1e18: never)",
        },
        ParamSpec {
            name: "Lambda",
            default: "0.6",
            comment: "arriving sessions per second",
        },
        ParamSpec {
            name: "p",
            default: "0.9",
            comment: "probability of another turn",
        },
        ParamSpec {
            name: "Z",
            default: "3.0",
            comment: "mean time of a tool call between turns, s",
        },
    ];
    const OBSERVES: &'static [&'static str] = &[
        "lease",
        "copy",
        "ttft",
        "remote",
        "response",
    ];
    const GAUGES: &'static [&'static str] = &["leased", "out_spread"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 2.0,
            1 => 2.0,
            2 => 8192.0,
            3 => 16.0,
            4 => 64.0,
            5 => 10000.0,
            6 => 10000.0,
            7 => 16.0,
            8 => 16384.0,
            9 => 2e-5,
            10 => 0.0002,
            11 => 2e-9,
            12 => 200000.0,
            13 => 200000.0,
            14 => 0.002,
            15 => 0.001,
            16 => 512.0,
            17 => 0.6,
            18 => 0.9,
            19 => 3.0,
            _ => f64::NAN,
        }
    }

    fn run_defaults(_values: &[f64]) -> RunDefaults {
        RunDefaults {
            horizon: Some(2000.0),
            warmup: Some(200.0),
            seed: Some(1.0),
            arrivals: None,
        }
    }

    fn new(values: &[f64], settings: &Settings) -> Result<Self, Vec<Refusal>> {
        let p = Params::from_values(values);
        let mut refused = Vec::new();
        check(!p.np.is_nan(), "S162", "a `let` is not a number", 61u32, &mut refused);
        check(!p.nd.is_nan(), "S162", "a `let` is not a number", 62u32, &mut refused);
        check(!p.b.is_nan(), "S162", "a `let` is not a number", 63u32, &mut refused);
        check(
            !p.max_seqs_p.is_nan(),
            "S162",
            "a `let` is not a number",
            64u32,
            &mut refused,
        );
        check(
            !p.max_seqs_d.is_nan(),
            "S162",
            "a `let` is not a number",
            65u32,
            &mut refused,
        );
        check(
            !p.blocks_p.is_nan(),
            "S162",
            "a `let` is not a number",
            66u32,
            &mut refused,
        );
        check(
            !p.blocks_d.is_nan(),
            "S162",
            "a `let` is not a number",
            67u32,
            &mut refused,
        );
        check(!p.bs.is_nan(), "S162", "a `let` is not a number", 68u32, &mut refused);
        check(
            !p.max_model_len.is_nan(),
            "S162",
            "a `let` is not a number",
            69u32,
            &mut refused,
        );
        check(!p.a.is_nan(), "S162", "a `let` is not a number", 70u32, &mut refused);
        check(!p.omega.is_nan(), "S162", "a `let` is not a number", 71u32, &mut refused);
        check(!p.beta.is_nan(), "S162", "a `let` is not a number", 72u32, &mut refused);
        check(!p.bw_p.is_nan(), "S162", "a `let` is not a number", 73u32, &mut refused);
        check(!p.bw_d.is_nan(), "S162", "a `let` is not a number", 74u32, &mut refused);
        check(!p.x0.is_nan(), "S162", "a `let` is not a number", 75u32, &mut refused);
        check(!p.x_reg.is_nan(), "S162", "a `let` is not a number", 76u32, &mut refused);
        check(!p.thr.is_nan(), "S162", "a `let` is not a number", 77u32, &mut refused);
        check(
            !p.lambda.is_nan(),
            "S162",
            "a `let` is not a number",
            78u32,
            &mut refused,
        );
        check(!p.p.is_nan(), "S162", "a `let` is not a number", 79u32, &mut refused);
        check(!p.z.is_nan(), "S162", "a `let` is not a number", 80u32, &mut refused);
        check(
            !p.np.is_nan(),
            "S162",
            "a family's size is not a number",
            81u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            81u32,
            &mut refused,
        );
        check(
            p.np <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            81u32,
            &mut refused,
        );
        check(
            !p.nd.is_nan(),
            "S162",
            "a family's size is not a number",
            82u32,
            &mut refused,
        );
        check(
            p.nd == p.nd.floor() && p.nd >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            82u32,
            &mut refused,
        );
        check(
            p.nd <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            82u32,
            &mut refused,
        );
        check(
            !p.np.is_nan(),
            "S162",
            "a family's size is not a number",
            83u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            83u32,
            &mut refused,
        );
        check(
            p.np <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            83u32,
            &mut refused,
        );
        check(
            !p.nd.is_nan(),
            "S162",
            "a family's size is not a number",
            84u32,
            &mut refused,
        );
        check(
            p.nd == p.nd.floor() && p.nd >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            84u32,
            &mut refused,
        );
        check(
            p.nd <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            84u32,
            &mut refused,
        );
        check(
            !p.bw_p.is_nan(),
            "S168",
            "the capacity is not a number",
            85u32,
            &mut refused,
        );
        check(!p.x0.is_nan(), "S162", "a latency is not a number", 14u32, &mut refused);
        check(
            p.x0 >= 0.0,
            "S163",
            "this latency is negative or not a number",
            14u32,
            &mut refused,
        );
        check(
            !p.bw_d.is_nan(),
            "S168",
            "the capacity is not a number",
            86u32,
            &mut refused,
        );
        check(
            !p.max_seqs_p.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            87u32,
            &mut refused,
        );
        check(
            p.max_seqs_p >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            87u32,
            &mut refused,
        );
        check(
            !(p.blocks_p * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            88u32,
            &mut refused,
        );
        check(
            p.blocks_p * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            88u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            89u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            89u32,
            &mut refused,
        );
        check(
            !p.max_seqs_d.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            90u32,
            &mut refused,
        );
        check(
            p.max_seqs_d >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            90u32,
            &mut refused,
        );
        check(
            !(p.blocks_d * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            91u32,
            &mut refused,
        );
        check(
            p.blocks_d * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            91u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            92u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            92u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            93u32,
            &mut refused,
        );
        check(
            p.np <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            93u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            94u32,
            &mut refused,
        );
        check(
            p.np <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            94u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            95u32,
            &mut refused,
        );
        check(
            p.np <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            95u32,
            &mut refused,
        );
        check(
            !p.lambda.is_nan(),
            "S162",
            "an arrival rate is not a number",
            96u32,
            &mut refused,
        );
        check(
            p.lambda > 0.0 && p.lambda < f64::INFINITY,
            "S185",
            "the arrival rate is not a finite number above 0",
            96u32,
            &mut refused,
        );
        check(
            p.p >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            97u32,
            &mut refused,
        );
        check(
            p.p <= 1.0,
            "S176",
            "nothing can be drawn with these numbers",
            97u32,
            &mut refused,
        );
        check(
            p.nd == p.nd.floor() && p.nd >= 0.0,
            "S175",
            "a choice is among a whole number of at least 0",
            4u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 0.0,
            "S175",
            "a choice is among a whole number of at least 0",
            0u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs_p,
            "S164",
            "this is more than `P.reqs` ever holds",
            98u32,
            &mut refused,
        );
        check(
            0.0 <= p.max_seqs_d,
            "S164",
            "this is more than `D.reqs` ever holds",
            99u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs_d,
            "S164",
            "this is more than `D.reqs` ever holds",
            100u32,
            &mut refused,
        );
        check(
            p.x_reg >= 0.0,
            "S163",
            "this work is negative or not a number",
            11u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs_d,
            "S164",
            "this is more than `D.reqs` ever holds",
            101u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs_d,
            "S164",
            "this is more than `D.reqs` ever holds",
            102u32,
            &mut refused,
        );
        check(
            p.z >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            34u32,
            &mut refused,
        );
        check(
            p.bw_p > 0.0,
            "S111",
            "the capacity of `egress` is not above 0, and flows share it",
            103u32,
            &mut refused,
        );
        check(
            p.bw_d > 0.0,
            "S111",
            "the capacity of `ingress` is not above 0, and flows share it",
            104u32,
            &mut refused,
        );
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Model {
            k: Kernel::new(settings, Some(Share::Maxmin)),
            egress: (0..p.np as usize)
                .map(|_| Egress {
                    serve: Link::new(p.bw_p),
                    latency: Delay::new(settings),
                })
                .collect(),
            ingress: (0..p.nd as usize)
                .map(|_| Ingress {
                    serve: Link::new(p.bw_d),
                })
                .collect(),
            p: (0..p.np as usize)
                .map(|_| P {
                    reqs: Pool::new(p.max_seqs_p, 0.0, settings),
                    kv: Pool::new(p.blocks_p * p.bs, p.bs, settings),
                    serve: Engine::new(settings),
                })
                .collect(),
            d: (0..p.nd as usize)
                .map(|_| D {
                    reqs: Pool::new(p.max_seqs_d, 0.0, settings),
                    kv: Pool::new(p.blocks_d * p.bs, p.bs, settings),
                    serve: Engine::new(settings),
                })
                .collect(),
            register: Delay::new(settings),
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
            pools::P_REQS => self.p.len(),
            pools::P_KV => self.p.len(),
            pools::D_REQS => self.d.len(),
            pools::D_KV => self.d.len(),
            _ => 0,
        }
    }

    #[inline]
    fn pool(&self, at: impl AtPool) -> &Pool<Session> {
        let key = at.key();
        match key.family {
            pools::P_REQS => &self.p[key.member as usize].reqs,
            pools::P_KV => &self.p[key.member as usize].kv,
            pools::D_REQS => &self.d[key.member as usize].reqs,
            _ => &self.d[key.member as usize].kv,
        }
    }

    #[inline]
    fn pool_mut(&mut self, at: impl AtPool) -> &mut Pool<Session> {
        let key = at.key();
        match key.family {
            pools::P_REQS => &mut self.p[key.member as usize].reqs,
            pools::P_KV => &mut self.p[key.member as usize].kv,
            pools::D_REQS => &mut self.d[key.member as usize].reqs,
            _ => &mut self.d[key.member as usize].kv,
        }
    }

    #[inline]
    fn pool_and_kernel(&mut self, at: impl AtPool) -> (&mut Pool<Session>, &mut Kernel) {
        let key = at.key();
        match key.family {
            pools::P_REQS => (&mut self.p[key.member as usize].reqs, &mut self.k),
            pools::P_KV => (&mut self.p[key.member as usize].kv, &mut self.k),
            pools::D_REQS => (&mut self.d[key.member as usize].reqs, &mut self.k),
            _ => (&mut self.d[key.member as usize].kv, &mut self.k),
        }
    }

    #[inline]
    fn stage_count(&self, f: usize) -> usize {
        match f as u16 {
            stages::EGRESS => self.egress.len(),
            stages::EGRESS_LATENCY => self.egress.len(),
            stages::INGRESS => self.ingress.len(),
            stages::REGISTER => 1,
            stages::P => self.p.len(),
            stages::D => self.d.len(),
            stages::TOOL => 1,
            _ => 0,
        }
    }

    #[inline]
    fn delay(&self, at: impl AtStage) -> &Delay {
        let key = at.key();
        match key.family {
            stages::EGRESS_LATENCY => &self.egress[key.member as usize].latency,
            stages::REGISTER => &self.register,
            _ => &self.tool,
        }
    }

    #[inline]
    fn delay_mut(&mut self, at: impl AtStage) -> &mut Delay {
        let key = at.key();
        match key.family {
            stages::EGRESS_LATENCY => &mut self.egress[key.member as usize].latency,
            stages::REGISTER => &mut self.register,
            _ => &mut self.tool,
        }
    }

    #[inline]
    fn engine(&self, at: impl AtStage) -> &Engine {
        let key = at.key();
        match key.family {
            stages::P => &self.p[key.member as usize].serve,
            _ => &self.d[key.member as usize].serve,
        }
    }

    #[inline]
    fn engine_mut(&mut self, at: impl AtStage) -> &mut Engine {
        let key = at.key();
        match key.family {
            stages::P => &mut self.p[key.member as usize].serve,
            _ => &mut self.d[key.member as usize].serve,
        }
    }

    #[inline]
    fn link(&self, at: impl AtStage) -> &Link {
        let key = at.key();
        match key.family {
            stages::EGRESS => &self.egress[key.member as usize].serve,
            _ => &self.ingress[key.member as usize].serve,
        }
    }

    #[inline]
    fn link_mut(&mut self, at: impl AtStage) -> &mut Link {
        let key = at.key();
        match key.family {
            stages::EGRESS => &mut self.egress[key.member as usize].serve,
            _ => &mut self.ingress[key.member as usize].serve,
        }
    }

    #[inline]
    fn engine_parts(
        &mut self,
        at: impl AtStage,
    ) -> (&mut Engine, Option<&mut Pool<Session>>, &mut Kernel) {
        let key = at.key();
        match key.family {
            stages::P => {
                let one = &mut self.p[key.member as usize];
                (&mut one.serve, Some(&mut one.kv), &mut self.k)
            }
            _ => {
                let one = &mut self.d[key.member as usize];
                (&mut one.serve, Some(&mut one.kv), &mut self.k)
            }
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
            holds::P_REQS_P_KV => self.header_p_reqs_p_kv::<false>(s),
            holds::D_KV_D_REQS => self.header_d_kv_d_reqs(s),
            holds::D_REQS => self.header_d_reqs(s),
            holds::D_KV_D_REQS_2 => self.header_d_kv_d_reqs_2::<false>(s),
            _ => Header::default(),
        }
    }

    #[inline(always)]
    fn joining_header(&mut self, s: Sid, hold: impl AtHold) -> Header {
        match hold.stmt() {
            holds::P_REQS_P_KV => self.header_p_reqs_p_kv::<true>(s),
            holds::D_KV_D_REQS => self.header_d_kv_d_reqs(s),
            holds::D_REQS => self.header_d_reqs(s),
            holds::D_KV_D_REQS_2 => self.header_d_kv_d_reqs_2::<true>(s),
            _ => Header::default(),
        }
    }

    #[inline]
    fn cache_clause(&mut self, s: Sid, hold: u32) -> f64 {
        match hold {
            holds::P_REQS_P_KV => self.cache_p_reqs_p_kv(s),
            holds::D_KV_D_REQS => self.cache_d_kv_d_reqs(s),
            holds::D_KV_D_REQS_2 => self.cache_d_kv_d_reqs_2(s),
            _ => 0.0,
        }
    }

    #[inline]
    fn lease_clause(&mut self, s: Sid, hold: u32) -> f64 {
        match hold {
            holds::P_REQS_P_KV => self.lease_p_reqs_p_kv(s),
            _ => 0.0,
        }
    }

    #[inline]
    fn on_hold<O: OnHold<Self>>(&mut self, hold: u32, op: O) -> O::Out {
        match hold {
            holds::P_REQS_P_KV => op.run(self, HoldAt::<{ holds::P_REQS_P_KV }>),
            holds::D_KV_D_REQS => op.run(self, HoldAt::<{ holds::D_KV_D_REQS }>),
            holds::D_REQS => op.run(self, HoldAt::<{ holds::D_REQS }>),
            _ => op.run(self, HoldAt::<{ holds::D_KV_D_REQS_2 }>),
        }
    }

    #[inline(always)]
    fn run_body(&mut self, s: Sid, hold: impl AtHold) {
        match hold.stmt() {
            holds::P_REQS_P_KV => self.holding_p_reqs_p_kv(s),
            holds::D_KV_D_REQS => self.holding_d_kv_d_reqs(s),
            holds::D_REQS => self.holding_d_reqs(s),
            _ => self.holding_d_kv_d_reqs_2(s),
        }
    }

    #[inline]
    fn budget(&mut self, at: impl AtStage, totals: &Totals) -> f64 {
        match at.key().family {
            stages::P => self.budget_p(at.key().member as usize, totals),
            stages::D => self.budget_d(at.key().member as usize, totals),
            _ => f64::INFINITY,
        }
    }

    #[inline]
    fn cost(&mut self, at: impl AtStage, it: &Iteration) -> f64 {
        match at.key().family {
            stages::P => self.cost_p(at.key().member as usize, it),
            stages::D => self.cost_d(at.key().member as usize, it),
            _ => 0.0,
        }
    }

    #[inline]
    fn on_engine<O: OnStage<Self>>(&mut self, stage: StageKey, op: O) -> O::Out {
        match stage.family {
            stages::P => op.run(self, StageAt::<{ stages::P }>(stage.member)),
            _ => op.run(self, StageAt::<{ stages::D }>(stage.member)),
        }
    }

    #[inline]
    fn on_station<O: OnStage<Self>>(&mut self, stage: StageKey, op: O) -> O::Out {
        match stage.family {
            stages::EGRESS_LATENCY => {
                op.run(self, StageAt::<{ stages::EGRESS_LATENCY }>(stage.member))
            }
            stages::REGISTER => {
                op.run(self, StageAt::<{ stages::REGISTER }>(stage.member))
            }
            _ => op.run(self, StageAt::<{ stages::TOOL }>(stage.member)),
        }
    }

    #[inline]
    fn queue_keys(&mut self, pool: PoolKey, s: Sid, waited: f64) -> Keys {
        match pool.family {
            pools::D_REQS => self.queue_keys_d_reqs(pool.member as usize, s, waited),
            _ => keys([]),
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
        let mut all_total = 0.0;
        if let Some(kept) = kept(self, 2, Self::kept_2) {
            all_total = kept.total();
        } else {
            for its_k in 0..self.p.len() {
                let value = self.p[its_k].kv.used;
                all_total += value;
            }
        }
        // gauge leased = sum k in NP (used(P[k].kv));                            nixl_push_serial.sq:164
        let value = all_total;
        self.k.set_gauge(0, value);
    }

    #[inline]
    fn read_gauges_1(&mut self) {
        let mut all_greatest = f64::NEG_INFINITY;
        let mut all_least = f64::INFINITY;
        if let Some(kept) = kept(self, 3, Self::kept_3) {
            all_greatest = kept.greatest();
            all_least = kept.least();
        } else {
            for its_k in 0..self.params.np as usize {
                let value = stage_queue(self, StageAt::<{ stages::EGRESS }>::new(its_k));
                if value > all_greatest {
                    all_greatest = value;
                }
                if value < all_least {
                    all_least = value;
                }
            }
        }
        // gauge out_spread = max k in NP (queue(egress[k])) - min k in NP (queue(egress[k])); nixl_push_serial.sq:165
        let value = all_greatest - all_least;
        self.k.set_gauge(1, value);
    }
}

/// Pool families, in declaration order.
#[allow(dead_code)]
mod pools {
    /// `P.reqs`
    pub const P_REQS: u16 = 0;
    /// `P.kv`
    pub const P_KV: u16 = 1;
    /// `D.reqs`
    pub const D_REQS: u16 = 2;
    /// `D.kv`
    pub const D_KV: u16 = 3;
}

/// Stage families, in declaration order.
#[allow(dead_code)]
mod stages {
    /// `egress`
    pub const EGRESS: u16 = 0;
    /// `egress.latency`
    pub const EGRESS_LATENCY: u16 = 1;
    /// `ingress`
    pub const INGRESS: u16 = 2;
    /// `register`
    pub const REGISTER: u16 = 3;
    /// `P`
    pub const P: u16 = 4;
    /// `D`
    pub const D: u16 = 5;
    /// `tool`
    pub const TOOL: u16 = 6;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {
    /// `hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)`
    pub const P_REQS_P_KV: u32 = 0;
    /// `hold kv (D.written_once ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), ...`
    pub const D_KV_D_REQS: u32 = 1;
    /// `hold reqs (1) {`
    pub const D_REQS: u32 = 2;
    /// `hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)`
    pub const D_KV_D_REQS_2: u32 = 3;
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
    /// holding p reqs p kv
    pub const HOLDING_P_REQS_P_KV: u32 = 6;
    /// after p prefill
    pub const AFTER_P_PREFILL: u32 = 7;
    /// holding d kv d reqs
    pub const HOLDING_D_KV_D_REQS: u32 = 8;
    /// then 3
    pub const THEN_3: u32 = 9;
    /// otherwise 3
    pub const OTHERWISE_3: u32 = 10;
    /// after register
    pub const AFTER_REGISTER: u32 = 11;
    /// after egress latency
    pub const AFTER_EGRESS_LATENCY: u32 = 12;
    /// after egress ingress
    pub const AFTER_EGRESS_INGRESS: u32 = 13;
    /// meet
    pub const MEET: u32 = 14;
    /// holding d reqs
    pub const HOLDING_D_REQS: u32 = 15;
    /// after d prefill
    pub const AFTER_D_PREFILL: u32 = 16;
    /// then 4
    pub const THEN_4: u32 = 17;
    /// otherwise 4
    pub const OTHERWISE_4: u32 = 18;
    /// after d decode
    pub const AFTER_D_DECODE: u32 = 19;
    /// meet 2
    pub const MEET_2: u32 = 20;
    /// holding d kv d reqs 2
    pub const HOLDING_D_KV_D_REQS_2: u32 = 21;
    /// after d prefill 2
    pub const AFTER_D_PREFILL_2: u32 = 22;
    /// then 5
    pub const THEN_5: u32 = 23;
    /// otherwise 5
    pub const OTHERWISE_5: u32 = 24;
    /// after d decode 2
    pub const AFTER_D_DECODE_2: u32 = 25;
    /// meet 3
    pub const MEET_3: u32 = 26;
    /// meet 4
    pub const MEET_4: u32 = 27;
    /// then 6
    pub const THEN_6: u32 = 28;
    /// otherwise 6
    pub const OTHERWISE_6: u32 = 29;
    /// after tool
    pub const AFTER_TOOL: u32 = 30;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 52,
        col: 19,
        text: "      choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 52,
        col: 37,
        text: "      choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 52,
        col: 64,
        text: "      choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 52,
        col: 79,
        text: "      choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 49,
        col: 17,
        text: "    choose j in ND by (holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 49,
        col: 34,
        text: "    choose j in ND by (holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 49,
        col: 52,
        text: "    choose j in ND by (holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 50,
        col: 42,
        text: "    set remote = prompt - min(cachedin(D[j].kv), reusable(prompt, bs)) >= thr;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 81,
        col: 16,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 81,
        col: 7,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 81,
        col: 36,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 125,
        col: 23,
        text: "        run register (x_reg);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 125,
        col: 13,
        text: "        run register (x_reg);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 124,
        col: 29,
        text: "        set place = holders(kv);  // of those parked in one iteration",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 39,
        col: 49,
        text: "queue egress[NP] : link { serve ps(BwP) latency x0; }  // the writer's NIC; its worker posts the write",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 127,
        col: 28,
        text: "        transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 127,
        col: 49,
        text: "        transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 127,
        col: 9,
        text: "        transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 127,
        col: 42,
        text: "        transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 127,
        col: 77,
        text: "        transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 127,
        col: 73,
        text: "        transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 127,
        col: 66,
        text: "        transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 133,
        col: 18,
        text: "        prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 133,
        col: 9,
        text: "        prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 133,
        col: 38,
        text: "        prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 135,
        col: 52,
        text: "        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 135,
        col: 44,
        text: "        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 135,
        col: 85,
        text: "        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 105,
        col: 16,
        text: "      prefill (length - cached) growing kv;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 105,
        col: 7,
        text: "      prefill (length - cached) growing kv;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 105,
        col: 41,
        text: "      prefill (length - cached) growing kv;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 107,
        col: 50,
        text: "      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 107,
        col: 42,
        text: "      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 107,
        col: 83,
        text: "      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 159,
        col: 29,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 159,
        col: 23,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 78,
        col: 10,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 78,
        col: 20,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 79,
        col: 43,
        text: "         at admission (hit = min(cachedin(kv), reusable(prompt, bs))) {",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 78,
        col: 61,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)",
    },
    SourceSite {
        file: "vllm.sq",
        line: 15,
        col: 46,
        text: "def first_units(known, hit, budget, chunk) = min(known, hit + min(budget, chunk));",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 53,
        col: 21,
        text: "      P[i].prefill (prompt);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 116,
        col: 10,
        text: "    hold kv (D.written_once ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 119,
        col: 43,
        text: "                       hit = min(cachedin(kv), reusable(known, bs))) {",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 116,
        col: 67,
        text: "    hold kv (D.written_once ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 116,
        col: 14,
        text: "    hold kv (D.written_once ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "vllm.sq",
        line: 11,
        col: 28,
        text: "def known_tokens(length) = max(length, computed + 1);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 116,
        col: 102,
        text: "    hold kv (D.written_once ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 132,
        col: 12,
        text: "      hold reqs (1) {",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 100,
        col: 10,
        text: "    hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 103,
        col: 43,
        text: "                       hit = min(cachedin(kv), reusable(known, bs))) {",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 100,
        col: 50,
        text: "    hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 100,
        col: 77,
        text: "    hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 164,
        col: 36,
        text: "gauge leased = sum k in NP (used(P[k].kv));  // tokens held on the prefill pods",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 165,
        col: 46,
        text: "gauge out_spread = max k in NP (queue(egress[k])) - min k in NP (queue(egress[k]));  // in concurrent writes",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 74,
        col: 10,
        text: "    cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);  // memory bound or compute bound",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 93,
        col: 10,
        text: "    cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 78,
        col: 5,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 116,
        col: 5,
        text: "    hold kv (D.written_once ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 132,
        col: 7,
        text: "      hold reqs (1) {",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 100,
        col: 5,
        text: "    hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 18,
        col: 10,
        text: "let NP = 2;           // prefill pods",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 19,
        col: 10,
        text: "let ND = 2;           // decode pods",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 20,
        col: 9,
        text: "let B = 8192;         // tokens an engine may schedule in one iteration",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 21,
        col: 17,
        text: "let max_seqsP = 16;   // running requests at most, prefill pod",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 22,
        col: 17,
        text: "let max_seqsD = 64;   // running requests at most, decode pod",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 23,
        col: 15,
        text: "let blocksP = 10000;  // KV blocks of a prefill pod",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 24,
        col: 15,
        text: "let blocksD = 10000;  // KV blocks of a decode pod",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 25,
        col: 10,
        text: "let bs = 16;          // tokens in a KV block",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 26,
        col: 21,
        text: "let max_model_len = 16384;  // longest prompt plus output, in tokens; every KV pool has room for one such request",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 27,
        col: 9,
        text: "let a = 2e-5;         // compute time of a scheduled token, s",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 28,
        col: 13,
        text: "let omega = 2e-4;     // time to read the weights once, s",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 29,
        col: 12,
        text: "let beta = 2e-9;      // time to read the KV of one resident token, s",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 30,
        col: 11,
        text: "let BwP = 2e5;        // bandwidth out of a prefill pod, tokens/s",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 31,
        col: 11,
        text: "let BwD = 2e5;        // bandwidth into a decode pod, tokens/s",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 32,
        col: 10,
        text: "let x0 = 0.002;       // time to post a write and notice its end, s",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 33,
        col: 13,
        text: "let x_reg = 0.001;    // time for a decode pod's block ids to reach the prefill pod, s",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 34,
        col: 11,
        text: "let thr = 512;        // uncached prompt tokens from which a prefill is remote (1: always, 1e18: never)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 35,
        col: 14,
        text: "let Lambda = 0.6;     // arriving sessions per second",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 36,
        col: 9,
        text: "let p = 0.9;          // probability of another turn",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 37,
        col: 9,
        text: "let Z = 3.0;          // mean time of a tool call between turns, s",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 39,
        col: 14,
        text: "queue egress[NP] : link { serve ps(BwP) latency x0; }  // the writer's NIC; its worker posts the write",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 40,
        col: 15,
        text: "queue ingress[ND] : link { serve ps(BwD); }  // the NIC that is written to",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 69,
        col: 9,
        text: "queue P[NP] : prefill {",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 88,
        col: 9,
        text: "queue D[ND] : decode {",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 39,
        col: 36,
        text: "queue egress[NP] : link { serve ps(BwP) latency x0; }  // the writer's NIC; its worker posts the write",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 40,
        col: 37,
        text: "queue ingress[ND] : link { serve ps(BwD); }  // the NIC that is written to",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 70,
        col: 19,
        text: "  pool reqs { cap max_seqsP; admit via P; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 71,
        col: 17,
        text: "  pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 71,
        col: 37,
        text: "  pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 89,
        col: 19,
        text: "  pool reqs { cap max_seqsD; queue by (D.parked, D.place); admit via D; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 90,
        col: 17,
        text: "  pool kv { cap blocksD * bs; block bs; evict lru; preempt lifo; admit via D; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 90,
        col: 37,
        text: "  pool kv { cap blocksD * bs; block bs; evict lru; preempt lifo; admit via D; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 164,
        col: 25,
        text: "gauge leased = sum k in NP (used(P[k].kv));  // tokens held on the prefill pods",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 165,
        col: 29,
        text: "gauge out_spread = max k in NP (queue(egress[k])) - min k in NP (queue(egress[k]));  // in concurrent writes",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 165,
        col: 62,
        text: "gauge out_spread = max k in NP (queue(egress[k])) - min k in NP (queue(egress[k]));  // in concurrent writes",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 145,
        col: 18,
        text: "  arrive poisson(Lambda);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 151,
        col: 16,
        text: "    set more = ~bernoulli(p);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 78,
        col: 16,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 116,
        col: 108,
        text: "    hold kv (D.written_once ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 116,
        col: 120,
        text: "    hold kv (D.written_once ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 132,
        col: 18,
        text: "      hold reqs (1) {",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 100,
        col: 83,
        text: "    hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 127,
        col: 21,
        text: "        transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 127,
        col: 34,
        text: "        transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 154,
        col: 5,
        text: "    turn;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 156,
        col: 7,
        text: "      branch (K + n >= max_model_len) { end; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 81,
        col: 7,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 125,
        col: 9,
        text: "        run register (x_reg);",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 133,
        col: 9,
        text: "        prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 135,
        col: 44,
        text: "        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 105,
        col: 7,
        text: "      prefill (length - cached) growing kv;",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 107,
        col: 42,
        text: "      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 61,
        col: 5,
        text: "    observe ttft = D.first_token - t0;  // s to the first token",
    },
    SourceSite {
        file: "nixl_push_serial.sq",
        line: 159,
        col: 23,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("nixl_push_serial.sq", r#"// Prefill/decode disaggregation by NIXL in push mode, dispatched one leg after the other as llm-d's sidecar does.
//
// The pods, the router and the holds are those of `llmd_nixl_pull.sq`: the prompt is computed on a prefill pod, whose
// blocks stay leased until a decode pod has its copy. Only who moves the copy differs. There the decode pod reads.
// Here it sends the ids of the blocks it has allocated to the prefill pod, whose worker then posts the write, so the
// copy starts one notification later, and the fixed time of a transfer is the writer's. The bytes cross the same two
// NICs at once, hence one run over two links.
//
// What to look at: `lease`, and how much of it is `copy`. With `x_reg = 0` every number should be that of
// `llmd_nixl_pull.sq`, since the two modes have the same lifecycle when the legs are dispatched in sequence;
// `gauge out_spread` shows that the prefill pods' links are not used alike, as a session returns to the pod that has
// its prefix.
//
//   serqc run examples/pd-disaggregation/nixl_push_serial.sq --seeds 1..5
//   serqc run examples/pd-disaggregation/nixl_push_serial.sq --seeds 1..5 --set x_reg=0.02 --set thr=1
use "../../lib/vllm.sq";

let NP = 2;           // prefill pods
let ND = 2;           // decode pods
let B = 8192;         // tokens an engine may schedule in one iteration
let max_seqsP = 16;   // running requests at most, prefill pod
let max_seqsD = 64;   // running requests at most, decode pod
let blocksP = 10000;  // KV blocks of a prefill pod
let blocksD = 10000;  // KV blocks of a decode pod
let bs = 16;          // tokens in a KV block
let max_model_len = 16384;  // longest prompt plus output, in tokens; every KV pool has room for one such request
let a = 2e-5;         // compute time of a scheduled token, s
let omega = 2e-4;     // time to read the weights once, s
let beta = 2e-9;      // time to read the KV of one resident token, s
let BwP = 2e5;        // bandwidth out of a prefill pod, tokens/s
let BwD = 2e5;        // bandwidth into a decode pod, tokens/s
let x0 = 0.002;       // time to post a write and notice its end, s
let x_reg = 0.001;    // time for a decode pod's block ids to reach the prefill pod, s
let thr = 512;        // uncached prompt tokens from which a prefill is remote (1: always, 1e18: never)
let Lambda = 0.6;     // arriving sessions per second
let p = 0.9;          // probability of another turn
let Z = 3.0;          // mean time of a tool call between turns, s

queue egress[NP] : link { serve ps(BwP) latency x0; }  // the writer's NIC; its worker posts the write
queue ingress[ND] : link { serve ps(BwD); }  // the NIC that is written to
share maxmin;            // how concurrent writes divide the links: an assumption about the fabric
stage register : delay;  // the notification

queue gw : gateway {
  route {
    set t0 = now;
    set prompt = K + n;
    set o = min(o, max_model_len - prompt);  // the output stops at the model's length
    choose j in ND by (holders(D[j].kv) + queued(D[j].kv));
    set remote = prompt - min(cachedin(D[j].kv), reusable(prompt, bs)) >= thr;
    branch (remote) {
      choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));
      P[i].prefill (prompt);
      set t1 = now;
      D[j].decode (prompt) from P[i];         // only once the prefill was answered
      observe lease = D.written - t1;         // s that the prefill pod kept blocks after its prefill
      observe copy = D.written - D.notified;  // s of it for the copy itself
    } else {
      D[j].decode (prompt);
    }
    observe ttft = D.first_token - t0;  // s to the first token
    observe remote = remote;            // share of requests prefilled elsewhere
    observe response = now - t0;        // s to the last token
  }
}

// A prefill pod: slot and blocks for the first chunk on entry, with room for all of it; on leaving the slot goes
// and the blocks stay for the write.
queue P[NP] : prefill {
  pool reqs { cap max_seqsP; admit via P; }
  pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; }
  serve step {
    budget B;
    cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);  // memory bound or compute bound
    memory kv;
  }
  prefill (prompt) {
    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)
         at admission (hit = min(cachedin(kv), reusable(prompt, bs))) {
      set c = cached;
      prefill (prompt - c) growing kv;
    } cache (prompt) lease kv (inf);
  }
}

// A decode pod. Requests whose KV has arrived (`reqs`) are admitted before new ones (`kv`), those first that were
// parked first.
queue D[ND] : decode {
  pool reqs { cap max_seqsD; queue by (D.parked, D.place); admit via D; }
  pool kv { cap blocksD * bs; block bs; evict lru; preempt lifo; admit via D; }
  serve step {
    budget B;
    cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);
    memory kv;
  }

  // The short way: the prompt is prefilled here.
  decode (prompt) {
    set length = prompt;
    hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)
         reuse (reusable(known, bs))
         at admission (known = known_tokens(D.length),
                       hit = min(cachedin(kv), reusable(known, bs))) {
      set length = known;
      prefill (length - cached) growing kv;
      branch (length == prompt) { mark first_token; }
      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }
    } cache (prompt + o);
  }

  // The prompt is in a prefill pod's blocks. All blocks it needs here are allocated first, since the writer must
  // know them; it is parked until the write is over, and then asks for a slot.
  decode (prompt) from src {
    set length = prompt;
    set written_once = 0;  // after a preemption it is prefilled here
    hold kv (D.written_once ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)
         reuse (reusable(known, bs))
         at admission (known = known_tokens(D.length),
                       hit = min(cachedin(kv), reusable(known, bs))) {
      set length = known;
      set c = cached;
      branch (!written_once) {
        set parked = now;
        set place = holders(kv);  // of those parked in one iteration
        run register (x_reg);
        mark notified;
        transfer on egress[src], ingress[self] (prompt - c) from src to kv (prompt - 1 - c);
        mark written;
        set written_once = 1;
        set c = prompt - 1;  // the last prompt token is computed here, for its logits
      }
      hold reqs (1) {
        prefill (length - c) growing kv;
        branch (length == prompt) { mark first_token; }
        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }
      }
    } cache (prompt + o);
  }
}

stage tool : delay;

// Clients as in `llmd_nixl_pull.sq`.
workload {
  arrive poisson(Lambda);
  hidden o;  // the deployment does not know how long an output gets
  init { set K = 0; }
  turn {
    set n = K == 0 ? ~uniform(1000, 3000) : ~exp(500);
    set o = ~exp(200) + 1;
    set more = ~bernoulli(p);
  }
  session {
    turn;
    loop {
      branch (K + n >= max_model_len) { end; }
      request gw;
      set K = prompt + o;
      branch (more) { tool (~exp(Z)); turn; } else { end; }
    }
  }
}

gauge leased = sum k in NP (used(P[k].kv));  // tokens held on the prefill pods
gauge out_spread = max k in NP (queue(egress[k])) - min k in NP (queue(egress[k]));  // in concurrent writes

run { horizon 2000; warmup 200; seed 1; }
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
