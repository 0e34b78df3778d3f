//! What is known of a program's names once all of it is resolved, for an index.
//!
//! In: the resolver at its end. Out: types, values and names in reports, by what a name means.

use std::collections::{HashMap, HashSet};

use super::context::Resolver;
use super::names::Symbol;
use super::notes::Meaning;
use super::types::type_of;
use crate::ir::{ParamId, Ty};
use crate::span::Span;

/// What is known of names.
#[derive(Default)]
pub(crate) struct Facts {
    /// Static types.
    pub types: HashMap<Meaning, Ty>,
    /// Values of `let`s, by their place.
    pub values: HashMap<Span, f64>,
    /// Attributes that the deployment does not see.
    pub hidden: HashSet<Meaning>,
    /// How reports call an attribute.
    pub shown: HashMap<Meaning, String>,
}

impl Resolver<'_> {
    /// What is known now.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        let values = self.param_values();
        for named in self.names.values() {
            if let Symbol::Param(ParamId(id)) = named.symbol
                && let (Some(param), Some(value)) =
                    (self.program.params.get(id as usize), values.get(id as usize))
            {
                facts.types.insert(Meaning::Declared(named.span), param.value.ty);
                facts.values.insert(named.span, *value);
            }
        }
        for ((queue, name), id) in &self.attrs {
            let meaning = Meaning::Attribute(*queue, name.clone());
            // An attribute of an entry that nobody calls is checked and left behind.
            let shown = self.shown_attribute(*queue, name);
            if let Some(attr) = self.program.attrs.get(id.index()) {
                facts.types.insert(meaning.clone(), attr.ty);
                if attr.hidden {
                    facts.hidden.insert(meaning.clone());
                }
            }
            facts.shown.insert(meaning, shown);
        }
        self.types_of_texts(&mut facts);
        facts
    }

    /// Types of definitions and admission bindings.
    fn types_of_texts(&self, facts: &mut Facts) {
        let Some(notes) = &self.notes else { return };
        let types: Vec<Ty> = self.program.attrs.iter().map(|attr| attr.ty).collect();
        let bodies = notes.bodies.iter().map(|(def, body)| (self.defs[*def].name.span, body));
        let bound = notes.bound.iter().map(|(span, value)| (*span, value));
        for (span, expr) in bodies.chain(bound) {
            facts.types.insert(Meaning::Declared(span), type_of(expr, &types));
        }
    }
}
