//! The canonical files: `runs.jsonl`, `runs.csv`, `points.csv`.
//!
//! Runs are sorted by point and seed. Each file is written beside its name, brought to the disk, and
//! renamed, so that it is whole or the one from before.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use super::{
    index::Index,
    manifest::Manifest,
    points::{self, Above},
    record::Record,
    summary::{Columns, Summary},
    trouble::Trouble,
};

/// Every run with its report, a line each.
pub const RUNS: &str = "runs.jsonl";
/// The numbers of every run.
pub const TABLE: &str = "runs.csv";
/// What the runs of each point say together.
pub const POINTS: &str = "points.csv";
/// All of them.
pub const WRITTEN: [&str; 3] = [RUNS, TABLE, POINTS];

/// Columns of tables that are no settings and no metrics.
const OWN: [&str; 9] = [
    "seed",
    "stationary",
    "error",
    "state",
    "runs",
    "wanted",
    "errors",
    "not_stationary",
    "settings",
];

/// A file that appears under its name when it is whole.
pub(super) struct Replacement {
    path: PathBuf,
    beside: PathBuf,
    out: BufWriter<File>,
}

/// What a file is called until it is whole.
pub(super) fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    path.with_file_name(name)
}

impl Replacement {
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let beside = beside(path);
        let out = BufWriter::with_capacity(1 << 16, File::create(&beside)?);
        Ok(Self { path: path.to_owned(), beside, out })
    }

    /// Puts the file in its place.
    pub(super) fn done(self) -> io::Result<()> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&self.beside, &self.path)
    }
}

/// A cell: numbers as JSON has them, but for infinite ones.
fn cell(x: f64) -> String {
    match x {
        f64::INFINITY => "inf".into(),
        f64::NEG_INFINITY => "-inf".into(),
        x => serde_json::to_string(&x).unwrap_or_default(),
    }
}

fn cell_of(x: Option<f64>) -> String {
    x.map_or_else(String::new, cell)
}

/// What tables call the swept settings: by their own names, unless another column has that name.
pub fn setting_names(swept: &[String], metrics: &[String]) -> Vec<String> {
    let name = |name: &String| match OWN.contains(&name.as_str()) || metrics.contains(name) {
        true => format!("set:{name}"),
        false => name.clone(),
    };
    swept.iter().map(name).collect()
}

/// Names may have what a CSV field cannot.
fn quoted(name: String) -> String {
    if name.contains([',', '"', '\n']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name
    }
}

/// Three files in the making, with the columns known when they were begun.
struct Tables<'a> {
    folder: &'a Path,
    manifest: &'a Manifest,
    runs: Replacement,
    table: Replacement,
    points: Summary,
}

/// Writes the canonical files of all runs that are indexed, and none above saturation.
///
/// # Errors
/// Something cannot be read or written; what was there before then still is.
pub(super) fn write(
    folder: &Path,
    manifest: &Manifest,
    index: &Index,
) -> Result<(Summary, Above), Trouble> {
    let wanted = manifest.wanted.keys();
    let above = points::above(manifest, &wanted, index);
    let fail = |name: &str| {
        let path = folder.join(name);
        move |e: io::Error| Trouble::unwritable(&path, &e, index.len())
    };
    let mut columns = Columns::default();
    loop {
        let mut tables = Tables {
            folder,
            manifest,
            runs: Replacement::of(&folder.join(RUNS)).map_err(fail(RUNS))?,
            table: Replacement::of(&folder.join(TABLE)).map_err(fail(TABLE))?,
            points: Summary::new(&wanted),
        };
        if !tables.fill(index, &above, &mut columns)? {
            continue;
        }
        let Tables { runs, table, points, .. } = tables;
        let mut summary = Replacement::of(&folder.join(POINTS)).map_err(fail(POINTS))?;
        write_points(&mut summary.out, manifest, &points, &above).map_err(fail(POINTS))?;
        runs.done().map_err(fail(RUNS))?;
        table.done().map_err(fail(TABLE))?;
        summary.done().map_err(fail(POINTS))?;
        sync(folder).map_err(fail(""))?;
        return Ok((points, above));
    }
}

/// Brings a folder's names to the disk, where that can be asked for.
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

