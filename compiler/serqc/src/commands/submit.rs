//! `serqc submit PLAN --to ENGINE`: a sweep as an array job of an engine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Args;

use crate::failure::{Failure, Outside};
use crate::render::Screen;
use crate::sources;
use crate::submit::{self, Checked, Engine, Job, plan, words};

/// What a plan is called in a folder.
const PLAN: &str = "plan.toml";

/// Write a sweep as an array job of an engine, one task a shard
///
/// The plan says the binary, the sweep's options, the number of shards and where the results go. Every task
/// starts the same binary with `--shard I/N`; one that is started again goes on where it was stopped.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The plan, a TOML file, or a folder with `plan.toml`
    #[arg(value_name = "PLAN")]
    plan: String,
    /// Who is to run the shards
    #[arg(long, value_enum, value_name = "ENGINE")]
    to: Engine,
    /// The job's file [default: the plan's name, then the engine's, beside the plan]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Submit it as well
    #[arg(long)]
    go: bool,
}

/// Writes the job, submits it if asked to, and says how to go on.
pub fn execute(arguments: &Arguments, screen: &Screen) -> Result<ExitCode, Failure> {
    let path = match Path::new(&arguments.plan) {
        folder if folder.is_dir() => folder.join(PLAN),
        file => file.to_owned(),
    };
    let shown = path.to_string_lossy().into_owned();
    let text = sources::read_program(&shown)?;
    let stem = stem(&path);
    let read = plan::read(&shown, &stem, &text)?;
    let job = arguments.to.job(&read)?;
    look_at(&read, arguments.to, screen)?;
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| path.with_file_name(format!("{stem}.{}", arguments.to.ending())));
    write(&output, &job.text)?;
    let merge = submit::merge_command(&read.plan);
    let submitted = if arguments.go {
        go(&job, &output)?;
        String::new()
    } else {
        let file = words::quoted(&output.to_string_lossy());
        format!("submit it with\n  {} {file}\n", job.command.join(" "))
    };
    let written = format!("wrote `{}`: {} shards\n", output.display(), read.plan.shards);
    super::print(&format!("{written}{submitted}when they are done\n  {merge}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// What names the job: the plan's file, or the folder that a plan of the usual name is in.
fn stem(path: &Path) -> String {
    let named = if path.file_name().is_some_and(|name| name == PLAN) {
        fs::canonicalize(path).ok().and_then(|path| Some(path.parent()?.file_name()?.to_owned()))
    } else {
        path.file_stem().map(ToOwned::to_owned)
    };
    named.map_or_else(|| "sweep".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Checks the plan's options, and says what is good to know before the job is submitted.
fn look_at(read: &plan::Read, engine: Engine, screen: &Screen) -> Result<(), Failure> {
    let shards = read.plan.shards;
    if let Some(note) = engine.notes(&read.plan) {
        screen.say(&format!("note: {note}"));
    }
    match submit::check(read)? {
        Checked::Runs(runs) if runs < shards => {
            screen.say(&format!("note: the sweep has {runs} runs, so some of {shards} shards have none"));
        }
        Checked::Runs(_) => {}
        Checked::NotHere if engine.shares_files() => screen.say(&format!(
            "note: `{}` does not start here, so its options are not checked; the machines need it at that path",
            read.plan.binary
        )),
        Checked::NotHere => {}
    }
    Ok(())
}

/// Writes the job's file, unless there is one that was not written here.
fn write(path: &Path, text: &str) -> Result<(), Outside> {
    if let Ok(there) = fs::read(path) {
        let begin = String::from_utf8_lossy(&there[..there.len().min(200)]).into_owned();
        if !begin.contains(submit::MARK) {
            return Err(Outside::foreign_job(path));
        }
    }
    fs::write(path, text).map_err(|error| Outside::unwritable(path, error))
}

/// Submits the job; what the engine says goes to where this command's own words go.
fn go(job: &Job, file: &Path) -> Result<(), Outside> {
    let (program, arguments) = job.command.split_first().unwrap_or((&"", &[]));
    let mut command = Command::new(program);
    command.args(arguments).arg(file).stdin(Stdio::null());
    let status = command.status().map_err(|error| Outside::no_engine(program, file, error))?;
    if status.success() { Ok(()) } else { Err(Outside::not_submitted(program, file, status)) }
}
