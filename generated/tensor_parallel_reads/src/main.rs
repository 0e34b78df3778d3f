//! tensor_parallel_reads: a serQ program as native code.
//!
//! Emitted by serqc from tensor_parallel_reads.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let NP = 2;`: prefill pods
    pub np: f64,
    /// `let ND = 2;`: decode pods
    pub nd: f64,
    /// `let kP = 4;`: ranks of a prefill pod, each with a NIC; kP and kD: one divides the other
    pub k_p: f64,
    /// `let kD = 2;`: ranks of a decode pod
    pub k_d: f64,
    /// `let Bw = 5e4;`: bandwidth of one NIC, tokens/s (of the KV that all ranks have of a token)
    pub bw: f64,
    /// `let x0 = 0.002;`: time to post a read and notice its end, s
    pub x0: f64,
    /// `let B = 8192;`: tokens an engine may schedule in one iteration
    pub b: f64,
    /// `let max_seqs = 32;`: running requests of a pod at most
    pub max_seqs: f64,
    /// `let blocks = 10000;`: KV blocks of a pod
    pub blocks: f64,
    /// `let bs = 16;`: tokens in a KV block
    pub bs: f64,
    /// `let a = 4e-5;`: compute time of a scheduled token on one rank, s
    pub a: f64,
    /// `let omega = 8e-3;`: time to read the weights once on one rank, s
    pub omega: f64,
    /// `let gap = 0.1;`: time between two arrivals, s
    pub gap: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            np: values[0],
            nd: values[1],
            k_p: values[2],
            k_d: values[3],
            bw: values[4],
            x0: values[5],
            b: values[6],
            max_seqs: values[7],
            blocks: values[8],
            bs: values[9],
            a: values[10],
            omega: values[11],
            gap: values[12],
        }
    }
}

// queue P[NP] : prefill {                                                tensor_parallel_reads.sq:33
/// One member of `P`.
pub struct P {
    /// `pool reqs { cap max_seqs; admit via P; }`
    pub reqs: Pool<Session>,
    /// `pool kv { cap blocks * bs; block bs; evict lru; preempt lifo; }`
    pub kv: Pool<Session>,
    /// `serve step {`
    pub serve: Engine,
}

// queue D[ND] : decode {                                                 tensor_parallel_reads.sq:49
/// One member of `D`.
pub struct D {
    /// `pool reqs { cap max_seqs; admit via D; }`
    pub reqs: Pool<Session>,
    /// `pool kv { cap blocks * bs; block bs; evict lru; preempt none; admit via D; }`
    pub kv: Pool<Session>,
    /// `serve step {`
    pub serve: Engine,
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
    /// `nic[kP] ps(Bw);`
    pub p_nic: Vec<Link>,
    /// `nic[kD] ps(Bw);`
    pub d_nic: Vec<Link>,
}

/// A session's attributes.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// `n`
    pub n: f64,
    /// `o`, hidden from the schedulers
    pub o: f64,
    /// `t0`
    pub t0: f64,
    /// `prompt`
    pub prompt: f64,
    /// `i`
    pub i: usize,
    /// `j`
    pub j: usize,
    /// `t1`
    pub t1: f64,
    /// `D.read`
    pub d_read: f64,
}

