//! Several files in one text. In: a program, then for each further file a line `//// NAME` and its text. Out: a
//! [`Loader`] that knows these files and no others: nothing is read from a disk.

use serq_compiler::resolve::{LoadError, Loader};
use std::collections::HashMap;

/// What the program is called.
pub const PROGRAM: &str = "program.sq";
/// What begins the line that names a further file.
const MARK: &str = "//// ";

/// Files by name. Folders mean nothing: a path is what follows its last `/`.
#[derive(Clone, Debug, Default)]
pub struct Bundle(HashMap<String, String>);

impl Bundle {
    /// Takes a text apart.
    pub fn of(text: &str) -> Bundle {
        let mut files = HashMap::new();
        let (mut name, mut body) = (PROGRAM.to_owned(), String::new());
        for line in text.split_inclusive('\n') {
            if let Some(next) = line.strip_prefix(MARK) {
                files.entry(name).or_insert_with(|| std::mem::take(&mut body));
                name = last(next.trim()).to_owned();
                body.clear();
            } else {
                body.push_str(line);
            }
        }
        files.entry(name).or_insert(body);
        Bundle(files)
    }

    /// Puts texts together: the program's, and named ones.
    pub fn join(program: &str, files: &[(String, String)]) -> String {
        let mut text = program.to_owned();
        for (name, body) in files {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&format!("{MARK}{}\n{body}", last(name)));
        }
        text
    }

    /// The program's text.
    pub fn program(&self) -> &str {
        self.0.get(PROGRAM).map_or("", String::as_str)
    }
}

impl Loader for Bundle {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        self.0.get(path).cloned().ok_or(LoadError::NotFound)
    }

    fn join(&self, _: &str, relative: &str) -> String {
        last(relative).to_owned()
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_apart_as_they_were_put_together() {
        let files =
            [("a/b.sq".to_owned(), "def f() = 1;\n".to_owned()), ("t.csv".into(), "1".into())];
        let bundle = Bundle::of(&Bundle::join("use \"b.sq\";", &files));
        assert_eq!(bundle.program(), "use \"b.sq\";\n");
        assert_eq!(
            bundle.load(&bundle.join(PROGRAM, "../x/b.sq")).as_deref(),
            Ok("def f() = 1;\n")
        );
        assert_eq!(bundle.load("t.csv").as_deref(), Ok("1"));
        assert_eq!(bundle.load("u.csv"), Err(LoadError::NotFound));
    }
}
