//! Pools, stages and queues.

use super::Walk;
use serq_compiler::syntax::ast::*;

impl Walk<'_> {
    pub(super) fn policy(&mut self, policy: Policy) {
        match policy {
            Policy::Maxmin => self.has("policy", "maxmin"),
            Policy::Bottleneck => self.has("policy", "bottleneck"),
        }
    }

    pub(super) fn size(&mut self, of: &str, size: Option<&Expr>) {
        let Some(size) = size else { return };
        self.has("family", of);
        match &size.kind {
            ExprKind::Num { value, .. } if *value == 1.0 => self.has("family", "of one"),
            ExprKind::Name(_) => self.has("family", "whose size is a let"),
            _ => {}
        }
    }

    pub(super) fn pool(&mut self, pool: &Pool) {
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
                PoolOptionKind::PrefixOwn => self.has("pool", "prefix own"),
                PoolOptionKind::PrefixShared => self.has("pool", "prefix shared"),
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

    pub(super) fn keys(&mut self, group: &str, name: &str, keys: &[Expr]) {
        self.has(group, name);
        if keys.len() > 1 {
            self.has(group, &format!("{name} several keys"));
        }
        keys.iter().for_each(|key| self.expr(name, key));
    }

    pub(super) fn stage(&mut self, kind: &StageKind) {
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

    pub(super) fn queue(&mut self, queue: &Queue) {
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
                QueueItemKind::Nic { kind, .. } => {
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
}
