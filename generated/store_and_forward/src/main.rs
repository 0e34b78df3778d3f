//! store_and_forward: a serQ program as native code.
//!
//! Emitted by serqc from store_and_forward.sq; edit that file, not this one.
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
    /// `let c0 = 0;`: fixed time of an iteration, s
    pub c0: f64,
    /// `let Bw = 2e5;`: bandwidth of a prefill pod's link, tokens/s
    pub bw: f64,
    /// `let x0 = 0.002;`: time to start a copy, s
    pub x0: f64,
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
            c0: values[12],
            bw: values[13],
            x0: values[14],
            lambda: values[15],
            p: values[16],
            z: values[17],
        }
    }
}

// queue wire[NP] : link { serve ps(Bw); }                                store_and_forward.sq:33
/// One member of `wire`.
pub struct Wire {
    /// `queue wire[NP] : link { serve ps(Bw); }`
    pub serve: Ps,
}

// queue P[NP] : prefill {                                                store_and_forward.sq:52
/// One member of `P`.
pub struct P {
    /// `pool reqs { cap max_seqsP; admit via P; }`
    pub reqs: Pool<Session>,
    /// `pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; }`
    pub kv: Pool<Session>,
    /// `serve step {`
    pub serve: Engine,
}

// queue D[ND] : decode {                                                 store_and_forward.sq:74
/// One member of `D`.
pub struct D {
    /// `pool reqs { cap max_seqsD; admit via D; }`
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
    /// `queue wire[NP] : link { serve ps(Bw); }`
    pub wire: Vec<Wire>,
    /// `queue P[NP] : prefill {`
    pub p: Vec<P>,
    /// `queue D[ND] : decode {`
    pub d: Vec<D>,
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
    /// `i`
    pub i: usize,
    /// `t1`
    pub t1: f64,
    /// `D.length`
    pub d_length: f64,
    /// `D.parked`
    pub d_parked: f64,
    /// `D.c`
    pub d_c: f64,
    /// `D.admitted`
    pub d_admitted: f64,
    /// `D.first_token`
    pub d_first_token: f64,
}

