//! Pools that no session ever holds. The tier of a spill is filled otherwise.

use crate::resolve::context::Resolver;
use crate::resolve::errors;
use crate::span::Span;
use crate::syntax::ast::{ItemKind, QueueItemKind};

impl Resolver<'_> {
    pub(super) fn warn_of_unheld(&mut self) {
        let mut held = vec![false; self.program.pools.len()];
        for hold in &self.program.holds {
            for claim in &hold.claims {
                held[claim.pool.pool.index()] = true;
            }
        }
        for pool in &self.program.pools {
            if let Some(spill) = &pool.spill {
                held[spill.to.pool.index()] = true;
            }
        }
        for (index, _) in held.iter().enumerate().filter(|(_, held)| !**held) {
            let name = &self.program.pools[index].name;
            let span = self.pool_name(name).unwrap_or(self.program.pools[index].span);
            self.diagnostics.push(errors::warnings::never_held(span, name));
        }
    }

    /// Where a pool's name is declared: `kv`, or `kv` of queue `P` for `P.kv`.
    fn pool_name(&self, name: &str) -> Option<Span> {
        let declared = |item: &&crate::syntax::ast::Item| match &item.kind {
            ItemKind::Pool(pool) if pool.name.kind == name => Some(pool.name.span),
            ItemKind::Queue(queue) => {
                let own = name.strip_prefix(&queue.name.kind)?.strip_prefix('.')?;
                queue.items.iter().find_map(|part| match &part.kind {
                    QueueItemKind::Pool(pool) if pool.name.kind == own => Some(pool.name.span),
                    _ => None,
                })
            }
            _ => None,
        };
        self.items.iter().find_map(declared)
    }
}
