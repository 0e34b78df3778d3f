//! Statements and blocks as text.

use super::expr::{behind, expr, list, reference};
use super::{Print, Printer};
use crate::span::Span;
use crate::syntax::ast::{
    Block, Booking, Claim, Expr, Form, Hold, Lease, Mode, Name, Opening, Place, Ref, StmtKind,
    TransferPlace,
};

impl Print for StmtKind {
    fn one_line(&self) -> String {
        match self {
            StmtKind::Turn => "turn;".to_string(),
            StmtKind::End => "end;".to_string(),
            StmtKind::Request(None) => "request;".to_string(),
            StmtKind::Request(Some(queue)) => format!("request {};", queue.kind),
            StmtKind::Set { name, value } => format!("set {} = {};", name.kind, expr(value)),
            StmtKind::Observe { name, value } => {
                format!("observe {} = {};", name.kind, expr(value))
            }
            StmtKind::Mark { name } => format!("mark {};", name.kind),
            StmtKind::Hold(hold) => {
                let head = hold_head(hold).join(" ");
                let tail = hold_tail(hold.cache.as_ref(), hold.lease.as_ref());
                format!("{head} {}{tail}", block(&hold.body))
            }
            StmtKind::Open(opening) => {
                let Opening { pool, body, cache, lease } = &**opening;
                let tail = hold_tail(cache.as_ref(), lease.as_ref());
                format!("hold {} {}{tail}", reference(pool), block(body))
            }
            StmtKind::Book(booking) => {
                let Booking { claim: taken, reuse } = &**booking;
                let reuse =
                    reuse.as_ref().map_or(String::new(), |x| format!(" reuse ({})", expr(x)));
                format!("book {}{reuse};", claim(taken))
            }
            StmtKind::Grow { pool, amount } => {
                format!("grow {} ({});", reference(pool), expr(amount))
            }
            StmtKind::Load { pool, amount } => {
                format!("load {} ({});", reference(pool), expr(amount))
            }
            StmtKind::Drop { pool } => format!("drop {};", reference(pool)),
            StmtKind::Release { pool } => format!("release {};", reference(pool)),
            StmtKind::Run { stages, mode, work, growing } => {
                let mut out = "run ".to_string();
                if !stages.is_empty() {
                    out.push_str(&references(stages));
                    out.push(' ');
                }
                match mode.as_ref().map(|mode| mode.kind) {
                    Some(Mode::Prefill) => out.push_str("prefill "),
                    Some(Mode::Decode) => out.push_str("decode "),
                    None => {}
                }
                format!("{out}({}){};", expr(work), growing_text(growing.as_ref()))
            }
            StmtKind::Branch { then, otherwise, .. } => {
                let head = self.head();
                match otherwise {
                    Some(otherwise) => format!("{head} {} else {}", block(then), block(otherwise)),
                    None => format!("{head} {}", block(then)),
                }
            }
            StmtKind::Loop(body) => format!("loop {}", block(body)),
            StmtKind::Fork(body) => format!("fork {}", block(body)),
            StmtKind::Join => "join;".to_string(),
            StmtKind::Choose { name, count, keys } => {
                format!("choose {} in {} by ({});", name.kind, expr(count), list(keys))
            }
            StmtKind::Use { name, args } => format!("{}({});", name.kind, list(args)),
            StmtKind::Call { otherwise: Some(otherwise), .. }
            | StmtKind::Transfer { otherwise: Some(otherwise), .. } => {
                format!("{} else {}", self.head(), block(otherwise))
            }
            StmtKind::Call { .. } | StmtKind::Transfer { .. } => self.head() + ";",
            StmtKind::Serving { form, place, amount, growing } => {
                let form = match form.kind {
                    Form::Prefill => "prefill",
                    Form::Decode => "decode",
                    Form::Tool => "tool",
                };
                let place = match place {
                    Some(Place::Index(index)) => format!("[{}]", expr(index)),
                    Some(Place::On(stage)) => format!(" on {}", reference(stage)),
                    None => String::new(),
                };
                format!("{form}{place} {}{};", expr(amount), growing_text(growing.as_ref()))
            }
        }
    }

