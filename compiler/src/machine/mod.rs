//! The session as a state machine.
//!
//! In: the nested statements of [`Program::session`]. Out: [`Machine`], states of straight-line code
//! that take no time, each ended by a [`Exit`]. A state begins where time has passed (the session
//! begins, is admitted, or its run is over), or where several ways meet. Holds nest lexically, so a
//! hold statement has one state where its body begins, and a preemption is a jump back to it.
//! Cannot fail.

mod names;

use crate::ir::{
    AttrId, Block, Expr, HoldId, Mode, ObserveId, PoolRef, Program, QueueId, SiteId, StageRef,
    Stmt, StmtKind,
};

/// Index of a state in [`Machine::states`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct StateId(pub u32);

impl StateId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The whole life of a session.
#[derive(Clone, Debug)]
pub struct Machine {
    /// State 0 is where a session begins.
    pub states: Vec<State>,
    /// Per hold statement, the state where its body begins.
    pub body_of: Vec<StateId>,
}

/// Straight-line code that takes no time, and how it is left.
#[derive(Clone, Debug)]
pub struct State {
    /// A name for the emitted code: `start`, `after_prefill`, `in_kv`.
    pub name: String,
    /// What is done, in order.
    pub ops: Vec<Op>,
    /// Where it goes.
    pub exit: Exit,
    /// It is entered after a wait (or at the start), not only by a jump.
    pub resumed: bool,
    /// The statement that is waited at before it.
    pub waited: Option<SiteId>,
    /// Jumps that lead here.
    pub jumps: u32,
}

/// One step of straight-line code.
#[derive(Clone, Debug)]
pub struct Op {
    /// What it does.
    pub kind: OpKind,
    /// Where it came from.
    pub site: SiteId,
}

/// Kinds of step.
#[derive(Clone, Debug)]
pub enum OpKind {
    /// The next turn.
    Turn,
    /// `set`
    Set(AttrId, Expr),
    /// `choose`
    Choose(AttrId, Expr, Vec<Expr>),
    /// `observe`
    Observe(ObserveId, Expr),
    /// `drop`
    Drop(PoolRef),
    /// `prefix`: key, tokens
    Prefix(Expr, Expr),
    /// `release`
    Release(PoolRef),
    /// `load`
    Load(PoolRef, Expr),
    /// The end of a hold's scope.
    Leave(HoldId),
    /// A leg begins in this state.
    Fork(StateId),
    /// A leg begins in this state, which is to get what this hold takes.
    Book(HoldId, StateId),
    /// The end of a guarded call.
    Unguard,
    /// A branch within which nothing waits: guard, whether it must be checked, both sides.
    If(Expr, bool, Vec<Op>, Vec<Op>),
}

/// How a state is left; fields are named for the clause they hold.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Exit {
    /// On to another state at once.
    Go(StateId),
    /// One way or the other.
    Branch { guard: Expr, check: bool, yes: StateId, no: StateId, site: SiteId },
    /// Joins the queue of the hold's first pool; goes on in the hold's body state.
    Join(HoldId, SiteId),
    /// Work on one stage, or a flow over several.
    Run {
        /// The stages.
        stages: Vec<StageRef>,
        /// How an engine serves it.
        mode: Mode,
        /// How much.
        work: Expr,
        /// The hold that grows with it.
        growing: Option<PoolRef>,
        /// Where it goes on.
        next: StateId,
        /// The statement.
        site: SiteId,
    },
    /// Work divided among the NICs of both ends, each a first one.
    Fan { ends: [StageRef; 2], work: Expr, next: StateId, site: SiteId },
    /// A growth that may have to wait.
    Grow { pool: PoolRef, amount: Expr, next: StateId, site: SiteId },
    /// A guarded call: on inside, or elsewhere when the member is down, and from wherever it is when the
    /// member fails.
    Guard { queue: QueueId, index: Option<Expr>, inside: StateId, failed: StateId, site: SiteId },
    /// The session ends.
    End,
    /// The leg is over.
    EndLeg,
    /// The leg has got what this hold takes, for whoever booked it; it is over.
    Booked(HoldId),
    /// On once the legs forked so far are over; else it waits, and comes here again.
    Await { next: StateId, site: SiteId },
    /// Into the body of a hold with what was booked, once that is there; else it waits, and comes here again.
    Open { hold: HoldId, booking: HoldId, site: SiteId },
}

