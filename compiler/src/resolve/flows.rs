//! Flows: runs over several stages, and how they share them.

use super::context::Resolver;
use super::errors;
use super::terms::{compare, is_constant};
use crate::ir::{BinaryOp, StageKind};

impl<'a> Resolver<'a> {
    /// Every stage of a flow is `ps` with a positive constant capacity, and sharing is said.
    pub fn check_flows(&mut self) {
        for flow in std::mem::take(&mut self.flow_uses) {
            let stage = &self.program.stages[flow.stage.index()];
            let name = stage.name.clone();
            match stage.kind.clone() {
                StageKind::Ps(capacity) if is_constant(&capacity) => {
                    let cond = compare(BinaryOp::Gt, &capacity, 0.0);
                    self.require(cond, errors::flows::capacity_not_positive(flow.span, &name));
                }
                StageKind::Ps(_) => {
                    self.report(errors::flows::capacity_not_constant(flow.span, &name), flow.scope);
                }
                StageKind::Fifo(_) | StageKind::Delay | StageKind::Step(_) => {
                    self.report(errors::flows::not_ps(flow.span, &name), flow.scope);
                }
            }
            if self.sides.share.is_none() {
                self.report(errors::flows::no_policy(flow.span), flow.scope);
            }
        }
        let shared = self.program.stages.iter().any(|stage| stage.shared);
        let Some((policy, _)) = self.sides.share else { return };
        if !shared && self.sides.pulls.is_empty() && !self.failed() {
            self.diagnostics.push(errors::flows::policy_for_nothing(policy.span));
        }
    }
}
