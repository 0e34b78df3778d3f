//! Top-level items and the workload.

use pest::iterators::Pair;

use super::{Builder, Built, Parts, Unbuilt};
use crate::syntax::ast::{
    Arrival, Item, ItemKind, Mover, Node, Policy, RunField, RunOption, TraceOrder, WorkloadItem,
    WorkloadItemKind,
};
use crate::syntax::grammar::Rule;

impl Builder<'_> {
    /// An `item`.
    pub(in crate::syntax) fn item(&mut self, pair: Pair<'_, Rule>) -> Built<Item> {
        let span = self.span(&pair);
        let pair = pair.into_inner().next().ok_or(Unbuilt)?;
        let kind = self.item_kind(pair)?;
        Ok(Item { kind, span })
    }

    fn item_kind(&mut self, pair: Pair<'_, Rule>) -> Built<ItemKind> {
        let rule = pair.as_rule();
        match rule {
            Rule::pool_item => return Ok(ItemKind::Pool(self.pool(pair)?)),
            Rule::queue_item => return Ok(ItemKind::Queue(self.queue(pair)?)),
            _ => {}
        }
        let mut parts = Parts::of(pair);
        Ok(match rule {
            Rule::let_item | Rule::gauge_item => {
                let name = self.name(parts.need(Rule::name)?);
                let value = self.expr(parts.need(Rule::expr)?)?;
                if rule == Rule::let_item {
                    ItemKind::Let { name, value }
                } else {
                    ItemKind::Gauge { name, value }
                }
            }
            Rule::use_item => ItemKind::Use { file: self.string(parts.need(Rule::string)?) },
            Rule::def_item => {
                let name = self.name(parts.need(Rule::name)?);
                let params = parts.maybe(Rule::names).map_or(Vec::new(), |p| self.names(p));
                match parts.maybe(Rule::block) {
                    Some(body) => ItemKind::DefBlock { name, params, body: self.block(body)? },
                    None => {
                        let body = self.expr(parts.need(Rule::expr)?)?;
                        ItemKind::DefExpr { name, params, body }
                    }
                }
            }
            Rule::stage_item => ItemKind::Stage {
                name: self.name(parts.need(Rule::name)?),
                size: parts.maybe(Rule::index).map(|p| self.inner_expr(p)).transpose()?,
                kind: self.stage_kind(parts.any().ok_or(Unbuilt)?)?,
            },
            Rule::pull_item => {
                let first = self.name(parts.need(Rule::name)?);
                let pulls = parts.need(Rule::mover)?.as_str() == "pull";
                let second = self.name(parts.need(Rule::name)?);
                let (reader, by, source) = match pulls {
                    true => (first, Mover::Reader, second),
                    false => (second, Mover::Source, first),
                };
                let latency = parts.maybe(Rule::latency).map(|p| self.inner_expr(p)).transpose()?;
                let share = self.policy(parts.need(Rule::policy)?)?;
                ItemKind::Pull { reader, source, by, latency, share }
            }
            Rule::fail_item => ItemKind::Fail {
                queue: self.reference(parts.need(Rule::reference)?)?,
                at: self.expr(parts.need(Rule::expr)?)?,
                lasts: self.expr(parts.need(Rule::expr)?)?,
            },
            Rule::share_item => ItemKind::Share { policy: self.policy(parts.need(Rule::policy)?)? },
            Rule::workload_item => {
                let mut items = Vec::new();
                while let Some(part) = parts.maybe(Rule::workload_part) {
                    items.push(self.workload_part(part)?);
                }
                ItemKind::Workload { items }
            }
            Rule::session_item => ItemKind::Session { body: self.block(parts.need(Rule::block)?)? },
            Rule::server_item => ItemKind::Server { body: self.block(parts.need(Rule::block)?)? },
            Rule::run_item => {
                let mut options = Vec::new();
                while let Some(option) = parts.maybe(Rule::run_option) {
                    options.push(self.run_option(option)?);
                }
                ItemKind::Run { options }
            }
            _ => return Err(Unbuilt),
        })
    }

    fn policy(&self, pair: Pair<'_, Rule>) -> Built<Node<Policy>> {
        let policy = match pair.as_str() {
            "maxmin" => Policy::Maxmin,
            "bottleneck" => Policy::Bottleneck,
            _ => return Err(Unbuilt),
        };
        Ok(self.node(&pair, policy))
    }

    fn run_option(&mut self, pair: Pair<'_, Rule>) -> Built<RunOption> {
        let span = self.span(&pair);
        let mut parts = Parts::of(pair);
        let field = match parts.need(Rule::run_field)?.as_str() {
            "horizon" => RunField::Horizon,
            "warmup" => RunField::Warmup,
            "seed" => RunField::Seed,
            "arrivals" => RunField::Arrivals,
            _ => return Err(Unbuilt),
        };
        let value = self.expr(parts.need(Rule::expr)?)?;
        Ok(RunOption { kind: (field, value), span })
    }

    fn workload_part(&mut self, pair: Pair<'_, Rule>) -> Built<WorkloadItem> {
        let span = self.span(&pair);
        let pair = pair.into_inner().next().ok_or(Unbuilt)?;
        let rule = pair.as_rule();
        if rule == Rule::hidden_part {
            return Ok(WorkloadItem { kind: WorkloadItemKind::Hidden(self.names(pair)), span });
        }
        let mut parts = Parts::of(pair);
        let kind = match rule {
            Rule::arrive_part => {
                WorkloadItemKind::Arrive(self.arrival(parts.need(Rule::arrival)?)?)
            }
            Rule::trace_part => WorkloadItemKind::Trace {
                file: self.string(parts.need(Rule::string)?),
                order: match (parts.word(Rule::kw_ordered), parts.maybe(Rule::at_arrival)) {
                    (true, _) => TraceOrder::InOrder,
                    (false, Some(_)) => TraceOrder::AtArrival,
                    (false, None) => TraceOrder::Drawn,
                },
            },
            Rule::init_part => WorkloadItemKind::Init(self.block(parts.need(Rule::block)?)?),
            Rule::turn_part => WorkloadItemKind::Turn(self.block(parts.need(Rule::block)?)?),
            Rule::session_part => WorkloadItemKind::Session(self.block(parts.need(Rule::block)?)?),
            _ => return Err(Unbuilt),
        };
        Ok(WorkloadItem { kind, span })
    }

    fn arrival(&mut self, pair: Pair<'_, Rule>) -> Built<Node<Arrival>> {
        let span = self.span(&pair);
        let law = pair.into_inner().next().ok_or(Unbuilt)?;
        let rule = law.as_rule();
        let mut amount = || self.inner_expr(Parts::of(law.clone()).need(Rule::paren)?);
        let kind = match rule {
            Rule::poisson_law => Arrival::Poisson(amount()?),
            Rule::renewal_law => Arrival::Renewal(amount()?),
            Rule::closed_law => Arrival::Closed(amount()?),
            Rule::batch_law => Arrival::Batch(amount()?),
            Rule::no_arrivals => Arrival::None,
            _ => return Err(Unbuilt),
        };
        Ok(Node { kind, span })
    }
}
