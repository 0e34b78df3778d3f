//! Definitions.

use crate::diag::Diagnostic;
use crate::span::Span;
use crate::syntax::ast::Name;

/// A definition used above its declaration.
pub fn used_above(name: &Name, declared: Span) -> Diagnostic {
    Diagnostic::error("S050", name.span, format!("`{}` is used above its definition", name.kind))
        .also(declared, "defined here")
        .help("move the definition up")
}

/// A definition that uses itself.
pub fn uses_itself(name: &Name) -> Diagnostic {
    Diagnostic::error("S051", name.span, format!("the definition of `{}` uses itself", name.kind))
        .help("a definition is text put in place of its use, so it cannot recurse")
}

/// Statements where a value is needed.
pub fn statements_as_value(name: &Name) -> Diagnostic {
    Diagnostic::error(
        "S052",
        name.span,
        format!("`{}` is defined as statements and has no value", name.kind),
    )
    .help(format!("use it as a statement, or define it as `def {}(…) = …;`", name.kind))
}

/// A value where a statement is needed.
pub fn value_as_statements(name: &Name) -> Diagnostic {
    Diagnostic::error(
        "S053",
        name.span,
        format!("`{}` is defined as an expression and is no statement", name.kind),
    )
    .help(format!("use it in an expression, or define it as `def {}(…) {{ … }}`", name.kind))
}

/// `x (…);` where x is no definition.
pub fn no_statements(name: &Name, what: &str) -> Diagnostic {
    let help = match what {
        "a stage" => format!("`run {} (…);` puts work on a stage", name.kind),
        "a pool" => format!("`hold {} (…) {{ … }}` takes units of a pool", name.kind),
        "a queue" => format!("`{}.VERB (…);` calls an entry of a queue", name.kind),
        _ => "a statement of this form uses a `def` of statements".to_owned(),
    };
    Diagnostic::error("S054", name.span, format!("`{}` is {what}, not a statement", name.kind))
        .help(help)
}

/// `x (…);` where x is nothing.
pub fn unknown_statements(name: &Name, near: Option<&str>) -> Diagnostic {
    let found =
        Diagnostic::error("S055", name.span, format!("there is no statement `{}`", name.kind));
    match near {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => found.help(format!("define it above: `def {}(…) {{ … }}`", name.kind)),
    }
}

/// An argument that draws, given to a parameter that is read again.
pub fn drawn_twice(span: Span, param: &str) -> Diagnostic {
    Diagnostic::error(
        "S056",
        span,
        format!("this draws, and the parameter `{param}` is read more than once"),
    )
    .label("would be drawn anew at each place")
    .help("`set` an attribute to the draw and pass the attribute")
}

/// A definition sets its parameter.
pub fn sets_parameter(name: &Name) -> Diagnostic {
    Diagnostic::error(
        "S057",
        name.span,
        format!("`{}` is a parameter of this definition and cannot be set", name.kind),
    )
    .help("a parameter is its argument's text: set an attribute of another name")
}

/// Definitions that grow without measure.
pub fn overgrown(span: Span) -> Diagnostic {
    Diagnostic::error("S058", span, "the program grows past all measure when it is spelled out")
        .label("reached here")
        .help("definitions that use each other several times double at each step: use fewer")
}
