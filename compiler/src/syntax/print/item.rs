//! Top-level items and the workload as text.

use super::expr::{behind, expr, names, reference};
use super::{Print, Printer, stmt};
use crate::span::Span;
use crate::syntax::ast::{
    Arrival, Expr, ItemKind, Mover, Name, Policy, RunField, StageKindKind, TraceOrder,
    WorkloadItemKind,
};

/// Parts of a block on one line.
pub(super) fn braces(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "{ }".to_string() } else { format!("{{ {} }}", parts.join(" ")) }
}

/// A family's size in brackets.
pub(super) fn size(size: Option<&Expr>) -> String {
    size.map_or(String::new(), |size| format!("[{}]", expr(size)))
}

impl Print for ItemKind {
    fn one_line(&self) -> String {
        match self {
            ItemKind::Let { name, value } => format!("let {} = {};", name.kind, expr(value)),
            ItemKind::Use { file } => format!("use \"{}\";", file.kind),
            ItemKind::DefExpr { name, params, body } => {
                format!("def {}({}) = {};", name.kind, names(params), expr(body))
            }
            ItemKind::DefBlock { name, params, body } => {
                format!("{} {}", def_head(name, params), stmt::block(body))
            }
            ItemKind::Pool(pool) => pool.one_line(),
            ItemKind::Stage { name, size: members, kind } => {
                let members = size(members.as_ref());
                format!("stage {}{members} : {}", name.kind, kind.kind.ended())
            }
            ItemKind::Queue(queue) => queue.one_line(),
            ItemKind::Pull { reader, source, by, latency, share } => {
                let latency =
                    latency.as_ref().map_or(String::new(), |x| format!(" latency {}", expr(x)));
                let share = policy(share.kind);
                let (first, word, second) = match by {
                    Mover::Reader => (reader, "pull", source),
                    Mover::Source => (source, "push", reader),
                };
                format!("{} {word} {}{latency} share {share};", first.kind, second.kind)
            }
            ItemKind::Fail { queue, at, lasts } => {
                format!("fail {} at {} for {};", reference(queue), expr(at), expr(lasts))
            }
            ItemKind::Share { policy: share } => format!("share {};", policy(share.kind)),
            ItemKind::Workload { items } => {
                format!("workload {}", braces(items.iter().map(|item| item.kind.one_line())))
            }
            ItemKind::Session { body } => format!("session {}", stmt::block(body)),
            ItemKind::Server { body } => format!("server {}", stmt::block(body)),
            ItemKind::Gauge { name, value } => format!("gauge {} = {};", name.kind, expr(value)),
            ItemKind::Run { options } => {
                format!("run {}", braces(options.iter().map(|option| option.kind.one_line())))
            }
        }
    }

    fn parts(&self) -> Option<usize> {
        match self {
            ItemKind::DefBlock { body, .. }
            | ItemKind::Session { body }
            | ItemKind::Server { body } => Some(stmt::count(body)),
            ItemKind::Pool(_) => Some(1), // its width alone decides
            ItemKind::Stage { kind, .. } => match &kind.kind {
                StageKindKind::Step(options) => Some(options.len()),
                StageKindKind::Fifo(_) | StageKindKind::Ps(_) | StageKindKind::Delay => None,
            },
            ItemKind::Queue(_) | ItemKind::Workload { .. } => Some(usize::MAX),
            ItemKind::Run { .. } => Some(1),
            ItemKind::Let { .. }
            | ItemKind::Use { .. }
            | ItemKind::DefExpr { .. }
            | ItemKind::Pull { .. }
            | ItemKind::Share { .. }
            | ItemKind::Fail { .. }
            | ItemKind::Gauge { .. } => None,
        }
    }

    fn lines(&self, indent: usize) -> Vec<String> {
        match self {
            ItemKind::Let { name, value } => {
                behind(format!("let {} =", name.kind), value, ";", indent)
            }
            ItemKind::Gauge { name, value } => {
                behind(format!("gauge {} =", name.kind), value, ";", indent)
            }
            _ => vec![self.one_line()],
        }
    }

