//! A deployment written by hand against the runtime: one pool, one engine with memory, one fifo stage.
//!
//! It stands for what the compiler emits. Three programs run on it: runs that wait to grow, with the
//! exact numbers that follow from the rules; an M/M/1 queue, against theory; and long decodes, which
//! must come out the same to the byte whether iterations are planned in runs or one by one.

use serq_runtime::prelude::*;

/// Which of the programs.
#[derive(Clone, Copy, PartialEq)]
enum Program {
    /// Two sessions grow in blocks while a third one holds half of the pool for 1.5 s.
    Growing,
    /// Poisson arrivals at a rate that is given, exponential work of mean 1.
    Queue,
    /// A session every 0.7 s decodes for long.
    Decoding,
}

struct Model {
    k: Kernel,
    program: Program,
    rate: f64,
    attrs: Vec<()>,
    kv: Pool<()>,
    engine: Engine,
    desk: Fifo,
}

const KV: PoolKey = PoolKey { family: 0, member: 0 };
const ENGINE: StageKey = StageKey { family: 0, member: 0 };
const DESK: StageKey = StageKey { family: 1, member: 0 };
const NO_STAGE: StageSpec = StageSpec {
    name: "desk",
    single: true,
    kind: StageType::Fifo,
    exclusive: false,
    only: false,
    serve_keys: 0,
    memory: None,
    serves: &[],
    plannable: false,
    cost_site: 0,
    dirty: 0,
    kept: 0,
};

