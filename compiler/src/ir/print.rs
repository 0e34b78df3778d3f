//! The IR as text, to be read and compared: declarations first, then the life of a session.
//!
//! Names are the program's; `P.kv[i]` is a member. What the program leaves to a default is left
//! out here as well.

use std::fmt::Write;

use super::names::{
    aggregate_name, builtin_name, ctx_name, dist_name, math_name, operator, pool_fn_name,
    stage_fn_name,
};
use super::{
    Arrival, BinaryOp, Block, Evict, Expr, ExprKind, Hold, Mode, Policy, Pool, PoolRef, Program,
    Serve, Stage, StageKind, StageRef, Stmt, StmtKind, TraceOrder, Ty,
};

/// The whole program.
pub fn text(program: &Program) -> String {
    let mut out = Printer { program, text: String::new(), depth: 0 };
    out.declarations();
    out.workload();
    out.checks();
    out.text
}

/// One expression.
pub fn expression(program: &Program, expr: &Expr) -> String {
    Printer { program, text: String::new(), depth: 0 }.expr(expr, 0)
}

struct Printer<'p> {
    program: &'p Program,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, line: &str) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn inside(&mut self, print: impl FnOnce(&mut Self)) {
        self.depth += 1;
        print(self);
        self.depth -= 1;
    }

    fn declarations(&mut self) {
        let program = self.program;
        self.line(&format!("program {}", program.name));
        for param in &program.params {
            let value = self.expr(&param.value, 0);
            self.line(&format!("let {} = {value}", param.name));
        }
        for attr in &program.attrs {
            let ty = match attr.ty {
                Ty::Num => "num",
                Ty::Bool => "bool",
            };
            let hidden = if attr.hidden { " hidden" } else { "" };
            self.line(&format!("attribute {} : {ty}{hidden}", attr.name));
        }
        for pool in &program.pools {
            self.pool(pool);
        }
        for stage in &program.stages {
            self.stage(stage);
        }
        if let Some(policy) = program.share {
            self.line(match policy {
                Policy::Maxmin => "share maxmin",
                Policy::Bottleneck => "share bottleneck",
            });
        }
        for gauge in &program.gauges {
            let value = self.expr(&gauge.value, 0);
            self.line(&format!("gauge {} = {value}", gauge.name));
        }
        let run = &program.run;
        for (name, value) in [
            ("horizon", &run.horizon),
            ("warmup", &run.warmup),
            ("seed", &run.seed),
            ("arrivals", &run.arrivals),
        ] {
            if let Some(value) = value {
                let value = self.expr(value, 0);
                self.line(&format!("{name} {value}"));
            }
        }
    }

    fn sized(&self, name: &str, size: Option<&Expr>) -> String {
        match size {
            Some(size) => format!("{name}[{}]", self.expr(size, 0)),
            None => name.to_owned(),
        }
    }

    fn pool(&mut self, pool: &Pool) {
        let mut options = format!("cap {}", self.expr(&pool.cap, 0));
        if let Some(block) = &pool.block {
            let _ = write!(options, ", block {}", self.expr(block, 0));
        }
        if let Evict::By(keys) = &pool.evict {
            let _ = write!(options, ", evict by ({})", self.list(keys));
        }
        if pool.lifo {
            options.push_str(", preempt lifo");
        }
        if pool.prefix_shared {
            options.push_str(", prefix shared");
        }
        if !pool.queue_keys.is_empty() {
            let _ = write!(options, ", queue by ({})", self.list(&pool.queue_keys));
        }
        if let Some(stage) = pool.admit_via {
            let _ = write!(options, ", admit via {}", self.program.stages[stage.index()].name);
        }
        if let Some(spill) = &pool.spill {
            let _ = write!(
                options,
                ", spill {} via {} ({}) when ({})",
                self.pool_ref(&spill.to),
                self.stage_ref(&spill.via),
                self.expr(&spill.work, 0),
                self.expr(&spill.when, 0)
            );
        }
        let name = self.sized(&pool.name, pool.size.as_ref());
        self.line(&format!("pool {name} : {options}"));
    }

    fn stage(&mut self, stage: &Stage) {
        let name = self.sized(&stage.name, stage.size.as_ref());
        let shared = if stage.shared { " shared by flows" } else { "" };
        match &stage.kind {
            StageKind::Fifo(servers) => {
                let servers = self.expr(servers, 0);
                self.line(&format!("stage {name} : fifo({servers})"));
            }
            StageKind::Ps(capacity) => {
                let capacity = self.expr(capacity, 0);
                self.line(&format!("stage {name} : ps({capacity}){shared}"));
            }
            StageKind::Delay => self.line(&format!("stage {name} : delay")),
            StageKind::Step(step) => {
                self.line(&format!("stage {name} : step"));
                self.inside(|out| {
                    for (what, value) in [
                        ("budget", step.budget.as_ref()),
                        ("chunk", step.chunk.as_ref()),
                        ("cost", Some(&step.cost)),
                    ] {
                        if let Some(value) = value {
                            let value = out.expr(value, 0);
                            out.line(&format!("{what} {value}"));
                        }
                    }
                    out.serve(&step.serve);
                    if let Some(pool) = step.memory {
                        out.line(&format!("memory {}", out.program.pools[pool.index()].name));
                    }
                });
            }
        }
    }

    fn serve(&mut self, serve: &Serve) {
        match serve {
            Serve::ExclusivePrefill => self.line("serve exclusive prefill"),
            Serve::By { only, keys, decode_first } => {
                let only = match only {
                    Some(only) => format!("only ({}) ", self.expr(only, 0)),
                    None => String::new(),
                };
                let order = match (keys.is_empty(), decode_first) {
                    (_, true) => "decode first".to_owned(),
                    (true, false) => "admission".to_owned(),
                    (false, false) => format!("by ({})", self.list(keys)),
                };
                self.line(&format!("serve {only}{order}"));
            }
        }
    }

    fn workload(&mut self) {
        let workload = &self.program.workload;
        let arrival = match &workload.arrival {
            Arrival::Poisson(rate) => format!("poisson({})", self.expr(rate, 0)),
            Arrival::Renewal(gap) => format!("renewal({})", self.expr(gap, 0)),
            Arrival::Closed(count) => format!("closed({})", self.expr(count, 0)),
            Arrival::Batch(count) => format!("batch({})", self.expr(count, 0)),
            Arrival::Recorded => "recorded".to_owned(),
            Arrival::None => "none".to_owned(),
        };
        self.line(&format!("arrive {arrival}"));
        if let Some(trace) = &workload.trace {
            let order = match trace.order {
                TraceOrder::Drawn => "",
                TraceOrder::InOrder => " ordered",
                TraceOrder::AtArrival => " at arrival",
            };
            self.line(&format!("trace {:?}{order}", trace.path));
        }
        let program = self.program;
        for (name, block) in [
            ("init", &program.workload.init),
            ("turn", &program.workload.turn),
            ("session", &program.session),
        ] {
            if !block.is_empty() {
                self.line(&format!("{name}:"));
                self.block(block);
            }
        }
    }

    fn checks(&mut self) {
        let program = self.program;
        for check in &program.checks {
            let cond = self.expr(&check.cond, 0);
            self.line(&format!("check {} {cond}", check.code));
        }
    }

    fn block(&mut self, block: &Block) {
        self.inside(|out| block.iter().for_each(|stmt| out.stmt(stmt)));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let program = self.program;
        match &stmt.kind {
            StmtKind::Turn => self.line("turn"),
            StmtKind::End => self.line("end"),
            StmtKind::Set { attr, value } => {
                let value = self.expr(value, 0);
                self.line(&format!("set {} = {value}", program.attrs[attr.index()].name));
            }
            StmtKind::Choose { attr, count, keys } => {
                let (count, keys) = (self.expr(count, 0), self.list(keys));
                let name = &program.attrs[attr.index()].name;
                self.line(&format!("choose {name} in {count} by ({keys})"));
            }
            StmtKind::Observe { observe, value } => {
                let value = self.expr(value, 0);
                self.line(&format!("observe {} = {value}", program.observes[observe.index()].name));
            }
            StmtKind::Hold { hold, body } => {
                let header = self.hold(&program.holds[hold.index()]);
                self.line(&format!("hold #{} {header}", hold.index()));
                self.block(body);
            }
            StmtKind::Grow { pool, amount } => {
                let line = format!("grow {} ({})", self.pool_ref(pool), self.expr(amount, 0));
                self.line(&line);
            }
            StmtKind::Drop { pool } => {
                let line = format!("drop {}", self.pool_ref(pool));
                self.line(&line);
            }
            StmtKind::Prefix { key, tokens } => {
                let line = format!("prefix ({}, {})", self.expr(key, 0), self.expr(tokens, 0));
                self.line(&line);
            }
            StmtKind::Release { pool } => {
                let line = format!("release {}", self.pool_ref(pool));
                self.line(&line);
            }
            StmtKind::Load { pool, amount } => {
                let line = format!("load {} ({})", self.pool_ref(pool), self.expr(amount, 0));
                self.line(&line);
            }
            StmtKind::Run { stages, mode, work, growing } => {
                let engine = stages.iter().any(|stage| {
                    matches!(program.stages[stage.stage.index()].kind, StageKind::Step(_))
                });
                let mode = match (engine, mode) {
                    (false, _) => "",
                    (true, Mode::Prefill) => " prefill",
                    (true, Mode::Decode) => " decode",
                };
                let stages: Vec<String> = stages.iter().map(|s| self.stage_ref(s)).collect();
                let mut line = format!("run {}{mode} ({})", stages.join(", "), self.expr(work, 0));
                if let Some(pool) = growing {
                    let _ = write!(line, " growing {}", self.pool_ref(pool));
                }
                self.line(&line);
            }
            StmtKind::Fan { ends, work } => {
                let ends = ends.each_ref().map(|end| self.stage_ref(end)).join(", ");
                let line = format!("fan {ends} ({})", self.expr(work, 0));
                self.line(&line);
            }
            StmtKind::Branch { guard, check, then, otherwise } => {
                let checked = if *check { " checked" } else { "" };
                let guard = self.expr(guard, 0);
                self.line(&format!("branch{checked} ({guard})"));
                self.block(then);
                if !otherwise.is_empty() {
                    self.line("else");
                    self.block(otherwise);
                }
            }
            StmtKind::Guarded { queue, index, body, otherwise } => {
                let name = &self.program.queues[queue.index()].name;
                let index = index.as_ref().map(|index| format!("[{}]", self.expr(index, 0)));
                self.line(&format!("guarded {name}{}", index.unwrap_or_default()));
                self.block(body);
                self.line("else");
                self.block(otherwise);
            }
            StmtKind::Loop(body) => {
                self.line("loop");
                self.block(body);
            }
            StmtKind::Fork(body) => {
                self.line("fork");
                self.block(body);
            }
            StmtKind::Join => self.line("join"),
            StmtKind::Book { hold } => {
                let header = self.hold(&program.holds[hold.index()]);
                self.line(&format!("book #{} {header}", hold.index()));
            }
            StmtKind::Open { hold, booking, body } => {
                let header = self.hold(&program.holds[hold.index()]);
                let (hold, booking) = (hold.index(), booking.index());
                self.line(&format!("hold #{hold} of #{booking} {header}"));
                self.block(body);
            }
        }
    }

    fn hold(&self, hold: &Hold) -> String {
        let claims: Vec<String> = hold
            .claims
            .iter()
            .map(|claim| {
                let mut said =
                    format!("{} ({})", self.pool_ref(&claim.pool), self.expr(&claim.units, 0));
                if let Some(reserve) = &claim.reserve {
                    let _ = write!(said, " reserve ({})", self.expr(reserve, 0));
                }
                said
            })
            .collect();
        let mut said = claims.join(", ");
        if let Some(reuse) = &hold.reuse {
            let _ = write!(said, " reuse ({})", self.expr(reuse, 0));
        }
        if let Some(cache) = &hold.cache {
            let _ = write!(said, " cache ({})", self.expr(cache, 0));
        }
        if let Some((claim, time)) = &hold.lease {
            let pool = hold.claims.get(*claim).map(|claim| self.pool_ref(&claim.pool));
            let _ = write!(said, " lease {} ({})", pool.unwrap_or_default(), self.expr(time, 0));
            if let Some((period, extension)) = &hold.renew {
                let (period, extension) = (self.expr(period, 0), self.expr(extension, 0));
                let _ = write!(said, " renew ({period}, {extension})");
            }
        }
        said
    }

    fn pool_ref(&self, pool: &PoolRef) -> String {
        self.member(&self.program.pools[pool.pool.index()].name, pool.index.as_deref())
    }

    fn stage_ref(&self, stage: &StageRef) -> String {
        self.member(&self.program.stages[stage.stage.index()].name, stage.index.as_deref())
    }

    fn member(&self, name: &str, index: Option<&Expr>) -> String {
        match index {
            Some(index) => format!("{name}[{}]", self.expr(index, 0)),
            None => name.to_owned(),
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr, 0)).collect::<Vec<_>>().join(", ")
    }

    /// An expression, in parentheses where it binds looser than its place asks.
    fn expr(&self, expr: &Expr, place: u8) -> String {
        let (said, own) = self.bare(expr);
        if own < place { format!("({said})") } else { said }
    }

    /// An expression and how tightly it binds.
    fn bare(&self, expr: &Expr) -> (String, u8) {
        const ATOM: u8 = 9;
        let program = self.program;
        let said = match &expr.kind {
            ExprKind::Num(value) => number(*value),
            ExprKind::Param(id) => program.params[id.index()].name.clone(),
            ExprKind::Attr(id) => program.attrs[id.index()].name.clone(),
            ExprKind::Builtin(builtin) => builtin_name(*builtin).to_owned(),
            ExprKind::Ctx(ctx) => ctx_name(*ctx).to_owned(),
            ExprKind::Var(id) => program.vars[id.index()].name.clone(),
            ExprKind::Member => "self".to_owned(),
            ExprKind::Neg(inner) => return (format!("-{}", self.expr(inner, 7)), 7),
            ExprKind::Not(inner) => return (format!("!{}", self.expr(inner, 7)), 7),
            ExprKind::Chain(first, rest) => {
                let own = rest.first().map_or(ATOM, |(op, _)| operator(*op).1);
                let chains = rest.iter().all(|(op, _)| op.chains());
                let mut said = self.expr(first, if chains { own } else { own + 1 });
                for (op, term) in rest {
                    // `^` binds to the right.
                    let behind = if *op == BinaryOp::Pow { own } else { own + 1 };
                    said.push_str(&format!(" {} {}", operator(*op).0, self.expr(term, behind)));
                }
                return (said, own);
            }
            ExprKind::Cond(test, yes, no) => {
                let (test, yes, no) = (self.expr(test, 2), self.expr(yes, 1), self.expr(no, 1));
                return (format!("{test} ? {yes} : {no}"), 1);
            }
            ExprKind::Math(function, args) => {
                format!("{}({})", math_name(*function), self.list(args))
            }
            ExprKind::Pool(reading, pool) => {
                format!("{}({})", pool_fn_name(*reading), self.pool_ref(pool))
            }
            ExprKind::Stage(reading, stage) => {
                format!("{}({})", stage_fn_name(*reading), self.stage_ref(stage))
            }
            ExprKind::Price(stage, hit, ds) => {
                let (hit, ds) = (self.expr(hit, 0), self.expr(ds, 0));
                format!("price({}, {hit}, {ds})", self.stage_ref(stage))
            }
            ExprKind::Draw(dist, args) => format!("~{}({})", dist_name(*dist), self.list(args)),
            ExprKind::Aggregate(op, var, count, body) => {
                let op = aggregate_name(*op);
                let var = &program.vars[var.index()].name;
                format!("{op} {var} in {} ({})", self.expr(count, ATOM), self.expr(body, 0))
            }
            ExprKind::Nic(_, member, rank) => {
                let member = member.as_ref().map_or(String::new(), |m| self.expr(m, 0) + ", ");
                format!("nic({member}{})", self.expr(rank, 0))
            }
        };
        (said, ATOM)
    }
}

/// A number, with an exponent where the digits would be many.
fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && size.is_finite() && !(1e-4..1e15).contains(&size) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}
