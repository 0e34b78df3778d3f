//! Which attributes are locals of one emitted function.
//!
//! An attribute that is set in one place only, and read only after it in the same code without a
//! wait in between, needs no field in the session: it is a `let` of the function. Everything else
//! (read in a header, a key, a clause, after a wait, or before it is set) stays a field.

use crate::{
    ir::{AttrId, Evict, Expr, ExprKind, Program, StageKind, visit},
    machine::{Exit, Machine, Op, OpKind, StateId},
};

/// Per attribute: it is a local.
pub fn locals(program: &Program, machine: &Machine) -> Vec<bool> {
    let n = program.attrs.len();
    let mut all = Uses { sets: vec![0; n], reads: vec![0; n] };
    for state in &machine.states {
        all.ops(&state.ops);
        all.exit(&state.exit);
    }
    all.outside(program);
    let mut finder = Finder { machine, all: &all, local: vec![false; n] };
    for i in 0..machine.states.len() {
        let id = StateId(i as u32);
        if !machine.inlined(id) {
            finder.state(id);
        }
    }
    finder.local
}

struct Uses {
    sets: Vec<u32>,
    reads: Vec<u32>,
}

impl Uses {
    fn expr(&mut self, e: &Expr) {
        visit::expr(e, &mut |e| {
            if let ExprKind::Attr(a) = e.kind {
                self.reads[a.index()] += 1;
            }
        });
    }

    fn ops(&mut self, ops: &[Op]) {
        for op in ops {
            self.op(op);
        }
    }

    fn op(&mut self, op: &Op) {
        match &op.kind {
            OpKind::Turn
            | OpKind::Leave(_)
            | OpKind::Unguard
            | OpKind::Fork(_)
            | OpKind::Book(..) => {}
            OpKind::Set(a, e) => {
                self.sets[a.index()] += 1;
                self.expr(e);
            }
            OpKind::Choose(a, count, keys) => {
                // A choice's own candidate is no read of the attribute, but keep it a field.
                self.sets[a.index()] += 2;
                self.expr(count);
                keys.iter().for_each(|k| self.expr(k));
            }
            OpKind::Observe(_, e) => self.expr(e),
            OpKind::Drop(p) | OpKind::Release(p) => self.index(p.index.as_deref()),
            OpKind::Prefix(key, tokens) => {
                self.expr(key);
                self.expr(tokens);
            }
            OpKind::Load(p, e) => {
                self.index(p.index.as_deref());
                self.expr(e);
            }
            OpKind::If(guard, _, yes, no) => {
                self.expr(guard);
                self.ops(yes);
                self.ops(no);
            }
        }
    }

    fn index(&mut self, e: Option<&Expr>) {
        if let Some(e) = e {
            self.expr(e);
        }
    }

    fn exit(&mut self, exit: &Exit) {
        match exit {
            Exit::Go(_)
            | Exit::Join(..)
            | Exit::End
            | Exit::EndLeg
            | Exit::Booked(_)
            | Exit::Await { .. }
            | Exit::Open { .. } => {}
            Exit::Branch { guard, .. } => self.expr(guard),
            Exit::Run { stages, work, growing, .. } => {
                stages.iter().for_each(|r| self.index(r.index.as_deref()));
                self.expr(work);
                self.index(growing.as_ref().and_then(|p| p.index.as_deref()));
            }
            Exit::Guard { index, .. } => self.index(index.as_ref()),
            Exit::Fan { ends, work, .. } => {
                ends.iter().for_each(|r| self.index(r.index.as_deref()));
                self.expr(work);
            }
            Exit::Grow { pool, amount, .. } => {
                self.index(pool.index.as_deref());
                self.expr(amount);
            }
        }
    }

    /// Reads and sets outside the session's states.
    fn outside(&mut self, program: &Program) {
        for block in [&program.workload.init, &program.workload.turn] {
            visit::stmts(block, &mut |s| {
                // What these blocks set outlives them.
                if let crate::ir::StmtKind::Set { attr, .. } = &s.kind {
                    self.sets[attr.index()] += 2;
                }
                visit::stmt_exprs(s, &mut |e| self.read(e));
            });
        }
        for hold in &program.holds {
            visit::header(hold, &mut |e| self.read(e));
            visit::clauses(hold, &mut |e| self.read(e));
        }
        for stage in &program.stages {
            if let StageKind::Step(step) = &stage.kind {
                visit::serve(step, &mut |e| self.read(e));
            }
        }
        for pool in &program.pools {
            pool.queue_keys.iter().for_each(|k| self.expr(k));
            if let Evict::By(keys) = &pool.evict {
                keys.iter().for_each(|k| self.expr(k));
            }
            if let Some(s) = &pool.spill {
                self.expr(&s.work);
                self.expr(&s.when);
                self.index(s.to.index.as_deref());
                self.index(s.via.index.as_deref());
            }
        }
    }

    /// One visited expression, whose parts are visited too.
    fn read(&mut self, e: &Expr) {
        if let ExprKind::Attr(a) = e.kind {
            self.reads[a.index()] += 1;
        }
    }
}

struct Finder<'a> {
    machine: &'a Machine,
    all: &'a Uses,
    local: Vec<bool>,
}

impl Finder<'_> {
    fn state(&mut self, id: StateId) {
        let state = self.machine.state(id);
        for (i, op) in state.ops.iter().enumerate() {
            if let OpKind::Set(attr, _) = op.kind
                && self.all.sets[attr.index()] == 1
                && self.all_after(attr, &state.ops[i + 1..], &state.exit)
            {
                self.local[attr.index()] = true;
            }
        }
        for to in self.inside(&state.exit) {
            self.state(to);
        }
    }

    /// The states whose code stands inside this one's.
    fn inside(&self, exit: &Exit) -> Vec<StateId> {
        let to = match exit {
            Exit::Go(to) | Exit::Await { next: to, .. } => vec![*to],
            Exit::Branch { yes, no, .. } => vec![*yes, *no],
            Exit::Guard { inside, failed, .. } => vec![*inside, *failed],
            Exit::Join(..)
            | Exit::Run { .. }
            | Exit::Fan { .. }
            | Exit::Grow { .. }
            | Exit::End
            | Exit::EndLeg
            | Exit::Booked(_)
            | Exit::Open { .. } => vec![],
        };
        to.into_iter().filter(|id| self.machine.inlined(*id)).collect()
    }

    /// Every read of `attr` is in what follows.
    fn all_after(&self, attr: AttrId, ops: &[Op], exit: &Exit) -> bool {
        let n = self.all.reads.len();
        let mut after = Uses { sets: vec![0; n], reads: vec![0; n] };
        after.ops(ops);
        self.follow(exit, &mut after);
        after.reads[attr.index()] == self.all.reads[attr.index()]
    }

    fn follow(&self, exit: &Exit, after: &mut Uses) {
        after.exit(exit);
        for id in self.inside(exit) {
            let state = self.machine.state(id);
            after.ops(&state.ops);
            self.follow(&state.exit, after);
        }
    }
}
