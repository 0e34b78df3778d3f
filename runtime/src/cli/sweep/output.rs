//! Where the runs of a sweep go: a folder, or standard output in order.

use std::{
    collections::BTreeMap,
    fs::File,
    io,
    time::{Duration, Instant},
};

use super::{
    super::{Failure, Streams, options::Plan},
    options::Sweep,
    table,
};
use crate::results::{Above, Folder, Index, Key, RUNS, Record, Summary, Verdicts};

/// How long runs may be in the system's memory alone.
const SYNC: Duration = Duration::from_secs(1);

/// The output of a sweep.
pub(super) struct Output {
    to: To,
    added: usize,
    errors: usize,
    events: u64,
}

enum To {
    Folder { folder: Box<Folder>, synced: Instant },
    Printed(Printed),
}

/// Runs that came before one that is printed in front of them.
struct Printed {
    json: bool,
    order: Vec<Key>,
    next: usize,
    waiting: BTreeMap<Key, (Record, Vec<u8>)>,
    summary: Summary,
}

impl Printed {
    /// Prints what has its turn; at the end all that is left.
    fn deliver(&mut self, all: bool, to: &mut Streams) -> Result<(), Failure> {
        while let Some(key) = self.order.get(self.next) {
            match self.waiting.remove(key) {
                Some((record, line)) => {
                    self.summary.take(&record);
                    if self.json {
                        to.out.write_all(&line)?;
                    }
                }
                None if all => {}
                None => return Ok(()),
            }
            self.next += 1;
        }
        Ok(())
    }
}

/// What is to be said of lines that are no whole records.
pub(super) fn damage(index: &Index) -> Vec<String> {
    const MOST: usize = 5;
    let told = |d: &crate::results::Damage| {
        let name = d.file.file_name().unwrap_or_default().to_string_lossy();
        let what = if d.cut { "was cut off" } else { "is damaged" };
        format!("note: line {} of `{name}` {what}: its run is made again", d.line)
    };
    let mut lines: Vec<String> = index.damage.iter().take(MOST).map(told).collect();
    if index.damage.len() > MOST {
        lines.push(format!("note: {} more lines are damaged", index.damage.len() - MOST));
    }
    lines
}

impl Output {
    fn new(to: To) -> Self {
        Self { to, added: 0, errors: 0, events: 0 }
    }

    /// Into a folder.
    pub(super) fn folder(folder: Folder) -> Self {
        Self::new(To::Folder { folder: Box::new(folder), synced: Instant::now() })
    }

    /// To standard output.
    pub(super) fn printed(sweep: &Sweep, json: bool) -> Self {
        Self::new(To::Printed(Printed {
            json,
            order: sweep.keys.clone(),
            next: 0,
            waiting: BTreeMap::new(),
            summary: Summary::new(&sweep.keys),
        }))
    }

    /// Whether a run is there already.
    pub(super) fn has(&self, key: &Key) -> bool {
        matches!(&self.to, To::Folder { folder, .. } if folder.index.has(key))
    }

    /// The runs of these that are there already, and whether they were stationary.
    pub(super) fn known(&self, keys: &[Key]) -> Vec<(Key, bool)> {
        let To::Folder { folder, .. } = &self.to else { return Vec::new() };
        keys.iter().filter_map(|k| Some((k.clone(), folder.index.stationary(k)?))).collect()
    }

    /// Runs made by this process.
    pub(super) fn added(&self) -> usize {
        self.added
    }

    /// A run has come.
    pub(super) fn take(
        &mut self,
        record: &Record,
        line: &[u8],
        events: u64,
        names: &[String],
        to: &mut Streams,
    ) -> Result<(), Failure> {
        self.added += 1;
        self.events += events;
        if let Some(code) = record.error.as_ref().filter(|_| self.errors == 0) {
            let at =
                names.iter().zip(record.key.values()).map(|(name, x)| format!("{name} = {x}, "));
            let (at, seed) = (at.collect::<String>(), record.key.seed);
            let _ = writeln!(to.err, "note: the run with {at}seed {seed} stopped on {code}");
        }
        self.errors += usize::from(record.error.is_some());
        match &mut self.to {
            To::Folder { folder, synced } => {
                folder.add(record, line)?;
                if synced.elapsed() > SYNC {
                    folder.sync()?;
                    *synced = Instant::now();
                }
                Ok(())
            }
            To::Printed(printed) => {
                printed.waiting.insert(record.key.clone(), (record.clone(), line.to_vec()));
                printed.deliver(false, to)
            }
        }
    }

    /// Writes what is written at the end; returns the exit code.
    pub(super) fn finish(
        self,
        sweep: &Sweep,
        plan: &Plan,
        verdicts: &Verdicts,
        begun: Instant,
        to: &mut Streams,
    ) -> Result<u8, Failure> {
        let Self { to: kind, errors, events, added } = self;
        let mut failed = errors;
        let (summary, above, names) = match kind {
            To::Folder { folder, .. } => {
                let path = folder.path().to_owned();
                let written = folder.finish()?;
                let said = table::folder(&path, &written, sweep.shard);
                let _ = write!(to.err, "{said}");
                failed = written.summary.rows(&written.above).iter().map(|row| row.errors).sum();
                if plan.json {
                    let mut lines = File::open(path.join(RUNS))?;
                    io::copy(&mut lines, &mut to.out)?;
                }
                (written.summary, written.above, written.manifest.swept)
            }
            To::Printed(mut printed) => {
                printed.deliver(true, to)?;
                (printed.summary, verdicts.above(&sweep.keys), sweep.manifest.swept.clone())
            }
        };
        self::say(&summary, &above, &names, sweep, plan, to)?;
        if to.terminal && added > 0 {
            let seconds = begun.elapsed().as_secs_f64();
            let _ = writeln!(
                to.err,
                "{added} runs, {:.2} M events in {seconds:.2} s",
                events as f64 / 1e6
            );
        }
        match failed {
            0 => Ok(0),
            n => Err(Failure::Stopped(format!(
                "error: {n} of the runs stopped on an error, which their lines have\n"
            ))),
        }
    }
}

/// The table by point, unless JSON was asked for.
fn say(
    summary: &Summary,
    above: &Above,
    names: &[String],
    sweep: &Sweep,
    plan: &Plan,
    to: &mut Streams,
) -> Result<(), Failure> {
    if !plan.json {
        let text = table::points(
            &sweep.manifest.program.name,
            names,
            &summary.rows(above),
            &summary.columns.names,
        );
        to.out.write_all(text.as_bytes())?;
    }
    to.out.flush()?;
    Ok(())
}
