//! The index from what the resolver noted. In: notes and facts by meaning; out: entities with ids,
//! in the order of the text.

use std::collections::{BTreeSet, HashMap};

use super::outline::{Outline, outline};
use super::{Entity, Index, Kind, Reading, Use};
use crate::resolve::{Facts, Meaning, Moment, Notes};
use crate::span::{FileId, SourceMap, Span};
use crate::syntax::ast;

/// Makes the tables.
pub(crate) fn build(
    facts: Facts,
    notes: Notes,
    trees: &[ast::File],
    sources: &SourceMap,
    links: &[(Span, FileId)],
) -> Index {
    let mut index = Index { links: links.to_vec(), ..Index::default() };
    let mut ids: HashMap<Meaning, usize> = HashMap::new();
    for declared in &notes.declared {
        let meaning = Meaning::Declared(declared.span);
        ids.entry(meaning).or_insert_with(|| {
            let name = declared.name.clone();
            add(
                &mut index,
                Entity { definitions: vec![declared.span], ..nothing(name, declared.kind) },
            )
        });
    }
    let mut uses: BTreeSet<(Span, usize)> = BTreeSet::new();
    // Ordered, so that the same program gives the same ids.
    for (span, meaning) in notes.uses.iter().collect::<BTreeSet<_>>() {
        let id = match ids.get(meaning) {
            Some(id) => *id,
            None => {
                let Some(entity) = undeclared(meaning, &facts) else { continue };
                *ids.entry(meaning.clone()).or_insert_with(|| add(&mut index, entity))
            }
        };
        uses.insert((*span, id));
        if notes.given.contains(span) {
            index.entities[id].definitions.push(*span);
        }
    }
    for (meaning, id) in &ids {
        let entity = &mut index.entities[*id];
        entity.ty = facts.types.get(meaning).copied();
        entity.hidden = facts.hidden.contains(meaning);
        if let Meaning::Declared(span) = meaning {
            entity.value = facts.values.get(span).copied();
            uses.insert((*span, *id));
        }
    }
    index.uses = uses
        .into_iter()
        .map(|(span, entity)| Use {
            span,
            entity,
            defines: index.entities[entity].definitions.contains(&span),
            implied: notes.implied.contains(&span),
        })
        .collect();
    index.readings = readings(notes.readings);
    declarations(&mut index, trees, sources);
    index
}

fn nothing(name: String, kind: Kind) -> Entity {
    Entity {
        name,
        kind,
        definitions: Vec::new(),
        declaration: None,
        ty: None,
        value: None,
        hidden: false,
        doc: String::new(),
    }
}

fn add(index: &mut Index, entity: Entity) -> usize {
    index.entities.push(entity);
    index.entities.len() - 1
}

/// What has no declaration of its own: attributes, observations, the language's names.
fn undeclared(meaning: &Meaning, facts: &Facts) -> Option<Entity> {
    match meaning {
        // Part of something else, such as the wait of a link.
        Meaning::Declared(_) => None,
        Meaning::Attribute(_, name) => {
            let shown = facts.shown.get(meaning).unwrap_or(name);
            Some(nothing(shown.clone(), Kind::Attribute))
        }
        Meaning::Observation(name) => Some(nothing(name.clone(), Kind::Observation)),
        Meaning::Word(kind, name) => {
            let doc = super::words::word_of(*kind, name).map_or("", |word| word.doc).to_owned();
            Some(Entity { doc, ..nothing(name.clone(), *kind) })
        }
    }
}

fn readings(noted: HashMap<Span, Vec<Moment>>) -> Vec<Reading> {
    let mut readings: Vec<Reading> = noted
        .into_iter()
        .map(|(span, moments)| {
            let mut positions: Vec<_> =
                moments.into_iter().map(|moment| (moment.describe(), moment.name())).collect();
            positions.sort_unstable_by_key(|(position, moment)| (*moment, *position));
            positions.dedup();
            Reading { span, positions }
        })
        .collect();
    readings.sort_by_key(|r| (r.span.file, r.span.start, std::cmp::Reverse(r.span.end)));
    readings
}

/// Gives each entity the item or clause that declares it, and the comments beside that.
fn declarations(index: &mut Index, trees: &[ast::File], sources: &SourceMap) {
    for (file, tree) in trees.iter().enumerate() {
        let Some(source) = sources.files.get(file) else { continue };
        let outline = outline(tree);
        let comments = Comments { text: &source.text, comments: &tree.comments };
        for entity in &mut index.entities {
            let Some(first) = entity.definitions.first().copied() else { continue };
            if first.file.0 as usize != file {
                continue;
            }
            let Some(around) = innermost(&outline, first) else { continue };
            let own = around.name_span == first || around.span == first;
            let in_head = matches!(entity.kind, Kind::Parameter | Kind::Source);
            if own || in_head {
                entity.declaration = Some(around.span);
            }
            if own {
                entity.doc = comments.of(around.span);
            } else if !in_head && entity.kind != Kind::Variable {
                entity.doc = comments.of(first);
            }
        }
    }
}

/// The innermost thing of an outline that a span lies in.
fn innermost(outline: &[Outline], span: Span) -> Option<&Outline> {
    let past = outline.partition_point(|one| one.span.start <= span.start);
    let around = outline[..past].last().filter(|one| span.end <= one.span.end)?;
    innermost(&around.children, span).or(Some(around))
}

struct Comments<'a> {
    text: &'a str,
    comments: &'a [ast::Comment],
}

impl Comments<'_> {
    /// The comment lines right above a text, or else the comment behind it on the line.
    fn of(&self, span: Span) -> String {
        let above = self.above(span);
        if above.is_empty() { self.behind(span) } else { above }
    }

    fn above(&self, span: Span) -> String {
        let line_start = self.text[..span.start as usize].rfind('\n').map_or(0, |at| at + 1);
        if !self.text[line_start..span.start as usize].trim().is_empty() {
            return String::new();
        }
        let mut lines = Vec::new();
        let mut next = line_start;
        let before = self.comments.partition_point(|c| c.span.end as usize <= line_start);
        for comment in self.comments[..before].iter().rev() {
            let (start, end) = (comment.span.start as usize, comment.span.end as usize);
            let gap = &self.text[end..next];
            let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
            let alone = self.text[line..start].trim().is_empty();
            if !alone || !gap.trim().is_empty() || gap.matches('\n').count() != 1 {
                break;
            }
            lines.push(comment.text.as_str());
            next = line;
        }
        lines.reverse();
        lines.join("\n")
    }

    fn behind(&self, span: Span) -> String {
        let after = self.comments.partition_point(|c| c.span.start < span.end);
        let Some(comment) = self.comments.get(after) else { return String::new() };
        let between = &self.text[span.end as usize..comment.span.start as usize];
        if between.contains('\n') { String::new() } else { comment.text.clone() }
    }
}
