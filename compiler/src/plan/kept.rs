//! What may be kept of the members of a family from one reading to the next.
//!
//! A `choose` over all members, and `max`, `min` and `sum` over them in a gauge, may be kept when keys and
//! values read counters of the member alone, and constants: the runtime then reads again only the members
//! whose counters have changed. A choice may also read what the session has cached in a member's pool: that
//! is nothing but for the few members that it was at, so what is kept are the keys where it has nothing
//! there. What reads more of the session, the clock, a draw, an estimate or another family is read anew each
//! time.

use super::same_constant;
use crate::ir::{
    AggregateOp, AttrId, Expr, ExprKind, PoolFn, PoolId, PoolRef, Program, SiteId, StageFn,
    StageId, StageKind, StageRef, StmtKind, VarId, eval::eval, print::expression, visit,
};

/// Tables that a program may have: each is a bit.
const MOST: usize = 64;

/// A family that has the members.
#[derive(Clone, Copy, Debug)]
pub enum Family {
    /// Of pools.
    Pool(PoolId),
    /// Of stages.
    Stage(StageId),
}

/// Keys or a value of each member of a family.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Over [`ExprKind::Member`]; of values one.
    pub keys: Vec<Expr>,
    /// The same for a session that may have something cached there, where they read that; in `keys` it is 0.
    pub own: Option<Vec<Expr>>,
    /// Whose members.
    pub of: Family,
    /// A choice or a `min` asks for it.
    pub least: bool,
    /// A `max` asks for it.
    pub greatest: bool,
    /// A `sum` asks for it.
    pub total: bool,
    /// The first who asks.
    pub site: SiteId,
}

/// What is kept, and who reads it.
#[derive(Clone, Debug)]
pub struct KeptPlan {
    /// By number.
    pub tables: Vec<Kept>,
    /// Per pool family: the tables that read `used`, `holders`, `queued` and what sessions have cached, a
    /// bit each.
    pub pools: Vec<[u64; 4]>,
    /// Per stage family: those that read its jobs or an iteration's progress.
    pub stages: Vec<u64>,
}

/// What keys or values call the member that they are read of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Index {
    /// The attribute that a choice sets.
    Candidate(AttrId),
    /// The variable of an aggregate.
    Var(VarId),
}

/// Finds all that may be kept.
pub fn kept(program: &Program) -> KeptPlan {
    let mut tables: Vec<Kept> = Vec::new();
    let w = &program.workload;
    for block in [&w.init, &w.turn, &program.session] {
        visit::stmts(block, &mut |s| {
            if let StmtKind::Choose { attr, count, keys } = &s.kind {
                let found = of_members(program, Index::Candidate(*attr), count, keys);
                add(program, &mut tables, found, s.site, |table| table.least = true);
            }
        });
    }
    for gauge in &program.gauges {
        visit::expr(&gauge.value, &mut |e| {
            if let ExprKind::Aggregate(op, var, count, body) = &e.kind {
                let body = std::slice::from_ref(&**body);
                let found = of_members(program, Index::Var(*var), count, body);
                add(program, &mut tables, found, e.site, |table| match op {
                    AggregateOp::Max => table.greatest = true,
                    AggregateOp::Min => table.least = true,
                    AggregateOp::Sum => table.total = true,
                });
            }
        });
    }
    readers(program, tables)
}

impl KeptPlan {
    /// The table of such keys or of such a value, if they are kept.
    pub fn table(
        &self,
        program: &Program,
        index: Index,
        count: &Expr,
        keys: &[Expr],
    ) -> Option<usize> {
        let found = of_members(program, index, count, keys)?;
        find(program, &self.tables, &found)
    }
}

/// Keys that may be kept.
struct Found {
    keys: Vec<Expr>,
    own: Option<Vec<Expr>>,
    of: Family,
}

