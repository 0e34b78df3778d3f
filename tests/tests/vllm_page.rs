//! `docs/vllm.md` names every citation and no other, and counts the scenarios that each predicate excludes.

use serq_tests::{
    compile::project,
    oracle::{self, excluded},
};
use std::{collections::BTreeSet, fs};

fn text(path: &str) -> String {
    fs::read_to_string(project().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of the page's tables that have so many columns.
fn rows(page: &str, columns: usize) -> Vec<Vec<&str>> {
    let cells = page.lines().filter(|line| line.starts_with('|') && !line.starts_with("|--"));
    let rows = cells.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect());
    rows.filter(|row: &Vec<&str>| row.len() == columns).collect()
}

#[test]
fn it_names_every_citation_and_no_other() {
    let list: toml::Table = text("ref/citations.toml").parse().unwrap();
    let entries = list["citation"].as_array().unwrap();
    let cited: BTreeSet<&str> = entries.iter().filter_map(|entry| entry["id"].as_str()).collect();
    let page = text("docs/vllm.md");
    let rules = rows(&page, 3);
    let last = rules.iter().filter(|row| row[2].starts_with('`')).map(|row| row[2]);
    let named: BTreeSet<&str> =
        last.flat_map(|cell| cell.split(", ")).map(|id| id.trim_matches('`')).collect();
    assert_eq!(named, cited);
    assert_eq!(cited.len(), entries.len(), "two citations of one name");
}

#[test]
fn it_counts_what_is_excluded() {
    let (folders, exclusions) = oracle::ours();
    let exclusions = excluded::read(&exclusions).unwrap();
    let scenarios = oracle::inputs(&folders).unwrap();
    let by = |scenario| exclusions.iter().position(|e| e.predicate.holds(scenario));
    let found: Vec<Option<usize>> = scenarios.iter().map(by).collect();
    let page = text("docs/vllm.md");
    for (place, exclusion) in exclusions.iter().enumerate() {
        let count = found.iter().filter(|by| **by == Some(place)).count().to_string();
        let name = format!("`{}`", exclusion.predicate.name());
        let row = rows(&page, 3).into_iter().find(|row| row[0] == name);
        assert_eq!(row.map(|row| row[1].to_owned()), Some(count), "{name}");
    }
    let held = found.iter().filter(|by| by.is_none()).count();
    let said = format!("Of the {} recordings {held} are held to", found.len());
    assert!(page.contains(&said), "the page does not say: {said}");
}