#[allow(unused_variables)]
impl Model {
    /// What a session brings when it is created.
    fn start_session(&mut self, s: Sid) {}
    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set n = serial / 2 == floor(serial / 2) ? 2000 : 6000;                 tensor_parallel_reads.sq:99
        attrs.n = if self.k.control(s).b.serial / 2.0
            == (self.k.control(s).b.serial / 2.0).floor()
        {
            2000.0
        } else {
            6000.0
        };
        // set o = 100;                                                           tensor_parallel_reads.sq:100
        attrs.o = 100.0;
    }

    #[inline(never)]
    fn start(&mut self, s: Sid) {
        // session { turn; request gw; }                                          tensor_parallel_reads.sq:102
        next_turn(self, s);
        let attrs = &mut self.attrs[s as usize];
        // set t0 = now;                                                          tensor_parallel_reads.sq:81
        attrs.t0 = self.k.now;
        // set prompt = n;                                                        tensor_parallel_reads.sq:82
        attrs.prompt = attrs.n;
        // choose i in NP by (holders(P[i].reqs) + queued(P[i].reqs));            tensor_parallel_reads.sq:83
        {
            let best = if let Some(best) = kept_choice(self, 0, Self::kept_0) {
                best
            } else {
                let count = self.p.len();
                let (mut best, mut least) = (0, [0.0; 1]);
                for i in 0..count {
                    let keys = [self.p[i].reqs.holders() + self.p[i].reqs.queued()];
                    if i == 0 || less(&keys, &least) {
                        (best, least) = (i, keys);
                    }
                }
                best
            };
            self.attrs[s as usize].i = best;
        }
        // choose j in ND by (holders(D[j].kv) + queued(D[j].kv));                tensor_parallel_reads.sq:84
        {
            let best = if let Some(best) = kept_choice(self, 1, Self::kept_1) {
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
        // hold reqs (1), kv (first_units(prompt, 0, budget_left(P), inf)) reserve (prompt) { tensor_parallel_reads.sq:43
        join(self, s, HoldAt::<{ holds::P_REQS_P_KV }>);
    }

    #[inline(never)]
    fn holding_p_reqs_p_kv(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // prefill (prompt) growing kv;                                           tensor_parallel_reads.sq:44
        let work = self.k.work(attrs.prompt, s, 6);
        self.k.control_mut(s).at = at::AFTER_P_PREFILL;
        let stage = StageAt::<{ stages::P }>::new(attrs.i);
        let pool = PoolAt::<{ pools::P_KV }>::new(attrs.i);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_p_prefill(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::P_REQS_P_KV }>);
        let attrs = &mut self.attrs[s as usize];
        // set t1 = now;                                                          tensor_parallel_reads.sq:86
        attrs.t1 = self.k.now;
        // observe prefill = t1 - t0;                                             tensor_parallel_reads.sq:87
        self.k.observe(0, s, attrs.t1 - attrs.t0);
        // hold kv (prompt), reqs (0) reserve (1) {                               tensor_parallel_reads.sq:66
        join(self, s, HoldAt::<{ holds::D_KV_D_REQS }>);
    }

    #[inline(never)]
    fn holding_d_kv_d_reqs(&mut self, s: Sid) {
        // transfer (prompt) from src to kv (prompt - 1);                         tensor_parallel_reads.sq:67
        let work = self.k.work(self.params.x0, s, 9);
        self.k.control_mut(s).at = at::AFTER_D_NIC_LATENCY;
        let stage = StageAt::<{ stages::D_NIC_LATENCY }>::new(self.attrs[s as usize].j);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_d_nic_latency(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // transfer (prompt) from src to kv (prompt - 1);                         tensor_parallel_reads.sq:67
        let work = self.k.work(attrs.prompt, s, 11);
        self.k.control_mut(s).at = at::AFTER_P_NIC_D_NIC;
        let ends = [
            (
                StageKey::new(stages::P_NIC, attrs.i * (self.params.k_p as usize)),
                self.params.k_p as usize,
            ),
            (
                StageKey::new(stages::D_NIC, attrs.j * (self.params.k_d as usize)),
                self.params.k_d as usize,
            ),
        ];
        run_fan(self, s, ends, work);
    }

    #[inline(never)]
    fn after_p_nic_d_nic(&mut self, s: Sid) {
        // transfer (prompt) from src to kv (prompt - 1);                         tensor_parallel_reads.sq:67
        {
            let attrs = &self.attrs[s as usize];
            let amount = self.k.units(attrs.prompt - 1.0, s, 12);
            let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
            load(self, s, pool, amount, 12);
        }
        // transfer (prompt) from src to kv (prompt - 1);                         tensor_parallel_reads.sq:67
        {
            let pool = PoolAt::<{ pools::P_KV }>::new(self.attrs[s as usize].i);
            release(self, s, pool);
        }
        // mark read;                                                             tensor_parallel_reads.sq:68
        self.attrs[s as usize].d_read = self.k.now;
        // hold reqs (1) {                                                        tensor_parallel_reads.sq:69
        join(self, s, HoldAt::<{ holds::D_REQS }>);
    }

    #[inline(never)]
    fn holding_d_reqs(&mut self, s: Sid) {
        // prefill (1) growing kv;                                                tensor_parallel_reads.sq:70
        let work = 1.0;
        self.k.control_mut(s).at = at::AFTER_D_PREFILL;
        let attrs = &self.attrs[s as usize];
        let stage = StageAt::<{ stages::D }>::new(attrs.j);
        let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
        run_growing(self, s, stage, Mode::Prefill, work, pool);
    }

    #[inline(never)]
    fn after_d_prefill(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // decode (o) growing kv;                                                 tensor_parallel_reads.sq:71
        let work = self.k.work(attrs.o, s, 17);
        self.k.control_mut(s).at = at::AFTER_D_DECODE;
        let stage = StageAt::<{ stages::D }>::new(attrs.j);
        let pool = PoolAt::<{ pools::D_KV }>::new(attrs.j);
        run_growing(self, s, stage, Mode::Decode, work, pool);
    }

    #[inline(never)]
    fn after_d_decode(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::D_REQS }>);
        leave(self, s, HoldAt::<{ holds::D_KV_D_REQS }>);
        let attrs = &self.attrs[s as usize];
        // observe read = D.read - t1;                                            tensor_parallel_reads.sq:89
        self.k.observe(1, s, attrs.d_read - attrs.t1);
        // observe response = now - t0;                                           tensor_parallel_reads.sq:90
        self.k.observe(2, s, self.k.now - attrs.t0);
        end_session(self, s);
    }

    /// Runs session `s` from where it waited until it waits again or ends.
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::HOLDING_P_REQS_P_KV => self.holding_p_reqs_p_kv(s),
            at::AFTER_P_PREFILL => self.after_p_prefill(s),
            at::HOLDING_D_KV_D_REQS => self.holding_d_kv_d_reqs(s),
            at::AFTER_D_NIC_LATENCY => self.after_d_nic_latency(s),
            at::AFTER_P_NIC_D_NIC => self.after_p_nic_d_nic(s),
            at::HOLDING_D_REQS => self.holding_d_reqs(s),
            at::AFTER_D_PREFILL => self.after_d_prefill(s),
            at::AFTER_D_DECODE => self.after_d_decode(s),
            _ => {}
        }
    }

    // hold reqs (1), kv (first_units(prompt, 0, budget_left(P), inf)) reserve (prompt) { tensor_parallel_reads.sq:43
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
        let units = if JOINS && prompt >= 0.0 {
            0.0
        } else {
            let amount = prompt
                .min(
                    0.0
                        + budget_left(self, StageAt::<{ stages::P }>::new(i))
                            .min(f64::INFINITY),
                );
            self.k.units(amount, s, 23)
        };
        let reserve = self.k.units(prompt, s, 6);
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // } lease kv (inf);                                                      tensor_parallel_reads.sq:45
    #[inline]
    fn lease_p_reqs_p_kv(&mut self, s: Sid) -> f64 {
        f64::INFINITY
    }

    // hold kv (prompt), reqs (0) reserve (1) {                               tensor_parallel_reads.sq:66
    #[inline(always)]
    fn header_d_kv_d_reqs(&mut self, s: Sid) -> Header {
        let Session { j, prompt, .. } = self.attrs[s as usize];
        let mut header = Header {
            reuse: f64::INFINITY,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::D_KV, j);
        let units = self.k.units(prompt, s, 11);
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        let pool = PoolKey::new(pools::D_REQS, j);
        let units = 0.0;
        let reserve = 1.0;
        header.claims[1] = ClaimNow { pool, units, reserve };
        header
    }

    // hold reqs (1) {                                                        tensor_parallel_reads.sq:69
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

    // budget B;                                                              tensor_parallel_reads.sq:37
    #[inline]
    fn budget_p(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // cost max(omega, tokens * a) / kP;                                      tensor_parallel_reads.sq:38
    #[inline]
    fn cost_p(&mut self, member: usize, it: &Iteration) -> f64 {
        self.params.omega.max(it.tokens * self.params.a) / self.params.k_p
    }

    // budget B;                                                              tensor_parallel_reads.sq:53
    #[inline]
    fn budget_d(&mut self, member: usize, totals: &Totals) -> f64 {
        self.params.b
    }

    // cost max(omega, tokens * a) / kD;                                      tensor_parallel_reads.sq:54
    #[inline]
    fn cost_d(&mut self, member: usize, it: &Iteration) -> f64 {
        self.params.omega.max(it.tokens * self.params.a) / self.params.k_d
    }

    #[inline]
    fn kept_0(&self, member: usize) -> [f64; 1] {
        // choose i in NP by (holders(P[i].reqs) + queued(P[i].reqs));            tensor_parallel_reads.sq:83
        [self.p[member].reqs.holders() + self.p[member].reqs.queued()]
    }

    #[inline]
    fn kept_1(&self, member: usize) -> [f64; 1] {
        // choose j in ND by (holders(D[j].kv) + queued(D[j].kv));                tensor_parallel_reads.sq:84
        [self.d[member].kv.holders() + self.d[member].kv.queued()]
    }
}

