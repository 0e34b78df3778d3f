//! One line of a trace: `session,turn,new,out,think[,forced[,prefix]]`.

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

/// A segment at the front of a prompt that sessions share: its key, and tokens.
pub(crate) type Segment = (f64, f64);

const COLUMNS: [&str; 6] = ["session", "turn", "new", "out", "think", "forced"];
/// What is wrong with a prefix in a later turn.
pub(super) const LATE_PREFIX: &str = "only a session's first turn begins with a shared prefix";
/// No more of a field is shown.
const SHOWN: usize = 40;

/// Reads a line that is neither blank, a comment nor a header: its session's number, the turn, and the
/// segments of the seventh column. It has at least so many columns.
pub(super) fn parse(line: &str, least: usize) -> Result<(f64, Turn, Vec<Segment>), String> {
    let columns = line.split(',').count();
    if !(5..=COLUMNS.len() + 1).contains(&columns) {
        return Err(format!(
            "it has {columns} columns, not the 5 to 7 of `session,turn,new,out,think[,forced[,prefix]]`"
        ));
    }
    let mut fields = line.split(',');
    let mut numbers = [0.0; COLUMNS.len()];
    for ((number, column), field) in numbers.iter_mut().zip(COLUMNS).zip(fields.by_ref()) {
        *number = value(field.trim(), column)?;
    }
    let prefix = fields.next().map_or_else(|| Ok(Vec::new()), segments)?;
    if columns < least {
        return Err(format!("it has {columns} columns, and the sixth is when its session arrives"));
    }
    let [session, _, new, out, think, forced] = numbers;
    Ok((session, Turn { new, out, think, forced }, prefix))
}

/// `key:tokens key:tokens …`; one without tokens has as many as the one in front of it.
fn segments(field: &str) -> Result<Vec<Segment>, String> {
    let mut last = None;
    let each = field.split_whitespace().map(|item| {
        let (key, tokens) = match item.split_once(':') {
            Some((key, tokens)) => (key, Some(value(tokens, "prefix")?)),
            None => (item, last),
        };
        last = tokens;
        match tokens {
            Some(tokens) if tokens >= 0.0 => Ok((value(key, "prefix")?, tokens)),
            _ => Err(format!("`{}` in column `prefix` is no `key:tokens`", shown(item))),
        }
    });
    each.collect()
}

fn shown(field: &str) -> String {
    field.chars().take(SHOWN).flat_map(char::escape_debug).collect()
}

fn value(field: &str, column: &str) -> Result<f64, String> {
    match field.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(format!("column `{column}` is not finite")),
        Err(_) => Err(format!("`{}` in column `{column}` is no number", shown(field))),
    }
}
