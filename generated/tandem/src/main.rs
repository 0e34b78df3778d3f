//! tandem: a serQ program as native code.
//!
//! Emitted by serqc from tandem.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let lambda = 0.5;`: arrivals per second
    pub lambda: f64,
    /// `let s1 = 1;`: mean service time of the first stage, s
    pub s1: f64,
    /// `let s2 = 1.5;`: mean service time of the second stage, s
    pub s2: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            lambda: values[0],
            s1: values[1],
            s2: values[2],
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
    /// `stage first : fifo;`
    pub first: Fifo,
    /// `stage second : fifo;`
    pub second: Fifo,
}

/// A session's attributes.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// `t0`
    pub t0: f64,
    /// `t1`
    pub t1: f64,
}

#[allow(unused_variables)]
impl Model {
    /// What a session brings when it is created.
    fn start_session(&mut self, s: Sid) {}
    /// What a turn asks for.
    fn draw_turn(&mut self, s: Sid) {}
    #[inline]
    fn start(&mut self, s: Sid) -> Next {
        // set t0 = now;                                                          tandem.sq:18
        self.attrs[s as usize].t0 = self.k.now;
        // run first (~exp(s1));                                                  tandem.sq:19
        let work = {
            let amount = self.k.session_rng(s).exp(self.params.s1);
            self.k.work(amount, s, 0)
        };
        self.k.control_mut(s).at = at::AFTER_FIRST;
        let stage = StageAt::<{ stages::FIRST }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
        Next::Wait
    }

    #[inline]
    fn after_first(&mut self, s: Sid) -> Next {
        let attrs = &mut self.attrs[s as usize];
        // observe at_first = now - t0;                                           tandem.sq:20
        self.k.observe(0, s, self.k.now - attrs.t0);
        // set t1 = now;                                                          tandem.sq:21
        attrs.t1 = self.k.now;
        // run second (~exp(s2));                                                 tandem.sq:22
        let work = {
            let amount = self.k.session_rng(s).exp(self.params.s2);
            self.k.work(amount, s, 2)
        };
        self.k.control_mut(s).at = at::AFTER_SECOND;
        let stage = StageAt::<{ stages::SECOND }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
        Next::Wait
    }

    #[inline]
    fn after_second(&mut self, s: Sid) -> Next {
        let attrs = &self.attrs[s as usize];
        // observe at_second = now - t1;                                          tandem.sq:23
        self.k.observe(1, s, self.k.now - attrs.t1);
        // observe response = now - t0;                                           tandem.sq:24
        self.k.observe(2, s, self.k.now - attrs.t0);
        end_session(self, s);
        Next::Wait
    }

    /// Runs session `s` from where it is until it waits or ends: no state goes on in another at once.
    #[inline]
    fn advance(&mut self, s: Sid) {
        match self.k.control(s).at {
            at::START => self.start(s),
            at::AFTER_FIRST => self.after_first(s),
            at::AFTER_SECOND => self.after_second(s),
            _ => Next::Wait,
        };
    }
}

