//! The search for the cheapest setting that meets its targets.
//!
//! Every setting that is looked at runs with the same seeds, first a few, then twice as many, until it is
//! decided: it meets all targets when the interval of every target's mean excess lies at or below 0, it
//! misses when one lies above 0 or when its load is too high. Each interval is at the level
//! 1 − α / (settings × targets × stages), so that with probability 1 − α all decisions are right
//! (Bonferroni; ranking and selection with constraints, Andradóttir and Kim, Naval Research Logistics 57,
//! 2010).
//!
//! When the cost follows from the settings alone, settings are looked at from the cheapest up, a window at
//! a time, and nothing that costs as much as one that is known to meet its targets is run. When the cost is measured,
//! all are run and halved: a setting is out once it is dearer than one that meets its targets.

use super::super::intervals::{self, Estimate, Runs};

/// Settings that are looked at together.
const WINDOW: usize = 4;

/// What is known of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Never run.
    Untried,
    /// Run, not decided.
    Open,
    /// It meets every target.
    Meets,
    /// It misses this target.
    Misses(usize),
    /// Its load is more than it can serve.
    Saturated,
    /// Its runs stop on an error.
    Fails,
    /// It has no value of what is asked for.
    NoValue,
    /// It costs more than one that meets every target.
    Dearer,
}

/// What runs of a setting say.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Runs.
    pub runs: usize,
    /// The cost of each run, where it is measured.
    pub cost: Runs,
    /// By target: by how much each run misses it.
    pub excess: Vec<Runs>,
    /// At least half of the runs are not stationary.
    pub saturated: bool,
    /// A run stopped on an error.
    pub failed: bool,
}

/// A setting to choose.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its values.
    pub point: Vec<f64>,
    /// Its cost, where that follows from the values.
    pub cost: Option<f64>,
    /// What is decided.
    pub state: State,
    /// Its runs.
    pub measured: Measured,
}

/// How much is spent, and how sure it should be.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Seeds of a setting that is looked at.
    pub first: usize,
    /// The most seeds of a setting.
    pub most: usize,
    /// The probability with which any decision may be wrong.
    pub alpha: f64,
}

impl Effort {
    /// How often a setting may be looked at.
    fn stages(&self) -> usize {
        let (mut seeds, mut stages) = (self.first, 1);
        while seeds < self.most {
            seeds = (2 * seeds).min(self.most);
            stages += 1;
        }
        stages
    }
}

/// A search.
#[derive(Debug)]
pub struct Search {
    /// All settings, in the order of their points.
    pub candidates: Vec<Candidate>,
    targets: usize,
    effort: Effort,
}

/// Runs settings, by number, with so many seeds, and says what all their runs say.
pub type Measure<'a, E> = dyn FnMut(&[usize], usize) -> Result<Vec<Measured>, E> + 'a;

impl Search {
    /// Nothing run yet. Costs are of all settings or of none.
    pub fn new(points: Vec<(Vec<f64>, Option<f64>)>, targets: usize, effort: Effort) -> Self {
        let candidate = |(point, cost): (Vec<f64>, Option<f64>)| Candidate {
            point,
            cost,
            state: State::Untried,
            measured: Measured::default(),
        };
        Search { candidates: points.into_iter().map(candidate).collect(), targets, effort }
    }

    /// The level of each interval.
    pub fn level(&self) -> f64 {
        let measured = self.candidates.iter().any(|c| c.cost.is_none());
        let each = (self.targets + usize::from(measured)).max(1);
        self.effort.alpha / (self.candidates.len() * each * self.effort.stages()) as f64
    }

    /// Runs until everything is decided that can be.
    ///
    /// # Errors
    /// What `measure` says.
    pub fn all<E>(&mut self, measure: &mut Measure<E>) -> Result<(), E> {
        loop {
            let window = self.window();
            let seeds = |i: &usize| self.next_seeds(*i);
            let Some(least) = window.iter().map(seeds).min() else { return Ok(()) };
            // Those with fewest seeds first: they may settle the rest.
            let now: Vec<usize> =
                window.into_iter().filter(|i| self.next_seeds(*i) == least).collect();
            for (i, measured) in now.iter().zip(measure(&now, least)?) {
                self.candidates[*i].measured = measured;
                self.decide(*i);
            }
            self.drop_dearer();
        }
    }

    fn next_seeds(&self, i: usize) -> usize {
        match self.candidates[i].measured.runs {
            0 => self.effort.first,
            n => (2 * n).min(self.effort.most),
        }
    }