/// Lowers the session's statements.
pub fn build(program: &Program) -> Machine {
    let mut b = Builder {
        program,
        states: Vec::new(),
        body_of: vec![StateId(0); program.holds.len()],
        taken: names::Taken::default(),
    };
    let start = b.state("start".into(), None);
    b.states[start.index()].resumed = true;
    if let Some(open) = b.block(&program.session, start) {
        b.exit(open, Exit::End);
    }
    let mut machine = Machine { states: b.states, body_of: b.body_of };
    machine.count_jumps();
    machine
}

impl Machine {
    /// A state.
    pub fn state(&self, id: StateId) -> &State {
        &self.states[id.index()]
    }

    /// Where a session in this state is in the source: at the statement that it waited at, or else at
    /// the one that comes next. `None` where it only ends.
    pub fn place(&self, id: StateId) -> Option<SiteId> {
        let state = self.state(id);
        state.waited.or(state.ops.first().map(|op| op.site)).or(match &state.exit {
            Exit::Branch { site, .. }
            | Exit::Join(_, site)
            | Exit::Run { site, .. }
            | Exit::Fan { site, .. }
            | Exit::Grow { site, .. }
            | Exit::Guard { site, .. }
            | Exit::Await { site, .. }
            | Exit::Open { site, .. } => Some(*site),
            Exit::Go(_) | Exit::End | Exit::EndLeg | Exit::Booked(_) => None,
        })
    }

    fn count_jumps(&mut self) {
        let exits: Vec<Exit> = self.states.iter().map(|s| s.exit.clone()).collect();
        for exit in &exits {
            match exit {
                Exit::Go(to) | Exit::Await { next: to, .. } => self.states[to.index()].jumps += 1,
                Exit::Branch { yes, no, .. } => {
                    self.states[yes.index()].jumps += 1;
                    self.states[no.index()].jumps += 1;
                }
                Exit::Guard { inside, failed, .. } => {
                    self.states[inside.index()].jumps += 1;
                    self.states[failed.index()].jumps += 1;
                }
                Exit::Join(..)
                | Exit::Run { .. }
                | Exit::Fan { .. }
                | Exit::Grow { .. }
                | Exit::End
                | Exit::EndLeg
                | Exit::Booked(_)
                | Exit::Open { .. } => {}
            }
        }
    }

    /// Whether a session may come to a state again without having waited.
    pub fn loops(&self) -> bool {
        let all = || (0..self.states.len()).map(|i| StateId(i as u32));
        let followers = |id| self.followers(id).into_iter().flatten();
        let mut ways = vec![0_u32; self.states.len()];
        all().flat_map(followers).for_each(|to| ways[to.index()] += 1);
        // States that no others lead to are taken away one after the other; those of a loop stay.
        let mut free: Vec<StateId> = all().filter(|id| ways[id.index()] == 0).collect();
        let mut gone = 0;
        while let Some(id) = free.pop() {
            gone += 1;
            for to in followers(id) {
                ways[to.index()] -= 1;
                if ways[to.index()] == 0 {
                    free.push(to);
                }
            }
        }
        gone < self.states.len()
    }

    /// Where a session may go on from a state without waiting.
    fn followers(&self, id: StateId) -> [Option<StateId>; 2] {
        match &self.state(id).exit {
            Exit::Go(next) | Exit::Await { next, .. } | Exit::Grow { next, .. } => {
                [Some(*next), None]
            }
            Exit::Branch { yes, no, .. } => [Some(*yes), Some(*no)],
            Exit::Guard { inside, failed, .. } => [Some(*inside), Some(*failed)],
            Exit::Open { hold, .. } => [Some(self.body_of[hold.index()]), None],
            Exit::Join(..)
            | Exit::Run { .. }
            | Exit::Fan { .. }
            | Exit::End
            | Exit::EndLeg
            | Exit::Booked(_) => [None, None],
        }
    }

    /// True when the state's code stands inside the one state that jumps to it.
    pub fn inlined(&self, id: StateId) -> bool {
        let s = self.state(id);
        !s.resumed && s.jumps == 1
    }
}

struct Builder<'a> {
    program: &'a Program,
    states: Vec<State>,
    body_of: Vec<StateId>,
    taken: names::Taken,
}

