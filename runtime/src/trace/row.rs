//! One line of a trace: `session,turn,new,out,think[,forced]`.

/// One recorded turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// New prompt tokens.
    pub new: f64,
    /// Output tokens.
    pub out: f64,
    /// Think time, seconds.
    pub think: f64,
    /// What the sixth column says; 0 without one.
    pub forced: f64,
}

const COLUMNS: [&str; 6] = ["session", "turn", "new", "out", "think", "forced"];
/// No more of a field is shown.
const SHOWN: usize = 40;

/// Reads a line that is neither blank, a comment nor a header: its session's number and the turn.
/// It has at least so many columns.
pub(super) fn parse(line: &str, least: usize) -> Result<(f64, Turn), String> {
    let mut numbers = [0.0; COLUMNS.len()];
    let mut columns = 0;
    for field in line.split(',') {
        if let Some(number) = numbers.get_mut(columns) {
            *number = value(field.trim(), COLUMNS[columns])?;
        }
        columns += 1;
    }
    if columns < least && least > 5 {
        return Err(format!("it has {columns} columns, and the sixth is when its session arrives"));
    }
    if !(5..=COLUMNS.len()).contains(&columns) {
        return Err(format!(
            "it has {columns} columns, not the 5 or 6 of `session,turn,new,out,think[,forced]`"
        ));
    }
    let [session, _, new, out, think, forced] = numbers;
    Ok((session, Turn { new, out, think, forced }))
}

fn value(field: &str, column: &str) -> Result<f64, String> {
    match field.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(format!("column `{column}` is not finite")),
        Err(_) => {
            let said: String = field.chars().take(SHOWN).flat_map(char::escape_debug).collect();
            Err(format!("`{said}` in column `{column}` is no number"))
        }
    }
}
