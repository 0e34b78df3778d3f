//! What the words behind a fence ask of a block.

/// What a block must be.
#[derive(Debug, PartialEq, Eq)]
pub enum Kind {
    /// A program; `file` is its name in the page's folder, if it is written there.
    Program { file: Option<String>, must: Must },
    /// Lines of the file at a path below the project: a program, or what is made of one.
    Excerpt(String),
    /// Commands with what they write; all end with this code.
    Console { exit: i32 },
    /// Commands without what they write.
    Commands,
    /// An example of a diagnostic's page, which the compiler's own tests compile.
    Explained,
    /// Nothing of ours.
    Other,
}

/// What the compiler must say of a program.
#[derive(Debug, PartialEq, Eq)]
pub enum Must {
    /// Nothing.
    Compile,
    /// No error, and a warning of this code first.
    Warn(String),
    /// An error of this code first.
    Fail(String),
}

/// Reads the words behind a fence.
///
/// # Errors
/// What is wrong with them.
pub fn of(info: &str) -> Result<Kind, String> {
    let mut words = info.split(',').map(str::trim);
    let language = words.next().unwrap_or_default();
    let options: Vec<(&str, &str)> =
        words.map(|word| word.split_once('=').unwrap_or((word, ""))).collect();
    match (language, options.as_slice()) {
        ("serq", [("explain", "")]) => Ok(Kind::Explained),
        ("serq" | "rust", [("in", path)]) => Ok(Kind::Excerpt((*path).to_owned())),
        ("serq", options) => program(options),
        ("console", []) => Ok(Kind::Console { exit: 0 }),
        ("console", [("exit", code)]) => match code.parse() {
            Ok(exit) => Ok(Kind::Console { exit }),
            Err(_) => Err(format!("`exit={code}` is no exit code")),
        },
        ("sh", []) => Ok(Kind::Commands),
        ("sh" | "console", _) => Err(format!("`{info}` has a word that is not known")),
        _ => Ok(Kind::Other),
    }
}

fn program(options: &[(&str, &str)]) -> Result<Kind, String> {
    let (mut file, mut must) = (None, Must::Compile);
    for (word, value) in options {
        match *word {
            "file" if value.ends_with(".sq") => file = Some((*value).to_owned()),
            "error" => must = Must::Fail((*value).to_owned()),
            "warning" => must = Must::Warn((*value).to_owned()),
            _ => return Err(format!("`{word}={value}` is not known behind `serq`")),
        }
    }
    Ok(Kind::Program { file, must })
}
