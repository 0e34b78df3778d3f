//! Finds what a program has: every construct under its group's name, every name under the position that it is read in.

use serq_compiler::{
    span::FileId,
    syntax::{self, ast::*},
};
use std::collections::{BTreeMap, BTreeSet};

/// Adds what a program of these files has.
pub(super) fn texts(texts: &[&str], found: &mut BTreeSet<String>) {
    let parsed = texts.iter().filter_map(|text| syntax::parse(FileId(0), text).ok());
    let files: Vec<File> = parsed.collect();
    let mut walk = Walk { found, declared: Declared::of(&files), depth: 0, source: None };
    for file in &files {
        if !file.comments.is_empty() {
            walk.has("file", "comment");
        }
        file.items.iter().for_each(|item| walk.item(item));
        walk.whole(file);
    }
}

/// What declarations are, for the constructs that two of them make together.
#[derive(Default)]
struct Declared {
    definitions: BTreeSet<String>,
    /// Pools and stages.
    things: BTreeSet<String>,
}

struct Walk<'a> {
    found: &'a mut BTreeSet<String>,
    declared: Declared,
    /// Holds around the statement.
    depth: usize,
    /// The name that stands for a source in the entry.
    source: Option<String>,
}

impl Walk<'_> {
    fn has(&mut self, group: &str, name: &str) {
        self.found.insert(format!("{group}: {name}"));
    }

    fn item(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Let { value, .. } => {
                self.has("file", "let");
                self.expr("let", value);
            }
            ItemKind::Use { .. } => self.has("file", "a library"),
            ItemKind::DefExpr { body, .. } => {
                self.has("file", "definition of an expression");
                self.expr("definition", body);
            }
            ItemKind::DefBlock { body, .. } => {
                self.has("file", "definition of statements");
                self.block(body);
            }
            ItemKind::Pool(pool) => {
                self.has("file", "pool");
                self.size("of pools", pool.size.as_ref());
                self.pool(pool);
            }
            ItemKind::Stage { size, kind, .. } => {
                self.has("file", "stage");
                self.size("of stages", size.as_ref());
                self.stage(kind);
            }
            ItemKind::Queue(queue) => self.queue(queue),
            ItemKind::Pull { latency, share, .. } => {
                self.has("file", "pull");
                self.policy(share.kind);
                if latency.is_some() {
                    self.has("queue", "pull latency");
                }
            }
            ItemKind::Share { policy } => {
                self.has("file", "share");
                self.policy(policy.kind);
            }
            ItemKind::Workload { items } => {
                self.has("file", "workload");
                items.iter().for_each(|item| self.workload(item));
            }
            ItemKind::Session { body } => {
                self.has("file", "session");
                self.block(body);
            }
            ItemKind::Server { body } => {
                self.has("file", "server");
                self.block(body);
            }
            ItemKind::Gauge { value, .. } => {
                self.has("file", "gauge");
                self.expr("gauge", value);
            }
            ItemKind::Run { options } => {
                self.has("file", "run");
                for option in options {
                    let field = match option.kind.0 {
                        RunField::Horizon => "horizon",
                        RunField::Warmup => "warmup",
                        RunField::Seed => "seed",
                        RunField::Arrivals => "arrivals",
                    };
                    self.has("run", field);
                    self.expr("run", &option.kind.1);
                }
            }
        }
    }

    fn policy(&mut self, policy: Policy) {
        match policy {
            Policy::Maxmin => self.has("policy", "maxmin"),
            Policy::Bottleneck => self.has("policy", "bottleneck"),
        }
    }

    fn size(&mut self, of: &str, size: Option<&Expr>) {
        let Some(size) = size else { return };
        self.has("family", of);
        match &size.kind {
            ExprKind::Num { value, .. } if *value == 1.0 => self.has("family", "of one"),
            ExprKind::Name(_) => self.has("family", "whose size is a let"),
            _ => {}
        }
    }

    fn pool(&mut self, pool: &Pool) {
        let (mut cap, mut block) = (false, false);
        for option in &pool.options {
            match &option.kind {
                PoolOptionKind::Cap(_) => cap = true,
                PoolOptionKind::Block(size) => {
                    block = true;
                    if matches!(size.kind, ExprKind::Num { value, .. } if value.fract() > 0.0) {
                        self.has("pool", "block of a fraction");
                    }
                }
                PoolOptionKind::EvictLru => self.has("pool", "evict lru"),
                PoolOptionKind::EvictBy(keys) => self.keys("pool", "evict by", keys),
                PoolOptionKind::PreemptNone => self.has("pool", "preempt none"),
                PoolOptionKind::PreemptLifo => self.has("pool", "preempt lifo"),
                PoolOptionKind::QueueFifo => self.has("pool", "queue fifo"),
                PoolOptionKind::QueueBy(keys) => self.keys("pool", "queue by", keys),
                PoolOptionKind::AdmitVia(_) => self.has("pool", "admit via"),
                PoolOptionKind::Spill { work, when, .. } => {
                    self.has("pool", "spill");
                    self.expr("spill work", work);
                    self.expr("spill when", when);
                }
            }
        }
        self.has("pool", if cap { "cap" } else { "no cap" });
        self.has("pool", if block { "block" } else { "no block" });
    }

    fn keys(&mut self, group: &str, name: &str, keys: &[Expr]) {
        self.has(group, name);
        if keys.len() > 1 {
            self.has(group, &format!("{name} several keys"));
        }
        keys.iter().for_each(|key| self.expr(name, key));
    }

    fn stage(&mut self, kind: &StageKind) {
        match &kind.kind {
            StageKindKind::Fifo(None) => self.has("stage", "fifo"),
            StageKindKind::Fifo(Some(_)) => self.has("stage", "fifo of several servers"),
            StageKindKind::Ps(rate) => {
                self.has("stage", "ps");
                self.expr("ps", rate);
            }
            StageKindKind::Delay => self.has("stage", "delay"),
            StageKindKind::Step(options) => self.step(options),
        }
    }

    fn step(&mut self, options: &[StepOption]) {
        self.has("stage", "step");
        let (mut budget, mut memory) = (false, false);
        for option in options {
            match &option.kind {
                StepOptionKind::Budget(e) => {
                    budget = true;
                    self.expr("budget", e);
                }
                StepOptionKind::Cost(e) => self.expr("cost", e),
                StepOptionKind::Chunk(e) => {
                    self.has("step", "chunk");
                    self.expr("chunk", e);
                }
                StepOptionKind::Serve(ServeOrder::ExclusivePrefill) => {
                    self.has("step", "serve exclusive prefill");
                }
                StepOptionKind::Serve(ServeOrder::Order { only, order }) => {
                    let mut name = "serve".to_owned();
                    if let Some(only) = only {
                        name += " only";
                        self.expr("serve only", only);
                    }
                    name += match order {
                        None => "",
                        Some(BaseOrder::Admission) => " admission",
                        Some(BaseOrder::DecodeFirst) => " decode first",
                        Some(BaseOrder::By(keys)) => {
                            keys.iter().for_each(|key| self.expr("serve by", key));
                            " by"
                        }
                    };
                    self.has("step", &name);
                }
                StepOptionKind::Memory(_) => memory = true,
            }
        }
        self.has("step", if budget { "budget" } else { "no budget" });
        self.has("step", if memory { "memory" } else { "no memory" });
    }

    fn queue(&mut self, queue: &Queue) {
        self.has("file", "queue");
        self.size("of queues", queue.size.as_ref());
        match &*queue.roles {
            [] => self.has("queue", "no role"),
            [role] => self.has("queue", &role.kind),
            _ => self.has("queue", "two roles"),
        }
        for item in &queue.items {
            match &item.kind {
                QueueItemKind::Pool(pool) => self.pool(pool),
                QueueItemKind::Serve { kind, latency } => {
                    self.stage(kind);
                    if latency.is_some() {
                        self.has("queue", "link latency");
                    }
                }
                QueueItemKind::Nic { kind } => {
                    self.has("queue", "nic");
                    self.stage(kind);
                }
                QueueItemKind::Entry { verb, from, body, .. } => {
                    let from_name = from.as_ref().map(|name| name.kind.clone());
                    let ending = if from.is_some() { " from" } else { "" };
                    self.has("queue", &format!("entry {}{ending}", verb.kind));
                    self.source = from_name;
                    self.block(body);
                    self.source = None;
                }
            }
        }
    }

    fn workload(&mut self, item: &WorkloadItem) {
        match &item.kind {
            WorkloadItemKind::Arrive(law) => {
                let name = match &law.kind {
                    Arrival::Poisson(_) => "poisson",
                    Arrival::Renewal(gap) => {
                        self.expr("renewal", gap);
                        "renewal"
                    }
                    Arrival::Closed(_) => "closed",
                    Arrival::Batch(_) => "batch",
                    Arrival::None => "none",
                };
                self.has("workload", name);
            }
            WorkloadItemKind::Trace { ordered, .. } => {
                self.has("workload", if *ordered { "trace ordered" } else { "trace" });
            }
            WorkloadItemKind::Hidden(_) => self.has("workload", "hidden"),
            WorkloadItemKind::Init(body) => self.said("init", body),
            WorkloadItemKind::Turn(body) => self.said("turn", body),
            WorkloadItemKind::Session(body) => self.said("session", body),
        }
    }

    fn said(&mut self, by: &str, body: &Block) {
        self.has("workload", by);
        if body.kind.iter().any(|stmt| matches!(stmt.kind, StmtKind::Observe { .. })) {
            self.has("workload", &format!("observe in {by}"));
        }
        self.block(body);
    }

    fn block(&mut self, block: &Block) {
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
            StmtKind::Call { queue, args, from, to, .. } => {
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
            StmtKind::Transfer { place, amount, from, to, loaded } => {
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
        if let Some((pool, bound)) = &hold.lease {
            self.reference(pool);
            self.has("hold", "lease");
            self.expr("lease", bound);
        }
    }

    fn reference(&mut self, reference: &Ref) {
        let (names, index) = (reference.path.len(), reference.index.as_ref());
        let form = match (names, index.map(|(after, _)| *after)) {
            (1, None) => "p",
            (1, Some(_)) => "p[i]",
            (_, None) => "Q.p",
            (_, Some(1)) => "Q[i].p",
            (_, Some(_)) => "Q.p[i]",
        };
        self.has("reference", form);
        if let Some((_, index)) = index {
            self.expr("index", index);
        }
    }

    /// Arguments of a definition or an entry.
    fn arguments(&mut self, args: &[Expr]) {
        for arg in args {
            match &arg.kind {
                ExprKind::Ref(_) => self.has("file", "definition given a pool or stage"),
                ExprKind::Name(name) if self.declared.things.contains(name) => {
                    self.has("file", "definition given a pool or stage");
                }
                _ => {}
            }
            self.expr("argument", arg);
        }
    }

    fn expr(&mut self, place: &str, e: &Expr) {
        match &e.kind {
            ExprKind::Num { text, .. } => self.number(text),
            ExprKind::Name(name) => {
                if place == "index" && self.source.as_ref() == Some(name) {
                    self.has("reference", "source in an index");
                }
                self.has(&format!("read in {place}"), name);
            }
            ExprKind::SelfIndex => self.has("reference", "self"),
            ExprKind::Call { name, args } => {
                self.has(&format!("read in {place}"), &name.kind);
                if self.declared.definitions.contains(&name.kind) {
                    if place == "definition" {
                        self.has("file", "definition that uses another");
                    }
                    self.arguments(args);
                }
                args.iter().for_each(|arg| self.expr(place, arg));
            }
            ExprKind::Draw { dist, args } => {
                self.has("draw", &dist.kind);
                self.has(&format!("read in {place}"), "a draw");
                args.iter().for_each(|arg| self.expr(place, arg));
            }
            ExprKind::Aggregate { op, count, body, .. } => {
                let name = match op.kind {
                    AggregateOp::Max => "max in",
                    AggregateOp::Min => "min in",
                    AggregateOp::Sum => "sum in",
                };
                self.has("expression", name);
                self.has(&format!("read in {place}"), name);
                self.expr(place, count);
                self.expr(place, body);
            }
            ExprKind::Field { .. } => self.has("reference", "Q.x"),
            ExprKind::Ref(reference) => self.reference(reference),
            ExprKind::Unary { op, expr } => {
                self.has("expression", &format!("{} x", op.text()));
                self.expr(place, expr);
            }
            ExprKind::Binary { op, left, right } => {
                self.has("expression", op.text());
                self.expr(place, left);
                self.expr(place, right);
            }
            ExprKind::Cond { test, yes, no } => {
                self.has("expression", "? :");
                [test, yes, no].into_iter().for_each(|e| self.expr(place, e));
            }
            ExprKind::Paren(inner) => {
                self.has("expression", "( )");
                self.expr(place, inner);
            }
        }
    }

    fn number(&mut self, text: &str) {
        let forms = [
            ("inf", text == "inf"),
            ("1.", text.ends_with('.')),
            (".5", text.starts_with('.')),
            ("1e0", text != "inf" && text.contains(['e', 'E'])),
            ("1_0", text.contains('_')),
        ];
        for (name, _) in forms.into_iter().filter(|(_, is)| *is) {
            self.has("expression", name);
        }
    }

    /// What several declarations make together.
    fn whole(&mut self, file: &File) {
        let (mut memories, mut sources) = (BTreeMap::<String, u64>::new(), BTreeMap::new());
        let (mut spilling, mut tiers) = (BTreeSet::new(), BTreeSet::new());
        let mut gateways = 0;
        for item in &file.items {
            match &item.kind {
                ItemKind::Stage { kind, .. } => {
                    let StageKindKind::Step(options) = &kind.kind else { continue };
                    for option in options {
                        if let StepOptionKind::Memory(pool) = &option.kind {
                            *memories.entry(pool.path[0].kind.clone()).or_default() += 1;
                        }
                    }
                }
                ItemKind::Pool(pool) => {
                    for option in &pool.options {
                        if let PoolOptionKind::Spill { to, .. } = &option.kind {
                            spilling.insert(pool.name.kind.clone());
                            tiers.insert(to.path[0].kind.clone());
                        }
                    }
                }
                ItemKind::Pull { source, .. } => {
                    *sources.entry(source.kind.clone()).or_insert(0u64) += 1;
                }
                ItemKind::Queue(queue) => {
                    gateways += u64::from(queue.roles.iter().any(|role| role.kind == "gateway"));
                }
                _ => {}
            }
        }
        let together = [
            ("step", "memory of two engines", memories.values().any(|n| *n > 1)),
            ("queue", "two readers of one source", sources.values().any(|n| *n > 1)),
            ("pool", "spill of a tier", !spilling.is_disjoint(&tiers)),
            ("queue", "two gateways", gateways > 1),
        ];
        for (group, name, _) in together.into_iter().filter(|(.., is)| *is) {
            self.has(group, name);
        }
    }
}

impl Declared {
    fn of(files: &[File]) -> Declared {
        let mut declared = Declared::default();
        for item in files.iter().flat_map(|file| &file.items) {
            match &item.kind {
                ItemKind::DefExpr { name, .. } | ItemKind::DefBlock { name, .. } => {
                    declared.definitions.insert(name.kind.clone());
                }
                ItemKind::Pool(Pool { name, .. }) | ItemKind::Stage { name, .. } => {
                    declared.things.insert(name.kind.clone());
                }
                _ => {}
            }
        }
        declared
    }
}
