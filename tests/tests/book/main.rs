//! The book (`docs/` and the README): its programs compile, its commands write what it shows, its links lead somewhere.
//!
//! How a page says what must hold of a block is in `docs/adding-to-the-book.md`; `kind` reads it. `page` takes a page
//! apart, `walk` goes through it in a `folder` of its own (`console` are its commands, `excerpt` lines of an example),
//! `links` follows what it links to, `errors_page` writes the page of all diagnostics. `UPDATE_EXPECT=1` writes what
//! commands say now into the pages.

mod console;
mod errors_page;
mod excerpt;
mod folder;
mod kind;
mod links;
mod page;
mod walk;

use page::Page;
use serq_tests::{batch, compare, compile::project, corpus};
use std::{
    fs,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

const ERRORS: &str = "docs/errors.md";
const SUMMARY: &str = "docs/SUMMARY.md";

fn pages() -> Vec<Page> {
    page::all().iter().map(|path| Page::read(path)).collect()
}

/// Panics with every failure: page, line, what is wrong.
fn assert_none(mut failures: Vec<(String, usize, String)>) {
    failures.sort();
    let lines: Vec<String> =
        failures.iter().map(|(page, line, what)| format!("{page}:{line}: {what}")).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

#[cfg(unix)]
#[test]
fn programs_compile_and_commands_write_what_is_shown() {
    let pages = pages();
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..batch::cores() {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = walk::page(page).unwrap_or_else(|e| vec![(1, e.to_string())]);
                    let told =
                        found.into_iter().map(|(line, what)| (page.path.clone(), line, what));
                    failures.lock().unwrap().extend(told);
                }
            });
        }
    });
    assert_none(failures.into_inner().unwrap());
}

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    let broken = pages.iter().flat_map(|page| {
        let links = links::broken(page, &pages).into_iter();
        links.map(|(line, what)| (page.path.clone(), line, what))
    });
    assert_none(broken.collect());
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = Page::read(SUMMARY);
    let listed: Vec<String> =
        summary.links.iter().map(|(_, link)| links::target(SUMMARY, link)).collect();
    let ours = page::all().into_iter().filter(|path| path.starts_with("docs/") && path != SUMMARY);
    let missing = ours.filter(|path| !listed.contains(path));
    assert_none(missing.map(|path| (SUMMARY.to_owned(), 1, format!("no {path}"))).collect());
}

#[test]
fn the_page_of_diagnostics_is_what_explain_says() {
    let (path, text) = (project().join(ERRORS), errors_page::text());
    if corpus::updating() {
        fs::write(&path, &text).unwrap_or_else(|error| panic!("{ERRORS}: {error}"));
    }
    let there = fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    if let Some(difference) = compare::texts(&text, &there) {
        panic!("{ERRORS} (UPDATE_EXPECT=1 writes it): {difference}");
    }
}

/// What the walk says of a page that is wrong throughout, with the lines.
#[cfg(unix)]
#[test]
fn a_wrong_page_is_told_by_line() {
    let text = "# A page\n\n```serq\nlet a = b;\n```\n\n```serq,error=S040\nrun { horizon 1; }\n```\n\n\
                ```serq,in=lib/vllm.sq\nno such line\n```\n\n```serq,fil=x.sq\n```\n\n\
                ```console\n$ echo a; echo b\na\nc\n$ exit 3\n```\n\n```sh\ncd serqc\nfalse\n```\n\n\
                ```serq,warning=S200\nsession { }\nrun { horizon 1; }\n```\n";
    let page = Page::of("docs/wrong.md", text.to_owned());
    let found = walk::page(&page).unwrap();
    let mut lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
    lines.sort_unstable();
    // An update would write what `echo` says, were it not for the other failures.
    let of_echo = (!corpus::updating()).then_some(21);
    let wanted = [4, 7, 12, 15].into_iter().chain(of_echo).chain([22, 27, 30]);
    assert_eq!(lines, wanted.collect::<Vec<_>>(), "{found:?}");
}