impl Builder<'_> {
    fn state(&mut self, name: String, waited: Option<SiteId>) -> StateId {
        let name = self.taken.unique(name);
        let (ops, exit) = (Vec::new(), Exit::End);
        self.states.push(State { name, ops, exit, resumed: waited.is_some(), waited, jumps: 0 });
        StateId(self.states.len() as u32 - 1)
    }

    fn exit(&mut self, from: StateId, exit: Exit) {
        self.states[from.index()].exit = exit;
    }

    /// The state that is open behind two ways.
    fn meet(&mut self, ends: [Option<StateId>; 2]) -> Option<StateId> {
        let open: Vec<StateId> = ends.into_iter().flatten().collect();
        match open[..] {
            [] => None,
            [only] => Some(only),
            _ => {
                let meet = self.state("meet".into(), None);
                for from in open {
                    self.exit(from, Exit::Go(meet));
                }
                Some(meet)
            }
        }
    }

    /// Lowers `stmts` into the open state `cur`; the state that is open after them, if any is.
    fn block(&mut self, stmts: &[Stmt], mut cur: StateId) -> Option<StateId> {
        for stmt in stmts {
            cur = self.stmt(stmt, cur)?;
        }
        Some(cur)
    }

    fn stmt(&mut self, stmt: &Stmt, cur: StateId) -> Option<StateId> {
        let site = stmt.site;
        if let Some(op) = straight(stmt) {
            self.states[cur.index()].ops.push(op);
            return Some(cur);
        }
        match &stmt.kind {
            StmtKind::End => {
                self.exit(cur, Exit::End);
                None
            }
            StmtKind::Hold { hold, body } => {
                self.exit(cur, Exit::Join(*hold, site));
                self.held(*hold, body, site)
            }
            StmtKind::Run { stages, mode, work, growing } => {
                let name = names::of_run(self.program, stages, *mode);
                let next = self.state(name, Some(site));
                self.exit(
                    cur,
                    Exit::Run {
                        stages: stages.clone(),
                        mode: *mode,
                        work: work.clone(),
                        growing: growing.clone(),
                        next,
                        site,
                    },
                );
                Some(next)
            }
            StmtKind::Fan { ends, work } => {
                let next = self.state(names::of_run(self.program, ends, Mode::Decode), Some(site));
                self.exit(cur, Exit::Fan { ends: ends.clone(), work: work.clone(), next, site });
                Some(next)
            }
            StmtKind::Grow { pool, amount } => {
                let next = self.state(names::of_grow(self.program, pool), Some(site));
                self.exit(
                    cur,
                    Exit::Grow { pool: pool.clone(), amount: amount.clone(), next, site },
                );
                Some(next)
            }
            StmtKind::Branch { guard, check, then, otherwise } => {
                let yes = self.state("then".into(), None);
                let no = self.state("otherwise".into(), None);
                let (guard, check) = (guard.clone(), *check);
                self.exit(cur, Exit::Branch { guard, check, yes, no, site });
                let ends = [self.block(then, yes), self.block(otherwise, no)];
                self.meet(ends)
            }
            StmtKind::Guarded { queue, index, body, otherwise } => {
                let inside = self.state("called".into(), None);
                let failed = self.state(names::of_failed(self.program, *queue), Some(site));
                let (queue, index) = (*queue, index.as_deref().cloned());
                self.exit(cur, Exit::Guard { queue, index, inside, failed, site });
                let done = self.block(body, inside);
                if let Some(open) = done {
                    self.states[open.index()].ops.push(Op { kind: OpKind::Unguard, site });
                }
                let otherwise = self.block(otherwise, failed);
                self.meet([done, otherwise])
            }
            StmtKind::Loop(body) => {
                let head = self.state("again".into(), None);
                self.exit(cur, Exit::Go(head));
                if let Some(open) = self.block(body, head) {
                    self.exit(open, Exit::Go(head));
                }
                None
            }
            StmtKind::Fork(body) => {
                let leg = self.state("leg".into(), None);
                self.states[leg.index()].resumed = true;
                self.states[cur.index()].ops.push(Op { kind: OpKind::Fork(leg), site });
                if let Some(open) = self.block(body, leg) {
                    self.exit(open, Exit::EndLeg);
                }
                Some(cur)
            }
            StmtKind::Join => {
                let wait = self.state("joining".into(), Some(site));
                self.exit(cur, Exit::Go(wait));
                let next = self.state("joined".into(), None);
                self.exit(wait, Exit::Await { next, site });
                Some(next)
            }
            StmtKind::Book { hold } => {
                let leg = self.state(names::of_booking(self.program, *hold), None);
                self.states[leg.index()].resumed = true;
                self.states[cur.index()].ops.push(Op { kind: OpKind::Book(*hold, leg), site });
                let inside = self.state(names::of_hold(self.program, *hold), Some(site));
                self.body_of[hold.index()] = inside;
                self.exit(leg, Exit::Join(*hold, site));
                self.exit(inside, Exit::Booked(*hold));
                Some(cur)
            }
            StmtKind::Open { hold, booking, body } => {
                let wait = self.state(names::of_opening(self.program, *hold), Some(site));
                self.exit(cur, Exit::Go(wait));
                self.exit(wait, Exit::Open { hold: *hold, booking: *booking, site });
                self.held(*hold, body, site)
            }
            StmtKind::Turn
            | StmtKind::Set { .. }
            | StmtKind::Choose { .. }
            | StmtKind::Observe { .. }
            | StmtKind::Drop { .. }
            | StmtKind::Prefix { .. }
            | StmtKind::Release { .. }
            | StmtKind::Load { .. } => Some(cur), // straight, above
        }
    }
}