    fn parts(&self) -> Option<usize> {
        match self {
            StmtKind::Hold(hold) => Some(count(&hold.body)),
            StmtKind::Open(opening) => Some(count(&opening.body)),
            StmtKind::Branch { then, otherwise, .. } => {
                Some(count(then).saturating_add(otherwise.as_ref().map_or(0, count)))
            }
            StmtKind::Loop(body) | StmtKind::Fork(body) => Some(count(body)),
            StmtKind::Call { otherwise, .. } | StmtKind::Transfer { otherwise, .. } => {
                otherwise.as_ref().map(count)
            }
            _ => None,
        }
    }

    fn lines(&self, indent: usize) -> Vec<String> {
        match self {
            StmtKind::Set { name, value } => {
                behind(format!("set {} =", name.kind), value, ";", indent)
            }
            StmtKind::Observe { name, value } => {
                behind(format!("observe {} =", name.kind), value, ";", indent)
            }
            _ => vec![self.one_line()],
        }
    }

    fn spread(&self, span: Span, printer: &mut Printer<'_>) {
        match self {
            StmtKind::Hold(hold) => {
                let head = fit_head(hold, printer.columns());
                printer.open(span.start, head, hold.body.span.start);
                printer.stmts(&hold.body);
                let tail = hold_tail(hold.cache.as_ref(), hold.lease.as_ref());
                printer.close(format!("}}{tail}"), span.end, span.end);
            }
            StmtKind::Open(opening) => {
                let Opening { pool, body, cache, lease } = &**opening;
                let head = format!("hold {} {{", reference(pool));
                printer.open(span.start, vec![head], body.span.start);
                printer.stmts(body);
                let tail = hold_tail(cache.as_ref(), lease.as_ref());
                printer.close(format!("}}{tail}"), span.end, span.end);
            }
            StmtKind::Branch { then, otherwise, .. } => {
                let head = format!("{} {{", self.head());
                printer.open(span.start, vec![head], then.span.start);
                printer.stmts(then);
                if let Some(otherwise) = otherwise {
                    printer.reopen("} else {".to_string(), otherwise.span.start);
                    printer.stmts(otherwise);
                }
                printer.close("}".to_string(), span.end, span.end);
            }
            StmtKind::Loop(body) => printer.block(span.start, "loop", body),
            StmtKind::Fork(body) => printer.block(span.start, "fork", body),
            StmtKind::Call { otherwise: Some(otherwise), .. }
            | StmtKind::Transfer { otherwise: Some(otherwise), .. } => {
                printer.block(span.start, &format!("{} else", self.head()), otherwise);
            }
            _ => printer.write(vec![self.one_line()], span.end),
        }
    }
}

impl StmtKind {
    /// A branch up to its block, a call or a transfer up to its end.
    fn head(&self) -> String {
        match self {
            StmtKind::Branch { with: false, guard, .. } => format!("branch ({})", expr(guard)),
            StmtKind::Branch { with: true, guard, .. } => format!("branch with ({})", expr(guard)),
            StmtKind::Call { queue, verb, args, from, to, .. } => {
                let mut out = format!("{}.{}", reference(queue), verb.kind);
                if !args.is_empty() {
                    out.push_str(&format!(" ({})", list(args)));
                }
                if let Some(from) = from {
                    out.push_str(&format!(" from {}", reference(from)));
                }
                if let Some((pool, loaded)) = to {
                    out.push_str(&format!(" to {} ({})", reference(pool), expr(loaded)));
                }
                out
            }
            StmtKind::Transfer { place, amount, from, to, loaded, .. } => {
                let place = match place {
                    Some(TransferPlace::Index(index)) => format!("[{}]", expr(index)),
                    Some(TransferPlace::On(stages)) => format!(" on {}", references(stages)),
                    None => String::new(),
                };
                let (from, to) = (reference(from), reference(to));
                format!("transfer{place} {} from {from} to {to} ({})", expr(amount), expr(loaded))
            }
            _ => String::new(),
        }
    }
}

