//! Going on after a syntax error. In: an item's tokens and the token that could not go on; out:
//! the stretch of text that holds the mistake, to be blanked before the item is parsed again, so
//! that the statements and options behind it are read too.

use std::ops::Range;

use super::scan::{ItemTokens, Scan, TokenKind};

/// The bytes of the clause around token `bad`: from behind the `;` or brace before it through
/// the `;` or block that ends it. `None` when that is the item itself or nothing.
pub(super) fn clause_around(
    scan: &Scan,
    text: &str,
    item: &ItemTokens,
    bad: usize,
) -> Option<Range<usize>> {
    let tokens = &scan.tokens;
    let ends = |k: TokenKind| {
        matches!(k, TokenKind::Semi | TokenKind::Open(b'{') | TokenKind::Close(b'}'))
    };
    let mut first = bad;
    while first > item.tokens.start && !ends(tokens[first - 1].kind) {
        first -= 1;
    }
    if first == item.tokens.start {
        return None;
    }
    let mut last = bad; // exclusive
    let mut open = 0;
    while last < item.tokens.end {
        match tokens[last].kind {
            TokenKind::Semi if open == 0 => {
                last += 1;
                break;
            }
            TokenKind::Open(b'{') => open += 1,
            TokenKind::Close(b'}') if open == 0 => break,
            TokenKind::Close(b'}') => {
                open -= 1;
                if open == 0 && !continues(scan, text, item, last + 1) {
                    last += 1;
                    break;
                }
            }
            _ => {}
        }
        last += 1;
    }
    (first < last).then(|| tokens[first].start as usize..tokens[last - 1].end as usize)
}

/// Does the token behind a block belong to the statement of that block?
fn continues(scan: &Scan, text: &str, item: &ItemTokens, next: usize) -> bool {
    if next >= item.tokens.end {
        return false;
    }
    let token = scan.tokens[next];
    let word = &text[token.start as usize..token.end as usize];
    token.kind == TokenKind::Semi || matches!(word, "else" | "cache" | "lease")
}

/// The same text with a stretch of it replaced by blanks, so that every place stays what it was.
pub(super) fn blank(text: &mut String, range: Range<usize>) {
    let blanks: String =
        text[range.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
    text.replace_range(range, &blanks);
}
