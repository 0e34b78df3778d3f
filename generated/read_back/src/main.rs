//! read_back: a serQ program as native code.
//!
//! Emitted by serqc from read_back.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let back = 1;`: 0: nothing is read back
    pub back: f64,
    /// `let NP = 2;`: prefill pods
    pub np: f64,
    /// `let ND = 2;`: decode pods
    pub nd: f64,
    /// `let B = 8192;`: tokens an engine may schedule in one iteration
    pub b: f64,
    /// `let max_seqs = 64;`: running requests of a pod at most
    pub max_seqs: f64,
    /// `let blocksP = 4000;`: KV blocks of a prefill pod
    pub blocks_p: f64,
    /// `let blocksD = 20000;`: KV blocks of a decode pod
    pub blocks_d: f64,
    /// `let bs = 16;`: tokens in a KV block
    pub bs: f64,
    /// `let max_model_len = 16384;`: longest prompt plus output, in tokens
    pub max_model_len: f64,
    /// `let a = 1e-4;`: compute time of a scheduled token, s
    pub a: f64,
    /// `let omega = 8e-3;`: time to read the weights once, s
    pub omega: f64,
    /// `let beta = 4e-8;`: time to read the KV of one resident token, s
    pub beta: f64,
    /// `let Bw = 2e5;`: bandwidth of a pod's NIC, tokens/s
    pub bw: f64,
    /// `let x0 = 0.002;`: time to post a read and notice its end, s
    pub x0: f64,
    /// `let Lambda = 0.9;`: sessions that begin per second
    pub lambda: f64,
    /// `let p = 0.8;`: probability of another turn
    pub p: f64,
    /// `let Z = 5;`: mean time from an answer to the next question, s
    pub z: f64,
    /// `let o_most = 600;`: longest answer, for which a decode pod sets room aside
    pub o_most: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            back: values[0],
            np: values[1],
            nd: values[2],
            b: values[3],
            max_seqs: values[4],
            blocks_p: values[5],
            blocks_d: values[6],
            bs: values[7],
            max_model_len: values[8],
            a: values[9],
            omega: values[10],
            beta: values[11],
            bw: values[12],
            x0: values[13],
            lambda: values[14],
            p: values[15],
            z: values[16],
            o_most: values[17],
        }
    }
}

// queue P[NP] : prefill {                                                read_back.sq:37
/// One member of `P`.
pub struct P {
    /// `pool reqs { cap max_seqs; admit via P; }`
    pub reqs: Pool<Session>,
    /// `pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; admit via P; }`
    pub kv: Pool<Session>,
    /// `serve step {`
    pub serve: Engine,
    /// `nic ps(Bw);`
    pub nic: Link,
    /// `P pull D latency x0 share maxmin;`
    pub nic_latency: Delay,
}

// queue D[ND] : decode {                                                 read_back.sq:66
/// One member of `D`.
pub struct D {
    /// `pool reqs { cap max_seqs; admit via D; }`
    pub reqs: Pool<Session>,
    /// `pool kv { cap blocksD * bs; block bs; evict lru; preempt none; admit via D; }`
    pub kv: Pool<Session>,
    /// `serve step {`
    pub serve: Engine,
    /// `nic ps(Bw);`
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
    /// `said`, hidden from the schedulers
    pub said: f64,
    /// `t0`
    pub t0: f64,
    /// `prompt`
    pub prompt: f64,
    /// `j`
    pub j: usize,
    /// `i`
    pub i: usize,
    /// `P.c`
    pub p_c: f64,
    /// `P.missing`
    pub p_missing: f64,
    /// `D.c`
    pub d_c: f64,
    /// `D.first_token`
    pub d_first_token: f64,
}

