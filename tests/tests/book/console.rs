//! Commands and what they write, as a block shows them: `$ ` before a command, `> ` before its further lines.

/// A command of a block.
#[derive(Debug, PartialEq, Eq)]
pub struct Step {
    /// What the shell gets.
    pub command: String,
    /// The block's lines that show the command.
    pub shown: Vec<String>,
    /// The first of these lines, from 0.
    pub line: usize,
    /// The lines that the block shows as its output, without blanks at their ends.
    pub output: Vec<String>,
}

/// Takes a block apart.
///
/// # Errors
/// It does not begin with a command.
pub fn steps(content: &str) -> Result<Vec<Step>, String> {
    let mut found: Vec<Step> = Vec::new();
    for (line, text) in content.lines().map(str::trim_end).enumerate() {
        let shown = vec![text.to_owned()];
        match (text.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => {
                found.push(Step { command: command.to_owned(), shown, line, output: Vec::new() });
            }
            (None, None) => return Err(format!("`{text}` comes before any command")),
            (None, Some(step)) => match text.strip_prefix("> ") {
                Some(more) if step.output.is_empty() => {
                    step.command.push('\n');
                    step.command.push_str(more);
                    step.shown.push(text.to_owned());
                }
                _ => step.output.push(text.to_owned()),
            },
        }
    }
    Ok(found)
}

/// The lines of what a command wrote, without blanks at their ends.
pub fn lines(written: &str) -> Vec<String> {
    written.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Why these lines cannot stand in a block, if they cannot.
pub fn unshowable(lines: &[String]) -> Option<String> {
    let clash = |line: &&String| line.starts_with("$ ") || line.starts_with("```");
    let first = lines.iter().find(clash)?;
    Some(format!("it writes a line that a block cannot show: {first}"))
}

/// The number of the first line that differs, what is shown there and what came.
pub fn difference(shown: &[String], came: &[String]) -> Option<(usize, String, String)> {
    let at = (0..shown.len().max(came.len())).find(|&at| shown.get(at) != came.get(at))?;
    let told = |lines: &[String]| lines.get(at).cloned().unwrap_or_else(|| "(no line)".to_owned());
    Some((at, told(shown), told(came)))
}

#[test]
fn a_block_has_its_commands() {
    let block = "$ a \\\n> b\nx  \n> y\n\n$ c\n";
    let steps = steps(block).unwrap();
    assert_eq!(steps[0].command, "a \\\nb");
    assert_eq!(steps[0].output, ["x", "> y", ""]);
    assert_eq!((steps[1].line, steps[1].output.len()), (5, 0));
    assert!(super::console::steps("x\n").is_err());
    assert_eq!(difference(&steps[0].output, &lines("x\n> y\n\n")), None);
    let told = difference(&steps[0].output, &lines("x\n"));
    assert_eq!(told, Some((1, "> y".to_owned(), "(no line)".to_owned())));
}
