//! `impl World for Model`: the wiring between the program and the runtime.

use super::{Emitter, comments};
use crate::ir::{Arrival, Expr, ExprKind, StageKind, TraceOrder, TraceText};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// A function of `World` that finds the family it is asked about and hands on to it. Nothing where there is no such
/// family: the trait answers then.
pub fn dispatch(
    signature: TokenStream,
    on: TokenStream,
    arms: TokenStream,
    rest: TokenStream,
) -> TokenStream {
    if arms.is_empty() {
        return TokenStream::new();
    }
    quote! {
        #[inline]
        #signature {
            match #on { #arms _ => #rest }
        }
    }
}

impl Emitter<'_> {
    /// Notes that the source silences; nothing where it silences none.
    fn quiet(&self) -> TokenStream {
        let notes = self.ir.quiet.iter().map(|(code, about)| quote!((#code, #about)));
        match self.ir.quiet.is_empty() {
            true => TokenStream::new(),
            false => quote! {
                const QUIET: &'static [(&'static str, &'static str)] = &[#(#notes),*];
            },
        }
    }

    /// Where sessions and arrivals are in the source, for errors that no expression raises.
    fn places(&self) -> TokenStream {
        let waits = self.entered_states().into_iter().filter_map(|id| {
            let site = Literal::u32_unsuffixed(self.site_of(self.machine.place(id)?));
            let at = &self.names.at[id.index()];
            Some(quote!((at::#at, #site),))
        });
        let law = match &self.ir.workload.arrival {
            Arrival::Poisson(e) | Arrival::Renewal(e) | Arrival::Closed(e) | Arrival::Batch(e) => {
                Some(e)
            }
            Arrival::Recorded | Arrival::None => None,
        };
        let site = |name: TokenStream, expr: Option<&Expr>| {
            expr.map(|e| {
                let site = Literal::u32_unsuffixed(self.site_of(e.site));
                quote!(const #name: u32 = #site;)
            })
        };
        let arrive = site(quote!(ARRIVE_SITE), law);
        let arrivals = site(quote!(ARRIVALS_SITE), self.ir.run.arrivals.as_ref());
        quote! {
            const WAITS: &'static [(u32, u32)] = &[#(#waits)*];
            #arrive
            #arrivals
        }
    }

    /// The pools that share prefixes, if any do.
    fn shared(&self) -> TokenStream {
        let pools = self.ir.pools.iter().enumerate().filter(|(_, pool)| pool.prefix_shared);
        let pools: Vec<_> = pools.map(|(i, _)| Literal::usize_unsuffixed(i)).collect();
        match pools.is_empty() {
            true => TokenStream::new(),
            false => quote!(const SHARED: &'static [u16] = &[#(#pools),*];),
        }
    }

    /// The families of NICs of which a member has several, if there are any.
    fn nics(&self) -> TokenStream {
        let stages = self.ir.stages.iter().enumerate().filter(|(_, stage)| stage.ranks.is_some());
        let stages: Vec<_> = stages.map(|(i, _)| Literal::usize_unsuffixed(i)).collect();
        match stages.is_empty() {
            true => TokenStream::new(),
            false => quote!(const NICS: &'static [u16] = &[#(#stages),*];),
        }
    }

    /// The stages of one server that no setting changes, if there are any.
    fn one_server(&self) -> TokenStream {
        let one = |kind: &StageKind| matches!(kind, StageKind::Fifo(Expr { kind: ExprKind::Num(n), .. }) if *n == 1.0);
        let stages = self.ir.stages.iter().zip(&self.names.stages);
        let stages: Vec<_> = stages.filter(|(s, _)| one(&s.kind)).map(|(_, name)| name).collect();
        match stages.is_empty() {
            true => TokenStream::new(),
            false => quote!(const ONE_SERVER: &'static [u16] = &[#(stages::#stages),*];),
        }
    }

    /// The trace that sessions replay, if any.
    fn trace(&self) -> TokenStream {
        let Some(trace) = &self.ir.workload.trace else { return TokenStream::new() };
        let order = match trace.order {
            TraceOrder::Drawn => quote!(Drawn),
            TraceOrder::InOrder => quote!(InOrder),
            TraceOrder::AtArrival => quote!(AtArrival),
        };
        let spec = match &trace.text {
            TraceText::Whole(text) => quote! { Text { text: #text, order: TraceOrder::#order } },
            TraceText::At(path) => quote! { File { path: #path, order: TraceOrder::#order } },
        };
        quote! { const TRACE: TraceSpec = TraceSpec::#spec; }
    }

    /// The whole implementation.
    pub fn world(&self) -> TokenStream {
        let name = comments::visible(&self.ir.name);
        let kept = self.kept_specs();
        let (pools, stages, holds) = (self.pool_specs(), self.stage_specs(), self.hold_specs());
        let params = self.param_specs();
        let observes = self.ir.observes.iter().map(|o| &o.name);
        let gauge_names = self.ir.gauges.iter().map(|g| &g.name);
        let trace = self.trace();
        let (entry_attrs, restless) = (self.plan.entry_attrs, self.plan.restless);
        let quiet = self.quiet();
        let param_functions = self.param_functions();
        let constructor = self.constructor();
        let accessors = self.accessors();
        let workload = self.workload_dispatch();
        let holds_dispatch = self.hold_dispatch();
        let engines = self.engine_dispatch();
        let keys = self.key_dispatch();
        let (gauges, gauge_methods) = self.gauges();
        // Last, so that the places that expressions ask for come first.
        let places = self.places();
        let estimates = match self.reads_estimates.get() {
            true => quote!(
                const ESTIMATES: bool = true;
            ),
            false => TokenStream::new(),
        };
        let shared = self.shared();
        let (nics, one_server) = (self.nics(), self.one_server());
        let legs = self.legs();
        let (failing, failures) = self.failing_queues();
        let odd = self.odd();
        quote! {
            #[allow(unused_variables #odd)]
            impl World for Model {
                const NAME: &'static str = #name;
                #pools
                #stages
                #kept
                #holds
                const SITES: &'static [SourceSite] = SITES;
                #places
                #params
                const OBSERVES: &'static [&'static str] = &[#(#observes),*];
                const GAUGES: &'static [&'static str] = &[#(#gauge_names),*];
                #trace
                const ENTRY_ATTRS: bool = #entry_attrs;
                const RESTLESS: bool = #restless;
                #estimates
                #shared
                #nics
                #one_server
                #legs
                #failing
                #quiet
                type Attrs = Session;

                #param_functions
                #constructor
                #accessors
                #workload
                #[inline]
                fn resume(&mut self, s: Sid) { self.advance(s) }
                #holds_dispatch
                #failures
                #engines
                #keys
                #gauges
            }

            #gauge_methods
        }
    }
}