#[allow(unused_variables, clippy::manual_clamp)]
impl Model {
    /// What a session brings when it is created.
    fn start_session(&mut self, s: Sid) {
        // init { set K = 0; }                                                    store_and_forward.sq:110
        self.attrs[s as usize].k = 0.0;
    }

    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set n = K == 0 ? ~uniform(1000, 3000) : ~exp(500);                     store_and_forward.sq:112
        attrs.n = if attrs.k == 0.0 {
            self.k.turn_rng().uniform(1000.0, 3000.0)
        } else {
            self.k.turn_rng().exp(500.0)
        };
        // set o = ~exp(200) + 1;                                                 store_and_forward.sq:113
        attrs.o = self.k.turn_rng().exp(200.0) + 1.0;
        // set more = ~bernoulli(p);                                              store_and_forward.sq:114
        attrs.more = self.k.turn_rng().bernoulli(self.params.p) != 0.0;
    }

    #[inline(never)]
    fn start(&mut self, s: Sid) {
        // turn;                                                                  store_and_forward.sq:117
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    #[inline(never)]
    fn again(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (K + n >= max_model_len) { end; }                               store_and_forward.sq:119
        if attrs.k + attrs.n >= self.params.max_model_len {
            end_session(self, s);
        } else {
            // set t0 = now;                                                          store_and_forward.sq:37
            attrs.t0 = self.k.now;
            // set prompt = K + n;                                                    store_and_forward.sq:38
            attrs.prompt = attrs.k + attrs.n;
            // set o = min(o, max_model_len - prompt);                                store_and_forward.sq:39
            attrs.o = attrs.o.min(self.params.max_model_len - attrs.prompt);
            // choose j in ND by (holders(D[j].kv) + queued(D[j].kv));                store_and_forward.sq:40
            {
                let best = if let Some(best) = kept_choice(self, 0, Self::kept_0) {
                    best
                } else {
                    let count = self.d.len();
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
            // choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs)); store_and_forward.sq:41
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
                    let count = self.wire.len();
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
            // hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt) store_and_forward.sq:61
            join(self, s, HoldAt::<{ holds::P_REQS_P_KV }>);
        }
    }

    #[inline(never)]
    fn holding_p_reqs_p_kv(&mut self, s: Sid) {
        // set c = cached;                                                        store_and_forward.sq:63
        let p_c = self.k.control(s).b.cached;
        let attrs = &self.attrs[s as usize];
        // prefill (prompt - c) growing kv;                                       store_and_forward.sq:64
        let work = self.k.work(attrs.prompt - p_c, s, 7);
        self.k.control_mut(s).at = at::AFTER_P_PREFILL;
        let stage = StageAt::<{ stages::P }>::new(attrs.i);
        let pool = PoolAt::<{ pools::P_KV }>::new(attrs.i);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_p_prefill(&mut self, s: Sid) {
        // release reqs;                                                          store_and_forward.sq:65
        {
            let pool = PoolAt::<{ pools::P_REQS }>::new(self.attrs[s as usize].i);
            release(self, s, pool);
        }
        // run post (x0);                                                         store_and_forward.sq:66
        let work = self.k.work(self.params.x0, s, 10);
        self.k.control_mut(s).at = at::AFTER_POST;
        let stage = StageAt::<{ stages::POST }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_post(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // run wire[self] (prompt - 1);                                           store_and_forward.sq:67
        let work = self.k.work(attrs.prompt - 1.0, s, 13);
        self.k.control_mut(s).at = at::AFTER_WIRE;
        let stage = StageAt::<{ stages::WIRE }>::new(attrs.i);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_wire(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::P_REQS_P_KV }>);
        let attrs = &mut self.attrs[s as usize];
        // set t1 = now;                                                          store_and_forward.sq:43
        attrs.t1 = self.k.now;
        // set length = prompt;                                                   store_and_forward.sq:83
        attrs.d_length = attrs.prompt;
        // set parked = 1;                                                        store_and_forward.sq:84
        attrs.d_parked = 1.0;
        // hold kv (D.parked ? known : first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1) store_and_forward.sq:85
        join(self, s, HoldAt::<{ holds::D_KV_D_REQS }>);
    }

    #[inline(never)]
    fn holding_d_kv_d_reqs(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // at admission (known = known_tokens(D.length),                          store_and_forward.sq:87
        let d_known = attrs.d_length.max(self.k.control(s).b.computed + 1.0);
        // set length = known;                                                    store_and_forward.sq:89
        attrs.d_length = d_known;
        // set c = cached;                                                        store_and_forward.sq:90
        attrs.d_c = self.k.control(s).b.cached;
        // branch (parked == 1) {                                                 store_and_forward.sq:91
        if attrs.d_parked == 1.0 {
            // mark admitted;                                                         store_and_forward.sq:92
            attrs.d_admitted = self.k.now;
            // load kv (prompt - 1 - c);                                              store_and_forward.sq:93
            {
                let amount = self.k.units(attrs.prompt - 1.0 - attrs.d_c, s, 18);
                let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
                load(self, s, pool, amount, 18);
            }
            let attrs = &mut self.attrs[s as usize];
            // set c = prompt - 1;                                                    store_and_forward.sq:94
            attrs.d_c = attrs.prompt - 1.0;
            // set parked = 0;                                                        store_and_forward.sq:95
            attrs.d_parked = 0.0;
        }
        let attrs = &self.attrs[s as usize];
        // prefill (length - c) growing kv;                                       store_and_forward.sq:97
        let work = self.k.work(attrs.d_length - attrs.d_c, s, 15);
        self.k.control_mut(s).at = at::AFTER_D_PREFILL;
        let stage = StageAt::<{ stages::D }>::new(attrs.j);
        let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_d_prefill(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (length == prompt) { mark first_token; }                        store_and_forward.sq:98
        if attrs.d_length == attrs.prompt {
            // branch (length == prompt) { mark first_token; }                        store_and_forward.sq:98
            attrs.d_first_token = self.k.now;
        }
        // branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; } store_and_forward.sq:99
        if attrs.d_length < attrs.prompt + attrs.o - 1.0 {
            // branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; } store_and_forward.sq:99
            let work = self.k.work(attrs.prompt + attrs.o - 1.0 - attrs.d_length, s, 20);
            self.k.control_mut(s).at = at::AFTER_D_DECODE;
            let stage = StageAt::<{ stages::D }>::new(attrs.j);
            let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
            run_growing(self, s, stage, Mode::Decode, work, pool);
        } else {
            go_on(self, s, at::MEET, Self::meet);
        }
    }

    #[inline(never)]
    fn after_d_decode(&mut self, s: Sid) {
        go_on(self, s, at::MEET, Self::meet);
    }

    #[inline(never)]
    fn meet(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::D_KV_D_REQS }>);
        let attrs = &mut self.attrs[s as usize];
        // observe parked = D.admitted - t1;                                      store_and_forward.sq:45
        self.k.observe(0, s, attrs.d_admitted - attrs.t1);
        // observe ttft = D.first_token - t0;                                     store_and_forward.sq:46
        self.k.observe(1, s, attrs.d_first_token - attrs.t0);
        // observe response = now - t0;                                           store_and_forward.sq:47
        self.k.observe(2, s, self.k.now - attrs.t0);
        // set K = prompt + o;                                                    store_and_forward.sq:121
        attrs.k = attrs.prompt + attrs.o;
        // branch (more) { tool (~exp(Z)); turn; } else { end; }                  store_and_forward.sq:122
        if attrs.more {
            // branch (more) { tool (~exp(Z)); turn; } else { end; }                  store_and_forward.sq:122
            let work = {
                let amount = self.k.session_rng(s).exp(self.params.z);
                self.k.work(amount, s, 23)
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
        // branch (more) { tool (~exp(Z)); turn; } else { end; }                  store_and_forward.sq:122
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    /// Runs session `s` from where it waited until it waits again or ends.
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::HOLDING_P_REQS_P_KV => self.holding_p_reqs_p_kv(s),
            at::AFTER_P_PREFILL => self.after_p_prefill(s),
            at::AFTER_POST => self.after_post(s),
            at::AFTER_WIRE => self.after_wire(s),
            at::HOLDING_D_KV_D_REQS => self.holding_d_kv_d_reqs(s),
            at::AFTER_D_PREFILL => self.after_d_prefill(s),
            at::AFTER_D_DECODE => self.after_d_decode(s),
            at::AFTER_TOOL => self.after_tool(s),
            _ => {}
        }
    }

    // hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt) store_and_forward.sq:61
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
            self.k.units(amount, s, 29)
        };
        let reserve = self.k.units(prompt, s, 30);
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // P[i].prefill (prompt);                                                 store_and_forward.sq:42
    #[inline]
    fn cache_p_reqs_p_kv(&mut self, s: Sid) -> f64 {
        self.attrs[s as usize].prompt
    }

    // hold kv (D.parked ? known : first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1) store_and_forward.sq:85
    #[inline(always)]
    fn header_d_kv_d_reqs(&mut self, s: Sid) -> Header {
        let Session { d_length, j, d_parked, .. } = self.attrs[s as usize];
        let d_known = d_length.max(self.k.control(s).b.computed + 1.0);
        let part = ((d_known - 1.0) / self.params.bs).floor() * self.params.bs;
        let mut header = Header {
            reuse: part,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::D_KV, j);
        let units = {
            let amount = if d_parked != 0.0 {
                d_known
            } else {
                d_known
                    .min(
                        cached_in(self, PoolAt::<{ pools::D_KV }>::new(j), s).min(part)
                            + budget_left(self, StageAt::<{ stages::D }>::new(j))
                                .min(f64::INFINITY),
                    )
            };
            self.k.units(amount, s, 34)
        };
        let reserve = self.k.units(d_known, s, 35);
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::D_REQS, j);
        let units = 1.0;
        let reserve = units;
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (prompt + o);                                                  store_and_forward.sq:100
    #[inline]
    fn cache_d_kv_d_reqs(&mut self, s: Sid) -> f64 {
        let attrs = &self.attrs[s as usize];
        attrs.prompt + attrs.o
    }

    // budget B;                                                              store_and_forward.sq:56
    #[inline]
    fn budget_p(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // cost c0 + max(omega + beta * (kv_decode + kv_prefill), tokens * a);    store_and_forward.sq:57
    #[inline]
    fn cost_p(&mut self, member: usize, it: &Iteration) -> f64 {
        self.params.c0
            + (self.params.omega + self.params.beta * (it.kv_decode + it.kv_prefill))
                .max(it.tokens * self.params.a)
    }

    // budget B;                                                              store_and_forward.sq:78
    #[inline]
    fn budget_d(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // cost c0 + max(omega + beta * (kv_decode + kv_prefill), tokens * a);    store_and_forward.sq:79
    #[inline]
    fn cost_d(&mut self, member: usize, it: &Iteration) -> f64 {
        self.params.c0
            + (self.params.omega + self.params.beta * (it.kv_decode + it.kv_prefill))
                .max(it.tokens * self.params.a)
    }

    // queue wire[NP] : link { serve ps(Bw); }                                store_and_forward.sq:33
    #[inline]
    fn capacity_wire(&mut self, member: usize, present: f64) -> f64 {
        self.params.bw
    }

    #[inline]
    fn kept_0(&self, member: usize) -> [f64; 1] {
        // choose j in ND by (holders(D[j].kv) + queued(D[j].kv));                store_and_forward.sq:40
        [self.d[member].kv.holders() + self.d[member].kv.queued()]
    }

    #[inline]
    fn kept_1(&self, member: usize) -> [f64; 2] {
        // choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs)); store_and_forward.sq:41
        [
            1.0,
            stage_work(self, StageAt::<{ stages::P }>::new(member))
                + self.p[member].reqs.queued(),
        ]
    }

    #[inline]
    fn keys_1(&mut self, member: usize, s: Sid) -> [f64; 2] {
        // choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs)); store_and_forward.sq:41
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
}

#[allow(unused_variables, clippy::manual_clamp)]
impl World for Model {
    const NAME: &'static str = "store_and_forward";
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
            dirty: [0, 0, 0],
            kept: [0, 0, 0, 2],
        },
        PoolSpec {
            name: "D.reqs",
            single: false,
            cached: true,
            blocks: false,
            grows: false,
            lifo: false,
            queue_keys: 0,
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
            name: "wire",
            single: false,
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
            name: "P",
            single: false,
            kind: StageType::Step,
            exclusive: false,
            only: false,
            serve_keys: 0,
            memory: Some((pools::P_KV, false)),
            serves: &[pools::P_REQS],
            plannable: false,
            cost_site: 37,
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
            cost_site: 38,
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
    ];
    const HOLDS: &'static [HoldSpec] = &[
        HoldSpec {
            claims: 2,
            pools: &[pools::P_REQS, pools::P_KV],
            caches: true,
            plain_cache: true,
            leases: None,
            reuses: false,
            steady: &[(true, false), (false, true)],
            checked: &[true, false],
            body: at::HOLDING_P_REQS_P_KV,
            site: 39,
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
            body: at::HOLDING_D_KV_D_REQS,
            site: 40,
        },
    ];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 73),
        (at::AGAIN, 74),
        (at::HOLDING_P_REQS_P_KV, 39),
        (at::AFTER_P_PREFILL, 75),
        (at::AFTER_POST, 76),
        (at::AFTER_WIRE, 77),
        (at::HOLDING_D_KV_D_REQS, 40),
        (at::AFTER_D_PREFILL, 78),
        (at::AFTER_D_DECODE, 79),
        (at::MEET, 40),
        (at::AFTER_TOOL, 80),
    ];
    const ARRIVE_SITE: u32 = 69;
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
            name: "c0",
            default: "0",
            comment: "fixed time of an iteration, s",
        },
        ParamSpec {
            name: "Bw",
            default: "2e5",
            comment: "bandwidth of a prefill pod's link, tokens/s",
        },
        ParamSpec {
            name: "x0",
            default: "0.002",
            comment: "time to start a copy, s",
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
    const OBSERVES: &'static [&'static str] = &["parked", "ttft", "response"];
    const GAUGES: &'static [&'static str] = &[];
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
            12 => 0.0,
            13 => 200000.0,
            14 => 0.002,
            15 => 0.6,
            16 => 0.9,
            17 => 3.0,
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
        check(!p.np.is_nan(), "S162", "a `let` is not a number", 41u32, &mut refused);
        check(!p.nd.is_nan(), "S162", "a `let` is not a number", 42u32, &mut refused);
        check(!p.b.is_nan(), "S162", "a `let` is not a number", 43u32, &mut refused);
        check(
            !p.max_seqs_p.is_nan(),
            "S162",
            "a `let` is not a number",
            44u32,
            &mut refused,
        );
        check(
            !p.max_seqs_d.is_nan(),
            "S162",
            "a `let` is not a number",
            45u32,
            &mut refused,
        );
        check(
            !p.blocks_p.is_nan(),
            "S162",
            "a `let` is not a number",
            46u32,
            &mut refused,
        );
        check(
            !p.blocks_d.is_nan(),
            "S162",
            "a `let` is not a number",
            47u32,
            &mut refused,
        );
        check(!p.bs.is_nan(), "S162", "a `let` is not a number", 48u32, &mut refused);
        check(
            !p.max_model_len.is_nan(),
            "S162",
            "a `let` is not a number",
            49u32,
            &mut refused,
        );
        check(!p.a.is_nan(), "S162", "a `let` is not a number", 50u32, &mut refused);
        check(!p.omega.is_nan(), "S162", "a `let` is not a number", 51u32, &mut refused);
        check(!p.beta.is_nan(), "S162", "a `let` is not a number", 52u32, &mut refused);
        check(!p.c0.is_nan(), "S162", "a `let` is not a number", 53u32, &mut refused);
        check(!p.bw.is_nan(), "S162", "a `let` is not a number", 54u32, &mut refused);
        check(!p.x0.is_nan(), "S162", "a `let` is not a number", 55u32, &mut refused);
        check(
            !p.lambda.is_nan(),
            "S162",
            "a `let` is not a number",
            56u32,
            &mut refused,
        );
        check(!p.p.is_nan(), "S162", "a `let` is not a number", 57u32, &mut refused);
        check(!p.z.is_nan(), "S162", "a `let` is not a number", 58u32, &mut refused);
        check(
            !p.np.is_nan(),
            "S162",
            "a family's size is not a number",
            59u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            59u32,
            &mut refused,
        );
        check(
            p.np <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            59u32,
            &mut refused,
        );
        check(
            !p.np.is_nan(),
            "S162",
            "a family's size is not a number",
            60u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            60u32,
            &mut refused,
        );
        check(
            p.np <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            60u32,
            &mut refused,
        );
        check(
            !p.nd.is_nan(),
            "S162",
            "a family's size is not a number",
            61u32,
            &mut refused,
        );
        check(
            p.nd == p.nd.floor() && p.nd >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            61u32,
            &mut refused,
        );
        check(
            p.nd <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            61u32,
            &mut refused,
        );
        check(
            !p.bw.is_nan(),
            "S168",
            "the capacity is not a number",
            62u32,
            &mut refused,
        );
        check(
            !p.max_seqs_p.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            63u32,
            &mut refused,
        );
        check(
            p.max_seqs_p >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            63u32,
            &mut refused,
        );
        check(
            !(p.blocks_p * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            64u32,
            &mut refused,
        );
        check(
            p.blocks_p * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            64u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            65u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            65u32,
            &mut refused,
        );
        check(
            !p.max_seqs_d.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            66u32,
            &mut refused,
        );
        check(
            p.max_seqs_d >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            66u32,
            &mut refused,
        );
        check(
            !(p.blocks_d * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            67u32,
            &mut refused,
        );
        check(
            p.blocks_d * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            67u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            68u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            68u32,
            &mut refused,
        );
        check(
            !p.lambda.is_nan(),
            "S162",
            "an arrival rate is not a number",
            69u32,
            &mut refused,
        );
        check(
            p.lambda > 0.0 && p.lambda < f64::INFINITY,
            "S185",
            "the arrival rate is not a finite number above 0",
            69u32,
            &mut refused,
        );
        check(
            p.p >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            70u32,
            &mut refused,
        );
        check(
            p.p <= 1.0,
            "S176",
            "nothing can be drawn with these numbers",
            70u32,
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
            3u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs_p,
            "S164",
            "this is more than `P.reqs` ever holds",
            71u32,
            &mut refused,
        );
        check(
            p.x0 >= 0.0,
            "S163",
            "this work is negative or not a number",
            10u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs_d,
            "S164",
            "this is more than `D.reqs` ever holds",
            72u32,
            &mut refused,
        );
        check(
            p.z >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            23u32,
            &mut refused,
        );
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Model {
            k: Kernel::new(settings, None),
            wire: (0..p.np as usize)
                .map(|_| Wire { serve: Ps::new(settings) })
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
            stages::POST => 1,
            stages::WIRE => self.wire.len(),
            stages::P => self.p.len(),
            stages::D => self.d.len(),
            stages::TOOL => 1,
            _ => 0,
        }
    }

    #[inline]
    fn ps(&self, at: impl AtStage) -> &Ps {
        let key = at.key();
        &self.wire[key.member as usize].serve
    }

    #[inline]
    fn ps_mut(&mut self, at: impl AtStage) -> &mut Ps {
        let key = at.key();
        &mut self.wire[key.member as usize].serve
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
            _ => Header::default(),
        }
    }

    #[inline(always)]
    fn joining_header(&mut self, s: Sid, hold: impl AtHold) -> Header {
        match hold.stmt() {
            holds::P_REQS_P_KV => self.header_p_reqs_p_kv::<true>(s),
            holds::D_KV_D_REQS => self.header_d_kv_d_reqs(s),
            _ => Header::default(),
        }
    }

    #[inline]
    fn cache_clause(&mut self, s: Sid, hold: u32) -> f64 {
        match hold {
            holds::P_REQS_P_KV => self.cache_p_reqs_p_kv(s),
            holds::D_KV_D_REQS => self.cache_d_kv_d_reqs(s),
            _ => 0.0,
        }
    }

    #[inline]
    fn on_hold<O: OnHold<Self>>(&mut self, hold: u32, op: O) -> O::Out {
        match hold {
            holds::P_REQS_P_KV => op.run(self, HoldAt::<{ holds::P_REQS_P_KV }>),
            _ => op.run(self, HoldAt::<{ holds::D_KV_D_REQS }>),
        }
    }

    #[inline(always)]
    fn run_body(&mut self, s: Sid, hold: impl AtHold) {
        match hold.stmt() {
            holds::P_REQS_P_KV => self.holding_p_reqs_p_kv(s),
            _ => self.holding_d_kv_d_reqs(s),
        }
    }

    #[inline]
    fn ps_capacity(&mut self, at: impl AtStage, present: f64) -> f64 {
        match at.key().family {
            stages::WIRE => self.capacity_wire(at.key().member as usize, present),
            _ => 0.0,
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
            stages::POST => op.run(self, StageAt::<{ stages::POST }>(stage.member)),
            stages::WIRE => op.run(self, StageAt::<{ stages::WIRE }>(stage.member)),
            _ => op.run(self, StageAt::<{ stages::TOOL }>(stage.member)),
        }
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
    /// `post`
    pub const POST: u16 = 0;
    /// `wire`
    pub const WIRE: u16 = 1;
    /// `P`
    pub const P: u16 = 2;
    /// `D`
    pub const D: u16 = 3;
    /// `tool`
    pub const TOOL: u16 = 4;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {
    /// `hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)`
    pub const P_REQS_P_KV: u32 = 0;
    /// `hold kv (D.parked ? known : first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)`
    pub const D_KV_D_REQS: u32 = 1;
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
    /// after post
    pub const AFTER_POST: u32 = 6;
    /// after wire
    pub const AFTER_WIRE: u32 = 7;
    /// holding d kv d reqs
    pub const HOLDING_D_KV_D_REQS: u32 = 8;
    /// after d prefill
    pub const AFTER_D_PREFILL: u32 = 9;
    /// then 2
    pub const THEN_2: u32 = 10;
    /// otherwise 2
    pub const OTHERWISE_2: u32 = 11;
    /// after d decode
    pub const AFTER_D_DECODE: u32 = 12;
    /// meet
    pub const MEET: u32 = 13;
    /// then 3
    pub const THEN_3: u32 = 14;
    /// otherwise 3
    pub const OTHERWISE_3: u32 = 15;
    /// after tool
    pub const AFTER_TOOL: u32 = 16;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "store_and_forward.sq",
        line: 40,
        col: 17,
        text: "    choose j in ND by (holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 40,
        col: 34,
        text: "    choose j in ND by (holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 40,
        col: 52,
        text: "    choose j in ND by (holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 41,
        col: 17,
        text: "    choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 41,
        col: 35,
        text: "    choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 41,
        col: 62,
        text: "    choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 41,
        col: 77,
        text: "    choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 64,
        col: 16,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 64,
        col: 7,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 64,
        col: 36,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 66,
        col: 17,
        text: "      run post (x0);",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 66,
        col: 11,
        text: "      run post (x0);",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 65,
        col: 15,
        text: "      release reqs;  // the copy needs no slot",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 67,
        col: 23,
        text: "      run wire[self] (prompt - 1);",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 67,
        col: 16,
        text: "      run wire[self] (prompt - 1);",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 97,
        col: 16,
        text: "      prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 97,
        col: 7,
        text: "      prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 97,
        col: 36,
        text: "      prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 93,
        col: 18,
        text: "        load kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 93,
        col: 14,
        text: "        load kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 99,
        col: 50,
        text: "      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 99,
        col: 42,
        text: "      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 99,
        col: 83,
        text: "      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 122,
        col: 29,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 122,
        col: 23,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 61,
        col: 10,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 61,
        col: 20,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 62,
        col: 43,
        text: "         at admission (hit = min(cachedin(kv), reusable(prompt, bs))) {",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 61,
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
        file: "store_and_forward.sq",
        line: 42,
        col: 19,
        text: "    P[i].prefill (prompt);",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 85,
        col: 10,
        text: "    hold kv (D.parked ? known : first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 88,
        col: 43,
        text: "                       hit = min(cachedin(kv), reusable(known, bs))) {",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 85,
        col: 69,
        text: "    hold kv (D.parked ? known : first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 85,
        col: 14,
        text: "    hold kv (D.parked ? known : first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "vllm.sq",
        line: 11,
        col: 28,
        text: "def known_tokens(length) = max(length, computed + 1);",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 85,
        col: 96,
        text: "    hold kv (D.parked ? known : first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 57,
        col: 10,
        text: "    cost c0 + max(omega + beta * (kv_decode + kv_prefill), tokens * a);  // memory bound or compute bound",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 79,
        col: 10,
        text: "    cost c0 + max(omega + beta * (kv_decode + kv_prefill), tokens * a);",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 61,
        col: 5,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 85,
        col: 5,
        text: "    hold kv (D.parked ? known : first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 12,
        col: 10,
        text: "let NP = 2;           // prefill pods",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 13,
        col: 10,
        text: "let ND = 2;           // decode pods",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 14,
        col: 9,
        text: "let B = 8192;         // tokens an engine may schedule in one iteration",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 15,
        col: 17,
        text: "let max_seqsP = 16;   // running requests at most, prefill pod",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 16,
        col: 17,
        text: "let max_seqsD = 64;   // running requests at most, decode pod",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 17,
        col: 15,
        text: "let blocksP = 10000;  // KV blocks of a prefill pod",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 18,
        col: 15,
        text: "let blocksD = 10000;  // KV blocks of a decode pod",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 19,
        col: 10,
        text: "let bs = 16;          // tokens in a KV block",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 20,
        col: 21,
        text: "let max_model_len = 16384;  // longest prompt plus output, in tokens; every KV pool has room for one such request",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 21,
        col: 9,
        text: "let a = 2e-5;         // compute time of a scheduled token, s",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 22,
        col: 13,
        text: "let omega = 2e-4;     // time to read the weights once, s",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 23,
        col: 12,
        text: "let beta = 2e-9;      // time to read the KV of one resident token, s",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 24,
        col: 10,
        text: "let c0 = 0;           // fixed time of an iteration, s",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 25,
        col: 10,
        text: "let Bw = 2e5;         // bandwidth of a prefill pod's link, tokens/s",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 26,
        col: 10,
        text: "let x0 = 0.002;       // time to start a copy, s",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 27,
        col: 14,
        text: "let Lambda = 0.6;     // arriving sessions per second",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 28,
        col: 9,
        text: "let p = 0.9;          // probability of another turn",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 29,
        col: 9,
        text: "let Z = 3.0;          // mean time of a tool call between turns, s",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 33,
        col: 12,
        text: "queue wire[NP] : link { serve ps(Bw); }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 52,
        col: 9,
        text: "queue P[NP] : prefill {",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 74,
        col: 9,
        text: "queue D[ND] : decode {",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 33,
        col: 34,
        text: "queue wire[NP] : link { serve ps(Bw); }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 53,
        col: 19,
        text: "  pool reqs { cap max_seqsP; admit via P; }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 54,
        col: 17,
        text: "  pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 54,
        col: 37,
        text: "  pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 75,
        col: 19,
        text: "  pool reqs { cap max_seqsD; admit via D; }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 76,
        col: 17,
        text: "  pool kv { cap blocksD * bs; block bs; evict lru; preempt lifo; admit via D; }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 76,
        col: 37,
        text: "  pool kv { cap blocksD * bs; block bs; evict lru; preempt lifo; admit via D; }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 108,
        col: 18,
        text: "  arrive poisson(Lambda);",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 114,
        col: 16,
        text: "    set more = ~bernoulli(p);",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 61,
        col: 16,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 85,
        col: 102,
        text: "    hold kv (D.parked ? known : first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 117,
        col: 5,
        text: "    turn;",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 119,
        col: 7,
        text: "      branch (K + n >= max_model_len) { end; }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 64,
        col: 7,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 66,
        col: 7,
        text: "      run post (x0);",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 67,
        col: 7,
        text: "      run wire[self] (prompt - 1);",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 97,
        col: 7,
        text: "      prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 99,
        col: 42,
        text: "      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "store_and_forward.sq",
        line: 122,
        col: 23,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("store_and_forward.sq", r#"// Prefill/decode disaggregation that stores and forwards: what `llmd_nixl_pull.sq` is compared with.
//
// Every prompt is prefilled on a prefill pod, which copies the KV out as soon as it is done and keeps its blocks
// only until the copy has crossed its link. Then it lets go, and the request queues for a decode pod with its KV
// parked in host memory, which has no bound here. So a decode pod without room never holds a prefill pod back. With
// the pull of `llmd_nixl_pull.sq` it does: the blocks stay leased until the decode pod has room and has read them.
//
// Engines, workload and settings as there; compare with its `--set thr=1`: `parked` here is part of `lease` there,
// and shrinking `blocksD` lengthens both, but only there do the prefill pods' `mean_used` grow with it.
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
let c0 = 0;           // fixed time of an iteration, s
let Bw = 2e5;         // bandwidth of a prefill pod's link, tokens/s
let x0 = 0.002;       // time to start a copy, s
let Lambda = 0.6;     // arriving sessions per second
let p = 0.9;          // probability of another turn
let Z = 3.0;          // mean time of a tool call between turns, s

// A prefill pod's link to the hosts of the decode pods: a copy is posted, then shares the bandwidth equally.
stage post : delay;
queue wire[NP] : link { serve ps(Bw); }

queue gw : gateway {
  route {
    set t0 = now;
    set prompt = K + n;
    set o = min(o, max_model_len - prompt);
    choose j in ND by (holders(D[j].kv) + queued(D[j].kv));
    choose i in NP by (cachedin(P[i].kv) > 0 ? 0 : 1, work(P[i]) + queued(P[i].reqs));
    P[i].prefill (prompt);
    set t1 = now;  // the KV is stored, the prefill pod is free
    D[j].decode (prompt);
    observe parked = D.admitted - t1;   // s that the KV waited for room on the decode pod
    observe ttft = D.first_token - t0;  // s to the first token
    observe response = now - t0;        // s to the last token
  }
}

// A prefill pod holds its blocks through the copy, and gives them back with the copy's end.
queue P[NP] : prefill {
  pool reqs { cap max_seqsP; admit via P; }
  pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; }
  serve step {
    budget B;
    cost c0 + max(omega + beta * (kv_decode + kv_prefill), tokens * a);  // memory bound or compute bound
    memory kv;
  }
  prefill (prompt) {
    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt)
         at admission (hit = min(cachedin(kv), reusable(prompt, bs))) {
      set c = cached;
      prefill (prompt - c) growing kv;
      release reqs;  // the copy needs no slot
      run post (x0);
      run wire[self] (prompt - 1);
    } cache (prompt);
  }
}

// A decode pod loads the parked KV into its blocks when it admits the request (in no time), runs the last prompt
// token for its logits and decodes. After a preemption it prefills what it lost, as the KV was parked only once.
queue D[ND] : decode {
  pool reqs { cap max_seqsD; admit via D; }
  pool kv { cap blocksD * bs; block bs; evict lru; preempt lifo; admit via D; }
  serve step {
    budget B;
    cost c0 + max(omega + beta * (kv_decode + kv_prefill), tokens * a);
    memory kv;
  }
  decode (prompt) {
    set length = prompt;
    set parked = 1;
    hold kv (D.parked ? known : first_units(known, hit, budget_left(D), inf)) reserve (known), reqs (1)
         reuse (reusable(known, bs))
         at admission (known = known_tokens(D.length),
                       hit = min(cachedin(kv), reusable(known, bs))) {
      set length = known;
      set c = cached;
      branch (parked == 1) {
        mark admitted;
        load kv (prompt - 1 - c);
        set c = prompt - 1;
        set parked = 0;
      }
      prefill (length - c) growing kv;
      branch (length == prompt) { mark first_token; }
      branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }
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