    /// The undecided settings that are looked at next.
    fn window(&self) -> Vec<usize> {
        let open = |i: &usize| match self.candidates[*i].state {
            State::Untried => true,
            State::Open => self.candidates[*i].measured.runs < self.effort.most,
            // A measured cost may still be sharpened.
            State::Meets => self.rivals(*i) && self.candidates[*i].measured.runs < self.effort.most,
            _ => false,
        };
        let mut open: Vec<usize> = (0..self.candidates.len()).filter(open).collect();
        if self.candidates.iter().any(|c| c.cost.is_none()) {
            return open;
        }
        let cost = |i: &usize| self.candidates[*i].cost.unwrap_or(f64::INFINITY);
        let bound = self.best().map_or(f64::INFINITY, |b| cost(&b));
        open.retain(|i| cost(i) < bound || (bound == f64::INFINITY));
        open.sort_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.cmp(b)));
        open.truncate(WINDOW);
        open
    }

    /// Whether the cost is measured and another setting may be cheaper still.
    fn rivals(&self, i: usize) -> bool {
        let in_play =
            |c: &Candidate| matches!(c.state, State::Meets | State::Open | State::Untried);
        self.candidates[i].cost.is_none()
            && (0..self.candidates.len()).any(|j| j != i && in_play(&self.candidates[j]))
    }

    /// The cheapest setting that meets every target.
    pub fn best(&self) -> Option<usize> {
        let meets =
            (0..self.candidates.len()).filter(|i| self.candidates[*i].state == State::Meets);
        meets.min_by(|a, b| self.cost(*a).total_cmp(&self.cost(*b)))
    }

    /// What a setting costs: its own cost, or the mean of its runs.
    pub fn cost(&self, i: usize) -> f64 {
        let c = &self.candidates[i];
        let values: Vec<f64> = c.measured.cost.values().copied().collect();
        let mean = || intervals::mean(&values, 0.5).map_or(f64::INFINITY, |e| e.mean);
        c.cost.unwrap_or_else(mean)
    }

    /// How far a setting is from a target, with an interval that holds together with all others.
    pub fn excess(&self, i: usize, target: usize) -> Option<Estimate> {
        let runs = self.candidates[i].measured.excess.get(target)?;
        intervals::mean(&runs.values().copied().collect::<Vec<_>>(), self.level())
    }

    fn decide(&mut self, i: usize) {
        let m = &self.candidates[i].measured;
        let complete = m.excess.iter().all(|runs| runs.len() >= 2)
            && (self.candidates[i].cost.is_some() || m.cost.len() >= 2);
        self.candidates[i].state = if m.failed {
            State::Fails
        } else if m.saturated {
            State::Saturated
        } else if !complete {
            State::NoValue
        } else {
            self.against_targets(i)
        };
    }

    fn against_targets(&self, i: usize) -> State {
        let excess: Vec<Estimate> = (0..self.targets).filter_map(|t| self.excess(i, t)).collect();
        if let Some(target) = excess.iter().position(|e| e.low() > 0.0) {
            return State::Misses(target);
        }
        if excess.iter().all(|e| e.high() <= 0.0) { State::Meets } else { State::Open }
    }

    /// Of measured costs, those are out that are dearer than one that meets every target.
    fn drop_dearer(&mut self) {
        let Some(best) = self.best() else { return };
        if self.candidates[best].cost.is_some() {
            return;
        }
        let level = self.level();
        for i in 0..self.candidates.len() {
            let c = &self.candidates[i];
            if i == best || !matches!(c.state, State::Meets | State::Open) {
                continue;
            }
            let (mine, its) = (&c.measured.cost, &self.candidates[best].measured.cost);
            let dearer =
                intervals::difference(mine, its, level).is_some_and(|(d, _)| d.low() > 0.0);
            if dearer {
                self.candidates[i].state = State::Dearer;
            }
        }
    }

    /// Settings that no other one is both at most as dear and at most as far from its targets as, by
    /// cost; `worst` is a setting's greatest relative excess.
    pub fn frontier(&self, worst: &dyn Fn(usize) -> Option<f64>) -> Vec<usize> {
        let known = |i: &usize| worst(*i).is_some() && self.candidates[*i].measured.runs > 0;
        let mut order: Vec<usize> = (0..self.candidates.len()).filter(known).collect();
        let excess = |i: usize| worst(i).unwrap_or(f64::INFINITY);
        order.sort_by(|a, b| {
            self.cost(*a).total_cmp(&self.cost(*b)).then(excess(*a).total_cmp(&excess(*b)))
        });
        let mut least = f64::INFINITY;
        order.retain(|i| {
            let better = excess(*i) < least;
            least = least.min(excess(*i));
            better
        });
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EFFORT: Effort = Effort { first: 5, most: 80, alpha: 0.05 };

    /// Noise of a seed, and a little of the setting's own.
    fn noise(i: usize, seed: u64) -> f64 {
        let x = (seed * 7919 + i as u64 * 104_729) % 1009;
        (x as f64 / 1009.0 - 0.5) * 0.2 + ((seed * 31) % 17) as f64 / 17.0 - 0.5
    }

    fn measure(seeds: usize, i: usize, excess: f64, cost: Option<f64>) -> Measured {
        let runs = |centre: f64| (1..=seeds as u64).map(|s| (s, centre + noise(i, s))).collect();
        Measured {
            runs: seeds,
            cost: cost.map_or_else(Runs::new, runs),
            excess: vec![runs(excess)],
            ..Measured::default()
        }
    }

    #[test]
    fn the_cheapest_that_meets_is_found_and_nothing_dearer_is_run() {
        // Cost i; setting 40 is the first within its target, and 35 is close.
        let points = (0..100).map(|i| (vec![f64::from(i)], Some(f64::from(i)))).collect();
        let mut search = Search::new(points, 1, EFFORT);
        let mut spent = 0;
        let mut lab = |some: &[usize], seeds: usize| {
            spent += some.len() * seeds;
            let excess = |i: usize| match i {
                35 => 0.8,
                i if i >= 40 => -2.0,
                _ => 5.0,
            };
            Ok::<_, ()>(some.iter().map(|i| measure(seeds, *i, excess(*i), None)).collect())
        };
        search.all(&mut lab).unwrap();
        assert_eq!(search.best(), Some(40));
        assert_eq!(search.candidates[35].state, State::Misses(0));
        assert!(search.candidates[35].measured.runs > search.candidates[3].measured.runs);
        assert!(search.candidates[60..].iter().all(|c| c.state == State::Untried));
        assert!(spent < 60 * 20, "{spent}");
    }

    #[test]
    fn what_cannot_be_decided_stays_open() {
        let points = vec![(vec![1.0], Some(1.0)), (vec![2.0], Some(2.0))];
        let mut search = Search::new(points, 1, EFFORT);
        let mut lab = |some: &[usize], seeds: usize| {
            let excess = |i: usize| if i == 0 { 0.0 } else { -3.0 };
            Ok::<_, ()>(some.iter().map(|i| measure(seeds, *i, excess(*i), None)).collect())
        };
        search.all(&mut lab).unwrap();
        assert_eq!((search.best(), search.candidates[0].state), (Some(1), State::Open));
        assert_eq!(search.candidates[0].measured.runs, 80);
    }

    #[test]
    fn a_measured_cost_is_halved_down_to_the_best() {
        let points = (0..8).map(|i| (vec![f64::from(i)], None)).collect();
        let mut search = Search::new(points, 1, EFFORT);
        let mut lab = |some: &[usize], seeds: usize| {
            let cost = |i: usize| (i as f64 - 3.0).abs();
            // The cheapest misses its target.
            let excess = |i: usize| if i == 3 { 4.0 } else { -4.0 };
            let one = |i: &usize| measure(seeds, *i, excess(*i), Some(cost(*i)));
            Ok::<_, ()>(some.iter().map(one).collect())
        };
        search.all(&mut lab).unwrap();
        assert_eq!(search.candidates[3].state, State::Misses(0));
        assert!([2, 4].contains(&search.best().unwrap()));
        for dear in [0, 1, 6, 7] {
            assert_eq!(search.candidates[dear].state, State::Dearer, "{dear}");
        }
    }

    #[test]
    fn the_frontier_has_what_nothing_is_better_than() {
        let points = (0..4).map(|i| (vec![f64::from(i)], Some(f64::from(i)))).collect();
        let mut search = Search::new(points, 1, EFFORT);
        search.candidates.iter_mut().for_each(|c| c.measured.runs = 5);
        let excess = [3.0, 4.0, 1.0, 1.0];
        assert_eq!(search.frontier(&|i| Some(excess[i])), [0, 2]);
    }
}
