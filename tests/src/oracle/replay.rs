//! A scenario as a program's settings and trace, and what a run of it observed.

use super::scenario::{Engine, Kind, Scenario, TransferMode};
use serde_json::Value;
use std::{collections::HashMap, fmt::Write, fs, path::Path, process::Command};

/// What a run observed.
#[derive(Clone, Debug)]
pub struct Replayed {
    observations: Value,
    /// The place of the session and turn that stand for each request.
    places: Vec<(u64, u64)>,
}

impl Replayed {
    /// The values that a request observed under a name.
    pub fn of_request(&self, request: usize, name: &str) -> Vec<f64> {
        let (session, turn) = self.places[request];
        let own = |sample: &&Value| {
            sample[1].as_u64() == Some(session) && sample[2].as_u64() == Some(turn)
        };
        self.samples(name).iter().filter(own).filter_map(|sample| sample[3].as_f64()).collect()
    }

    /// What was observed under a name in each step, by the step.
    pub fn by_step(&self, name: &str) -> HashMap<usize, f64> {
        let step = |sample: &Value| Some((sample[0].as_f64()? as usize, sample[3].as_f64()?));
        self.samples(name).iter().filter_map(step).collect()
    }

    fn samples(&self, name: &str) -> &[Value] {
        self.observations[name]["samples"].as_array().map_or(&[], Vec::as_slice)
    }
}

/// Runs a program's binary on a scenario, for as many steps as the answer has.
///
/// # Errors
/// The scenario has no such form, or the run fails.
pub fn run(
    binary: &Path,
    scenario: &Scenario,
    answer: &Value,
    scratch: &Path,
) -> Result<Replayed, String> {
    let conversations = scenario.conversations()?;
    let steps = answer["steps_run"].as_u64().ok_or("the answer does not say `steps_run`")?;
    let said = |error: std::io::Error| error.to_string();
    let trace = tempfile::Builder::new().suffix(".csv").tempfile_in(scratch).map_err(said)?;
    fs::write(trace.path(), rows(scenario, &conversations)?).map_err(said)?;
    let mut command = Command::new(binary);
    command
        .args(["--json", "--samples", "--horizon", &steps.to_string(), "--trace-in"])
        .arg(trace.path());
    for (name, value) in settings(scenario, conversations.len())? {
        command.arg("--set").arg(format!("{name}={value}"));
    }
    let output = command.output().map_err(said)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(&text).unwrap_or_default();
    if !output.status.success() || !report["observes"].is_object() {
        return Err(format!("the run fails: {}{text}", String::from_utf8_lossy(&output.stderr)));
    }
    let mut places = vec![(0, 0); scenario.requests.len()];
    for (session, turns) in conversations.iter().enumerate() {
        for (turn, &request) in turns.iter().enumerate() {
            places[request] = (session as u64, turn as u64 + 1);
        }
    }
    Ok(Replayed { observations: report["observes"].clone(), places })
}

/// The trace: one session a conversation.
fn rows(scenario: &Scenario, conversations: &[Vec<usize>]) -> Result<String, String> {
    let mut text = String::from("session,turn,new,out,think,forced,prefix\n");
    for (session, turns) in conversations.iter().enumerate() {
        let mut history = 0;
        for (turn, &place) in turns.iter().enumerate() {
            let request = &scenario.requests[place];
            let new = request.prompt.checked_sub(history);
            let new = new.ok_or_else(|| format!("`{}` is shorter than its history", request.id))?;
            let think = if turn == 0 {
                request.arrive.ok_or_else(|| format!("`{}` never arrives", request.id))?
            } else {
                request.think
            };
            let (turn, out) = (turn + 1, request.output);
            let _ = write!(text, "{session},{turn},{new},{out},{think},{place},");
            // All that is shared begins alike: one segment, of which each has its part.
            match request.shared_prefix {
                0 => text.push('\n'),
                shared => text.push_str(&format!("1:{shared}\n")),
            }
            history = request.prompt + request.output;
        }
    }
    Ok(text)
}

/// The program's settings.
fn settings(scenario: &Scenario, sessions: usize) -> Result<Vec<(String, f64)>, String> {
    let mut set = vec![
        ("sessions".to_owned(), sessions as f64),
        ("bs".to_owned(), f64::from(scenario.block_size)),
    ];
    match &scenario.kind {
        Kind::Single { engine } => set.extend(of_engine(engine, "")?),
        Kind::Pair { prefill, decode, transfer } => {
            set.extend(of_engine(prefill, "P")?);
            set.extend(of_engine(decode, "D")?);
            set.extend([
                ("push".to_owned(), f64::from(transfer.mode == TransferMode::Push)),
                ("sidecar".to_owned(), f64::from(transfer.sidecar_steps)),
                ("read_base".to_owned(), f64::from(transfer.read_base_steps)),
                ("read_rate".to_owned(), unless_0(transfer.read_blocks_per_step)),
            ]);
        }
    }
    Ok(set)
}

fn of_engine(engine: &Engine, suffix: &str) -> Result<[(String, f64); 5], String> {
    let differs = [
        (engine.watermark != 0.0, "watermark"),
        (!engine.reserve_full_isl, "reserve_full_isl"),
        (!engine.prefix_caching, "prefix_caching"),
    ];
    if let Some((_, name)) = differs.iter().find(|(differs, _)| *differs) {
        return Err(format!("the programs have no setting `{name}`"));
    }
    let named = |name: &str, value: f64| (format!("{name}{suffix}"), value);
    Ok([
        named("blocks", f64::from(engine.pool_blocks)),
        named("max_seqs", f64::from(engine.max_num_seqs)),
        named("B", f64::from(engine.token_budget)),
        named("chunk", unless_0(engine.long_prefill_token_threshold)),
        named("period", f64::from(engine.period)),
    ])
}

/// A limit of 0 is none.
fn unless_0(limit: u32) -> f64 {
    if limit == 0 { f64::INFINITY } else { f64::from(limit) }
}
