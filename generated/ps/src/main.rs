//! ps: a serQ program as native code.
//!
//! Emitted by serqc from ps.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let lambda = 0.8;`: arrivals per second at each server
    pub lambda: f64,
    /// `let s = 1;`: mean amount of work, s on an idle server
    pub s: f64,
    /// `let cv2 = 4;`: squared coefficient of variation of the variable amounts
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
    /// `stage even : ps(1);`
    pub even: Ps,
    /// `stage uneven : ps(1);`
    pub uneven: Ps,
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
        // set t0 = now;                                                          ps.sq:19
        self.attrs[s as usize].t0 = self.k.now;
        // branch with (0.5) {                                                    ps.sq:20
        if self.k.session_rng(s).bernoulli(0.5) != 0.0 {
            // run even (~det(s));                                                    ps.sq:21
            let work = self.k.work(self.params.s, s, 0);
            self.k.control_mut(s).at = at::AFTER_EVEN;
            let stage = StageAt::<{ stages::EVEN }>::new(0);
            run_on(self, s, stage, Mode::Decode, work);
            Next::Wait
        } else {
            // run uneven (~h2(s, cv2));                                              ps.sq:24
            let work = {
                let amount = self.k.session_rng(s).h2(self.params.s, self.params.cv2);
                self.k.work(amount, s, 2)
            };
            self.k.control_mut(s).at = at::AFTER_UNEVEN;
            let stage = StageAt::<{ stages::UNEVEN }>::new(0);
            run_on(self, s, stage, Mode::Decode, work);
            Next::Wait
        }
    }

    #[inline]
    fn after_even(&mut self, s: Sid) -> Next {
        // observe constant = now - t0;                                           ps.sq:22
        self.k.observe(0, s, self.k.now - self.attrs[s as usize].t0);
        Next::Go(at::MEET)
    }

    #[inline]
    fn after_uneven(&mut self, s: Sid) -> Next {
        // observe variable = now - t0;                                           ps.sq:25
        self.k.observe(1, s, self.k.now - self.attrs[s as usize].t0);
        Next::Go(at::MEET)
    }

    #[inline]
    fn meet(&mut self, s: Sid) -> Next {
        end_session(self, s);
        Next::Wait
    }

    /// Runs session `s` from where it is until it waits or ends.
    #[inline]
    fn advance(&mut self, s: Sid) {
        loop {
            let next = match self.k.control(s).at {
                at::START => self.start(s),
                at::AFTER_EVEN => self.after_even(s),
                at::AFTER_UNEVEN => self.after_uneven(s),
                at::MEET => self.meet(s),
                _ => Next::Wait,
            };
            match next {
                Next::Go(at) if self.k.go(s, at) => {}
                _ => return,
            }
        }
    }

    // stage even : ps(1);                                                    ps.sq:13
    #[inline]
    fn capacity_even(&mut self, member: usize, present: f64) -> f64 {
        1.0
    }

    // stage uneven : ps(1);                                                  ps.sq:14
    #[inline]
    fn capacity_uneven(&mut self, member: usize, present: f64) -> f64 {
        1.0
    }
}