/// Adds a table, or asks more of the one that is there.
fn add(
    program: &Program,
    tables: &mut Vec<Kept>,
    found: Option<Found>,
    site: SiteId,
    ask: impl FnOnce(&mut Kept),
) {
    let Some(found) = found else { return };
    let at = find(program, tables, &found).unwrap_or(tables.len());
    if at == MOST {
        return;
    }
    if at == tables.len() {
        let Found { keys, own, of } = found;
        tables.push(Kept { keys, own, of, least: false, greatest: false, total: false, site });
    }
    ask(&mut tables[at]);
}

fn find(program: &Program, tables: &[Kept], found: &Found) -> Option<usize> {
    let text = |keys: &[Expr], own: &Option<Vec<Expr>>| -> Vec<String> {
        let own = own.as_deref().unwrap_or(keys);
        own.iter().map(|key| expression(program, key)).collect()
    };
    let sought = text(&found.keys, &found.own);
    tables.iter().position(|table| text(&table.keys, &table.own) == sought)
}

/// The keys over [`ExprKind::Member`] and a family whose members they are of, if they may be kept.
fn of_members(program: &Program, index: Index, count: &Expr, keys: &[Expr]) -> Option<Found> {
    let rewrite = |nothing: bool| {
        let mut rewrite = Rewrite { program, index, count, nothing, of: None, cached: false };
        let keys: Option<Vec<Expr>> = keys.iter().map(|key| rewrite.expr(key)).collect();
        Some((keys?, rewrite.of?, rewrite.cached))
    };
    let (keys, of, cached) = rewrite(true)?;
    let own = if cached { Some(rewrite(false)?.0) } else { None };
    Some(Found { keys, own, of })
}

/// Rewrites keys as those of [`ExprKind::Member`].
struct Rewrite<'a> {
    program: &'a Program,
    index: Index,
    count: &'a Expr,
    /// As for a session that has nothing cached.
    nothing: bool,
    of: Option<Family>,
    /// Something reads what a session has cached.
    cached: bool,
}

