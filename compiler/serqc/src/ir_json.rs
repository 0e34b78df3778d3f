//! The IR as one JSON object, for programs that look at programs.
//!
//! ```text
//! program   {"program": NAME, "files": [PATH], "lets": [{"name", "value": expr, "comment", "at"}],
//!            "attributes": [{"name", "type": "num" | "bool", "hidden"}], "pools": [pool],
//!            "stages": [stage], "queues": [{"name", "size", "pools": [NAME], "stages": [NAME], "at"}],
//!            "share": null | "maxmin" | "bottleneck", "observes": [NAME],
//!            "gauges": [{"name", "value": expr, "at"}], "workload", "session": [stmt],
//!            "run": {"horizon", "warmup", "seed", "arrivals"}, "checks": [{"condition": expr, "code",
//!            "message", "at"}]}
//! pool      {"name", "size", "queue", "cap", "block", "evict": "lru" | [expr], "preempt": bool,
//!            "queue_by": [expr], "admit_via", "spill": null | {"to", "via", "work", "when"}, "at"}
//! stage     {"name", "size", "queue", "kind": "fifo" | "ps" | "delay" | "step", "shared", "at"} with
//!            "servers" of a fifo stage, "capacity" of a ps stage, and of a step stage "budget",
//!            "chunk", "cost", "memory" and "serve": {"order": "exclusive prefill"} or
//!            {"order": "by", "only", "keys": [expr]}
//! workload  {"arrive": {"law": "poisson" | "renewal" | "closed" | "batch", LAW'S ARGUMENT: expr} or
//!            {"law": "none"}, "trace": null | {"file", "order"}, "init": [stmt], "turn": [stmt]}
//! stmt      {"do": WORD, "at": place, ...}: turn; end; set (attribute, value); choose (attribute,
//!            count, keys); observe (name, value); hold (id, claims: [{"pool", "units", "reserve"}],
//!            reuse, cache, lease: null | {"pool", "time"}, body); grow and load (pool, amount); drop
//!            and release (pool); run (stages, mode: null | "prefill" | "decode", work, growing);
//!            branch (guard, checked, then, else); loop and fork (body); join; book (as hold, without
//!            body); open (as hold, with the id of its booking)
//! member    {"name": FAMILY, "index": null | expr}, of a pool or a stage
//! expr      a number, or "inf", "-inf" or "nan"; or one of {"let": NAME}, {"attribute": NAME},
//!            {"builtin": NAME}, {"now": NAME} (what exists at this moment only), {"variable": NAME},
//!            {"self": "index"}; {"op": SIGN or FUNCTION, "args": [expr]} ("?:" has three);
//!            {"chain": expr, "then": [[SIGN, expr]]}, several operators of one level, from the left;
//!            {"draw": DISTRIBUTION, "args"}; {"read": WORD, "pool": member} or {.., "stage": member};
//!            {"price": member, "args"}; {"aggregate": WORD, "variable", "count", "body"}
//! place     "LINE:COLUMN", or "PATH:LINE:COLUMN" in another file than the program's own
//! ```
//!
//! What the program leaves out is null, or the value that it has then.

use serde_json::{Value, json};
use serq_compiler::ir::names::{
    aggregate_name, builtin_name, ctx_name, dist_name, math_name, operator, pool_fn_name,
    stage_fn_name,
};
use serq_compiler::ir::{
    Arrival, Block, Evict, Expr, ExprKind, Hold, Mode, Policy, Pool, PoolRef, Program, QueueId,
    Serve, SiteId, Stage, StageKind, StageRef, Stmt, StmtKind, TraceOrder, Ty,
};
use serq_compiler::span::Span;

/// The whole program.
pub fn program(program: &Program) -> Value {
    Writer { program }.program()
}

struct Writer<'p> {
    program: &'p Program,
}

