//! Expressions as Rust: numbers are `f64`, tests are `bool`, parentheses only where Rust needs them.

use super::{
    Emitter,
    numbers::{is_like_a_constant, literal, suffixed},
    readings::{builtin, ctx},
    scope::Scope,
};
use crate::ir::{AggregateOp, AttrId, BinaryOp, Dist, Expr, ExprKind, Math, Ty};
use crate::ir::{eval::eval, print::expression};
use proc_macro2::{Delimiter, Ident, Literal, TokenStream, TokenTree};
use quote::{format_ident, quote};

/// How tightly a piece of Rust binds; a piece of lower rank than its place asks for is parenthesised.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Rank {
    /// `if`, blocks, closures.
    Block,
    /// `x as f64`, which may not stand before a `<`.
    Cast,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Prefix,
    Primary,
}

/// Operators of a chain that go on one line.
const LINE: usize = 50;

/// A piece of Rust and its rank.
struct Piece(TokenStream, Rank);

impl Piece {
    fn at(self, least: Rank) -> TokenStream {
        let Piece(t, rank) = self;
        if rank < least { quote!((#t)) } else { t }
    }
}

/// An expression over literals alone, of which Rust does not know that it is an `f64`.
fn numbers_only(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Num(x) => x.is_finite(),
        ExprKind::Neg(a) => numbers_only(a),
        ExprKind::Chain(a, rest) => {
            let computes = |op: &BinaryOp| op.chains() && op.binding() > BinaryOp::Eq.binding();
            numbers_only(a) && rest.iter().all(|(op, b)| computes(op) && numbers_only(b))
        }
        ExprKind::Cond(_, a, b) => numbers_only(a) && numbers_only(b),
        ExprKind::Aggregate(AggregateOp::Sum, _, _, body) => numbers_only(body),
        ExprKind::Draw(Dist::Det, args) => numbers_only(&args[0]),
        _ => false,
    }
}

impl Emitter<'_> {
    /// An expression as an `f64`.
    pub fn num(&self, e: &Expr, scope: &Scope) -> TokenStream {
        bare(self.num_piece(e, scope).0)
    }

    /// A number handed to a check of the kernel: `self.k.work(…, s, site)`; a plain number needs none.
    pub fn amount(&self, check: &str, e: &Expr, scope: &Scope) -> TokenStream {
        let x = self.num(e, scope);
        if matches!(e.kind, ExprKind::Num(x) if x >= 0.0) {
            return x;
        }
        let check = format_ident!("{check}");
        let site = Literal::u32_unsuffixed(self.site_of(e.site));
        if needs_let(&x) {
            quote!({ let amount = #x; self.k.#check(amount, s, #site) })
        } else {
            quote!(self.k.#check(#x, s, #site))
        }
    }

    /// As an `f64` that a method can be called on or an operator applied to.
    pub fn num_primary(&self, e: &Expr, scope: &Scope) -> TokenStream {
        self.num_piece(e, scope).at(Rank::Primary)
    }

    /// As an `f64` that may be compared.
    pub fn num_compared(&self, e: &Expr, scope: &Scope) -> TokenStream {
        self.num_piece(e, scope).at(Rank::Sum)
    }

    /// An expression as a `bool`: any non-zero (NaN too) is true.
    pub fn truth(&self, e: &Expr, scope: &Scope) -> TokenStream {
        self.truth_piece(e, scope).0
    }

    /// As an `f64` that ends a block or is all of a `match` arm.
    pub fn num_tail(&self, e: &Expr, scope: &Scope) -> TokenStream {
        tail(self.num(e, scope))
    }

    /// The same as a `bool`.
    pub fn truth_tail(&self, e: &Expr, scope: &Scope) -> TokenStream {
        tail(self.truth(e, scope))
    }

    /// As what its type is: `f64` or `bool`.
    pub fn typed(&self, e: &Expr, ty: Ty, scope: &Scope) -> TokenStream {
        match ty {
            Ty::Num => self.num(e, scope),
            Ty::Bool => self.truth(e, scope),
        }
    }

    fn truth_piece(&self, e: &Expr, scope: &Scope) -> Piece {
        match &e.kind {
            ExprKind::Num(x) if *x == 0.0 => return Piece(quote!(false), Rank::Primary),
            ExprKind::Num(x) if *x == 1.0 => return Piece(quote!(true), Rank::Primary),
            ExprKind::Not(a) => {
                if let ExprKind::Not(inner) = &a.kind {
                    return self.truth_piece(inner, scope);
                }
                let orders = |op: &BinaryOp| {
                    matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
                };
                if matches!(&a.kind, ExprKind::Chain(_, rest) if rest.iter().all(|(op, _)| orders(op)))
                {
                    // Not the same as the opposite comparison: a NaN is neither.
                    self.is_odd("neg_cmp_op_on_partial_ord");
                }
                let a = self.truth_piece(a, scope).at(Rank::Prefix);
                return Piece(quote!(!#a), Rank::Prefix);
            }
            ExprKind::Chain(a, rest) => {
                if let Some(piece) = self.test(a, rest, scope) {
                    return piece;
                }
            }
            ExprKind::Cond(c, a, b) if e.ty == Ty::Bool => {
                let c = self.truth(c, scope);
                let (a, b) = (self.truth_tail(a, scope), self.truth_tail(b, scope));
                return Piece(quote!(if #c { #a } else { #b }), Rank::Block);
            }
            ExprKind::Attr(a)
                if self.ir.attrs[a.index()].ty == Ty::Bool && scope.bound(e).is_none() =>
            {
                return Piece(self.attr(*a, scope), Rank::Primary);
            }
            _ => {}
        }
        let x = self.num_piece(e, scope).at(Rank::Sum);
        Piece(quote!(#x != 0.0), Rank::Compare)
    }

    /// A comparison or connectives as a `bool`.
    fn test(&self, a: &Expr, rest: &[(BinaryOp, Expr)], scope: &Scope) -> Option<Piece> {
        let (op, b) = rest.first()?;
        if op.compares() && self.repeats(a, b) && !numbers_only(a) {
            let one = self.num_primary(a, scope);
            match op {
                // Equal to itself: a number.
                BinaryOp::Eq | BinaryOp::Le | BinaryOp::Ge if !reads_kernel(&one) => {
                    return Some(Piece(quote!(!#one.is_nan()), Rank::Prefix));
                }
                BinaryOp::Ne if !reads_kernel(&one) => {
                    return Some(Piece(quote!(#one.is_nan()), Rank::Primary));
                }
                BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Le
                | BinaryOp::Ge
                | BinaryOp::Lt
                | BinaryOp::Gt => self.is_odd("eq_op"),
                BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Pow => {}
            }
        }
        let compare = |op: TokenStream| {
            let a = self.num_piece(a, scope).at(Rank::Sum);
            let b = self.num_piece(b, scope).at(Rank::Sum);
            Some(Piece(quote!(#a #op #b), Rank::Compare))
        };
        let connect = |rank: Rank, right: Rank| {
            self.look_for_repeats(a, rest);
            let first = self.truth_piece(a, scope).at(rank);
            Some(chain(first, rest, rank, |b| self.truth_piece(b, scope).at(right)))
        };
        match op {
            BinaryOp::Or => connect(Rank::Or, Rank::And),
            BinaryOp::And => connect(Rank::And, Rank::Compare),
            BinaryOp::Lt => compare(quote!(<)),
            BinaryOp::Gt => compare(quote!(>)),
            BinaryOp::Le => compare(quote!(<=)),
            BinaryOp::Ge => compare(quote!(>=)),
            BinaryOp::Eq => compare(quote!(==)),
            BinaryOp::Ne => compare(quote!(!=)),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Pow => None,
        }
    }

    /// Both are the same expression, and reading it twice gives the same.
    pub fn repeats(&self, a: &Expr, b: &Expr) -> bool {
        let one = expression(self.ir, a);
        one == expression(self.ir, b) && !one.contains('~')
    }

    /// Notes if an operator of a chain has the same on both sides, where that has no use.
    fn look_for_repeats(&self, first: &Expr, rest: &[(BinaryOp, Expr)]) {
        let same_before = |n: usize, term: &Expr| match (n, &term.kind) {
            (0, _) => self.repeats(first, term),
            (_, ExprKind::Chain(_, terms)) if terms.len() == n => {
                let kind = ExprKind::Chain(Box::new(first.clone()), rest[..n].to_vec());
                self.repeats(&Expr { kind, ty: term.ty, site: term.site }, term)
            }
            _ => false,
        };
        let useless =
            |op| matches!(op, BinaryOp::Sub | BinaryOp::Div | BinaryOp::And | BinaryOp::Or);
        let mut terms = rest.iter().enumerate();
        if terms.any(|(n, (op, term))| useless(*op) && same_before(n, term)) {
            self.is_odd("eq_op");
        }
    }

    fn num_piece(&self, e: &Expr, scope: &Scope) -> Piece {
        let primary = |t: TokenStream| Piece(t, Rank::Primary);
        if let Some(name) = self.name_of(e, scope) {
            return primary(quote!(#name));
        }
        match &e.kind {
            ExprKind::Num(x) => {
                if is_like_a_constant(*x) {
                    self.is_odd("approx_constant");
                }
                Piece(literal(*x), if *x < 0.0 { Rank::Prefix } else { Rank::Primary })
            }
            ExprKind::Param(p) => primary(self.param(*p, scope.params)),
            ExprKind::Attr(_) | ExprKind::Var(_) if scope.bound(e).is_some() => {
                let (_, name, _) = scope.bound(e).expect("just found");
                Piece(quote!(#name as f64), Rank::Cast)
            }
            ExprKind::Attr(a) => {
                let t = self.attr(*a, scope);
                match self.ir.attrs[a.index()].ty {
                    Ty::Num if self.plan.indices[a.index()].is_some() => {
                        Piece(quote!(#t as f64), Rank::Cast)
                    }
                    Ty::Num => primary(t),
                    Ty::Bool => primary(quote!(f64::from(#t))),
                }
            }
            ExprKind::Builtin(b) => primary(builtin(*b, scope)),
            ExprKind::Ctx(c) => primary(ctx(*c, scope)),
            ExprKind::Var(_) => primary(quote!(0.0)), // every variable is bound
            ExprKind::Member => Piece(quote!(member as f64), Rank::Cast),
            ExprKind::Neg(a) => {
                match &a.kind {
                    ExprKind::Neg(inner) => return self.num_piece(inner, scope),
                    ExprKind::Num(x) if *x < 0.0 => return primary(literal(-x)),
                    _ => {}
                }
                let a = self.num_piece(a, scope).at(Rank::Prefix);
                Piece(quote!(-#a), Rank::Prefix)
            }
            ExprKind::Not(_) => primary(self.as_number(e, scope)),
            ExprKind::Chain(a, rest) => self.arithmetic(e, a, rest, scope),
            ExprKind::Cond(c, a, b) => {
                let c = self.truth(c, scope);
                let (a, b) = (self.num_tail(a, scope), self.num_tail(b, scope));
                Piece(quote!(if #c { #a } else { #b }), Rank::Block)
            }
            ExprKind::Math(f, args) => primary(self.math(*f, args, scope)),
            ExprKind::Pool(f, r) => primary(self.pool_reading(*f, r, scope)),
            ExprKind::Stage(f, r) => primary(self.stage_reading(*f, r, scope)),
            ExprKind::Price(r, hit, ds) => {
                self.reads_estimates.set(true);
                let (hit, ds) = (self.num(hit, scope), self.num(ds, scope));
                let stage = self.stage_by_type(r, scope);
                primary(
                    quote!({ let hit = #hit; let ds = #ds; let stage = #stage; price(self, stage, hit, ds) }),
                )
            }
            ExprKind::Draw(d, args) => primary(self.draw(*d, args, scope)),
            ExprKind::Aggregate(op, var, count, body) => {
                primary(self.aggregate(*op, *var, count, body, scope))
            }
            // It stands in an index only.
            ExprKind::Nic(_, _, rank) => self.num_piece(rank, scope),
        }
    }

    /// The name of what was worked out before.
    fn name_of<'s>(&self, e: &Expr, scope: &'s Scope) -> Option<&'s Ident> {
        if scope.named.is_empty() || matches!(e.kind, ExprKind::Num(_) | ExprKind::Attr(_)) {
            return None;
        }
        let text = expression(self.ir, e);
        scope.named.iter().find(|(named, _)| *named == text).map(|(_, name)| name)
    }

    fn as_number(&self, e: &Expr, scope: &Scope) -> TokenStream {
        let t = self.truth(e, scope);
        quote!(f64::from(#t))
    }

    fn arithmetic(&self, e: &Expr, a: &Expr, rest: &[(BinaryOp, Expr)], scope: &Scope) -> Piece {
        let infix = |rank: Rank, right: Rank| {
            self.look_for_repeats(a, rest);
            let first = self.num_piece(a, scope).at(rank);
            chain(first, rest, rank, |b| self.num_piece(b, scope).at(right))
        };
        match rest.first() {
            Some((BinaryOp::Add | BinaryOp::Sub, _)) => infix(Rank::Sum, Rank::Product),
            Some((BinaryOp::Mul | BinaryOp::Div, _)) => infix(Rank::Product, Rank::Prefix),
            Some((BinaryOp::Pow, b)) => {
                let (a, b) = (self.num_primary(a, scope), self.num(b, scope));
                Piece(quote!(f64::powf(#a, #b)), Rank::Primary)
            }
            Some((
                BinaryOp::Or
                | BinaryOp::And
                | BinaryOp::Lt
                | BinaryOp::Gt
                | BinaryOp::Le
                | BinaryOp::Ge
                | BinaryOp::Eq
                | BinaryOp::Ne,
                _,
            ))
            | None => Piece(self.as_number(e, scope), Rank::Primary),
        }
    }

    fn math(&self, f: Math, args: &[Expr], scope: &Scope) -> TokenStream {
        let first = self.method_receiver(&args[0], scope);
        let second = || self.num(&args[1], scope);
        let is = |e: &Expr, f: Math| matches!(&e.kind, ExprKind::Math(of, _) if *of == f);
        if f == Math::Max && args.iter().any(|e| is(e, Math::Min))
            || f == Math::Min && args.iter().any(|e| is(e, Math::Max))
        {
            // Not the same as `clamp`: a NaN becomes a bound.
            self.is_odd("manual_clamp");
        }
        match f {
            Math::Min => {
                let b = second();
                quote!(#first.min(#b))
            }
            Math::Max => {
                let b = second();
                quote!(#first.max(#b))
            }
            Math::Pow => {
                let b = second();
                quote!(#first.powf(#b))
            }
            Math::Abs => quote!(#first.abs()),
            Math::Floor => quote!(#first.floor()),
            Math::Ceil => quote!(#first.ceil()),
            Math::Sqrt => quote!(#first.sqrt()),
            Math::Exp => quote!(#first.exp()),
            Math::Ln => quote!(#first.ln()),
        }
    }

    /// Rust must know a number's type before a method is called on it.
    fn method_receiver(&self, e: &Expr, scope: &Scope) -> TokenStream {
        match &e.kind {
            ExprKind::Num(x) if x.is_finite() => suffixed(*x),
            ExprKind::Draw(Dist::Det, args) => self.method_receiver(&args[0], scope),
            _ if numbers_only(e) => match eval(e, &[]) {
                Some(x) if x.is_finite() => suffixed(x),
                Some(x) => literal(x),
                // A sum too long to be worked out here.
                None => {
                    let x = self.num(e, scope);
                    quote!({ let number: f64 = #x; number })
                }
            },
            _ => self.num_primary(e, scope),
        }
    }

    /// A constant count as a `usize`.
    pub fn count(&self, e: &Expr, scope: &Scope) -> TokenStream {
        if let ExprKind::Num(x) = e.kind {
            let n = proc_macro2::Literal::usize_unsuffixed(x as usize);
            return quote!(#n);
        }
        let x = self.num_primary(e, scope);
        quote!(#x as usize)
    }

    /// The variable of an attribute that is a local.
    pub fn local(&self, a: AttrId) -> Ident {
        self.names.locals[a.index()].clone()
    }

    pub fn attr(&self, a: AttrId, scope: &Scope) -> TokenStream {
        if self.plan.locals[a.index()] {
            let local = self.local(a);
            return quote!(#local);
        }
        let name = &self.names.attrs[a.index()];
        if scope.entry { quote!(attrs.#name) } else { quote!(self.attrs[s as usize].#name) }
    }
}

/// `first op term op term`. A long one goes on from line to line, as Rust's own tools recurse into
/// an expression as deep as it is long.
fn chain(
    first: TokenStream,
    rest: &[(BinaryOp, Expr)],
    rank: Rank,
    term: impl Fn(&Expr) -> TokenStream,
) -> Piece {
    let mut lines = Vec::new();
    let mut code = first;
    for (n, (op, operand)) in rest.iter().enumerate() {
        if n > 0 && n % LINE == 0 {
            lines.push(std::mem::replace(&mut code, quote!(so_far)));
        }
        let sign: TokenStream = op.text().parse().expect("an operator of both languages");
        let operand = term(operand);
        code.extend(quote!(#sign #operand));
    }
    if lines.is_empty() {
        return Piece(code, rank);
    }
    Piece(quote!({ #(let so_far = #lines;)* #code }), Rank::Primary)
}

/// Code that stands alone: an index as a number, `(k as f64)`, needs no parentheses there.
fn bare(code: TokenStream) -> TokenStream {
    let mut trees = code.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Group(g)), None) if g.delimiter() == Delimiter::Parenthesis => g.stream(),
        _ => code,
    }
}

/// What a block stands for, in the place of another block.
pub fn inside(code: TokenStream) -> TokenStream {
    let mut trees = code.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Group(g)), None) if g.delimiter() == Delimiter::Brace => g.stream(),
        _ => code,
    }
}

/// Code in a place where a block at its front would be taken for a statement of its own.
fn tail(code: TokenStream) -> TokenStream {
    let mut trees = code.clone().into_iter();
    let block =
        |tree: &TokenTree| matches!(tree, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace);
    let goes_on = trees.next().is_some_and(|first| block(&first)) && trees.next().is_some();
    if goes_on { quote!((#code)) } else { code }
}

/// Code that borrows the whole model to change it, so that it cannot stand among a call's arguments.
pub fn needs_let(code: &TokenStream) -> bool {
    let text = code.to_string();
    ["_rng", "budget_left", "cached_in", "let index"].iter().any(|word| text.contains(word))
}

/// Code that reads the kernel or hands the whole model to a function.
pub fn reads_kernel(code: &TokenStream) -> bool {
    let text = code.to_string();
    text.contains("self . k") || text.contains("(self")
}
