//! What a call of `serq!` asks for: `name: IDENT;` and a program, or `name: IDENT; file "PATH"`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};

/// What is asked for.
#[derive(Debug)]
pub struct Request {
    /// The module's name.
    pub name: Ident,
    /// The program.
    pub program: Asked,
}

/// Where the program is.
#[derive(Debug)]
pub enum Asked {
    /// Here.
    Inline {
        /// Its tokens.
        tokens: TokenStream,
        /// The token in front of them.
        before: Span,
    },
    /// In a file.
    File {
        /// Its path as written.
        path: String,
        /// The string.
        span: Span,
    },
}

/// What is wrong with a call, and where.
pub type Misread = (String, Span);

/// Reads a call's tokens.
///
/// # Errors
/// It does not begin so, or something follows a file.
pub fn read(tokens: TokenStream) -> Result<Request, Misread> {
    let mut rest = tokens.into_iter();
    let start = "a `serq!` begins with the name of its module: `name: mm1;`";
    let mut last = Span::call_site();
    let mut next = |what: &dyn Fn(&TokenTree) -> bool| match rest.next() {
        Some(tree) if what(&tree) => {
            last = tree.span();
            Ok(tree)
        }
        Some(tree) => Err((start.to_owned(), tree.span())),
        None => Err((start.to_owned(), last)),
    };
    next(&|tree| matches!(tree, TokenTree::Ident(word) if word == "name"))?;
    next(&|tree| is_punct(tree, ':'))?;
    let name = next(&|tree| matches!(tree, TokenTree::Ident(_)))?;
    let before = next(&|tree| is_punct(tree, ';'))?.span();
    let TokenTree::Ident(name) = name else { return Err((start.to_owned(), name.span())) };
    if matches!(name.to_string().as_str(), "self" | "super" | "crate" | "Self" | "_") {
        return Err((format!("`{name}` cannot name a module"), name.span()));
    }
    let rest: Vec<TokenTree> = rest.collect();
    let program = match file(&rest)? {
        Some((path, span)) => Asked::File { path, span },
        None => Asked::Inline { tokens: rest.into_iter().collect(), before },
    };
    Ok(Request { name, program })
}

/// The path of `file "PATH"` and nothing else; no program begins so.
fn file(rest: &[TokenTree]) -> Result<Option<(String, Span)>, Misread> {
    let [TokenTree::Ident(word), TokenTree::Literal(path), behind @ ..] = rest else {
        return Ok(None);
    };
    let written = path.to_string();
    let Some(said) = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return Ok(None);
    };
    if word != "file" {
        return Ok(None);
    }
    let behind = match behind {
        [semicolon, behind @ ..] if is_punct(semicolon, ';') => behind,
        behind => behind,
    };
    match behind.first() {
        None => Ok(Some((said.to_owned(), path.span()))),
        Some(more) => {
            Err(("the program is in the file: nothing follows its name".to_owned(), more.span()))
        }
    }
}

fn is_punct(tree: &TokenTree, what: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Result<String, String> {
        let request = read(text.parse().map_err(|error| format!("{error}"))?);
        let request = request.map_err(|(what, span)| format!("{} {what}", span.start().column))?;
        Ok(match request.program {
            Asked::Inline { tokens, .. } => format!("{}: {tokens}", request.name),
            Asked::File { path, .. } => format!("{}, {path}", request.name),
        })
    }

    #[test]
    fn a_name_and_a_program_or_a_file() {
        assert_eq!(said("name: a; let b = 1;").unwrap(), "a: let b = 1 ;");
        assert_eq!(said("name: a; file \"x.sq\"").unwrap(), "a, x.sq");
        assert_eq!(said("name: a; file \"x.sq\";").unwrap(), "a, x.sq");
        // A relation of two queues.
        assert_eq!(said("name: a; file pull P;").unwrap(), "a: file pull P ;");
        assert_eq!(said("name: a;").unwrap(), "a: ");
    }

    #[test]
    fn what_is_no_call_is_said_at_its_token() {
        for (text, column) in [
            ("", 0),
            ("let b = 1;", 0),
            ("name a;", 5),
            ("name: 1;", 6),
            ("name: a", 6),
            ("name: self;", 6),
        ] {
            let wrong = said(text).unwrap_err();
            assert!(wrong.starts_with(&format!("{column} ")), "{text}: {wrong}");
        }
        let wrong = said("name: a; file \"x.sq\"; let b = 1;").unwrap_err();
        assert!(wrong.starts_with("22 the program is in the file"), "{wrong}");
    }
}
