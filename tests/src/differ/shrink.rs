//! Smaller programs: a program's tree without some of its items, statements, options and clauses, or with simpler
//! expressions.
//!
//! Everything that may go has a number, in the order in which it stands; [`edits`] lists them and [`without`] takes a set
//! of them away at once. Whether what is left is still a program is for others to find out.

use serq_compiler::{
    span::FileId,
    syntax::{self, ast::*},
};
use std::{collections::BTreeSet, mem};

/// How much an edit takes away; the first kinds are tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// An item, or something in a queue or the workload.
    Item,
    /// A statement, or the lines around a block.
    Statement,
    /// An option, a clause, a key.
    Clause,
    /// An expression becomes its first operand, or 1.
    Expression,
}

/// What may be taken away from a program, by number.
pub fn edits(text: &str) -> Vec<Kind> {
    walked(text, &BTreeSet::new()).map_or(Vec::new(), |(_, kinds)| kinds)
}

/// The program without the edits of these numbers.
pub fn without(text: &str, gone: &BTreeSet<usize>) -> Option<String> {
    walked(text, gone).map(|(file, _)| syntax::print(&file))
}

fn walked(text: &str, gone: &BTreeSet<usize>) -> Option<(File, Vec<Kind>)> {
    let mut file = syntax::parse(FileId(0), text).ok()?;
    let mut walk = Walk { gone, kinds: Vec::new() };
    walk.list(&mut file.items, Kind::Item, Walk::item);
    Some((file, walk.kinds))
}

/// Numbers what may go, and takes away what has to.
struct Walk<'a> {
    gone: &'a BTreeSet<usize>,
    kinds: Vec<Kind>,
}

