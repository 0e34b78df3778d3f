//! closed_mmn1: a serQ program as native code.
//!
//! Emitted by serqc from closed_mmn1.sq; edit that file, not this one.
#![forbid(unsafe_code)]
use serq_runtime::prelude::*;

/// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
#[derive(Clone, Debug)]
pub struct Params {
    /// `let N = 10;`: users
    pub n: f64,
    /// `let s = 1;`: mean service time, s
    pub s: f64,
    /// `let Z = 8;`: mean think time, s
    pub z: f64,
}

impl Params {
    fn from_values(values: &[f64]) -> Self {
        Params {
            n: values[0],
            s: values[1],
            z: values[2],
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
    /// `stage thinking : delay;`
    pub thinking: Delay,
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
        Next::Go(at::AGAIN)
    }

    #[inline]
    fn again(&mut self, s: Sid) -> Next {
        // run thinking (~exp(Z));                                                closed_mmn1.sq:19
        let work = {
            let amount = self.k.session_rng(s).exp(self.params.z);
            self.k.work(amount, s, 0)
        };
        self.k.control_mut(s).at = at::AFTER_THINKING;
        let stage = StageAt::<{ stages::THINKING }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
        Next::Wait
    }

    #[inline]
    fn after_thinking(&mut self, s: Sid) -> Next {
        // set t0 = now;                                                          closed_mmn1.sq:20
        self.attrs[s as usize].t0 = self.k.now;
        // run server (~exp(s));                                                  closed_mmn1.sq:21
        let work = {
            let amount = self.k.session_rng(s).exp(self.params.s);
            self.k.work(amount, s, 2)
        };
        self.k.control_mut(s).at = at::AFTER_SERVER;
        let stage = StageAt::<{ stages::SERVER }>::new(0);
        run_on(self, s, stage, Mode::Decode, work);
        Next::Wait
    }

    #[inline]
    fn after_server(&mut self, s: Sid) -> Next {
        // observe response = now - t0;                                           closed_mmn1.sq:22
        self.k.observe(0, s, self.k.now - self.attrs[s as usize].t0);
        Next::Go(at::AGAIN)
    }

    /// Runs session `s` from where it is until it waits or ends.
    #[inline]
    fn advance(&mut self, s: Sid) {
        loop {
            let next = match self.k.control(s).at {
                at::START => self.start(s),
                at::AGAIN => self.again(s),
                at::AFTER_THINKING => self.after_thinking(s),
                at::AFTER_SERVER => self.after_server(s),
                _ => Next::Wait,
            };
            match next {
                Next::Go(at) if self.k.go(s, at) => {}
                _ => return,
            }
        }
    }
}

#[allow(unused_variables)]
impl World for Model {
    const NAME: &'static str = "closed_mmn1";
    const POOLS: &'static [PoolSpec] = &[];
    const STAGES: &'static [StageSpec] = &[
        StageSpec {
            name: "thinking",
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
    const WAITS: &'static [(u32, u32)] = &[
        (at::AGAIN, 9),
        (at::AFTER_THINKING, 9),
        (at::AFTER_SERVER, 10),
    ];
    const ARRIVE_SITE: u32 = 7;
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec {
            name: "N",
            default: "10",
            comment: "users",
        },
        ParamSpec {
            name: "s",
            default: "1",
            comment: "mean service time, s",
        },
        ParamSpec {
            name: "Z",
            default: "8",
            comment: "mean think time, s",
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
            0 => 10.0,
            1 => 1.0,
            2 => 8.0,
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
        check(!p.n.is_nan(), "S162", "a `let` is not a number", 4u32, &mut refused);
        check(!p.s.is_nan(), "S162", "a `let` is not a number", 5u32, &mut refused);
        check(!p.z.is_nan(), "S162", "a `let` is not a number", 6u32, &mut refused);
        check(
            !p.n.is_nan(),
            "S162",
            "a number of sessions is not a number",
            7u32,
            &mut refused,
        );
        check(
            p.n == p.n.floor() && (p.n >= 0.0 && p.n < f64::INFINITY),
            "S187",
            "the number of sessions is not a whole number of at least 0",
            7u32,
            &mut refused,
        );
        check(
            p.n <= 10000000.0,
            "S119",
            "there are more than 10000000 sessions at once",
            7u32,
            &mut refused,
        );
        check(
            p.z >= 0.0,
            "S176",
            "nothing can be drawn with these numbers",
            0u32,
            &mut refused,
        );
        check(
            p.s >= 0.0,
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
            thinking: Delay::new(settings),
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
            stages::THINKING => 1,
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
    fn delay(&self, at: impl AtStage) -> &Delay {
        &self.thinking
    }

    #[inline]
    fn delay_mut(&mut self, at: impl AtStage) -> &mut Delay {
        &mut self.thinking
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
        Arrivals::Closed(self.params.n)
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
            stages::THINKING => {
                op.run(self, StageAt::<{ stages::THINKING }>(stage.member))
            }
            _ => op.run(self, StageAt::<{ stages::SERVER }>(stage.member)),
        }
    }

    #[inline]
    fn read_gauges(&mut self, dirty: u64) {
        if dirty & 1 != 0 {
            // gauge present = queue(server);                                         closed_mmn1.sq:26
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
    /// `thinking`
    pub const THINKING: u16 = 0;
    /// `server`
    pub const SERVER: u16 = 1;
}

/// Hold statements.
#[allow(dead_code)]
mod holds {}
/// Where a session goes on.
#[allow(dead_code)]
mod at {
    /// start
    pub const START: u32 = 0;
    /// again
    pub const AGAIN: u32 = 1;
    /// after thinking
    pub const AFTER_THINKING: u32 = 2;
    /// after server
    pub const AFTER_SERVER: u32 = 3;
}

/// Places in the source that errors of a run point at.
const SITES: &[SourceSite] = &[
    SourceSite {
        file: "closed_mmn1.sq",
        line: 19,
        col: 19,
        text: "    run thinking (~exp(Z));",
    },
    SourceSite {
        file: "closed_mmn1.sq",
        line: 19,
        col: 9,
        text: "    run thinking (~exp(Z));",
    },
    SourceSite {
        file: "closed_mmn1.sq",
        line: 21,
        col: 17,
        text: "    run server (~exp(s));",
    },
    SourceSite {
        file: "closed_mmn1.sq",
        line: 21,
        col: 9,
        text: "    run server (~exp(s));",
    },
    SourceSite {
        file: "closed_mmn1.sq",
        line: 8,
        col: 9,
        text: "let N = 10;  // users",
    },
    SourceSite {
        file: "closed_mmn1.sq",
        line: 9,
        col: 9,
        text: "let s = 1;   // mean service time, s",
    },
    SourceSite {
        file: "closed_mmn1.sq",
        line: 10,
        col: 9,
        text: "let Z = 8;   // mean think time, s",
    },
    SourceSite {
        file: "closed_mmn1.sq",
        line: 15,
        col: 26,
        text: "workload { arrive closed(N); }",
    },
    SourceSite {
        file: "closed_mmn1.sq",
        line: 26,
        col: 23,
        text: "gauge present = queue(server);",
    },
    SourceSite {
        file: "closed_mmn1.sq",
        line: 19,
        col: 5,
        text: "    run thinking (~exp(Z));",
    },
    SourceSite {
        file: "closed_mmn1.sq",
        line: 21,
        col: 5,
        text: "    run server (~exp(s));",
    },
];
fn main() -> std::process::ExitCode {
    serq_runtime::cli::main::<Model>(SOURCES)
}

/// The program, for results to say what made them.
const SOURCES: &[(&str, &str)] = &[
    ("closed_mmn1.sq", r"// M/M/1//N, the machine repair model: N users think, then send one request to a single server and wait for it.
//
// Mean value analysis (Reiser and Lavenberg, J. ACM 27(2), 1980), exact here; Q(0) = 0, and for n = 1 … N
//   response    R(n) = s * (1 + Q(n - 1))
//   throughput  X(n) = n / (R(n) + Z)
//   present     Q(n) = X(n) * R(n)
// As written: N = 10, s = 1, Z = 8: X(N) = 0.8783 requests/s, R(N) = 3.3851 s, Q(N) = 2.9733.
let N = 10;  // users
let s = 1;   // mean service time, s
let Z = 8;   // mean think time, s

stage thinking : delay;
stage server : fifo;

workload { arrive closed(N); }

session {
  loop {
    run thinking (~exp(Z));
    set t0 = now;
    run server (~exp(s));
    observe response = now - t0;
  }
}

gauge present = queue(server);

run { horizon 100000; warmup 1000; }
"),
];
