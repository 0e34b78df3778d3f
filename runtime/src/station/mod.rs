//! Stages: where time passes. What all kinds share, and the statements and readings that go to any.

pub(crate) mod delay;
pub(crate) mod fifo;
pub(crate) mod ps;

pub use crate::flows::Link;
pub use delay::Delay;
pub use fifo::Fifo;
pub use ps::Ps;

use crate::{
    engine,
    fault::FaultKind,
    flows,
    hold::grow_along,
    kernel::{Job, Kernel, NONE, whole::float},
    settings::Settings,
    stats::TimeAverage,
    uses::Uses,
    world::{AtPool, AtStage, OnStage, Sid, StageKey, StageSpec, StageType, World},
};

/// Mode of a run on a step engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// As many tokens as budget and chunk allow.
    #[default]
    Prefill,
    /// One token per iteration.
    Decode,
}

/// Weight of the newest value in the estimates.
const WEIGHT: f64 = 0.01;

/// What every stage keeps: how many are there, what completed, and the online estimates.
#[derive(Clone, Debug)]
pub(crate) struct Measures {
    pub present: TimeAverage,
    pub completed: u64,
    pub waits: f64,
    pub services: f64,
    last_start: f64,
    gap: f64,
    service: f64,
    wait: f64,
}

impl Measures {
    pub fn new(settings: &Settings) -> Self {
        Self {
            present: TimeAverage::new(settings.warmup),
            completed: 0,
            waits: 0.0,
            services: 0.0,
            last_start: f64::NAN,
            gap: f64::NAN,
            service: f64::NAN,
            wait: f64::NAN,
        }
    }

    /// So many jobs are there now.
    #[inline]
    pub fn set_jobs(&mut self, now: f64, jobs: usize) {
        self.present.set_finite(now, float(jobs as u64));
    }

    /// A job more is there now.
    #[inline]
    pub fn one_more(&mut self, now: f64) {
        self.present.step(now, 1.0);
    }

    /// A job less is there now.
    #[inline]
    pub fn one_less(&mut self, now: f64) {
        self.present.step(now, -1.0);
    }

    /// Its part for the report.
    #[inline]
    pub fn count(&mut self, now: f64, arrived: f64, started: f64, measured: bool) {
        if measured {
            self.completed += 1;
            self.waits += started - arrived;
            self.services += now - started;
        }
    }

    /// Its part for the estimates.
    #[inline]
    pub fn estimate(&mut self, now: f64, arrived: f64, started: f64) {
        let (wait, service) = (started - arrived, now - started);
        if !self.last_start.is_nan() {
            average(&mut self.gap, started - self.last_start);
        }
        self.last_start = started;
        average(&mut self.service, service);
        average(&mut self.wait, wait);
    }

    fn lambda(&self) -> f64 {
        if self.gap.is_nan() || self.gap == 0.0 { 0.0 } else { 1.0 / self.gap }
    }

    fn rho(&self) -> f64 {
        (self.lambda() * or_zero(self.service)).min(0.99)
    }
}

/// Exponential moving average; the first value as it is.
#[inline]
fn average(into: &mut f64, x: f64) {
    *into = if into.is_nan() { x } else { (1.0 - WEIGHT) * *into + WEIGHT * x };
}

fn or_zero(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x }
}

/// What is known of the stage when the program is compiled.
#[inline]
pub(crate) fn spec<W: World>(at: impl AtStage) -> &'static StageSpec {
    &W::STAGES[at.key().family as usize]
}

/// The stage's slot of the clock, which is told where the program does not say it.
#[inline]
pub(crate) fn slot<W: World>(at: impl AtStage, told: usize) -> usize {
    match Uses::<W>::SINGLE {
        true => Uses::<W>::FIRST_SLOTS.len() + at.key().family as usize,
        false => told,
    }
}

/// The stage's number among all, which is told where the program does not say it.
#[inline]
pub(crate) fn flat<W: World>(at: impl AtStage, told: usize) -> usize {
    match Uses::<W>::SINGLE {
        true => at.key().family as usize,
        false => told,
    }
}

/// Something that gauges and choices may read of the stage has changed.
#[inline]
pub(crate) fn changed<W: World>(k: &mut Kernel, stage: impl AtStage) {
    let spec = spec::<W>(stage);
    k.note_change(spec.dirty, spec.kept, stage.key().member);
}