impl Writer<'_> {
    fn program(&self) -> Value {
        let p = self.program;
        let run = &p.run;
        json!({
            "program": p.name,
            "files": p.sources.files.iter().map(|file| &file.name).collect::<Vec<_>>(),
            "lets": list(&p.params, |one| json!({
                "name": one.name,
                "value": self.expr(&one.value),
                "comment": one.comment,
                "at": self.place(one.span),
            })),
            "attributes": list(&p.attrs, |one| json!({
                "name": one.name,
                "type": match one.ty {
                    Ty::Num => "num",
                    Ty::Bool => "bool",
                },
                "hidden": one.hidden,
            })),
            "pools": list(&p.pools, |one| self.pool(one)),
            "stages": list(&p.stages, |one| self.stage(one)),
            "queues": list(&p.queues, |one| json!({
                "name": one.name,
                "size": self.maybe(one.size.as_ref()),
                "pools": list(&one.pools, |id| json!(p.pools[id.index()].name)),
                "stages": list(&one.stages, |id| json!(p.stages[id.index()].name)),
                "at": self.place(one.span),
            })),
            "failures": list(&p.failures, |one| json!({
                "queue": self.queue(Some(one.queue)),
                "member": self.maybe(one.member.as_ref()),
                "from": self.expr(&one.at),
                "lasts": self.expr(&one.lasts),
                "at": self.place(one.span),
            })),
            "share": p.share.map(|policy| match policy {
                Policy::Maxmin => "maxmin",
                Policy::Bottleneck => "bottleneck",
            }),
            "observes": list(&p.observes, |one| json!(one.name)),
            "gauges": list(&p.gauges, |one| json!({
                "name": one.name,
                "value": self.expr(&one.value),
                "at": self.place(one.span),
            })),
            "workload": self.workload(),
            "session": self.block(&p.session),
            "run": {
                "horizon": self.maybe(run.horizon.as_ref()),
                "warmup": self.maybe(run.warmup.as_ref()),
                "seed": self.maybe(run.seed.as_ref()),
                "arrivals": self.maybe(run.arrivals.as_ref()),
            },
            "checks": list(&p.checks, |one| json!({
                "condition": self.expr(&one.cond),
                "code": one.code,
                "message": one.message,
                "at": self.place(one.span),
            })),
        })
    }

    fn pool(&self, pool: &Pool) -> Value {
        json!({
            "name": pool.name,
            "size": self.maybe(pool.size.as_ref()),
            "queue": self.queue(pool.queue),
            "cap": self.expr(&pool.cap),
            "block": self.maybe(pool.block.as_ref()),
            "evict": match &pool.evict {
                Evict::Lru => json!("lru"),
                Evict::By(keys) => self.exprs(keys),
            },
            "preempt": pool.lifo,
            "prefix_shared": pool.prefix_shared,
            "queue_by": self.exprs(&pool.queue_keys),
            "admit_via": pool.admit_via.map(|id| &self.program.stages[id.index()].name),
            "spill": pool.spill.as_ref().map(|spill| json!({
                "to": self.pool_ref(&spill.to),
                "via": self.stage_ref(&spill.via),
                "work": self.expr(&spill.work),
                "when": self.expr(&spill.when),
            })),
            "at": self.place(pool.span),
        })
    }

    fn stage(&self, stage: &Stage) -> Value {
        let mut value = json!({
            "name": stage.name,
            "size": self.maybe(stage.size.as_ref()),
            "queue": self.queue(stage.queue),
            "kind": null,
            "shared": stage.shared,
            "at": self.place(stage.span),
        });
        value["kind"] = json!(match &stage.kind {
            StageKind::Fifo(servers) => {
                value["servers"] = self.expr(servers);
                "fifo"
            }
            StageKind::Ps(capacity) => {
                value["capacity"] = self.expr(capacity);
                "ps"
            }
            StageKind::Delay => "delay",
            StageKind::Step(step) => {
                value["budget"] = self.maybe(step.budget.as_ref());
                value["chunk"] = self.maybe(step.chunk.as_ref());
                value["cost"] = self.expr(&step.cost);
                value["memory"] = json!(step.memory.map(|id| &self.program.pools[id.index()].name));
                value["serve"] = match &step.serve {
                    Serve::ExclusivePrefill => json!({"order": "exclusive prefill"}),
                    Serve::By { only, keys, decode_first: _ } => json!({
                        "order": "by",
                        "only": self.maybe(only.as_ref()),
                        "keys": self.exprs(keys),
                    }),
                };
                "step"
            }
        });
        value
    }

    fn workload(&self) -> Value {
        let workload = &self.program.workload;
        json!({
            "arrive": match &workload.arrival {
                Arrival::Poisson(rate) => json!({"law": "poisson", "rate": self.expr(rate)}),
                Arrival::Renewal(gap) => json!({"law": "renewal", "gap": self.expr(gap)}),
                Arrival::Closed(population) => {
                    json!({"law": "closed", "population": self.expr(population)})
                }
                Arrival::Recorded => json!({"law": "recorded"}),
                Arrival::Batch(count) => json!({"law": "batch", "count": self.expr(count)}),
                Arrival::None => json!({"law": "none"}),
            },
            "trace": workload.trace.as_ref().map(|trace| {
                json!({"file": trace.path, "order": match trace.order {
                    TraceOrder::Drawn => "drawn",
                    TraceOrder::InOrder => "ordered",
                    TraceOrder::AtArrival => "at arrival",
                }})
            }),
            "init": self.block(&workload.init),
            "turn": self.block(&workload.turn),
        })
    }

    fn block(&self, block: &Block) -> Value {
        list(block, |stmt| self.stmt(stmt))
    }

    fn stmt(&self, stmt: &Stmt) -> Value {
        let p = self.program;
        let attribute = |id: &serq_compiler::ir::AttrId| &p.attrs[id.index()].name;
        let (word, clauses) = match &stmt.kind {
            StmtKind::Turn => ("turn", json!({})),
            StmtKind::End => ("end", json!({})),
            StmtKind::Set { attr, value } => {
                ("set", json!({"attribute": attribute(attr), "value": self.expr(value)}))
            }
            StmtKind::Choose { attr, count, keys } => (
                "choose",
                json!({
                    "attribute": attribute(attr),
                    "count": self.expr(count),
                    "keys": self.exprs(keys),
                }),
            ),
            StmtKind::Observe { observe, value } => {
                let name = &p.observes[observe.index()].name;
                ("observe", json!({"name": name, "value": self.expr(value)}))
            }
            StmtKind::Hold { hold, body } => {
                let mut clauses = self.hold(&p.holds[hold.index()]);
                clauses["id"] = json!(hold.index());
                clauses["body"] = self.block(body);
                ("hold", clauses)
            }
            StmtKind::Grow { pool, amount } => {
                ("grow", json!({"pool": self.pool_ref(pool), "amount": self.expr(amount)}))
            }
            StmtKind::Drop { pool } => ("drop", json!({"pool": self.pool_ref(pool)})),
            StmtKind::Prefix { key, tokens } => {
                ("prefix", json!({"key": self.expr(key), "tokens": self.expr(tokens)}))
            }
            StmtKind::Release { pool } => ("release", json!({"pool": self.pool_ref(pool)})),
            StmtKind::Load { pool, amount } => {
                ("load", json!({"pool": self.pool_ref(pool), "amount": self.expr(amount)}))
            }
            StmtKind::Run { stages, mode, work, growing } => {
                let engine = |stage: &StageRef| {
                    matches!(p.stages[stage.stage.index()].kind, StageKind::Step(_))
                };
                let mode = stages.iter().any(engine).then_some(match mode {
                    Mode::Prefill => "prefill",
                    Mode::Decode => "decode",
                });
                let clauses = json!({
                    "stages": list(stages, |stage| self.stage_ref(stage)),
                    "mode": mode,
                    "work": self.expr(work),
                    "growing": growing.as_ref().map(|pool| self.pool_ref(pool)),
                });
                ("run", clauses)
            }
            StmtKind::Fan { ends, work } => (
                "fan",
                json!({"ends": list(ends, |end| self.stage_ref(end)), "work": self.expr(work)}),
            ),
            StmtKind::Branch { guard, check, then, otherwise } => (
                "branch",
                json!({
                    "guard": self.expr(guard),
                    "checked": check,
                    "then": self.block(then),
                    "else": self.block(otherwise),
                }),
            ),
            StmtKind::Guarded { queue, index, body, otherwise } => (
                "guarded",
                json!({
                    "queue": self.queue(Some(*queue)),
                    "index": self.maybe(index.as_deref()),
                    "body": self.block(body),
                    "else": self.block(otherwise),
                }),
            ),
            StmtKind::Loop(body) => ("loop", json!({"body": self.block(body)})),
            StmtKind::Fork(body) => ("fork", json!({"body": self.block(body)})),
            StmtKind::Join => ("join", json!({})),
            StmtKind::Book { hold } => {
                let mut clauses = self.hold(&p.holds[hold.index()]);
                clauses["id"] = json!(hold.index());
                ("book", clauses)
            }
            StmtKind::Open { hold, booking, body } => {
                let mut clauses = self.hold(&p.holds[hold.index()]);
                clauses["id"] = json!(hold.index());
                clauses["booking"] = json!(booking.index());
                clauses["body"] = self.block(body);
                ("open", clauses)
            }
        };
        let mut value = json!({"do": word, "at": self.site(stmt.site)});
        if let (Some(value), Value::Object(clauses)) = (value.as_object_mut(), clauses) {
            value.extend(clauses);
        }
        value
    }

    fn hold(&self, hold: &Hold) -> Value {
        json!({
            "id": null,
            "claims": list(&hold.claims, |claim| json!({
                "pool": self.pool_ref(&claim.pool),
                "units": self.expr(&claim.units),
                "reserve": self.maybe(claim.reserve.as_ref()),
            })),
            "reuse": self.maybe(hold.reuse.as_ref()),
            "cache": self.maybe(hold.cache.as_ref()),
            "lease": hold.lease.as_ref().map(|(claim, time)| json!({
                "pool": hold.claims.get(*claim).map(|claim| self.pool_ref(&claim.pool)),
                "time": self.expr(time),
                "renew": hold.renew.as_ref().map(|(period, extension)| json!({
                    "period": self.expr(period),
                    "extension": self.expr(extension),
                })),
            })),
        })
    }

    fn queue(&self, queue: Option<QueueId>) -> Value {
        json!(queue.map(|id| &self.program.queues[id.index()].name))
    }

    fn pool_ref(&self, pool: &PoolRef) -> Value {
        self.member(&self.program.pools[pool.pool.index()].name, pool.index.as_deref())
    }

    fn stage_ref(&self, stage: &StageRef) -> Value {
        self.member(&self.program.stages[stage.stage.index()].name, stage.index.as_deref())
    }

    fn member(&self, name: &str, index: Option<&Expr>) -> Value {
        json!({"name": name, "index": self.maybe(index)})
    }

    fn exprs(&self, exprs: &[Expr]) -> Value {
        list(exprs, |expr| self.expr(expr))
    }

    fn maybe(&self, expr: Option<&Expr>) -> Value {
        expr.map_or(Value::Null, |expr| self.expr(expr))
    }

    fn expr(&self, expr: &Expr) -> Value {
        let p = self.program;
        let op = |sign: &str, args: &[&Expr]| json!({"op": sign, "args": list(args, |arg| self.expr(arg))});
        match &expr.kind {
            ExprKind::Num(value) => number(*value),
            ExprKind::Param(id) => json!({"let": p.params[id.index()].name}),
            ExprKind::Attr(id) => json!({"attribute": p.attrs[id.index()].name}),
            ExprKind::Builtin(builtin) => json!({"builtin": builtin_name(*builtin)}),
            ExprKind::Ctx(ctx) => json!({"now": ctx_name(*ctx)}),
            ExprKind::Var(id) => json!({"variable": p.vars[id.index()].name}),
            ExprKind::Member => json!({"self": "index"}),
            ExprKind::Neg(inner) => op("-", &[inner]),
            ExprKind::Not(inner) => op("!", &[inner]),
            ExprKind::Chain(first, rest) => match rest.as_slice() {
                [(sign, second)] => op(operator(*sign).0, &[first, second]),
                _ => json!({
                    "chain": self.expr(first),
                    "then": list(rest, |(sign, term)| json!([operator(*sign).0, self.expr(term)])),
                }),
            },
            ExprKind::Cond(test, yes, no) => op("?:", &[test, yes, no]),
            ExprKind::Math(function, args) => {
                op(math_name(*function), &args.iter().collect::<Vec<_>>())
            }
            ExprKind::Pool(reading, pool) => {
                json!({"read": pool_fn_name(*reading), "pool": self.pool_ref(pool)})
            }
            ExprKind::Stage(reading, stage) => {
                json!({"read": stage_fn_name(*reading), "stage": self.stage_ref(stage)})
            }
            ExprKind::Price(stage, hit, ds) => {
                json!({"price": self.stage_ref(stage), "args": [self.expr(hit), self.expr(ds)]})
            }
            ExprKind::Draw(dist, args) => {
                json!({"draw": dist_name(*dist), "args": self.exprs(args)})
            }
            ExprKind::Aggregate(word, var, count, body) => json!({
                "aggregate": aggregate_name(*word),
                "variable": p.vars[var.index()].name,
                "count": self.expr(count),
                "body": self.expr(body),
            }),
            ExprKind::Nic(_, member, rank) => {
                json!({"member": self.maybe(member.as_deref()), "rank": self.expr(rank)})
            }
        }
    }

    fn site(&self, site: SiteId) -> Value {
        self.place(self.program.sites[site.index()].span)
    }

    fn place(&self, span: Span) -> Value {
        let sources = &self.program.sources;
        let (line, column) = sources.line_col(span);
        json!(match span.file.0 {
            0 => format!("{line}:{column}"),
            _ => format!("{}:{line}:{column}", sources.file(span.file).name),
        })
    }
}

fn list<T>(items: &[T], write: impl Fn(&T) -> Value) -> Value {
    items.iter().map(write).collect()
}

/// JSON has no infinity.
fn number(value: f64) -> Value {
    match value {
        x if x.is_nan() => json!("nan"),
        f64::INFINITY => json!("inf"),
        f64::NEG_INFINITY => json!("-inf"),
        x => json!(x),
    }
}
