//! What nobody calls: entries are checked all the same, and leave nothing behind.

use super::context::{Place, Resolver};
use super::scope::{Argument, EntryScope, ScopeKind, Source};
use crate::ir::QueueId;

impl<'a> Resolver<'a> {
    /// Checks every entry that no call reached, for any member and any source.
    pub fn resolve_uncalled(&mut self) {
        for index in 0..self.queues.len() {
            let id = QueueId(index as u32);
            for entry in 0..self.queue(id).entries.len() {
                if !self.queue(id).is_gateway() && !self.called.contains(&(id, entry)) {
                    self.check_uncalled(id, entry);
                }
            }
        }
    }

    fn check_uncalled(&mut self, id: QueueId, entry: usize) {
        let decl = &self.queues[id.index()];
        let (item, name) = (decl.item, decl.ast.name.kind.clone());
        let written = &decl.entries[entry];
        let (body, verb) = (written.body, written.verb.kind.clone());
        let params = written
            .params
            .iter()
            .map(|name| Argument { name, value: None, reads: 0, draws: false })
            .collect();
        let source = written.from.map(|name| Source { name, from: None, member: None });
        let frame = EntryScope {
            queue: id,
            item,
            label: format!("{name}.{verb}"),
            params,
            member: None,
            uncalled: true,
            source,
            used_at: None,
        };
        let (attrs, observes) = (self.program.attrs.len(), self.program.observes.len());
        let (holds, vars) = (self.program.holds.len(), self.program.vars.len());
        let shared: Vec<bool> = self.program.stages.iter().map(|stage| stage.shared).collect();
        let releases = self.loose_releases.len();
        let given_at = self.given_at.clone();
        let (flows, bindings) = (self.flow_uses.len(), self.bindings.len());

        let scope = self.scope(None, ScopeKind::Entry(frame));
        self.place = Place::Entry;
        let mut nothing = Vec::new();
        self.block(body, scope, &mut nothing);

        self.program.attrs.truncate(attrs);
        self.kept.retain(|_, id| id.index() < attrs);
        self.given_at = given_at;
        self.program.observes.truncate(observes);
        self.observes.retain(|_, id| id.index() < observes);
        self.program.holds.truncate(holds);
        self.program.vars.truncate(vars);
        self.flow_uses.truncate(flows);
        self.loose_releases.truncate(releases);
        self.bindings.truncate(bindings);
        for (stage, shared) in self.program.stages.iter_mut().zip(shared) {
            stage.shared = shared;
        }
    }
}