/// What every stage keeps, of this one.
#[inline]
pub(crate) fn measures<W: World>(w: &W, key: impl AtStage) -> &Measures {
    match spec::<W>(key).kind {
        StageType::Fifo => &w.fifo(key).measures,
        StageType::Ps => &w.ps(key).measures,
        StageType::Delay => &w.delay(key).measures,
        StageType::Step => &w.engine(key).measures,
        StageType::Link => w.kernel().flows.measures(w.link(key).number),
    }
}

/// `run` on one stage: the session waits until `work` is done (amounts were checked before). Work of 0 only yields.
#[inline]
pub fn run_on<W: World>(w: &mut W, s: Sid, stage: impl AtStage, mode: Mode, work: f64) {
    run(w, s, stage, mode, work, NONE);
}

/// As [`run_on`]; the innermost hold of `pool` grows with the run.
#[inline]
pub fn run_growing<W: World>(
    w: &mut W,
    s: Sid,
    stage: impl AtStage,
    mode: Mode,
    work: f64,
    pool: impl AtPool,
) {
    let alloc = grow_along(w, s, pool);
    run(w, s, stage, mode, work, alloc);
}

#[inline]
fn run<W: World>(w: &mut W, s: Sid, stage: impl AtStage, mode: Mode, work: f64, alloc: u32) {
    if w.kernel().has_fault() {
        return;
    }
    // It is not negative.
    let some = work > 0.0;
    if !some {
        w.kernel_mut().make_ready(s);
        return;
    }
    match spec::<W>(stage).kind {
        StageType::Step if Uses::<W>::STEP => {
            engine::begin(w, s, stage, mode == Mode::Decode, work, alloc);
        }
        StageType::Link if Uses::<W>::LINK => flows::begin(w, s, [stage.key()], work),
        StageType::Fifo if Uses::<W>::FIFO => fifo::begin(w, s, stage, work),
        StageType::Ps if Uses::<W>::PS => ps::begin(w, s, stage, work),
        StageType::Delay if Uses::<W>::DELAY => delay::begin(w, s, stage, work),
        _ => {}
    }
}

/// `run` over several stages at once: one flow that holds all of them.
#[inline(always)]
pub fn run_flow<W: World, const N: usize>(
    w: &mut W,
    s: Sid,
    stages: &[StageKey; N],
    work: f64,
    site: u32,
) {
    // Of families that differ this is known when the program is compiled.
    let mut twice = false;
    for i in 1..N {
        for j in 0..i {
            twice |= stages[i] == stages[j];
        }
    }
    if twice {
        w.kernel_mut().raise(FaultKind::Twice, Some(site), Some(s));
    }
    if w.kernel().has_fault() {
        return;
    }
    if work == 0.0 {
        w.kernel_mut().make_ready(s);
        return;
    }
    flows::begin(w, s, *stages, work);
}

/// A read whose `work` is divided among the NICs of both its ends: the first one of each, and how many there are, of
/// which the one number divides by the other.
///
/// Each NIC of the end that has more moves an equal part, those of one NIC of the other end beside each other, as ranks
/// of tensor parallelism read their own heads. The session goes on when the last part is there.
pub fn run_fan<W: World>(w: &mut W, s: Sid, ends: [(StageKey, usize); 2], work: f64) {
    if w.kernel().has_fault() {
        return;
    }
    if work == 0.0 {
        w.kernel_mut().make_ready(s);
        return;
    }
    flows::begin_fan(w, s, ends, work);
}

/// Load that belongs to no session: a spilled piece on its way.
pub(crate) fn load<W: World>(w: &mut W, stage: StageKey, work: f64) {
    match spec::<W>(stage).kind {
        StageType::Fifo => fifo::begin(w, NONE, stage, work),
        StageType::Ps => ps::begin(w, NONE, stage, work),
        StageType::Delay => delay::begin(w, NONE, stage, work),
        StageType::Link => flows::begin(w, NONE, [stage], work),
        // An engine runs sessions' tokens only.
        StageType::Step => {}
    }
}

/// Takes the session's job off its stage, uncounted, if it has one.
pub(crate) fn leave<W: World>(w: &mut W, s: Sid) {
    let job = std::mem::replace(&mut w.kernel_mut().control_mut(s).job, Job::None);
    match job {
        Job::None => {}
        Job::Engine(stage, _) if Uses::<W>::STEP => engine::leave(w, s, stage),
        Job::Flow(order) if Uses::<W>::LINK => flows::leave(w.kernel_mut(), order),
        Job::Station(stage, id) => match spec::<W>(stage).kind {
            StageType::Fifo if Uses::<W>::FIFO => fifo::leave(w, stage, id),
            StageType::Ps if Uses::<W>::PS => ps::leave(w, stage, id),
            StageType::Delay if Uses::<W>::DELAY => delay::leave(w, stage, id),
            _ => {}
        },
        Job::Engine(..) | Job::Flow(_) => {}
    }
}

