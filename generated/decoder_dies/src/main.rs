//! decoder_dies: a serQ program as native code.
//!
//! Emitted by serqc from decoder_dies.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let NP = 2;`: prefill pods
    pub np: f64,
    /// `let ND = 3;`: decode pods
    pub nd: f64,
    /// `let dies = 600;`: when decode pod 0 dies, s (inf: never)
    pub dies: f64,
    /// `let outage = 120;`: for how long, s
    pub outage: f64,
    /// `let lease = 30;`: a lease without heartbeats, s
    pub lease: f64,
    /// `let beat = 5;`: from one heartbeat to the next, s
    pub beat: f64,
    /// `let B = 8192;`: tokens an engine may schedule in one iteration
    pub b: f64,
    /// `let max_seqsP = 16;`: running requests at most, prefill pod
    pub max_seqs_p: f64,
    /// `let max_seqsD = 64;`: running requests at most, decode pod
    pub max_seqs_d: f64,
    /// `let blocksP = 40000;`: KV blocks of a prefill pod
    pub blocks_p: f64,
    /// `let blocksD = 40000;`: KV blocks of a decode pod
    pub blocks_d: f64,
    /// `let bs = 16;`: tokens in a KV block
    pub bs: f64,
    /// `let max_model_len = 16384;`: longest prompt plus output, in tokens
    pub max_model_len: f64,
    /// `let a = 2e-5;`: compute time of a scheduled token, s
    pub a: f64,
    /// `let omega = 0.02;`: time to read the weights once, s
    pub omega: f64,
    /// `let beta = 2e-9;`: time to read the KV of one resident token, s
    pub beta: f64,
    /// `let BwP = 2e5;`: bandwidth of a prefill pod's NIC, tokens/s
    pub bw_p: f64,
    /// `let BwD = 2e5;`: bandwidth of a decode pod's NIC, tokens/s
    pub bw_d: f64,
    /// `let x0 = 0.002;`: time to post a read and notice its end, s
    pub x0: f64,
    /// `let Lambda = 1.5;`: arriving sessions per second
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
            dies: values[2],
            outage: values[3],
            lease: values[4],
            beat: values[5],
            b: values[6],
            max_seqs_p: values[7],
            max_seqs_d: values[8],
            blocks_p: values[9],
            blocks_d: values[10],
            bs: values[11],
            max_model_len: values[12],
            a: values[13],
            omega: values[14],
            beta: values[15],
            bw_p: values[16],
            bw_d: values[17],
            x0: values[18],
            lambda: values[19],
            p: values[20],
            z: values[21],
        }
    }
}

// queue P[NP] : prefill {                                                decoder_dies.sq:59
/// One member of `P`.
pub struct P {
    /// `pool reqs { cap max_seqsP; admit via P; }`
    pub reqs: Pool<Session>,
    /// `pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; }`
    pub kv: Pool<Session>,
    /// `serve step { budget B; cost max(omega + beta * (kv_decode + kv_prefill), tokens * a); memory kv; }`
    pub serve: Engine,
    /// `nic ps(BwP);`
    pub nic: Link,
}

// queue D[ND] : decode {                                                 decoder_dies.sq:73
/// One member of `D`.
pub struct D {
    /// `pool reqs { cap max_seqsD; queue by (D.parked, D.place); admit via D; }`
    pub reqs: Pool<Session>,
    /// `pool kv { cap blocksD * bs; block bs; evict lru; preempt lifo; admit via D; }`
    pub kv: Pool<Session>,
    /// `serve step { budget B; cost max(omega + beta * (kv_decode + kv_prefill), tokens * a); memory kv; }`
    pub serve: Engine,
    /// `nic ps(BwD);`
    pub nic: Link,
    /// `D pull P latency x0 share maxmin;`
    pub nic_latency: Delay,
}

/// The whole deployment and its sessions.
pub struct Model {
    /// The clock, the sessions, what is pending.
    pub k: Kernel,
    /// The settings.
    pub params: Params,
    /// Attributes, by session slot.
    pub attrs: Vec<Session>,
    /// `queue P[NP] : prefill {`
    pub p: Vec<P>,
    /// `queue D[ND] : decode {`
    pub d: Vec<D>,
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
    /// `lost`
    pub lost: f64,
    /// `j`
    pub j: usize,
    /// `i`
    pub i: usize,
    /// `D.length`
    pub d_length: f64,
    /// `D.c`
    pub d_c: f64,
    /// `D.first_token`
    pub d_first_token: f64,
    /// `D.transferred`
    pub d_transferred: f64,
    /// `D.parked`
    pub d_parked: f64,
    /// `D.place`
    pub d_place: f64,
    /// `D.read`
    pub d_read: f64,
    /// `D.known`
    pub d_known: f64,
}