#[allow(unused_variables)]
impl World for Model {
    const NAME: &'static str = "ps";
    const POOLS: &'static [PoolSpec] = &[];
    const STAGES: &'static [StageSpec] = &[
        StageSpec {
            name: "even",
            single: true,
            kind: StageType::Ps,
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
            name: "uneven",
            single: true,
            kind: StageType::Ps,
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
        (at::AFTER_EVEN, 11),
        (at::AFTER_UNEVEN, 12),
    ];
    const ARRIVE_SITE: u32 = 7;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "lambda",
            default: "0.8",
            comment: "arrivals per second at each server",
        },
        ParamSpec {
            name: "s",
            default: "1",
            comment: "mean amount of work, s on an idle server",
        },
        ParamSpec {
            name: "cv2",
            default: "4",
            comment: "squared coefficient of variation of the variable amounts",
        },
    ];
    const OBSERVES: &'static [&'static str] = &["constant", "variable"];
    const GAUGES: &'static [&'static str] = &["present_even", "present_uneven"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    type Attrs = Session;
    fn param(i: usize, _value: &mut dyn FnMut(usize) -> f64) -> f64 {
        match i {
            0 => 0.8,
            1 => 1.0,
            2 => 4.0,
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
        check(!p.lambda.is_nan(), "S162", "a `let` is not a number", 4u32, &mut refused);
        check(!p.s.is_nan(), "S162", "a `let` is not a number", 5u32, &mut refused);
        check(!p.cv2.is_nan(), "S162", "a `let` is not a number", 6u32, &mut refused);
        check(
            !(2.0 * p.lambda).is_nan(),
            "S162",
            "an arrival rate is not a number",
            7u32,
            &mut refused,
        );
        check(
            2.0 * p.lambda > 0.0 && 2.0 * p.lambda < f64::INFINITY,
            "S185",
            "the arrival rate is not a finite number above 0",
            7u32,
            &mut refused,
        );
        check(
            p.s >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            2u32,
            &mut refused,
        );
        check(
            p.cv2 >= 1.0,
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
            even: Ps::new(settings),
            uneven: Ps::new(settings),
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
            stages::EVEN => 1,
            stages::UNEVEN => 1,
            _ => 0,
        }
    }

    #[inline]
    fn ps(&self, at: impl AtStage) -> &Ps {
        let key = at.key();
        match key.family {
            stages::EVEN => &self.even,
            _ => &self.uneven,
        }
    }

    #[inline]
    fn ps_mut(&mut self, at: impl AtStage) -> &mut Ps {
        let key = at.key();
        match key.family {
            stages::EVEN => &mut self.even,
            _ => &mut self.uneven,
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
        Arrivals::Poisson(2.0 * self.params.lambda)
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
    fn ps_capacity(&mut self, at: impl AtStage, present: f64) -> f64 {
        match at.key().family {
            stages::EVEN => self.capacity_even(at.key().member as usize, present),
            stages::UNEVEN => self.capacity_uneven(at.key().member as usize, present),
            _ => 0.0,
        }
    }

    #[inline]
    fn on_station<O: OnStage<Self>>(&mut self, stage: StageKey, op: O) -> O::Out {
        match stage.family {
            stages::EVEN => op.run(self, StageAt::<{ stages::EVEN }>(stage.member)),
            _ => op.run(self, StageAt::<{ stages::UNEVEN }>(stage.member)),
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
        // gauge present_even = queue(even);                                      ps.sq:29
        let value = stage_queue(self, StageAt::<{ stages::EVEN }>::new(0));
        self.k.set_gauge(0, value);
    }

    #[inline]
    fn read_gauges_1(&mut self) {
        // gauge present_uneven = queue(uneven);                                  ps.sq:30
        let value = stage_queue(self, StageAt::<{ stages::UNEVEN }>::new(0));
        self.k.set_gauge(1, value);
    }
}

/// Pool families, in declaration order.
#[allow(dead_code)]
mod pools {}
/// Stage families, in declaration order.
#[allow(dead_code)]
mod stages {
    /// `even`
    pub const EVEN: u16 = 0;
    /// `uneven`
    pub const UNEVEN: u16 = 1;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {}
/// Where a session goes on.
#[allow(dead_code)]
mod at {
    /// start
    pub const START: u32 = 0;
    /// then
    pub const THEN: u32 = 1;
    /// otherwise
    pub const OTHERWISE: u32 = 2;
    /// after even
    pub const AFTER_EVEN: u32 = 3;
    /// after uneven
    pub const AFTER_UNEVEN: u32 = 4;
    /// meet
    pub const MEET: u32 = 5;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "ps.sq",
        line: 21,
        col: 15,
        text: "    run even (~det(s));",
    },
    SourceSite {
        file: "ps.sq",
        line: 21,
        col: 9,
        text: "    run even (~det(s));",
    },
    SourceSite {
        file: "ps.sq",
        line: 24,
        col: 17,
        text: "    run uneven (~h2(s, cv2));",
    },
    SourceSite {
        file: "ps.sq",
        line: 24,
        col: 9,
        text: "    run uneven (~h2(s, cv2));",
    },
    SourceSite {
        file: "ps.sq",
        line: 9,
        col: 14,
        text: "let lambda = 0.8;  // arrivals per second at each server",
    },
    SourceSite {
        file: "ps.sq",
        line: 10,
        col: 9,
        text: "let s = 1;         // mean amount of work, s on an idle server",
    },
    SourceSite {
        file: "ps.sq",
        line: 11,
        col: 11,
        text: "let cv2 = 4;       // squared coefficient of variation of the variable amounts",
    },
    SourceSite {
        file: "ps.sq",
        line: 16,
        col: 27,
        text: "workload { arrive poisson(2 * lambda); }",
    },
    SourceSite {
        file: "ps.sq",
        line: 29,
        col: 28,
        text: "gauge present_even = queue(even);",
    },
    SourceSite {
        file: "ps.sq",
        line: 30,
        col: 30,
        text: "gauge present_uneven = queue(uneven);",
    },
    SourceSite {
        file: "ps.sq",
        line: 19,
        col: 3,
        text: "  set t0 = now;",
    },
    SourceSite {
        file: "ps.sq",
        line: 21,
        col: 5,
        text: "    run even (~det(s));",
    },
    SourceSite {
        file: "ps.sq",
        line: 24,
        col: 5,
        text: "    run uneven (~h2(s, cv2));",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("ps.sq", r"// M/G/1-PS: the server divides itself equally among all that are present.
//
// Insensitivity (Kleinrock, Queueing Systems II, 1976, section 4.4): with rho = lambda * s < 1 the means depend on
// the service law through its mean alone,
//   response  E[T] = s / (1 - rho)       present  E[N] = rho / (1 - rho)
// Two equal servers are fed by equal streams; one serves constant amounts, the other very variable ones. First come
// first served would give them 3 and 11 at this load, here both have the same mean.
// As written: rho = 0.8, E[T] = 5 for `constant` and for `variable`.
let lambda = 0.8;  // arrivals per second at each server
let s = 1;         // mean amount of work, s on an idle server
let cv2 = 4;       // squared coefficient of variation of the variable amounts

stage even : ps(1);
stage uneven : ps(1);

workload { arrive poisson(2 * lambda); }

session {
  set t0 = now;
  branch with (0.5) {
    run even (~det(s));
    observe constant = now - t0;
  } else {
    run uneven (~h2(s, cv2));
    observe variable = now - t0;
  }
}

gauge present_even = queue(even);
gauge present_uneven = queue(uneven);

run { horizon 100000; warmup 1000; }
"),
];
