//! A program's pools and stages for what happens once per run: numbering, counts, report rows.
//!
//! The functions over [`World`] are compiled anew for every program, so that its expressions are
//! inlined into them. What is not hot goes through [`Parts`] instead, a table of functions: it is
//! compiled with the runtime, once.

use crate::{
    engine::Engine,
    flows::Link,
    kernel::Kernel,
    pool::{Averages, Pool, cache, line::Line},
    report::{PoolCounts, label},
    station::{self, Delay, Fifo, Measures, Ps},
    stats::Moments,
    world::{PoolKey, PoolSpec, SourceSite, StageKey, StageSpec, StageType, World},
};

/// What is known of a program when it is compiled.
#[derive(Clone, Copy)]
pub(crate) struct Tables {
    pub name: &'static str,
    pub pools: &'static [PoolSpec],
    pub stages: &'static [StageSpec],
    pub sites: &'static [SourceSite],
    pub waits: &'static [(u32, u32)],
    pub observes: &'static [&'static str],
    pub gauges: &'static [&'static str],
    pub quiet: &'static [(&'static str, &'static str)],
    pub nics: &'static [u16],
}

impl Tables {
    /// Those of a program.
    pub fn of<W: World>() -> Self {
        Self {
            name: W::NAME,
            pools: W::POOLS,
            stages: W::STAGES,
            sites: W::SITES,
            waits: W::WAITS,
            observes: W::OBSERVES,
            gauges: W::GAUGES,
            quiet: W::QUIET,
            nics: W::NICS,
        }
    }

    /// What reports call a stage: `D[2].nic`; where a member has several NICs, `D.nic[2]`, counted over all members.
    pub fn stage_name(&self, key: StageKey) -> String {
        let spec = &self.stages[key.family as usize];
        match self.nics.contains(&key.family) {
            true => format!("{}[{}]", spec.name, key.member),
            false => label(spec.name, (!spec.single).then_some(key.member as usize)),
        }
    }

    /// Whether the program silences a note about something.
    pub fn quiet(&self, code: &str, about: &str) -> bool {
        self.quiet.contains(&(code, about))
    }
}

/// What a report says of a pool.
pub(crate) struct PoolPart<'a> {
    pub queue: &'a Line,
    pub averages: &'a Averages,
    pub waits: &'a Moments,
    pub counts: PoolCounts,
    /// Counts at the end of the warm-up.
    pub before: PoolCounts,
}

/// A stage of any kind.
pub(crate) enum StagePart<'a> {
    Fifo(&'a mut Fifo),
    Ps(&'a mut Ps),
    Delay(&'a mut Delay),
    Step(&'a mut Engine),
    Link(&'a mut Link),
}

impl StagePart<'_> {
    /// The warm-up ends. What links carry is measured with the network.
    pub fn begin_measuring(self) {
        match self {
            StagePart::Fifo(fifo) => {
                fifo.busy.begin_measuring();
                fifo.measures.present.begin_measuring();
            }
            StagePart::Ps(ps) => {
                ps.serving.begin_measuring();
                ps.measures.present.begin_measuring();
            }
            StagePart::Delay(delay) => delay.measures.present.begin_measuring(),
            StagePart::Step(engine) => engine.measures.present.begin_measuring(),
            StagePart::Link(_) => {}
        }
    }
}

/// A program's pools and stages.
pub(crate) trait Parts {
    fn tables(&self) -> Tables;
    fn kernel(&mut self) -> &mut Kernel;
    /// Members of a pool family.
    fn pools(&self, family: usize) -> usize;
    /// Members of a stage family.
    fn stages(&self, family: usize) -> usize;
    fn pool(&mut self, key: PoolKey) -> PoolPart<'_>;
    /// As [`Parts::pool`], changing nothing: what eviction still owes is not yet counted.
    fn peek(&self, key: PoolKey) -> PoolPart<'_>;
    /// Gives a pool its number among all.
    fn number(&mut self, key: PoolKey, flat: usize);
    /// What the pool counts from here on is measured.
    fn begin_measuring(&mut self, key: PoolKey);
    fn stage(&mut self, key: StageKey) -> StagePart<'_>;
    /// What every stage keeps.
    fn measures(&self, key: StageKey) -> &Measures;
}

/// A program seen by its parts.
pub(crate) struct Whole<'a, W>(pub &'a mut W);

impl<W: World> Parts for Whole<'_, W> {
    fn tables(&self) -> Tables {
        Tables::of::<W>()
    }

    fn kernel(&mut self) -> &mut Kernel {
        self.0.kernel_mut()
    }

    fn pools(&self, family: usize) -> usize {
        self.0.pool_count(family)
    }

    fn stages(&self, family: usize) -> usize {
        self.0.stage_count(family)
    }

    fn pool(&mut self, key: PoolKey) -> PoolPart<'_> {
        cache::settle(self.0, key);
        self.peek(key)
    }

    fn peek(&self, key: PoolKey) -> PoolPart<'_> {
        let Pool { queue, averages, waits, counts, before, .. } = self.0.pool(key);
        PoolPart { queue, averages, waits, counts: *counts, before: *before }
    }

    fn number(&mut self, key: PoolKey, flat: usize) {
        self.0.pool_mut(key).flat = flat;
    }

    fn begin_measuring(&mut self, key: PoolKey) {
        cache::settle(self.0, key);
        let p = self.0.pool_mut(key);
        p.before = p.counts;
        p.averages.begin_measuring();
    }

    fn stage(&mut self, key: StageKey) -> StagePart<'_> {
        match W::STAGES[key.family as usize].kind {
            StageType::Fifo => StagePart::Fifo(self.0.fifo_mut(key)),
            StageType::Ps => StagePart::Ps(self.0.ps_mut(key)),
            StageType::Delay => StagePart::Delay(self.0.delay_mut(key)),
            StageType::Step => StagePart::Step(self.0.engine_mut(key)),
            StageType::Link => StagePart::Link(self.0.link_mut(key)),
        }
    }

    fn measures(&self, key: StageKey) -> &Measures {
        station::measures(self.0, key)
    }
}
