//! The head of the text report: which runs, what they are worth, how many came and were served.

use super::{
    SeedReport,
    merge::{Spread, mean_of},
    notes,
    number::{count, decimals_of, fixed, half_width, number, percent, seconds},
    serving::Serving,
    table::PAGE,
    text::wrapped,
    verdicts,
};

/// Appends the head of a report over `runs`, under these settings from outside.
pub(super) fn heading(out: &mut String, runs: &[&SeedReport], set: &[(String, f64)]) {
    let first = &runs[0].run;
    let mut seeds: Vec<u64> = runs.iter().map(|r| r.run.seed).collect();
    seeds.sort_unstable();
    let which = if let [seed] = seeds[..] {
        format!("seed {seed}")
    } else {
        format!("{} runs, seeds {}", seeds.len(), ranges(&seeds))
    };
    let ends = Spread::of(runs.iter().map(|r| Some(r.run.end)))
        .map_or((0.0, 0.0), |s| (s.least, s.greatest));
    let end = if ends.0 == ends.1 {
        seconds(ends.1)
    } else {
        format!("{}–{}", number(ends.0), seconds(ends.1))
    };
    let title =
        format!("{} · {which} · measured from {} to {end}", runs[0].program, seconds(first.warmup));
    out.push_str(&format!("{title}\n{}\n", "━".repeat(title.chars().count().clamp(60, PAGE))));
    for verdict in verdicts::of_runs(runs) {
        wrapped(out, "! ", &verdict);
    }
    if let Some(partial) = notes::partial(runs) {
        wrapped(out, "", &partial);
    }
    if !set.is_empty() {
        let set: Vec<String> =
            set.iter().map(|(name, value)| format!("{name} = {}", number(*value))).collect();
        wrapped(out, "", &format!("with {}", set.join(", ")));
    }
    let mean =
        |f: fn(&super::RunRow) -> f64| mean_of(runs.iter().map(|r| Some(f(&r.run)))).unwrap_or(0.0);
    let rounded = |x: f64| count(x.round() as u64);
    let text = format!(
        "{}{} arrivals, {} ended, {} turns · {} sessions live on average, {} at the end · {} events",
        if runs.len() > 1 { "per run: " } else { "" },
        rounded(mean(|r| r.arrivals as f64)),
        rounded(mean(|r| r.ended as f64)),
        rounded(mean(|r| r.turns as f64)),
        number(mean(|r| r.mean_live)),
        number(mean(|r| r.live_at_end as f64)),
        rounded(mean(|r| r.events as f64)),
    );
    wrapped(out, "", &text);
    served(out, runs);
}

/// Requests and tokens per second, of engines that serve requests and where limits were given.
fn served(out: &mut String, runs: &[&SeedReport]) {
    let each = |f: &dyn Fn(&Serving) -> Option<f64>| {
        Spread::of(runs.iter().map(|r| r.serving.as_ref().and_then(f)))
    };
    let rate = |x: Option<f64>, s: &Serving| x.map(|x| x / s.duration);
    let shown = |s: Spread| match s.half_width {
        Some(half) => {
            let decimals = decimals_of(s.mean);
            format!("{} ± {}", fixed(s.mean, decimals), half_width(half, decimals))
        }
        None => number(s.mean),
    };
    let tokens = each(&|s| rate(s.output_tokens, s));
    let good = each(&Serving::goodput);
    if tokens.is_none() && good.is_none() {
        return;
    }
    let requests = each(&|s| rate(Some(s.completed as f64), s));
    let mut parts: Vec<String> =
        requests.map(|s| format!("{} requests/s", shown(s))).into_iter().collect();
    let input = each(&|s| rate(s.input_tokens, s));
    parts.extend(input.map(|s| format!("{} input tokens/s", shown(s))));
    parts.extend(tokens.map(|s| format!("{} output tokens/s", shown(s))));
    wrapped(out, "", &format!("served {}", parts.join(", ")));
    if let (Some(good), Some(part)) = (good, each(&Serving::attained)) {
        let offered = each(&|s| Some(s.offered as f64)).map_or(0.0, |s| s.mean);
        let open = each(&|s| s.unanswered.map(|n| n as f64)).map_or(0.0, |s| s.mean);
        let text = format!(
            "goodput {} requests/s within the limits: {} % of {} offered, of which {} were not answered",
            shown(good),
            percent(part.mean),
            count(offered.round() as u64),
            count(open.round() as u64)
        );
        wrapped(out, "", &text);
    }
}

/// `1..5, 7`.
fn ranges(seeds: &[u64]) -> String {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for &s in seeds {
        match parts.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(s) => *last = s,
            _ => parts.push((s, s)),
        }
    }
    let shown: Vec<String> = parts
        .iter()
        .take(6)
        .map(|&(a, b)| if a == b { a.to_string() } else { format!("{a}..{b}") })
        .collect();
    shown.join(", ") + if parts.len() > 6 { ", …" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn seeds_are_listed_as_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), "1..3, 7, 9..10");
    }
}
