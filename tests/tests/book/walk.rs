//! Walks a page from top to bottom: programs are compiled and written, commands are run.

use crate::{
    console, excerpt,
    folder::Folder,
    kind::{self, Kind, Must},
    page::{Block, Page},
};
use serq_compiler::{diag::Diagnostic, diag::Severity, resolve};
use serq_tests::{
    compile::{Files, project},
    corpus,
};
use std::{fs, io};

/// Commands of `sh` blocks that set a machine up, or test this project itself: they are not run.
const SET_UP: &[&str] = &[
    "cargo install --path compiler/serqc",
    "cargo test --workspace",
    "cargo test -p serq-tests --test book",
    "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh",
    "cd serqc",
];
/// What the command is called where it is not installed.
const NOT_INSTALLED: &str = "cargo run --release -p serqc -- ";

/// What is wrong with a page: lines, and what is wrong there.
pub type Failures = Vec<(usize, String)>;

/// Walks a page and returns what is wrong; outputs that differ are written into it instead when the tests are told to.
///
/// # Errors
/// If files cannot be written or there is no shell.
pub fn page(page: &Page) -> io::Result<Failures> {
    let mut failures = Failures::new();
    let mut kinds = Vec::new();
    for block in &page.blocks {
        match kind::of(&block.info) {
            Ok(Kind::Explained) if page.path != "docs/errors.md" => {
                failures.push((block.line, "`explain` is for docs/errors.md alone".to_owned()));
            }
            Ok(Kind::Other | Kind::Explained) => {}
            Ok(kind) => kinds.push((block, kind)),
            Err(problem) => failures.push((block.line, problem)),
        }
    }
    if kinds.is_empty() {
        return Ok(failures);
    }
    let mut walk = Walk { page, folder: Folder::new()?, failures, updates: Vec::new() };
    for (block, kind) in &kinds {
        walk.block(block, kind)?;
    }
    walk.finish()
}

struct Walk<'a> {
    page: &'a Page,
    folder: Folder,
    failures: Failures,
    /// Blocks whose content is written anew.
    updates: Vec<(&'a Block, String)>,
}

impl<'a> Walk<'a> {
    fn block(&mut self, block: &'a Block, kind: &Kind) -> io::Result<()> {
        let content = self.page.content(block);
        match kind {
            Kind::Program { file, must } => {
                let name = file.as_deref().unwrap_or("program.sq");
                if file.is_some() {
                    self.folder.write(name, content)?;
                }
                let path = self.folder.path(name).to_string_lossy().into_owned();
                let verdict = verdict(&Files::default().with(&path, content), &path, must);
                self.failures.extend(verdict.map(|(at, what)| (block.line + at, what)));
            }
            Kind::Excerpt(path) => match fs::read_to_string(project().join(path)) {
                Err(error) => self.fail(block, 0, format!("{path}: {error}")),
                Ok(program) => {
                    if let Some(at) = excerpt::stray(content, &program) {
                        self.fail(block, at + 1, format!("{path} does not have this line there"));
                    }
                }
            },
            Kind::Console { exit } => self.console(block, content, *exit)?,
            Kind::Commands => self.commands(block, content)?,
            Kind::Explained | Kind::Other => {}
        }
        Ok(())
    }

    fn fail(&mut self, block: &Block, line: usize, what: String) {
        self.failures.push((block.line + line, what));
    }

    /// Runs the commands of a block one after the other and compares what they write.
    fn console(&mut self, block: &'a Block, content: &str, exit: i32) -> io::Result<()> {
        let steps = match console::steps(content) {
            Ok(steps) => steps,
            Err(problem) => {
                self.fail(block, 1, problem);
                return Ok(());
            }
        };
        let (mut now, mut differs) = (Vec::new(), false);
        for step in &steps {
            let ran = self.folder.run(&step.command)?;
            let came = console::lines(&ran.written);
            if ran.code != Some(exit) {
                let code = ran.code.map_or("a signal".to_owned(), |code| code.to_string());
                let told = format!("`{}` ends with {code}:\n{}", step.command, ran.written);
                self.fail(block, step.line + 1, told);
            } else if let Some(problem) = console::unshowable(&came) {
                self.fail(block, step.line + 1, format!("`{}`: {problem}", step.command));
            } else if let Some((at, shown, written)) = console::difference(&step.output, &came) {
                differs = true;
                if !corpus::updating() {
                    let told = format!(
                        "`{}` writes otherwise\n  page: {shown}\n  now:  {written}",
                        step.command
                    );
                    self.fail(block, step.line + 1 + step.shown.len() + at, told);
                }
            }
            now.extend(step.shown.iter().cloned().chain(came));
        }
        if differs && corpus::updating() {
            now.push(String::new());
            self.updates.push((block, now.join("\n")));
        }
        Ok(())
    }

    /// Runs the commands of a block, of which only success is asked; those of [`SET_UP`] are left out.
    fn commands(&mut self, block: &Block, content: &str) -> io::Result<()> {
        for (line, text) in content.lines().enumerate() {
            let command = text.split(" #").next().unwrap_or(text).trim();
            if command.is_empty() || SET_UP.contains(&command) {
                continue;
            }
            let ours = command.strip_prefix(NOT_INSTALLED).map(|rest| format!("serqc {rest}"));
            let ran = self.folder.run(ours.as_deref().unwrap_or(command))?;
            if ran.code != Some(0) {
                self.fail(block, line + 1, format!("`{command}` fails:\n{}", ran.written));
            }
        }
        Ok(())
    }

    /// Writes the new outputs.
    fn finish(self) -> io::Result<Failures> {
        if self.updates.is_empty() || !self.failures.is_empty() {
            return Ok(self.failures);
        }
        let mut text = self.page.text.clone();
        for (block, now) in self.updates.iter().rev() {
            text.replace_range(block.content.clone(), now);
        }
        fs::write(project().join(&self.page.path), text)?;
        Ok(self.failures)
    }
}

/// Line (from 1) in the program, and what the compiler says of it against what it must say.
fn verdict(files: &Files, path: &str, must: &Must) -> Option<(usize, String)> {
    let (sources, said) = match resolve::resolve(files, path, &[]) {
        Ok((program, warnings)) => (program.sources, warnings),
        Err(failure) => (failure.sources, failure.diagnostics),
    };
    let of = |severity| said.iter().find(|found: &&Diagnostic| found.severity == severity);
    let (error, warning) = (of(Severity::Error), of(Severity::Warning));
    let (first, wanted) = match must {
        Must::Compile => (error.or(warning), None),
        Must::Warn(code) => (error.or(warning), Some(code)),
        Must::Fail(code) => (error, Some(code)),
    };
    if first.map(|found| found.code) == wanted.map(String::as_str) {
        return None;
    }
    let wanted = wanted.map_or(String::new(), |code| format!("instead of {code}: "));
    let Some(found) = first else { return Some((0, format!("{wanted}it compiles"))) };
    let (line, _) = sources.line_col(found.primary.span);
    Some((line as usize, format!("{wanted}{} {}", found.code, found.message)))
}
