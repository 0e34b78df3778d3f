//! Runs of a batch's programs: one process each, several at a time, none for longer than its limit.
//!
//! In: a built batch and jobs. Out: what each process said and how it ended. A process of its own
//! means that a run that hangs, or breaks down in whatever way, costs the others nothing.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::batch::{Built, Job};

/// The most that is read of what a process complains of, in bytes.
const COMPLAINT: u64 = 64 << 10;

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// It wrote this line.
    Line(String),
    /// It was given up after this long.
    Hung(Duration),
    /// The process broke down, for this reason.
    Crashed(String),
    /// The program's emitted Rust does not compile, for this reason.
    NotBuilt(String),
}

/// Runs all jobs, so many at a time, and hands on how each ended, as soon as it did, with its index.
pub fn all(built: &Built, jobs: &[Job], workers: usize, mut each: impl FnMut(usize, Said)) {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers.clamp(1, jobs.len().max(1)) {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(at) else { return };
                    if send.send((at, one(built, job))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        for (at, said) in receive {
            each(at, said);
        }
    });
}

/// Runs all jobs and returns how each ended.
pub fn collect(built: &Built, jobs: &[Job], workers: usize) -> Vec<Said> {
    let mut ended = vec![Said::Crashed("it was not run".to_owned()); jobs.len()];
    all(built, jobs, workers, |at, said| ended[at] = said);
    ended
}

/// Runs one job.
pub fn one(built: &Built, job: &Job) -> Said {
    match built.place(job.program) {
        Err(why) => Said::NotBuilt(why.to_owned()),
        Ok(place) => watched(&place.binary, &job.arguments(place.slot), job.limit),
    }
}

/// Runs a binary, no longer than `limit`.
fn watched(binary: &Path, arguments: &[String], limit: Duration) -> Said {
    let begun = Instant::now();
    let mut command = Command::new(binary);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |error: io::Error| Said::Crashed(error.to_string());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return failed(error),
    };
    let (send, receive) = mpsc::channel();
    let complaint =
        child.stderr.take().map(|stderr| thread::spawn(move || text(stderr, COMPLAINT)));
    let reader = child.stdout.take().map(|stdout| {
        thread::spawn(move || {
            // Sent at the end of the stream: the process has ended, or soon will.
            let _ = send.send(text(stdout, u64::MAX));
        })
    });
    let ended = match receive.recv_timeout(limit) {
        Ok(line) => match child.wait() {
            Ok(status) if status.success() => Said::Line(line),
            Ok(status) => {
                let complaint = complaint.and_then(|thread| thread.join().ok()).unwrap_or_default();
                return Said::Crashed(format!("{status}: {}", first_lines(&complaint)));
            }
            Err(error) => failed(error),
        },
        Err(RecvTimeoutError::Timeout) => Said::Hung(begun.elapsed()),
        Err(RecvTimeoutError::Disconnected) => Said::Crashed("its output is lost".to_owned()),
    };
    end(&mut child);
    if let Some(reader) = reader {
        let _ = reader.join();
    }
    ended
}

/// Sees to it that a process is gone.
fn end(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}

/// All that a stream gives, or that much.
fn text(stream: impl Read, most: u64) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is worth having.
    let _ = stream.take(most).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The beginning of a complaint, on one line.
fn first_lines(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.filter(|line| !line.starts_with("note:")).take(3).collect::<Vec<_>>().join(" ")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, limit: f64) -> Said {
        let arguments = ["-c".to_owned(), script.to_owned()];
        watched(Path::new("/bin/sh"), &arguments, Duration::from_secs_f64(limit))
    }

    #[test]
    fn what_a_process_says_is_its_answer() {
        assert_eq!(shell("echo 1", 60.0), Said::Line("1\n".to_owned()));
    }

    #[test]
    fn a_process_that_hangs_is_given_up() {
        assert!(matches!(shell("exec sleep 60", 0.1), Said::Hung(_)));
    }

    #[test]
    fn a_process_that_breaks_down_is_told_of() {
        let Said::Crashed(why) = shell("echo oh >&2; exit 3", 60.0) else { panic!("it crashes") };
        assert!(why.contains('3') && why.ends_with(": oh"), "{why}");
    }
}