#[allow(unused_variables, clippy::manual_clamp)]
impl Model {
    /// What a session brings when it is created.
    fn start_session(&mut self, s: Sid) {
        // init { set K = 0; }                                                    decoder_dies.sq:128
        self.attrs[s as usize].k = 0.0;
    }

    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set n = K == 0 ? ~uniform(1000, 3000) : ~exp(500);                     decoder_dies.sq:130
        attrs.n = if attrs.k == 0.0 {
            self.k.turn_rng().uniform(1000.0, 3000.0)
        } else {
            self.k.turn_rng().exp(500.0)
        };
        // set o = ~exp(200) + 1;                                                 decoder_dies.sq:131
        attrs.o = self.k.turn_rng().exp(200.0) + 1.0;
        // set more = ~bernoulli(p);                                              decoder_dies.sq:132
        attrs.more = self.k.turn_rng().bernoulli(self.params.p) != 0.0;
    }

    #[inline(never)]
    fn start(&mut self, s: Sid) {
        // turn;                                                                  decoder_dies.sq:135
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    #[inline(never)]
    fn again(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (K + n >= max_model_len) { end; }                               decoder_dies.sq:137
        if attrs.k + attrs.n >= self.params.max_model_len {
            end_session(self, s);
        } else {
            // set t0 = now;                                                          decoder_dies.sq:38
            attrs.t0 = self.k.now;
            // set prompt = K + n;                                                    decoder_dies.sq:39
            attrs.prompt = attrs.k + attrs.n;
            // set o = min(o, max_model_len - prompt);                                decoder_dies.sq:40
            attrs.o = attrs.o.min(self.params.max_model_len - attrs.prompt);
            // set lost = 0;                                                          decoder_dies.sq:41
            attrs.lost = 0.0;
            // choose j in ND by (up(D[j]) ? 0 : 1, holders(D[j].kv) + queued(D[j].kv)); decoder_dies.sq:42
            {
                let best = if let Some(best) = kept_choice(self, 0, Self::kept_0) {
                    best
                } else {
                    let count = self.d.len();
                    let (mut best, mut least) = (0, [0.0; 2]);
                    for j in 0..count {
                        let keys = [
                            if stage_up(self, StageKey::new(stages::D, j)) != 0.0 {
                                0.0
                            } else {
                                1.0
                            },
                            self.d[j].kv.holders() + self.d[j].kv.queued(),
                        ];
                        if j == 0 || less(&keys, &least) {
                            (best, least) = (j, keys);
                        }
                    }
                    best
                };
                self.attrs[s as usize].j = best;
            }
            // choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs)); decoder_dies.sq:43
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
                    let count = self.p.len();
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
            // hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt) decoder_dies.sq:65
            join(self, s, HoldAt::<{ holds::P_REQS_P_KV }>);
        }
    }

    #[inline(never)]
    fn holding_p_reqs_p_kv(&mut self, s: Sid) {
        // set c = cached;                                                        decoder_dies.sq:67
        let p_c = self.k.control(s).b.cached;
        let attrs = &self.attrs[s as usize];
        // prefill (prompt - c) growing kv;                                       decoder_dies.sq:68
        let work = self.k.work(attrs.prompt - p_c, s, 8);
        self.k.control_mut(s).at = at::AFTER_P_PREFILL;
        let stage = StageAt::<{ stages::P }>::new(attrs.i);
        let pool = PoolAt::<{ pools::P_KV }>::new(attrs.i);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_p_prefill(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::P_REQS_P_KV }>);
        // D[j].decode (prompt) from P[i] else {                                  decoder_dies.sq:45
        let member = self.attrs[s as usize].j;
        if guard(self, s, 0, member, at::LOST_D) {
            let attrs = &mut self.attrs[s as usize];
            // set length = prompt;                                                   decoder_dies.sq:94
            attrs.d_length = attrs.prompt;
            // set transferred = 0;                                                   decoder_dies.sq:95
            attrs.d_transferred = 0.0;
            // hold kv (D.transferred ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), r... decoder_dies.sq:96
            join(self, s, HoldAt::<{ holds::D_KV_D_REQS }>);
        } else {
            go_on(self, s, at::LOST_D, Self::lost_d);
        }
    }

    #[inline(never)]
    fn lost_d(&mut self, s: Sid) {
        // set lost = 1;                                                          decoder_dies.sq:46
        self.attrs[s as usize].lost = 1.0;
        // choose j in ND by (up(D[j]) ? 0 : 1, holders(D[j].kv) + queued(D[j].kv)); decoder_dies.sq:47
        {
            let best = if let Some(best) = kept_choice(self, 0, Self::kept_0) {
                best
            } else {
                let count = self.d.len();
                let (mut best, mut least) = (0, [0.0; 2]);
                for j in 0..count {
                    let keys = [
                        if stage_up(self, StageKey::new(stages::D, j)) != 0.0 {
                            0.0
                        } else {
                            1.0
                        },
                        self.d[j].kv.holders() + self.d[j].kv.queued(),
                    ];
                    if j == 0 || less(&keys, &least) {
                        (best, least) = (j, keys);
                    }
                }
                best
            };
            self.attrs[s as usize].j = best;
        }
        // D[j].decode (prompt) else { set lost = 2; }                            decoder_dies.sq:48
        let member = self.attrs[s as usize].j;
        if guard(self, s, 0, member, at::LOST_D_2) {
            let attrs = &mut self.attrs[s as usize];
            // set length = prompt;                                                   decoder_dies.sq:81
            attrs.d_length = attrs.prompt;
            // hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1) decoder_dies.sq:82
            join(self, s, HoldAt::<{ holds::D_KV_D_REQS_2 }>);
        } else {
            go_on(self, s, at::LOST_D_2, Self::lost_d_2);
        }
    }

    #[inline(never)]
    fn holding_d_kv_d_reqs(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // at admission (known = known_tokens(D.length),                          decoder_dies.sq:98
        attrs.d_known = attrs.d_length.max(self.k.control(s).b.computed + 1.0);
        // set length = known;                                                    decoder_dies.sq:100
        attrs.d_length = attrs.d_known;
        // set c = cached;                                                        decoder_dies.sq:101
        attrs.d_c = self.k.control(s).b.cached;
        // branch (!transferred) {                                                decoder_dies.sq:102
        if !(attrs.d_transferred != 0.0) {
            // set parked = now;                                                      decoder_dies.sq:103
            attrs.d_parked = self.k.now;
            // set place = holders(kv);                                               decoder_dies.sq:104
            attrs.d_place = self.d[attrs.j].kv.holders();
            // set read = 1;                                                          decoder_dies.sq:105
            attrs.d_read = 1.0;
            // transfer (prompt - c) from src to kv (prompt - 1 - c) else { set read = 0; } decoder_dies.sq:106
            if leased_in(
                self,
                PoolAt::<{ pools::P_KV }>::new(self.attrs[s as usize].i),
                s,
            ) > 0.0
            {
                // transfer (prompt - c) from src to kv (prompt - 1 - c) else { set read = 0; } decoder_dies.sq:106
                let work = self.k.work(self.params.x0, s, 18);
                self.k.control_mut(s).at = at::AFTER_D_NIC_LATENCY;
                let stage = StageAt::<
                    { stages::D_NIC_LATENCY },
                >::new(self.attrs[s as usize].j);
                run_on(self, s, stage, Mode::Decode, work);
            } else {
                go_on(self, s, at::MEET, Self::meet);
            }
        } else {
            go_on(self, s, at::MEET_2, Self::meet_2);
        }
    }

    #[inline(never)]
    fn after_d_nic_latency(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // transfer (prompt - c) from src to kv (prompt - 1 - c) else { set read = 0; } decoder_dies.sq:106
        let work = self.k.work(attrs.prompt - attrs.d_c, s, 21);
        self.k.control_mut(s).at = at::AFTER_P_NIC_D_NIC;
        let stages = [
            StageKey::new(stages::P_NIC, attrs.i),
            StageKey::new(stages::D_NIC, attrs.j),
        ];
        run_flow(self, s, &stages, work, 19);
    }

    #[inline(never)]
    fn after_p_nic_d_nic(&mut self, s: Sid) {
        go_on(self, s, at::MEET, Self::meet);
    }

    #[inline(never)]
    fn meet(&mut self, s: Sid) {
        // transfer (prompt - c) from src to kv (prompt - 1 - c) else { set read = 0; } decoder_dies.sq:106
        if leased_in(self, PoolAt::<{ pools::P_KV }>::new(self.attrs[s as usize].i), s)
            > 0.0
        {
            // transfer (prompt - c) from src to kv (prompt - 1 - c) else { set read = 0; } decoder_dies.sq:106
            {
                let attrs = &self.attrs[s as usize];
                let amount = self.k.units(attrs.prompt - 1.0 - attrs.d_c, s, 22);
                let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
                load(self, s, pool, amount, 22);
            }
            // transfer (prompt - c) from src to kv (prompt - 1 - c) else { set read = 0; } decoder_dies.sq:106
            {
                let pool = PoolAt::<{ pools::P_KV }>::new(self.attrs[s as usize].i);
                release(self, s, pool);
            }
        } else {
            // transfer (prompt - c) from src to kv (prompt - 1 - c) else { set read = 0; } decoder_dies.sq:106
            self.attrs[s as usize].d_read = 0.0;
        }
        let attrs = &mut self.attrs[s as usize];
        // observe read = read;                                                   decoder_dies.sq:107
        self.k.observe(0, s, attrs.d_read);
        // set transferred = 1;                                                   decoder_dies.sq:108
        attrs.d_transferred = 1.0;
        // branch (read) { set c = prompt - 1; }                                  decoder_dies.sq:109
        let guard = attrs.d_read;
        if self.k.guard(guard, Some(s), 24) {
            // branch (read) { set c = prompt - 1; }                                  decoder_dies.sq:109
            attrs.d_c = attrs.prompt - 1.0;
        }
        go_on(self, s, at::MEET_2, Self::meet_2);
    }

    #[inline]
    fn meet_2(&mut self, s: Sid) {
        // hold reqs (1) {                                                        decoder_dies.sq:111
        join(self, s, HoldAt::<{ holds::D_REQS }>);
    }

    #[inline(never)]
    fn holding_d_reqs(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // prefill (length - c) growing kv;                                       decoder_dies.sq:112
        let work = self.k.work(attrs.d_length - attrs.d_c, s, 25);
        self.k.control_mut(s).at = at::AFTER_D_PREFILL;
        let stage = StageAt::<{ stages::D }>::new(attrs.j);
        let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_d_prefill(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (length == prompt) { mark first_token; }                        decoder_dies.sq:113
        if attrs.d_length == attrs.prompt {
            // branch (length == prompt) { mark first_token; }                        decoder_dies.sq:113
            attrs.d_first_token = self.k.now;
        }
        // branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; } decoder_dies.sq:114
        if attrs.d_length < attrs.prompt + attrs.o - 1.0 {
            // branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; } decoder_dies.sq:114
            let work = self.k.work(attrs.prompt + attrs.o - 1.0 - attrs.d_length, s, 28);
            self.k.control_mut(s).at = at::AFTER_D_DECODE;
            let stage = StageAt::<{ stages::D }>::new(attrs.j);
            let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
            run_growing(self, s, stage, Mode::Decode, work, pool);
        } else {
            go_on(self, s, at::MEET_3, Self::meet_3);
        }
    }

    #[inline(never)]
    fn after_d_decode(&mut self, s: Sid) {
        go_on(self, s, at::MEET_3, Self::meet_3);
    }

    #[inline(never)]
    fn meet_3(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::D_REQS }>);
        leave(self, s, HoldAt::<{ holds::D_KV_D_REQS }>);
        unguard(self, s);
        go_on(self, s, at::MEET_6, Self::meet_6);
    }

    #[inline(never)]
    fn lost_d_2(&mut self, s: Sid) {
        // D[j].decode (prompt) else { set lost = 2; }                            decoder_dies.sq:48
        self.attrs[s as usize].lost = 2.0;
        go_on(self, s, at::MEET_5, Self::meet_5);
    }

    #[inline(never)]
    fn holding_d_kv_d_reqs_2(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // at admission (known = known_tokens(D.length),                          decoder_dies.sq:83
        attrs.d_known = attrs.d_length.max(self.k.control(s).b.computed + 1.0);
        // set length = known;                                                    decoder_dies.sq:85
        attrs.d_length = attrs.d_known;
        // set c = min(cached, reusable(length, bs));                             decoder_dies.sq:86
        attrs.d_c = self
            .k
            .control(s)
            .b
            .cached
            .min(((attrs.d_length - 1.0) / self.params.bs).floor() * self.params.bs);
        // prefill (length - c) growing kv;                                       decoder_dies.sq:87
        let work = self.k.work(attrs.d_length - attrs.d_c, s, 31);
        self.k.control_mut(s).at = at::AFTER_D_PREFILL_2;
        let stage = StageAt::<{ stages::D }>::new(attrs.j);
        let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_d_prefill_2(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (length == prompt) { mark first_token; }                        decoder_dies.sq:88
        if attrs.d_length == attrs.prompt {
            // branch (length == prompt) { mark first_token; }                        decoder_dies.sq:88
            attrs.d_first_token = self.k.now;
        }
        // branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; } decoder_dies.sq:89
        if attrs.d_length < attrs.prompt + attrs.o - 1.0 {
            // branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; } decoder_dies.sq:89
            let work = self.k.work(attrs.prompt + attrs.o - 1.0 - attrs.d_length, s, 34);
            self.k.control_mut(s).at = at::AFTER_D_DECODE_2;
            let stage = StageAt::<{ stages::D }>::new(attrs.j);
            let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
            run_growing(self, s, stage, Mode::Decode, work, pool);
        } else {
            go_on(self, s, at::MEET_4, Self::meet_4);
        }
    }

    #[inline(never)]
    fn after_d_decode_2(&mut self, s: Sid) {
        go_on(self, s, at::MEET_4, Self::meet_4);
    }

    #[inline(never)]
    fn meet_4(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::D_KV_D_REQS_2 }>);
        unguard(self, s);
        go_on(self, s, at::MEET_5, Self::meet_5);
    }

    #[inline(never)]
    fn meet_5(&mut self, s: Sid) {
        go_on(self, s, at::MEET_6, Self::meet_6);
    }

    #[inline(never)]
    fn meet_6(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // observe lost = lost;                                                   decoder_dies.sq:50
        self.k.observe(1, s, attrs.lost);
        // branch (lost < 2) {                                                    decoder_dies.sq:51
        if attrs.lost < 2.0 {
            // observe ttft = D.first_token - t0;                                     decoder_dies.sq:52
            self.k.observe(2, s, attrs.d_first_token - attrs.t0);
            // observe response = now - t0;                                           decoder_dies.sq:53
            self.k.observe(3, s, self.k.now - attrs.t0);
            // branch (lost == 1) { observe response_lost = now - t0; }               decoder_dies.sq:54
            if attrs.lost == 1.0 {
                // branch (lost == 1) { observe response_lost = now - t0; }               decoder_dies.sq:54
                self.k.observe(4, s, self.k.now - attrs.t0);
            }
        }
        // set K = prompt + o;                                                    decoder_dies.sq:139
        attrs.k = attrs.prompt + attrs.o;
        // branch (more) { tool (~exp(Z)); turn; } else { end; }                  decoder_dies.sq:140
        if attrs.more {
            // branch (more) { tool (~exp(Z)); turn; } else { end; }                  decoder_dies.sq:140
            let work = {
                let amount = self.k.session_rng(s).exp(self.params.z);
                self.k.work(amount, s, 37)
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
        // branch (more) { tool (~exp(Z)); turn; } else { end; }                  decoder_dies.sq:140
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    /// Runs session `s` from where it waited until it waits again or ends.
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::HOLDING_P_REQS_P_KV => self.holding_p_reqs_p_kv(s),
            at::AFTER_P_PREFILL => self.after_p_prefill(s),
            at::LOST_D => self.lost_d(s),
            at::HOLDING_D_KV_D_REQS => self.holding_d_kv_d_reqs(s),
            at::AFTER_D_NIC_LATENCY => self.after_d_nic_latency(s),
            at::AFTER_P_NIC_D_NIC => self.after_p_nic_d_nic(s),
            at::HOLDING_D_REQS => self.holding_d_reqs(s),
            at::AFTER_D_PREFILL => self.after_d_prefill(s),
            at::AFTER_D_DECODE => self.after_d_decode(s),
            at::LOST_D_2 => self.lost_d_2(s),
            at::HOLDING_D_KV_D_REQS_2 => self.holding_d_kv_d_reqs_2(s),
            at::AFTER_D_PREFILL_2 => self.after_d_prefill_2(s),
            at::AFTER_D_DECODE_2 => self.after_d_decode_2(s),
            at::AFTER_TOOL => self.after_tool(s),
            _ => {}
        }
    }

    // hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt) decoder_dies.sq:65
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
            self.k.units(amount, s, 43)
        };
        let reserve = self.k.units(prompt, s, 44);
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // P[i].prefill (prompt);                                                 decoder_dies.sq:44
    #[inline]
    fn cache_p_reqs_p_kv(&mut self, s: Sid) -> f64 {
        self.attrs[s as usize].prompt
    }

    // } cache (prompt) lease kv (lease) renew (beat, lease);                 decoder_dies.sq:69
    #[inline]
    fn lease_p_reqs_p_kv(&mut self, s: Sid) -> f64 {
        self.params.lease
    }

    // } cache (prompt) lease kv (lease) renew (beat, lease);                 decoder_dies.sq:69
    fn renew_p_reqs_p_kv(&mut self, s: Sid) -> Option<(f64, f64)> {
        let period = self.k.units(self.params.beat, s, 45);
        Some((period, self.k.units(self.params.lease, s, 46)))
    }

    // hold kv (D.transferred ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), r... decoder_dies.sq:96
    #[inline(always)]
    fn header_d_kv_d_reqs(&mut self, s: Sid) -> Header {
        let Session { d_length, j, d_transferred, .. } = self.attrs[s as usize];
        let d_known = d_length.max(self.k.control(s).b.computed + 1.0);
        let part = ((d_known - 1.0) / self.params.bs).floor() * self.params.bs;
        let mut header = Header {
            reuse: part,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::D_KV, j);
        let units = {
            let amount = if d_transferred != 0.0 {
                d_known
                    .min(
                        cached_in(self, PoolAt::<{ pools::D_KV }>::new(j), s).min(part)
                            + budget_left(self, StageAt::<{ stages::D }>::new(j))
                                .min(f64::INFINITY),
                    )
            } else {
                d_known
            };
            self.k.units(amount, s, 50)
        };
        let reserve = self.k.units(d_known, s, 51);
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::D_REQS, j);
        let units = 0.0;
        let reserve = 1.0;
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (prompt + o);                                                  decoder_dies.sq:116
    #[inline]
    fn cache_d_kv_d_reqs(&mut self, s: Sid) -> f64 {
        let attrs = &self.attrs[s as usize];
        attrs.prompt + attrs.o
    }

    // hold reqs (1) {                                                        decoder_dies.sq:111
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

    // hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1) decoder_dies.sq:82
    #[inline(always)]
    fn header_d_kv_d_reqs_2<const JOINS: bool>(&mut self, s: Sid) -> Header {
        let Session { d_length, j, .. } = self.attrs[s as usize];
        let d_known = d_length.max(self.k.control(s).b.computed + 1.0);
        let mut header = Header {
            reuse: f64::INFINITY,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::D_KV, j);
        let units = if JOINS
            && ((d_known - 1.0) / self.params.bs).floor() * self.params.bs >= 0.0
            && d_known >= 0.0
        {
            0.0
        } else {
            let amount = d_known
                .min(
                    cached_in(self, PoolAt::<{ pools::D_KV }>::new(j), s)
                        .min(((d_known - 1.0) / self.params.bs).floor() * self.params.bs)
                        + budget_left(self, StageAt::<{ stages::D }>::new(j))
                            .min(f64::INFINITY),
                );
            self.k.units(amount, s, 43)
        };
        let reserve = self.k.units(d_known, s, 51);
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::D_REQS, j);
        let units = 1.0;
        let reserve = units;
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (prompt + o);                                                  decoder_dies.sq:90
    #[inline]
    fn cache_d_kv_d_reqs_2(&mut self, s: Sid) -> f64 {
        let attrs = &self.attrs[s as usize];
        attrs.prompt + attrs.o
    }

    // serve step { budget B; cost max(omega + beta * (kv_decode + kv_prefill), tokens * a); memory kv; } decoder_dies.sq:62
    #[inline]
    fn budget_p(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // serve step { budget B; cost max(omega + beta * (kv_decode + kv_prefill), tokens * a); memory kv; } decoder_dies.sq:62
    #[inline]
    fn cost_p(&mut self, member: usize, it: &Iteration) -> f64 {
        (self.params.omega + self.params.beta * (it.kv_decode + it.kv_prefill))
            .max(it.tokens * self.params.a)
    }

    // serve step { budget B; cost max(omega + beta * (kv_decode + kv_prefill), tokens * a); memory kv; } decoder_dies.sq:76
    #[inline]
    fn budget_d(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // serve step { budget B; cost max(omega + beta * (kv_decode + kv_prefill), tokens * a); memory kv; } decoder_dies.sq:76
    #[inline]
    fn cost_d(&mut self, member: usize, it: &Iteration) -> f64 {
        (self.params.omega + self.params.beta * (it.kv_decode + it.kv_prefill))
            .max(it.tokens * self.params.a)
    }

    // pool reqs { cap max_seqsD; queue by (D.parked, D.place); admit via D; } decoder_dies.sq:74
    fn queue_keys_d_reqs(&mut self, member: usize, s: Sid, waited: f64) -> Keys {
        let attrs = &self.attrs[s as usize];
        keys([attrs.d_parked, attrs.d_place])
    }

    #[inline]
    fn kept_0(&self, member: usize) -> [f64; 2] {
        // choose j in ND by (up(D[j]) ? 0 : 1, holders(D[j].kv) + queued(D[j].kv)); decoder_dies.sq:42
        [
            if stage_up(self, StageKey::new(stages::D, member)) != 0.0 {
                0.0
            } else {
                1.0
            },
            self.d[member].kv.holders() + self.d[member].kv.queued(),
        ]
    }

    #[inline]
    fn kept_1(&self, member: usize) -> [f64; 2] {
        // choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs)); decoder_dies.sq:43
        [
            1.0,
            stage_work(self, StageAt::<{ stages::P }>::new(member))
                + self.p[member].reqs.queued(),
        ]
    }

    #[inline]
    fn keys_1(&mut self, member: usize, s: Sid) -> [f64; 2] {
        // choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs)); decoder_dies.sq:43
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
        // gauge pods_up = sum k in ND (up(D[k]));                                decoder_dies.sq:145
        [stage_up(self, StageKey::new(stages::D, member))]
    }

    #[inline]
    fn kept_3(&self, member: usize) -> [f64; 1] {
        // gauge leased = sum k in NP (used(P[k].kv));                            decoder_dies.sq:146
        [self.p[member].kv.used]
    }
}

#[allow(unused_variables, clippy::manual_clamp)]
impl World for Model {
    const NAME: &'static str = "decoder_dies";
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
            dirty: [2, 0, 0],
            kept: [8, 0, 0, 2],
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
            name: "P",
            single: false,
            kind: StageType::Step,
            exclusive: false,
            only: false,
            serve_keys: 0,
            memory: Some((pools::P_KV, false)),
            serves: &[pools::P_REQS],
            plannable: false,
            cost_site: 60,
            dirty: 0,
            kept: 2,
        },
        StageSpec {
            name: "P.nic",
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
            name: "D",
            single: false,
            kind: StageType::Step,
            exclusive: false,
            only: false,
            serve_keys: 0,
            memory: Some((pools::D_KV, false)),
            serves: &[pools::D_REQS, pools::D_KV],
            plannable: true,
            cost_site: 61,
            dirty: 1,
            kept: 5,
        },
        StageSpec {
            name: "D.nic",
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
            name: "D.nic.latency",
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
            of: KeptOf::Stage(stages::D),
            keys: 2,
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
            of: KeptOf::Stage(stages::D),
            keys: 1,
            least: false,
            greatest: false,
            total: true,
        },
        KeptSpec {
            of: KeptOf::Pool(pools::P_KV),
            keys: 1,
            least: false,
            greatest: false,
            total: true,
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
            site: 62,
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
            site: 63,
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
            site: 64,
        },
        HoldSpec {
            claims: 2,
            pools: &[pools::D_KV, pools::D_REQS],
            caches: true,
            plain_cache: true,
            leases: None,
            reuses: false,
            steady: &[(false, true), (true, false)],
            checked: &[false, true],
            body: at::HOLDING_D_KV_D_REQS_2,
            site: 65,
        },
    ];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 110),
        (at::AGAIN, 111),
        (at::HOLDING_P_REQS_P_KV, 62),
        (at::AFTER_P_PREFILL, 112),
        (at::LOST_D, 11),
        (at::HOLDING_D_KV_D_REQS, 63),
        (at::AFTER_D_NIC_LATENCY, 19),
        (at::AFTER_P_NIC_D_NIC, 19),
        (at::MEET, 19),
        (at::MEET_2, 64),
        (at::HOLDING_D_REQS, 64),
        (at::AFTER_D_PREFILL, 113),
        (at::AFTER_D_DECODE, 114),
        (at::MEET_3, 64),
        (at::LOST_D_2, 12),
        (at::HOLDING_D_KV_D_REQS_2, 65),
        (at::AFTER_D_PREFILL_2, 115),
        (at::AFTER_D_DECODE_2, 116),
        (at::MEET_4, 65),
        (at::MEET_6, 117),
        (at::AFTER_TOOL, 118),
    ];
    const ARRIVE_SITE: u32 = 103;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "NP",
            default: "2",
            comment: "prefill pods",
        },
        ParamSpec {
            name: "ND",
            default: "3",
            comment: "decode pods",
        },
        ParamSpec {
            name: "dies",
            default: "600",
            comment: "when decode pod 0 dies, s (inf: never)",
        },
        ParamSpec {
            name: "outage",
            default: "120",
            comment: "for how long, s",
        },
        ParamSpec {
            name: "lease",
            default: "30",
            comment: "a lease without heartbeats, s",
        },
        ParamSpec {
            name: "beat",
            default: "5",
            comment: "from one heartbeat to the next, s",
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
            default: "40000",
            comment: "KV blocks of a prefill pod",
        },
        ParamSpec {
            name: "blocksD",
            default: "40000",
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
            comment: "longest prompt plus output, in tokens",
        },
        ParamSpec {
            name: "a",
            default: "2e-5",
            comment: "compute time of a scheduled token, s",
        },
        ParamSpec {
            name: "omega",
            default: "0.02",
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
            comment: "bandwidth of a prefill pod's NIC, tokens/s",
        },
        ParamSpec {
            name: "BwD",
            default: "2e5",
            comment: "bandwidth of a decode pod's NIC, tokens/s",
        },
        ParamSpec {
            name: "x0",
            default: "0.002",
            comment: "time to post a read and notice its end, s",
        },
        ParamSpec {
            name: "Lambda",
            default: "1.5",
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
        "read",
        "lost",
        "ttft",
        "response",
        "response_lost",
    ];
    const GAUGES: &'static [&'static str] = &["pods_up", "leased"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    const RENEWS: bool = true;
    const FAILING: &'static [FailingQueue] = &[
        FailingQueue {
            single: false,
            pools: &[2, 3],
            stages: &[2, 3, 4],
        },
    ];
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 2.0,
            1 => 3.0,
            2 => 600.0,
            3 => 120.0,
            4 => 30.0,
            5 => 5.0,
            6 => 8192.0,
            7 => 16.0,
            8 => 64.0,
            9 => 40000.0,
            10 => 40000.0,
            11 => 16.0,
            12 => 16384.0,
            13 => 2e-5,
            14 => 0.02,
            15 => 2e-9,
            16 => 200000.0,
            17 => 200000.0,
            18 => 0.002,
            19 => 1.5,
            20 => 0.9,
            21 => 3.0,
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
        check(!p.np.is_nan(), "S162", "a `let` is not a number", 66u32, &mut refused);
        check(!p.nd.is_nan(), "S162", "a `let` is not a number", 67u32, &mut refused);
        check(!p.dies.is_nan(), "S162", "a `let` is not a number", 68u32, &mut refused);
        check(
            !p.outage.is_nan(),
            "S162",
            "a `let` is not a number",
            69u32,
            &mut refused,
        );
        check(!p.lease.is_nan(), "S162", "a `let` is not a number", 70u32, &mut refused);
        check(!p.beat.is_nan(), "S162", "a `let` is not a number", 71u32, &mut refused);
        check(!p.b.is_nan(), "S162", "a `let` is not a number", 72u32, &mut refused);
        check(
            !p.max_seqs_p.is_nan(),
            "S162",
            "a `let` is not a number",
            73u32,
            &mut refused,
        );
        check(
            !p.max_seqs_d.is_nan(),
            "S162",
            "a `let` is not a number",
            74u32,
            &mut refused,
        );
        check(
            !p.blocks_p.is_nan(),
            "S162",
            "a `let` is not a number",
            75u32,
            &mut refused,
        );
        check(
            !p.blocks_d.is_nan(),
            "S162",
            "a `let` is not a number",
            76u32,
            &mut refused,
        );
        check(!p.bs.is_nan(), "S162", "a `let` is not a number", 77u32, &mut refused);
        check(
            !p.max_model_len.is_nan(),
            "S162",
            "a `let` is not a number",
            78u32,
            &mut refused,
        );
        check(!p.a.is_nan(), "S162", "a `let` is not a number", 79u32, &mut refused);
        check(!p.omega.is_nan(), "S162", "a `let` is not a number", 80u32, &mut refused);
        check(!p.beta.is_nan(), "S162", "a `let` is not a number", 81u32, &mut refused);
        check(!p.bw_p.is_nan(), "S162", "a `let` is not a number", 82u32, &mut refused);
        check(!p.bw_d.is_nan(), "S162", "a `let` is not a number", 83u32, &mut refused);
        check(!p.x0.is_nan(), "S162", "a `let` is not a number", 84u32, &mut refused);
        check(
            !p.lambda.is_nan(),
            "S162",
            "a `let` is not a number",
            85u32,
            &mut refused,
        );
        check(!p.p.is_nan(), "S162", "a `let` is not a number", 86u32, &mut refused);
        check(!p.z.is_nan(), "S162", "a `let` is not a number", 87u32, &mut refused);
        check(
            !p.np.is_nan(),
            "S162",
            "a family's size is not a number",
            88u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            88u32,
            &mut refused,
        );
        check(
            p.np <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            88u32,
            &mut refused,
        );
        check(
            !p.nd.is_nan(),
            "S162",
            "a family's size is not a number",
            89u32,
            &mut refused,
        );
        check(
            p.nd == p.nd.floor() && p.nd >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            89u32,
            &mut refused,
        );
        check(
            p.nd <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            89u32,
            &mut refused,
        );
        check(
            !p.max_seqs_p.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            90u32,
            &mut refused,
        );
        check(
            p.max_seqs_p >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            90u32,
            &mut refused,
        );
        check(
            !(p.blocks_p * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            91u32,
            &mut refused,
        );
        check(
            p.blocks_p * p.bs >= 0.0,
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
            !p.bw_p.is_nan(),
            "S168",
            "the capacity is not a number",
            93u32,
            &mut refused,
        );
        check(
            !p.max_seqs_d.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            94u32,
            &mut refused,
        );
        check(
            p.max_seqs_d >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            94u32,
            &mut refused,
        );
        check(
            !(p.blocks_d * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            95u32,
            &mut refused,
        );
        check(
            p.blocks_d * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            95u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            96u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            96u32,
            &mut refused,
        );
        check(
            !p.bw_d.is_nan(),
            "S168",
            "the capacity is not a number",
            97u32,
            &mut refused,
        );
        check(!p.x0.is_nan(), "S162", "a latency is not a number", 18u32, &mut refused);
        check(
            p.x0 >= 0.0,
            "S163",
            "this latency is negative or not a number",
            18u32,
            &mut refused,
        );
        check(
            p.nd == p.nd.floor() && p.nd >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            98u32,
            &mut refused,
        );
        check(
            p.nd <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            98u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            99u32,
            &mut refused,
        );
        check(
            p.np <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            99u32,
            &mut refused,
        );
        check(
            0.0 < p.nd,
            "S070",
            "this is the number of no member of `D`",
            100u32,
            &mut refused,
        );
        check(
            !p.dies.is_nan(),
            "S162",
            "the time of a failure is not a number",
            101u32,
            &mut refused,
        );
        check(
            !p.outage.is_nan(),
            "S162",
            "the time of a failure is not a number",
            102u32,
            &mut refused,
        );
        check(
            p.dies >= 0.0,
            "S235",
            "a failure begins at 0 s or later, and lasts no less than 0 s",
            101u32,
            &mut refused,
        );
        check(
            p.outage >= 0.0,
            "S235",
            "a failure begins at 0 s or later, and lasts no less than 0 s",
            102u32,
            &mut refused,
        );
        check(
            !p.lambda.is_nan(),
            "S162",
            "an arrival rate is not a number",
            103u32,
            &mut refused,
        );
        check(
            p.lambda > 0.0 && p.lambda < f64::INFINITY,
            "S185",
            "the arrival rate is not a finite number above 0",
            103u32,
            &mut refused,
        );
        check(
            p.p >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            104u32,
            &mut refused,
        );
        check(
            p.p <= 1.0,
            "S176",
            "nothing can be drawn with these numbers",
            104u32,
            &mut refused,
        );
        check(
            p.nd == p.nd.floor() && p.nd >= 0.0,
            "S175",
            "a choice is among a whole number of at least 0",
            0u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 0.0,
            "S175",
            "a choice is among a whole number of at least 0",
            4u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs_p,
            "S164",
            "this is more than `P.reqs` ever holds",
            105u32,
            &mut refused,
        );
        check(
            p.beat >= 0.0,
            "S163",
            "this seconds is negative or not a number",
            45u32,
            &mut refused,
        );
        check(
            p.beat > 0.0 && p.beat < f64::INFINITY,
            "S239",
            "heartbeats come at positive intervals",
            45u32,
            &mut refused,
        );
        check(
            p.lease >= 0.0,
            "S163",
            "this seconds is negative or not a number",
            46u32,
            &mut refused,
        );
        check(
            0.0 <= p.max_seqs_d,
            "S164",
            "this is more than `D.reqs` ever holds",
            106u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs_d,
            "S164",
            "this is more than `D.reqs` ever holds",
            107u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs_d,
            "S164",
            "this is more than `D.reqs` ever holds",
            108u32,
            &mut refused,
        );
        check(
            p.nd == p.nd.floor() && p.nd >= 0.0,
            "S175",
            "a choice is among a whole number of at least 0",
            13u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs_d,
            "S164",
            "this is more than `D.reqs` ever holds",
            109u32,
            &mut refused,
        );
        check(
            p.z >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            37u32,
            &mut refused,
        );
        check(
            p.bw_p > 0.0,
            "S111",
            "the capacity of `P.nic` is not above 0, and flows share it",
            19u32,
            &mut refused,
        );
        check(
            p.bw_d > 0.0,
            "S111",
            "the capacity of `D.nic` is not above 0, and flows share it",
            19u32,
            &mut refused,
        );
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Model {
            k: Kernel::new(settings, Some(Share::Maxmin)),
            p: (0..p.np as usize)
                .map(|_| P {
                    reqs: Pool::new(p.max_seqs_p, 0.0, settings),
                    kv: Pool::new(p.blocks_p * p.bs, p.bs, settings),
                    serve: Engine::new(settings),
                    nic: Link::new(p.bw_p),
                })
                .collect(),
            d: (0..p.nd as usize)
                .map(|_| D {
                    reqs: Pool::new(p.max_seqs_d, 0.0, settings),
                    kv: Pool::new(p.blocks_d * p.bs, p.bs, settings),
                    serve: Engine::new(settings),
                    nic: Link::new(p.bw_d),
                    nic_latency: Delay::new(settings),
                })
                .collect(),
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
            stages::P => self.p.len(),
            stages::P_NIC => self.p.len(),
            stages::D => self.d.len(),
            stages::D_NIC => self.d.len(),
            stages::D_NIC_LATENCY => self.d.len(),
            stages::TOOL => 1,
            _ => 0,
        }
    }

    #[inline]
    fn delay(&self, at: impl AtStage) -> &Delay {
        let key = at.key();
        match key.family {
            stages::D_NIC_LATENCY => &self.d[key.member as usize].nic_latency,
            _ => &self.tool,
        }
    }

    #[inline]
    fn delay_mut(&mut self, at: impl AtStage) -> &mut Delay {
        let key = at.key();
        match key.family {
            stages::D_NIC_LATENCY => &mut self.d[key.member as usize].nic_latency,
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
            stages::P_NIC => &self.p[key.member as usize].nic,
            _ => &self.d[key.member as usize].nic,
        }
    }

    #[inline]
    fn link_mut(&mut self, at: impl AtStage) -> &mut Link {
        let key = at.key();
        match key.family {
            stages::P_NIC => &mut self.p[key.member as usize].nic,
            _ => &mut self.d[key.member as usize].nic,
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
    fn renew_clause(&mut self, s: Sid, hold: u32) -> Option<(f64, f64)> {
        match hold {
            holds::P_REQS_P_KV => self.renew_p_reqs_p_kv(s),
            _ => None,
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

    fn failures(&self) -> Vec<Failure> {
        vec![
            Failure { queue : 0, member : (0.0) as u32, at : self.params.dies, lasts :
            self.params.outage }
        ]
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
            stages::D_NIC_LATENCY => {
                op.run(self, StageAt::<{ stages::D_NIC_LATENCY }>(stage.member))
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
            for its_k in 0..self.params.nd as usize {
                let value = stage_up(self, StageKey::new(stages::D, its_k));
                all_total += value;
            }
        }
        // gauge pods_up = sum k in ND (up(D[k]));                                decoder_dies.sq:145
        let value = all_total;
        self.k.set_gauge(0, value);
    }

    #[inline]
    fn read_gauges_1(&mut self) {
        let mut all_total = 0.0;
        if let Some(kept) = kept(self, 3, Self::kept_3) {
            all_total = kept.total();
        } else {
            for its_k in 0..self.p.len() {
                let value = self.p[its_k].kv.used;
                all_total += value;
            }
        }
        // gauge leased = sum k in NP (used(P[k].kv));                            decoder_dies.sq:146
        let value = all_total;
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
    /// `P`
    pub const P: u16 = 0;
    /// `P.nic`
    pub const P_NIC: u16 = 1;
    /// `D`
    pub const D: u16 = 2;
    /// `D.nic`
    pub const D_NIC: u16 = 3;
    /// `D.nic.latency`
    pub const D_NIC_LATENCY: u16 = 4;
    /// `tool`
    pub const TOOL: u16 = 5;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {
    /// `hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)`
    pub const P_REQS_P_KV: u32 = 0;
    /// `hold kv (D.transferred ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), r...`
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
    /// holding p reqs p kv
    pub const HOLDING_P_REQS_P_KV: u32 = 4;
    /// after p prefill
    pub const AFTER_P_PREFILL: u32 = 5;
    /// called
    pub const CALLED: u32 = 6;
    /// lost d
    pub const LOST_D: u32 = 7;
    /// holding d kv d reqs
    pub const HOLDING_D_KV_D_REQS: u32 = 8;
    /// then 2
    pub const THEN_2: u32 = 9;
    /// otherwise 2
    pub const OTHERWISE_2: u32 = 10;
    /// then 3
    pub const THEN_3: u32 = 11;
    /// otherwise 3
    pub const OTHERWISE_3: u32 = 12;
    /// after d nic latency
    pub const AFTER_D_NIC_LATENCY: u32 = 13;
    /// after p nic d nic
    pub const AFTER_P_NIC_D_NIC: u32 = 14;
    /// meet
    pub const MEET: u32 = 15;
    /// meet 2
    pub const MEET_2: u32 = 16;
    /// holding d reqs
    pub const HOLDING_D_REQS: u32 = 17;
    /// after d prefill
    pub const AFTER_D_PREFILL: u32 = 18;
    /// then 4
    pub const THEN_4: u32 = 19;
    /// otherwise 4
    pub const OTHERWISE_4: u32 = 20;
    /// after d decode
    pub const AFTER_D_DECODE: u32 = 21;
    /// meet 3
    pub const MEET_3: u32 = 22;
    /// called 2
    pub const CALLED_2: u32 = 23;
    /// lost d 2
    pub const LOST_D_2: u32 = 24;
    /// holding d kv d reqs 2
    pub const HOLDING_D_KV_D_REQS_2: u32 = 25;
    /// after d prefill 2
    pub const AFTER_D_PREFILL_2: u32 = 26;
    /// then 5
    pub const THEN_5: u32 = 27;
    /// otherwise 5
    pub const OTHERWISE_5: u32 = 28;
    /// after d decode 2
    pub const AFTER_D_DECODE_2: u32 = 29;
    /// meet 4
    pub const MEET_4: u32 = 30;
    /// meet 5
    pub const MEET_5: u32 = 31;
    /// meet 6
    pub const MEET_6: u32 = 32;
    /// then 6
    pub const THEN_6: u32 = 33;
    /// otherwise 6
    pub const OTHERWISE_6: u32 = 34;
    /// after tool
    pub const AFTER_TOOL: u32 = 35;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "decoder_dies.sq",
        line: 42,
        col: 17,
        text: "    choose j in ND by (up(D[j]) ? 0 : 1, holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 42,
        col: 29,
        text: "    choose j in ND by (up(D[j]) ? 0 : 1, holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 42,
        col: 52,
        text: "    choose j in ND by (up(D[j]) ? 0 : 1, holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 42,
        col: 70,
        text: "    choose j in ND by (up(D[j]) ? 0 : 1, holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 43,
        col: 17,
        text: "    choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 43,
        col: 35,
        text: "    choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 43,
        col: 62,
        text: "    choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 43,
        col: 77,
        text: "    choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 68,
        col: 16,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 68,
        col: 7,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 68,
        col: 36,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 45,
        col: 5,
        text: "    D[j].decode (prompt) from P[i] else {",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 48,
        col: 7,
        text: "      D[j].decode (prompt) else { set lost = 2; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 47,
        col: 19,
        text: "      choose j in ND by (up(D[j]) ? 0 : 1, holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 47,
        col: 31,
        text: "      choose j in ND by (up(D[j]) ? 0 : 1, holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 47,
        col: 54,
        text: "      choose j in ND by (up(D[j]) ? 0 : 1, holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 47,
        col: 72,
        text: "      choose j in ND by (up(D[j]) ? 0 : 1, holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 106,
        col: 36,
        text: "        transfer (prompt - c) from src to kv (prompt - 1 - c) else { set read = 0; }  // the lease had run out",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 120,
        col: 18,
        text: "D pull P latency x0 share maxmin;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 106,
        col: 9,
        text: "        transfer (prompt - c) from src to kv (prompt - 1 - c) else { set read = 0; }  // the lease had run out",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 104,
        col: 29,
        text: "        set place = holders(kv);",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 106,
        col: 19,
        text: "        transfer (prompt - c) from src to kv (prompt - 1 - c) else { set read = 0; }  // the lease had run out",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 106,
        col: 47,
        text: "        transfer (prompt - c) from src to kv (prompt - 1 - c) else { set read = 0; }  // the lease had run out",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 106,
        col: 43,
        text: "        transfer (prompt - c) from src to kv (prompt - 1 - c) else { set read = 0; }  // the lease had run out",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 109,
        col: 17,
        text: "        branch (read) { set c = prompt - 1; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 112,
        col: 18,
        text: "        prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 112,
        col: 9,
        text: "        prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 112,
        col: 38,
        text: "        prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 114,
        col: 52,
        text: "        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 114,
        col: 44,
        text: "        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 114,
        col: 85,
        text: "        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 87,
        col: 16,
        text: "      prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 87,
        col: 7,
        text: "      prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 87,
        col: 36,
        text: "      prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 89,
        col: 50,
        text: "      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 89,
        col: 42,
        text: "      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 89,
        col: 83,
        text: "      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 140,
        col: 29,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 140,
        col: 23,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 65,
        col: 10,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 65,
        col: 20,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 66,
        col: 43,
        text: "         at admission (hit = min(cachedin(kv), reusable(prompt, bs))) {",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 65,
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
        file: "decoder_dies.sq",
        line: 44,
        col: 19,
        text: "    P[i].prefill (prompt);",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 69,
        col: 46,
        text: "    } cache (prompt) lease kv (lease) renew (beat, lease);",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 69,
        col: 52,
        text: "    } cache (prompt) lease kv (lease) renew (beat, lease);",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 96,
        col: 10,
        text: "    hold kv (D.transferred ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 99,
        col: 43,
        text: "                       hit = min(cachedin(kv), reusable(known, bs))) {",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 96,
        col: 66,
        text: "    hold kv (D.transferred ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 96,
        col: 14,
        text: "    hold kv (D.transferred ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "vllm.sq",
        line: 11,
        col: 28,
        text: "def known_tokens(length) = max(length, computed + 1);",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 96,
        col: 101,
        text: "    hold kv (D.transferred ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 111,
        col: 12,
        text: "      hold reqs (1) {",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 82,
        col: 10,
        text: "    hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 84,
        col: 43,
        text: "                       hit = min(cachedin(kv), reusable(known, bs))) {",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 82,
        col: 50,
        text: "    hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 82,
        col: 77,
        text: "    hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 145,
        col: 35,
        text: "gauge pods_up = sum k in ND (up(D[k]));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 146,
        col: 36,
        text: "gauge leased = sum k in NP (used(P[k].kv));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 62,
        col: 31,
        text: "  serve step { budget B; cost max(omega + beta * (kv_decode + kv_prefill), tokens * a); memory kv; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 76,
        col: 31,
        text: "  serve step { budget B; cost max(omega + beta * (kv_decode + kv_prefill), tokens * a); memory kv; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 65,
        col: 5,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 96,
        col: 5,
        text: "    hold kv (D.transferred ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 111,
        col: 7,
        text: "      hold reqs (1) {",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 82,
        col: 5,
        text: "    hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 12,
        col: 10,
        text: "let NP = 2;           // prefill pods",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 13,
        col: 10,
        text: "let ND = 3;           // decode pods",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 14,
        col: 12,
        text: "let dies = 600;       // when decode pod 0 dies, s (inf: never)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 15,
        col: 14,
        text: "let outage = 120;     // for how long, s",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 16,
        col: 13,
        text: "let lease = 30;       // a lease without heartbeats, s",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 17,
        col: 12,
        text: "let beat = 5;         // from one heartbeat to the next, s",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 18,
        col: 9,
        text: "let B = 8192;         // tokens an engine may schedule in one iteration",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 19,
        col: 17,
        text: "let max_seqsP = 16;   // running requests at most, prefill pod",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 20,
        col: 17,
        text: "let max_seqsD = 64;   // running requests at most, decode pod",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 21,
        col: 15,
        text: "let blocksP = 40000;  // KV blocks of a prefill pod",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 22,
        col: 15,
        text: "let blocksD = 40000;  // KV blocks of a decode pod",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 23,
        col: 10,
        text: "let bs = 16;          // tokens in a KV block",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 24,
        col: 21,
        text: "let max_model_len = 16384;  // longest prompt plus output, in tokens",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 25,
        col: 9,
        text: "let a = 2e-5;         // compute time of a scheduled token, s",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 26,
        col: 13,
        text: "let omega = 0.02;     // time to read the weights once, s",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 27,
        col: 12,
        text: "let beta = 2e-9;      // time to read the KV of one resident token, s",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 28,
        col: 11,
        text: "let BwP = 2e5;        // bandwidth of a prefill pod's NIC, tokens/s",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 29,
        col: 11,
        text: "let BwD = 2e5;        // bandwidth of a decode pod's NIC, tokens/s",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 30,
        col: 10,
        text: "let x0 = 0.002;       // time to post a read and notice its end, s",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 31,
        col: 14,
        text: "let Lambda = 1.5;     // arriving sessions per second",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 32,
        col: 9,
        text: "let p = 0.9;          // probability of another turn",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 33,
        col: 9,
        text: "let Z = 3.0;          // mean time of a tool call between turns, s",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 59,
        col: 9,
        text: "queue P[NP] : prefill {",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 73,
        col: 9,
        text: "queue D[ND] : decode {",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 60,
        col: 19,
        text: "  pool reqs { cap max_seqsP; admit via P; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 61,
        col: 17,
        text: "  pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 61,
        col: 37,
        text: "  pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 63,
        col: 10,
        text: "  nic ps(BwP);",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 74,
        col: 19,
        text: "  pool reqs { cap max_seqsD; queue by (D.parked, D.place); admit via D; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 75,
        col: 17,
        text: "  pool kv { cap blocksD * bs; block bs; evict lru; preempt lifo; admit via D; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 75,
        col: 37,
        text: "  pool kv { cap blocksD * bs; block bs; evict lru; preempt lifo; admit via D; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 77,
        col: 10,
        text: "  nic ps(BwD);",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 145,
        col: 26,
        text: "gauge pods_up = sum k in ND (up(D[k]));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 146,
        col: 25,
        text: "gauge leased = sum k in NP (used(P[k].kv));",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 121,
        col: 8,
        text: "fail D[0] at dies for outage;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 121,
        col: 14,
        text: "fail D[0] at dies for outage;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 121,
        col: 23,
        text: "fail D[0] at dies for outage;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 126,
        col: 18,
        text: "  arrive poisson(Lambda);",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 132,
        col: 16,
        text: "    set more = ~bernoulli(p);",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 65,
        col: 16,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 96,
        col: 107,
        text: "    hold kv (D.transferred ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 96,
        col: 119,
        text: "    hold kv (D.transferred ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 111,
        col: 18,
        text: "      hold reqs (1) {",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 82,
        col: 83,
        text: "    hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 135,
        col: 5,
        text: "    turn;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 137,
        col: 7,
        text: "      branch (K + n >= max_model_len) { end; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 68,
        col: 7,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 112,
        col: 9,
        text: "        prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 114,
        col: 44,
        text: "        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 87,
        col: 7,
        text: "      prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 89,
        col: 42,
        text: "      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 50,
        col: 5,
        text: "    observe lost = lost;  // pods that the request lost",
    },
    SourceSite {
        file: "decoder_dies.sq",
        line: 140,
        col: 23,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("decoder_dies.sq", r#"// A decode pod dies and comes back, in the deployment of `llmd_nixl_pull.sq`.
//
// All that the pod has is gone: running requests, those that read from a prefill pod, those that wait, its prefix
// cache. The router sends their requests to another pod, which computes what was lost; a second loss is the client's.
// A prefill pod holds a request's blocks under a lease that the reader's heartbeats renew; those of a dead reader stop,
// and the lease runs out. A read that comes too late fails, and the decode pod computes the prompt itself.
//
// Question: what does an outage cost those who live through it (`lost`, `ttft`, `response`), and how long does the
// rest of the deployment feel it (`--timeline`, the gauges)?
use "../../lib/vllm.sq";

let NP = 2;           // prefill pods
let ND = 3;           // decode pods
let dies = 600;       // when decode pod 0 dies, s (inf: never)
let outage = 120;     // for how long, s
let lease = 30;       // a lease without heartbeats, s
let beat = 5;         // from one heartbeat to the next, s
let B = 8192;         // tokens an engine may schedule in one iteration
let max_seqsP = 16;   // running requests at most, prefill pod
let max_seqsD = 64;   // running requests at most, decode pod
let blocksP = 40000;  // KV blocks of a prefill pod
let blocksD = 40000;  // KV blocks of a decode pod
let bs = 16;          // tokens in a KV block
let max_model_len = 16384;  // longest prompt plus output, in tokens
let a = 2e-5;         // compute time of a scheduled token, s
let omega = 0.02;     // time to read the weights once, s
let beta = 2e-9;      // time to read the KV of one resident token, s
let BwP = 2e5;        // bandwidth of a prefill pod's NIC, tokens/s
let BwD = 2e5;        // bandwidth of a decode pod's NIC, tokens/s
let x0 = 0.002;       // time to post a read and notice its end, s
let Lambda = 1.5;     // arriving sessions per second
let p = 0.9;          // probability of another turn
let Z = 3.0;          // mean time of a tool call between turns, s

// The router's health check sees a dead pod at once.
queue gw : gateway {
  route {
    set t0 = now;
    set prompt = K + n;
    set o = min(o, max_model_len - prompt);
    set lost = 0;
    choose j in ND by (up(D[j]) ? 0 : 1, holders(D[j].kv) + queued(D[j].kv));
    choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));
    P[i].prefill (prompt);
    D[j].decode (prompt) from P[i] else {
      set lost = 1;
      choose j in ND by (up(D[j]) ? 0 : 1, holders(D[j].kv) + queued(D[j].kv));
      D[j].decode (prompt) else { set lost = 2; }
    }
    observe lost = lost;  // pods that the request lost
    branch (lost < 2) {
      observe ttft = D.first_token - t0;
      observe response = now - t0;
      branch (lost == 1) { observe response_lost = now - t0; }
    }
  }
}

queue P[NP] : prefill {
  pool reqs { cap max_seqsP; admit via P; }
  pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; }
  serve step { budget B; cost max(omega + beta * (kv_decode + kv_prefill), tokens * a); memory kv; }
  nic ps(BwP);
  prefill (prompt) {
    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)
         at admission (hit = min(cachedin(kv), reusable(prompt, bs))) {
      set c = cached;
      prefill (prompt - c) growing kv;
    } cache (prompt) lease kv (lease) renew (beat, lease);
  }
}

queue D[ND] : decode {
  pool reqs { cap max_seqsD; queue by (D.parked, D.place); admit via D; }
  pool kv { cap blocksD * bs; block bs; evict lru; preempt lifo; admit via D; }
  serve step { budget B; cost max(omega + beta * (kv_decode + kv_prefill), tokens * a); memory kv; }
  nic ps(BwD);

  // Prefilled here: another pod had it and died.
  decode (prompt) {
    set length = prompt;
    hold kv (first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)
         at admission (known = known_tokens(D.length),
                       hit = min(cachedin(kv), reusable(known, bs))) {
      set length = known;
      set c = min(cached, reusable(length, bs));
      prefill (length - c) growing kv;
      branch (length == prompt) { mark first_token; }
      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }
    } cache (prompt + o);
  }

  decode (prompt) from src {
    set length = prompt;
    set transferred = 0;
    hold kv (D.transferred ? first_units(known, hit, budget_left(D), inf) : known) reserve (known), reqs (0) reserve (1)
         reuse (reusable(known, bs))
         at admission (known = known_tokens(D.length),
                       hit = min(cachedin(kv), reusable(known, bs))) {
      set length = known;
      set c = cached;
      branch (!transferred) {
        set parked = now;
        set place = holders(kv);
        set read = 1;
        transfer (prompt - c) from src to kv (prompt - 1 - c) else { set read = 0; }  // the lease had run out
        observe read = read;
        set transferred = 1;
        branch (read) { set c = prompt - 1; }
      }
      hold reqs (1) {
        prefill (length - c) growing kv;
        branch (length == prompt) { mark first_token; }
        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }
      }
    } cache (prompt + o);
  }
}

D pull P latency x0 share maxmin;
fail D[0] at dies for outage;

stage tool : delay;

workload {
  arrive poisson(Lambda);
  hidden o;
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

gauge pods_up = sum k in ND (up(D[k]));
gauge leased = sum k in NP (used(P[k].kv));

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
