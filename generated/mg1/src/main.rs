//! mg1: a serQ program as native code.
//!
//! Emitted by serqc from mg1.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let lambda = 0.7;`: arrivals per second
    pub lambda: f64,
    /// `let s = 1;`: mean service time, s
    pub s: f64,
    /// `let cv2 = 4;`: squared coefficient of variation of the service time, at least 1
    pub cv2: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            lambda: values[0],
            s: values[1],
            cv2: values[2],
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
    /// `stage server : fifo;`
    pub server: Fifo,
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
        // set t0 = now;                                                          mg1.sq:18
        self.attrs[s as usize].t0 = self.k.now;
        // run server (~h2(s, cv2));                                              mg1.sq:19
        let work = {
            let amount = self.k.session_rng(s).h2(self.params.s, self.params.cv2);
            self.k.work(amount, s, 0)
        };
        self.k.control_mut(s).at = at::AFTER_SERVER;
        let stage = StageAt::<{ stages::SERVER }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
        Next::Wait
    }

    #[inline]
    fn after_server(&mut self, s: Sid) -> Next {
        // observe response = now - t0;                                           mg1.sq:20
        self.k.observe(0, s, self.k.now - self.attrs[s as usize].t0);
        end_session(self, s);
        Next::Wait
    }

    /// Runs session `s` from where it is until it waits or ends: no state goes on in another at once.
    #[inline]
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::AFTER_SERVER => self.after_server(s),
            _ => Next::Wait,
        };
    }
}

#[allow(unused_variables)]
impl World for Model {
    const NAME: &'static str = "mg1";
    const POOLS: &'static [PoolSpec] = &[];
    const STAGES: &'static [StageSpec] = &[
        StageSpec {
            name: "server",
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
    const WAITS: &'static [(u32, u32)] = &[(at::START, 7), (at::AFTER_SERVER, 8)];
    const ARRIVE_SITE: u32 = 5;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "lambda",
            default: "0.7",
            comment: "arrivals per second",
        },
        ParamSpec {
            name: "s",
            default: "1",
            comment: "mean service time, s",
        },
        ParamSpec {
            name: "cv2",
            default: "4",
            comment: "squared coefficient of variation of the service time, at least 1",
        },
    ];
    const OBSERVES: &'static [&'static str] = &["response"];
    const GAUGES: &'static [&'static str] = &["present"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    const ONE_SERVER: &'static [u16] = &[stages::SERVER];
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 0.7,
            1 => 1.0,
            2 => 4.0,
            _ => f64::NAN,
        }
    }

    fn run_defaults(_values: &[f64]) -> RunDefaults {
        RunDefaults {
            horizon: Some(200000.0),
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
        check(!p.cv2.is_nan(), "S162", "a `let` is not a number", 4u32, &mut refused);
        check(
            !p.lambda.is_nan(),
            "S162",
            "an arrival rate is not a number",
            5u32,
            &mut refused,
        );
        check(
            p.lambda > 0.0 && p.lambda < f64::INFINITY,
            "S185",
            "the arrival rate is not a finite number above 0",
            5u32,
            &mut refused,
        );
        check(
            p.s >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            0u32,
            &mut refused,
        );
        check(
            p.cv2 >= 1.0,
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
            server: Fifo::new(1.0, settings),
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
            stages::SERVER => 1,
            _ => 0,
        }
    }

    #[inline]
    fn fifo(&self, at: impl AtStage) -> &Fifo {
        &self.server
    }

    #[inline]
    fn fifo_mut(&mut self, at: impl AtStage) -> &mut Fifo {
        &mut self.server
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
        op.run(self, StageAt::<{ stages::SERVER }>(stage.member))
    }

    #[inline]
    fn read_gauges(&mut self, dirty: u64) {
        if dirty & 1 != 0 {
            // gauge present = queue(server);                                         mg1.sq:23
            let value = stage_queue(self, StageAt::<{ stages::SERVER }>::new(0));
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
    /// `server`
    pub const SERVER: u16 = 0;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {}
/// Where a session goes on.
#[allow(dead_code)]
mod at {
    /// start
    pub const START: u32 = 0;
    /// after server
    pub const AFTER_SERVER: u32 = 1;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "mg1.sq",
        line: 19,
        col: 15,
        text: "  run server (~h2(s, cv2));",
    },
    SourceSite {
        file: "mg1.sq",
        line: 19,
        col: 7,
        text: "  run server (~h2(s, cv2));",
    },
    SourceSite {
        file: "mg1.sq",
        line: 9,
        col: 14,
        text: "let lambda = 0.7;  // arrivals per second",
    },
    SourceSite {
        file: "mg1.sq",
        line: 10,
        col: 9,
        text: "let s = 1;         // mean service time, s",
    },
    SourceSite {
        file: "mg1.sq",
        line: 11,
        col: 11,
        text: "let cv2 = 4;       // squared coefficient of variation of the service time, at least 1",
    },
    SourceSite {
        file: "mg1.sq",
        line: 15,
        col: 27,
        text: "workload { arrive poisson(lambda); }",
    },
    SourceSite {
        file: "mg1.sq",
        line: 23,
        col: 23,
        text: "gauge present = queue(server);",
    },
    SourceSite {
        file: "mg1.sq",
        line: 18,
        col: 3,
        text: "  set t0 = now;",
    },
    SourceSite {
        file: "mg1.sq",
        line: 19,
        col: 3,
        text: "  run server (~h2(s, cv2));",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("mg1.sq", r"// M/G/1: Poisson arrivals, one server, a service time S of any law, here a mixture of short and long requests.
//
// Pollaczek-Khinchine (Kleinrock, Queueing Systems I, 1975, section 5.6), rho = lambda * E[S] < 1:
//   wait      E[W] = lambda * E[S^2] / (2 * (1 - rho))
//   response  E[T] = E[W] + E[S]
//   present   E[N] = lambda * E[T]                               (Little)
// S is hyperexponential with mean s and squared coefficient of variation cv2, so E[S^2] = (1 + cv2) * s^2.
// As written: rho = 0.7, E[S^2] = 5, E[W] = 5.8333, E[T] = 6.8333, E[N] = 4.7833.
let lambda = 0.7;  // arrivals per second
let s = 1;         // mean service time, s
let cv2 = 4;       // squared coefficient of variation of the service time, at least 1

stage server : fifo;

workload { arrive poisson(lambda); }

session {
  set t0 = now;
  run server (~h2(s, cv2));
  observe response = now - t0;
}

gauge present = queue(server);

run { horizon 200000; warmup 1000; }
"),
];
