//! Legs: `fork`, `join`, and bookings with the holds that open them.
//!
//! A leg is a copy of whoever forks it: the statements of its block are resolved where they stand, but no hold and
//! no booking around the fork is the leg's. A booking is opened by one hold, which stands later in the booking's
//! block and lies on every path to the block's end; which member it is stays as it was.

use super::context::Resolver;
use super::errors;
use super::holds::{Own, of_turn, own_values};
use super::moments::Moment;
use super::refs::{Use, Written};
use super::scope::{ScopeId, ScopeKind};
use super::terms::{number, same_member};
use crate::ir::{self, Builtin, HoldId, PoolRef, SiteId, StmtKind};
use crate::span::Span;
use crate::syntax::ast::{self, Block};

/// A booking in whose block the text stands.
pub(super) struct Booked {
    pool: PoolRef,
    hold: HoldId,
    span: Span,
    scope: ScopeId,
    /// Loops around it.
    loops: u32,
    /// Changes noted before it.
    changes: usize,
    /// Some hold has opened it.
    opened: bool,
}

/// What is known of the text around a statement, as far as legs go.
#[derive(Default)]
pub(super) struct Around {
    /// It stands in a leg.
    leg: bool,
    /// Loops around it, within the leg.
    loops: u32,
    /// Bookings in whose blocks it stands, outermost first.
    booked: Vec<Booked>,
    /// Values of the session's own that statements changed while something was booked.
    changes: Vec<Own>,
}

impl<'a> Resolver<'a> {
    /// Whether the text stands in a leg.
    pub fn in_leg(&self) -> bool {
        self.around.leg
    }

    /// `fork { … }`
    pub fn fork(&mut self, body: &'a Block, span: Span, scope: ScopeId, out: &mut ir::Block) {
        let holding = std::mem::take(&mut self.holding);
        let around = std::mem::replace(&mut self.around, Around { leg: true, ..Around::default() });
        let body = self.inner_block(body, scope);
        self.holding = holding;
        self.around = around;
        self.push(StmtKind::Fork(body), span, scope, out);
    }

    /// `loop { … }`
    pub fn looped(&mut self, body: &'a Block, span: Span, scope: ScopeId, out: &mut ir::Block) {
        self.around.loops += 1;
        let body = self.inner_block(body, scope);
        self.around.loops -= 1;
        self.push(StmtKind::Loop(body), span, scope, out);
    }

    /// Both sides of a branch, each of which opens what the other does.
    pub fn both_sides(
        &mut self,
        (then, otherwise): (&'a Block, Option<&'a Block>),
        scope: ScopeId,
    ) -> (ir::Block, ir::Block) {
        let before = self.opened();
        let yes = self.inner_block(then, scope);
        let by_yes = self.opened();
        self.set_opened(&before);
        let no = match otherwise {
            Some(block) => self.inner_block(block, scope),
            None => Vec::new(),
        };
        let by_no = self.opened();
        let goes_on = (falls_through(&yes), falls_through(&no));
        for i in 0..before.len() {
            let (by_yes, by_no) = (by_yes[i], by_no[i]);
            if goes_on == (true, true) && by_yes != by_no {
                let Booked { span, scope, .. } = self.around.booked[i];
                let other = if by_yes { otherwise.unwrap_or(then) } else { then };
                self.report(errors::legs::opened_on_one_way(span, other.span), scope);
            }
            self.around.booked[i].opened = match goes_on {
                (true, true) => by_yes || by_no,
                (true, false) => by_yes,
                (false, true) => by_no,
                (false, false) => by_yes && by_no,
            };
        }
        (yes, no)
    }

    /// What is done in place of the rest when something fails: if it goes on, it opens what the other way does.
    pub fn other_way(&mut self, block: &'a Block, scope: ScopeId) -> ir::Block {
        let before = self.opened();
        let resolved = self.inner_block(block, scope);
        let after = self.opened();
        for i in 0..before.len() {
            if falls_through(&resolved) && before[i] != after[i] {
                let Booked { span, scope, .. } = self.around.booked[i];
                self.report(errors::legs::opened_on_one_way(span, block.span), scope);
            }
        }
        self.set_opened(&before);
        resolved
    }