    fn spread(&self, span: Span, printer: &mut Printer<'_>) {
        match self {
            ItemKind::DefBlock { name, params, body } => {
                printer.block(span.start, &def_head(name, params), body);
            }
            ItemKind::Session { body } => printer.block(span.start, "session", body),
            ItemKind::Server { body } => printer.block(span.start, "server", body),
            ItemKind::Pool(pool) => pool.spread(span, printer),
            ItemKind::Stage { name, size: members, kind } => {
                let head = format!("stage {}{} : ", name.kind, size(members.as_ref()));
                printer.step(span, head, kind, String::new());
            }
            ItemKind::Queue(queue) => queue.spread(span, printer),
            ItemKind::Workload { items } => {
                let brace = printer.brace_after(span.start);
                printer.open(span.start, vec!["workload {".to_string()], brace);
                items.iter().for_each(|item| printer.node(item));
                printer.close("}".to_string(), span.end.saturating_sub(1), span.end);
            }
            ItemKind::Run { options } => {
                let brace = printer.brace_after(span.start);
                printer.open(span.start, vec!["run {".to_string()], brace);
                options.iter().for_each(|option| printer.node(option));
                printer.close("}".to_string(), span.end.saturating_sub(1), span.end);
            }
            _ => printer.write(vec![self.one_line()], span.end),
        }
    }
}

fn def_head(name: &Name, params: &[Name]) -> String {
    format!("def {}({})", name.kind, names(params))
}

fn policy(policy: Policy) -> &'static str {
    match policy {
        Policy::Maxmin => "maxmin",
        Policy::Bottleneck => "bottleneck",
    }
}

impl Print for (RunField, Expr) {
    fn one_line(&self) -> String {
        let field = match self.0 {
            RunField::Horizon => "horizon",
            RunField::Warmup => "warmup",
            RunField::Seed => "seed",
            RunField::Arrivals => "arrivals",
        };
        format!("{field} {};", expr(&self.1))
    }

    fn parts(&self) -> Option<usize> {
        None
    }

    fn spread(&self, span: Span, printer: &mut Printer<'_>) {
        printer.write(vec![self.one_line()], span.end);
    }
}

impl Print for WorkloadItemKind {
    fn one_line(&self) -> String {
        match self {
            WorkloadItemKind::Arrive(law) => match &law.kind {
                Arrival::Poisson(rate) => format!("arrive poisson({});", expr(rate)),
                Arrival::Renewal(gap) => format!("arrive renewal({});", expr(gap)),
                Arrival::Closed(n) => format!("arrive closed({});", expr(n)),
                Arrival::Batch(n) => format!("arrive batch({});", expr(n)),
                Arrival::None => "arrive none;".to_string(),
            },
            WorkloadItemKind::Trace { file, order } => {
                let order = match order {
                    TraceOrder::Drawn => "",
                    TraceOrder::InOrder => " ordered",
                    TraceOrder::AtArrival => " at arrival",
                };
                format!("trace \"{}\"{order};", file.kind)
            }
            WorkloadItemKind::Hidden(hidden) => format!("hidden {};", names(hidden)),
            WorkloadItemKind::Init(body) => format!("init {}", stmt::block(body)),
            WorkloadItemKind::Turn(body) => format!("turn {}", stmt::block(body)),
            WorkloadItemKind::Session(body) => format!("session {}", stmt::block(body)),
        }
    }

    fn parts(&self) -> Option<usize> {
        match self {
            WorkloadItemKind::Init(body)
            | WorkloadItemKind::Turn(body)
            | WorkloadItemKind::Session(body) => Some(stmt::count(body)),
            WorkloadItemKind::Arrive(_)
            | WorkloadItemKind::Trace { .. }
            | WorkloadItemKind::Hidden(_) => None,
        }
    }

    fn spread(&self, span: Span, printer: &mut Printer<'_>) {
        match self {
            WorkloadItemKind::Init(body) => printer.block(span.start, "init", body),
            WorkloadItemKind::Turn(body) => printer.block(span.start, "turn", body),
            WorkloadItemKind::Session(body) => printer.block(span.start, "session", body),
            _ => printer.write(vec![self.one_line()], span.end),
        }
    }
}