impl Printer<'_> {
    /// A head and its block over several lines.
    pub(super) fn block(&mut self, start: u32, head: &str, body: &Block) {
        self.open(start, vec![format!("{head} {{")], body.span.start);
        self.stmts(body);
        self.close("}".to_string(), body.span.end.saturating_sub(1), body.span.end);
    }

    fn stmts(&mut self, block: &Block) {
        for stmt in &block.kind {
            self.node(stmt);
        }
    }
}

/// A block on one line.
pub(super) fn block(block: &Block) -> String {
    super::item::braces(block.kind.iter().map(|stmt| stmt.kind.one_line()))
}

/// Statements of a block; past counting if it has blocks inside.
pub(super) fn count(block: &Block) -> usize {
    if block.kind.iter().all(|stmt| stmt.kind.parts().is_none()) {
        block.kind.len()
    } else {
        usize::MAX
    }
}

/// The clauses before a hold's block, without its `{`: pools, `reuse`, `at admission`.
fn hold_head(hold: &Hold) -> Vec<String> {
    let claims: Vec<String> = hold.claims.iter().map(claim).collect();
    let mut head = vec![format!("hold {}", claims.join(", "))];
    head.extend(hold.reuse.as_ref().map(|reuse| format!("reuse ({})", expr(reuse))));
    if !hold.bindings.is_empty() {
        head.push(format!("{AT_ADMISSION}{})", bindings(hold).join(", ")));
    }
    head
}

const AT_ADMISSION: &str = "at admission (";

fn bindings(hold: &Hold) -> Vec<String> {
    let text = |(name, value): &(Name, Expr)| format!("{} = {}", name.kind, expr(value));
    hold.bindings.iter().map(text).collect()
}

/// The head on one line if it fits, else each clause under the first pool, and each binding under
/// the first one if they need it.
fn fit_head(hold: &Hold, indent: usize) -> Vec<String> {
    let one = format!("{} {{", hold_head(hold).join(" "));
    if fits(indent, &one) {
        return vec![one];
    }
    let under = " ".repeat("hold ".len());
    let mut lines = Vec::new();
    for (i, clause) in hold_head(hold).into_iter().enumerate() {
        let line = if i == 0 { clause } else { format!("{under}{clause}") };
        if i > 0 && line.trim_start().starts_with(AT_ADMISSION) && !fits(indent + 2, &line) {
            let margin = " ".repeat(under.len() + AT_ADMISSION.len());
            let text = bindings(hold).join(&format!(",\n{margin}"));
            lines.extend(format!("{under}{AT_ADMISSION}{text})").split('\n').map(String::from));
        } else {
            lines.push(line);
        }
    }
    if let Some(last) = lines.last_mut() {
        last.push_str(" {");
    }
    lines
}

fn fits(indent: usize, line: &str) -> bool {
    indent + line.chars().count() <= super::WIDTH
}

fn hold_tail(cache: Option<&Expr>, lease: Option<&Lease>) -> String {
    let mut out = String::new();
    if let Some(cache) = cache {
        out.push_str(&format!(" cache ({})", expr(cache)));
    }
    if let Some(Lease { pool, time, .. }) = lease {
        out.push_str(&format!(" lease {} ({})", reference(pool), expr(time)));
    }
    if let Some((period, extension)) = lease.and_then(|lease| lease.renew.as_ref()) {
        out.push_str(&format!(" renew ({}, {})", expr(period), expr(extension)));
    }
    if !out.is_empty() {
        out.push(';');
    }
    out
}

fn claim(claim: &Claim) -> String {
    let mut out = format!("{} ({})", reference(&claim.pool), expr(&claim.units));
    if let Some(reserve) = &claim.reserve {
        out.push_str(&format!(" reserve ({})", expr(reserve)));
    }
    out
}

fn references(refs: &[Ref]) -> String {
    let texts: Vec<String> = refs.iter().map(reference).collect();
    texts.join(", ")
}

fn growing_text(growing: Option<&Ref>) -> String {
    growing.map_or(String::new(), |pool| format!(" growing {}", reference(pool)))
}
