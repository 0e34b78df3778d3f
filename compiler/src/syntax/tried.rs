//! What the grammar tried at a token, in words for a reader of serQ.

use super::grammar::Rule;

/// Drops from what was tried all that says less than the rest.
pub(super) fn simplify(tried: &mut Vec<Rule>) {
    tried.sort();
    tried.dedup();
    tried.retain(|r| {
        !matches!(
            r,
            Rule::pull_ahead
                | Rule::entry_ahead
                | Rule::use_ahead
                | Rule::call_ahead
                | Rule::on_ahead
                | Rule::aggregate_ahead
                | Rule::stmt_word
                | Rule::call_tail
                | Rule::dot_tail
        )
    });
    // Where an operand is missing, its kinds are one thing to say.
    if tried.contains(&Rule::itself) {
        tried.retain(|r| {
            !matches!(
                r,
                Rule::itself
                    | Rule::infinity
                    | Rule::number
                    | Rule::name
                    | Rule::tilde
                    | Rule::open_paren
                    | Rule::prefix
            )
        });
        tried.push(Rule::expr);
    }
    // A name or an operand could go on in many ways: say what would end it, if anything can.
    let after_operand = tried.contains(&Rule::infix);
    let goes_on = |r: &Rule| match r {
        Rule::dot | Rule::open_bracket | Rule::index => true,
        Rule::infix | Rule::question | Rule::open_paren => after_operand,
        _ => false,
    };
    if tried.iter().any(|r| !goes_on(r)) {
        let operator = after_operand.then_some(Rule::infix);
        tried.retain(|r| !goes_on(r) || Some(*r) == operator);
    }
}

/// The alternatives as words: "`,`, `)` or an operator".
pub(super) fn list(tried: &[Rule]) -> String {
    let ends = tried.iter().any(|r| *r != Rule::infix);
    let mut words: Vec<String> =
        tried.iter().filter(|r| !ends || **r != Rule::infix).map(|r| describe(*r)).collect();
    words.dedup();
    match words.pop() {
        None => "something else".to_string(),
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
    }
}

/// What a rule stands for, for a reader of serQ.
fn describe(rule: Rule) -> String {
    let fixed = match rule {
        Rule::EOI => "the end",
        Rule::item => "a declaration",
        Rule::stmt => "a statement",
        Rule::pool_option => "a pool option",
        Rule::step_option => "an option of a step engine",
        Rule::queue_part => "a part of a queue",
        Rule::workload_part => "a workload clause",
        Rule::run_option | Rule::run_field => "a run setting",
        Rule::arrival => "an arrival law",
        Rule::serve_order | Rule::base_order => "a serving order",
        Rule::kind | Rule::plain_kind => "a kind of stage",
        Rule::policy => "`maxmin` or `bottleneck`",
        Rule::mode => "`prefill`, `decode`",
        Rule::expr | Rule::call_or_ref | Rule::prefix => "an expression",
        Rule::small => "a number, a name or an expression in parentheses",
        Rule::infix => "an operator",
        Rule::name | Rule::reference | Rule::binding | Rule::claim | Rule::names => "a name",
        Rule::verb => "a name of an entry",
        Rule::dist => "a distribution",
        Rule::string => "a file name in quotes",
        Rule::number => "a number",
        Rule::block | Rule::open_brace => "`{`",
        Rule::close_brace => "`}`",
        Rule::paren | Rule::args | Rule::keys | Rule::entry_params | Rule::open_paren => "`(`",
        Rule::close_paren => "`)`",
        Rule::index | Rule::open_bracket => "`[`",
        Rule::close_bracket => "`]`",
        Rule::semi => "`;`",
        Rule::comma => "`,`",
        Rule::colon | Rule::roles => "`:`",
        Rule::dot => "`.`",
        Rule::question => "`?`",
        Rule::tilde => "`~`",
        Rule::assign => "`=`",
        _ => {
            // What is left is a word of the language, or a construct that such a word begins.
            let name = format!("{rule:?}");
            return format!("`{}`", name.strip_prefix("kw_").unwrap_or(&name));
        }
    };
    fixed.to_string()
}

/// The words that may begin what a rule stands for.
pub(super) fn words_of(rule: Rule) -> &'static [&'static str] {
    match rule {
        Rule::item => &[
            "let", "use", "def", "pool", "stage", "queue", "share", "workload", "session",
            "server", "gauge", "run", "fail",
        ],
        Rule::stmt => &[
            "turn", "end", "request", "set", "observe", "mark", "hold", "grow", "drop", "release",
            "load", "run", "branch", "loop", "choose", "prefill", "decode", "tool", "transfer",
            "fork", "join", "book",
        ],
        Rule::pool_option => {
            &["cap", "block", "evict", "preempt", "queue", "admit", "spill", "prefix"]
        }
        Rule::step_option => &["budget", "cost", "chunk", "serve", "memory"],
        Rule::queue_part => &["pool", "serve", "nic", "route", "prefill", "decode", "transfer"],
        Rule::workload_part => &["arrive", "trace", "hidden", "init", "turn", "session"],
        Rule::run_option | Rule::run_field => &["horizon", "warmup", "seed", "arrivals"],
        Rule::arrival => &["poisson", "renewal", "closed", "batch", "none"],
        Rule::serve_order => &["admission", "by", "decode first", "exclusive prefill", "only"],
        Rule::kind => &["fifo", "ps", "delay", "step"],
        Rule::policy => &["maxmin", "bottleneck"],
        _ => &[],
    }
}
