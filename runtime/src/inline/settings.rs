//! What a run is asked for from Rust, in place of what the program's `run` block says.

use super::RunError;
use crate::{
    settings,
    trace::{Trace, TraceSpec},
    world::RunDefaults,
};
use std::path::PathBuf;

/// What a run is asked for; `None` is what the program's `run` block says.
///
/// ```
/// use serq_runtime::Settings;
/// let settings = Settings { seed: Some(7), ..Settings::default() };
/// assert_eq!(settings, Settings::default().seed(7));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Seed; 1 where the program says none either. Two seeds share no draw.
    pub seed: Option<u64>,
    /// Seconds of simulated time at which the run ends.
    pub horizon: Option<f64>,
    /// Seconds of simulated time before which nothing is measured.
    pub warmup: Option<f64>,
    /// Stop after so many arrivals and run until they have all ended.
    pub arrivals: Option<u64>,
    /// The file whose recorded sessions are replayed in place of the program's `trace`.
    pub trace: Option<PathBuf>,
    /// Keep every observed value and every change of a gauge.
    pub samples: bool,
    /// A computed negative amount of work is an error instead of 0 and a note.
    pub strict: bool,
    /// Handle every engine iteration as an event of its own: slow, and the same results.
    pub plain_engine: bool,
}

impl Settings {
    /// With this seed.
    pub fn seed(self, seed: u64) -> Self {
        Settings { seed: Some(seed), ..self }
    }

    /// Until so many seconds of simulated time.
    pub fn horizon(self, seconds: f64) -> Self {
        Settings { horizon: Some(seconds), ..self }
    }

    /// Measuring from so many seconds of simulated time on.
    pub fn warmup(self, seconds: f64) -> Self {
        Settings { warmup: Some(seconds), ..self }
    }

    /// Until so many sessions have arrived and ended.
    pub fn arrivals(self, sessions: u64) -> Self {
        Settings { arrivals: Some(sessions), ..self }
    }

    /// Replaying the sessions of another file.
    pub fn trace(self, file: impl Into<PathBuf>) -> Self {
        Settings { trace: Some(file.into()), ..self }
    }

    /// Keeping every observed value and every change of a gauge.
    pub fn samples(self) -> Self {
        Settings { samples: true, ..self }
    }

    /// Refusing negative work.
    pub fn strict(self) -> Self {
        Settings { strict: true, ..self }
    }

    /// What the run is, where the program says the rest.
    pub(super) fn over(
        &self,
        program: &RunDefaults,
        trace: TraceSpec,
    ) -> Result<settings::Settings, RunError> {
        let arrivals = self.arrivals.map(|n| n as f64).or(program.arrivals);
        let arrivals = arrivals.map_or(Ok(None), settings::arrivals)?;
        let horizon = self.horizon.or(program.horizon);
        let horizon = settings::horizon(horizon, arrivals, trace.order())?;
        let warmup = self.warmup.or(program.warmup).unwrap_or(0.0);
        Ok(settings::Settings {
            seed: match self.seed {
                Some(seed) => seed,
                None => settings::seed(program.seed.unwrap_or(1.0))?,
            },
            horizon,
            warmup: settings::warmup(warmup, horizon)?,
            arrivals,
            trace: self.other_trace(trace)?,
            samples: self.samples,
            strict: self.strict,
            plain_engine: self.plain_engine,
            look: Default::default(),
        })
    }

    fn other_trace(&self, own: TraceSpec) -> Result<Option<Trace>, RunError> {
        let Some(path) = &self.trace else { return Ok(None) };
        let Some(order) = own.order() else { return Err(RunError::NoTrace) };
        let unread = |why| RunError::Trace { path: path.clone(), why };
        Trace::open(path, order).map(Some).map_err(unread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Unusable;

    const NO_TRACE: TraceSpec = TraceSpec::None;

    #[test]
    fn what_is_not_asked_is_what_the_program_says() {
        let program = RunDefaults {
            horizon: Some(50.0),
            warmup: Some(5.0),
            seed: Some(9.0),
            arrivals: Some(f64::INFINITY),
        };
        let run = Settings::default().over(&program, NO_TRACE).unwrap();
        assert_eq!((run.seed, run.horizon, run.warmup, run.arrivals), (9, 50.0, 5.0, None));
        let asked = Settings::default().seed(3).horizon(20.0).warmup(0.0).arrivals(4).samples();
        let run = asked.over(&program, NO_TRACE).unwrap();
        assert_eq!((run.seed, run.horizon, run.warmup, run.arrivals), (3, 20.0, 0.0, Some(4)));
        assert!(run.samples && !run.strict);
    }

    #[test]
    fn what_is_no_setting_is_said() {
        let over = |settings: Settings| {
            let wrong = settings.over(&RunDefaults::default(), NO_TRACE);
            match wrong {
                Err(RunError::Settings(why)) => why,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(over(Settings::default()), Unusable::NoHorizon);
        let ten = Settings::default().horizon(10.0);
        let nothing = Unusable::NothingMeasured { warmup: 10.0, horizon: 10.0 };
        assert_eq!(over(ten.clone().warmup(10.0)), nothing);
        assert_eq!(over(ten.arrivals(0)), Unusable::Arrivals(0.0));
        let traced = Settings::default().horizon(1.0).trace("a.csv");
        let refused = traced.over(&RunDefaults::default(), NO_TRACE);
        assert!(matches!(refused, Err(RunError::NoTrace)), "{refused:?}");
    }
}
