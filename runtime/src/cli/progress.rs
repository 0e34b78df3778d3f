//! A progress bar on standard error, for runs that take longer than a second.

use indicatif::{ProgressBar, ProgressStyle};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// Parts of a run that are counted.
const PARTS: f64 = 1e6;

/// What is done so far, over all runs; threads add to it.
#[derive(Default)]
pub(super) struct Done(AtomicU64);

impl Done {
    /// A run went from one fraction to another.
    pub(super) fn advance(&self, from: f64, to: f64) {
        let parts = |x: f64| (x.clamp(0.0, 1.0) * PARTS) as u64;
        // Only a picture depends on it, so no other memory needs to follow.
        self.0.fetch_add(parts(to).saturating_sub(parts(from)), Ordering::Relaxed);
    }
}

/// The bar; nothing is drawn before a second has passed, or when `shown` is false.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    drawn: bool,
    begun: Instant,
    runs: usize,
}

impl Progress {
    pub(super) fn new(shown: bool, runs: usize) -> Self {
        Self { bar: shown.then(|| bar(runs)), drawn: false, begun: Instant::now(), runs }
    }

    /// Draws how far things are, now and then.
    pub(super) fn show(&mut self, done: &Done, runs_done: usize) {
        let Some(bar) = &self.bar else { return };
        if self.begun.elapsed() < Duration::from_secs(1) {
            return;
        }
        self.drawn = true;
        bar.set_message(if self.runs > 1 {
            format!("{runs_done} of {} runs", self.runs)
        } else {
            String::new()
        });
        bar.set_position(done.0.load(Ordering::Relaxed));
    }

    /// Takes the bar away.
    pub(super) fn clear(self) {
        if let (Some(bar), true) = (self.bar, self.drawn) {
            bar.finish_and_clear();
        }
    }
}

fn bar(runs: usize) -> ProgressBar {
    let bar = ProgressBar::new((runs as f64 * PARTS) as u64);
    let style = ProgressStyle::with_template(
        "{bar:40} {percent:>3} %  {elapsed} of about {duration}  {msg}",
    );
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━━╌"));
    bar
}