    fn opened(&self) -> Vec<bool> {
        self.around.booked.iter().map(|booked| booked.opened).collect()
    }

    fn set_opened(&mut self, opened: &[bool]) {
        for (booked, opened) in self.around.booked.iter_mut().zip(opened) {
            booked.opened = *opened;
        }
    }

    /// How many bookings there are, as a block begins.
    pub fn bookings(&self) -> usize {
        self.around.booked.len()
    }

    /// The block that began with so many bookings ends: all that it booked must be opened.
    pub fn close_bookings(&mut self, before: usize) {
        for booked in self.around.booked.split_off(before.min(self.around.booked.len())) {
            if !booked.opened {
                self.report(errors::legs::never_opened(booked.span), booked.scope);
            }
        }
        if self.around.booked.is_empty() {
            self.around.changes.clear();
        }
    }

    /// Notes what a statement changes of the session's own, as long as something is booked.
    pub fn note_change(&mut self, kind: &StmtKind) {
        if self.around.booked.is_empty() {
            return;
        }
        let changes = &mut self.around.changes;
        match kind {
            StmtKind::Set { attr, .. } | StmtKind::Choose { attr, .. } => {
                changes.push(Own::Set(*attr));
            }
            StmtKind::Hold { .. } | StmtKind::Open { .. } => {
                changes.extend([Own::Given(Builtin::Cached), Own::Given(Builtin::Computed)]);
            }
            StmtKind::Turn => {
                changes.extend(of_turn().map(Own::Given));
                super::types::each_stmt(&self.program.workload.turn, &mut |stmt| {
                    if let StmtKind::Set { attr, .. } = &stmt.kind {
                        changes.push(Own::Set(*attr));
                    }
                });
            }
            _ => {}
        }
    }

    /// `book POOL (units) reserve (r) reuse (x);`
    pub fn book(
        &mut self,
        booking: &'a ast::Booking,
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        let hold = self.new_hold(span, scope, None);
        let claims = std::slice::from_ref(&booking.claim);
        self.header(claims, booking.reuse.as_ref(), hold, scope);
        let claimed = self.program.holds[hold.index()].claims.first();
        if let Some(pool) = claimed.map(|claim| claim.pool.clone()) {
            let Around { loops, ref changes, .. } = self.around;
            let changes = changes.len();
            let span = booking.claim.pool.span;
            let booked = Booked { pool, hold, span, scope, loops, changes, opened: false };
            self.around.booked.push(booked);
        }
        self.push(StmtKind::Book { hold }, span, scope, out);
    }

    /// `hold POOL { … } cache … lease …`
    pub fn open(
        &mut self,
        opening: &'a ast::Opening,
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        let at = Self::at(scope, Moment::Header("a hold's units"));
        let pool = self.pool(Written::of_ref(&opening.pool, scope), Use::Act("hold"), at);
        let booking = pool.as_ref().and_then(|pool| self.find_booking(pool, opening, scope));
        let hold = self.new_hold(span, scope, self.holding.last().copied());
        match (booking, pool) {
            (Some(booking), _) => {
                let booked = &self.program.holds[booking.index()];
                let (claims, reuse) = (booked.claims.clone(), booked.reuse.clone());
                let hold = &mut self.program.holds[hold.index()];
                (hold.claims, hold.reuse) = (claims, reuse);
            }
            // What is wrong is reported; the body is read as if it held the pool.
            (None, Some(pool)) => {
                let units = number(0.0, pool.site);
                let claim = ir::Claim { pool, units, reserve: None };
                self.program.holds[hold.index()].claims.push(claim);
            }
            (None, None) => {
                self.unclear_holds.insert(hold);
            }
        }
        self.holding.push(hold);
        let body = self.inner_block(&opening.body, scope);
        self.holding.pop();
        self.check_steady(opening.pool.span, hold, &body, scope);
        if let Some(cache) = &opening.cache {
            let cache = self.expr(cache, Self::session_at(scope, "a `cache` clause"));
            if let Some(booking) = booking {
                self.program.holds[booking.index()].cache.clone_from(&cache);
            }
            self.program.holds[hold.index()].cache = cache;
        }
        if let Some(lease) = &opening.lease {
            self.lease(hold, lease, scope);
        }
        if let Some(booking) = booking {
            self.push(StmtKind::Open { hold, booking, body }, span, scope, out);
        }
    }

