//! Renaming: every place that writes the name, in every program that has it. What would not mean
//! the same afterwards is refused: the renamed programs are compiled and compared.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lsp_types::{
    PrepareRenameResponse, RenameParams, TextDocumentPositionParams, TextEdit, Uri, WorkspaceEdit,
};
use serq_compiler::diag::Severity;
use serq_compiler::syntax;

use super::documents::Reader;
use super::navigate::Mention;
use super::programs::Program;
use super::server::{Answer, Refusal, Server};

/// Places by file, path and first byte.
type Places = BTreeSet<(String, u32, u32)>;

impl Server {
    /// The name at a position, if it can be given another.
    pub fn prepare_rename(
        &mut self,
        at: TextDocumentPositionParams,
    ) -> Answer<Option<PrepareRenameResponse>> {
        let path = self.path(&at.text_document.uri);
        if self.documents.get(&path).is_none() {
            return Ok(None);
        }
        for program in self.programs.open_with(&self.documents, &path) {
            let Some(one) = program.at(&path, at.position).first() else { continue };
            if program.entity(one).definitions.is_empty() {
                return Err(Refusal::because("this name is the language's"));
            }
            let placeholder = program.text_of(one.span).to_owned();
            if one.implied || !syntax::is_name(&placeholder) {
                return Ok(None);
            }
            let range = program.range(one.span);
            return Ok(Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder }));
        }
        Ok(None)
    }

    /// The edits that rename what a name means.
    pub fn rename(&mut self, params: RenameParams) -> Answer<Option<WorkspaceEdit>> {
        let at = params.text_document_position;
        let new = params.new_name;
        if !syntax::is_name(&new) {
            return Err(Refusal::because(format!("`{new}` is not a name")));
        }
        let path = self.path(&at.text_document.uri);
        let mentions = self.mentions(&path, at.position);
        let Some(old) = self.written(&mentions, &path, at.position) else {
            return Err(Refusal::because("there is no name here that could be changed"));
        };
        if old == new {
            return Ok(None);
        }
        let writes = |one: &&Mention| !one.implied && self.reads(one) == old;
        let renamed: BTreeSet<Mention> = mentions.iter().filter(writes).cloned().collect();
        if !renamed.iter().any(|one| one.defines) {
            return Err(Refusal::because(format!("`{old}` is the language's name")));
        }
        self.stays_the_same(&renamed, &old, &new)?;
        Ok(Some(self.edits(&renamed, &new)))
    }

    /// The name at a position, if it is one of the places.
    fn written(
        &self,
        mentions: &BTreeSet<Mention>,
        path: &str,
        position: lsp_types::Position,
    ) -> Option<String> {
        let here = |one: &&Mention| {
            let range = one.shown();
            one.path == path && range.start <= position && position <= range.end && !one.implied
        };
        let text = self.reads(mentions.iter().find(here)?);
        syntax::is_name(&text).then_some(text)
    }

    /// The text of a place.
    fn reads(&self, one: &Mention) -> String {
        let text = self.documents.text(&one.path).unwrap_or_default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        text.get(one.bytes.0 as usize..one.bytes.1 as usize).unwrap_or("").to_owned()
    }

    fn edits(&self, renamed: &BTreeSet<Mention>, new: &str) -> WorkspaceEdit {
        #[allow(clippy::mutable_key_type, reason = "the protocol's type; nobody changes the key")]
        let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
        for one in renamed {
            if let Some(uri) = self.documents.uri(&one.path) {
                let edit = TextEdit { range: one.shown(), new_text: new.to_owned() };
                changes.entry(uri).or_default().push(edit);
            }
        }
        WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
    }

    /// Refuses what would break a program or make names mean other things.
    fn stays_the_same(&mut self, renamed: &BTreeSet<Mention>, old: &str, new: &str) -> Answer<()> {
        let moved = Moved::new(renamed, old, new);
        let files: BTreeSet<String> = renamed.iter().map(|one| one.path.clone()).collect();
        let mut changed = BTreeMap::new();
        for path in &files {
            let text = self.documents.text(path).unwrap_or_default();
            changed.insert(path.clone(), moved.text(path, &text));
        }
        let programs = self.programs.all_with(&self.documents, &self.folders, &files);
        for (root, before) in programs {
            let reader =
                Reader { documents: &self.documents, changed: Some(&changed), whole: false };
            let after = Program::read(&reader, &root);
            if after.errors() > before.errors() {
                return Err(Refusal::because(format!(
                    "`{root}` would be wrong: {}",
                    first_new(&before, &after)
                )));
            }
            if moved.meanings(&before) != meanings(&after) {
                return Err(Refusal::because(format!("`{new}` means something else in `{root}`")));
            }
        }
        Ok(())
    }
}

/// The first error that was not there before.
fn first_new(before: &Program, after: &Program) -> String {
    let old: Vec<_> = before.analysis.diagnostics.iter().map(|found| &found.message).collect();
    let errors = after.analysis.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let mut new = errors.filter(|found| !old.contains(&&found.message));
    new.next().map_or_else(|| "an error more".to_owned(), |found| found.message.clone())
}

/// Which places mean the same, for every name of a program.
fn meanings(program: &Program) -> BTreeSet<Places> {
    let index = &program.analysis.index;
    let mut by_entity: BTreeMap<usize, Places> = BTreeMap::new();
    for one in &index.uses {
        let place = (program.path(one.span.file).to_owned(), one.span.start, one.span.end);
        by_entity.entry(one.entity).or_default().insert(place);
    }
    by_entity.into_values().collect()
}

/// Where places are once a name is longer or shorter.
struct Moved {
    /// First bytes of the places that change, by file.
    starts: BTreeMap<String, Vec<u32>>,
    old: u32,
    new: String,
}

impl Moved {
    fn new(renamed: &BTreeSet<Mention>, old: &str, new: &str) -> Self {
        let mut starts: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for one in renamed {
            starts.entry(one.path.clone()).or_default().push(one.bytes.0);
        }
        Moved { starts, old: old.len() as u32, new: new.to_owned() }
    }

    /// A file's text with the new name.
    fn text(&self, path: &str, text: &str) -> String {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut out = String::new();
        let mut from = 0;
        for start in self.starts.get(path).into_iter().flatten() {
            out.push_str(&text[from..*start as usize]);
            out.push_str(&self.new);
            from = (*start + self.old) as usize;
        }
        out.push_str(&text[from..]);
        out
    }

    /// Where a byte of a file comes to be.
    fn byte(&self, path: &str, byte: u32) -> u32 {
        let starts = self.starts.get(path).map_or(&[][..], Vec::as_slice);
        let before = starts.partition_point(|start| *start < byte) as u32;
        byte + before * self.new.len() as u32 - before * self.old
    }

    fn meanings(&self, program: &Program) -> BTreeSet<Places> {
        let moved = |(path, start, end): (String, u32, u32)| {
            let (start, end) = (self.byte(&path, start), self.byte(&path, end));
            (path, start, end)
        };
        meanings(program).into_iter().map(|set| set.into_iter().map(moved).collect()).collect()
    }
}
