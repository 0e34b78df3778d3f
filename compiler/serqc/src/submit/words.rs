//! Words of a command line as a POSIX shell reads and takes them.

use std::borrow::Cow;

/// The words of a text; `None` if a quote has no end.
pub fn split(text: &str) -> Option<Vec<String>> {
    shlex::split(text)
}

/// A word that a shell reads as this text.
pub fn quoted(word: &str) -> String {
    // Only a zero byte cannot be quoted, and no command line has one.
    shlex::try_quote(word).unwrap_or(Cow::Borrowed("''")).into_owned()
}

/// Words as one command.
pub fn join<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}
