//! A program with the files that it names, and where they are kept.

use crate::compile;
use serq_compiler::{
    span::FileId,
    syntax::{
        self,
        ast::{ItemKind, WorkloadItemKind},
    },
};
use std::{
    fmt::{self, Display, Formatter},
    fs, io,
    path::Path,
};

/// The name of a program's own file.
pub(super) const FILE: &str = "program.sq";
/// A program and the files that it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Its text.
    pub text: String,
    /// Files beside it, by name: a trace, libraries.
    pub beside: Vec<(String, String)>,
}

impl Program {
    /// A program of one file.
    pub(super) fn of(text: String) -> Program {
        Program { text, beside: Vec::new() }
    }

    /// With a file beside it.
    pub(super) fn with(mut self, name: &str, text: Option<String>) -> Program {
        self.beside.extend(text.map(|text| (name.to_owned(), text)));
        self
    }

    /// The program at `path`, with the traces and libraries that it names.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(path: &Path) -> io::Result<Program> {
        let mut program = Program::of(fs::read_to_string(path)?);
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut wanted = named(&program.text);
        while let Some(name) = wanted.pop() {
            if program.beside.iter().all(|(known, _)| *known != name) {
                let text = fs::read_to_string(folder.join(&name))?;
                wanted.extend(named(&text));
                program.beside.push((name, text));
            }
        }
        Ok(program)
    }

    /// The texts of its source files.
    pub fn sources(&self) -> Vec<&str> {
        let libraries = self.beside.iter().filter(|(name, _)| name.ends_with(".sq"));
        std::iter::once(&*self.text).chain(libraries.map(|(_, text)| &**text)).collect()
    }

    /// Compiled, without being written anywhere.
    ///
    /// # Errors
    /// The first error of the program.
    pub fn module(&self) -> Result<String, compile::Problem> {
        let files = self
            .beside
            .iter()
            .fold(compile::Files::default(), |files, (name, text)| files.with(name, text));
        compile::module_from(&files.with(FILE, &self.text), FILE)
    }
}
/// Its text, then the other files, each under its name.
impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text.trim_end())?;
        self.beside.iter().try_for_each(|(name, text)| {
            writeln!(f, "// {name}:")?;
            text.lines().try_for_each(|line| writeln!(f, "//   {line}"))
        })
    }
}
/// Writes a program to `path` and its other files beside it.
///
/// # Errors
/// A file or folder that cannot be written.
pub fn write(path: &Path, program: &Program) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    fs::write(path, &program.text)?;
    program.beside.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))
}
/// The files that a program or a library names.
fn named(text: &str) -> Vec<String> {
    let items = syntax::parse(FileId(0), text).map_or(Vec::new(), |file| file.items);
    let mut names = Vec::new();
    for item in items {
        match item.kind {
            ItemKind::Use { file } => names.push(file.kind),
            ItemKind::Workload { items } => {
                names.extend(items.into_iter().filter_map(|item| match item.kind {
                    WorkloadItemKind::Trace { file, .. } => Some(file.kind),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    names
}
