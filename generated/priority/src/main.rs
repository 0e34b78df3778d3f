//! priority: a serQ program as native code.
//!
//! Emitted by serqc from priority.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let policy = 1;`: 0 first come, 1 interactive first, 2 earliest deadline, 3 shortest job
    pub policy: f64,
    /// `let l1 = 0.3;`: interactive requests per second
    pub l1: f64,
    /// `let l2 = 0.1;`: batch requests per second
    pub l2: f64,
    /// `let s1 = 1;`: mean service time of an interactive request, s
    pub s1: f64,
    /// `let s2 = 5;`: mean service time of a batch request, s
    pub s2: f64,
    /// `let patience1 = 5;`: time after which an interactive request is late, s
    pub patience1: f64,
    /// `let patience2 = 40;`: time after which a batch request is late, s
    pub patience2: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            policy: values[0],
            l1: values[1],
            l2: values[2],
            s1: values[3],
            s2: values[4],
            patience1: values[5],
            patience2: values[6],
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
    /// `pool server {`
    pub server: Pool<Session>,
    /// `stage service : delay;`
    pub service: Delay,
}

/// A session's attributes.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// `batch`
    pub batch: bool,
    /// `length`
    pub length: f64,
    /// `t0`
    pub t0: f64,
}

#[allow(unused_variables)]
impl Model {
    /// What a session brings when it is created.
    fn start_session(&mut self, s: Sid) {}
    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {}
    #[inline(never)]
    fn start(&mut self, s: Sid) {
        let attrs = &mut self.attrs[s as usize];
        // set batch = ~bernoulli(l2 / (l1 + l2));                                priority.sq:36
        attrs.batch = {
            let p = self.params.l2 / (self.params.l1 + self.params.l2);
            self.k.session_rng(s).bernoulli(p)
        } != 0.0;
        // set length = ~exp(batch ? s2 : s1);                                    priority.sq:37
        attrs.length = self
            .k
            .session_rng(s)
            .exp(if attrs.batch { self.params.s2 } else { self.params.s1 });
        // set t0 = now;                                                          priority.sq:38
        attrs.t0 = self.k.now;
        // hold server (1) {                                                      priority.sq:39
        join(self, s, HoldAt::<{ holds::SERVER }>);
    }

    #[inline(never)]
    fn holding_server(&mut self, s: Sid) {
        let attrs = &self.attrs[s as usize];
        // set wait = now - t0;                                                   priority.sq:40
        let wait = self.k.now - attrs.t0;
        // branch (batch) {                                                       priority.sq:41
        if attrs.batch {
            // observe wait_batch = wait;                                             priority.sq:42
            self.k.observe(0, s, wait);
            // observe late_batch = wait > patience2;                                 priority.sq:43
            self.k.observe(1, s, f64::from(wait > self.params.patience2));
        } else {
            // observe wait_interactive = wait;                                       priority.sq:45
            self.k.observe(2, s, wait);
            // observe late_interactive = wait > patience1;                           priority.sq:46
            self.k.observe(3, s, f64::from(wait > self.params.patience1));
        }
        // observe law = wait * (batch ? s2 : s1) * (l1 + l2);                    priority.sq:49
        self.k
            .observe(
                4,
                s,
                wait * (if attrs.batch { self.params.s2 } else { self.params.s1 })
                    * (self.params.l1 + self.params.l2),
            );
        // run service (length);                                                  priority.sq:50
        let work = self.k.work(attrs.length, s, 0);
        self.k.control_mut(s).at = at::AFTER_SERVICE;
        let stage = StageAt::<{ stages::SERVICE }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
    }

    #[inline(never)]
    fn after_service(&mut self, s: Sid) {
        leave(self, s, HoldAt::<{ holds::SERVER }>);
        end_session(self, s);
    }