/// A job at a fifo, ps or delay stage ends; the session that goes on.
pub(crate) struct End;

impl<W: World> OnStage<W> for End {
    type Out = Sid;
    #[inline]
    fn run(self, w: &mut W, at: impl AtStage) -> Sid {
        match spec::<W>(at).kind {
            StageType::Fifo if Uses::<W>::FIFO => fifo::end(w, at),
            StageType::Ps if Uses::<W>::PS => ps::end(w, at),
            StageType::Delay if Uses::<W>::DELAY => delay::end(w, at),
            _ => NONE,
        }
    }
}

/// A job that arrived at a stage and started then completes now.
#[inline]
pub(crate) fn complete<W: World>(
    m: &mut Measures,
    now: f64,
    arrived: f64,
    started: f64,
    measured: bool,
) {
    m.count(now, arrived, started, measured);
    if W::ESTIMATES {
        m.estimate(now, arrived, started);
    }
}

/// The session (if any) has a job at a fifo, ps or delay stage.
#[inline]
fn note_job<W: World>(w: &mut W, s: Sid, stage: StageKey, id: u32) {
    // Only who takes it away asks for it.
    if Uses::<W>::LEAVES
        && let Some(c) = w.kernel_mut().sessions.get_mut(s as usize)
    {
        c.job = Job::Station(stage, id);
    }
}

/// The session (if any) whose job is done, which goes on.
#[inline]
pub(crate) fn done<W: World>(w: &mut W, s: Sid) -> Sid {
    if (Uses::<W>::LEAVES || Uses::<W>::LINK) && s != NONE {
        w.kernel_mut().control_mut(s).job = Job::None;
    }
    s
}

// ---- readings ----

/// `queue(stage)`: jobs present.
#[inline]
pub fn stage_queue<W: World>(w: &W, stage: impl AtStage) -> f64 {
    measures(w, stage).present.value()
}

/// `busy(stage)`: jobs in service.
#[inline]
pub fn stage_busy<W: World>(w: &W, stage: impl AtStage) -> f64 {
    match spec::<W>(stage).kind {
        StageType::Fifo => w.fifo(stage).busy() as f64,
        StageType::Step => engine::busy(w, stage),
        StageType::Ps | StageType::Delay | StageType::Link => stage_queue(w, stage),
    }
}

/// `work(stage)`: work that is left, in the stage's unit.
#[inline]
pub fn stage_work<W: World>(w: &W, stage: impl AtStage) -> f64 {
    let now = w.kernel().now;
    match spec::<W>(stage).kind {
        StageType::Fifo => w.fifo(stage).work(now),
        StageType::Ps => w.ps(stage).work(now),
        StageType::Delay => w.delay(stage).work(now),
        StageType::Step => engine::work(w, stage),
        StageType::Link => flows::work(w, stage.key()),
    }
}

/// `est_lambda(stage)`: estimated rate of service starts.
pub fn est_lambda<W: World>(w: &W, stage: impl AtStage) -> f64 {
    measures(w, stage).lambda()
}

/// `est_rho(stage)`: estimated load offered to one server, at most 0.99.
pub fn est_rho<W: World>(w: &W, stage: impl AtStage) -> f64 {
    measures(w, stage).rho()
}

/// `est_wait(stage)`: estimated wait.
pub fn est_wait<W: World>(w: &W, stage: impl AtStage) -> f64 {
    or_zero(measures(w, stage).wait)
}

/// `price(stage, hit, ds)`: what a request of `ds` more units after `hit` costs the others and itself:
/// ds + λ ((hit + ds)² - hit²) / (2 (1 - ρ)) + λ W ds / (1 - ρ).
pub fn price<W: World>(w: &W, stage: impl AtStage, hit: f64, ds: f64) -> f64 {
    let m = measures(w, stage);
    let (lambda, rho, wait) = (m.lambda(), m.rho(), or_zero(m.wait));
    let all = hit + ds;
    ds + lambda * (all * all - hit * hit) / (2.0 * (1.0 - rho)) + lambda * wait * ds / (1.0 - rho)
}
