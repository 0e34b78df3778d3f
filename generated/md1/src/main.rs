//! md1: a serQ program as native code.
//!
//! Emitted by serqc from md1.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let lambda = 0.8;`: arrivals per second
    pub lambda: f64,
    /// `let s = 1;`: service time, s
    pub s: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            lambda: values[0],
            s: values[1],
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
        // set t0 = now;                                                          md1.sq:15
        self.attrs[s as usize].t0 = self.k.now;
        // run server (~det(s));                                                  md1.sq:16
        let work = self.k.work(self.params.s, s, 0);
        self.k.control_mut(s).at = at::AFTER_SERVER;
        let stage = StageAt::<{ stages::SERVER }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
        Next::Wait
    }

    #[inline]
    fn after_server(&mut self, s: Sid) -> Next {
        // observe response = now - t0;                                           md1.sq:17
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
    const NAME: &'static str = "md1";
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
    const WAITS: &'static [(u32, u32)] = &[(at::START, 6), (at::AFTER_SERVER, 7)];
    const ARRIVE_SITE: u32 = 4;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "lambda",
            default: "0.8",
            comment: "arrivals per second",
        },
        ParamSpec {
            name: "s",
            default: "1",
            comment: "service time, s",
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
            0 => 0.8,
            1 => 1.0,
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
        check(
            !p.lambda.is_nan(),
            "S162",
            "an arrival rate is not a number",
            4u32,
            &mut refused,
        );
        check(
            p.lambda > 0.0 && p.lambda < f64::INFINITY,
            "S185",
            "the arrival rate is not a finite number above 0",
            4u32,
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
            // gauge present = queue(server);                                         md1.sq:20
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
        file: "md1.sq",
        line: 16,
        col: 15,
        text: "  run server (~det(s));",
    },
    SourceSite {
        file: "md1.sq",
        line: 16,
        col: 7,
        text: "  run server (~det(s));",
    },
    SourceSite {
        file: "md1.sq",
        line: 7,
        col: 14,
        text: "let lambda = 0.8;  // arrivals per second",
    },
    SourceSite {
        file: "md1.sq",
        line: 8,
        col: 9,
        text: "let s = 1;         // service time, s",
    },
    SourceSite {
        file: "md1.sq",
        line: 12,
        col: 27,
        text: "workload { arrive poisson(lambda); }",
    },
    SourceSite {
        file: "md1.sq",
        line: 20,
        col: 23,
        text: "gauge present = queue(server);",
    },
    SourceSite {
        file: "md1.sq",
        line: 15,
        col: 3,
        text: "  set t0 = now;",
    },
    SourceSite {
        file: "md1.sq",
        line: 16,
        col: 3,
        text: "  run server (~det(s));",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("md1.sq", r"// M/D/1: M/G/1 with a constant service time, which halves the wait of M/M/1.
//
// With load rho = lambda * s < 1 (Pollaczek-Khinchine with variance 0; see mg1.sq):
//   wait      E[W] = rho * s / (2 * (1 - rho))
//   response  E[T] = E[W] + s
// As written: rho = 0.8, E[W] = 2, E[T] = 3.
let lambda = 0.8;  // arrivals per second
let s = 1;         // service time, s

stage server : fifo;

workload { arrive poisson(lambda); }

session {
  set t0 = now;
  run server (~det(s));
  observe response = now - t0;
}

gauge present = queue(server);

run { horizon 100000; warmup 1000; }
"),
];