#[allow(unused_variables)]
impl Model {
    /// What a session brings when it is created.
    fn start_session(&mut self, s: Sid) {
        // init { set K = 0; }                                                    read_back.sq:119
        self.attrs[s as usize].k = 0.0;
    }

    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set n = K == 0 ? floor(~uniform(1000, 3000)) : floor(~exp(100)) + 1;   read_back.sq:121
        attrs.n = if attrs.k == 0.0 {
            self.k.turn_rng().uniform(1000.0, 3000.0).floor()
        } else {
            self.k.turn_rng().exp(100.0).floor() + 1.0
        };
        // set o = min(600, floor(~exp(200)) + 1);                                read_back.sq:122
        attrs.o = 600.0_f64.min(self.k.turn_rng().exp(200.0).floor() + 1.0);
        // set more = ~bernoulli(p);                                              read_back.sq:123
        attrs.more = self.k.turn_rng().bernoulli(self.params.p) != 0.0;
    }

    #[inline(never)]
    fn start(&mut self, s: Sid) {
        // turn;                                                                  read_back.sq:126
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    #[inline(never)]
    fn again(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // branch (K + n + 600 >= max_model_len) { end; }                         read_back.sq:128
        if attrs.k + attrs.n + 600.0 >= self.params.max_model_len {
            end_session(self, s);
        } else {
            // set t0 = now;                                                          read_back.sq:95
            attrs.t0 = self.k.now;
            // set prompt = K + n;                                                    read_back.sq:96
            attrs.prompt = attrs.k + attrs.n;
            // branch (K == 0) { choose j in ND by (holders(D[j].kv) + queued(D[j].kv)); } read_back.sq:98
            if attrs.k == 0.0 {
                // branch (K == 0) { choose j in ND by (holders(D[j].kv) + queued(D[j].kv)); } read_back.sq:98
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
            }
            // choose i in NP by (work(P[i]) + queued(P[i].kv));                      read_back.sq:99
            {
                let best = if let Some(best) = kept_choice(self, 1, Self::kept_1) {
                    best
                } else {
                    let count = self.p.len();
                    let (mut best, mut least) = (0, [0.0; 1]);
                    for i in 0..count {
                        let keys = [
                            stage_work(self, StageAt::<{ stages::P }>::new(i))
                                + self.p[i].kv.queued(),
                        ];
                        if i == 0 || less(&keys, &least) {
                            (best, least) = (i, keys);
                        }
                    }
                    best
                };
                self.attrs[s as usize].i = best;
            }
            // branch (K > 0 && back) {                                               read_back.sq:100
            if self.attrs[s as usize].k > 0.0 && self.params.back != 0.0 {
                // hold kv (prompt), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {  read_back.sq:56
                join(self, s, HoldAt::<{ holds::P_KV_P_REQS }>);
            } else {
                // hold kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt), reqs (1) read_back.sq:47
                join(self, s, HoldAt::<{ holds::P_KV_P_REQS_2 }>);
            }
        }
    }

    #[inline(never)]
    fn holding_p_kv_p_reqs(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set c = cached;                                                        read_back.sq:57
        attrs.p_c = self.k.control(s).b.cached;
        // set missing = max(0, said - c);                                        read_back.sq:58
        attrs.p_missing = 0.0_f64.max(attrs.said - attrs.p_c);
        // transfer (missing) from src to kv (missing);                           read_back.sq:59
        let work = self.k.work(self.params.x0, s, 6);
        self.k.control_mut(s).at = at::AFTER_P_NIC_LATENCY;
        let stage = StageAt::<{ stages::P_NIC_LATENCY }>::new(attrs.i);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_p_nic_latency(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // transfer (missing) from src to kv (missing);                           read_back.sq:59
        let work = self.k.work(attrs.p_missing, s, 8);
        self.k.control_mut(s).at = at::AFTER_D_NIC_P_NIC;
        let stages = [
            StageKey::new(stages::D_NIC, attrs.j),
            StageKey::new(stages::P_NIC, attrs.i),
        ];
        run_flow(self, s, &stages, work, 7);
    }

    #[inline(never)]
    fn after_d_nic_p_nic(&mut self, s: Sid) {
        // transfer (missing) from src to kv (missing);                           read_back.sq:59
        {
            let attrs = &self.attrs[s as usize];
            let amount = self.k.units(attrs.p_missing, s, 9);
            let pool = PoolAt::<{ pools::P_KV }>::new(attrs.i);
            load(self, s, pool, amount, 9);
        }
        // transfer (missing) from src to kv (missing);                           read_back.sq:59
        {
            let pool = PoolAt::<{ pools::D_KV }>::new(self.attrs[s as usize].j);
            release(self, s, pool);
        }
        let attrs = &mut self.attrs[s as usize];
        // set c = c + missing;                                                   read_back.sq:60
        attrs.p_c += attrs.p_missing;
        // hold reqs (1) { prefill (prompt - c) growing kv; }                     read_back.sq:61
        join(self, s, HoldAt::<{ holds::P_REQS }>);
    }

    #[inline(never)]
    fn holding_p_reqs(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // hold reqs (1) { prefill (prompt - c) growing kv; }                     read_back.sq:61
        let work = self.k.work(attrs.prompt - attrs.p_c, s, 12);
        self.k.control_mut(s).at = at::AFTER_P_PREFILL;
        let stage = StageAt::<{ stages::P }>::new(attrs.i);
        let pool = PoolAt::<{ pools::P_KV }>::new(attrs.i);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_p_prefill(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::P_REQS }>);
        leave(self, s, HoldAt::<{ holds::P_KV_P_REQS }>);
        go_on(self, s, at::MEET, Self::meet);
    }

    #[inline(never)]
    fn holding_p_kv_p_reqs_2(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set c = cached;                                                        read_back.sq:50
        attrs.p_c = self.k.control(s).b.cached;
        // prefill (prompt - c) growing kv;                                       read_back.sq:51
        let work = self.k.work(attrs.prompt - attrs.p_c, s, 15);
        self.k.control_mut(s).at = at::AFTER_P_PREFILL_2;
        let stage = StageAt::<{ stages::P }>::new(attrs.i);
        let pool = PoolAt::<{ pools::P_KV }>::new(attrs.i);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_p_prefill_2(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::P_KV_P_REQS_2 }>);
        go_on(self, s, at::MEET, Self::meet);
    }

    #[inline(never)]
    fn meet(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // branch (K > 0) {                                                       read_back.sq:105
        if attrs.k > 0.0 {
            // observe computed = prompt - P.c;                                       read_back.sq:106
            self.k.observe(0, s, attrs.prompt - attrs.p_c);
        }
        // hold kv (prompt + o_most), reqs (0) reserve (1) reuse (reusable(prompt, bs)) { read_back.sq:76
        join(self, s, HoldAt::<{ holds::D_KV_D_REQS }>);
    }

    #[inline(never)]
    fn holding_d_kv_d_reqs(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set c = cached;                                                        read_back.sq:77
        attrs.d_c = self.k.control(s).b.cached;
        // transfer (prompt - c) from src to kv (prompt - 1 - c);                 read_back.sq:78
        let work = self.k.work(self.params.x0, s, 18);
        self.k.control_mut(s).at = at::AFTER_D_NIC_LATENCY;
        let stage = StageAt::<{ stages::D_NIC_LATENCY }>::new(attrs.j);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_d_nic_latency(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // transfer (prompt - c) from src to kv (prompt - 1 - c);                 read_back.sq:78
        let work = self.k.work(attrs.prompt - attrs.d_c, s, 20);
        self.k.control_mut(s).at = at::AFTER_P_NIC_D_NIC;
        let stages = [
            StageKey::new(stages::P_NIC, attrs.i),
            StageKey::new(stages::D_NIC, attrs.j),
        ];
        run_flow(self, s, &stages, work, 19);
    }

    #[inline(never)]
    fn after_p_nic_d_nic(&mut self, s: Sid) {
        // transfer (prompt - c) from src to kv (prompt - 1 - c);                 read_back.sq:78
        {
            let attrs = &self.attrs[s as usize];
            let amount = self.k.units(attrs.prompt - 1.0 - attrs.d_c, s, 21);
            let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
            load(self, s, pool, amount, 21);
        }
        // transfer (prompt - c) from src to kv (prompt - 1 - c);                 read_back.sq:78
        {
            let pool = PoolAt::<{ pools::P_KV }>::new(self.attrs[s as usize].i);
            release(self, s, pool);
        }
        // hold reqs (1) {                                                        read_back.sq:79
        join(self, s, HoldAt::<{ holds::D_REQS }>);
    }

    #[inline(never)]
    fn holding_d_reqs(&mut self, s: Sid) {
        // prefill (1) growing kv;                                                read_back.sq:80
        let work = 1.0;
        self.k.control_mut(s).at = at::AFTER_D_PREFILL;
        let attrs = &self.attrs[s as usize];
        let stage = StageAt::<{ stages::D }>::new(attrs.j);
        let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_d_prefill(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // mark first_token;                                                      read_back.sq:81
        attrs.d_first_token = self.k.now;
        // branch (o > 1) { decode (o - 1) growing kv; }                          read_back.sq:82
        if attrs.o > 1.0 {
            // branch (o > 1) { decode (o - 1) growing kv; }                          read_back.sq:82
            let work = self.k.work(attrs.o - 1.0, s, 26);
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
        let attrs = &mut self.attrs[s as usize];
        // observe ttft = D.first_token - t0;                                     read_back.sq:109
        self.k.observe(1, s, attrs.d_first_token - attrs.t0);
        // observe response = now - t0;                                           read_back.sq:110
        self.k.observe(2, s, self.k.now - attrs.t0);
        // set K = prompt + o;                                                    read_back.sq:130
        attrs.k = attrs.prompt + attrs.o;
        // set said = K - 1;                                                      read_back.sq:131
        attrs.said = attrs.k - 1.0;
        // branch (more) { tool (~exp(Z)); turn; } else { end; }                  read_back.sq:132
        if attrs.more {
            // branch (more) { tool (~exp(Z)); turn; } else { end; }                  read_back.sq:132
            let work = {
                let amount = self.k.session_rng(s).exp(self.params.z);
                self.k.work(amount, s, 29)
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
        // branch (more) { tool (~exp(Z)); turn; } else { end; }                  read_back.sq:132
        next_turn(self, s);
        go_on(self, s, at::AGAIN, Self::again);
    }

    /// Runs session `s` from where it waited until it waits again or ends.
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::HOLDING_P_KV_P_REQS => self.holding_p_kv_p_reqs(s),
            at::AFTER_P_NIC_LATENCY => self.after_p_nic_latency(s),
            at::AFTER_D_NIC_P_NIC => self.after_d_nic_p_nic(s),
            at::HOLDING_P_REQS => self.holding_p_reqs(s),
            at::AFTER_P_PREFILL => self.after_p_prefill(s),
            at::HOLDING_P_KV_P_REQS_2 => self.holding_p_kv_p_reqs_2(s),
            at::AFTER_P_PREFILL_2 => self.after_p_prefill_2(s),
            at::HOLDING_D_KV_D_REQS => self.holding_d_kv_d_reqs(s),
            at::AFTER_D_NIC_LATENCY => self.after_d_nic_latency(s),
            at::AFTER_P_NIC_D_NIC => self.after_p_nic_d_nic(s),
            at::HOLDING_D_REQS => self.holding_d_reqs(s),
            at::AFTER_D_PREFILL => self.after_d_prefill(s),
            at::AFTER_D_DECODE => self.after_d_decode(s),
            at::AFTER_TOOL => self.after_tool(s),
            _ => {}
        }
    }

    // hold kv (prompt), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {  read_back.sq:56
    #[inline(always)]
    fn header_p_kv_p_reqs(&mut self, s: Sid) -> Header {
        let Session { prompt, i, .. } = self.attrs[s as usize];
        let mut header = Header {
            reuse: ((prompt - 1.0) / self.params.bs).floor() * self.params.bs,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::P_KV, i);
        let units = self.k.units(prompt, s, 32);
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::P_REQS, i);
        let units = 0.0;
        let reserve = 1.0;
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // P[i].prefill (prompt) from D[j];                                       read_back.sq:101
    #[inline]
    fn cache_p_kv_p_reqs(&mut self, s: Sid) -> f64 {
        self.attrs[s as usize].prompt
    }

    // } cache (prompt) lease kv (inf);                                       read_back.sq:62
    #[inline]
    fn lease_p_kv_p_reqs(&mut self, s: Sid) -> f64 {
        f64::INFINITY
    }

    // hold reqs (1) { prefill (prompt - c) growing kv; }                     read_back.sq:61
    #[inline(always)]
    fn header_p_reqs(&mut self, s: Sid) -> Header {
        let mut header = Header {
            reuse: f64::INFINITY,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::P_REQS, self.attrs[s as usize].i);
        let units = 1.0;
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        header
    }

    // hold kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt), reqs (1) read_back.sq:47
    #[inline(always)]
    fn header_p_kv_p_reqs_2<const JOINS: bool>(&mut self, s: Sid) -> Header {
        let Session { prompt, i, .. } = self.attrs[s as usize];
        let part = ((prompt - 1.0) / self.params.bs).floor() * self.params.bs;
        let mut header = Header {
            reuse: part,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::P_KV, i);
        let units = if JOINS && part >= 0.0 && prompt >= 0.0 {
            0.0
        } else {
            let amount = prompt
                .min(
                    cached_in(self, PoolAt::<{ pools::P_KV }>::new(i), s).min(part)
                        + budget_left(self, StageAt::<{ stages::P }>::new(i))
                            .min(f64::INFINITY),
                );
            self.k.units(amount, s, 38)
        };
        let reserve = self.k.units(prompt, s, 39);
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::P_REQS, i);
        let units = 1.0;
        let reserve = units;
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // P[i].prefill (prompt);                                                 read_back.sq:103
    #[inline]
    fn cache_p_kv_p_reqs_2(&mut self, s: Sid) -> f64 {
        self.attrs[s as usize].prompt
    }

    // } cache (prompt) lease kv (inf);                                       read_back.sq:52
    #[inline]
    fn lease_p_kv_p_reqs_2(&mut self, s: Sid) -> f64 {
        f64::INFINITY
    }

    // hold kv (prompt + o_most), reqs (0) reserve (1) reuse (reusable(prompt, bs)) { read_back.sq:76
    #[inline(always)]
    fn header_d_kv_d_reqs(&mut self, s: Sid) -> Header {
        let Session { prompt, j, .. } = self.attrs[s as usize];
        let mut header = Header {
            reuse: ((prompt - 1.0) / self.params.bs).floor() * self.params.bs,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::D_KV, j);
        let units = self.k.units(prompt + self.params.o_most, s, 42);
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::D_REQS, j);
        let units = 0.0;
        let reserve = 1.0;
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (prompt + o) lease kv (back ? inf : 0);                        read_back.sq:84
    #[inline]
    fn cache_d_kv_d_reqs(&mut self, s: Sid) -> f64 {
        let attrs = &self.attrs[s as usize];
        attrs.prompt + attrs.o
    }

    // } cache (prompt + o) lease kv (back ? inf : 0);                        read_back.sq:84
    #[inline]
    fn lease_d_kv_d_reqs(&mut self, s: Sid) -> f64 {
        if self.params.back != 0.0 { f64::INFINITY } else { 0.0 }
    }

    // hold reqs (1) {                                                        read_back.sq:79
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

    // budget B;                                                              read_back.sq:41
    #[inline]
    fn budget_p(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);         read_back.sq:42
    #[inline]
    fn cost_p(&mut self, member: usize, it: &Iteration) -> f64 {
        (self.params.omega + self.params.beta * (it.kv_decode + it.kv_prefill))
            .max(it.tokens * self.params.a)
    }

    // budget B;                                                              read_back.sq:70
    #[inline]
    fn budget_d(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);         read_back.sq:71
    #[inline]
    fn cost_d(&mut self, member: usize, it: &Iteration) -> f64 {
        (self.params.omega + self.params.beta * (it.kv_decode + it.kv_prefill))
            .max(it.tokens * self.params.a)
    }

    #[inline]
    fn kept_0(&self, member: usize) -> [f64; 1] {
        // branch (K == 0) { choose j in ND by (holders(D[j].kv) + queued(D[j].kv)); } read_back.sq:98
        [self.d[member].kv.holders() + self.d[member].kv.queued()]
    }

    #[inline]
    fn kept_1(&self, member: usize) -> [f64; 1] {
        // choose i in NP by (work(P[i]) + queued(P[i].kv));                      read_back.sq:99
        [
            stage_work(self, StageAt::<{ stages::P }>::new(member))
                + self.p[member].kv.queued(),
        ]
    }

    #[inline]
    fn kept_2(&self, member: usize) -> [f64; 1] {
        // gauge kept = sum k in ND (used(D[k].kv) / (used(D[k].kv) + free(D[k].kv))) / ND; read_back.sq:137
        [self.d[member].kv.used / (self.d[member].kv.used + self.d[member].kv.free())]
    }

    #[inline]
    fn kept_3(&self, member: usize) -> [f64; 1] {
        // gauge waiting = sum k in ND (queued(D[k].kv)) + sum k in NP (queued(P[k].kv)); read_back.sq:138
        [self.d[member].kv.queued()]
    }

    #[inline]
    fn kept_4(&self, member: usize) -> [f64; 1] {
        // gauge waiting = sum k in ND (queued(D[k].kv)) + sum k in NP (queued(P[k].kv)); read_back.sq:138
        [self.p[member].kv.queued()]
    }
}

#[allow(unused_variables)]
impl World for Model {
    const NAME: &'static str = "read_back";
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
            kept: [0, 0, 0, 0],
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
            via: Some((stages::P, false)),
            memory_of: &[stages::P],
            dirty: [0, 0, 4],
            kept: [0, 0, 18, 0],
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
            lifo: false,
            queue_keys: 0,
            steady_keys: true,
            evict_keys: 0,
            spills: false,
            via: Some((stages::D, false)),
            memory_of: &[stages::D],
            dirty: [1, 0, 2],
            kept: [4, 1, 9, 0],
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
            serves: &[pools::P_REQS, pools::P_KV],
            plannable: false,
            cost_site: 50,
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
            cost_site: 51,
            dirty: 0,
            kept: 0,
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
            name: "P.nic.latency",
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
            of: KeptOf::Pool(pools::D_KV),
            keys: 1,
            least: true,
            greatest: false,
            total: false,
        },
        KeptSpec {
            of: KeptOf::Stage(stages::P),
            keys: 1,
            least: true,
            greatest: false,
            total: false,
        },
        KeptSpec {
            of: KeptOf::Pool(pools::D_KV),
            keys: 1,
            least: false,
            greatest: false,
            total: true,
        },
        KeptSpec {
            of: KeptOf::Pool(pools::D_KV),
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
            pools: &[pools::P_KV, pools::P_REQS],
            caches: true,
            plain_cache: true,
            leases: Some(0),
            reuses: true,
            steady: &[(true, false), (true, true)],
            checked: &[false, true],
            body: at::HOLDING_P_KV_P_REQS,
            site: 52,
        },
        HoldSpec {
            claims: 1,
            pools: &[pools::P_REQS],
            caches: false,
            plain_cache: false,
            leases: None,
            reuses: false,
            steady: &[(true, false)],
            checked: &[true],
            body: at::HOLDING_P_REQS,
            site: 53,
        },
        HoldSpec {
            claims: 2,
            pools: &[pools::P_KV, pools::P_REQS],
            caches: true,
            plain_cache: true,
            leases: Some(0),
            reuses: true,
            steady: &[(false, true), (true, false)],
            checked: &[false, true],
            body: at::HOLDING_P_KV_P_REQS_2,
            site: 54,
        },
        HoldSpec {
            claims: 2,
            pools: &[pools::D_KV, pools::D_REQS],
            caches: true,
            plain_cache: true,
            leases: Some(0),
            reuses: true,
            steady: &[(true, false), (true, true)],
            checked: &[false, true],
            body: at::HOLDING_D_KV_D_REQS,
            site: 55,
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
            site: 56,
        },
    ];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 97),
        (at::AGAIN, 98),
        (at::HOLDING_P_KV_P_REQS, 52),
        (at::AFTER_P_NIC_LATENCY, 7),
        (at::AFTER_D_NIC_P_NIC, 7),
        (at::HOLDING_P_REQS, 53),
        (at::AFTER_P_PREFILL, 99),
        (at::HOLDING_P_KV_P_REQS_2, 54),
        (at::AFTER_P_PREFILL_2, 100),
        (at::MEET, 101),
        (at::HOLDING_D_KV_D_REQS, 55),
        (at::AFTER_D_NIC_LATENCY, 19),
        (at::AFTER_P_NIC_D_NIC, 19),
        (at::HOLDING_D_REQS, 56),
        (at::AFTER_D_PREFILL, 102),
        (at::AFTER_D_DECODE, 103),
        (at::MEET_2, 56),
        (at::AFTER_TOOL, 104),
    ];
    const ARRIVE_SITE: u32 = 88;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "back",
            default: "1",
            comment: "0: nothing is read back",
        },
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
            name: "max_seqs",
            default: "64",
            comment: "running requests of a pod at most",
        },
        ParamSpec {
            name: "blocksP",
            default: "4000",
            comment: "KV blocks of a prefill pod",
        },
        ParamSpec {
            name: "blocksD",
            default: "20000",
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
            default: "1e-4",
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
            comment: "bandwidth of a pod's NIC, tokens/s",
        },
        ParamSpec {
            name: "x0",
            default: "0.002",
            comment: "time to post a read and notice its end, s",
        },
        ParamSpec {
            name: "Lambda",
            default: "0.9",
            comment: "sessions that begin per second",
        },
        ParamSpec {
            name: "p",
            default: "0.8",
            comment: "probability of another turn",
        },
        ParamSpec {
            name: "Z",
            default: "5",
            comment: "mean time from an answer to the next question, s",
        },
        ParamSpec {
            name: "o_most",
            default: "600",
            comment: "longest answer, for which a decode pod sets room aside",
        },
    ];
    const OBSERVES: &'static [&'static str] = &["computed", "ttft", "response"];
    const GAUGES: &'static [&'static str] = &["kept", "waiting"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 1.0,
            1 => 2.0,
            2 => 2.0,
            3 => 8192.0,
            4 => 64.0,
            5 => 4000.0,
            6 => 20000.0,
            7 => 16.0,
            8 => 16384.0,
            9 => 0.0001,
            10 => 0.008,
            11 => 4e-8,
            12 => 200000.0,
            13 => 0.002,
            14 => 0.9,
            15 => 0.8,
            16 => 5.0,
            17 => 600.0,
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
        check(!p.back.is_nan(), "S162", "a `let` is not a number", 57u32, &mut refused);
        check(!p.np.is_nan(), "S162", "a `let` is not a number", 58u32, &mut refused);
        check(!p.nd.is_nan(), "S162", "a `let` is not a number", 59u32, &mut refused);
        check(!p.b.is_nan(), "S162", "a `let` is not a number", 60u32, &mut refused);
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a `let` is not a number",
            61u32,
            &mut refused,
        );
        check(
            !p.blocks_p.is_nan(),
            "S162",
            "a `let` is not a number",
            62u32,
            &mut refused,
        );
        check(
            !p.blocks_d.is_nan(),
            "S162",
            "a `let` is not a number",
            63u32,
            &mut refused,
        );
        check(!p.bs.is_nan(), "S162", "a `let` is not a number", 64u32, &mut refused);
        check(
            !p.max_model_len.is_nan(),
            "S162",
            "a `let` is not a number",
            65u32,
            &mut refused,
        );
        check(!p.a.is_nan(), "S162", "a `let` is not a number", 66u32, &mut refused);
        check(!p.omega.is_nan(), "S162", "a `let` is not a number", 67u32, &mut refused);
        check(!p.beta.is_nan(), "S162", "a `let` is not a number", 68u32, &mut refused);
        check(!p.bw.is_nan(), "S162", "a `let` is not a number", 69u32, &mut refused);
        check(!p.x0.is_nan(), "S162", "a `let` is not a number", 70u32, &mut refused);
        check(
            !p.lambda.is_nan(),
            "S162",
            "a `let` is not a number",
            71u32,
            &mut refused,
        );
        check(!p.p.is_nan(), "S162", "a `let` is not a number", 72u32, &mut refused);
        check(!p.z.is_nan(), "S162", "a `let` is not a number", 73u32, &mut refused);
        check(
            !p.o_most.is_nan(),
            "S162",
            "a `let` is not a number",
            74u32,
            &mut refused,
        );
        check(
            !p.np.is_nan(),
            "S162",
            "a family's size is not a number",
            75u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            75u32,
            &mut refused,
        );
        check(
            p.np <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            75u32,
            &mut refused,
        );
        check(
            !p.nd.is_nan(),
            "S162",
            "a family's size is not a number",
            76u32,
            &mut refused,
        );
        check(
            p.nd == p.nd.floor() && p.nd >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            76u32,
            &mut refused,
        );
        check(
            p.nd <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            76u32,
            &mut refused,
        );
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            77u32,
            &mut refused,
        );
        check(
            p.max_seqs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            77u32,
            &mut refused,
        );
        check(
            !(p.blocks_p * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            78u32,
            &mut refused,
        );
        check(
            p.blocks_p * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            78u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            79u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            79u32,
            &mut refused,
        );
        check(
            !p.bw.is_nan(),
            "S168",
            "the capacity is not a number",
            80u32,
            &mut refused,
        );
        check(!p.x0.is_nan(), "S162", "a latency is not a number", 6u32, &mut refused);
        check(
            p.x0 >= 0.0,
            "S163",
            "this latency is negative or not a number",
            6u32,
            &mut refused,
        );
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            81u32,
            &mut refused,
        );
        check(
            p.max_seqs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            81u32,
            &mut refused,
        );
        check(
            !(p.blocks_d * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            82u32,
            &mut refused,
        );
        check(
            p.blocks_d * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            82u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            83u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            83u32,
            &mut refused,
        );
        check(
            !p.bw.is_nan(),
            "S168",
            "the capacity is not a number",
            84u32,
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
            85u32,
            &mut refused,
        );
        check(
            p.nd <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            85u32,
            &mut refused,
        );
        check(
            p.nd == p.nd.floor() && p.nd >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            86u32,
            &mut refused,
        );
        check(
            p.nd <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            86u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            87u32,
            &mut refused,
        );
        check(
            p.np <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            87u32,
            &mut refused,
        );
        check(
            !p.lambda.is_nan(),
            "S162",
            "an arrival rate is not a number",
            88u32,
            &mut refused,
        );
        check(
            p.lambda > 0.0 && p.lambda < f64::INFINITY,
            "S185",
            "the arrival rate is not a finite number above 0",
            88u32,
            &mut refused,
        );
        check(
            p.p >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            89u32,
            &mut refused,
        );
        check(
            p.p <= 1.0,
            "S176",
            "nothing can be drawn with these numbers",
            89u32,
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
            0.0 <= p.max_seqs,
            "S164",
            "this is more than `P.reqs` ever holds",
            90u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `P.reqs` ever holds",
            91u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `P.reqs` ever holds",
            92u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `P.reqs` ever holds",
            93u32,
            &mut refused,
        );
        check(
            0.0 <= p.max_seqs,
            "S164",
            "this is more than `D.reqs` ever holds",
            94u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `D.reqs` ever holds",
            95u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `D.reqs` ever holds",
            96u32,
            &mut refused,
        );
        check(
            p.z >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            29u32,
            &mut refused,
        );
        check(
            p.bw > 0.0,
            "S111",
            "the capacity of `D.nic` is not above 0, and flows share it",
            7u32,
            &mut refused,
        );
        check(
            p.bw > 0.0,
            "S111",
            "the capacity of `P.nic` is not above 0, and flows share it",
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
                    reqs: Pool::new(p.max_seqs, 0.0, settings),
                    kv: Pool::new(p.blocks_p * p.bs, p.bs, settings),
                    serve: Engine::new(settings),
                    nic: Link::new(p.bw),
                    nic_latency: Delay::new(settings),
                })
                .collect(),
            d: (0..p.nd as usize)
                .map(|_| D {
                    reqs: Pool::new(p.max_seqs, 0.0, settings),
                    kv: Pool::new(p.blocks_d * p.bs, p.bs, settings),
                    serve: Engine::new(settings),
                    nic: Link::new(p.bw),
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
            stages::P_NIC_LATENCY => self.p.len(),
            stages::TOOL => 1,
            _ => 0,
        }
    }

    #[inline]
    fn delay(&self, at: impl AtStage) -> &Delay {
        let key = at.key();
        match key.family {
            stages::D_NIC_LATENCY => &self.d[key.member as usize].nic_latency,
            stages::P_NIC_LATENCY => &self.p[key.member as usize].nic_latency,
            _ => &self.tool,
        }
    }

    #[inline]
    fn delay_mut(&mut self, at: impl AtStage) -> &mut Delay {
        let key = at.key();
        match key.family {
            stages::D_NIC_LATENCY => &mut self.d[key.member as usize].nic_latency,
            stages::P_NIC_LATENCY => &mut self.p[key.member as usize].nic_latency,
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
            holds::P_KV_P_REQS => self.header_p_kv_p_reqs(s),
            holds::P_REQS => self.header_p_reqs(s),
            holds::P_KV_P_REQS_2 => self.header_p_kv_p_reqs_2::<false>(s),
            holds::D_KV_D_REQS => self.header_d_kv_d_reqs(s),
            holds::D_REQS => self.header_d_reqs(s),
            _ => Header::default(),
        }
    }

    #[inline(always)]
    fn joining_header(&mut self, s: Sid, hold: impl AtHold) -> Header {
        match hold.stmt() {
            holds::P_KV_P_REQS => self.header_p_kv_p_reqs(s),
            holds::P_REQS => self.header_p_reqs(s),
            holds::P_KV_P_REQS_2 => self.header_p_kv_p_reqs_2::<true>(s),
            holds::D_KV_D_REQS => self.header_d_kv_d_reqs(s),
            holds::D_REQS => self.header_d_reqs(s),
            _ => Header::default(),
        }
    }

    #[inline]
    fn cache_clause(&mut self, s: Sid, hold: u32) -> f64 {
        match hold {
            holds::P_KV_P_REQS => self.cache_p_kv_p_reqs(s),
            holds::P_KV_P_REQS_2 => self.cache_p_kv_p_reqs_2(s),
            holds::D_KV_D_REQS => self.cache_d_kv_d_reqs(s),
            _ => 0.0,
        }
    }

    #[inline]
    fn lease_clause(&mut self, s: Sid, hold: u32) -> f64 {
        match hold {
            holds::P_KV_P_REQS => self.lease_p_kv_p_reqs(s),
            holds::P_KV_P_REQS_2 => self.lease_p_kv_p_reqs_2(s),
            holds::D_KV_D_REQS => self.lease_d_kv_d_reqs(s),
            _ => 0.0,
        }
    }

    #[inline]
    fn on_hold<O: OnHold<Self>>(&mut self, hold: u32, op: O) -> O::Out {
        match hold {
            holds::P_KV_P_REQS => op.run(self, HoldAt::<{ holds::P_KV_P_REQS }>),
            holds::P_REQS => op.run(self, HoldAt::<{ holds::P_REQS }>),
            holds::P_KV_P_REQS_2 => op.run(self, HoldAt::<{ holds::P_KV_P_REQS_2 }>),
            holds::D_KV_D_REQS => op.run(self, HoldAt::<{ holds::D_KV_D_REQS }>),
            _ => op.run(self, HoldAt::<{ holds::D_REQS }>),
        }
    }

    #[inline(always)]
    fn run_body(&mut self, s: Sid, hold: impl AtHold) {
        match hold.stmt() {
            holds::P_KV_P_REQS => self.holding_p_kv_p_reqs(s),
            holds::P_REQS => self.holding_p_reqs(s),
            holds::P_KV_P_REQS_2 => self.holding_p_kv_p_reqs_2(s),
            holds::D_KV_D_REQS => self.holding_d_kv_d_reqs(s),
            _ => self.holding_d_reqs(s),
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
            stages::D_NIC_LATENCY => {
                op.run(self, StageAt::<{ stages::D_NIC_LATENCY }>(stage.member))
            }
            stages::P_NIC_LATENCY => {
                op.run(self, StageAt::<{ stages::P_NIC_LATENCY }>(stage.member))
            }
            _ => op.run(self, StageAt::<{ stages::TOOL }>(stage.member)),
        }
    }

    #[inline]
    fn read_gauges(&mut self, dirty: u64) {
        if dirty & 1 != 0 {
            self.read_gauges_0();
        }
        if dirty & 6 != 0 {
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
            for its_k in 0..self.d.len() {
                let value = self.d[its_k].kv.used
                    / (self.d[its_k].kv.used + self.d[its_k].kv.free());
                all_total += value;
            }
        }
        // gauge kept = sum k in ND (used(D[k].kv) / (used(D[k].kv) + free(D[k].kv))) / ND; read_back.sq:137
        let value = all_total / self.params.nd;
        self.k.set_gauge(0, value);
    }

    #[inline]
    fn read_gauges_1(&mut self) {
        let mut all_total = 0.0;
        if let Some(kept) = kept(self, 3, Self::kept_3) {
            all_total = kept.total();
        } else {
            for its_k in 0..self.d.len() {
                let value = self.d[its_k].kv.queued();
                all_total += value;
            }
        }
        let mut all_total_1 = 0.0;
        if let Some(kept) = kept(self, 4, Self::kept_4) {
            all_total_1 = kept.total();
        } else {
            for its_k in 0..self.p.len() {
                let value = self.p[its_k].kv.queued();
                all_total_1 += value;
            }
        }
        // gauge waiting = sum k in ND (queued(D[k].kv)) + sum k in NP (queued(P[k].kv)); read_back.sq:138
        let value = all_total + all_total_1;
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
    /// `P.nic.latency`
    pub const P_NIC_LATENCY: u16 = 5;
    /// `tool`
    pub const TOOL: u16 = 6;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {
    /// `hold kv (prompt), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {`
    pub const P_KV_P_REQS: u32 = 0;
    /// `hold reqs (1) { prefill (prompt - c) growing kv; }`
    pub const P_REQS: u32 = 1;
    /// `hold kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt), reqs (1)`
    pub const P_KV_P_REQS_2: u32 = 2;
    /// `hold kv (prompt + o_most), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {`
    pub const D_KV_D_REQS: u32 = 3;
    /// `hold reqs (1) {`
    pub const D_REQS: u32 = 4;
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
    /// holding p kv p reqs
    pub const HOLDING_P_KV_P_REQS: u32 = 6;
    /// after p nic latency
    pub const AFTER_P_NIC_LATENCY: u32 = 7;
    /// after d nic p nic
    pub const AFTER_D_NIC_P_NIC: u32 = 8;
    /// holding p reqs
    pub const HOLDING_P_REQS: u32 = 9;
    /// after p prefill
    pub const AFTER_P_PREFILL: u32 = 10;
    /// holding p kv p reqs 2
    pub const HOLDING_P_KV_P_REQS_2: u32 = 11;
    /// after p prefill 2
    pub const AFTER_P_PREFILL_2: u32 = 12;
    /// meet
    pub const MEET: u32 = 13;
    /// holding d kv d reqs
    pub const HOLDING_D_KV_D_REQS: u32 = 14;
    /// after d nic latency
    pub const AFTER_D_NIC_LATENCY: u32 = 15;
    /// after p nic d nic
    pub const AFTER_P_NIC_D_NIC: u32 = 16;
    /// holding d reqs
    pub const HOLDING_D_REQS: u32 = 17;
    /// after d prefill
    pub const AFTER_D_PREFILL: u32 = 18;
    /// then 3
    pub const THEN_3: u32 = 19;
    /// otherwise 3
    pub const OTHERWISE_3: u32 = 20;
    /// after d decode
    pub const AFTER_D_DECODE: u32 = 21;
    /// meet 2
    pub const MEET_2: u32 = 22;
    /// then 4
    pub const THEN_4: u32 = 23;
    /// otherwise 4
    pub const OTHERWISE_4: u32 = 24;
    /// after tool
    pub const AFTER_TOOL: u32 = 25;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "read_back.sq",
        line: 98,
        col: 35,
        text: "    branch (K == 0) { choose j in ND by (holders(D[j].kv) + queued(D[j].kv)); }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 98,
        col: 52,
        text: "    branch (K == 0) { choose j in ND by (holders(D[j].kv) + queued(D[j].kv)); }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 98,
        col: 70,
        text: "    branch (K == 0) { choose j in ND by (holders(D[j].kv) + queued(D[j].kv)); }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 99,
        col: 17,
        text: "    choose i in NP by (work(P[i]) + queued(P[i].kv));",
    },
    SourceSite {
        file: "read_back.sq",
        line: 99,
        col: 31,
        text: "    choose i in NP by (work(P[i]) + queued(P[i].kv));",
    },
    SourceSite {
        file: "read_back.sq",
        line: 99,
        col: 46,
        text: "    choose i in NP by (work(P[i]) + queued(P[i].kv));",
    },
    SourceSite {
        file: "read_back.sq",
        line: 89,
        col: 18,
        text: "P pull D latency x0 share maxmin;",
    },
    SourceSite {
        file: "read_back.sq",
        line: 59,
        col: 7,
        text: "      transfer (missing) from src to kv (missing);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 59,
        col: 17,
        text: "      transfer (missing) from src to kv (missing);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 59,
        col: 42,
        text: "      transfer (missing) from src to kv (missing);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 59,
        col: 38,
        text: "      transfer (missing) from src to kv (missing);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 59,
        col: 31,
        text: "      transfer (missing) from src to kv (missing);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 61,
        col: 32,
        text: "      hold reqs (1) { prefill (prompt - c) growing kv; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 61,
        col: 23,
        text: "      hold reqs (1) { prefill (prompt - c) growing kv; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 61,
        col: 52,
        text: "      hold reqs (1) { prefill (prompt - c) growing kv; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 51,
        col: 16,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "read_back.sq",
        line: 51,
        col: 7,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "read_back.sq",
        line: 51,
        col: 36,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "read_back.sq",
        line: 88,
        col: 18,
        text: "D pull P latency x0 share maxmin;",
    },
    SourceSite {
        file: "read_back.sq",
        line: 78,
        col: 7,
        text: "      transfer (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 78,
        col: 17,
        text: "      transfer (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 78,
        col: 45,
        text: "      transfer (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 78,
        col: 41,
        text: "      transfer (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 78,
        col: 34,
        text: "      transfer (prompt - c) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 80,
        col: 9,
        text: "        prefill (1) growing kv;",
    },
    SourceSite {
        file: "read_back.sq",
        line: 80,
        col: 29,
        text: "        prefill (1) growing kv;",
    },
    SourceSite {
        file: "read_back.sq",
        line: 82,
        col: 34,
        text: "        branch (o > 1) { decode (o - 1) growing kv; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 82,
        col: 26,
        text: "        branch (o > 1) { decode (o - 1) growing kv; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 82,
        col: 49,
        text: "        branch (o > 1) { decode (o - 1) growing kv; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 132,
        col: 29,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 132,
        col: 23,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 56,
        col: 10,
        text: "    hold kv (prompt), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 101,
        col: 21,
        text: "      P[i].prefill (prompt) from D[j];",
    },
    SourceSite {
        file: "read_back.sq",
        line: 56,
        col: 23,
        text: "    hold kv (prompt), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 61,
        col: 12,
        text: "      hold reqs (1) { prefill (prompt - c) growing kv; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 47,
        col: 10,
        text: "    hold kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt), reqs (1)",
    },
    SourceSite {
        file: "read_back.sq",
        line: 49,
        col: 43,
        text: "         at admission (hit = min(cachedin(kv), reusable(prompt, bs))) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 47,
        col: 51,
        text: "    hold kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt), reqs (1)",
    },
    SourceSite {
        file: "vllm.sq",
        line: 15,
        col: 46,
        text: "def first_units(known, hit, budget, chunk) = min(known, hit + min(budget, chunk));",
    },
    SourceSite {
        file: "read_back.sq",
        line: 103,
        col: 21,
        text: "      P[i].prefill (prompt);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 47,
        col: 79,
        text: "    hold kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt), reqs (1)",
    },
    SourceSite {
        file: "read_back.sq",
        line: 76,
        col: 10,
        text: "    hold kv (prompt + o_most), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 76,
        col: 14,
        text: "    hold kv (prompt + o_most), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 76,
        col: 32,
        text: "    hold kv (prompt + o_most), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 79,
        col: 12,
        text: "      hold reqs (1) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 137,
        col: 34,
        text: "gauge kept = sum k in ND (used(D[k].kv) / (used(D[k].kv) + free(D[k].kv))) / ND;  // of the decode pods' memory",
    },
    SourceSite {
        file: "read_back.sq",
        line: 137,
        col: 51,
        text: "gauge kept = sum k in ND (used(D[k].kv) / (used(D[k].kv) + free(D[k].kv))) / ND;  // of the decode pods' memory",
    },
    SourceSite {
        file: "read_back.sq",
        line: 137,
        col: 67,
        text: "gauge kept = sum k in ND (used(D[k].kv) / (used(D[k].kv) + free(D[k].kv))) / ND;  // of the decode pods' memory",
    },
    SourceSite {
        file: "read_back.sq",
        line: 138,
        col: 39,
        text: "gauge waiting = sum k in ND (queued(D[k].kv)) + sum k in NP (queued(P[k].kv));",
    },
    SourceSite {
        file: "read_back.sq",
        line: 138,
        col: 71,
        text: "gauge waiting = sum k in ND (queued(D[k].kv)) + sum k in NP (queued(P[k].kv));",
    },
    SourceSite {
        file: "read_back.sq",
        line: 42,
        col: 10,
        text: "    cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 71,
        col: 10,
        text: "    cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 56,
        col: 5,
        text: "    hold kv (prompt), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 61,
        col: 7,
        text: "      hold reqs (1) { prefill (prompt - c) growing kv; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 47,
        col: 5,
        text: "    hold kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt), reqs (1)",
    },
    SourceSite {
        file: "read_back.sq",
        line: 76,
        col: 5,
        text: "    hold kv (prompt + o_most), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 79,
        col: 7,
        text: "      hold reqs (1) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 19,
        col: 12,
        text: "let back = 1;         // 0: nothing is read back",
    },
    SourceSite {
        file: "read_back.sq",
        line: 20,
        col: 10,
        text: "let NP = 2;           // prefill pods",
    },
    SourceSite {
        file: "read_back.sq",
        line: 21,
        col: 10,
        text: "let ND = 2;           // decode pods",
    },
    SourceSite {
        file: "read_back.sq",
        line: 22,
        col: 9,
        text: "let B = 8192;         // tokens an engine may schedule in one iteration",
    },
    SourceSite {
        file: "read_back.sq",
        line: 23,
        col: 16,
        text: "let max_seqs = 64;    // running requests of a pod at most",
    },
    SourceSite {
        file: "read_back.sq",
        line: 24,
        col: 15,
        text: "let blocksP = 4000;   // KV blocks of a prefill pod",
    },
    SourceSite {
        file: "read_back.sq",
        line: 25,
        col: 15,
        text: "let blocksD = 20000;  // KV blocks of a decode pod",
    },
    SourceSite {
        file: "read_back.sq",
        line: 26,
        col: 10,
        text: "let bs = 16;          // tokens in a KV block",
    },
    SourceSite {
        file: "read_back.sq",
        line: 27,
        col: 21,
        text: "let max_model_len = 16384;  // longest prompt plus output, in tokens",
    },
    SourceSite {
        file: "read_back.sq",
        line: 28,
        col: 9,
        text: "let a = 1e-4;         // compute time of a scheduled token, s",
    },
    SourceSite {
        file: "read_back.sq",
        line: 29,
        col: 13,
        text: "let omega = 8e-3;     // time to read the weights once, s",
    },
    SourceSite {
        file: "read_back.sq",
        line: 30,
        col: 12,
        text: "let beta = 4e-8;      // time to read the KV of one resident token, s",
    },
    SourceSite {
        file: "read_back.sq",
        line: 31,
        col: 10,
        text: "let Bw = 2e5;         // bandwidth of a pod's NIC, tokens/s",
    },
    SourceSite {
        file: "read_back.sq",
        line: 32,
        col: 10,
        text: "let x0 = 0.002;       // time to post a read and notice its end, s",
    },
    SourceSite {
        file: "read_back.sq",
        line: 33,
        col: 14,
        text: "let Lambda = 0.9;     // sessions that begin per second",
    },
    SourceSite {
        file: "read_back.sq",
        line: 34,
        col: 9,
        text: "let p = 0.8;          // probability of another turn",
    },
    SourceSite {
        file: "read_back.sq",
        line: 35,
        col: 9,
        text: "let Z = 5;            // mean time from an answer to the next question, s",
    },
    SourceSite {
        file: "read_back.sq",
        line: 91,
        col: 14,
        text: "let o_most = 600;  // longest answer, for which a decode pod sets room aside",
    },
    SourceSite {
        file: "read_back.sq",
        line: 37,
        col: 9,
        text: "queue P[NP] : prefill {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 66,
        col: 9,
        text: "queue D[ND] : decode {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 38,
        col: 19,
        text: "  pool reqs { cap max_seqs; admit via P; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 39,
        col: 17,
        text: "  pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; admit via P; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 39,
        col: 37,
        text: "  pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; admit via P; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 45,
        col: 10,
        text: "  nic ps(Bw);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 67,
        col: 19,
        text: "  pool reqs { cap max_seqs; admit via D; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 68,
        col: 17,
        text: "  pool kv { cap blocksD * bs; block bs; evict lru; preempt none; admit via D; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 68,
        col: 37,
        text: "  pool kv { cap blocksD * bs; block bs; evict lru; preempt none; admit via D; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 74,
        col: 10,
        text: "  nic ps(Bw);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 137,
        col: 23,
        text: "gauge kept = sum k in ND (used(D[k].kv) / (used(D[k].kv) + free(D[k].kv))) / ND;  // of the decode pods' memory",
    },
    SourceSite {
        file: "read_back.sq",
        line: 138,
        col: 26,
        text: "gauge waiting = sum k in ND (queued(D[k].kv)) + sum k in NP (queued(P[k].kv));",
    },
    SourceSite {
        file: "read_back.sq",
        line: 138,
        col: 58,
        text: "gauge waiting = sum k in ND (queued(D[k].kv)) + sum k in NP (queued(P[k].kv));",
    },
    SourceSite {
        file: "read_back.sq",
        line: 117,
        col: 18,
        text: "  arrive poisson(Lambda);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 123,
        col: 16,
        text: "    set more = ~bernoulli(p);",
    },
    SourceSite {
        file: "read_back.sq",
        line: 56,
        col: 29,
        text: "    hold kv (prompt), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 56,
        col: 41,
        text: "    hold kv (prompt), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 61,
        col: 18,
        text: "      hold reqs (1) { prefill (prompt - c) growing kv; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 47,
        col: 85,
        text: "    hold kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt), reqs (1)",
    },
    SourceSite {
        file: "read_back.sq",
        line: 76,
        col: 38,
        text: "    hold kv (prompt + o_most), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 76,
        col: 50,
        text: "    hold kv (prompt + o_most), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 79,
        col: 18,
        text: "      hold reqs (1) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 126,
        col: 5,
        text: "    turn;",
    },
    SourceSite {
        file: "read_back.sq",
        line: 128,
        col: 7,
        text: "      branch (K + n + 600 >= max_model_len) { end; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 61,
        col: 23,
        text: "      hold reqs (1) { prefill (prompt - c) growing kv; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 51,
        col: 7,
        text: "      prefill (prompt - c) growing kv;",
    },
    SourceSite {
        file: "read_back.sq",
        line: 105,
        col: 5,
        text: "    branch (K > 0) {",
    },
    SourceSite {
        file: "read_back.sq",
        line: 80,
        col: 9,
        text: "        prefill (1) growing kv;",
    },
    SourceSite {
        file: "read_back.sq",
        line: 82,
        col: 26,
        text: "        branch (o > 1) { decode (o - 1) growing kv; }",
    },
    SourceSite {
        file: "read_back.sq",
        line: 132,
        col: 23,
        text: "      branch (more) { tool (~exp(Z)); turn; } else { end; }",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("read_back.sq", r#"// KV that goes both ways: the decode pod's blocks of the last turn are read back before the next one is prefilled.
//
// In a split deployment the answer of a turn is computed on the decode pod, and so is its KV. The next turn's prompt
// has that answer in it, but the prefill pod does not: with one-way transfers it computes the answer again, and with
// it everything that its own cache has lost since. With `back=1` the decode pod keeps its blocks leased between the
// turns, and the prefill pod reads what it misses of them, over the same NICs in the other direction, before it
// prefills what is new.
//
// Question: when is that worth it? A read needs the decode pod's memory for as long as the client is away (`Z`); what
// it saves is compute of the prefill pods. Look at `computed`, the tokens that a later turn's prefill computed, at
// `ttft` and at `kept`, the share of the decode pods' memory that is held, which `back=1` fills. With few blocks or
// long pauses that memory is what everybody waits for: leases are not evicted.
//
//   serqc run examples/pd-disaggregation/read_back.sq
//   serqc run examples/pd-disaggregation/read_back.sq --set back=0
//   serqc run examples/pd-disaggregation/read_back.sq --set Z=20
use "../../lib/vllm.sq";

let back = 1;         // 0: nothing is read back
let NP = 2;           // prefill pods
let ND = 2;           // decode pods
let B = 8192;         // tokens an engine may schedule in one iteration
let max_seqs = 64;    // running requests of a pod at most
let blocksP = 4000;   // KV blocks of a prefill pod
let blocksD = 20000;  // KV blocks of a decode pod
let bs = 16;          // tokens in a KV block
let max_model_len = 16384;  // longest prompt plus output, in tokens
let a = 1e-4;         // compute time of a scheduled token, s
let omega = 8e-3;     // time to read the weights once, s
let beta = 4e-8;      // time to read the KV of one resident token, s
let Bw = 2e5;         // bandwidth of a pod's NIC, tokens/s
let x0 = 0.002;       // time to post a read and notice its end, s
let Lambda = 0.9;     // sessions that begin per second
let p = 0.8;          // probability of another turn
let Z = 5;            // mean time from an answer to the next question, s

queue P[NP] : prefill {
  pool reqs { cap max_seqs; admit via P; }
  pool kv { cap blocksP * bs; block bs; evict lru; preempt lifo; admit via P; }
  serve step {
    budget B;
    cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);
    memory kv;
  }
  nic ps(Bw);
  prefill (prompt) {
    hold kv (first_units(prompt, hit, budget_left(P), inf)) reserve (prompt), reqs (1)
         reuse (reusable(prompt, bs))
         at admission (hit = min(cachedin(kv), reusable(prompt, bs))) {
      set c = cached;
      prefill (prompt - c) growing kv;
    } cache (prompt) lease kv (inf);
  }
  // `said` tokens of the prompt are on the decode pod; what is not here of them is read.
  prefill (prompt) from src {
    hold kv (prompt), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {
      set c = cached;
      set missing = max(0, said - c);
      transfer (missing) from src to kv (missing);
      set c = c + missing;
      hold reqs (1) { prefill (prompt - c) growing kv; }
    } cache (prompt) lease kv (inf);
  }
}

queue D[ND] : decode {
  pool reqs { cap max_seqs; admit via D; }
  pool kv { cap blocksD * bs; block bs; evict lru; preempt none; admit via D; }
  serve step {
    budget B;
    cost max(omega + beta * (kv_decode + kv_prefill), tokens * a);
    memory kv;
  }
  nic ps(Bw);
  decode (prompt) from src {
    hold kv (prompt + o_most), reqs (0) reserve (1) reuse (reusable(prompt, bs)) {
      set c = cached;
      transfer (prompt - c) from src to kv (prompt - 1 - c);
      hold reqs (1) {
        prefill (1) growing kv;
        mark first_token;
        branch (o > 1) { decode (o - 1) growing kv; }
      }
    } cache (prompt + o) lease kv (back ? inf : 0);
  }
}

D pull P latency x0 share maxmin;
P pull D latency x0 share maxmin;

let o_most = 600;  // longest answer, for which a decode pod sets room aside

queue gw : gateway {
  route {
    set t0 = now;
    set prompt = K + n;
    // The pod that has the context, once there is one.
    branch (K == 0) { choose j in ND by (holders(D[j].kv) + queued(D[j].kv)); }
    choose i in NP by (work(P[i]) + queued(P[i].kv));
    branch (K > 0 && back) {
      P[i].prefill (prompt) from D[j];
    } else {
      P[i].prefill (prompt);
    }
    branch (K > 0) {
      observe computed = prompt - P.c;  // tokens of a later prompt that were computed
    }
    D[j].decode (prompt) from P[i];
    observe ttft = D.first_token - t0;  // s to the first token
    observe response = now - t0;        // s to the last token
  }
}

stage tool : delay;

workload {
  arrive poisson(Lambda);
  hidden o, said;
  init { set K = 0; }
  turn {
    set n = K == 0 ? floor(~uniform(1000, 3000)) : floor(~exp(100)) + 1;
    set o = min(600, floor(~exp(200)) + 1);
    set more = ~bernoulli(p);
  }
  session {
    turn;
    loop {
      branch (K + n + 600 >= max_model_len) { end; }
      request gw;
      set K = prompt + o;
      set said = K - 1;  // the last token of an answer is never computed
      branch (more) { tool (~exp(Z)); turn; } else { end; }
    }
  }
}

gauge kept = sum k in ND (used(D[k].kv) / (used(D[k].kv) + free(D[k].kv))) / ND;  // of the decode pods' memory
gauge waiting = sum k in ND (queued(D[k].kv)) + sum k in NP (queued(P[k].kv));

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
