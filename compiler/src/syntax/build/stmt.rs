//! Statements and blocks.

use pest::iterators::Pair;

use super::{Builder, Built, Parts, Unbuilt};
use crate::syntax::ast::{
    Block, Booking, Claim, Expr, Form, Hold, Lease, Mode, Node, Opening, Place, Ref, Stmt,
    StmtKind, TransferPlace,
};
use crate::syntax::grammar::Rule;

impl Builder<'_> {
    /// A `block`.
    pub(super) fn block(&mut self, pair: Pair<'_, Rule>) -> Built<Block> {
        let span = self.span(&pair);
        let mut stmts = Vec::new();
        for part in pair.into_inner().filter(|part| part.as_rule() == Rule::stmt) {
            stmts.push(self.stmt(part)?);
        }
        Ok(Block { kind: stmts, span })
    }

    fn stmt(&mut self, pair: Pair<'_, Rule>) -> Built<Stmt> {
        let span = self.span(&pair);
        let pair = Parts::of(pair).any().ok_or(Unbuilt)?;
        let kind = self.stmt_kind(pair)?;
        Ok(Stmt { kind, span })
    }

    fn stmt_kind(&mut self, pair: Pair<'_, Rule>) -> Built<StmtKind> {
        let rule = pair.as_rule();
        match rule {
            Rule::hold_stmt => return Ok(StmtKind::Hold(Box::new(self.hold(pair)?))),
            Rule::open_stmt => return Ok(StmtKind::Open(Box::new(self.opening(pair)?))),
            Rule::book_stmt => return Ok(StmtKind::Book(Box::new(self.booking(pair)?))),
            Rule::run_stmt => return self.run(pair),
            Rule::call_stmt => return self.call(pair),
            _ => {}
        }
        let mut parts = Parts::of(pair);
        Ok(match rule {
            Rule::turn_stmt => StmtKind::Turn,
            Rule::end_stmt => StmtKind::End,
            Rule::request_stmt => StmtKind::Request(parts.maybe(Rule::name).map(|p| self.name(p))),
            Rule::set_stmt => StmtKind::Set {
                name: self.name(parts.need(Rule::name)?),
                value: self.expr(parts.need(Rule::expr)?)?,
            },
            Rule::observe_stmt => StmtKind::Observe {
                name: self.name(parts.need(Rule::name)?),
                value: self.expr(parts.need(Rule::expr)?)?,
            },
            Rule::mark_stmt => StmtKind::Mark { name: self.name(parts.need(Rule::name)?) },
            Rule::grow_stmt => StmtKind::Grow {
                pool: self.reference(parts.need(Rule::reference)?)?,
                amount: self.inner_expr(parts.need(Rule::paren)?)?,
            },
            Rule::load_stmt => StmtKind::Load {
                pool: self.reference(parts.need(Rule::reference)?)?,
                amount: self.inner_expr(parts.need(Rule::paren)?)?,
            },
            Rule::drop_stmt => {
                StmtKind::Drop { pool: self.reference(parts.need(Rule::reference)?)? }
            }
            Rule::release_stmt => {
                StmtKind::Release { pool: self.reference(parts.need(Rule::reference)?)? }
            }
            Rule::branch_stmt => StmtKind::Branch {
                with: parts.word(Rule::kw_with),
                guard: self.inner_expr(parts.need(Rule::paren)?)?,
                then: self.block(parts.need(Rule::block)?)?,
                otherwise: parts.maybe(Rule::block).map(|p| self.block(p)).transpose()?,
            },
            Rule::loop_stmt => StmtKind::Loop(self.block(parts.need(Rule::block)?)?),
            Rule::fork_stmt => StmtKind::Fork(self.block(parts.need(Rule::block)?)?),
            Rule::join_stmt => StmtKind::Join,
            Rule::choose_stmt => StmtKind::Choose {
                name: self.name(parts.need(Rule::name)?),
                count: self.expr(parts.need(Rule::expr)?)?,
                keys: self.exprs(parts.need(Rule::keys)?)?,
            },
            Rule::use_stmt => StmtKind::Use {
                name: self.name(parts.need(Rule::name)?),
                args: self.exprs(parts.need(Rule::args)?)?,
            },
            Rule::serving_stmt => {
                let form = parts.need(Rule::form)?;
                let kind = match form.as_str() {
                    "prefill" => Form::Prefill,
                    "decode" => Form::Decode,
                    "tool" => Form::Tool,
                    _ => return Err(Unbuilt),
                };
                let form = self.node(&form, kind);
                let place = match (parts.maybe(Rule::index), parts.maybe(Rule::on_stage)) {
                    (Some(index), _) => Some(Place::Index(self.inner_expr(index)?)),
                    (None, Some(on)) => {
                        Some(Place::On(self.reference(Parts::of(on).need(Rule::reference)?)?))
                    }
                    (None, None) => None,
                };
                let amount = self.expr(parts.need(Rule::expr)?)?;
                StmtKind::Serving { form, place, amount, growing: self.growing(&mut parts)? }
            }
            Rule::transfer_stmt => {
                let place = match (parts.maybe(Rule::index), parts.maybe(Rule::on_stages)) {
                    (Some(index), _) => Some(TransferPlace::Index(self.inner_expr(index)?)),
                    (None, Some(on)) => {
                        Some(TransferPlace::On(self.references(&mut Parts::of(on))?))
                    }
                    (None, None) => None,
                };
                StmtKind::Transfer {
                    place,
                    amount: self.expr(parts.need(Rule::expr)?)?,
                    from: self.reference(parts.need(Rule::reference)?)?,
                    to: self.reference(parts.need(Rule::reference)?)?,
                    loaded: self.inner_expr(parts.need(Rule::paren)?)?,
                    otherwise: parts.maybe(Rule::block).map(|p| self.block(p)).transpose()?,
                }
            }
            _ => return Err(Unbuilt),
        })
    }

    fn hold(&mut self, pair: Pair<'_, Rule>) -> Built<Hold> {
        let mut parts = Parts::of(pair);
        let mut claims = Vec::new();
        while let Some(claim) = parts.maybe(Rule::claim) {
            claims.push(self.claim(claim)?);
        }
        let reuse = self.clause(&mut parts, Rule::reuse)?;
        let mut bindings = Vec::new();
        if let Some(admission) = parts.maybe(Rule::admission) {
            let mut admission = Parts::of(admission);
            while let Some(binding) = admission.maybe(Rule::binding) {
                let mut binding = Parts::of(binding);
                let name = self.name(binding.need(Rule::name)?);
                bindings.push((name, self.expr(binding.need(Rule::expr)?)?));
            }
        }
        let body = self.block(parts.need(Rule::block)?)?;
        let cache = self.clause(&mut parts, Rule::cache)?;
        let lease = self.lease(&mut parts)?;
        Ok(Hold { claims, reuse, bindings, body, cache, lease })
    }

    fn opening(&mut self, pair: Pair<'_, Rule>) -> Built<Opening> {
        let mut parts = Parts::of(pair);
        Ok(Opening {
            pool: self.reference(parts.need(Rule::reference)?)?,
            body: self.block(parts.need(Rule::block)?)?,
            cache: self.clause(&mut parts, Rule::cache)?,
            lease: self.lease(&mut parts)?,
        })
    }

    fn booking(&mut self, pair: Pair<'_, Rule>) -> Built<Booking> {
        let mut parts = Parts::of(pair);
        let claim = self.claim(parts.need(Rule::claim)?)?;
        Ok(Booking { claim, reuse: self.clause(&mut parts, Rule::reuse)? })
    }

    fn claim(&mut self, pair: Pair<'_, Rule>) -> Built<Claim> {
        let mut claim = Parts::of(pair);
        Ok(Claim {
            pool: self.reference(claim.need(Rule::reference)?)?,
            units: self.inner_expr(claim.need(Rule::paren)?)?,
            reserve: self.clause(&mut claim, Rule::reserve)?,
        })
    }

    /// `lease POOL (t) renew (period, extension)`, if it is there.
    fn lease(&mut self, parts: &mut Parts<'_>) -> Built<Option<Lease>> {
        let Some(lease) = parts.maybe(Rule::lease) else { return Ok(None) };
        let mut lease = Parts::of(lease);
        let pool = self.reference(lease.need(Rule::reference)?)?;
        let time = self.inner_expr(lease.need(Rule::paren)?)?;
        let renew = match lease.maybe(Rule::renew) {
            Some(renew) => {
                let mut renew = Parts::of(renew);
                let period = self.expr(renew.need(Rule::expr)?)?;
                Some((period, self.expr(renew.need(Rule::expr)?)?))
            }
            None => None,
        };
        Ok(Some(Lease { pool, time, renew }))
    }

    /// `WORD (expr)`, if it is there.
    fn clause(&mut self, parts: &mut Parts<'_>, rule: Rule) -> Built<Option<Expr>> {
        let Some(clause) = parts.maybe(rule) else { return Ok(None) };
        let paren = Parts::of(clause).need(Rule::paren)?;
        Ok(Some(self.inner_expr(paren)?))
    }

    fn run(&mut self, pair: Pair<'_, Rule>) -> Built<StmtKind> {
        let mut parts = Parts::of(pair);
        let mut stages = self.references(&mut parts)?;
        let mut mode = match parts.maybe(Rule::mode) {
            Some(pair) => {
                let mode = mode_of(pair.as_str()).ok_or(Unbuilt)?;
                Some(self.node(&pair, mode))
            }
            None => None,
        };
        // `run prefill (x)`: the mode of the queue's own stage in an entry, elsewhere a stage.
        if let ([stage], None, true) = (&stages[..], &mode, self.in_entry)
            && let ([name], None) = (&stage.path[..], &stage.index)
            && let Some(own) = mode_of(&name.kind)
        {
            mode = Some(Node { kind: own, span: name.span });
            stages.clear();
        }
        let work = self.inner_expr(parts.need(Rule::paren)?)?;
        Ok(StmtKind::Run { stages, mode, work, growing: self.growing(&mut parts)? })
    }

    fn growing(&mut self, parts: &mut Parts<'_>) -> Built<Option<Ref>> {
        let Some(growing) = parts.maybe(Rule::growing) else { return Ok(None) };
        Ok(Some(self.reference(Parts::of(growing).need(Rule::reference)?)?))
    }

    fn references(&mut self, parts: &mut Parts<'_>) -> Built<Vec<Ref>> {
        let mut refs = Vec::new();
        while let Some(pair) = parts.maybe(Rule::reference) {
            refs.push(self.reference(pair)?);
        }
        Ok(refs)
    }

    fn call(&mut self, pair: Pair<'_, Rule>) -> Built<StmtKind> {
        let mut parts = Parts::of(pair);
        let mut path = vec![self.name(parts.need(Rule::name)?)];
        let index = match parts.maybe(Rule::index) {
            Some(index) => {
                let end = self.span(&index);
                Some((end, Box::new(self.inner_expr(index)?)))
            }
            None => None,
        };
        while let Some(name) = parts.maybe(Rule::name) {
            path.push(self.name(name));
        }
        let verb = path.pop().ok_or(Unbuilt)?;
        let mut span = path.first().ok_or(Unbuilt)?.span;
        for name in &path {
            span = span.to(name.span);
        }
        let index = index.map(|(end, index)| {
            span = span.to(end);
            (1, index)
        });
        let queue = Ref { path, index, rank: None, span };
        let args = parts.maybe(Rule::args).map(|p| self.exprs(p)).transpose()?.unwrap_or_default();
        let from = parts.maybe(Rule::reference).map(|p| self.reference(p)).transpose()?;
        let to = match parts.maybe(Rule::target) {
            Some(target) => {
                let mut target = Parts::of(target);
                let pool = self.reference(target.need(Rule::reference)?)?;
                Some((pool, self.inner_expr(target.need(Rule::paren)?)?))
            }
            None => None,
        };
        let otherwise = parts.maybe(Rule::block).map(|p| self.block(p)).transpose()?;
        Ok(StmtKind::Call { queue, verb, args, from, to, otherwise })
    }
}

fn mode_of(word: &str) -> Option<Mode> {
    match word {
        "prefill" => Some(Mode::Prefill),
        "decode" => Some(Mode::Decode),
        _ => None,
    }
}