impl Tables<'_> {
    /// Writes all runs; `false` when columns were missing, which are known then.
    fn fill(
        &mut self,
        index: &Index,
        above: &Above,
        columns: &mut Columns,
    ) -> Result<bool, Trouble> {
        let mut begun = false;
        let names = &self.manifest.swept;
        index.lines(&mut |key, line| {
            if above.contains(key) {
                return Ok(true);
            }
            let Some(record) = Record::parse(line, names) else {
                return Err(Trouble::foreign(
                    self.folder,
                    "a line of it lost a part while it was read",
                ));
            };
            let first = columns.names.is_empty();
            if !columns.take(&record) && !first {
                return Ok(false);
            }
            let written = self.row(line, &record, columns, !begun);
            begun = true;
            written.map_err(|e| Trouble::unwritable(self.folder, &e, index.len()))?;
            self.points.take(&record);
            Ok(true)
        })
    }

    fn row(
        &mut self,
        line: &[u8],
        record: &Record,
        columns: &Columns,
        first: bool,
    ) -> io::Result<()> {
        self.runs.out.write_all(line)?;
        self.runs.out.write_all(b"\n")?;
        if first {
            header(&mut self.table.out, self.manifest, columns)?;
        }
        csv_row(&mut self.table.out, record, columns)
    }
}

pub(super) fn header(
    out: &mut dyn Write,
    manifest: &Manifest,
    columns: &Columns,
) -> io::Result<()> {
    let own = ["seed", "stationary", "error"].map(str::to_owned);
    let names = setting_names(&manifest.swept, &columns.names)
        .into_iter()
        .chain(own)
        .chain(columns.names.iter().cloned());
    writeln!(out, "{}", names.map(quoted).collect::<Vec<_>>().join(","))
}

pub(super) fn csv_row(out: &mut dyn Write, record: &Record, columns: &Columns) -> io::Result<()> {
    let mut line = String::with_capacity(16 * columns.names.len());
    for x in record.key.values() {
        line.push_str(&cell(x));
        line.push(',');
    }
    let error = record.error.as_deref().unwrap_or_default();
    line.push_str(&format!("{},{},{error}", record.key.seed, record.stationary));
    for x in columns.values(record) {
        line.push(',');
        line.push_str(&cell_of(x));
    }
    line.push('\n');
    out.write_all(line.as_bytes())
}

/// Writes `runs.csv` of all runs that are indexed and not above saturation.
///
/// # Errors
/// Something cannot be read, or `out` not be written to.
pub fn write_csv(
    out: &mut dyn Write,
    shown: &Path,
    manifest: &Manifest,
    index: &Index,
) -> Result<(), Trouble> {
    let above = points::above(manifest, &manifest.wanted.keys(), index);
    let parse = |line: &[u8]| {
        Record::parse(line, &manifest.swept)
            .ok_or_else(|| Trouble::foreign(shown, "a line is none"))
    };
    let mut columns = Columns::default();
    index.lines(&mut |_, line| {
        columns.take(&parse(line)?);
        Ok(true)
    })?;
    let failed = |e: io::Error| Trouble::unwritable(shown, &e, 0);
    header(out, manifest, &columns).map_err(failed)?;
    index.lines(&mut |key, line| {
        if !above.contains(key) {
            csv_row(out, &parse(line)?, &columns).map_err(failed)?;
        }
        Ok(true)
    })?;
    Ok(())
}

/// `points.csv`.
fn write_points(
    out: &mut dyn Write,
    manifest: &Manifest,
    summary: &Summary,
    above: &Above,
) -> io::Result<()> {
    let columns = &summary.columns;
    let own = ["state", "runs", "wanted", "errors", "not_stationary"].map(str::to_owned);
    let numbers = columns.names.iter().flat_map(|n| [n.clone(), format!("ci:{n}")]);
    let names =
        setting_names(&manifest.swept, &columns.names).into_iter().chain(own).chain(numbers);
    writeln!(out, "{}", names.map(quoted).collect::<Vec<_>>().join(","))?;
    for row in summary.rows(above) {
        let mut cells: Vec<String> = row.values.iter().map(|x| cell(*x)).collect();
        cells.push(row.state.word().to_owned());
        let counts = [row.runs, row.wanted, row.errors, row.not_stationary];
        cells.extend(counts.map(|n| n.to_string()));
        for estimate in row.estimates {
            cells.push(cell_of(estimate.map(|e| e.mean)));
            cells.push(cell_of(estimate.and_then(|e| e.half_width)));
        }
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::setting_names;

    #[test]
    fn a_setting_named_like_another_column_is_told_from_it() {
        let texts = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
        let names = setting_names(&texts(&["state", "thr", "end"]), &texts(&["mean:x", "end"]));
        assert_eq!(names, texts(&["set:state", "thr", "set:end"]));
    }
}