impl Builder<'_> {
    /// The body of a hold, from where its session is admitted.
    fn held(&mut self, hold: HoldId, body: &Block, site: SiteId) -> Option<StateId> {
        let inside = self.state(names::of_hold(self.program, hold), Some(site));
        self.body_of[hold.index()] = inside;
        let open = self.block(body, inside)?;
        self.states[open.index()].ops.push(Op { kind: OpKind::Leave(hold), site });
        Some(open)
    }
}

/// The statement as straight-line code, when nothing in it waits, ends or loops.
fn straight(stmt: &Stmt) -> Option<Op> {
    let kind = match &stmt.kind {
        StmtKind::Turn => OpKind::Turn,
        StmtKind::Set { attr, value } => OpKind::Set(*attr, value.clone()),
        StmtKind::Choose { attr, count, keys } => {
            OpKind::Choose(*attr, count.clone(), keys.clone())
        }
        StmtKind::Observe { observe, value } => OpKind::Observe(*observe, value.clone()),
        StmtKind::Drop { pool } => OpKind::Drop(pool.clone()),
        StmtKind::Prefix { key, tokens } => OpKind::Prefix(key.clone(), tokens.clone()),
        StmtKind::Release { pool } => OpKind::Release(pool.clone()),
        StmtKind::Load { pool, amount } => OpKind::Load(pool.clone(), amount.clone()),
        StmtKind::Branch { guard, check, then, otherwise } => {
            OpKind::If(guard.clone(), *check, straight_block(then)?, straight_block(otherwise)?)
        }
        StmtKind::End
        | StmtKind::Hold { .. }
        | StmtKind::Grow { .. }
        | StmtKind::Run { .. }
        | StmtKind::Fan { .. }
        | StmtKind::Book { .. }
        | StmtKind::Open { .. }
        | StmtKind::Fork(_)
        | StmtKind::Join
        | StmtKind::Guarded { .. }
        | StmtKind::Loop(_) => return None,
    };
    Some(Op { kind, site: stmt.site })
}

/// All of a block as straight-line code.
pub fn straight_block(block: &Block) -> Option<Vec<Op>> {
    block.iter().map(straight).collect()
}

#[cfg(test)]
mod tests {
    use super::{Exit, Machine, State, StateId};

    fn machine(exits: Vec<Exit>) -> Machine {
        let state = |exit| State {
            name: String::new(),
            ops: Vec::new(),
            exit,
            resumed: false,
            waited: None,
            jumps: 0,
        };
        Machine { states: exits.into_iter().map(state).collect(), body_of: Vec::new() }
    }

    #[test]
    fn ways_that_meet_are_no_loop_and_ways_back_are_one() {
        let go = |to| Exit::Go(StateId(to));
        assert!(!machine(vec![go(2), go(2), go(3), Exit::End]).loops());
        assert!(machine(vec![go(1), go(2), go(1)]).loops());
        assert!(machine(vec![Exit::End, go(1)]).loops());
    }

    #[test]
    fn many_states_in_a_row_are_looked_at_one_by_one() {
        let many = 200_000;
        let row = |last| {
            let exits = (0..many).map(|i| Exit::Go(StateId(i + 1)));
            machine(exits.chain([last]).collect())
        };
        assert!(!row(Exit::End).loops());
        assert!(row(Exit::Go(StateId(many / 2))).loops());
    }
}