    /// The booking that a hold without units opens.
    fn find_booking(
        &mut self,
        pool: &PoolRef,
        opening: &ast::Opening,
        scope: ScopeId,
    ) -> Option<HoldId> {
        let span = opening.pool.span;
        let booked = &mut self.around.booked;
        let Some(found) = booked.iter_mut().rfind(|booked| same_member(&booked.pool, pool)) else {
            if !self.is_uncalled(scope) {
                let name = self.program.pools[pool.pool.index()].name.clone();
                self.report(errors::legs::not_booked(span, &name), scope);
            }
            return None;
        };
        let mut read = Vec::new();
        if let Some(index) = &found.pool.index {
            own_values(index, &mut read);
        }
        let (hold, first, changes) = (found.hold, found.span, found.changes);
        let again = found.opened || found.loops != self.around.loops;
        found.opened = true;
        if again {
            self.report(errors::legs::opened_again(span, first), scope);
        }
        let moved = self.around.changes[changes..].iter().find(|change| read.contains(change));
        if let Some(moved) = moved.copied() {
            let name = self.own_name(moved);
            self.report(errors::legs::booking_moves(span, &name, first), scope);
        }
        Some(hold)
    }

    /// Whether the text is that of an entry that is only checked.
    fn is_uncalled(&self, scope: ScopeId) -> bool {
        self.entry_of(scope).is_some_and(
            |id| matches!(&self.frame(id).kind, ScopeKind::Entry(entry) if entry.uncalled),
        )
    }

    /// Whoever waits for legs has forked some.
    pub fn check_joins(&mut self) {
        let mut loose = Vec::new();
        joins_of(&self.program.session, &mut loose);
        for site in loose {
            let site = self.program.sites[site.index()].clone();
            let mut found = errors::legs::nothing_to_join(site.span);
            for used_at in site.used_at.into_iter().rev() {
                found = found.also(used_at, "used here");
            }
            self.diagnostics.push(found);
        }
    }
}

/// The waits of a session or a leg that forks nothing, and of the legs in it.
fn joins_of(block: &ir::Block, loose: &mut Vec<SiteId>) {
    let (mut forks, mut joins) = (false, Vec::new());
    let mut legs = Vec::new();
    super::types::each_own_stmt(block, &mut |stmt| match &stmt.kind {
        StmtKind::Fork(leg) => {
            forks = true;
            legs.push(leg.clone());
        }
        StmtKind::Book { .. } => forks = true,
        StmtKind::Join => joins.push(stmt.site),
        _ => {}
    });
    if !forks {
        loose.append(&mut joins);
    }
    legs.iter().for_each(|leg| joins_of(leg, loose));
}

/// Whether what stands behind the block may be reached.
fn falls_through(block: &ir::Block) -> bool {
    block.iter().all(|stmt| match &stmt.kind {
        StmtKind::End | StmtKind::Loop(_) => false,
        StmtKind::Hold { body, .. } | StmtKind::Open { body, .. } => falls_through(body),
        StmtKind::Branch { then, otherwise, .. }
        | StmtKind::Guarded { body: then, otherwise, .. } => {
            falls_through(then) || falls_through(otherwise)
        }
        _ => true,
    })
}
