//! Finds what a program has: every construct under its group's name, every name under the position that it is read in.

mod declarations;
mod expressions;
mod statements;

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
            ItemKind::Fail { at, lasts, .. } => {
                self.has("file", "fail");
                self.expr("fail", at);
                self.expr("fail", lasts);
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
            WorkloadItemKind::Trace { order, .. } => {
                let name = match order {
                    TraceOrder::Drawn => "trace",
                    TraceOrder::InOrder => "trace ordered",
                    // The rules model has no such trace.
                    TraceOrder::AtArrival => return,
                };
                self.has("workload", name);
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
