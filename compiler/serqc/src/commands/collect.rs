//! `serqc collect FOLDER…`: parts of a sweep put together, and its runs as tables.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serq_runtime::results::{Reader, write_csv};

use crate::experiments::{columns, samples};
use crate::failure::{Failure, Outside};
use crate::render::Screen;

/// Put the parts of a sweep together, and write its runs as tables
///
/// The folders are those that `--out` of one sweep wrote, on one machine or on several. What is missing is said.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Folders of one sweep
    #[arg(required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// A new folder with the runs of all, as if one sweep had made them
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// The runs' numbers as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// The runs' numbers as Parquet
    #[arg(long, value_name = "FILE")]
    parquet: Option<PathBuf>,
}

/// Reads the folders and writes what was asked for.
pub fn execute(arguments: &Arguments, screen: &Screen) -> Result<ExitCode, Failure> {
    let mut folders = arguments.folders.iter();
    let Some(first) = folders.next() else { return Ok(ExitCode::SUCCESS) };
    let mut all = samples::open(first)?;
    for folder in folders {
        all.join(&samples::open(folder)?).map_err(Outside::results)?;
    }
    for damage in &all.index.damage {
        let name = damage.file.display();
        screen.say(&format!("note: line {} of `{name}` is not whole and left out", damage.line));
    }
    if let Some(out) = &arguments.out {
        all.write(out).map_err(Outside::results)?;
    }
    if let Some(path) = &arguments.csv {
        whole(path, &mut |file| {
            let mut out = BufWriter::with_capacity(1 << 16, file);
            write_csv(&mut out, path, &all.manifest, &all.index).map_err(Outside::results)?;
            out.flush().map_err(|error| Outside::unwritable(path, error))
        })?;
    }
    if let Some(path) = &arguments.parquet {
        whole(path, &mut |file| columns::write(&all, file, path))?;
    }
    super::print(&told(&all))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a file that appears when it is whole.
fn whole(
    path: &Path,
    write: &mut dyn FnMut(&mut File) -> Result<(), Outside>,
) -> Result<(), Outside> {
    let failed = |error: std::io::Error| Outside::unwritable(path, error);
    let folder = path.parent().filter(|f| *f != Path::new("")).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(failed)?;
    write(file.as_file_mut())?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error)).map(drop)
}

fn told(all: &Reader) -> String {
    let (wanted, missing, above) =
        (all.manifest.wanted.keys().len(), all.missing(), all.above().len());
    let there = wanted - missing.len() - above;
    let mut text = format!("{there} of {wanted} runs of {}", all.manifest.program.name);
    if above > 0 {
        text += &format!("; {above} are above saturation and not run");
    }
    if let Some(first) = missing.first() {
        let values = first.values();
        let point = all.manifest.swept.iter().zip(&values).map(|(n, x)| format!("{n} = {x}"));
        let point: Vec<String> = point.chain([format!("seed {}", first.seed)]).collect();
        text += &format!("; {} are missing, the first at {}", missing.len(), point.join(", "));
    }
    text + "\n"
}
