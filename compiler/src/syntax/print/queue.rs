//! Pools, stages and queues as text.

use super::expr::{expr, list, names, reference};
use super::item::{braces, size};
use super::{Print, Printer, stmt};
use crate::span::Span;
use crate::syntax::ast::{
    BaseOrder, Expr, Name, Pool, PoolOptionKind, Queue, QueueItemKind, ServeOrder, StageKind,
    StageKindKind, StepOptionKind,
};

impl Pool {
    fn head(&self) -> String {
        format!("pool {}{}", self.name.kind, size(self.size.as_ref()))
    }

    pub(super) fn one_line(&self) -> String {
        let options = braces(self.options.iter().map(|option| option.kind.one_line()));
        format!("{} {options}", self.head())
    }

    pub(super) fn spread(&self, span: Span, printer: &mut Printer<'_>) {
        let head = self.size.as_ref().map_or(self.name.span.end, |size| size.span.end);
        let brace = printer.brace_after(head);
        printer.open(span.start, vec![format!("{} {{", self.head())], brace);
        self.options.iter().for_each(|option| printer.node(option));
        printer.close("}".to_string(), span.end.saturating_sub(1), span.end);
    }
}

impl Print for PoolOptionKind {
    fn one_line(&self) -> String {
        match self {
            PoolOptionKind::Cap(cap) => format!("cap {};", expr(cap)),
            PoolOptionKind::Block(block) => format!("block {};", expr(block)),
            PoolOptionKind::EvictLru => "evict lru;".to_string(),
            PoolOptionKind::EvictBy(keys) => format!("evict by ({});", list(keys)),
            PoolOptionKind::PreemptNone => "preempt none;".to_string(),
            PoolOptionKind::PreemptLifo => "preempt lifo;".to_string(),
            PoolOptionKind::PrefixOwn => "prefix own;".to_string(),
            PoolOptionKind::PrefixShared => "prefix shared;".to_string(),
            PoolOptionKind::QueueFifo => "queue fifo;".to_string(),
            PoolOptionKind::QueueBy(keys) => format!("queue by ({});", list(keys)),
            PoolOptionKind::AdmitVia(stage) => format!("admit via {};", reference(stage)),
            PoolOptionKind::Spill { to, via, work, when } => {
                let (to, via) = (reference(to), reference(via));
                format!("spill {to} via {via} ({}) when ({});", expr(work), expr(when))
            }
        }
    }

    fn parts(&self) -> Option<usize> {
        None
    }

    fn spread(&self, span: Span, printer: &mut Printer<'_>) {
        printer.write(vec![self.one_line()], span.end);
    }
}

impl StageKindKind {
    fn one_line(&self) -> String {
        match self {
            StageKindKind::Fifo(None) => "fifo".to_string(),
            StageKindKind::Fifo(Some(servers)) => format!("fifo({})", expr(servers)),
            StageKindKind::Ps(capacity) => format!("ps({})", expr(capacity)),
            StageKindKind::Delay => "delay".to_string(),
            StageKindKind::Step(options) => {
                format!("step {}", braces(options.iter().map(|option| option.kind.one_line())))
            }
        }
    }

    /// With the `;` that follows all but a block.
    pub(super) fn ended(&self) -> String {
        let end = if matches!(self, StageKindKind::Step(_)) { "" } else { ";" };
        self.one_line() + end
    }

    fn parts(&self) -> Option<usize> {
        match self {
            StageKindKind::Step(options) => Some(options.len()),
            StageKindKind::Fifo(_) | StageKindKind::Ps(_) | StageKindKind::Delay => None,
        }
    }
}

impl Printer<'_> {
    /// A step engine over several lines, `tail` behind its `}`.
    pub(super) fn step(&mut self, span: Span, head: String, kind: &StageKind, tail: String) {
        let StageKindKind::Step(options) = &kind.kind else {
            self.write(vec![head + &kind.kind.ended()], span.end);
            return;
        };
        let brace = self.brace_after(kind.span.start);
        self.open(span.start, vec![head + "step {"], brace);
        options.iter().for_each(|option| self.node(option));
        self.close(format!("}}{tail}"), span.end.saturating_sub(1), span.end);
    }
}

