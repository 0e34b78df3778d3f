//! `serqc citations --vllm DIR [LIST]`: whether what is cited of vLLM is still where it was.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::citations::{self, Finding};
use crate::failure::{Failure, Outside};
use crate::sources;

/// Check the lines of vLLM that are cited against an unpacked release
#[derive(Debug, Args)]
pub struct Arguments {
    /// The folder of the unpacked wheel
    #[arg(long, value_name = "DIR")]
    vllm: PathBuf,
    /// The citations
    #[arg(default_value = "ref/citations.toml")]
    list: String,
}

/// Prints what is no longer as cited, and how many citations stand; exits with 1 if not all do.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let text = sources::read_program(&arguments.list)?;
    let list = citations::read(&text).map_err(|why| Outside::bad_list(&arguments.list, why))?;
    let mut out = String::new();
    let mut standing = 0;
    for citation in &list.citations {
        let what = match citations::check(citation, &arguments.vllm) {
            Finding::Stands => {
                standing += 1;
                continue;
            }
            Finding::Moved(line) => {
                let last = line + citation.lines.1 - citation.lines.0;
                format!("moved to lines {line} to {last}")
            }
            Finding::OtherFunction => format!("not in `{}`", citation.function),
            Finding::Changed(hash) if hash.is_empty() => "the file is shorter now".to_owned(),
            Finding::Changed(hash) => format!("changed: sha256 = \"{hash}\" now"),
            Finding::NoFile(why) => why,
        };
        let (first, last) = citation.lines;
        out += &format!("{}: {}:{first}-{last}: {what}\n", citation.id, citation.file);
    }
    if let Some(version) = citations::version(&arguments.vllm).filter(|v| *v != list.version) {
        out += &format!("this is vLLM {version}; the citations are of {}\n", list.version);
    }
    let all = list.citations.len();
    out += &format!("{standing} of {all} citations of vLLM {} stand\n", list.version);
    super::print(&out)?;
    Ok(if standing == all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
