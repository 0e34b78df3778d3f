//! The outline of a file: what it declares, item by item. In: its tree; out: names and extents.

use super::Kind;
use crate::span::Span;
use crate::syntax::ast::{
    File, Item, ItemKind, Queue, QueueItemKind, WorkloadItem, WorkloadItemKind,
};

/// Something that a file declares.
#[derive(Clone, PartialEq, Debug)]
pub struct Outline {
    /// Its name, or the word it begins with.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The name in it; the whole where it has none.
    pub name_span: Span,
    /// All of it.
    pub span: Span,
    /// What it has inside.
    pub children: Vec<Outline>,
}

/// What a file declares, in the order of the text.
pub fn outline(file: &File) -> Vec<Outline> {
    file.items.iter().filter_map(item).collect()
}

fn item(item: &Item) -> Option<Outline> {
    let named = |name: &crate::syntax::ast::Name, kind| Outline {
        name: name.kind.clone(),
        kind,
        name_span: name.span,
        span: item.span,
        children: Vec::new(),
    };
    Some(match &item.kind {
        ItemKind::Let { name, .. } => named(name, Kind::Constant),
        ItemKind::DefExpr { name, .. } | ItemKind::DefBlock { name, .. } => {
            named(name, Kind::Definition)
        }
        ItemKind::Pool(pool) => named(&pool.name, Kind::Pool),
        ItemKind::Stage { name, .. } => named(name, Kind::Stage),
        ItemKind::Gauge { name, .. } => named(name, Kind::Gauge),
        ItemKind::Queue(queue) => {
            Outline { children: queue_items(queue), ..named(&queue.name, Kind::Queue) }
        }
        ItemKind::Workload { items } => {
            let children = items.iter().filter_map(workload_item).collect();
            Outline { children, ..part("workload", item.span) }
        }
        ItemKind::Session { .. } => part("session", item.span),
        ItemKind::Server { .. } => part("server", item.span),
        ItemKind::Run { .. } => part("run", item.span),
        ItemKind::Use { .. }
        | ItemKind::Pull { .. }
        | ItemKind::Share { .. }
        | ItemKind::Fail { .. } => return None,
    })
}

fn part(name: &str, span: Span) -> Outline {
    Outline { name: name.to_owned(), kind: Kind::Part, name_span: span, span, children: Vec::new() }
}

fn queue_items(queue: &Queue) -> Vec<Outline> {
    let inner = |name: &str, kind, name_span, span| Outline {
        name: name.to_owned(),
        kind,
        name_span,
        span,
        children: Vec::new(),
    };
    let items = queue.items.iter();
    items
        .map(|item| match &item.kind {
            QueueItemKind::Pool(pool) => {
                inner(&pool.name.kind, Kind::Pool, pool.name.span, item.span)
            }
            QueueItemKind::Serve { .. } => inner("serve", Kind::Stage, item.span, item.span),
            QueueItemKind::Nic { .. } => inner("nic", Kind::Stage, item.span, item.span),
            QueueItemKind::Entry { verb, .. } => {
                inner(&verb.kind, Kind::Entry, verb.span, item.span)
            }
        })
        .collect()
}

fn workload_item(item: &WorkloadItem) -> Option<Outline> {
    match &item.kind {
        WorkloadItemKind::Init(_) => Some(part("init", item.span)),
        WorkloadItemKind::Turn(_) => Some(part("turn", item.span)),
        WorkloadItemKind::Session(_) => Some(part("session", item.span)),
        WorkloadItemKind::Arrive(_)
        | WorkloadItemKind::Trace { .. }
        | WorkloadItemKind::Hidden(_) => None,
    }
}
