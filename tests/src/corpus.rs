//! The programs of `conformance/` and what they must answer.

use crate::batch::{cores, with_driver};
use serde_json::Value;
use serqc::golden::{self, Plan, Verdict, bless, cases};
use std::{path::Path, time::Duration};

pub use serqc::golden::cases::Case;

/// Every case below `conformance/NAME`, by name.
///
/// # Errors
/// Which file could not be read.
pub fn load(name: &str) -> Result<Vec<Case>, String> {
    let mut cases = cases::find(&[folder(name)]).map_err(|error| error.message)?;
    cases.retain(Case::answered);
    for case in &mut cases {
        case.name = short(&case.name);
    }
    Ok(cases)
}

/// Holds every program below `conformance/NAME` against its answer, as `serqc test` does. Panics with the first
/// difference of every one that fails; with `UPDATE_EXPECT` the answers are written anew instead.
pub fn assert_golden(name: &str) {
    let plan = Plan {
        paths: vec![folder(name)],
        bless: updating(),
        jobs: cores(),
        limit: Duration::from_secs(300),
    };
    let verdicts = with_driver(|driver| golden::test(&plan, driver));
    let verdicts = verdicts.unwrap_or_else(|error| panic!("{error}"));
    let failures: Vec<(String, String)> = verdicts
        .iter()
        .filter_map(|(case, verdict)| match verdict {
            Verdict::Differs(difference) => Some((short(&case.name), difference.clone())),
            Verdict::Agrees | Verdict::NoAnswer | Verdict::Blessed => None,
        })
        .collect();
    assert_none(verdicts.len(), &failures);
}

/// Whether what came out is what is expected from now on: `UPDATE_EXPECT=1 cargo test`.
pub fn updating() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

/// Writes what came out as the answer of a case, if answers are to be written and this can be one; whether it was.
///
/// # Panics
/// If the file cannot be written.
pub fn blessed(case: &Case, got: &Value) -> bool {
    let text = updating().then(|| bless::text(case, got)).flatten();
    let Some(text) = text else { return false };
    bless::write(&case.answer, &text).unwrap_or_else(|error| panic!("{}", error.message));
    true
}

/// Panics with every failure, one a line, unless there is none; `all` says how many there could have been.
pub fn assert_none(all: usize, failures: &[(String, String)]) {
    let lines: Vec<String> =
        failures.iter().map(|(name, why)| format!("  {name}: {why}")).collect();
    assert!(failures.is_empty(), "{} of {all} agree\n{}", all - failures.len(), lines.join("\n"));
}

fn folder(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance");
    root.join(name).to_string_lossy().into_owned()
}

/// The name of a case below the corpora's folder.
fn short(name: &str) -> String {
    name.rsplit_once("/conformance/").map_or(name, |(_, short)| short).to_owned()
}
