//! The session's record is looked up once for a run of statements that read and write it.
//!
//! In: the items as the rest of the emitter has them, where every attribute is `self.attrs[s as usize].name`. Out: the
//! same items, with `let attrs = &mut self.attrs[s as usize];` before each run of statements that use it more than
//! once. A run ends where the whole model is handed on: the runtime may then change any record. A hold's header only
//! reads, and so does what it hands the model to: it takes the attributes' values first.

mod values;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{
    Block, Expr, ExprAssign, ExprBinary, ExprIf, ExprIndex, ExprPath, FnArg, Ident, ImplItemFn,
    Macro, Pat, ReturnType, Stmt, Type, parse_quote,
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

/// The name of the record.
const RECORD: &str = "attrs";

/// Names the records in all methods of a file that are about one session.
pub fn name_records(file: &mut syn::File) {
    Methods.visit_file_mut(file);
}

struct Methods;

impl VisitMut for Methods {
    fn visit_impl_item_fn_mut(&mut self, method: &mut ImplItemFn) {
        let names: Vec<_> = method.sig.inputs.iter().filter_map(argument).collect();
        if names.iter().any(|name| *name == "s") && names.iter().all(|name| *name != RECORD) {
            if is_header(method) {
                values::take_values(&mut method.block);
            }
            name_in(&mut method.block, false);
        }
    }
}

/// It returns a `Header`.
fn is_header(method: &ImplItemFn) -> bool {
    match &method.sig.output {
        ReturnType::Type(_, ty) => matches!(&**ty, Type::Path(ty) if ty.path.is_ident("Header")),
        ReturnType::Default => false,
    }
}

fn argument(arg: &FnArg) -> Option<&Ident> {
    match arg {
        FnArg::Typed(arg) => match &*arg.pat {
            Pat::Ident(pat) => Some(&pat.ident),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    }
}

/// What a piece of code does with the session's record.
#[derive(Clone, Copy, Default)]
struct Use {
    /// Times that it looks it up.
    times: usize,
    /// It writes an attribute.
    writes: bool,
    /// It hands the whole model on.
    whole: bool,
}

impl Use {
    fn of_statement(statement: &Stmt) -> Self {
        let mut all = Self::default();
        all.visit_stmt(statement);
        all
    }

    fn of_expression(e: &Expr) -> Self {
        let mut all = Self::default();
        all.visit_expr(e);
        all
    }

    fn and(self, other: Self) -> Self {
        Self {
            times: self.times + other.times,
            writes: self.writes || other.writes,
            whole: self.whole || other.whole,
        }
    }
}

impl Visit<'_> for Use {
    fn visit_expr(&mut self, e: &Expr) {
        match e {
            Expr::Index(index) if is_lookup(index) => self.times += 1,
            // A field of the model is not the whole.
            Expr::Field(field) if is_model(&field.base) => {}
            _ => visit::visit_expr(self, e),
        }
    }

    fn visit_expr_path(&mut self, path: &ExprPath) {
        self.whole |= path.path.is_ident("self");
    }

    fn visit_expr_assign(&mut self, assign: &ExprAssign) {
        self.writes |= is_attribute(&assign.left);
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_binary(&mut self, binary: &ExprBinary) {
        self.writes |= is_attribute(&binary.left) && is_step(binary);
        visit::visit_expr_binary(self, binary);
    }

    fn visit_macro(&mut self, called: &Macro) {
        self.whole |= super::mentions(&called.tokens, "self");
    }
}

fn is_model(e: &Expr) -> bool {
    matches!(e, Expr::Path(path) if path.path.is_ident("self"))
}

/// `self.attrs[s as usize]`
fn is_lookup(index: &ExprIndex) -> bool {
    let Expr::Field(field) = &*index.expr else { return false };
    let Expr::Cast(slot) = &*index.index else { return false };
    let named = matches!(&field.member, syn::Member::Named(name) if name == RECORD);
    named && is_model(&field.base) && matches!(&*slot.expr, Expr::Path(p) if p.path.is_ident("s"))
}

/// A field of the record.
fn is_attribute(e: &Expr) -> bool {
    let Expr::Field(field) = e else { return false };
    matches!(&*field.base, Expr::Index(index) if is_lookup(index))
}

/// `+=` and its like.
fn is_step(binary: &ExprBinary) -> bool {
    use syn::BinOp::{AddAssign, DivAssign, MulAssign, SubAssign};
    matches!(binary.op, AddAssign(_) | SubAssign(_) | MulAssign(_) | DivAssign(_))
}

/// What statements do up to the first that hands the model on, which ends the run.
fn survey<'a>(statements: impl IntoIterator<Item = &'a Stmt>) -> Use {
    let mut all = Use::default();
    for statement in statements {
        let one = match statement {
            Stmt::Expr(Expr::If(choice), _) => survey_choice(choice),
            Stmt::Expr(Expr::Block(inner), _) => survey(&inner.block.stmts),
            _ => match Use::of_statement(statement) {
                Use { whole: true, .. } => Use { whole: true, ..Use::default() },
                found => found,
            },
        };
        all = all.and(one);
        if all.whole {
            break;
        }
    }
    all
}

fn survey_choice(choice: &ExprIf) -> Use {
    let guard = Use::of_expression(&choice.cond);
    if guard.whole {
        return Use { whole: true, ..Use::default() };
    }
    let yes = guard.and(survey(&choice.then_branch.stmts));
    match choice.else_branch.as_ref().map(|(_, e)| &**e) {
        None => yes,
        Some(Expr::If(choice)) => yes.and(survey_choice(choice)),
        Some(Expr::Block(no)) => yes.and(survey(&no.block.stmts)),
        Some(other) => yes.and(Use::of_expression(other)),
    }
}

/// Names the record in a block, before which it has its name or not; whether that name still stands behind it.
fn name_in(block: &mut Block, named_before: bool) -> bool {
    let (mut named, mut stands) = (named_before, named_before);
    let mut at = 0;
    while at < block.stmts.len() {
        if !named && !is_comment(&block.stmts[at]) && starts_run(&block.stmts[at]) {
            let run = survey(&block.stmts[at..]);
            if run.times > 1 {
                let place = if run.writes { quote!(&mut) } else { quote!(&) };
                let first = before_comments(&block.stmts, at);
                block.stmts.insert(first, binding(&place));
                at += 1;
                named = true;
            }
        }
        named = name_in_statement(&mut block.stmts[at], named);
        stands &= named;
        at += 1;
    }
    stands
}

/// The statement itself looks the record up before it hands the model on, if it does so at all.
fn starts_run(statement: &Stmt) -> bool {
    match statement {
        Stmt::Expr(Expr::If(choice), _) => {
            let guard = Use::of_expression(&choice.cond);
            !guard.whole && guard.times > 0
        }
        Stmt::Expr(Expr::Block(_), _) => false,
        _ => {
            let all = Use::of_statement(statement);
            !all.whole && all.times > 0
        }
    }
}

/// As [`name_in`], in one statement.
fn name_in_statement(statement: &mut Stmt, named: bool) -> bool {
    match statement {
        Stmt::Expr(Expr::If(choice), _) => name_in_choice(choice, named),
        Stmt::Expr(Expr::Block(inner), _) => name_in(&mut inner.block, named),
        _ if Use::of_statement(statement).whole => false,
        _ => {
            if named {
                Name.visit_stmt_mut(statement);
            }
            named
        }
    }
}

fn name_in_choice(choice: &mut ExprIf, mut named: bool) -> bool {
    if Use::of_expression(&choice.cond).whole {
        named = false;
    } else if named {
        Name.visit_expr_mut(&mut choice.cond);
    }
    let yes = name_in(&mut choice.then_branch, named);
    let no = match choice.else_branch.as_mut().map(|(_, e)| &mut **e) {
        None => named,
        Some(Expr::If(choice)) => name_in_choice(choice, named),
        Some(Expr::Block(inner)) => name_in(&mut inner.block, named),
        Some(_) => false,
    };
    yes && no
}

/// Puts the record's name where it is looked up.
struct Name;

impl VisitMut for Name {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if matches!(e, Expr::Index(index) if is_lookup(index)) {
            let name = Ident::new(RECORD, Span::call_site());
            *e = parse_quote!(#name);
        } else {
            visit_mut::visit_expr_mut(self, e);
        }
    }
}

fn binding(place: &TokenStream) -> Stmt {
    let name = Ident::new(RECORD, Span::call_site());
    parse_quote!(let #name = #place self.#name[s as usize];)
}

fn is_comment(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Macro(called) if called.mac.path.is_ident("serq_comment"))
}

/// Where the comments above a statement begin.
fn before_comments(statements: &[Stmt], at: usize) -> usize {
    let comments = statements[..at].iter().rev().take_while(|one| is_comment(one)).count();
    at - comments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(body: &TokenStream) -> String {
        let mut file: syn::File =
            parse_quote! { impl Model { fn state(&mut self, s: Sid) -> Next { #body } } };
        name_records(&mut file);
        let text = prettyplease::unparse(&file);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_run_of_statements_looks_the_record_up_once() {
        let text = named(&quote! {
            self.attrs[s as usize].a = self.k.now;
            self.k.observe(0, s, self.attrs[s as usize].b);
            leave(self, s);
            self.attrs[s as usize].c += 1.0;
            Next::Wait
        });
        let first = "let attrs = &mut self.attrs[s as usize]; attrs.a = self.k.now; \
                     self.k.observe(0, s, attrs.b); leave(self, s);";
        assert!(text.contains(first), "{text}");
        assert!(
            text.contains("self.attrs[s as usize].c += 1.0;"),
            "once is not worth a name: {text}"
        );
    }

    #[test]
    fn what_only_reads_does_not_borrow_it_to_write() {
        let text =
            named(&quote! { let x = self.attrs[s as usize].a + self.attrs[s as usize].b; run(x) });
        assert!(
            text.contains("let attrs = &self.attrs[s as usize]; let x = attrs.a + attrs.b;"),
            "{text}"
        );
    }

    #[test]
    fn a_name_from_before_a_branch_ends_where_one_way_hands_the_model_on() {
        let text = named(&quote! {
            if self.attrs[s as usize].a > self.attrs[s as usize].b {
                self.attrs[s as usize].a = 0.0;
                load(self, s);
                self.attrs[s as usize].b = self.attrs[s as usize].a;
            }
            self.attrs[s as usize].c = self.attrs[s as usize].a;
            Next::Wait
        });
        let lookups = text.matches("let attrs = &mut self.attrs[s as usize];").count();
        assert_eq!(lookups, 3, "before the branch, after the load, behind the branch: {text}");
        assert_eq!(text.matches("self.attrs[s as usize]").count(), lookups, "{text}");
    }

    #[test]
    fn a_header_takes_the_values_that_it_reads() {
        let mut file: syn::File = parse_quote! {
            impl Model {
                fn header_d(&mut self, s: Sid) -> Header {
                    let c = 1.0;
                    let x = self.attrs[s as usize].a + cached_in(self, self.attrs[s as usize].b, s);
                    let y = x.min(self.attrs[s as usize].a) + self.attrs[s as usize].c;
                    header(x, y + c)
                }
            }
        };
        name_records(&mut file);
        let text = prettyplease::unparse(&file);
        assert!(text.contains("let Session { a, b, .. } = self.attrs[s as usize];"), "{text}");
        assert!(text.contains("let x = a + cached_in(self, b, s);"), "{text}");
        assert!(text.contains("x.min(a) + self.attrs[s as usize].c;"), "`c` is another's: {text}");
    }

    #[test]
    fn other_sessions_and_other_methods_stay_as_they_are() {
        let of_another = quote! { self.attrs[other as usize].a + self.attrs[other as usize].b };
        assert!(!named(&of_another).contains("let attrs"));
        let mut file: syn::File = parse_quote! {
            impl Model { fn key(&self, s: Sid, attrs: &Session) -> f64 { self.attrs[s as usize].a + self.attrs[s as usize].b } }
        };
        let before = file.clone();
        name_records(&mut file);
        assert_eq!(prettyplease::unparse(&file), prettyplease::unparse(&before));
    }
}