    /// Runs session `s` from where it waited until it waits again or ends.
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::HOLDING_SERVER => self.holding_server(s),
            at::AFTER_SERVICE => self.after_service(s),
            _ => {}
        }
    }

    // hold server (1) {                                                      priority.sq:39
    #[inline(always)]
    fn header_server(&mut self, s: Sid) -> Header {
        let mut header = Header {
            reuse: f64::INFINITY,
            ..Header::default()
        };
        let pool = PoolKey::new(pools::SERVER, 0);
        let units = 1.0;
        let reserve = units;
        header.claims[0] = ClaimNow { pool, units, reserve };
        header
    }

    // queue by (policy == 1 ? batch : policy == 2 ? (batch ? patience2 : patience1) - waited : policy =... priority.sq:29
    fn queue_keys_server(&mut self, member: usize, s: Sid, waited: f64) -> Keys {
        let attrs = &self.attrs[s as usize];
        keys([
            if self.params.policy == 1.0 {
                f64::from(attrs.batch)
            } else {
                if self.params.policy == 2.0 {
                    (if attrs.batch {
                        self.params.patience2
                    } else {
                        self.params.patience1
                    }) - waited
                } else {
                    if self.params.policy == 3.0 { attrs.length } else { 0.0 }
                }
            },
        ])
    }
}

#[allow(unused_variables)]
impl World for Model {
    const NAME: &'static str = "priority";
    const POOLS: &'static [PoolSpec] = &[
        PoolSpec {
            name: "server",
            single: true,
            cached: false,
            blocks: false,
            grows: false,
            lifo: false,
            queue_keys: 1,
            steady_keys: false,
            evict_keys: 0,
            spills: false,
            via: None,
            memory_of: &[],
            dirty: [0, 0, 1],
            kept: [0, 0, 0, 0],
        },
    ];
    const STAGES: &'static [StageSpec] = &[
        StageSpec {
            name: "service",
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
            pools: &[pools::SERVER],
            caches: false,
            plain_cache: false,
            leases: None,
            reuses: false,
            steady: &[(true, false)],
            checked: &[true],
            body: at::HOLDING_SERVER,
            site: 3,
        },
    ];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 14),
        (at::HOLDING_SERVER, 3),
        (at::AFTER_SERVICE, 15),
    ];
    const ARRIVE_SITE: u32 = 11;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "policy",
            default: "1",
            comment: "0 first come, 1 interactive first, 2 earliest deadline, 3 shortest job",
        },
        ParamSpec {
            name: "l1",
            default: "0.3",
            comment: "interactive requests per second",
        },
        ParamSpec {
            name: "l2",
            default: "0.1",
            comment: "batch requests per second",
        },
        ParamSpec {
            name: "s1",
            default: "1",
            comment: "mean service time of an interactive request, s",
        },
        ParamSpec {
            name: "s2",
            default: "5",
            comment: "mean service time of a batch request, s",
        },
        ParamSpec {
            name: "patience1",
            default: "5",
            comment: "time after which an interactive request is late, s",
        },
        ParamSpec {
            name: "patience2",
            default: "40",
            comment: "time after which a batch request is late, s",
        },
    ];
    const OBSERVES: &'static [&'static str] = &[
        "wait_batch",
        "late_batch",
        "wait_interactive",
        "late_interactive",
        "law",
    ];
    const GAUGES: &'static [&'static str] = &["waiting"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = true;
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 1.0,
            1 => 0.3,
            2 => 0.1,
            3 => 1.0,
            4 => 5.0,
            5 => 5.0,
            6 => 40.0,
            _ => f64::NAN,
        }
    }

    fn run_defaults(_values: &[f64]) -> RunDefaults {
        RunDefaults {
            horizon: Some(100000.0),
            warmup: Some(1000.0),
            seed: None,
            arrivals: None,
        }
    }

    fn new(values: &[f64], settings: &Settings) -> Result<Self, Vec<Refusal>> {
        let p = Params::from_values(values);
        let mut refused = Vec::new();
        check(!p.policy.is_nan(), "S162", "a `let` is not a number", 4u32, &mut refused);
        check(!p.l1.is_nan(), "S162", "a `let` is not a number", 5u32, &mut refused);
        check(!p.l2.is_nan(), "S162", "a `let` is not a number", 6u32, &mut refused);
        check(!p.s1.is_nan(), "S162", "a `let` is not a number", 7u32, &mut refused);
        check(!p.s2.is_nan(), "S162", "a `let` is not a number", 8u32, &mut refused);
        check(
            !p.patience1.is_nan(),
            "S162",
            "a `let` is not a number",
            9u32,
            &mut refused,
        );
        check(
            !p.patience2.is_nan(),
            "S162",
            "a `let` is not a number",
            10u32,
            &mut refused,
        );
        check(
            !(p.l1 + p.l2).is_nan(),
            "S162",
            "an arrival rate is not a number",
            11u32,
            &mut refused,
        );
        check(
            p.l1 + p.l2 > 0.0 && p.l1 + p.l2 < f64::INFINITY,
            "S185",
            "the arrival rate is not a finite number above 0",
            11u32,
            &mut refused,
        );
        check(
            p.l2 / (p.l1 + p.l2) >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            12u32,
            &mut refused,
        );
        check(
            p.l2 / (p.l1 + p.l2) <= 1.0,
            "S176",
            "nothing can be drawn with these numbers",
            12u32,
            &mut refused,
        );
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Model {
            k: Kernel::new(settings, None),
            server: Pool::new(1.0, 0.0, settings),
            service: Delay::new(settings),
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
            pools::SERVER => 1,
            _ => 0,
        }
    }

    #[inline]
    fn pool(&self, at: impl AtPool) -> &Pool<Session> {
        &self.server
    }

    #[inline]
    fn pool_mut(&mut self, at: impl AtPool) -> &mut Pool<Session> {
        &mut self.server
    }

    #[inline]
    fn pool_and_kernel(&mut self, at: impl AtPool) -> (&mut Pool<Session>, &mut Kernel) {
        (&mut self.server, &mut self.k)
    }

    #[inline]
    fn stage_count(&self, f: usize) -> usize {
        match f as u16 {
            stages::SERVICE => 1,
            _ => 0,
        }
    }

    #[inline]
    fn delay(&self, at: impl AtStage) -> &Delay {
        &self.service
    }

    #[inline]
    fn delay_mut(&mut self, at: impl AtStage) -> &mut Delay {
        &mut self.service
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
        Arrivals::Poisson(self.params.l1 + self.params.l2)
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
            holds::SERVER => self.header_server(s),
            _ => Header::default(),
        }
    }

    #[inline]
    fn on_hold<O: OnHold<Self>>(&mut self, hold: u32, op: O) -> O::Out {
        op.run(self, HoldAt::<{ holds::SERVER }>)
    }

    #[inline(always)]
    fn run_body(&mut self, s: Sid, hold: impl AtHold) {
        self.holding_server(s)
    }

    #[inline]
    fn on_station<O: OnStage<Self>>(&mut self, stage: StageKey, op: O) -> O::Out {
        op.run(self, StageAt::<{ stages::SERVICE }>(stage.member))
    }

    #[inline]
    fn queue_keys(&mut self, pool: PoolKey, s: Sid, waited: f64) -> Keys {
        match pool.family {
            pools::SERVER => self.queue_keys_server(pool.member as usize, s, waited),
            _ => keys([]),
        }
    }

    #[inline]
    fn read_gauges(&mut self, dirty: u64) {
        if dirty & 1 != 0 {
            // gauge waiting = queued(server);                                        priority.sq:54
            let value = self.server.queued();
            self.k.set_gauge(0, value);
        }
    }
}

