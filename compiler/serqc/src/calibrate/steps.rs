//! Measured iterations from a table: columns `seconds`, `tokens`, `kv`, and `attention` if there.

use std::io::Read;

use super::Step;

/// Reads the steps.
///
/// # Errors
/// A column is missing, or a line is no step.
pub fn read(input: impl Read) -> Result<Vec<Step>, String> {
    let mut table =
        csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(input);
    let headers = table.headers().map_err(|error| error.to_string())?.clone();
    let place = |name: &str| headers.iter().position(|h| h.trim_start_matches('\u{feff}') == name);
    let must = |name: &str| place(name).ok_or_else(|| format!("its header has no column `{name}`"));
    let places = [must("seconds")?, must("tokens")?, must("kv")?];
    let attention = place("attention");
    let mut steps = Vec::new();
    for record in table.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |at: usize| -> Result<f64, String> {
            let cell = record.get(at).unwrap_or_default();
            let value = cell.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0);
            value.ok_or_else(|| format!("line {line}: `{cell}` is no number of at least 0"))
        };
        let step = Step {
            seconds: number(places[0])?,
            tokens: number(places[1])?,
            kv: number(places[2])?,
            attention: attention.map_or(Ok(0.0), number)?,
        };
        if step.seconds == 0.0 {
            return Err(format!("line {line}: a step takes some time"));
        }
        steps.push(step);
    }
    Ok(steps)
}
