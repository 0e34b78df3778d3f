//! The attributes that a method reads, taken out of the session's record as values.

use super::is_lookup;
use syn::{
    Block, Expr, ExprPath, Ident, Member, PatIdent, parse_quote,
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

/// Takes the values first, of a block that writes no attribute: `let Session { a, b, .. } = self.attrs[s as usize];`.
/// An attribute whose name the block has for something else stays where it is read.
pub fn take_values(block: &mut Block) {
    let mut found = Names::default();
    found.visit_block(block);
    let Names { mut read, times, other } = found;
    read.retain(|name| !other.contains(name));
    if times < 2 || read.is_empty() {
        return;
    }
    Values { names: &read }.visit_block_mut(block);
    block.stmts.insert(0, parse_quote!(let Session { #(#read),*, .. } = self.attrs[s as usize];));
}

/// The names in a block.
#[derive(Default)]
struct Names {
    /// Attributes that are read, in the order of their first reading, and how often any is.
    read: Vec<Ident>,
    times: usize,
    /// What else has a name.
    other: Vec<Ident>,
}

impl Visit<'_> for Names {
    fn visit_expr(&mut self, e: &Expr) {
        match attribute(e) {
            Some(name) => {
                self.times += 1;
                if !self.read.contains(name) {
                    self.read.push(name.clone());
                }
            }
            None => visit::visit_expr(self, e),
        }
    }

    fn visit_expr_path(&mut self, path: &ExprPath) {
        self.other.extend(path.path.get_ident().cloned());
    }

    fn visit_pat_ident(&mut self, pat: &PatIdent) {
        self.other.push(pat.ident.clone());
        visit::visit_pat_ident(self, pat);
    }
}

/// The attribute, if the expression is one of the session's.
fn attribute(e: &Expr) -> Option<&Ident> {
    match e {
        Expr::Field(field) => match (&*field.base, &field.member) {
            (Expr::Index(index), Member::Named(name)) if is_lookup(index) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Puts the values' names where they are read.
struct Values<'n> {
    names: &'n [Ident],
}

impl VisitMut for Values<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let name = attribute(e).filter(|name| self.names.contains(name)).cloned();
        match name {
            Some(name) => *e = parse_quote!(#name),
            None => visit_mut::visit_expr_mut(self, e),
        }
    }
}