/// Pool families, in declaration order.
#[allow(dead_code)]
mod pools {
    /// `server`
    pub const SERVER: u16 = 0;
}

/// Stage families, in declaration order.
#[allow(dead_code)]
mod stages {
    /// `service`
    pub const SERVICE: u16 = 0;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {
    /// `hold server (1) {`
    pub const SERVER: u32 = 0;
}

/// Where a session goes on.
#[allow(dead_code)]
mod at {
    /// start
    pub const START: u32 = 0;
    /// holding server
    pub const HOLDING_SERVER: u32 = 1;
    /// after service
    pub const AFTER_SERVICE: u32 = 2;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "priority.sq",
        line: 50,
        col: 18,
        text: "    run service (length);",
    },
    SourceSite {
        file: "priority.sq",
        line: 50,
        col: 9,
        text: "    run service (length);",
    },
    SourceSite {
        file: "priority.sq",
        line: 39,
        col: 8,
        text: "  hold server (1) {",
    },
    SourceSite {
        file: "priority.sq",
        line: 39,
        col: 3,
        text: "  hold server (1) {",
    },
    SourceSite {
        file: "priority.sq",
        line: 18,
        col: 14,
        text: "let policy = 1;      // 0 first come, 1 interactive first, 2 earliest deadline, 3 shortest job",
    },
    SourceSite {
        file: "priority.sq",
        line: 19,
        col: 10,
        text: "let l1 = 0.3;        // interactive requests per second",
    },
    SourceSite {
        file: "priority.sq",
        line: 20,
        col: 10,
        text: "let l2 = 0.1;        // batch requests per second",
    },
    SourceSite {
        file: "priority.sq",
        line: 21,
        col: 10,
        text: "let s1 = 1;          // mean service time of an interactive request, s",
    },
    SourceSite {
        file: "priority.sq",
        line: 22,
        col: 10,
        text: "let s2 = 5;          // mean service time of a batch request, s",
    },
    SourceSite {
        file: "priority.sq",
        line: 23,
        col: 17,
        text: "let patience1 = 5;   // time after which an interactive request is late, s",
    },
    SourceSite {
        file: "priority.sq",
        line: 24,
        col: 17,
        text: "let patience2 = 40;  // time after which a batch request is late, s",
    },
    SourceSite {
        file: "priority.sq",
        line: 33,
        col: 27,
        text: "workload { arrive poisson(l1 + l2); }",
    },
    SourceSite {
        file: "priority.sq",
        line: 36,
        col: 15,
        text: "  set batch = ~bernoulli(l2 / (l1 + l2));",
    },
    SourceSite {
        file: "priority.sq",
        line: 54,
        col: 24,
        text: "gauge waiting = queued(server);",
    },
    SourceSite {
        file: "priority.sq",
        line: 36,
        col: 3,
        text: "  set batch = ~bernoulli(l2 / (l1 + l2));",
    },
    SourceSite {
        file: "priority.sq",
        line: 50,
        col: 5,
        text: "    run service (length);",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("priority.sq", r"// Two classes at one server, served by keys: who waits less, who pays, and what no order can change.
//
// Interactive requests are short, batch requests long; a request in service is not interrupted. `policy` chooses the
// order of the queue: 0 first come, 1 interactive first, 2 the earliest deadline (arrival + patience of the class),
// by which a batch request that has waited long enough passes an interactive one, 3 the shortest job, once its
// length is known.
//
// With W0 = (l1 * E[S1^2] + l2 * E[S2^2]) / 2, rho_i = l_i * s_i, rho = rho_1 + rho_2 < 1, E[S^2] = 2 * s^2:
//   policy 0  W = W0 / (1 - rho) for both (Pollaczek and Khinchine)
//   policy 1  W1 = W0 / (1 - rho_1), W2 = W1 / (1 - rho) (Cobham, Operations Research 2(1), 1954)
//   0, 1, 2   rho_1 * W1 + rho_2 * W2 = rho * W0 / (1 - rho) (Kleinrock's conservation law, 1965), as these orders
//             do not look at lengths: what one class gains the other loses, weighted by its load
// As written: rho = 0.3 + 0.5, W0 = 2.8. Policy 0: 14 s for both. Policy 1: 4 and 20 s. The law: 11.2 s, and under
// policy 3 the sum is below it.
//
//   serqc run examples/single-turn/priority.sq --seeds 1..10
//   serqc run examples/single-turn/priority.sq --seeds 1..10 --set policy=0
let policy = 1;      // 0 first come, 1 interactive first, 2 earliest deadline, 3 shortest job
let l1 = 0.3;        // interactive requests per second
let l2 = 0.1;        // batch requests per second
let s1 = 1;          // mean service time of an interactive request, s
let s2 = 5;          // mean service time of a batch request, s
let patience1 = 5;   // time after which an interactive request is late, s
let patience2 = 40;  // time after which a batch request is late, s

// `waited` grows while a request queues, and the smallest key is served next.
pool server {
  cap 1;
  queue by (policy == 1 ? batch : policy == 2 ? (batch ? patience2 : patience1) - waited : policy == 3 ? length : 0);
}
stage service : delay;

workload { arrive poisson(l1 + l2); }

session {
  set batch = ~bernoulli(l2 / (l1 + l2));
  set length = ~exp(batch ? s2 : s1);
  set t0 = now;
  hold server (1) {
    set wait = now - t0;
    branch (batch) {
      observe wait_batch = wait;  // s before a batch request is served
      observe late_batch = wait > patience2;
    } else {
      observe wait_interactive = wait;  // s before an interactive request is served
      observe late_interactive = wait > patience1;
    }
    // Per request, W1 * l1 * s1 + W2 * l2 * s2 is the load-weighted sum of the law divided by l1 + l2.
    observe law = wait * (batch ? s2 : s1) * (l1 + l2);
    run service (length);
  }
}

gauge waiting = queued(server);

run { horizon 100000; warmup 1000; }
"),
];
