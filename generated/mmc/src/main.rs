//! mmc: a serQ program as native code.
//!
//! Emitted by serqc from mmc.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let lambda = 2.4;`: arrivals per second
    pub lambda: f64,
    /// `let s = 1;`: mean service time, s
    pub s: f64,
    /// `let c = 3;`: servers
    pub c: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            lambda: values[0],
            s: values[1],
            c: values[2],
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
    /// `stage servers : fifo(c);`
    pub servers: Fifo,
}

/// A session's attributes.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// `t0`
    pub t0: f64,
}

#[allow(unused_variables)]
impl Model {
    /// What a session brings when it is created.
    fn start_session(&mut self, s: Sid) {}
    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {}
    #[inline]
    fn start(&mut self, s: Sid) -> Next {
        // set t0 = now;                                                          mmc.sq:17
        self.attrs[s as usize].t0 = self.k.now;
        // run servers (~exp(s));                                                 mmc.sq:18
        let work = {
            let amount = self.k.session_rng(s).exp(self.params.s);
            self.k.work(amount, s, 0)
        };
        self.k.control_mut(s).at = at::AFTER_SERVERS;
        let stage = StageAt::<{ stages::SERVERS }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
        Next::Wait
    }

    #[inline]
    fn after_servers(&mut self, s: Sid) -> Next {
        // observe response = now - t0;                                           mmc.sq:19
        self.k.observe(0, s, self.k.now - self.attrs[s as usize].t0);
        end_session(self, s);
        Next::Wait
    }

    /// Runs session `s` from where it is until it waits or ends: no state goes on in another at once.
    #[inline]
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::AFTER_SERVERS => self.after_servers(s),
            _ => Next::Wait,
        };
    }
}

#[allow(unused_variables)]
impl World for Model {
    const NAME: &'static str = "mmc";
    const POOLS: &'static [PoolSpec] = &[];
    const STAGES: &'static [StageSpec] = &[
        StageSpec {
            name: "servers",
            single: true,
            kind: StageType::Fifo,
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
    ];
    const HOLDS: &'static [HoldSpec] = &[];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[(at::START, 8), (at::AFTER_SERVERS, 9)];
    const ARRIVE_SITE: u32 = 6;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "lambda",
            default: "2.4",
            comment: "arrivals per second",
        },
        ParamSpec {
            name: "s",
            default: "1",
            comment: "mean service time, s",
        },
        ParamSpec {
            name: "c",
            default: "3",
            comment: "servers",
        },
    ];
    const OBSERVES: &'static [&'static str] = &["response"];
    const GAUGES: &'static [&'static str] = &["present"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 2.4,
            1 => 1.0,
            2 => 3.0,
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
        check(!p.lambda.is_nan(), "S162", "a `let` is not a number", 2u32, &mut refused);
        check(!p.s.is_nan(), "S162", "a `let` is not a number", 3u32, &mut refused);
        check(!p.c.is_nan(), "S162", "a `let` is not a number", 4u32, &mut refused);
        check(
            !p.c.is_nan(),
            "S162",
            "a number of servers is not a number",
            5u32,
            &mut refused,
        );
        check(
            p.c == p.c.floor() && (p.c >= 1.0 && p.c < f64::INFINITY),
            "S167",
            "the number of servers is not a whole number of at least 1",
            5u32,
            &mut refused,
        );
        check(
            !p.lambda.is_nan(),
            "S162",
            "an arrival rate is not a number",
            6u32,
            &mut refused,
        );
        check(
            p.lambda > 0.0 && p.lambda < f64::INFINITY,
            "S185",
            "the arrival rate is not a finite number above 0",
            6u32,
            &mut refused,
        );
        check(
            p.s >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            0u32,
            &mut refused,
        );
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Model {
            k: Kernel::new(settings, None),
            servers: Fifo::new(p.c, settings),
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
    fn stage_count(&self, f: usize) -> usize {
        match f as u16 {
            stages::SERVERS => 1,
            _ => 0,
        }
    }

    #[inline]
    fn fifo(&self, at: impl AtStage) -> &Fifo {
        &self.servers
    }

    #[inline]
    fn fifo_mut(&mut self, at: impl AtStage) -> &mut Fifo {
        &mut self.servers
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

    #[inline]
    fn on_station<O: OnStage<Self>>(&mut self, stage: StageKey, op: O) -> O::Out {
        op.run(self, StageAt::<{ stages::SERVERS }>(stage.member))
    }

    #[inline]
    fn read_gauges(&mut self, dirty: u64) {
        if dirty & 1 != 0 {
            // gauge present = queue(servers);                                        mmc.sq:22
            let value = stage_queue(self, StageAt::<{ stages::SERVERS }>::new(0));
            self.k.set_gauge(0, value);
        }
    }
}

/// Pool families, in declaration order.
#[allow(dead_code)]
mod pools {}
/// Stage families, in declaration order.
#[allow(dead_code)]
mod stages {
    /// `servers`
    pub const SERVERS: u16 = 0;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {}
/// Where a session goes on.
#[allow(dead_code)]
mod at {
    /// start
    pub const START: u32 = 0;
    /// after servers
    pub const AFTER_SERVERS: u32 = 1;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "mmc.sq",
        line: 18,
        col: 16,
        text: "  run servers (~exp(s));",
    },
    SourceSite {
        file: "mmc.sq",
        line: 18,
        col: 7,
        text: "  run servers (~exp(s));",
    },
    SourceSite {
        file: "mmc.sq",
        line: 8,
        col: 14,
        text: "let lambda = 2.4;  // arrivals per second",
    },
    SourceSite {
        file: "mmc.sq",
        line: 9,
        col: 9,
        text: "let s = 1;         // mean service time, s",
    },
    SourceSite {
        file: "mmc.sq",
        line: 10,
        col: 9,
        text: "let c = 3;         // servers",
    },
    SourceSite {
        file: "mmc.sq",
        line: 12,
        col: 22,
        text: "stage servers : fifo(c);",
    },
    SourceSite {
        file: "mmc.sq",
        line: 14,
        col: 27,
        text: "workload { arrive poisson(lambda); }",
    },
    SourceSite {
        file: "mmc.sq",
        line: 22,
        col: 23,
        text: "gauge present = queue(servers);",
    },
    SourceSite {
        file: "mmc.sq",
        line: 17,
        col: 3,
        text: "  set t0 = now;",
    },
    SourceSite {
        file: "mmc.sq",
        line: 18,
        col: 3,
        text: "  run servers (~exp(s));",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("mmc.sq", r"// M/M/c: Poisson arrivals, c servers behind one queue, exponential service.
//
// Erlang C (Erlang 1917; Kleinrock, Queueing Systems I, 1975, section 3.5), offered load A = lambda * s < c:
//   P(wait > 0) = C(c, A) = (A^c / c!) * c / (c - A)  /  (sum over k < c of A^k / k!  +  (A^c / c!) * c / (c - A))
//   wait      E[W] = C(c, A) * s / (c - A)
//   response  E[T] = E[W] + s
// As written: c = 3, A = 2.4, C = 0.6472, E[W] = 1.0787, E[T] = 2.0787.
let lambda = 2.4;  // arrivals per second
let s = 1;         // mean service time, s
let c = 3;         // servers

stage servers : fifo(c);

workload { arrive poisson(lambda); }

session {
  set t0 = now;
  run servers (~exp(s));
  observe response = now - t0;
}

gauge present = queue(servers);

run { horizon 100000; warmup 1000; }
"),
];