impl World for Model {
    const NAME: &'static str = "by hand";
    const POOLS: &'static [PoolSpec] = &[PoolSpec {
        name: "kv",
        single: true,
        cached: true,
        blocks: true,
        grows: true,
        lifo: false,
        queue_keys: 0,
        steady_keys: true,
        evict_keys: 0,
        spills: false,
        via: None,
        memory_of: &[0],
        dirty: [1, 0, 0],
        kept: [0; 4],
    }];
    const STAGES: &'static [StageSpec] = &[
        StageSpec {
            name: "E",
            kind: StageType::Step,
            memory: Some((0, true)),
            plannable: true,
            cost_site: 0,
            ..NO_STAGE
        },
        NO_STAGE,
    ];
    const HOLDS: &'static [HoldSpec] = &[
        HoldSpec {
            claims: 1,
            pools: &[0],
            caches: true,
            plain_cache: true,
            leases: None,
            reuses: false,
            steady: &[],
            checked: &[false],
            body: 10,
            site: 0,
        },
        HoldSpec {
            claims: 1,
            pools: &[0],
            caches: false,
            plain_cache: false,
            leases: None,
            reuses: false,
            steady: &[],
            checked: &[false],
            body: 20,
            site: 0,
        },
    ];
    const SITES: &'static [SourceSite] =
        &[SourceSite { file: "hand.sq", line: 1, col: 1, text: "hold" }];
    const PARAMS: &'static [ParamSpec] = &[];
    const OBSERVES: &'static [&'static str] = &["freed", "done", "cached"];
    const GAUGES: &'static [&'static str] = &["used"];
    const ENTRY_ATTRS: bool = false;
    const RESTLESS: bool = false;
    type Attrs = ();

    fn param(_: usize, _: &mut dyn FnMut(usize) -> f64) -> f64 {
        0.0
    }
    fn new(values: &[f64], settings: &Settings) -> Result<Self, Vec<Refusal>> {
        let program = match values[0] {
            0.0 => Program::Growing,
            1.0 => Program::Queue,
            _ => Program::Decoding,
        };
        let cap = if program == Program::Growing { 8.0 } else { 200.0 };
        Ok(Model {
            k: Kernel::new(settings, None),
            program,
            rate: values[1],
            attrs: Vec::new(),
            kv: Pool::new(cap, 2.0, settings),
            engine: Engine::new(settings),
            desk: Fifo::new(1.0, settings),
        })
    }
    fn run_defaults(_: &[f64]) -> RunDefaults {
        RunDefaults::default()
    }
    fn kernel(&self) -> &Kernel {
        &self.k
    }
    fn kernel_mut(&mut self) -> &mut Kernel {
        &mut self.k
    }
    fn pool_count(&self, _: usize) -> usize {
        1
    }
    fn pool(&self, _: impl AtPool) -> &Pool<()> {
        &self.kv
    }
    fn pool_mut(&mut self, _: impl AtPool) -> &mut Pool<()> {
        &mut self.kv
    }
    fn pool_and_kernel(&mut self, _: impl AtPool) -> (&mut Pool<()>, &mut Kernel) {
        (&mut self.kv, &mut self.k)
    }
    fn stage_count(&self, _: usize) -> usize {
        1
    }
    fn fifo(&self, _: impl AtStage) -> &Fifo {
        &self.desk
    }
    fn fifo_mut(&mut self, _: impl AtStage) -> &mut Fifo {
        &mut self.desk
    }
    fn ps(&self, _: impl AtStage) -> &Ps {
        unreachable!("no ps stage")
    }
    fn ps_mut(&mut self, _: impl AtStage) -> &mut Ps {
        unreachable!("no ps stage")
    }
    fn delay(&self, _: impl AtStage) -> &Delay {
        unreachable!("no delay stage")
    }
    fn delay_mut(&mut self, _: impl AtStage) -> &mut Delay {
        unreachable!("no delay stage")
    }
    fn engine(&self, _: impl AtStage) -> &Engine {
        &self.engine
    }
    fn engine_mut(&mut self, _: impl AtStage) -> &mut Engine {
        &mut self.engine
    }
    fn engine_parts(
        &mut self,
        _: impl AtStage,
    ) -> (&mut Engine, Option<&mut Pool<()>>, &mut Kernel) {
        (&mut self.engine, Some(&mut self.kv), &mut self.k)
    }
    fn link(&self, _: impl AtStage) -> &Link {
        unreachable!("no shared stage")
    }
    fn link_mut(&mut self, _: impl AtStage) -> &mut Link {
        unreachable!("no shared stage")
    }
    fn attrs(&self, s: Sid) -> &() {
        &self.attrs[s as usize]
    }
    fn attrs_mut(&mut self, s: Sid) -> &mut () {
        self.attrs.resize(self.attrs.len().max(s as usize + 1), ());
        &mut self.attrs[s as usize]
    }

    fn arrivals(&self) -> Arrivals {
        match self.program {
            Program::Growing => Arrivals::Batch(3.0),
            Program::Queue => Arrivals::Poisson(self.rate),
            Program::Decoding => Arrivals::Renewal,
        }
    }
    fn renewal_gap(&mut self) -> f64 {
        0.7
    }
    fn init_block(&mut self, _: Sid) {}
    fn turn_block(&mut self, _: Sid) {}

    fn resume(&mut self, s: Sid) {
        let (at, serial) = (self.k.control(s).at, self.k.control(s).b.serial);
        let now = self.k.now;
        let short = self.program == Program::Growing;
        match at {
            0 if self.program == Program::Queue => {
                self.k.control_mut(s).at = 30;
                let drawn = self.k.session_rng(s).exp(1.0);
                let work = self.k.work(drawn, s, 0);
                run_on(self, s, DESK, Mode::Prefill, work);
            }
            0 if short && serial == 2.0 => join(self, s, 1),
            0 => join(self, s, 0),
            10 => {
                self.k.control_mut(s).at = 11;
                run_growing(self, s, ENGINE, Mode::Prefill, 2.0, KV);
            }
            11 => {
                self.k.control_mut(s).at = 12;
                let work = if short { 2.0 } else { 9.0 + serial % 7.0 };
                run_growing(self, s, ENGINE, Mode::Decode, work, KV);
            }
            12 => {
                leave(self, s, 0);
                self.k.observe(1, s, now * 10.0 + serial);
                let cached = cached_in(self, KV, s);
                self.k.observe(2, s, cached);
                end_session(self, s);
            }
            20 => {
                self.k.control_mut(s).at = 21;
                run_on(self, s, DESK, Mode::Prefill, 1.5);
            }
            21 => {
                leave(self, s, 1);
                self.k.observe(0, s, now);
                end_session(self, s);
            }
            _ => end_session(self, s),
        }
    }
    fn header(&mut self, _: Sid, hold: impl AtHold) -> Header {
        let units = if hold.stmt() == 0 { 2.0 } else { 4.0 };
        let mut header = Header { reuse: f64::INFINITY, ..Header::default() };
        header.claims[0] = ClaimNow { pool: KV, units, reserve: units };
        header
    }
    fn cache_clause(&mut self, _: Sid, _: u32) -> f64 {
        99.0
    }
    fn lease_clause(&mut self, _: Sid, _: u32) -> f64 {
        0.0
    }
    fn queue_keys(&mut self, _: PoolKey, _: Sid, _: f64) -> Keys {
        Keys::default()
    }
    fn evict_keys(&mut self, _: PoolKey, _: &(), _: &EvictView) -> Keys {
        Keys::default()
    }
    fn spill(&mut self, _: PoolKey, _: &(), _: &EvictView) -> Option<(PoolKey, StageKey, f64)> {
        None
    }
    fn ps_capacity(&mut self, _: impl AtStage, _: f64) -> f64 {
        0.0
    }
    fn budget(&mut self, _: impl AtStage, _: &Totals) -> f64 {
        9.0
    }
    fn chunk(&mut self, _: impl AtStage, _: &Totals) -> f64 {
        0.0
    }
    fn cost(&mut self, _: impl AtStage, it: &Iteration) -> f64 {
        if self.program == Program::Growing {
            1.0
        } else {
            0.011 + 0.0013 * (it.kv_decode + it.kv_prefill) + 0.0007 * it.tokens
        }
    }
    fn serve_keys(&mut self, _: impl AtStage, _: &Totals, _: &Resident) -> Keys {
        Keys::default()
    }
    fn only(&mut self, _: impl AtStage, _: &Totals, _: &Resident) -> bool {
        true
    }
    fn read_gauges(&mut self, _: u64) {
        let used = self.kv.used;
        self.k.set_gauge(0, used);
    }
}

