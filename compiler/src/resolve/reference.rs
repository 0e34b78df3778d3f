//! The language reference against the tables that the resolver itself asks: which name exists at which moment, and
//! that every function, distribution and built-in attribute has its place in it.

use super::functions;
use super::moments::{self, Moment};

const MOMENTS: &str = include_str!("../../../docs/reference/moments.md");
const EXPRESSIONS: &str = include_str!("../../../docs/reference/expressions.md");

/// Every moment, with one of its positions.
const ALL: [Moment; 12] = [
    Moment::Session("a statement"),
    Moment::Header("a hold's header"),
    Moment::QueueKey,
    Moment::Eviction("an `evict by` key"),
    Moment::Rate,
    Moment::Plan("a step's `budget`"),
    Moment::Serve,
    Moment::Only,
    Moment::Step,
    Moment::Gauge,
    Moment::Arrival,
    Moment::Constant("a constant"),
];

/// The row of the page's table.
fn row(moment: Moment) -> String {
    let what = match moment {
        Moment::Header(_) => "admission: header",
        Moment::QueueKey => "admission: `queue by`",
        other => other.name(),
    };
    let exist = |name: &&str| moments::context(name).is_some_and(|name| moment.has(name));
    let names: Vec<String> =
        moments::context_names().filter(exist).map(|name| format!("`{name}`")).collect();
    let yes = |is: bool| if is { "yes" } else { "" };
    let cells = [
        what,
        &names.join(" "),
        yes(moment.has_session()),
        yes(moment.sees_hidden()),
        yes(moment.draws()),
        yes(moment.reads_state()),
        yes(moment.reads_work()),
        yes(moment.reads_plans()),
    ];
    format!("| {} |", cells.join(" | ")).replace("  |", " |")
}

#[test]
fn the_page_has_the_table_of_moments() {
    let table: Vec<String> = ALL.into_iter().map(row).collect();
    let table = table.join("\n");
    assert!(MOMENTS.contains(&table), "docs/reference/moments.md should have\n{table}");
}

#[test]
fn the_page_names_every_function_distribution_and_built_in_attribute() {
    let functions = functions::function_names().map(|name| format!("`{name}("));
    let draws = functions::distribution_names().map(|name| format!("`~{name}("));
    let attributes = functions::builtin_names().map(|name| format!("| `{name}` |"));
    let missing: Vec<String> = functions
        .chain(draws)
        .chain(attributes)
        .filter(|name| !EXPRESSIONS.contains(name.as_str()))
        .collect();
    assert!(missing.is_empty(), "docs/reference/expressions.md lacks {}", missing.join(", "));
}
