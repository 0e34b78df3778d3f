//! `docs/errors.md`: the pages of `serqc explain` as one page.

use serq_compiler::explain::{self, Example, Page};

const HEAD: &str = "# Diagnostics

Every error, warning and note has a code. `serqc explain CODE` shows the section of a code. A program with several
mistakes gets all of its diagnostics at once. Codes below S300 are about the text of a program and, where a section says
so, about a report; from S300 on a run stopped; from S900 on it is the command or what is around it. ⟨x×n⟩ in an example
is x, n times.
";

/// The whole page.
pub fn text() -> String {
    explain::pages().iter().fold(HEAD.to_owned(), |out, page| out + &section(page))
}

fn section(page: &Page) -> String {
    let mut out = format!("\n## {}: {}\n", page.code, page.title);
    if !page.text.is_empty() {
        out += &format!("\n{}\n", page.text);
    }
    for (word, example) in [("Wrong", &page.wrong), ("Right", &page.right)] {
        let Some(example) = example else { continue };
        out += &format!("\n{word}{}:\n\n", example.place());
        out += &format!("```serq,explain\n{}\n```\n", example.shown());
    }
    let told = |example: &Option<Example>| example.as_ref().and_then(Example::told);
    if let Some(told) = told(&page.wrong).or(told(&page.right)) {
        out += &format!("\n{told}\n");
    }
    out
}