fn settings(horizon: f64, warmup: f64) -> Settings {
    Settings {
        seed: 1,
        horizon,
        warmup,
        arrivals: None,
        trace: None,
        samples: true,
        strict: false,
        plain_engine: false,
        look: Default::default(),
    }
}

/// Rows without the wall time.
fn run(program: f64, settings: &Settings) -> SeedReport {
    let mut report = simulate::<Model>(&[program, 0.5], settings).expect("constants are fine");
    report.run.wall_seconds = 0.0;
    report
}

#[test]
fn a_granted_growth_counts_its_tokens_once() {
    let r = run(0.0, &settings(12.0, 0.0));
    assert!(r.fault.is_none());
    let samples = |i: usize| r.observes[i].samples.clone().expect("samples were asked for");
    assert_eq!(samples(0), [(1.5, 2, 0, 1.5)]);
    assert_eq!(samples(1), [(3.5, 0, 0, 35.0), (3.5, 1, 0, 36.0)]);
    assert_eq!(samples(2), [(3.5, 0, 0, 4.0), (3.5, 1, 0, 4.0)]);
    assert_eq!(r.gauges[0].points, Some(vec![(0.0, 8.0), (3.5, 0.0)]));
    let kv = &r.pools[0];
    assert_eq!((kv.counts.admissions, kv.counts.preemptions), (3, 0));
    assert_eq!(kv.mean_used, 28.0 / 12.0);
    assert_eq!(kv.mean_cached, 68.0 / 12.0);
    let e = &r.stages[0];
    assert_eq!((e.iterations, e.completed), (3, 4));
    assert_eq!((e.prefill_only, e.decode_only, e.mixed), (1.0 / 12.0, 2.0 / 12.0, 0.0));
    assert_eq!((e.mean_decode_batch, e.mean_decode_step), (Some(2.0), Some(1.0)));
    assert_eq!((e.gaps.mean(), e.gaps.quantile(0.99)), (Some(1.25), Some(1.5)));
    assert_eq!(r.stages[1].utilization, Some(1.5 / 12.0));
}

#[test]
fn a_queue_with_exponential_work_has_the_number_that_theory_says() {
    let r = run(1.0, &settings(200_000.0, 1_000.0));
    // rho / (1 - rho) = 1 for rho = 0.5.
    assert!((r.stages[1].mean_number - 1.0).abs() < 0.05, "{}", r.stages[1].mean_number);
    assert!((r.stages[1].utilization.expect("a fifo has one") - 0.5).abs() < 0.01);
}

/// Of 40 runs at this load, how many say that the queue is unstable.
fn unstable(load: f64, horizon: f64) -> usize {
    let says = |seed: &u64| {
        let settings =
            Settings { seed: *seed, samples: false, ..settings(horizon, horizon / 10.0) };
        let report = simulate::<Model>(&[1.0, load], &settings).expect("constants are fine");
        report.saturated().is_some_and(|v| v.at == "desk")
    };
    (1..=40).filter(says).count()
}

#[test]
fn a_queue_that_never_stops_growing_is_said_to_be_unstable() {
    assert_eq!(unstable(1.2, 3_000.0), 40);
    assert!(unstable(1.1, 3_000.0) >= 34);
    assert_eq!(unstable(0.9, 3_000.0), 0);
    assert!(unstable(0.9, 1_000.0) <= 1);
    assert_eq!(unstable(0.9, 20_000.0), 0);
    assert_eq!(unstable(0.5, 1_000.0), 0);
}

#[test]
fn runs_of_iterations_are_the_same_as_single_ones_to_the_byte() {
    for (horizon, warmup) in [(40.0, 0.0), (33.3, 11.1)] {
        let runs = settings(horizon, warmup);
        let single = Settings { plain_engine: true, ..runs.clone() };
        let (a, b) = (run(2.0, &runs), run(2.0, &single));
        assert!(a.stages[0].iterations > 400);
        assert_eq!(format!("{a:?}"), format!("{b:?}"));
    }
}
