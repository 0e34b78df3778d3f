//! Threads that make runs, and the one that takes what they made.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    time::Duration,
};

use super::{
    super::{DEFECT, Failure, Run, USAGE, progress::Done, refused},
    options::Sweep,
};
use crate::{
    results::{Key, Record},
    world::SourceSite,
};

/// Threads at a time; more than any machine has cores.
const MOST_THREADS: usize = 1024;

/// A run as it came: its record, its line (the report's alone without a folder), its events.
pub(super) type Came = (Record, Vec<u8>, u64);

/// What the threads share.
pub(super) struct Work<'a> {
    pub run: Run<'a>,
    pub sites: &'a [SourceSite],
    pub sweep: &'a Sweep,
    pub jobs: usize,
    pub done: &'a Done,
}

/// Runs that may be made now.
#[derive(Default)]
struct Queue {
    state: Mutex<Waiting>,
    more: Condvar,
}

#[derive(Default)]
struct Waiting {
    keys: VecDeque<Key>,
    closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, keys: Vec<Key>) {
        self.lock().keys.extend(keys);
        self.more.notify_all();
    }

    /// Nothing comes any more; what waits is left.
    fn close(&self) {
        self.lock().closed = true;
        self.more.notify_all();
    }

    /// The next run, when there is one; none when the queue is closed.
    fn next(&self) -> Option<Key> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(key) = state.keys.pop_front() {
                return Some(key);
            }
            state = self.more.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Work<'_> {
    /// Makes the runs that are ready, and those that `each` says are ready when one has come. `each` is
    /// called with nothing now and then.
    pub(super) fn all(
        &self,
        ready: Vec<Key>,
        each: &mut dyn FnMut(Option<Came>) -> Result<Vec<Key>, Failure>,
    ) -> Result<(), Failure> {
        let mut open = ready.len();
        if open == 0 {
            return Ok(());
        }
        let queue = Queue::default();
        queue.add(ready);
        std::thread::scope(|scope| {
            let (send, receive) = mpsc::channel();
            for started in 0..self.jobs.min(self.sweep.keys.len()).min(MOST_THREADS) {
                let (send, queue) = (send.clone(), &queue);
                let work = move || {
                    while let Some(key) = queue.next() {
                        if send.send(self.one(key)).is_err() {
                            break;
                        }
                    }
                };
                match std::thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(_) => {}
                    // The system has no more of them: those that there are do it all.
                    Err(_) if started > 0 => break,
                    Err(error) => {
                        queue.close();
                        let what = format!("no thread can be started: {error}");
                        return Err(Failure::refused(USAGE, &what, None, 1));
                    }
                }
            }
            drop(send);
            let mut result = Ok(());
            while open > 0 && result.is_ok() {
                let came = match receive.recv_timeout(Duration::from_millis(100)) {
                    Ok(came) => Some(came),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                open -= usize::from(came.is_some());
                result = came.transpose().and_then(&mut *each).map(|ready| {
                    open += ready.len();
                    queue.add(ready);
                });
            }
            queue.close();
            result
        })
    }

    /// One run. A panic is a defect of the simulator: it is told as an error.
    fn one(&self, key: Key) -> Result<Came, Failure> {
        let Some(setup) = self.sweep.setup(&key) else {
            return Err(Failure::refused(DEFECT, "a run of the sweep has no settings", None, 1));
        };
        let mut so_far = 0.0;
        let mut progress = |fraction: f64| {
            self.done.advance(so_far, fraction);
            so_far = fraction.max(so_far);
        };
        let settings = crate::settings::Settings { seed: key.seed, ..setup.settings.clone() };
        let run = AssertUnwindSafe(|| (self.run)(&setup.values, &settings, &mut progress));
        let ended = catch_unwind(run);
        progress(1.0);
        let report = match ended {
            Ok(Ok(report)) => report,
            Ok(Err(refusals)) => return Err(refused(self.sites, &refusals, &setup.set)),
            Err(_) => {
                let what = format!("the run of seed {} met a defect of the simulator", key.seed);
                return Err(Failure::refused(DEFECT, &what, None, 1));
            }
        };
        let record = Record::of(&key.values(), &report);
        let line = match self.sweep.folder {
            Some(_) => record.line(&self.sweep.manifest.swept, &report, &setup.set)?,
            None => {
                let mut line = Vec::new();
                crate::report::json::write_line(&mut line, &report, &setup.set)?;
                line
            }
        };
        Ok((record, line, report.run.events))
    }
}