impl Print for StepOptionKind {
    fn one_line(&self) -> String {
        match self {
            StepOptionKind::Budget(budget) => format!("budget {};", expr(budget)),
            StepOptionKind::Cost(cost) => format!("cost {};", expr(cost)),
            StepOptionKind::Chunk(chunk) => format!("chunk {};", expr(chunk)),
            StepOptionKind::Serve(order) => format!("serve {};", serve_order(order)),
            StepOptionKind::Memory(pool) => format!("memory {};", reference(pool)),
        }
    }

    fn parts(&self) -> Option<usize> {
        None
    }

    fn spread(&self, span: Span, printer: &mut Printer<'_>) {
        printer.write(vec![self.one_line()], span.end);
    }
}

fn serve_order(order: &ServeOrder) -> String {
    match order {
        ServeOrder::ExclusivePrefill => "exclusive prefill".to_string(),
        ServeOrder::Order { only, order } => {
            let only = only.as_ref().map(|only| format!("only ({})", expr(only)));
            let order = order.as_ref().map(|order| match order {
                BaseOrder::Admission => "admission".to_string(),
                BaseOrder::By(keys) => format!("by ({})", list(keys)),
                BaseOrder::DecodeFirst => "decode first".to_string(),
            });
            only.into_iter().chain(order).collect::<Vec<_>>().join(" ")
        }
    }
}

impl Queue {
    fn head(&self) -> String {
        let mut head = format!("queue {}{}", self.name.kind, size(self.size.as_ref()));
        if !self.roles.is_empty() {
            head.push_str(&format!(" : {}", names(&self.roles)));
        }
        head
    }

    pub(super) fn one_line(&self) -> String {
        let items = braces(self.items.iter().map(|item| item.kind.one_line()));
        format!("{} {items}", self.head())
    }

    pub(super) fn spread(&self, span: Span, printer: &mut Printer<'_>) {
        let head = self.size.as_ref().map_or(self.name.span.end, |size| size.span.end);
        let head = self.roles.last().map_or(head, |role| role.span.end);
        let brace = printer.brace_after(head);
        printer.open(span.start, vec![format!("{} {{", self.head())], brace);
        self.items.iter().for_each(|item| printer.node(item));
        printer.close("}".to_string(), span.end.saturating_sub(1), span.end);
    }
}

impl Print for QueueItemKind {
    fn one_line(&self) -> String {
        match self {
            QueueItemKind::Pool(pool) => pool.one_line(),
            QueueItemKind::Serve { kind, latency: None } => format!("serve {}", kind.kind.ended()),
            QueueItemKind::Serve { kind, latency: Some(latency) } => {
                format!("serve {} latency {};", kind.kind.one_line(), expr(latency))
            }
            QueueItemKind::Nic { ranks, kind } => {
                format!("{} {}", nic_head(ranks.as_ref()), kind.kind.ended())
            }
            QueueItemKind::Entry { verb, params, from, body } => {
                format!("{} {}", entry_head(verb, params, from.as_ref()), stmt::block(body))
            }
        }
    }

    fn parts(&self) -> Option<usize> {
        match self {
            QueueItemKind::Pool(_) => Some(1),
            QueueItemKind::Serve { kind, .. } | QueueItemKind::Nic { kind, .. } => {
                kind.kind.parts()
            }
            QueueItemKind::Entry { body, .. } => Some(stmt::count(body)),
        }
    }

    fn spread(&self, span: Span, printer: &mut Printer<'_>) {
        match self {
            QueueItemKind::Pool(pool) => pool.spread(span, printer),
            QueueItemKind::Serve { kind, latency } => {
                let tail =
                    latency.as_ref().map_or(String::new(), |x| format!(" latency {};", expr(x)));
                printer.step(span, "serve ".to_string(), kind, tail);
            }
            QueueItemKind::Nic { ranks, kind } => {
                let head = nic_head(ranks.as_ref());
                printer.step(span, format!("{head} "), kind, String::new());
            }
            QueueItemKind::Entry { verb, params, from, body } => {
                printer.block(span.start, &entry_head(verb, params, from.as_ref()), body);
            }
        }
    }
}

fn nic_head(ranks: Option<&Expr>) -> String {
    ranks.map_or_else(|| "nic".to_owned(), |ranks| format!("nic[{}]", expr(ranks)))
}

fn entry_head(verb: &Name, params: &[Name], from: Option<&Name>) -> String {
    let mut head = verb.kind.clone();
    if !params.is_empty() {
        head.push_str(&format!(" ({})", names(params)));
    }
    if let Some(from) = from {
        head.push_str(&format!(" from {}", from.kind));
    }
    head
}
