//! Runs one seed per thread at a time and prints the reports in seed order, so that the output does
//! not depend on the number of threads.

use super::{
    DEFECT, Failure, Program, Streams, USAGE, look,
    options::Plan,
    progress::{Done, Progress},
    refused,
};
use crate::report::{self, FaultRow, Place, SeedReport, json, serving, text};
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

/// Faults told in full; more are counted.
const FAULTS_TOLD: usize = 3;

/// Threads at a time; more than any machine has cores.
const MOST_THREADS: usize = 1024;

/// How one run ended.
type Ended = Result<SeedReport, Failure>;

/// Runs all seeds; returns the exit code.
pub(super) fn all(program: &Program, plan: &Plan, to: &mut Streams) -> Result<u8, Failure> {
    let begun = Instant::now();
    let mut printer = Printer { plan, reports: Vec::new(), faults: Vec::new(), events: 0 };
    in_order(program, plan, to.terminal, &mut |ended| printer.take(ended?, to))?;
    if !plan.json && !plan.vllm {
        to.out.write_all(text::render(&printer.reports, &plan.set).as_bytes())?;
    }
    to.out.flush()?;
    if to.terminal && !plan.json && !plan.vllm {
        let _ = writeln!(to.err, "{}", wall_line(printer.events, begun.elapsed(), plan));
    }
    match printer.faults.is_empty() {
        true => Ok(0),
        false => Err(Failure::Stopped(faults_text(&printer.faults))),
    }
}

/// Receives reports in seed order.
struct Printer<'a> {
    plan: &'a Plan,
    /// For the text report; JSON lines are printed as they come.
    reports: Vec<SeedReport>,
    faults: Vec<FaultRow>,
    events: u64,
}

impl Printer<'_> {
    fn take(&mut self, report: SeedReport, to: &mut Streams) -> Result<(), Failure> {
        self.events += report.run.events;
        if let Some(fault) = &report.fault {
            self.faults.push(fault.clone());
        }
        if let (Some(path), Some(timeline)) = (&self.plan.timeline, &report.timeline) {
            // On standard error, as the reports are the same with and without it.
            if let Some(note) = look::write(path, timeline)? {
                let _ = writeln!(to.err, "{note}");
            }
        }
        if self.plan.vllm {
            serving::write_vllm(to.out, &report)?;
        } else if self.plan.json {
            json::write_line(to.out, &report, &self.plan.set)?;
        } else {
            self.reports.push(report);
        }
        Ok(())
    }
}

/// Calls `each` with every run's end in the order of the seeds; stops at its first error.
fn in_order(
    program: &Program,
    plan: &Plan,
    terminal: bool,
    each: &mut dyn FnMut(Ended) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (next, stop, done) = (AtomicUsize::new(0), AtomicBool::new(false), Done::default());
    let (run, sites) = (program.run, program.sites);
    let jobs = plan.jobs.min(plan.seeds.len()).min(MOST_THREADS);
    if jobs == 1 && !terminal {
        // Nobody looks on while they go: no other thread is needed, which takes as long as a short run.
        return plan.seeds.iter().try_for_each(|&seed| each(one(run, sites, plan, seed, &done)));
    }
    let work = |send: mpsc::Sender<(usize, Ended)>| {
        while !stop.load(Ordering::Relaxed) {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(&seed) = plan.seeds.get(i) else { break };
            if send.send((i, one(run, sites, plan, seed, &done))).is_err() {
                break;
            }
        }
    };
    std::thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for started in 0..jobs {
            let send = send.clone();
            let thread = std::thread::Builder::new().spawn_scoped(scope, || work(send));
            match thread {
                Ok(_) => {}
                // The system has no more of them: those that there are do it all.
                Err(_) if started > 0 => break,
                Err(error) => {
                    let what = format!("no thread can be started: {error}");
                    return Err(Failure::refused(USAGE, &what, None, 1));
                }
            }
        }
        drop(send);
        let result = deliver(&receive, Progress::new(terminal, plan.seeds.len()), &done, each);
        stop.store(true, Ordering::Relaxed);
        result
    })
}

/// Hands on what arrives, in order.
fn deliver(
    receive: &mpsc::Receiver<(usize, Ended)>,
    mut progress: Progress,
    done: &Done,
    each: &mut dyn FnMut(Ended) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut waiting: BTreeMap<usize, Ended> = BTreeMap::new();
    let mut delivered = 0;
    let result = loop {
        match receive.recv_timeout(Duration::from_millis(100)) {
            Ok((i, ended)) => {
                waiting.insert(i, ended);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break Ok(()),
        }
        progress.show(done, delivered + waiting.len());
        let mut told = Ok(());
        while let (Ok(()), Some(ended)) = (&told, waiting.remove(&delivered)) {
            delivered += 1;
            told = each(ended);
        }
        if told.is_err() {
            break told;
        }
    };
    progress.clear();
    result
}

/// One run. A panic is a defect of the simulator: it is told as an error, not left to kill the others silently.
fn one(
    run: super::Run,
    sites: &[crate::world::SourceSite],
    plan: &Plan,
    seed: u64,
    done: &Done,
) -> Ended {
    let mut so_far = 0.0;
    let mut progress = |fraction: f64| {
        done.advance(so_far, fraction);
        so_far = fraction.max(so_far);
    };
    let ended =
        catch_unwind(AssertUnwindSafe(|| run(&plan.values, &plan.settings(seed), &mut progress)));
    progress(1.0);
    match ended {
        Ok(Ok(report)) => Ok(report),
        Ok(Err(refusals)) => Err(refused(sites, &refusals, &plan.set)),
        Err(_) => {
            let what = format!("the run of seed {seed} met a defect of the simulator");
            Err(Failure::refused(DEFECT, &what, None, 1))
        }
    }
}

fn faults_text(faults: &[FaultRow]) -> String {
    let told = faults.iter().take(FAULTS_TOLD).map(|f| {
        let place = Place { file: &f.file, line: f.line, col: f.col, source: &f.source };
        let notes = [format!("note: {}", f.context()), format!("help: {}", f.help)];
        report::render_error(Some(&f.code), &f.message, Some(place), &notes)
    });
    let mut text = told.collect::<Vec<_>>().join("\n");
    if faults.len() > FAULTS_TOLD {
        text.push_str(&format!(
            "\nerror: {} more runs stopped on an error\n",
            faults.len() - FAULTS_TOLD
        ));
    }
    text
}

fn wall_line(events: u64, took: Duration, plan: &Plan) -> String {
    let seconds = took.as_secs_f64();
    let rate = events as f64 / seconds.max(1e-9) / 1e6;
    let threads = plan.jobs.min(plan.seeds.len());
    let threads = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    format!(
        "{:.2} M events in {seconds:.2} s on {threads}: {rate:.2} M events/s",
        events as f64 / 1e6
    )
}
