//! vllm_pd_step: a serQ program as native code.
//!
//! Emitted by serqc from vllm_pd_step.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let sessions = 5;`: recorded sessions
    pub sessions: f64,
    /// `let bs = 16;`: tokens in a KV block
    pub bs: f64,
    /// `let blocksP = 26;`: KV blocks of the prefiller
    pub blocks_p: f64,
    /// `let blocksD = 16;`: KV blocks of the decoder
    pub blocks_d: f64,
    /// `let max_seqsP = 8;`: running requests at most, prefiller
    pub max_seqs_p: f64,
    /// `let max_seqsD = 8;`: running requests at most, decoder
    pub max_seqs_d: f64,
    /// `let BP = 256;`: tokens that may be scheduled in one step of the prefiller
    pub bp: f64,
    /// `let BD = 256;`: tokens that may be scheduled in one step of the decoder
    pub bd: f64,
    /// `let chunkP = inf;`: of them of one prompt, prefiller
    pub chunk_p: f64,
    /// `let chunkD = inf;`: of them of one prompt, decoder
    pub chunk_d: f64,
    /// `let periodP = 1;`: steps of the clock that one step of the prefiller takes
    pub period_p: f64,
    /// `let periodD = 1;`: steps of the clock that one step of the decoder takes
    pub period_d: f64,
    /// `let push = 0;`: 1: both legs of a request are sent at once
    pub push: f64,
    /// `let sidecar = 1;`: steps from the prefill leg's output to the decode leg's arrival, pull
    pub sidecar: f64,
    /// `let read_base = 3;`: steps of a read, whatever its size
    pub read_base: f64,
    /// `let read_rate = inf;`: blocks read in one step beside that
    pub read_rate: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            sessions: values[0],
            bs: values[1],
            blocks_p: values[2],
            blocks_d: values[3],
            max_seqs_p: values[4],
            max_seqs_d: values[5],
            bp: values[6],
            bd: values[7],
            chunk_p: values[8],
            chunk_d: values[9],
            period_p: values[10],
            period_d: values[11],
            push: values[12],
            sidecar: values[13],
            read_base: values[14],
            read_rate: values[15],
        }
    }
}

// queue wire : link { serve delay; }                                     vllm_pd_step.sq:42
/// The queue `wire`.
pub struct Wire {
    /// `queue wire : link { serve delay; }`
    pub serve: Delay,
}

// queue P : prefill {                                                    vllm_pd_step.sq:56
/// The queue `P`.
pub struct P {
    /// `pool reqs { cap max_seqsP; queue by (-waited, forced); admit via P; }`
    pub reqs: Pool<Session>,
    /// `pool kv { cap blocksP * bs; block bs; prefix shared; evict lru; preempt lifo; }`
    pub kv: Pool<Session>,
    /// `serve step {`
    pub serve: Engine,
}

// queue D : decode {                                                     vllm_pd_step.sq:83
/// The queue `D`.
pub struct D {
    /// `pool reqs { cap max_seqsD; queue by (D.parked, D.place); admit via D; }`
    pub reqs: Pool<Session>,
    /// `pool kv {`
    pub kv: Pool<Session>,
    /// `pool whole { block bs; }`
    pub whole: Pool<Session>,
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
    /// `queue wire : link { serve delay; }`
    pub wire: Wire,
    /// `queue P : prefill {`
    pub p: P,
    /// `queue D : decode {`
    pub d: D,
    /// `stage client : delay;`
    pub client: Delay,
    /// `stage clock : delay;`
    pub clock: Delay,
    /// `stage handover : delay;`
    pub handover: Delay,
}

/// A session's attributes.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// `o`, hidden from the schedulers
    pub o: f64,
    /// `K`
    pub k: f64,
    /// `prompt`
    pub prompt: f64,
    /// `P.admissions`
    pub p_admissions: f64,
    /// `D.length`
    pub d_length: f64,
    /// `D.read`
    pub d_read: f64,
    /// `D.admissions`
    pub d_admissions: f64,
    /// `D.c`
    pub d_c: f64,
    /// `D.parked`
    pub d_parked: f64,
    /// `D.place`
    pub d_place: f64,
}

#[allow(unused_variables, clippy::manual_clamp)]
impl Model {
    /// What a session brings when it is created.
    fn start_session(&mut self, s: Sid) {}
    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {
        // turn { set o = out; }                                                  vllm_pd_step.sq:146
        self.attrs[s as usize].o = self.k.control(s).b.out;
    }

