//! The shape of a trace file: `session,turn,new,out,think[,forced]`, one turn a line.
//!
//! A header, lines that start with `#`, and blank lines are skipped; blanks around numbers are fine.

/// The first line of a trace that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// Its number, from 1; 0 for the whole file.
    pub line: usize,
    /// Its text, shortened.
    pub text: String,
    /// What is wrong with it.
    pub what: String,
}

const COLUMNS: [&str; 6] = ["session", "turn", "new", "out", "think", "forced"];
/// No more of a wrong line is shown.
const SHOWN: usize = 80;

/// Checks every line.
pub(super) fn check(text: &str) -> Result<(), Wrong> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut turns = 0;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if turns == 0 && line.starts_with("session") {
            continue;
        }
        row(line).map_err(|what| Wrong {
            line: index + 1,
            text: line.chars().take(SHOWN).collect(),
            what,
        })?;
        turns += 1;
    }
    if turns == 0 {
        let what = "it has no turn".to_owned();
        return Err(Wrong { line: 0, text: String::new(), what });
    }
    Ok(())
}

fn row(line: &str) -> Result<(), String> {
    let fields: Vec<&str> = line.split(',').collect();
    if fields.len() < 5 || fields.len() > 6 {
        return Err(format!(
            "it has {} columns, not the 5 or 6 of `session,turn,new,out,think[,forced]`",
            fields.len()
        ));
    }
    for (field, column) in fields.iter().zip(COLUMNS) {
        let said = field.trim();
        let value: f64 = said.parse().map_err(|_| {
            let said: String = said.chars().take(SHOWN).collect();
            format!("`{said}` in column `{column}` is no number")
        })?;
        if !value.is_finite() {
            return Err(format!("column `{column}` is not finite"));
        }
    }
    Ok(())
}
