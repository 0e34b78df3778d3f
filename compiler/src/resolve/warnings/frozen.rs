//! Readings of pools and stages that are kept in an attribute until a hold's header uses them.
//!
//! A header is read anew at every attempt to admit, so that it sees the deployment as it is then;
//! what a `set` read before the session joined the queue does not move any more. Found by following
//! values through `set`s along the ways that a session can take. What an attribute decides (a
//! branch, a choice, the member that is asked) is no reading kept: those are decided when they are.

use crate::ir::{AttrId, Block, Expr, ExprKind, HoldId, PoolFn, Program, SiteId, StmtKind, visit};
use crate::resolve::context::Resolver;
use crate::resolve::errors;

/// Per attribute where the reading was made that its value comes from, if from one.
type Kept = Vec<Option<(AttrId, SiteId)>>;

impl Resolver<'_> {
    pub(super) fn warn_of_frozen(&mut self) {
        let mut walk = Walk { program: &self.program, found: Vec::new(), left: MOST_WORK };
        let mut kept: Kept = vec![None; self.program.attrs.len()];
        walk.block(&self.program.workload.init, &mut kept);
        walk.block(&self.program.session, &mut kept);
        let span = |site: SiteId| self.program.sites[site.index()].span;
        let warnings: Vec<_> = walk
            .found
            .iter()
            .map(|(attr, set, header)| {
                let name = &self.program.attrs[attr.index()].name;
                errors::warnings::frozen(span(*set), name, span(*header))
            })
            .collect();
        self.diagnostics.extend(warnings);
    }
}

/// What is looked at, in statements and copied attributes, before a program is given up: loops in
/// loops can ask for ever more.
const MOST_WORK: usize = 10_000_000;

struct Walk<'a> {
    program: &'a Program,
    /// Of [`MOST_WORK`].
    left: usize,
    /// The attribute that keeps a reading, where it was read, and the header that uses it.
    found: Vec<(AttrId, SiteId, SiteId)>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block, kept: &mut Kept) {
        for stmt in block {
            if !self.affords(1) {
                return;
            }
            match &stmt.kind {
                StmtKind::Set { attr, value } => {
                    kept[attr.index()] = match reading(value, kept) {
                        Some(Reading::Live) => Some((*attr, stmt.site)),
                        Some(Reading::Kept(origin)) => Some(origin),
                        None => None,
                    };
                }
                StmtKind::Choose { attr, .. } => kept[attr.index()] = None,
                StmtKind::Turn => self.block(&self.program.workload.turn, kept),
                StmtKind::Hold { hold, body } => {
                    self.header(*hold, kept);
                    self.block(body, kept);
                }
                StmtKind::Book { hold } => self.header(*hold, kept),
                StmtKind::Open { body, .. } => self.block(body, kept),
                // What a leg sets is its own.
                StmtKind::Fork(body) => self.block(body, &mut kept.clone()),
                StmtKind::Loop(body) => {
                    // What a round leaves behind may be read in the next: one more for each
                    // attribute that it can pass through, and no more.
                    for _ in 0..=kept.len() {
                        if !self.affords(kept.len()) {
                            return;
                        }
                        let before = kept.clone();
                        self.block(body, kept);
                        join(kept, &before);
                        if *kept == before {
                            break;
                        }
                    }
                }
                StmtKind::Branch { then, otherwise, .. }
                | StmtKind::Guarded { body: then, otherwise, .. } => {
                    if !self.affords(kept.len()) {
                        return;
                    }
                    let mut other = kept.clone();
                    self.block(then, kept);
                    self.block(otherwise, &mut other);
                    join(kept, &other);
                }
                StmtKind::End
                | StmtKind::Join
                | StmtKind::Observe { .. }
                | StmtKind::Grow { .. }
                | StmtKind::Drop { .. }
                | StmtKind::Prefix { .. }
                | StmtKind::Release { .. }
                | StmtKind::Load { .. }
                | StmtKind::Run { .. }
                | StmtKind::Fan { .. } => {}
            }
        }
    }

    fn affords(&mut self, work: usize) -> bool {
        self.left = self.left.saturating_sub(work);
        self.left > 0
    }

    fn header(&mut self, hold: HoldId, kept: &Kept) {
        let hold = &self.program.holds[hold.index()];
        let claims =
            hold.claims.iter().flat_map(|claim| [Some(&claim.units), claim.reserve.as_ref()]);
        for expr in claims.flatten().chain(&hold.reuse) {
            let mut uses = Vec::new();
            visit::expr(expr, &mut |part| {
                if let ExprKind::Attr(attr) = part.kind {
                    uses.extend(kept[attr.index()]);
                }
            });
            for (attr, set) in uses {
                if !self.found.iter().any(|(_, known, _)| *known == set) {
                    self.found.push((attr, set, expr.site));
                }
            }
        }
    }
}

/// What reaches a place by one way or by the other.
fn join(kept: &mut Kept, other: &Kept) {
    for (one, other) in kept.iter_mut().zip(other) {
        *one = one.or(*other);
    }
}

enum Reading {
    /// A pool or a stage, now.
    Live,
    /// One that was made before.
    Kept((AttrId, SiteId)),
}

/// What of the deployment a value comes from, if from any of it.
fn reading(value: &Expr, kept: &Kept) -> Option<Reading> {
    let mut found = None;
    visit::expr(value, &mut |part| match part.kind {
        // A block's size never moves.
        ExprKind::Pool(PoolFn::BlockSize, _) => {}
        ExprKind::Pool(..) | ExprKind::Stage(..) | ExprKind::Price(..) => {
            found = Some(Reading::Live);
        }
        ExprKind::Attr(attr) if found.is_none() => {
            found = kept[attr.index()].map(Reading::Kept);
        }
        _ => {}
    });
    found
}