impl Walk<'_> {
    fn goes(&mut self, kind: Kind) -> bool {
        self.kinds.push(kind);
        self.gone.contains(&(self.kinds.len() - 1))
    }

    fn list<T>(&mut self, all: &mut Vec<T>, kind: Kind, each: impl Fn(&mut Self, &mut T)) {
        for mut one in mem::take(all) {
            let goes = self.goes(kind);
            each(self, &mut one);
            if !goes {
                all.push(one);
            }
        }
    }

    fn option<T>(&mut self, one: &mut Option<T>, each: impl Fn(&mut Self, &mut T)) {
        if let Some(inner) = one {
            let goes = self.goes(Kind::Clause);
            each(self, inner);
            if goes {
                *one = None;
            }
        }
    }

    fn item(&mut self, item: &mut Item) {
        match &mut item.kind {
            ItemKind::Let { value, .. } | ItemKind::Gauge { value, .. } => self.expr(value),
            ItemKind::DefExpr { body, .. } => self.expr(body),
            ItemKind::DefBlock { body, .. }
            | ItemKind::Session { body }
            | ItemKind::Server { body } => {
                self.block(body);
            }
            ItemKind::Pool(pool) => self.pool(pool),
            ItemKind::Stage { size, kind, .. } => {
                self.option(size, Self::expr);
                self.stage(kind);
            }
            ItemKind::Queue(queue) => {
                self.option(&mut queue.size, Self::expr);
                self.list(&mut queue.items, Kind::Item, Self::queue_item);
            }
            ItemKind::Pull { latency, .. } => self.option(latency, Self::expr),
            ItemKind::Workload { items } => self.list(items, Kind::Item, Self::workload_item),
            ItemKind::Run { options } => {
                self.list(options, Kind::Clause, |walk, option| walk.expr(&mut option.kind.1));
            }
            ItemKind::Fail { at, lasts, .. } => {
                self.expr(at);
                self.expr(lasts);
            }
            ItemKind::Use { .. } | ItemKind::Share { .. } => {}
        }
    }

    fn pool(&mut self, pool: &mut Pool) {
        self.option(&mut pool.size, Self::expr);
        self.list(&mut pool.options, Kind::Clause, |walk, option| match &mut option.kind {
            PoolOptionKind::Cap(e) | PoolOptionKind::Block(e) => walk.expr(e),
            PoolOptionKind::EvictBy(keys) | PoolOptionKind::QueueBy(keys) => walk.exprs(keys),
            PoolOptionKind::Spill { work, when, .. } => {
                walk.expr(work);
                walk.expr(when);
            }
            PoolOptionKind::EvictLru
            | PoolOptionKind::PreemptNone
            | PoolOptionKind::PreemptLifo
            | PoolOptionKind::QueueFifo
            | PoolOptionKind::PrefixOwn
            | PoolOptionKind::PrefixShared
            | PoolOptionKind::AdmitVia(_) => {}
        });
    }

    fn stage(&mut self, kind: &mut StageKind) {
        match &mut kind.kind {
            StageKindKind::Fifo(servers) => self.option(servers, Self::expr),
            StageKindKind::Ps(e) => self.expr(e),
            StageKindKind::Delay => {}
            StageKindKind::Step(options) => {
                self.list(options, Kind::Clause, |walk, option| match &mut option.kind {
                    StepOptionKind::Budget(e)
                    | StepOptionKind::Cost(e)
                    | StepOptionKind::Chunk(e) => walk.expr(e),
                    StepOptionKind::Serve(ServeOrder::Order { only, order }) => {
                        walk.option(only, Self::expr);
                        walk.option(order, |walk, order| match order {
                            BaseOrder::By(keys) => walk.exprs(keys),
                            BaseOrder::Admission | BaseOrder::DecodeFirst => {}
                        });
                    }
                    StepOptionKind::Serve(ServeOrder::ExclusivePrefill)
                    | StepOptionKind::Memory(_) => {}
                });
            }
        }
    }

    fn queue_item(&mut self, item: &mut QueueItem) {
        match &mut item.kind {
            QueueItemKind::Pool(pool) => self.pool(pool),
            QueueItemKind::Serve { kind, latency } => {
                self.stage(kind);
                self.option(latency, Self::expr);
            }
            QueueItemKind::Nic { kind, .. } => self.stage(kind),
            QueueItemKind::Entry { body, .. } => self.block(body),
        }
    }

    fn workload_item(&mut self, item: &mut WorkloadItem) {
        match &mut item.kind {
            WorkloadItemKind::Arrive(law) => match &mut law.kind {
                Arrival::Poisson(e)
                | Arrival::Renewal(e)
                | Arrival::Closed(e)
                | Arrival::Batch(e) => self.expr(e),
                Arrival::None => {}
            },
            WorkloadItemKind::Hidden(names) => self.list(names, Kind::Clause, |_, _| {}),
            WorkloadItemKind::Init(block)
            | WorkloadItemKind::Turn(block)
            | WorkloadItemKind::Session(block) => {
                self.block(block);
            }
            WorkloadItemKind::Trace { .. } => {}
        }
    }

    fn block(&mut self, block: &mut Block) {
        for mut stmt in mem::take(&mut block.kind) {
            let goes = self.goes(Kind::Statement);
            self.statement(&mut stmt);
            let inner = match &stmt.kind {
                StmtKind::Hold(hold) => Some(hold.body.kind.clone()),
                StmtKind::Branch { then, .. } => Some(then.kind.clone()),
                StmtKind::Open(opening) => Some(opening.body.kind.clone()),
                StmtKind::Loop(body) | StmtKind::Fork(body) => Some(body.kind.clone()),
                _ => None,
            };
            let opens = inner.is_some() && self.goes(Kind::Statement);
            match inner {
                _ if goes => {}
                Some(inner) if opens => block.kind.extend(inner),
                _ => block.kind.push(stmt),
            }
        }
    }

    fn statement(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Set { value, .. } | StmtKind::Observe { value, .. } => self.expr(value),
            StmtKind::Hold(hold) => self.hold(hold),
            StmtKind::Grow { amount, .. } | StmtKind::Load { amount, .. } => self.expr(amount),
            StmtKind::Run { stages, work, growing, .. } => {
                if stages.len() > 1 {
                    self.list(stages, Kind::Clause, |_, _| {});
                }
                self.expr(work);
                self.option(growing, |_, _| {});
            }
            StmtKind::Branch { guard, then, otherwise, .. } => {
                self.expr(guard);
                self.block(then);
                self.option(otherwise, Self::block);
            }
            StmtKind::Loop(body) | StmtKind::Fork(body) => self.block(body),
            StmtKind::Book(booking) => {
                self.expr(&mut booking.claim.units);
                self.option(&mut booking.claim.reserve, Self::expr);
                self.option(&mut booking.reuse, Self::expr);
            }
            StmtKind::Open(opening) => {
                self.block(&mut opening.body);
                self.option(&mut opening.cache, Self::expr);
                self.option(&mut opening.lease, Self::lease);
            }
            StmtKind::Choose { count, keys, .. } => {
                self.expr(count);
                self.exprs(keys);
            }
            StmtKind::Use { args, .. } => args.iter_mut().for_each(|arg| self.expr(arg)),
            StmtKind::Call { args, otherwise, .. } => {
                args.iter_mut().for_each(|arg| self.expr(arg));
                self.option(otherwise, Self::block);
            }
            StmtKind::Serving { amount, growing, .. } => {
                self.expr(amount);
                self.option(growing, |_, _| {});
            }
            StmtKind::Transfer { amount, loaded, otherwise, .. } => {
                self.expr(amount);
                self.expr(loaded);
                self.option(otherwise, Self::block);
            }
            StmtKind::Turn
            | StmtKind::End
            | StmtKind::Join
            | StmtKind::Request(_)
            | StmtKind::Mark { .. }
            | StmtKind::Drop { .. }
            | StmtKind::Release { .. } => {}
        }
    }

    fn lease(&mut self, lease: &mut Lease) {
        self.expr(&mut lease.time);
        self.option(&mut lease.renew, |walk, (period, extension)| {
            walk.expr(period);
            walk.expr(extension);
        });
    }

    fn hold(&mut self, hold: &mut Hold) {
        self.list(&mut hold.claims, Kind::Clause, |walk, claim| {
            walk.expr(&mut claim.units);
            walk.option(&mut claim.reserve, Self::expr);
        });
        self.option(&mut hold.reuse, Self::expr);
        self.list(&mut hold.bindings, Kind::Clause, |walk, (_, e)| walk.expr(e));
        self.block(&mut hold.body);
        self.option(&mut hold.cache, Self::expr);
        self.option(&mut hold.lease, Self::lease);
    }

    fn exprs(&mut self, exprs: &mut Vec<Expr>) {
        self.list(exprs, Kind::Clause, Self::expr);
    }

    fn expr(&mut self, e: &mut Expr) {
        if matches!(e.kind, ExprKind::Num { .. }) {
            return;
        }
        let one = self.goes(Kind::Expression);
        let operand = match &mut e.kind {
            ExprKind::Unary { expr, .. } => Some(expr),
            ExprKind::Paren(expr) => Some(expr),
            ExprKind::Chain { first, rest } => {
                rest.iter_mut().for_each(|(_, term)| self.expr(term));
                Some(first)
            }
            ExprKind::Cond { test, yes, no } => {
                self.expr(test);
                self.expr(no);
                Some(yes)
            }
            ExprKind::Call { args, .. } | ExprKind::Draw { args, .. } => {
                args.iter_mut().for_each(|arg| self.expr(arg));
                None
            }
            ExprKind::Aggregate { body, .. } => {
                self.expr(body);
                None
            }
            ExprKind::Num { .. }
            | ExprKind::Name(_)
            | ExprKind::SelfIndex
            | ExprKind::Field { .. }
            | ExprKind::Ref(_) => None,
        };
        if let Some(operand) = operand {
            self.expr(operand);
            let operand = (**operand).clone();
            if self.goes(Kind::Expression) {
                *e = operand;
            }
        }
        if one {
            e.kind = ExprKind::Num { value: 1.0, text: "1".into() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "pool p { cap 4; block 2; }\nstage d : delay;\nworkload { arrive batch(2); }\n\
        session {\n  hold p (min(1, 2)) { run d (1 + serial); } cache (2)\n  observe u = used(p);\n}\nrun { horizon 9; }\n";

    #[test]
    fn nothing_taken_away_changes_nothing() {
        let same = without(PROGRAM, &BTreeSet::new()).unwrap_or_default();
        assert_eq!(edits(&same), edits(PROGRAM));
        assert!(edits(PROGRAM).len() > 12);
    }

    #[test]
    fn each_edit_takes_something_away() {
        for at in 0..edits(PROGRAM).len() {
            let less = without(PROGRAM, &BTreeSet::from([at])).unwrap_or_default();
            assert_ne!(Some(less), without(PROGRAM, &BTreeSet::new()), "{at}");
        }
    }

    #[test]
    fn all_edits_leave_nothing() {
        let all = (0..edits(PROGRAM).len()).collect();
        assert_eq!(without(PROGRAM, &all).unwrap_or_default().trim(), "");
    }
}
