//! Statements and what they are made of.

use super::Walk;
use serq_compiler::syntax::ast::*;

impl Walk<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        block.kind.iter().for_each(|stmt| self.statement(stmt));
    }

    fn statement(&mut self, stmt: &Stmt) {
        let name = match &stmt.kind {
            StmtKind::Turn => "turn",
            StmtKind::End => "end",
            StmtKind::Request(None) => "request",
            StmtKind::Request(Some(_)) => "request of a gateway",
            StmtKind::Set { value, .. } => {
                self.expr("set", value);
                "set"
            }
            StmtKind::Observe { value, .. } => {
                self.expr("observe", value);
                "observe"
            }
            StmtKind::Mark { .. } => "mark",
            StmtKind::Hold(hold) => {
                self.hold(hold);
                "hold"
            }
            StmtKind::Grow { pool, amount } => {
                self.reference(pool);
                self.expr("grow", amount);
                "grow"
            }
            StmtKind::Drop { pool } => {
                self.reference(pool);
                "drop"
            }
            StmtKind::Release { pool } => {
                self.reference(pool);
                "release"
            }
            StmtKind::Load { pool, amount } => {
                self.reference(pool);
                self.expr("load", amount);
                "load"
            }
            StmtKind::Run { stages, mode, work, growing } => {
                stages.iter().chain(growing).for_each(|stage| self.reference(stage));
                self.expr("work", work);
                match mode.as_ref().map(|mode| mode.kind) {
                    Some(Mode::Prefill) => self.has("statement", "run prefill"),
                    Some(Mode::Decode) => self.has("statement", "run decode"),
                    None => {}
                }
                if growing.is_some() {
                    self.has("statement", "run growing");
                }
                match stages.len() {
                    0 => "run of the own stage",
                    1 => "run",
                    _ => "run of several stages",
                }
            }
            StmtKind::Branch { with, guard, then, otherwise } => {
                self.expr("branch", guard);
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.has("statement", "else");
                    self.block(otherwise);
                }
                if *with { "branch with" } else { "branch" }
            }
            StmtKind::Loop(body) => {
                self.block(body);
                "loop"
            }
            StmtKind::Fork(body) => {
                self.block(body);
                "fork"
            }
            StmtKind::Join => "join",
            StmtKind::Book(booking) => {
                self.reference(&booking.claim.pool);
                self.expr("units", &booking.claim.units);
                if let Some(reserve) = &booking.claim.reserve {
                    self.expr("reserve", reserve);
                }
                if let Some(reuse) = &booking.reuse {
                    self.expr("reuse", reuse);
                }
                "book"
            }
            StmtKind::Open(opening) => {
                self.reference(&opening.pool);
                self.block(&opening.body);
                "hold of a booking"
            }
            StmtKind::Choose { count, keys, .. } => {
                self.expr("choose", count);
                self.keys("statement", "choose by", keys);
                keys.iter().for_each(|key| self.expr("choose", key));
                "choose"
            }
            StmtKind::Use { args, .. } => {
                self.arguments(args);
                "use of a definition"
            }
            StmtKind::Call { queue, args, from, to, otherwise, .. } => {
                if let Some(otherwise) = otherwise {
                    self.has("statement", "call else");
                    self.block(otherwise);
                }
                self.reference(queue);
                self.arguments(args);
                match (from, to) {
                    (_, Some(_)) => "call to",
                    (Some(_), None) => "call from",
                    (None, None) => "call",
                }
            }
            StmtKind::Serving { form, place, amount, growing } => {
                self.serving(form.kind, place.as_ref(), amount, growing.as_ref());
                return;
            }
            StmtKind::Transfer { place, amount, from, to, loaded, otherwise } => {
                if let Some(otherwise) = otherwise {
                    self.has("statement", "transfer else");
                    self.block(otherwise);
                }
                self.reference(from);
                self.reference(to);
                self.expr("work", amount);
                self.expr("load", loaded);
                let name = match place {
                    None => "transfer",
                    Some(TransferPlace::Index(index)) => {
                        self.expr("work", index);
                        "transfer [index]"
                    }
                    Some(TransferPlace::On(stages)) => {
                        stages.iter().for_each(|stage| self.reference(stage));
                        if stages.len() > 1 { "transfer on several" } else { "transfer on one" }
                    }
                };
                self.has("serving", name);
                return;
            }
        };
        self.has("statement", name);
    }

    fn serving(&mut self, form: Form, place: Option<&Place>, amount: &Expr, growing: Option<&Ref>) {
        let name = match form {
            Form::Prefill => "prefill",
            Form::Decode => "decode",
            Form::Tool => "tool",
        };
        let place = match place {
            None => "",
            Some(Place::Index(index)) => {
                self.expr("work", index);
                " [index]"
            }
            Some(Place::On(stage)) => {
                self.reference(stage);
                " on"
            }
        };
        self.expr("work", amount);
        if let Some(pool) = growing {
            self.reference(pool);
            self.has("serving", "growing");
        }
        self.has("serving", &format!("{name}{place}"));
    }

    fn hold(&mut self, hold: &Hold) {
        if hold.claims.len() > 1 {
            self.has("hold", "several pools");
        }
        if self.depth > 0 {
            self.has("hold", "in a hold");
        }
        for claim in &hold.claims {
            self.reference(&claim.pool);
            self.expr("units", &claim.units);
            if let Some(reserve) = &claim.reserve {
                self.has("hold", "reserve");
                self.expr("reserve", reserve);
            }
        }
        if let Some(reuse) = &hold.reuse {
            self.has("hold", "reuse");
            self.expr("reuse", reuse);
        }
        match hold.bindings.len() {
            0 => {}
            1 => self.has("hold", "at admission"),
            _ => self.has("hold", "several bindings"),
        }
        hold.bindings.iter().for_each(|(_, value)| self.expr("at admission", value));
        self.depth += 1;
        self.block(&hold.body);
        self.depth -= 1;
        if let Some(cache) = &hold.cache {
            self.has("hold", "cache");
            self.expr("cache", cache);
        }
        if let Some(Lease { pool, time: bound, renew }) = &hold.lease {
            self.reference(pool);
            self.has("hold", "lease");
            self.expr("lease", bound);
            if let Some((period, extension)) = renew {
                self.has("hold", "renew");
                self.expr("renew", period);
                self.expr("renew", extension);
            }
        }
    }
}
