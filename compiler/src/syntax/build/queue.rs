//! Pools, stages and queues, with what stands inside them.

use pest::iterators::Pair;

use super::{Builder, Built, Parts, Unbuilt};
use crate::syntax::ast::{
    BaseOrder, Name, Pool, PoolOption, PoolOptionKind, Queue, QueueItem, QueueItemKind, ServeOrder,
    StageKind, StageKindKind, StepOption, StepOptionKind,
};
use crate::syntax::grammar::Rule;

impl Builder<'_> {
    /// A `pool_item` or a `queue_pool`.
    pub(super) fn pool(&mut self, pair: Pair<'_, Rule>) -> Built<Pool> {
        let mut parts = Parts::of(pair);
        let name = self.name(parts.need(Rule::name)?);
        let size = parts.maybe(Rule::index).map(|p| self.inner_expr(p)).transpose()?;
        let mut options = Vec::new();
        while let Some(option) = parts.maybe(Rule::pool_option) {
            options.push(self.pool_option(option)?);
        }
        Ok(Pool { name, size, options })
    }

    fn pool_option(&mut self, pair: Pair<'_, Rule>) -> Built<PoolOption> {
        let span = self.span(&pair);
        let pair = pair.into_inner().next().ok_or(Unbuilt)?;
        let rule = pair.as_rule();
        let mut parts = Parts::of(pair);
        let kind = match rule {
            Rule::cap_option => PoolOptionKind::Cap(self.expr(parts.need(Rule::expr)?)?),
            Rule::block_option => PoolOptionKind::Block(self.expr(parts.need(Rule::expr)?)?),
            Rule::evict_option => match parts.maybe(Rule::keys) {
                Some(keys) => PoolOptionKind::EvictBy(self.exprs(keys)?),
                None => PoolOptionKind::EvictLru,
            },
            Rule::preempt_option if parts.word(Rule::kw_lifo) => PoolOptionKind::PreemptLifo,
            Rule::preempt_option => PoolOptionKind::PreemptNone,
            Rule::queue_option => match parts.maybe(Rule::keys) {
                Some(keys) => PoolOptionKind::QueueBy(self.exprs(keys)?),
                None => PoolOptionKind::QueueFifo,
            },
            Rule::admit_option => {
                PoolOptionKind::AdmitVia(self.reference(parts.need(Rule::reference)?)?)
            }
            Rule::prefix_option if parts.word(Rule::kw_shared) => PoolOptionKind::PrefixShared,
            Rule::prefix_option => PoolOptionKind::PrefixOwn,
            Rule::spill_option => PoolOptionKind::Spill {
                to: self.reference(parts.need(Rule::reference)?)?,
                via: self.reference(parts.need(Rule::reference)?)?,
                work: self.inner_expr(parts.need(Rule::paren)?)?,
                when: self.inner_expr(parts.need(Rule::paren)?)?,
            },
            _ => return Err(Unbuilt),
        };
        Ok(PoolOption { kind, span })
    }

    /// A `kind`.
    pub(super) fn stage_kind(&mut self, pair: Pair<'_, Rule>) -> Built<StageKind> {
        let span = self.span(&pair);
        let rule = pair.as_rule();
        let mut parts = Parts::of(pair);
        let kind = match rule {
            Rule::fifo_kind => {
                let servers = parts.maybe(Rule::paren).map(|p| self.inner_expr(p)).transpose()?;
                StageKindKind::Fifo(servers)
            }
            Rule::ps_kind => StageKindKind::Ps(self.inner_expr(parts.need(Rule::paren)?)?),
            Rule::delay_kind => StageKindKind::Delay,
            Rule::step_kind => {
                let mut options = Vec::new();
                while let Some(option) = parts.maybe(Rule::step_option) {
                    options.push(self.step_option(option)?);
                }
                StageKindKind::Step(options)
            }
            _ => return Err(Unbuilt),
        };
        Ok(StageKind { kind, span })
    }

    fn step_option(&mut self, pair: Pair<'_, Rule>) -> Built<StepOption> {
        let span = self.span(&pair);
        let pair = pair.into_inner().next().ok_or(Unbuilt)?;
        let rule = pair.as_rule();
        let mut parts = Parts::of(pair);
        let kind = match rule {
            Rule::budget_option => StepOptionKind::Budget(self.expr(parts.need(Rule::expr)?)?),
            Rule::cost_option => StepOptionKind::Cost(self.expr(parts.need(Rule::expr)?)?),
            Rule::chunk_option => StepOptionKind::Chunk(self.expr(parts.need(Rule::expr)?)?),
            Rule::memory_option => {
                StepOptionKind::Memory(self.reference(parts.need(Rule::reference)?)?)
            }
            Rule::serve_option => StepOptionKind::Serve(self.serve_order(parts.any())?),
            _ => return Err(Unbuilt),
        };
        Ok(StepOption { kind, span })
    }

    fn serve_order(&mut self, pair: Option<Pair<'_, Rule>>) -> Built<ServeOrder> {
        let pair = Parts::of(pair.ok_or(Unbuilt)?).any().ok_or(Unbuilt)?;
        match pair.as_rule() {
            Rule::exclusive_order => Ok(ServeOrder::ExclusivePrefill),
            Rule::only_order => {
                let mut parts = Parts::of(pair);
                let only = Some(self.inner_expr(parts.need(Rule::paren)?)?);
                let order =
                    parts.maybe(Rule::base_order).map(|p| self.base_order(p)).transpose()?;
                Ok(ServeOrder::Order { only, order })
            }
            Rule::base_order => {
                Ok(ServeOrder::Order { only: None, order: Some(self.base_order(pair)?) })
            }
            _ => Err(Unbuilt),
        }
    }

    fn base_order(&mut self, pair: Pair<'_, Rule>) -> Built<BaseOrder> {
        let pair = Parts::of(pair).any().ok_or(Unbuilt)?;
        match pair.as_rule() {
            Rule::admission_order => Ok(BaseOrder::Admission),
            Rule::by_order => Ok(BaseOrder::By(self.exprs(Parts::of(pair).need(Rule::keys)?)?)),
            Rule::decode_order => Ok(BaseOrder::DecodeFirst),
            _ => Err(Unbuilt),
        }
    }

    /// A `queue_item`.
    pub(super) fn queue(&mut self, pair: Pair<'_, Rule>) -> Built<Queue> {
        let mut parts = Parts::of(pair);
        let name = self.name(parts.need(Rule::name)?);
        let size = parts.maybe(Rule::index).map(|p| self.inner_expr(p)).transpose()?;
        let roles = parts.maybe(Rule::roles).map_or(Vec::new(), |p| self.names(p));
        let mut items = Vec::new();
        while let Some(part) = parts.maybe(Rule::queue_part) {
            items.push(self.queue_part(part)?);
        }
        Ok(Queue { name, size, roles, items })
    }

    fn queue_part(&mut self, pair: Pair<'_, Rule>) -> Built<QueueItem> {
        let span = self.span(&pair);
        let pair = pair.into_inner().next().ok_or(Unbuilt)?;
        let kind = match pair.as_rule() {
            Rule::queue_pool => QueueItemKind::Pool(self.pool(pair)?),
            Rule::queue_serve => {
                let mut parts = Parts::of(pair);
                let kind = self.stage_kind(parts.any().ok_or(Unbuilt)?)?;
                let latency = parts.maybe(Rule::latency).map(|p| self.inner_expr(p)).transpose()?;
                QueueItemKind::Serve { kind, latency }
            }
            Rule::queue_nic => {
                let mut parts = Parts::of(pair);
                let ranks = parts.maybe(Rule::index).map(|p| self.inner_expr(p)).transpose()?;
                let kind = self.stage_kind(parts.any().ok_or(Unbuilt)?)?;
                QueueItemKind::Nic { ranks, kind }
            }
            Rule::queue_entry => {
                let mut parts = Parts::of(pair);
                let verb = self.name(parts.need(Rule::verb)?);
                let params = parts.maybe(Rule::entry_params);
                let params = params.and_then(|p| Parts::of(p).maybe(Rule::names));
                let params = params.map_or(Vec::new(), |p| self.names(p));
                let from = parts.maybe(Rule::name).map(|p| self.name(p));
                self.in_entry = true;
                let body = self.block(parts.need(Rule::block)?);
                self.in_entry = false;
                QueueItemKind::Entry { verb, params, from, body: body? }
            }
            _ => return Err(Unbuilt),
        };
        Ok(QueueItem { kind, span })
    }

    /// All the names directly inside.
    pub(super) fn names(&self, pair: Pair<'_, Rule>) -> Vec<Name> {
        pair.into_inner()
            .filter(|part| part.as_rule() == Rule::name)
            .map(|part| self.name(part))
            .collect()
    }
}