impl Rewrite<'_> {
    fn expr(&mut self, e: &Expr) -> Option<Expr> {
        let e = self.rewritten(e)?;
        if !self.cached || !self.nothing {
            return Some(e);
        }
        // Nothing cached may decide a test.
        if let Some(x) =
            eval(&e, &[]).filter(|x| x.is_finite() && (*x != 0.0 || x.is_sign_positive()))
        {
            return Some(Expr { kind: ExprKind::Num(x), ..e });
        }
        Some(match e.kind {
            ExprKind::Cond(test, yes, no) => match test.kind {
                ExprKind::Num(x) if x != 0.0 => *yes,
                ExprKind::Num(_) => *no,
                _ => Expr { kind: ExprKind::Cond(test, yes, no), ..e },
            },
            _ => e,
        })
    }

    fn rewritten(&mut self, e: &Expr) -> Option<Expr> {
        let kind = match &e.kind {
            ExprKind::Num(_) | ExprKind::Param(_) => e.kind.clone(),
            _ if self.is_index(e) => ExprKind::Member,
            ExprKind::Neg(a) => ExprKind::Neg(self.boxed(a)?),
            ExprKind::Not(a) => ExprKind::Not(self.boxed(a)?),
            ExprKind::Chain(a, rest) => {
                let a = self.boxed(a)?;
                let rest: Option<Vec<_>> =
                    rest.iter().map(|(op, b)| Some((*op, self.expr(b)?))).collect();
                ExprKind::Chain(a, rest?)
            }
            ExprKind::Cond(a, b, c) => {
                ExprKind::Cond(self.boxed(a)?, self.boxed(b)?, self.boxed(c)?)
            }
            ExprKind::Math(f, args) => {
                let args: Option<Vec<_>> = args.iter().map(|a| self.expr(a)).collect();
                ExprKind::Math(*f, args?)
            }
            ExprKind::Pool(PoolFn::CachedIn, r) if self.nothing => {
                self.pool(PoolFn::CachedIn, r)?;
                ExprKind::Num(0.0)
            }
            ExprKind::Pool(f, r) => ExprKind::Pool(*f, self.pool(*f, r)?),
            ExprKind::Stage(f, r) => ExprKind::Stage(*f, self.stage(*f, r)?),
            ExprKind::Attr(_)
            | ExprKind::Builtin(_)
            | ExprKind::Ctx(_)
            | ExprKind::Var(_)
            | ExprKind::Member
            | ExprKind::Price(..)
            | ExprKind::Draw(..)
            | ExprKind::Aggregate(..)
            | ExprKind::Nic(..) => return None,
        };
        Some(Expr { kind, ..e.clone() })
    }

    fn boxed(&mut self, e: &Expr) -> Option<Box<Expr>> {
        self.expr(e).map(Box::new)
    }

    fn is_index(&self, e: &Expr) -> bool {
        match (&e.kind, self.index) {
            (ExprKind::Attr(a), Index::Candidate(candidate)) => *a == candidate,
            (ExprKind::Var(v), Index::Var(var)) => *v == var,
            _ => false,
        }
    }

    /// The index of a member of a family as large as what is ranged over.
    fn member(&self, index: Option<&Expr>, size: Option<&Expr>) -> Option<Box<Expr>> {
        let index = index.filter(|i| self.is_index(i))?;
        size.filter(|n| same_constant(n, self.count))?;
        Some(Box::new(Expr { kind: ExprKind::Member, ..index.clone() }))
    }

    fn pool(&mut self, f: PoolFn, r: &PoolRef) -> Option<PoolRef> {
        match f {
            PoolFn::Used | PoolFn::Free | PoolFn::Holders | PoolFn::Queued | PoolFn::BlockSize => {}
            // With shared prefixes a session has what others left, in any pool.
            PoolFn::CachedIn
                if matches!(self.index, Index::Candidate(_))
                    && !self.program.pools[r.pool.index()].prefix_shared =>
            {
                self.cached = true;
            }
            PoolFn::CachedIn | PoolFn::Leased => return None,
        }
        let index =
            self.member(r.index.as_deref(), self.program.pools[r.pool.index()].size.as_ref())?;
        self.of.get_or_insert(Family::Pool(r.pool));
        Some(PoolRef { index: Some(index), ..r.clone() })
    }

    fn stage(&mut self, f: StageFn, r: &StageRef) -> Option<StageRef> {
        let stage = &self.program.stages[r.stage.index()];
        match f {
            // All is read again when a member fails or comes back.
            StageFn::Queue | StageFn::Busy | StageFn::Up => {}
            // That of an engine changes when an iteration ends; of others, as time passes.
            StageFn::Work if matches!(stage.kind, StageKind::Step(_)) => {}
            StageFn::Work
            | StageFn::BudgetLeft
            | StageFn::KvDecode
            | StageFn::KvPrefill
            | StageFn::EstLambda
            | StageFn::EstRho
            | StageFn::EstWait => return None,
        }
        let index = self.member(r.index.as_deref(), stage.size.as_ref())?;
        self.of.get_or_insert(Family::Stage(r.stage));
        Some(StageRef { index: Some(index), ..r.clone() })
    }
}

/// Which tables read what.
fn readers(program: &Program, tables: Vec<Kept>) -> KeptPlan {
    let mut pools = vec![[0; 4]; program.pools.len()];
    let mut stages = vec![0; program.stages.len()];
    for (i, table) in tables.iter().enumerate() {
        for key in table.keys.iter().chain(table.own.iter().flatten()) {
            visit::expr(key, &mut |e| match &e.kind {
                ExprKind::Pool(PoolFn::CachedIn, r) => pools[r.pool.index()][3] |= 1 << i,
                ExprKind::Pool(f, r) => {
                    if let Some(what) = super::signals::aspect(*f) {
                        pools[r.pool.index()][what] |= 1 << i;
                    }
                }
                ExprKind::Stage(_, r) => stages[r.stage.index()] |= 1 << i,
                _ => {}
            });
        }
    }
    KeptPlan { tables, pools, stages }
}