#[allow(unused_variables)]
impl World for Model {
    const NAME: &'static str = "tensor_parallel_reads";
    const POOLS: &'static [PoolSpec] = &[
        PoolSpec {
            name: "P.reqs",
            single: false,
            cached: false,
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
            kept: [0, 1, 1, 0],
        },
        PoolSpec {
            name: "P.kv",
            single: false,
            cached: false,
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
            single: false,
            cached: false,
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
            cached: false,
            blocks: true,
            grows: true,
            lifo: false,
            queue_keys: 0,
            steady_keys: true,
            evict_keys: 0,
            spills: false,
            via: Some((stages::D, false)),
            memory_of: &[stages::D],
            dirty: [0, 0, 0],
            kept: [0, 2, 2, 0],
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
            plannable: true,
            cost_site: 27,
            dirty: 0,
            kept: 0,
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
            cost_site: 28,
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
            dirty: 1,
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
    ];
    const KEPT: &'static [KeptSpec] = &[
        KeptSpec {
            of: KeptOf::Pool(pools::P_REQS),
            keys: 1,
            least: true,
            greatest: false,
            total: false,
        },
        KeptSpec {
            of: KeptOf::Pool(pools::D_KV),
            keys: 1,
            least: true,
            greatest: false,
            total: false,
        },
    ];
    const HOLDS: &'static [HoldSpec] = &[
        HoldSpec {
            claims: 2,
            pools: &[pools::P_REQS, pools::P_KV],
            caches: false,
            plain_cache: false,
            leases: Some(1),
            reuses: false,
            steady: &[(true, false), (false, true)],
            checked: &[true, false],
            body: at::HOLDING_P_REQS_P_KV,
            site: 29,
        },
        HoldSpec {
            claims: 2,
            pools: &[pools::D_KV, pools::D_REQS],
            caches: false,
            plain_cache: false,
            leases: None,
            reuses: false,
            steady: &[(true, false), (true, true)],
            checked: &[false, true],
            body: at::HOLDING_D_KV_D_REQS,
            site: 30,
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
            site: 31,
        },
    ];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 69),
        (at::HOLDING_P_REQS_P_KV, 29),
        (at::AFTER_P_PREFILL, 70),
        (at::HOLDING_D_KV_D_REQS, 30),
        (at::AFTER_D_NIC_LATENCY, 10),
        (at::AFTER_P_NIC_D_NIC, 10),
        (at::HOLDING_D_REQS, 31),
        (at::AFTER_D_PREFILL, 71),
        (at::AFTER_D_DECODE, 72),
    ];
    const ARRIVE_SITE: u32 = 60;
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
            name: "kP",
            default: "4",
            comment: "ranks of a prefill pod, each with a NIC; kP and kD: one divides the other",
        },
        ParamSpec {
            name: "kD",
            default: "2",
            comment: "ranks of a decode pod",
        },
        ParamSpec {
            name: "Bw",
            default: "5e4",
            comment: "bandwidth of one NIC, tokens/s (of the KV that all ranks have of a token)",
        },
        ParamSpec {
            name: "x0",
            default: "0.002",
            comment: "time to post a read and notice its end, s",
        },
        ParamSpec {
            name: "B",
            default: "8192",
            comment: "tokens an engine may schedule in one iteration",
        },
        ParamSpec {
            name: "max_seqs",
            default: "32",
            comment: "running requests of a pod at most",
        },
        ParamSpec {
            name: "blocks",
            default: "10000",
            comment: "KV blocks of a pod",
        },
        ParamSpec {
            name: "bs",
            default: "16",
            comment: "tokens in a KV block",
        },
        ParamSpec {
            name: "a",
            default: "4e-5",
            comment: "compute time of a scheduled token on one rank, s",
        },
        ParamSpec {
            name: "omega",
            default: "8e-3",
            comment: "time to read the weights once on one rank, s",
        },
        ParamSpec {
            name: "gap",
            default: "0.1",
            comment: "time between two arrivals, s",
        },
    ];
    const OBSERVES: &'static [&'static str] = &["prefill", "read", "response"];
    const GAUGES: &'static [&'static str] = &["copies"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    const NICS: &'static [u16] = &[1, 3];
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 2.0,
            1 => 2.0,
            2 => 4.0,
            3 => 2.0,
            4 => 50000.0,
            5 => 0.002,
            6 => 8192.0,
            7 => 32.0,
            8 => 10000.0,
            9 => 16.0,
            10 => 4e-5,
            11 => 0.008,
            12 => 0.1,
            _ => f64::NAN,
        }
    }

    fn run_defaults(_values: &[f64]) -> RunDefaults {
        RunDefaults {
            horizon: Some(200.0),
            warmup: Some(20.0),
            seed: None,
            arrivals: None,
        }
    }

    fn new(values: &[f64], settings: &Settings) -> Result<Self, Vec<Refusal>> {
        let p = Params::from_values(values);
        let mut refused = Vec::new();
        check(!p.np.is_nan(), "S162", "a `let` is not a number", 32u32, &mut refused);
        check(!p.nd.is_nan(), "S162", "a `let` is not a number", 33u32, &mut refused);
        check(!p.k_p.is_nan(), "S162", "a `let` is not a number", 34u32, &mut refused);
        check(!p.k_d.is_nan(), "S162", "a `let` is not a number", 35u32, &mut refused);
        check(!p.bw.is_nan(), "S162", "a `let` is not a number", 36u32, &mut refused);
        check(!p.x0.is_nan(), "S162", "a `let` is not a number", 37u32, &mut refused);
        check(!p.b.is_nan(), "S162", "a `let` is not a number", 38u32, &mut refused);
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a `let` is not a number",
            39u32,
            &mut refused,
        );
        check(
            !p.blocks.is_nan(),
            "S162",
            "a `let` is not a number",
            40u32,
            &mut refused,
        );
        check(!p.bs.is_nan(), "S162", "a `let` is not a number", 41u32, &mut refused);
        check(!p.a.is_nan(), "S162", "a `let` is not a number", 42u32, &mut refused);
        check(!p.omega.is_nan(), "S162", "a `let` is not a number", 43u32, &mut refused);
        check(!p.gap.is_nan(), "S162", "a `let` is not a number", 44u32, &mut refused);
        check(
            !p.np.is_nan(),
            "S162",
            "a family's size is not a number",
            45u32,
            &mut refused,
        );
        check(
            p.np == p.np.floor() && p.np >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            45u32,
            &mut refused,
        );
        check(
            p.np <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            45u32,
            &mut refused,
        );
        check(
            !p.k_p.is_nan(),
            "S162",
            "a number of NICs is not a number",
            46u32,
            &mut refused,
        );
        check(
            p.k_p == p.k_p.floor() && p.k_p >= 1.0,
            "S252",
            "a member has a whole number of NICs, at least 1",
            46u32,
            &mut refused,
        );
        check(
            p.np * p.k_p <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            46u32,
            &mut refused,
        );
        check(
            !p.nd.is_nan(),
            "S162",
            "a family's size is not a number",
            47u32,
            &mut refused,
        );
        check(
            p.nd == p.nd.floor() && p.nd >= 1.0,
            "S170",
            "the size of a family is not a whole number of at least 1",
            47u32,
            &mut refused,
        );
        check(
            p.nd <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            47u32,
            &mut refused,
        );
        check(
            !p.k_d.is_nan(),
            "S162",
            "a number of NICs is not a number",
            48u32,
            &mut refused,
        );
        check(
            p.k_d == p.k_d.floor() && p.k_d >= 1.0,
            "S252",
            "a member has a whole number of NICs, at least 1",
            48u32,
            &mut refused,
        );
        check(
            p.nd * p.k_d <= 1000000.0,
            "S171",
            "the family has more than 1000000 members",
            48u32,
            &mut refused,
        );
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
            !p.bw.is_nan(),
            "S168",
            "the capacity is not a number",
            52u32,
            &mut refused,
        );
        check(
            !p.max_seqs.is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            53u32,
            &mut refused,
        );
        check(
            p.max_seqs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            53u32,
            &mut refused,
        );
        check(
            !(p.blocks * p.bs).is_nan(),
            "S162",
            "a pool's `cap` is not a number",
            54u32,
            &mut refused,
        );
        check(
            p.blocks * p.bs >= 0.0,
            "S165",
            "the capacity is negative or not a number",
            54u32,
            &mut refused,
        );
        check(
            !p.bs.is_nan(),
            "S162",
            "a pool's `block` is not a number",
            55u32,
            &mut refused,
        );
        check(
            p.bs > 0.0 && p.bs < f64::INFINITY,
            "S166",
            "a block has a finite size above 0",
            55u32,
            &mut refused,
        );
        check(
            !p.bw.is_nan(),
            "S168",
            "the capacity is not a number",
            56u32,
            &mut refused,
        );
        check(!p.x0.is_nan(), "S162", "a latency is not a number", 9u32, &mut refused);
        check(
            p.x0 >= 0.0,
            "S163",
            "this latency is negative or not a number",
            9u32,
            &mut refused,
        );
        check(
            p.k_d / p.k_p == (p.k_d / p.k_p).floor()
                || p.k_p / p.k_d == (p.k_p / p.k_d).floor(),
            "S253",
            "neither number of NICs is a multiple of the other",
            57u32,
            &mut refused,
        );
        check(
            p.nd == p.nd.floor() && p.nd >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            58u32,
            &mut refused,
        );
        check(
            p.nd <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            58u32,
            &mut refused,
        );
        check(
            p.k_d == p.k_d.floor() && p.k_d >= 1.0,
            "S172",
            "an aggregate runs over a whole number of at least 1",
            59u32,
            &mut refused,
        );
        check(
            p.k_d <= 1000000.0,
            "S169",
            "the aggregate runs over more than 1000000 values",
            59u32,
            &mut refused,
        );
        check(
            p.gap > 0.0 && p.gap < f64::INFINITY,
            "S186",
            "the gap between arrivals is not a finite number above 0",
            60u32,
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
            p.nd == p.nd.floor() && p.nd >= 0.0,
            "S175",
            "a choice is among a whole number of at least 0",
            3u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `P.reqs` ever holds",
            61u32,
            &mut refused,
        );
        check(
            0.0 <= p.max_seqs,
            "S164",
            "this is more than `D.reqs` ever holds",
            62u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `D.reqs` ever holds",
            63u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `D.reqs` ever holds",
            64u32,
            &mut refused,
        );
        check(
            1.0 <= p.max_seqs,
            "S164",
            "this is more than `D.reqs` ever holds",
            65u32,
            &mut refused,
        );
        check(
            p.bw > 0.0,
            "S111",
            "the capacity of `P.nic` is not above 0, and flows share it",
            66u32,
            &mut refused,
        );
        check(
            p.bw > 0.0,
            "S111",
            "the capacity of `D.nic` is not above 0, and flows share it",
            67u32,
            &mut refused,
        );
        check(
            p.bw > 0.0,
            "S111",
            "the capacity of `P.nic` is not above 0, and flows share it",
            10u32,
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
                    kv: Pool::new(p.blocks * p.bs, p.bs, settings),
                    serve: Engine::new(settings),
                })
                .collect(),
            d: (0..p.nd as usize)
                .map(|_| D {
                    reqs: Pool::new(p.max_seqs, 0.0, settings),
                    kv: Pool::new(p.blocks * p.bs, p.bs, settings),
                    serve: Engine::new(settings),
                    nic_latency: Delay::new(settings),
                })
                .collect(),
            p_nic: (0..(p.np * p.k_p) as usize).map(|_| Link::new(p.bw)).collect(),
            d_nic: (0..(p.nd * p.k_d) as usize).map(|_| Link::new(p.bw)).collect(),
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
            stages::P_NIC => self.p_nic.len(),
            stages::D => self.d.len(),
            stages::D_NIC => self.d_nic.len(),
            stages::D_NIC_LATENCY => self.d.len(),
            _ => 0,
        }
    }

    #[inline]
    fn delay(&self, at: impl AtStage) -> &Delay {
        let key = at.key();
        &self.d[key.member as usize].nic_latency
    }

    #[inline]
    fn delay_mut(&mut self, at: impl AtStage) -> &mut Delay {
        let key = at.key();
        &mut self.d[key.member as usize].nic_latency
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
            stages::P_NIC => &self.p_nic[key.member as usize],
            _ => &self.d_nic[key.member as usize],
        }
    }

    #[inline]
    fn link_mut(&mut self, at: impl AtStage) -> &mut Link {
        let key = at.key();
        match key.family {
            stages::P_NIC => &mut self.p_nic[key.member as usize],
            _ => &mut self.d_nic[key.member as usize],
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

    #[inline(always)]
    fn header(&mut self, s: Sid, hold: impl AtHold) -> Header {
        match hold.stmt() {
            holds::P_REQS_P_KV => self.header_p_reqs_p_kv::<false>(s),
            holds::D_KV_D_REQS => self.header_d_kv_d_reqs(s),
            holds::D_REQS => self.header_d_reqs(s),
            _ => Header::default(),
        }
    }

    #[inline(always)]
    fn joining_header(&mut self, s: Sid, hold: impl AtHold) -> Header {
        match hold.stmt() {
            holds::P_REQS_P_KV => self.header_p_reqs_p_kv::<true>(s),
            holds::D_KV_D_REQS => self.header_d_kv_d_reqs(s),
            holds::D_REQS => self.header_d_reqs(s),
            _ => Header::default(),
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
            _ => op.run(self, HoldAt::<{ holds::D_REQS }>),
        }
    }

    #[inline(always)]
    fn run_body(&mut self, s: Sid, hold: impl AtHold) {
        match hold.stmt() {
            holds::P_REQS_P_KV => self.holding_p_reqs_p_kv(s),
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
        op.run(self, StageAt::<{ stages::D_NIC_LATENCY }>(stage.member))
    }

    #[inline]
    fn read_gauges(&mut self, dirty: u64) {
        if dirty & 1 != 0 {
            // gauge copies = sum k in ND (sum r in kD (queue(D[k].nic[r])));         tensor_parallel_reads.sq:105
            let value = {
                let mut total = 0.0;
                for its_k in 0..self.params.nd as usize {
                    total
                        += {
                            let mut total = 0.0;
                            for r in 0..self.params.k_d as usize {
                                total
                                    += stage_queue(
                                        self,
                                        StageAt::<
                                            { stages::D_NIC },
                                        >::new(its_k * (self.params.k_d as usize) + r),
                                    );
                            }
                            total
                        };
                }
                total
            };
            self.k.set_gauge(0, value);
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
}

/// Hold statements.
#[allow(dead_code)]
mod holds {
    /// `hold reqs (1), kv (first_units(prompt, 0, budget_left(P), inf)) reserve (prompt) {`
    pub const P_REQS_P_KV: u32 = 0;
    /// `hold kv (prompt), reqs (0) reserve (1) {`
    pub const D_KV_D_REQS: u32 = 1;
    /// `hold reqs (1) {`
    pub const D_REQS: u32 = 2;
}

/// Where a session goes on.
#[allow(dead_code)]
mod at {
    /// start
    pub const START: u32 = 0;
    /// holding p reqs p kv
    pub const HOLDING_P_REQS_P_KV: u32 = 1;
    /// after p prefill
    pub const AFTER_P_PREFILL: u32 = 2;
    /// holding d kv d reqs
    pub const HOLDING_D_KV_D_REQS: u32 = 3;
    /// after d nic latency
    pub const AFTER_D_NIC_LATENCY: u32 = 4;
    /// after p nic d nic
    pub const AFTER_P_NIC_D_NIC: u32 = 5;
    /// holding d reqs
    pub const HOLDING_D_REQS: u32 = 6;
    /// after d prefill
    pub const AFTER_D_PREFILL: u32 = 7;
    /// after d decode
    pub const AFTER_D_DECODE: u32 = 8;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 83,
        col: 17,
        text: "    choose i in NP by (holders(P[i].reqs) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 83,
        col: 34,
        text: "    choose i in NP by (holders(P[i].reqs) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 83,
        col: 54,
        text: "    choose i in NP by (holders(P[i].reqs) + queued(P[i].reqs));",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 84,
        col: 17,
        text: "    choose j in ND by (holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 84,
        col: 34,
        text: "    choose j in ND by (holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 84,
        col: 52,
        text: "    choose j in ND by (holders(D[j].kv) + queued(D[j].kv));",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 85,
        col: 19,
        text: "    P[i].prefill (prompt);",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 44,
        col: 7,
        text: "      prefill (prompt) growing kv;",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 44,
        col: 32,
        text: "      prefill (prompt) growing kv;",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 77,
        col: 18,
        text: "D pull P latency x0 share maxmin;",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 67,
        col: 7,
        text: "      transfer (prompt) from src to kv (prompt - 1);  // over all NICs of both pods",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 88,
        col: 18,
        text: "    D[j].decode (prompt) from P[i];",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 67,
        col: 41,
        text: "      transfer (prompt) from src to kv (prompt - 1);  // over all NICs of both pods",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 67,
        col: 37,
        text: "      transfer (prompt) from src to kv (prompt - 1);  // over all NICs of both pods",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 67,
        col: 30,
        text: "      transfer (prompt) from src to kv (prompt - 1);  // over all NICs of both pods",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 70,
        col: 9,
        text: "        prefill (1) growing kv;",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 70,
        col: 29,
        text: "        prefill (1) growing kv;",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 71,
        col: 17,
        text: "        decode (o) growing kv;",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 71,
        col: 9,
        text: "        decode (o) growing kv;",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 71,
        col: 28,
        text: "        decode (o) growing kv;",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 43,
        col: 10,
        text: "    hold reqs (1), kv (first_units(prompt, 0, budget_left(P), inf)) reserve (prompt) {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 43,
        col: 20,
        text: "    hold reqs (1), kv (first_units(prompt, 0, budget_left(P), inf)) reserve (prompt) {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 43,
        col: 59,
        text: "    hold reqs (1), kv (first_units(prompt, 0, budget_left(P), inf)) reserve (prompt) {",
    },
    SourceSite {
        file: "vllm.sq",
        line: 15,
        col: 46,
        text: "def first_units(known, hit, budget, chunk) = min(known, hit + min(budget, chunk));",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 66,
        col: 10,
        text: "    hold kv (prompt), reqs (0) reserve (1) {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 66,
        col: 23,
        text: "    hold kv (prompt), reqs (0) reserve (1) {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 69,
        col: 12,
        text: "      hold reqs (1) {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 38,
        col: 10,
        text: "    cost max(omega, tokens * a) / kP;",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 54,
        col: 10,
        text: "    cost max(omega, tokens * a) / kD;",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 43,
        col: 5,
        text: "    hold reqs (1), kv (first_units(prompt, 0, budget_left(P), inf)) reserve (prompt) {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 66,
        col: 5,
        text: "    hold kv (prompt), reqs (0) reserve (1) {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 69,
        col: 7,
        text: "      hold reqs (1) {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 19,
        col: 10,
        text: "let NP = 2;          // prefill pods",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 20,
        col: 10,
        text: "let ND = 2;          // decode pods",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 21,
        col: 10,
        text: "let kP = 4;          // ranks of a prefill pod, each with a NIC; kP and kD: one divides the other",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 22,
        col: 10,
        text: "let kD = 2;          // ranks of a decode pod",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 23,
        col: 10,
        text: "let Bw = 5e4;        // bandwidth of one NIC, tokens/s (of the KV that all ranks have of a token)",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 24,
        col: 10,
        text: "let x0 = 0.002;      // time to post a read and notice its end, s",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 25,
        col: 9,
        text: "let B = 8192;        // tokens an engine may schedule in one iteration",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 26,
        col: 16,
        text: "let max_seqs = 32;   // running requests of a pod at most",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 27,
        col: 14,
        text: "let blocks = 10000;  // KV blocks of a pod",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 28,
        col: 10,
        text: "let bs = 16;         // tokens in a KV block",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 29,
        col: 9,
        text: "let a = 4e-5;        // compute time of a scheduled token on one rank, s",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 30,
        col: 13,
        text: "let omega = 8e-3;    // time to read the weights once on one rank, s",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 31,
        col: 11,
        text: "let gap = 0.1;       // time between two arrivals, s",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 33,
        col: 9,
        text: "queue P[NP] : prefill {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 41,
        col: 7,
        text: "  nic[kP] ps(Bw);  // NIC r of pod i is P[i].nic[r]",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 49,
        col: 9,
        text: "queue D[ND] : decode {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 57,
        col: 7,
        text: "  nic[kD] ps(Bw);",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 34,
        col: 19,
        text: "  pool reqs { cap max_seqs; admit via P; }",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 35,
        col: 17,
        text: "  pool kv { cap blocks * bs; block bs; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 35,
        col: 36,
        text: "  pool kv { cap blocks * bs; block bs; evict lru; preempt lifo; }",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 41,
        col: 14,
        text: "  nic[kP] ps(Bw);  // NIC r of pod i is P[i].nic[r]",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 50,
        col: 19,
        text: "  pool reqs { cap max_seqs; admit via D; }",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 51,
        col: 17,
        text: "  pool kv { cap blocks * bs; block bs; evict lru; preempt none; admit via D; }",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 51,
        col: 36,
        text: "  pool kv { cap blocks * bs; block bs; evict lru; preempt none; admit via D; }",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 57,
        col: 14,
        text: "  nic[kD] ps(Bw);",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 77,
        col: 8,
        text: "D pull P latency x0 share maxmin;",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 105,
        col: 25,
        text: "gauge copies = sum k in ND (sum r in kD (queue(D[k].nic[r])));  // on all NICs of the decode pods",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 105,
        col: 38,
        text: "gauge copies = sum k in ND (sum r in kD (queue(D[k].nic[r])));  // on all NICs of the decode pods",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 96,
        col: 18,
        text: "  arrive renewal(gap);",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 43,
        col: 16,
        text: "    hold reqs (1), kv (first_units(prompt, 0, budget_left(P), inf)) reserve (prompt) {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 66,
        col: 29,
        text: "    hold kv (prompt), reqs (0) reserve (1) {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 66,
        col: 41,
        text: "    hold kv (prompt), reqs (0) reserve (1) {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 69,
        col: 18,
        text: "      hold reqs (1) {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 59,
        col: 29,
        text: "    hold kv (prompt), reqs (1) {",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 41,
        col: 11,
        text: "  nic[kP] ps(Bw);  // NIC r of pod i is P[i].nic[r]",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 57,
        col: 11,
        text: "  nic[kD] ps(Bw);",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 105,
        col: 50,
        text: "gauge copies = sum k in ND (sum r in kD (queue(D[k].nic[r])));  // on all NICs of the decode pods",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 102,
        col: 13,
        text: "  session { turn; request gw; }",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 44,
        col: 7,
        text: "      prefill (prompt) growing kv;",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 70,
        col: 9,
        text: "        prefill (1) growing kv;",
    },
    SourceSite {
        file: "tensor_parallel_reads.sq",
        line: 71,
        col: 9,
        text: "        decode (o) growing kv;",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("tensor_parallel_reads.sq", r#"// KV reads between pods of several ranks: every GPU of a pod has its own NIC, and reads its own heads.
//
// A prefill pod runs on `kP` GPUs and a decode pod on `kD`, each with a NIC of its own. Of a prompt's KV a rank keeps
// the part that belongs to its heads, so a read is as many copies beside each other as the larger pod has ranks, each
// of an equal share over one NIC at either end; the decode pod goes on when the last one is there. Where the pods are
// of different width, a NIC of the narrow one carries several of them.
//
// Question: what are more NICs worth, at one end or at both? A prompt of n tokens that is alone takes x0 and n / Bw
// over the ranks of the narrower pod, so with kD = 1 everything waits for the decode pod's one NIC, however many the
// prefill pod has. `read` is the time from the answer of the prefill until the last share is there. Compare it with one
// NIC of four times the bandwidth at each end: the same for one read, but here a pod of few ranks is also slow to
// compute.
//
//   serqc run examples/pd-disaggregation/tensor_parallel_reads.sq
//   serqc run examples/pd-disaggregation/tensor_parallel_reads.sq --set kD=1
//   serqc run examples/pd-disaggregation/tensor_parallel_reads.sq --set kP=1 --set kD=1 --set Bw=2e5
use "../../lib/vllm.sq";

let NP = 2;          // prefill pods
let ND = 2;          // decode pods
let kP = 4;          // ranks of a prefill pod, each with a NIC; kP and kD: one divides the other
let kD = 2;          // ranks of a decode pod
let Bw = 5e4;        // bandwidth of one NIC, tokens/s (of the KV that all ranks have of a token)
let x0 = 0.002;      // time to post a read and notice its end, s
let B = 8192;        // tokens an engine may schedule in one iteration
let max_seqs = 32;   // running requests of a pod at most
let blocks = 10000;  // KV blocks of a pod
let bs = 16;         // tokens in a KV block
let a = 4e-5;        // compute time of a scheduled token on one rank, s
let omega = 8e-3;    // time to read the weights once on one rank, s
let gap = 0.1;       // time between two arrivals, s

queue P[NP] : prefill {
  pool reqs { cap max_seqs; admit via P; }
  pool kv { cap blocks * bs; block bs; evict lru; preempt lifo; }
  serve step {
    budget B;
    cost max(omega, tokens * a) / kP;
    memory kv;
  }
  nic[kP] ps(Bw);  // NIC r of pod i is P[i].nic[r]
  prefill (prompt) {
    hold reqs (1), kv (first_units(prompt, 0, budget_left(P), inf)) reserve (prompt) {
      prefill (prompt) growing kv;
    } lease kv (inf);
  }
}

queue D[ND] : decode {
  pool reqs { cap max_seqs; admit via D; }
  pool kv { cap blocks * bs; block bs; evict lru; preempt none; admit via D; }
  serve step {
    budget B;
    cost max(omega, tokens * a) / kD;
    memory kv;
  }
  nic[kD] ps(Bw);
  decode (prompt) {
    hold kv (prompt), reqs (1) {
      prefill (prompt) growing kv;
      mark read;
      decode (o) growing kv;
    }
  }
  decode (prompt) from src {
    hold kv (prompt), reqs (0) reserve (1) {
      transfer (prompt) from src to kv (prompt - 1);  // over all NICs of both pods
      mark read;
      hold reqs (1) {
        prefill (1) growing kv;
        decode (o) growing kv;
      }
    }
  }
}

D pull P latency x0 share maxmin;

queue gw : gateway {
  route {
    set t0 = now;
    set prompt = n;
    choose i in NP by (holders(P[i].reqs) + queued(P[i].reqs));
    choose j in ND by (holders(D[j].kv) + queued(D[j].kv));
    P[i].prefill (prompt);
    set t1 = now;
    observe prefill = t1 - t0;
    D[j].decode (prompt) from P[i];
    observe read = D.read - t1;
    observe response = now - t0;
  }
}

// Prompts of two lengths in turn, answers of one, at equal distances: nothing is drawn.
workload {
  arrive renewal(gap);
  hidden o;
  turn {
    set n = serial / 2 == floor(serial / 2) ? 2000 : 6000;
    set o = 100;
  }
  session { turn; request gw; }
}

gauge copies = sum k in ND (sum r in kD (queue(D[k].nic[r])));  // on all NICs of the decode pods

run { horizon 200; warmup 20; }
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