#[allow(unused_variables)]
impl World for Model {
    const NAME: &'static str = "tandem";
    const POOLS: &'static [PoolSpec] = &[];
    const STAGES: &'static [StageSpec] = &[
        StageSpec {
            name: "first",
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
        StageSpec {
            name: "second",
            single: true,
            kind: StageType::Fifo,
            exclusive: false,
            only: false,
            serve_keys: 0,
            memory: None,
            serves: &[],
            plannable: false,
            cost_site: 0,
            dirty: 2,
            kept: 0,
        },
    ];
    const HOLDS: &'static [HoldSpec] = &[];
    const SITES: &'static [SourceSite] = SITES;
    const WAITS: &'static [(u32, u32)] = &[
        (at::START, 10),
        (at::AFTER_FIRST, 11),
        (at::AFTER_SECOND, 12),
    ];
    const ARRIVE_SITE: u32 = 7;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "lambda",
            default: "0.5",
            comment: "arrivals per second",
        },
        ParamSpec {
            name: "s1",
            default: "1",
            comment: "mean service time of the first stage, s",
        },
        ParamSpec {
            name: "s2",
            default: "1.5",
            comment: "mean service time of the second stage, s",
        },
    ];
    const OBSERVES: &'static [&'static str] = &["at_first", "at_second", "response"];
    const GAUGES: &'static [&'static str] = &["present_first", "present_second"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    const ONE_SERVER: &'static [u16] = &[stages::FIRST, stages::SECOND];
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 0.5,
            1 => 1.0,
            2 => 1.5,
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
        check(!p.lambda.is_nan(), "S162", "a `let` is not a number", 4u32, &mut refused);
        check(!p.s1.is_nan(), "S162", "a `let` is not a number", 5u32, &mut refused);
        check(!p.s2.is_nan(), "S162", "a `let` is not a number", 6u32, &mut refused);
        check(
            !p.lambda.is_nan(),
            "S162",
            "an arrival rate is not a number",
            7u32,
            &mut refused,
        );
        check(
            p.lambda > 0.0 && p.lambda < f64::INFINITY,
            "S185",
            "the arrival rate is not a finite number above 0",
            7u32,
            &mut refused,
        );
        check(
            p.s1 >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            0u32,
            &mut refused,
        );
        check(
            p.s2 >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            2u32,
            &mut refused,
        );
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Model {
            k: Kernel::new(settings, None),
            first: Fifo::new(1.0, settings),
            second: Fifo::new(1.0, settings),
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
            stages::FIRST => 1,
            stages::SECOND => 1,
            _ => 0,
        }
    }

    #[inline]
    fn fifo(&self, at: impl AtStage) -> &Fifo {
        let key = at.key();
        match key.family {
            stages::FIRST => &self.first,
            _ => &self.second,
        }
    }

    #[inline]
    fn fifo_mut(&mut self, at: impl AtStage) -> &mut Fifo {
        let key = at.key();
        match key.family {
            stages::FIRST => &mut self.first,
            _ => &mut self.second,
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

    #[inline]
    fn on_station<O: OnStage<Self>>(&mut self, stage: StageKey, op: O) -> O::Out {
        match stage.family {
            stages::FIRST => op.run(self, StageAt::<{ stages::FIRST }>(stage.member)),
            _ => op.run(self, StageAt::<{ stages::SECOND }>(stage.member)),
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
        // gauge present_first = queue(first);                                    tandem.sq:27
        let value = stage_queue(self, StageAt::<{ stages::FIRST }>::new(0));
        self.k.set_gauge(0, value);
    }

    #[inline]
    fn read_gauges_1(&mut self) {
        // gauge present_second = queue(second);                                  tandem.sq:28
        let value = stage_queue(self, StageAt::<{ stages::SECOND }>::new(0));
        self.k.set_gauge(1, value);
    }
}

/// Pool families, in declaration order.
#[allow(dead_code)]
mod pools {}
/// Stage families, in declaration order.
#[allow(dead_code)]
mod stages {
    /// `first`
    pub const FIRST: u16 = 0;
    /// `second`
    pub const SECOND: u16 = 1;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {}
/// Where a session goes on.
#[allow(dead_code)]
mod at {
    /// start
    pub const START: u32 = 0;
    /// after first
    pub const AFTER_FIRST: u32 = 1;
    /// after second
    pub const AFTER_SECOND: u32 = 2;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "tandem.sq",
        line: 19,
        col: 14,
        text: "  run first (~exp(s1));",
    },
    SourceSite {
        file: "tandem.sq",
        line: 19,
        col: 7,
        text: "  run first (~exp(s1));",
    },
    SourceSite {
        file: "tandem.sq",
        line: 22,
        col: 15,
        text: "  run second (~exp(s2));",
    },
    SourceSite {
        file: "tandem.sq",
        line: 22,
        col: 7,
        text: "  run second (~exp(s2));",
    },
    SourceSite {
        file: "tandem.sq",
        line: 8,
        col: 14,
        text: "let lambda = 0.5;  // arrivals per second",
    },
    SourceSite {
        file: "tandem.sq",
        line: 9,
        col: 10,
        text: "let s1 = 1;        // mean service time of the first stage, s",
    },
    SourceSite {
        file: "tandem.sq",
        line: 10,
        col: 10,
        text: "let s2 = 1.5;      // mean service time of the second stage, s",
    },
    SourceSite {
        file: "tandem.sq",
        line: 15,
        col: 27,
        text: "workload { arrive poisson(lambda); }",
    },
    SourceSite {
        file: "tandem.sq",
        line: 27,
        col: 29,
        text: "gauge present_first = queue(first);",
    },
    SourceSite {
        file: "tandem.sq",
        line: 28,
        col: 30,
        text: "gauge present_second = queue(second);",
    },
    SourceSite {
        file: "tandem.sq",
        line: 18,
        col: 3,
        text: "  set t0 = now;",
    },
    SourceSite {
        file: "tandem.sq",
        line: 19,
        col: 3,
        text: "  run first (~exp(s1));",
    },
    SourceSite {
        file: "tandem.sq",
        line: 22,
        col: 3,
        text: "  run second (~exp(s2));",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("tandem.sq", r"// Two M/M/1 queues in tandem: what leaves the first arrives at the second.
//
// Burke's theorem (Operations Research 4(6), 1956): the departures of a stationary M/M/1 are Poisson again, so each
// stage is an M/M/1 of its own, and with rho_i = lambda * s_i < 1
//   response  E[T] = s1 / (1 - rho_1) + s2 / (1 - rho_2)
//   present   E[N_i] = rho_i / (1 - rho_i), the two independent of each other
// As written: rho = 0.5 and 0.75, E[T] = 2 + 6 = 8, E[N] = 1 and 3.
let lambda = 0.5;  // arrivals per second
let s1 = 1;        // mean service time of the first stage, s
let s2 = 1.5;      // mean service time of the second stage, s

stage first : fifo;
stage second : fifo;

workload { arrive poisson(lambda); }

session {
  set t0 = now;
  run first (~exp(s1));
  observe at_first = now - t0;
  set t1 = now;
  run second (~exp(s2));
  observe at_second = now - t1;
  observe response = now - t0;
}

gauge present_first = queue(first);
gauge present_second = queue(second);

run { horizon 200000; warmup 1000; }
"),
];