    #[inline(never)]
    fn start(&mut self, s: Sid) {
        // branch (serial == sessions) {                                          vllm_pd_step.sq:148
        if self.k.control(s).b.serial == self.params.sessions {
            // run clock (0.5);                                                       vllm_pd_step.sq:150
            let work = 0.5;
            self.k.control_mut(s).at = at::AFTER_CLOCK;
            let stage = StageAt::<{ stages::CLOCK }>::new(0);
            run_on(self, s, stage, Mode::Decode, work);
        } else {
            // set K = 0;                                                             vllm_pd_step.sq:158
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
        // branch (due(periodP, now - 0.5)) { observe P_free_blocks = free(P.kv) / bs; } vllm_pd_step.sq:152
        if ((self.k.now - 0.5) / self.params.period_p).floor() * self.params.period_p
            == self.k.now - 0.5
        {
            // branch (due(periodP, now - 0.5)) { observe P_free_blocks = free(P.kv) / bs; } vllm_pd_step.sq:152
            self.k.observe(0, s, self.p.kv.free() / self.params.bs);
        }
        // branch (due(periodD, now - 0.5)) { observe D_free_blocks = free(D.kv) / bs; } vllm_pd_step.sq:153
        if ((self.k.now - 0.5) / self.params.period_d).floor() * self.params.period_d
            == self.k.now - 0.5
        {
            // branch (due(periodD, now - 0.5)) { observe D_free_blocks = free(D.kv) / bs; } vllm_pd_step.sq:153
            self.k.observe(1, s, self.d.kv.free() / self.params.bs);
        }
        // run clock (0.5);                                                       vllm_pd_step.sq:154
        let work = 0.5;
        self.k.control_mut(s).at = at::AFTER_CLOCK_2;
        let stage = StageAt::<{ stages::CLOCK }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_clock_2(&mut self, s: Sid) {
        // run clock (0.5);                                                       vllm_pd_step.sq:155
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
        // turn;                                                                  vllm_pd_step.sq:160
        next_turn(self, s);
        // run client (turn_no == 1 ? think : max(1, think) - 1);                 vllm_pd_step.sq:161
        let work = self
            .k
            .work(
                if self.k.control(s).b.turn_no == 1.0 {
                    self.k.control(s).b.think
                } else {
                    1.0_f64.max(self.k.control(s).b.think) - 1.0
                },
                s,
                5,
            );
        self.k.control_mut(s).at = at::AFTER_CLIENT;
        let stage = StageAt::<{ stages::CLIENT }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_client(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set prompt = K + new;                                                  vllm_pd_step.sq:46
        attrs.prompt = attrs.k + self.k.control(s).b.new;
        // fork { P.prefill (prompt); }                                           vllm_pd_step.sq:47
        fork_leg(self, s, at::LEG);
        // branch (push == 0) {                                                   vllm_pd_step.sq:48
        if self.params.push == 0.0 {
            go_on(self, s, at::JOINING, Self::joining);
        } else {
            go_on(self, s, at::MEET, Self::meet);
        }
    }

    #[inline(never)]
    fn leg(&mut self, s: Sid) {
        // set admissions = 0;                                                    vllm_pd_step.sq:66
        self.attrs[s as usize].p_admissions = 0.0;
        // hold reqs (1), kv (first_units(prompt, hit, budget_left(P), chunkP)) reserve (prompt) vllm_pd_step.sq:67
        join(self, s, HoldAt::<{ holds::P_REQS_P_KV }>);
    }

    #[inline(never)]
    fn holding_p_reqs_p_kv(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set admissions = admissions + 1;                                       vllm_pd_step.sq:70
        attrs.p_admissions += 1.0;
        // branch (admissions == 1) {                                             vllm_pd_step.sq:71
        if attrs.p_admissions == 1.0 {
            // observe P_admit_step = now;                                            vllm_pd_step.sq:72
            self.k.observe(2, s, self.k.now);
            // observe P_cached_tokens = cached;                                      vllm_pd_step.sq:73
            self.k.observe(3, s, self.k.control(s).b.cached);
        }
        // prefill (prompt - cached) growing kv;                                  vllm_pd_step.sq:75
        let work = self.k.work(attrs.prompt - self.k.control(s).b.cached, s, 7);
        self.k.control_mut(s).at = at::AFTER_P_PREFILL;
        let stage = StageAt::<{ stages::P }>::new(0);
        let pool = PoolAt::<{ pools::P_KV }>::new(0);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_p_prefill(&mut self, s: Sid) {
        // observe P_first_token_step = now - 1;                                  vllm_pd_step.sq:76
        self.k.observe(4, s, self.k.now - 1.0);
        // observe P_last_token_step = now - 1;                                   vllm_pd_step.sq:77
        self.k.observe(5, s, self.k.now - 1.0);
        // observe P_preemptions = admissions - 1;                                vllm_pd_step.sq:78
        self.k.observe(6, s, self.attrs[s as usize].p_admissions - 1.0);
        leave(self, s, HoldAt::<{ holds::P_REQS_P_KV }>);
        end_leg(self, s);
    }

    #[inline(never)]
    fn joining(&mut self, s: Sid) {
        // join;                                                                  vllm_pd_step.sq:49
        if legs_joined(self, s) {
            // run handover (max(1, sidecar) - 1);                                    vllm_pd_step.sq:50
            let work = self.k.work(1.0_f64.max(self.params.sidecar) - 1.0, s, 10);
            self.k.control_mut(s).at = at::AFTER_HANDOVER;
            let stage = StageAt::<{ stages::HANDOVER }>::new(0);
            run_on(self, s, stage, Mode::Decode, work);
        }
    }

    #[inline(never)]
    fn after_handover(&mut self, s: Sid) {
        go_on(self, s, at::MEET, Self::meet);
    }

    #[inline(never)]
    fn meet(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set length = prompt;                                                   vllm_pd_step.sq:103
        attrs.d_length = attrs.prompt;
        // set read = 0;                                                          vllm_pd_step.sq:104
        attrs.d_read = 0.0;
        // set admissions = 0;                                                    vllm_pd_step.sq:105
        attrs.d_admissions = 0.0;
        // hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? know... vllm_pd_step.sq:107
        join(self, s, HoldAt::<{ holds::D_KV_D_REQS }>);
    }

    #[inline(never)]
    fn holding_d_kv_d_reqs(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // at admission (known = known_tokens(D.length),                          vllm_pd_step.sq:109
        let d_known = attrs.d_length.max(self.k.control(s).b.computed + 1.0);
        // set length = known;                                                    vllm_pd_step.sq:111
        attrs.d_length = d_known;
        // set c = cached;                                                        vllm_pd_step.sq:112
        attrs.d_c = self.k.control(s).b.cached;
        // branch (!read) {                                                       vllm_pd_step.sq:113
        if !(attrs.d_read != 0.0) {
            // set parked = now;                                                      vllm_pd_step.sq:114
            attrs.d_parked = self.k.now;
            // set place = holders(kv);                                               vllm_pd_step.sq:115
            attrs.d_place = self.d.kv.holders();
            // observe D_park_step = now;                                             vllm_pd_step.sq:116
            self.k.observe(7, s, self.k.now);
            // observe D_read_tokens = prompt - c;                                    vllm_pd_step.sq:117
            self.k.observe(8, s, attrs.prompt - attrs.d_c);
            go_on(self, s, at::JOINING_2, Self::joining_2);
        } else {
            go_on(self, s, at::MEET_2, Self::meet_2);
        }
    }

    #[inline(never)]
    fn joining_2(&mut self, s: Sid) {
        // join;                                                                  vllm_pd_step.sq:118
        if legs_joined(self, s) {
            let attrs = &self.attrs[s as usize];
            // transfer on wire (1 + max(1, read_base + ceil((ceil(prompt / bs) - c / bs) / read_rate))) from sr... vllm_pd_step.sq:119
            let work = self
                .k
                .work(
                    1.0
                        + 1.0_f64
                            .max(
                                self.params.read_base
                                    + (((attrs.prompt / self.params.bs).ceil()
                                        - attrs.d_c / self.params.bs) / self.params.read_rate)
                                        .ceil(),
                            ),
                    s,
                    13,
                );
            self.k.control_mut(s).at = at::AFTER_WIRE;
            let stage = StageAt::<{ stages::WIRE }>::new(0);
            run_on(self, s, stage, Mode::Decode, work);
        }
    }

    #[inline(never)]
    fn after_wire(&mut self, s: Sid) {
        // transfer on wire (1 + max(1, read_base + ceil((ceil(prompt / bs) - c / bs) / read_rate))) from sr... vllm_pd_step.sq:119
        {
            let attrs = &self.attrs[s as usize];
            let amount = self.k.units(attrs.prompt - 1.0 - attrs.d_c, s, 15);
            let pool = PoolAt::<{ pools::D_KV }>::new(0);
            load(self, s, pool, amount, 15);
        }
        // transfer on wire (1 + max(1, read_base + ceil((ceil(prompt / bs) - c / bs) / read_rate))) from sr... vllm_pd_step.sq:119
        {
            let pool = PoolAt::<{ pools::P_KV }>::new(0);
            release(self, s, pool);
        }
        // observe P_lease_free_step = told(periodP, now);                        vllm_pd_step.sq:120
        self.k
            .observe(
                9,
                s,
                (self.k.now / self.params.period_p).ceil() * self.params.period_p - 1.0,
            );
        // observe D_read_done_step = told(periodD, now);                         vllm_pd_step.sq:121
        self.k
            .observe(
                10,
                s,
                (self.k.now / self.params.period_d).ceil() * self.params.period_d - 1.0,
            );
        let attrs = &mut self.attrs[s as usize];
        // set read = 1;                                                          vllm_pd_step.sq:122
        attrs.d_read = 1.0;
        // set c = prompt - 1;                                                    vllm_pd_step.sq:123
        attrs.d_c = attrs.prompt - 1.0;
        go_on(self, s, at::MEET_2, Self::meet_2);
    }

    #[inline]
    fn meet_2(&mut self, s: Sid) {
        // hold reqs (1), whole (D.length) {                                      vllm_pd_step.sq:125
        join(self, s, HoldAt::<{ holds::D_REQS_D_WHOLE }>);
    }

    #[inline(never)]
    fn holding_d_reqs_d_whole(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set admissions = admissions + 1;                                       vllm_pd_step.sq:126
        attrs.d_admissions += 1.0;
        // branch (admissions == 1) {                                             vllm_pd_step.sq:127
        if attrs.d_admissions == 1.0 {
            // observe D_admit_step = now;                                            vllm_pd_step.sq:128
            self.k.observe(11, s, self.k.now);
            // observe D_cached_tokens = c;                                           vllm_pd_step.sq:129
            self.k.observe(12, s, attrs.d_c);
        }
        // prefill (length - c) growing kv;                                       vllm_pd_step.sq:131
        let work = self.k.work(attrs.d_length - attrs.d_c, s, 18);
        self.k.control_mut(s).at = at::AFTER_D_PREFILL;
        let stage = StageAt::<{ stages::D }>::new(0);
        let pool = PoolAt::<{ pools::D_KV }>::new(0);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_d_prefill(&mut self, s: Sid) {
        // release whole;                                                         vllm_pd_step.sq:132
        {
            let pool = PoolAt::<{ pools::D_WHOLE }>::new(0);
            release(self, s, pool);
        }
        let attrs = &self.attrs[s as usize];
        // branch (length == prompt) { observe D_first_token_step = now - 1; }    vllm_pd_step.sq:133
        if attrs.d_length == attrs.prompt {
            // branch (length == prompt) { observe D_first_token_step = now - 1; }    vllm_pd_step.sq:133
            self.k.observe(13, s, self.k.now - 1.0);
        }
        // branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; } vllm_pd_step.sq:134
        if attrs.d_length < attrs.prompt + attrs.o - 1.0 {
            // branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; } vllm_pd_step.sq:134
            let work = self.k.work(attrs.prompt + attrs.o - 1.0 - attrs.d_length, s, 21);
            self.k.control_mut(s).at = at::AFTER_D_DECODE;
            let stage = StageAt::<{ stages::D }>::new(0);
            let pool = PoolAt::<{ pools::D_KV }>::new(0);
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
        // observe D_last_token_step = now - 1;                                   vllm_pd_step.sq:135
        self.k.observe(14, s, self.k.now - 1.0);
        // observe D_preemptions = admissions - 1;                                vllm_pd_step.sq:136
        self.k.observe(15, s, self.attrs[s as usize].d_admissions - 1.0);
        leave(self, s, HoldAt::<{ holds::D_REQS_D_WHOLE }>);
        leave(self, s, HoldAt::<{ holds::D_KV_D_REQS }>);
        let attrs = &mut self.attrs[s as usize];
        // set K = prompt + o;                                                    vllm_pd_step.sq:163
        attrs.k = attrs.prompt + attrs.o;
        // branch (!more) { end; }                                                vllm_pd_step.sq:164
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
            at::LEG => self.leg(s),
            at::HOLDING_P_REQS_P_KV => self.holding_p_reqs_p_kv(s),
            at::AFTER_P_PREFILL => self.after_p_prefill(s),
            at::JOINING => self.joining(s),
            at::AFTER_HANDOVER => self.after_handover(s),
            at::HOLDING_D_KV_D_REQS => self.holding_d_kv_d_reqs(s),
            at::JOINING_2 => self.joining_2(s),
            at::AFTER_WIRE => self.after_wire(s),
            at::HOLDING_D_REQS_D_WHOLE => self.holding_d_reqs_d_whole(s),
            at::AFTER_D_PREFILL => self.after_d_prefill(s),
            at::AFTER_D_DECODE => self.after_d_decode(s),
            _ => {}
        }
    }

    // hold reqs (1), kv (first_units(prompt, hit, budget_left(P), chunkP)) reserve (prompt) vllm_pd_step.sq:67
    #[inline(always)]
    fn header_p_reqs_p_kv(&mut self, s: Sid) -> Header {
        let Session { prompt, .. } = self.attrs[s as usize];
        let part = ((prompt - 1.0) / self.params.bs).floor() * self.params.bs;
        let mut header = Header {
            reuse: part,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::P_REQS, 0);
        let units = 1.0;
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::P_KV, 0);
        let units = {
            let amount = prompt
                .min(
                    cached_in(self, PoolAt::<{ pools::P_KV }>::new(0), s).min(part)
                        + budget_left(self, StageAt::<{ stages::P }>::new(0))
                            .min(self.params.chunk_p),
                );
            self.k.units(amount, s, 29)
        };
        let reserve = self.k.units(prompt, s, 30);
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // fork { P.prefill (prompt); }                                           vllm_pd_step.sq:47
    #[inline]
    fn cache_p_reqs_p_kv(&mut self, s: Sid) -> f64 {
        self.attrs[s as usize].prompt
    }

    // } cache (prompt) lease kv (inf);                                       vllm_pd_step.sq:79
    #[inline]
    fn lease_p_reqs_p_kv(&mut self, s: Sid) -> f64 {
        f64::INFINITY
    }

    // hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? know... vllm_pd_step.sq:107
    #[inline(always)]
    fn header_d_kv_d_reqs(&mut self, s: Sid) -> Header {
        let Session { d_length, d_read, .. } = self.attrs[s as usize];
        let d_known = d_length.max(self.k.control(s).b.computed + 1.0);
        let part = ((d_known - 1.0) / self.params.bs).floor() * self.params.bs;
        let mut header = Header {
            reuse: part,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::D_KV, 0);
        let units = {
            let amount = if d_read != 0.0 {
                d_known
                    .min(
                        cached_in(self, PoolAt::<{ pools::D_KV }>::new(0), s).min(part)
                            + budget_left(self, StageAt::<{ stages::D }>::new(0))
                                .min(self.params.chunk_d),
                    )
            } else {
                d_known
            };
            self.k.units(amount, s, 34)
        };
        let reserve = self
            .k
            .units(
                if d_read != 0.0 {
                    d_known
                } else {
                    (d_known + self.d.whole.used
                        - kv_prefill(self, StageAt::<{ stages::D }>::new(0)))
                        .min(self.params.blocks_d * self.params.bs)
                },
                s,
                37,
            );
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::D_REQS, 0);
        let units = 0.0;
        let reserve = 1.0;
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // } cache (prompt + o);                                                  vllm_pd_step.sq:138
    #[inline]
    fn cache_d_kv_d_reqs(&mut self, s: Sid) -> f64 {
        let attrs = &self.attrs[s as usize];
        attrs.prompt + attrs.o
    }

    // hold reqs (1), whole (D.length) {                                      vllm_pd_step.sq:125
    #[inline(always)]
    fn header_d_reqs_d_whole(&mut self, s: Sid) -> Header {
        let mut header = Header {
            reuse: f64::INFINITY,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::D_REQS, 0);
        let units = 1.0;
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::D_WHOLE, 0);
        let units = self.k.units(self.attrs[s as usize].d_length, s, 41);
        let reserve = units;
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // budget due(periodP, now) ? BP : 0;                                     vllm_pd_step.sq:60
    #[inline]
    fn budget_p(&mut self, member: usize, totals: &Totals) -> f64 {
        if (self.k.now / self.params.period_p).floor() * self.params.period_p
            == self.k.now
        {
            self.params.bp
        } else {
            0.0
        }
    }

    // chunk chunkP;                                                          vllm_pd_step.sq:61
    #[inline]
    fn chunk_p(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.chunk_p
    }

    // cost periodP;                                                          vllm_pd_step.sq:62
    #[inline]
    fn cost_p(&mut self, member: usize, it: &Iteration) -> f64 {
        self.params.period_p
    }

    // budget due(periodD, now) ? BD : 0;                                     vllm_pd_step.sq:97
    #[inline]
    fn budget_d(&mut self, member: usize, totals: &Totals) -> f64 {
        if (self.k.now / self.params.period_d).floor() * self.params.period_d
            == self.k.now
        {
            self.params.bd
        } else {
            0.0
        }
    }

    // chunk chunkD;                                                          vllm_pd_step.sq:98
    #[inline]
    fn chunk_d(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.chunk_d
    }

    // cost periodD;                                                          vllm_pd_step.sq:99
    #[inline]
    fn cost_d(&mut self, member: usize, it: &Iteration) -> f64 {
        self.params.period_d
    }

    // pool reqs { cap max_seqsP; queue by (-waited, forced); admit via P; }  vllm_pd_step.sq:57
    fn queue_keys_p_reqs(&mut self, member: usize, s: Sid, waited: f64) -> Keys {
        keys([-waited, self.k.control(s).b.forced])
    }

    // pool reqs { cap max_seqsD; queue by (D.parked, D.place); admit via D; } vllm_pd_step.sq:85
    fn queue_keys_d_reqs(&mut self, member: usize, s: Sid, waited: f64) -> Keys {
        let attrs = &self.attrs[s as usize];
        keys([attrs.d_parked, attrs.d_place])
    }

    // queue by (-waited, push ? forced : 0);                                 vllm_pd_step.sq:92
    fn queue_keys_d_kv(&mut self, member: usize, s: Sid, waited: f64) -> Keys {
        keys([
            -waited,
            if self.params.push != 0.0 { self.k.control(s).b.forced } else { 0.0 },
        ])
    }
}

#[allow(unused_variables, clippy::manual_clamp)]
impl World for Model {
    const NAME: &'static str = "vllm_pd_step";
    const POOLS: &'static [PoolSpec] = &[
        PoolSpec {
            name: "P.reqs",
            single: true,
            cached: true,
            blocks: false,
            grows: false,
            lifo: false,
            queue_keys: 2,
            steady_keys: false,
            evict_keys: 0,
            spills: false,
            via: Some((stages::P, true)),
            memory_of: &[],
            dirty: [0, 0, 0],
            kept: [0, 0, 0, 0],
        },
        PoolSpec {
            name: "P.kv",
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
            memory_of: &[stages::P],
            dirty: [0, 0, 0],
            kept: [0, 0, 0, 0],
        },
        PoolSpec {
            name: "D.reqs",
            single: true,
            cached: true,
            blocks: false,
            grows: false,
            lifo: false,
            queue_keys: 2,
            steady_keys: true,
            evict_keys: 0,
            spills: false,
            via: Some((stages::D, true)),
            memory_of: &[],
            dirty: [0, 0, 0],
            kept: [0, 0, 0, 0],
        },
        PoolSpec {
            name: "D.kv",
            single: true,
            cached: true,
            blocks: true,
            grows: true,
            lifo: true,
            queue_keys: 2,
            steady_keys: false,
            evict_keys: 0,
            spills: false,
            via: Some((stages::D, true)),
            memory_of: &[stages::D],
            dirty: [0, 0, 0],
            kept: [0, 0, 0, 0],
        },
        PoolSpec {
            name: "D.whole",
            single: true,
            cached: false,
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
        StageSpec {
            name: "handover",
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
            single: true,
            kind: StageType::Step,
            exclusive: false,
            only: false,
            serve_keys: 0,
            memory: Some((pools::P_KV, true)),
            serves: &[pools::P_REQS],
            plannable: false,
            cost_site: 42,
            dirty: 0,
            kept: 0,
        },
        StageSpec {
            name: "D",
            single: true,
            kind: StageType::Step,
            exclusive: false,
            only: false,
            serve_keys: 0,
            memory: Some((pools::D_KV, true)),
            serves: &[pools::D_REQS, pools::D_KV],
            plannable: false,
            cost_site: 43,
            dirty: 0,
            kept: 0,
        },
    ];
    const HOLDS: &'static [HoldSpec] = &[
        HoldSpec {
            claims: 2,
            pools: &[pools::P_REQS, pools::P_KV],
            caches: true,
            plain_cache: true,
            leases: Some(1),
            reuses: true,
            steady: &[(true, false), (false, true)],
            checked: &[true, false],
            body: at::HOLDING_P_REQS_P_KV,
            site: 44,
        },
        HoldSpec {
            claims: 2,
            pools: &[pools::D_KV, pools::D_REQS],
            caches: true,
            plain_cache: true,
            leases: None,
            reuses: true,
            steady: &[],
            checked: &[false, true],
            body: at::HOLDING_D_KV_D_REQS,
            site: 45,
        },
        HoldSpec {
            claims: 2,
            pools: &[pools::D_REQS, pools::D_WHOLE],
            caches: false,
            plain_cache: false,
            leases: None,
            reuses: false,
            steady: &[(true, false), (true, false)],
            checked: &[true, false],
            body: at::HOLDING_D_REQS_D_WHOLE,
            site: 46,
        },
    ];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 76),
        (at::AFTER_CLOCK, 77),
        (at::AGAIN, 78),
        (at::AFTER_CLOCK_2, 79),
        (at::AFTER_CLOCK_3, 80),
        (at::AGAIN_2, 81),
        (at::AFTER_CLIENT, 82),
        (at::LEG, 83),
        (at::HOLDING_P_REQS_P_KV, 44),
        (at::AFTER_P_PREFILL, 84),
        (at::JOINING, 85),
        (at::AFTER_HANDOVER, 86),
        (at::MEET, 87),
        (at::HOLDING_D_KV_D_REQS, 45),
        (at::JOINING_2, 88),
        (at::AFTER_WIRE, 89),
        (at::MEET_2, 46),
        (at::HOLDING_D_REQS_D_WHOLE, 46),
        (at::AFTER_D_PREFILL, 90),
        (at::AFTER_D_DECODE, 91),
        (at::MEET_3, 92),
    ];
    const ARRIVE_SITE: u32 = 70;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "sessions",
            default: "5",
            comment: "recorded sessions",
        },
        ParamSpec {
            name: "bs",
            default: "16",
            comment: "tokens in a KV block",
        },
        ParamSpec {
            name: "blocksP",
            default: "26",
            comment: "KV blocks of the prefiller",
        },
        ParamSpec {
            name: "blocksD",
            default: "16",
            comment: "KV blocks of the decoder",
        },
        ParamSpec {
            name: "max_seqsP",
            default: "8",
            comment: "running requests at most, prefiller",
        },
        ParamSpec {
            name: "max_seqsD",
            default: "8",
            comment: "running requests at most, decoder",
        },
        ParamSpec {
            name: "BP",
            default: "256",
            comment: "tokens that may be scheduled in one step of the prefiller",
        },
        ParamSpec {
            name: "BD",
            default: "256",
            comment: "tokens that may be scheduled in one step of the decoder",
        },
        ParamSpec {
            name: "chunkP",
            default: "inf",
            comment: "of them of one prompt, prefiller",
        },
        ParamSpec {
            name: "chunkD",
            default: "inf",
            comment: "of them of one prompt, decoder",
        },
        ParamSpec {
            name: "periodP",
            default: "1",
            comment: "steps of the clock that one step of the prefiller takes",
        },
        ParamSpec {
            name: "periodD",
            default: "1",
            comment: "steps of the clock that one step of the decoder takes",
        },
        ParamSpec {
            name: "push",
            default: "0",
            comment: "1: both legs of a request are sent at once",
        },
        ParamSpec {
            name: "sidecar",
            default: "1",
            comment: "steps from the prefill leg's output to the decode leg's arrival, pull",
        },
        ParamSpec {
            name: "read_base",
            default: "3",
            comment: "steps of a read, whatever its size",
        },
        ParamSpec {
            name: "read_rate",
            default: "inf",
            comment: "blocks read in one step beside that",
        },
    ];
    const OBSERVES: &'static [&'static str] = &[
        "P_free_blocks",
        "D_free_blocks",
        "P_admit_step",
        "P_cached_tokens",
        "P_first_token_step",
        "P_last_token_step",
        "P_preemptions",
        "D_park_step",
        "D_read_tokens",
        "P_lease_free_step",
        "D_read_done_step",
        "D_admit_step",
        "D_cached_tokens",
        "D_first_token_step",
        "D_last_token_step",
        "D_preemptions",
    ];
    const GAUGES: &'static [&'static str] = &[];
    const TRACE: TraceSpec = TraceSpec::File {
        path: "examples/oracle/vllm_pd_step.csv",
        order: TraceOrder::InOrder,
    };
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = true;
    const SHARED: &'static [u16] = &[1, 3];
    const LEGS: bool = true;
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 5.0,
            1 => 16.0,
            2 => 26.0,
            3 => 16.0,
            4 => 8.0,
            5 => 8.0,
            6 => 256.0,
            7 => 256.0,
            8 => f64::INFINITY,
            9 => f64::INFINITY,
            10 => 1.0,
            11 => 1.0,
            12 => 0.0,
            13 => 1.0,
            14 => 3.0,
            15 => f64::INFINITY,
            _ => f64::NAN,
        }
    }

    fn run_defaults(_values: &[f64]) -> RunDefaults {
        RunDefaults {
            horizon: Some(200.0),
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
            47u32,
            &mut refused,
        );
        check(!p.bs.is_nan(), "S162", "a `let` is not a number", 48u32, &mut refused);
        check(
            !p.blocks_p.is_nan(),
            "S162",
            "a `let` is not a number",
            49u32,
            &mut refused,
        );
        check(
            !p.blocks_d.is_nan(),
            "S162",
            "a `let` is not a number",
            50u32,
            &mut refused,
        );
        check(
            !p.max_seqs_p.is_nan(),
            "S162",
            "a `let` is not a number",
            51u32,
            &mut refused,
        );
        check(
            !p.max_seqs_d.is_nan(),
            "S162",
            "a `let` is not a number",
            52u32,
            &mut refused,
        );
        check(!p.bp.is_nan(), "S162", "a `let` is not a number", 53u32, &mut refused);
        check(!p.bd.is_nan(), "S162", "a `let` is not a number", 54u32, &mut refused);
        check(
            !p.chunk_p.is_nan(),
            "S162",
            "a `let` is not a number",
            55u32,
            &mut refused,
        );
        check(
            !p.chunk_d.is_nan(),
            "S162",
            "a `let` is not a number",
            56u32,
            &mut refused,
        );
        check(
            !p.period_p.is_nan(),
            "S162",
            "a `let` is not a number",
            57u32,
            &mut refused,
        );
        check(
            !p.period_d.is_nan(),
            "S162",
            "a `let` is not a number",
            58u32,
            &mut refused,
        );
        check(!p.push.is_nan(), "S162", "a `let` is not a number", 59u32, &mut refused);
        check(
            !p.sidecar.is_nan(),
            "S162",
            "a `let` is not a number",
            60u32,
            &mut refused,
        );
        check(
            !p.read_base.is_nan(),
            "S162",
            "a `let` is not a number",
            61u32,
            &mut refused,
        );
        check(
            !p.read_rate.is_nan(),
            "S162",
            "a `let` is not a number",
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
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            69u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            69u32,
            &mut refused,
        );
        check(
            !(p.sessions + 1.0).is_nan(),
            "S162",
            "a number of sessions is not a number",
            70u32,
            &mut refused,
        );
        check(
            p.sessions + 1.0 == (p.sessions + 1.0).floor()
                && (p.sessions + 1.0 >= 0.0 && p.sessions + 1.0 < f64::INFINITY),
            "S187",
            "the number of sessions is not a whole number of at least 0",
            70u32,
            &mut refused,
        );
        check(
            p.sessions + 1.0 <= 10000000.0,
            "S119",
            "there are more than 10000000 sessions at once",
            70u32,
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
            1.0_f64.max(p.sidecar) - 1.0 >= 0.0,
            "S163",
            "this work is negative or not a number",
            10u32,
            &mut refused,
        );
        check(
            f64::from(p.push == 0.0) == 0.0 || f64::from(p.push == 0.0) == 1.0,
            "S174",
            "this guard is neither 0 nor 1",
            72u32,
            &mut refused,
        );
        check(
            0.0 <= p.max_seqs_d,
            "S164",
            "this is more than `D.reqs` ever holds",
            73u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs_d,
            "S164",
            "this is more than `D.reqs` ever holds",
            74u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs_d,
            "S164",
            "this is more than `D.reqs` ever holds",
            75u32,
            &mut refused,
        );
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Model {
            k: Kernel::new(settings, None),
            wire: Wire {
                serve: Delay::new(settings),
            },
            p: P {
                reqs: Pool::new(p.max_seqs_p, 0.0, settings),
                kv: Pool::new(p.blocks_p * p.bs, p.bs, settings),
                serve: Engine::new(settings),
            },
            d: D {
                reqs: Pool::new(p.max_seqs_d, 0.0, settings),
                kv: Pool::new(p.blocks_d * p.bs, p.bs, settings),
                whole: Pool::new(f64::INFINITY, p.bs, settings),
                serve: Engine::new(settings),
            },
            client: Delay::new(settings),
            clock: Delay::new(settings),
            handover: Delay::new(settings),
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
            pools::P_REQS => 1,
            pools::P_KV => 1,
            pools::D_REQS => 1,
            pools::D_KV => 1,
            pools::D_WHOLE => 1,
            _ => 0,
        }
    }

    #[inline]
    fn pool(&self, at: impl AtPool) -> &Pool<Session> {
        let key = at.key();
        match key.family {
            pools::P_REQS => &self.p.reqs,
            pools::P_KV => &self.p.kv,
            pools::D_REQS => &self.d.reqs,
            pools::D_KV => &self.d.kv,
            _ => &self.d.whole,
        }
    }

    #[inline]
    fn pool_mut(&mut self, at: impl AtPool) -> &mut Pool<Session> {
        let key = at.key();
        match key.family {
            pools::P_REQS => &mut self.p.reqs,
            pools::P_KV => &mut self.p.kv,
            pools::D_REQS => &mut self.d.reqs,
            pools::D_KV => &mut self.d.kv,
            _ => &mut self.d.whole,
        }
    }

    #[inline]
    fn pool_and_kernel(&mut self, at: impl AtPool) -> (&mut Pool<Session>, &mut Kernel) {
        let key = at.key();
        match key.family {
            pools::P_REQS => (&mut self.p.reqs, &mut self.k),
            pools::P_KV => (&mut self.p.kv, &mut self.k),
            pools::D_REQS => (&mut self.d.reqs, &mut self.k),
            pools::D_KV => (&mut self.d.kv, &mut self.k),
            _ => (&mut self.d.whole, &mut self.k),
        }
    }

    #[inline]
    fn stage_count(&self, f: usize) -> usize {
        match f as u16 {
            stages::CLIENT => 1,
            stages::CLOCK => 1,
            stages::HANDOVER => 1,
            stages::WIRE => 1,
            stages::P => 1,
            stages::D => 1,
            _ => 0,
        }
    }

    #[inline]
    fn delay(&self, at: impl AtStage) -> &Delay {
        let key = at.key();
        match key.family {
            stages::CLIENT => &self.client,
            stages::CLOCK => &self.clock,
            stages::HANDOVER => &self.handover,
            _ => &self.wire.serve,
        }
    }

    #[inline]
    fn delay_mut(&mut self, at: impl AtStage) -> &mut Delay {
        let key = at.key();
        match key.family {
            stages::CLIENT => &mut self.client,
            stages::CLOCK => &mut self.clock,
            stages::HANDOVER => &mut self.handover,
            _ => &mut self.wire.serve,
        }
    }

    #[inline]
    fn engine(&self, at: impl AtStage) -> &Engine {
        let key = at.key();
        match key.family {
            stages::P => &self.p.serve,
            _ => &self.d.serve,
        }
    }

    #[inline]
    fn engine_mut(&mut self, at: impl AtStage) -> &mut Engine {
        let key = at.key();
        match key.family {
            stages::P => &mut self.p.serve,
            _ => &mut self.d.serve,
        }
    }

    #[inline]
    fn engine_parts(
        &mut self,
        at: impl AtStage,
    ) -> (&mut Engine, Option<&mut Pool<Session>>, &mut Kernel) {
        let key = at.key();
        match key.family {
            stages::P => (&mut self.p.serve, Some(&mut self.p.kv), &mut self.k),
            _ => (&mut self.d.serve, Some(&mut self.d.kv), &mut self.k),
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
            holds::P_REQS_P_KV => self.header_p_reqs_p_kv(s),
            holds::D_KV_D_REQS => self.header_d_kv_d_reqs(s),
            holds::D_REQS_D_WHOLE => self.header_d_reqs_d_whole(s),
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
            _ => op.run(self, HoldAt::<{ holds::D_REQS_D_WHOLE }>),
        }
    }

    #[inline(always)]
    fn run_body(&mut self, s: Sid, hold: impl AtHold) {
        match hold.stmt() {
            holds::P_REQS_P_KV => self.holding_p_reqs_p_kv(s),
            holds::D_KV_D_REQS => self.holding_d_kv_d_reqs(s),
            _ => self.holding_d_reqs_d_whole(s),
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
    fn chunk(&mut self, at: impl AtStage, totals: &Totals) -> f64 {
        match at.key().family {
            stages::P => self.chunk_p(at.key().member as usize, totals),
            stages::D => self.chunk_d(at.key().member as usize, totals),
            _ => 0.0,
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
            stages::CLIENT => op.run(self, StageAt::<{ stages::CLIENT }>(stage.member)),
            stages::CLOCK => op.run(self, StageAt::<{ stages::CLOCK }>(stage.member)),
            stages::HANDOVER => {
                op.run(self, StageAt::<{ stages::HANDOVER }>(stage.member))
            }
            _ => op.run(self, StageAt::<{ stages::WIRE }>(stage.member)),
        }
    }

    #[inline]
    fn queue_keys(&mut self, pool: PoolKey, s: Sid, waited: f64) -> Keys {
        match pool.family {
            pools::P_REQS => self.queue_keys_p_reqs(pool.member as usize, s, waited),
            pools::D_REQS => self.queue_keys_d_reqs(pool.member as usize, s, waited),
            pools::D_KV => self.queue_keys_d_kv(pool.member as usize, s, waited),
            _ => keys([]),
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
    /// `D.whole`
    pub const D_WHOLE: u16 = 4;
}

/// Stage families, in declaration order.
#[allow(dead_code)]
mod stages {
    /// `client`
    pub const CLIENT: u16 = 0;
    /// `clock`
    pub const CLOCK: u16 = 1;
    /// `handover`
    pub const HANDOVER: u16 = 2;
    /// `wire`
    pub const WIRE: u16 = 3;
    /// `P`
    pub const P: u16 = 4;
    /// `D`
    pub const D: u16 = 5;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {
    /// `hold reqs (1), kv (first_units(prompt, hit, budget_left(P), chunkP)) reserve (prompt)`
    pub const P_REQS_P_KV: u32 = 0;
    /// `hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? know...`
    pub const D_KV_D_REQS: u32 = 1;
    /// `hold reqs (1), whole (D.length) {`
    pub const D_REQS_D_WHOLE: u32 = 2;
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
    /// leg
    pub const LEG: u32 = 9;
    /// holding p reqs p kv
    pub const HOLDING_P_REQS_P_KV: u32 = 10;
    /// after p prefill
    pub const AFTER_P_PREFILL: u32 = 11;
    /// then 2
    pub const THEN_2: u32 = 12;
    /// otherwise 2
    pub const OTHERWISE_2: u32 = 13;
    /// joining
    pub const JOINING: u32 = 14;
    /// joined
    pub const JOINED: u32 = 15;
    /// after handover
    pub const AFTER_HANDOVER: u32 = 16;
    /// meet
    pub const MEET: u32 = 17;
    /// holding d kv d reqs
    pub const HOLDING_D_KV_D_REQS: u32 = 18;
    /// then 3
    pub const THEN_3: u32 = 19;
    /// otherwise 3
    pub const OTHERWISE_3: u32 = 20;
    /// joining 2
    pub const JOINING_2: u32 = 21;
    /// joined 2
    pub const JOINED_2: u32 = 22;
    /// after wire
    pub const AFTER_WIRE: u32 = 23;
    /// meet 2
    pub const MEET_2: u32 = 24;
    /// holding d reqs d whole
    pub const HOLDING_D_REQS_D_WHOLE: u32 = 25;
    /// after d prefill
    pub const AFTER_D_PREFILL: u32 = 26;
    /// then 4
    pub const THEN_4: u32 = 27;
    /// otherwise 4
    pub const OTHERWISE_4: u32 = 28;
    /// after d decode
    pub const AFTER_D_DECODE: u32 = 29;
    /// meet 3
    pub const MEET_3: u32 = 30;
    /// then 5
    pub const THEN_5: u32 = 31;
    /// otherwise 5
    pub const OTHERWISE_5: u32 = 32;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 150,
        col: 11,
        text: "      run clock (0.5);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 154,
        col: 13,
        text: "        run clock (0.5);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 152,
        col: 73,
        text: "        branch (due(periodP, now - 0.5)) { observe P_free_blocks = free(P.kv) / bs; }",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 153,
        col: 73,
        text: "        branch (due(periodD, now - 0.5)) { observe D_free_blocks = free(D.kv) / bs; }",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 155,
        col: 13,
        text: "        run clock (0.5);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 161,
        col: 19,
        text: "      run client (turn_no == 1 ? think : max(1, think) - 1);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 161,
        col: 11,
        text: "      run client (turn_no == 1 ? think : max(1, think) - 1);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 75,
        col: 16,
        text: "      prefill (prompt - cached) growing kv;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 75,
        col: 7,
        text: "      prefill (prompt - cached) growing kv;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 75,
        col: 41,
        text: "      prefill (prompt - cached) growing kv;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 50,
        col: 21,
        text: "      run handover (max(1, sidecar) - 1);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 50,
        col: 11,
        text: "      run handover (max(1, sidecar) - 1);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 115,
        col: 29,
        text: "        set place = holders(kv);  // of those parked in one step",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 119,
        col: 27,
        text: "        transfer on wire (1 + max(1, read_base + ceil((ceil(prompt / bs) - c / bs) / read_rate))) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 119,
        col: 21,
        text: "        transfer on wire (1 + max(1, read_base + ceil((ceil(prompt / bs) - c / bs) / read_rate))) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 119,
        col: 115,
        text: "        transfer on wire (1 + max(1, read_base + ceil((ceil(prompt / bs) - c / bs) / read_rate))) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 119,
        col: 111,
        text: "        transfer on wire (1 + max(1, read_base + ceil((ceil(prompt / bs) - c / bs) / read_rate))) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 119,
        col: 104,
        text: "        transfer on wire (1 + max(1, read_base + ceil((ceil(prompt / bs) - c / bs) / read_rate))) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 131,
        col: 18,
        text: "        prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 131,
        col: 9,
        text: "        prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 131,
        col: 38,
        text: "        prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 134,
        col: 52,
        text: "        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 134,
        col: 44,
        text: "        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 134,
        col: 85,
        text: "        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 132,
        col: 17,
        text: "        release whole;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 67,
        col: 10,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), chunkP)) reserve (prompt)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 67,
        col: 20,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), chunkP)) reserve (prompt)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 69,
        col: 43,
        text: "         at admission (hit = min(cachedin(kv), reusable(prompt, bs))) {",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 67,
        col: 61,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), chunkP)) reserve (prompt)",
    },
    SourceSite {
        file: "vllm.sq",
        line: 15,
        col: 46,
        text: "def first_units(known, hit, budget, chunk) = min(known, hit + min(budget, chunk));",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 47,
        col: 23,
        text: "    fork { P.prefill (prompt); }",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 107,
        col: 10,
        text: "    hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? known : min(known + used(whole) - kv_prefill(D), blocksD * bs)), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 110,
        col: 43,
        text: "                       hit = min(cachedin(kv), reusable(known, bs))) {",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 107,
        col: 59,
        text: "    hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? known : min(known + used(whole) - kv_prefill(D), blocksD * bs)), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 107,
        col: 14,
        text: "    hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? known : min(known + used(whole) - kv_prefill(D), blocksD * bs)), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 107,
        col: 123,
        text: "    hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? known : min(known + used(whole) - kv_prefill(D), blocksD * bs)), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 107,
        col: 143,
        text: "    hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? known : min(known + used(whole) - kv_prefill(D), blocksD * bs)), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 107,
        col: 89,
        text: "    hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? known : min(known + used(whole) - kv_prefill(D), blocksD * bs)), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 107,
        col: 163,
        text: "    hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? known : min(known + used(whole) - kv_prefill(D), blocksD * bs)), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 125,
        col: 12,
        text: "      hold reqs (1), whole (D.length) {",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 125,
        col: 22,
        text: "      hold reqs (1), whole (D.length) {",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 125,
        col: 29,
        text: "      hold reqs (1), whole (D.length) {",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 62,
        col: 10,
        text: "    cost periodP;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 99,
        col: 10,
        text: "    cost periodD;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 67,
        col: 5,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), chunkP)) reserve (prompt)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 107,
        col: 5,
        text: "    hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? known : min(known + used(whole) - kv_prefill(D), blocksD * bs)), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 125,
        col: 7,
        text: "      hold reqs (1), whole (D.length) {",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 19,
        col: 16,
        text: "let sessions = 5;     // recorded sessions",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 20,
        col: 10,
        text: "let bs = 16;          // tokens in a KV block",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 21,
        col: 15,
        text: "let blocksP = 26;     // KV blocks of the prefiller",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 22,
        col: 15,
        text: "let blocksD = 16;     // KV blocks of the decoder",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 23,
        col: 17,
        text: "let max_seqsP = 8;    // running requests at most, prefiller",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 24,
        col: 17,
        text: "let max_seqsD = 8;    // running requests at most, decoder",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 25,
        col: 10,
        text: "let BP = 256;         // tokens that may be scheduled in one step of the prefiller",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 26,
        col: 10,
        text: "let BD = 256;         // tokens that may be scheduled in one step of the decoder",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 27,
        col: 14,
        text: "let chunkP = inf;     // of them of one prompt, prefiller",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 28,
        col: 14,
        text: "let chunkD = inf;     // of them of one prompt, decoder",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 29,
        col: 15,
        text: "let periodP = 1;      // steps of the clock that one step of the prefiller takes",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 30,
        col: 15,
        text: "let periodD = 1;      // steps of the clock that one step of the decoder takes",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 31,
        col: 12,
        text: "let push = 0;         // 1: both legs of a request are sent at once",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 32,
        col: 15,
        text: "let sidecar = 1;      // steps from the prefill leg's output to the decode leg's arrival, pull",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 33,
        col: 17,
        text: "let read_base = 3;    // steps of a read, whatever its size",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 34,
        col: 17,
        text: "let read_rate = inf;  // blocks read in one step beside that",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 57,
        col: 19,
        text: "  pool reqs { cap max_seqsP; queue by (-waited, forced); admit via P; }",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 58,
        col: 17,
        text: "  pool kv { cap blocksP * bs; block bs; prefix shared; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 58,
        col: 37,
        text: "  pool kv { cap blocksP * bs; block bs; prefix shared; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 85,
        col: 19,
        text: "  pool reqs { cap max_seqsD; queue by (D.parked, D.place); admit via D; }",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 87,
        col: 9,
        text: "    cap blocksD * bs;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 88,
        col: 11,
        text: "    block bs;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 95,
        col: 22,
        text: "  pool whole { block bs; }  // blocks of all that those have to compute who prefill here",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 143,
        col: 16,
        text: "  arrive batch(sessions + 1);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 67,
        col: 16,
        text: "    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), chunkP)) reserve (prompt)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 48,
        col: 13,
        text: "    branch (push == 0) {",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 107,
        col: 169,
        text: "    hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? known : min(known + used(whole) - kv_prefill(D), blocksD * bs)), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 107,
        col: 181,
        text: "    hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? known : min(known + used(whole) - kv_prefill(D), blocksD * bs)), reqs (0) reserve (1)",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 125,
        col: 18,
        text: "      hold reqs (1), whole (D.length) {",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 148,
        col: 5,
        text: "    branch (serial == sessions) {",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 150,
        col: 7,
        text: "      run clock (0.5);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 152,
        col: 9,
        text: "        branch (due(periodP, now - 0.5)) { observe P_free_blocks = free(P.kv) / bs; }",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 154,
        col: 9,
        text: "        run clock (0.5);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 155,
        col: 9,
        text: "        run clock (0.5);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 160,
        col: 7,
        text: "      turn;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 161,
        col: 7,
        text: "      run client (turn_no == 1 ? think : max(1, think) - 1);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 66,
        col: 5,
        text: "    set admissions = 0;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 75,
        col: 7,
        text: "      prefill (prompt - cached) growing kv;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 49,
        col: 7,
        text: "      join;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 50,
        col: 7,
        text: "      run handover (max(1, sidecar) - 1);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 103,
        col: 5,
        text: "    set length = prompt;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 118,
        col: 9,
        text: "        join;  // in push mode the prompt may not be computed yet",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 119,
        col: 9,
        text: "        transfer on wire (1 + max(1, read_base + ceil((ceil(prompt / bs) - c / bs) / read_rate))) from src to kv (prompt - 1 - c);",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 131,
        col: 9,
        text: "        prefill (length - c) growing kv;",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 134,
        col: 44,
        text: "        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }",
    },
    SourceSite {
        file: "vllm_pd_step.sq",
        line: 135,
        col: 9,
        text: "        observe D_last_token_step = now - 1;",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("vllm_pd_step.sq", r#"// A prefiller and a decoder, joined as vLLM's NIXL connector joins them, on a clock that counts steps.
//
// In pull mode the prefill leg runs for its one token and leaves its blocks leased, and the sidecar then sends the decode
// leg. In push mode (`push` 1) both are sent at once. Either way the decode leg is parked: it gets the blocks of its whole
// prompt in its turn in the waiting queue, needs a free slot for that and takes none. The copy starts then, or when the
// prompt is computed if that is later. A copy of n blocks is over in the output of the step max(1, read_base + ceil(n /
// read_rate)) steps later. Then the prefiller's blocks are free, and the decoder computes the last token of the prompt as
// soon as it has a slot, those parked first before those parked later and all of them before the waiting queue. A request
// that the decoder preempts is recomputed there.
//
// Steps, traces and what is held against the real scheduler are as in `vllm_step.sq`. As it stands: five requests for a
// decoder with room for one. Look at `P_lease_free_step` beside `P_last_token_step`, and at `P_admit_step` of the last.
//
//   serqc run examples/oracle/vllm_pd_step.sq --samples --json
//   serqc run examples/oracle/vllm_pd_step.sq --set blocksD=32
//   serqc run examples/oracle/vllm_pd_step.sq --set push=1
use "../../lib/vllm.sq";

let sessions = 5;     // recorded sessions
let bs = 16;          // tokens in a KV block
let blocksP = 26;     // KV blocks of the prefiller
let blocksD = 16;     // KV blocks of the decoder
let max_seqsP = 8;    // running requests at most, prefiller
let max_seqsD = 8;    // running requests at most, decoder
let BP = 256;         // tokens that may be scheduled in one step of the prefiller
let BD = 256;         // tokens that may be scheduled in one step of the decoder
let chunkP = inf;     // of them of one prompt, prefiller
let chunkD = inf;     // of them of one prompt, decoder
let periodP = 1;      // steps of the clock that one step of the prefiller takes
let periodD = 1;      // steps of the clock that one step of the decoder takes
let push = 0;         // 1: both legs of a request are sent at once
let sidecar = 1;      // steps from the prefill leg's output to the decode leg's arrival, pull
let read_base = 3;    // steps of a read, whatever its size
let read_rate = inf;  // blocks read in one step beside that

// The step whose output tells an engine of what was over at time t: nothing looks at the engine in between.
def told(period, t) = ceil(t / period) * period - 1;

stage client : delay;
stage clock : delay;
stage handover : delay;
queue wire : link { serve delay; }

queue sidecars : gateway {
  route {
    set prompt = K + new;
    fork { P.prefill (prompt); }
    branch (push == 0) {
      join;
      run handover (max(1, sidecar) - 1);
    }
    D.decode (prompt) from P;
  }
}

queue P : prefill {
  pool reqs { cap max_seqsP; queue by (-waited, forced); admit via P; }
  pool kv { cap blocksP * bs; block bs; prefix shared; evict lru; preempt lifo; }
  serve step {
    budget due(periodP, now) ? BP : 0;
    chunk chunkP;
    cost periodP;
    memory kv;
  }
  prefill (prompt) {
    set admissions = 0;
    hold reqs (1), kv (first_units(prompt, hit, budget_left(P), chunkP)) reserve (prompt)
         reuse (reusable(prompt, bs))
         at admission (hit = min(cachedin(kv), reusable(prompt, bs))) {
      set admissions = admissions + 1;
      branch (admissions == 1) {
        observe P_admit_step = now;
        observe P_cached_tokens = cached;
      }
      prefill (prompt - cached) growing kv;
      observe P_first_token_step = now - 1;
      observe P_last_token_step = now - 1;
      observe P_preemptions = admissions - 1;
    } cache (prompt) lease kv (inf);
  }
}

queue D : decode {
  // Back from the read, in the order in which they were parked; before any that wait for blocks.
  pool reqs { cap max_seqsD; queue by (D.parked, D.place); admit via D; }
  pool kv {
    cap blocksD * bs;
    block bs;
    prefix shared;
    evict lru;
    preempt lifo;
    queue by (-waited, push ? forced : 0);
    admit via D;
  }
  pool whole { block bs; }  // blocks of all that those have to compute who prefill here
  serve step {
    budget due(periodD, now) ? BD : 0;
    chunk chunkD;
    cost periodD;
    memory kv;
  }
  decode (prompt) from src {
    set length = prompt;
    set read = 0;
    set admissions = 0;
    // A park leaves alone what running prompts still need; they have not got it all only if their chunks are capped.
    hold kv (D.read ? first_units(known, hit, budget_left(D), chunkD) : known) reserve (D.read ? known : min(known + used(whole) - kv_prefill(D), blocksD * bs)), reqs (0) reserve (1)
         reuse (reusable(known, bs))
         at admission (known = known_tokens(D.length),
                       hit = min(cachedin(kv), reusable(known, bs))) {
      set length = known;
      set c = cached;
      branch (!read) {
        set parked = now;
        set place = holders(kv);  // of those parked in one step
        observe D_park_step = now;
        observe D_read_tokens = prompt - c;
        join;  // in push mode the prompt may not be computed yet
        transfer on wire (1 + max(1, read_base + ceil((ceil(prompt / bs) - c / bs) / read_rate))) from src to kv (prompt - 1 - c);
        observe P_lease_free_step = told(periodP, now);
        observe D_read_done_step = told(periodD, now);
        set read = 1;
        set c = prompt - 1;
      }
      hold reqs (1), whole (D.length) {
        set admissions = admissions + 1;
        branch (admissions == 1) {
          observe D_admit_step = now;
          observe D_cached_tokens = c;
        }
        prefill (length - c) growing kv;
        release whole;
        branch (length == prompt) { observe D_first_token_step = now - 1; }
        branch (length < prompt + o - 1) { decode (prompt + o - 1 - length) growing kv; }
        observe D_last_token_step = now - 1;
        observe D_preemptions = admissions - 1;
      }
    } cache (prompt + o);
  }
}

workload {
  arrive batch(sessions + 1);
  trace "vllm_pd_step.csv" ordered;
  hidden o;
  turn { set o = out; }
  session {
    branch (serial == sessions) {
      // One session more watches, half a step later, and wakes idle engines at every step.
      run clock (0.5);
      loop {
        branch (due(periodP, now - 0.5)) { observe P_free_blocks = free(P.kv) / bs; }
        branch (due(periodD, now - 0.5)) { observe D_free_blocks = free(D.kv) / bs; }
        run clock (0.5);
        run clock (0.5);
      }
    }
    set K = 0;
    loop {
      turn;
      run client (turn_no == 1 ? think : max(1, think) - 1);
      request sidecars;
      set K = prompt + o;
      branch (!more) { end; }
    }
  }
}

run { horizon 200; }
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
