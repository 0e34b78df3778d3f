//! Queues of which members fail, and the calls that may lose theirs.

use super::{Emitter, scope::Scope};
use crate::ir::{Expr, QueueId, SiteId};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Emitter<'_> {
    /// The queues that fail, in the order of the text, each once.
    fn queues_that_fail(&self) -> Vec<QueueId> {
        let mut all: Vec<QueueId> = Vec::new();
        for failure in &self.ir.failures {
            if !all.contains(&failure.queue) {
                all.push(failure.queue);
            }
        }
        all
    }

    /// A queue's number among those that fail.
    pub fn failing(&self, queue: QueueId) -> u16 {
        self.queues_that_fail().iter().position(|&other| other == queue).unwrap_or_default() as u16
    }

    /// The constants and the method of `World` about failures, if there are any.
    pub fn failing_queues(&self) -> (TokenStream, TokenStream) {
        let renews = match self.ir.holds.iter().any(|hold| hold.renew.is_some()) {
            true => quote!(
                const RENEWS: bool = true;
            ),
            false => TokenStream::new(),
        };
        if self.ir.failures.is_empty() {
            return (renews, TokenStream::new());
        }
        let queues = self.queues_that_fail().into_iter().map(|id| {
            let queue = &self.ir.queues[id.index()];
            let single = queue.size.is_none();
            let pools = queue.pools.iter().map(|pool| Literal::u32_unsuffixed(pool.0));
            let stages = queue.stages.iter().map(|stage| Literal::u32_unsuffixed(stage.0));
            quote!(FailingQueue { single: #single, pools: &[#(#pools),*], stages: &[#(#stages),*] })
        });
        let scope = Scope::session();
        let failures = self.ir.failures.iter().map(|failure| {
            let queue = Literal::u16_unsuffixed(self.failing(failure.queue));
            let (at, lasts) = (self.num(&failure.at, &scope), self.num(&failure.lasts, &scope));
            let member = match &failure.member {
                Some(member) => {
                    let member = self.num(member, &scope);
                    quote!((#member) as u32)
                }
                None => quote!(0),
            };
            quote!(Failure { queue: #queue, member: #member, at: #at, lasts: #lasts })
        });
        (
            quote! {
                #renews
                const FAILING: &'static [FailingQueue] = &[#(#queues),*];
            },
            quote! {
                fn failures(&self) -> Vec<Failure> { vec![#(#failures),*] }
            },
        )
    }

    /// The member of a queue that a guarded call means, as a `usize`.
    pub fn called(
        &self,
        queue: QueueId,
        index: Option<&Expr>,
        site: SiteId,
        scope: &Scope,
    ) -> TokenStream {
        let decl = &self.ir.queues[queue.index()];
        let len = match (decl.stages.first(), decl.pools.first()) {
            (Some(stage), _) => self.stage_len(*stage),
            (None, Some(pool)) => self.pool_len(*pool),
            (None, None) => quote!(1),
        };
        self.member(index, decl.size.as_ref(), len, self.site_of(site), scope)
    }
}
