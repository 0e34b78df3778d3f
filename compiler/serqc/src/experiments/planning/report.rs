//! What a search found: the cheapest setting, what binds it, the frontier, and what was never tried.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::question::{Formula, Target};
use super::search::{Candidate, Search, State};
use crate::experiments::digits;

/// Settings of a list that are shown.
const SHOWN: usize = 12;

/// What was asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// What a setting costs.
    pub objective: Formula,
    /// What it must meet.
    pub targets: Vec<Target>,
    /// The settings to choose.
    pub names: Vec<String>,
    /// Their values.
    pub values: Vec<Vec<f64>>,
}

impl Question {
    /// Every combination, with its cost where that follows from the settings.
    pub fn points(&self) -> Vec<(Vec<f64>, Option<f64>)> {
        let mut points: Vec<Vec<f64>> = vec![Vec::new()];
        for values in &self.values {
            let further = |p: &Vec<f64>| {
                let p = p.clone();
                values.iter().map(move |x| [&p[..], &[*x]].concat()).collect::<Vec<_>>()
            };
            points = points.iter().flat_map(further).collect();
        }
        let known = self.objective.metrics().next().is_none();
        let cost = |p: &Vec<f64>| self.objective.value(p, &|_| None).filter(|_| known);
        points.into_iter().map(|p| (p.clone(), cost(&p))).collect()
    }

    /// The metrics that are asked for.
    pub fn metrics(&self) -> Vec<String> {
        let targets = self.targets.iter().flat_map(Target::metrics);
        let mut metrics: Vec<String> = self.objective.metrics().chain(targets).cloned().collect();
        metrics.sort();
        metrics.dedup();
        metrics
    }
}

/// A search that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// What was asked.
    pub question: &'a Question,
    /// What was found.
    pub search: &'a Search,
    /// How sure all decisions are together.
    pub confidence: f64,
}

impl Plan<'_> {
    fn candidate(&self, i: usize) -> &Candidate {
        &self.search.candidates[i]
    }

    fn setting(&self, i: usize) -> String {
        let pair = |(name, x): (&String, &f64)| format!("{name} = {x}");
        let pairs = self.question.names.iter().zip(&self.candidate(i).point).map(pair);
        pairs.collect::<Vec<_>>().join(", ")
    }

    /// The greatest of a setting's relative excesses, and of which target.
    fn worst(&self, i: usize) -> Option<(f64, usize)> {
        let c = self.candidate(i);
        // Without a steady state an excess only says how long the runs are.
        if matches!(c.state, State::Fails | State::NoValue | State::Saturated) {
            return None;
        }
        let relative = |t: usize| {
            let scale = self.question.targets[t].scale(&c.point);
            Some((self.search.excess(i, t)?.mean / scale, t))
        };
        (0..self.question.targets.len()).filter_map(relative).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Settings that are cheaper than the best, or all without one.
    fn cheaper(&self) -> Vec<usize> {
        let bound = self.search.best().map_or(f64::INFINITY, |b| self.search.cost(b));
        let cheaper =
            |i: &usize| self.search.cost(*i) < bound && self.candidate(*i).state != State::Untried;
        (0..self.search.candidates.len()).filter(cheaper).collect()
    }

    /// Cheaper settings that could not be decided.
    fn undecided(&self) -> Vec<usize> {
        let open = |i: &usize| self.candidate(*i).state == State::Open;
        self.cheaper().into_iter().filter(open).collect()
    }

    /// Cheaper settings whose runs cannot be judged: they stop on an error, or have no value. Of a cost that
    /// runs tell, all such settings.
    fn unjudged(&self) -> Vec<usize> {
        let bound = self.search.best().map_or(f64::INFINITY, |b| self.search.cost(b));
        let cannot = |i: &usize| {
            let c = self.candidate(*i);
            matches!(c.state, State::Fails | State::NoValue)
                && c.cost.is_none_or(|cost| cost < bound)
        };
        (0..self.search.candidates.len()).filter(cannot).collect()
    }

    fn unjudged_text(&self) -> String {
        let list = self.unjudged();
        let of = |i: usize| format!("{} {}", self.setting(i), self.verdict(i));
        let shown: Vec<String> = list.iter().take(SHOWN).map(|i| of(*i)).collect();
        match list.len() {
            0 => String::new(),
            n if n > SHOWN => format!("not judged: {}; {} more\n", shown.join("; "), n - SHOWN),
            _ => format!("not judged: {}\n", shown.join("; ")),
        }
    }

    /// By target how many cheaper settings miss it, and how many have too high a load.
    fn misses(&self) -> (Vec<usize>, usize) {
        let cheaper = self.cheaper();
        let count =
            |state: State| cheaper.iter().filter(|i| self.candidate(**i).state == state).count();
        let by_target = (0..self.question.targets.len()).map(|t| count(State::Misses(t)));
        (by_target.collect(), count(State::Saturated))
    }

    /// What keeps cheaper settings out: the target that most of them miss, or their load.
    fn binding(&self) -> Option<String> {
        let (targets, saturated) = self.misses();
        let all = self.cheaper().len();
        let (most, times) = targets.iter().enumerate().max_by_key(|(_, n)| **n)?;
        match (*times, saturated) {
            (0, 0) => None,
            (n, load) if n >= load => Some(format!(
                "{}: {n} of {all} cheaper settings miss it",
                self.question.targets[most].text
            )),
            (_, load) => Some(format!(
                "the load: {load} of {all} cheaper settings are not stationary under it"
            )),
        }
    }

    fn untried(&self) -> Vec<usize> {
        let all = 0..self.search.candidates.len();
        all.filter(|i| self.candidate(*i).state == State::Untried).collect()
    }

    fn runs(&self) -> usize {
        self.search.candidates.iter().map(|c| c.measured.runs).sum()
    }

    /// What the targets come to at a setting.
    fn targets_at(&self, i: usize) -> Vec<String> {
        let at = |(t, target): (usize, &Target)| {
            let e = self.search.excess(i, t)?;
            let shown = match target.left_at(&self.candidate(i).point, e.mean) {
                Some(left) => format!("{} ± {}", digits(left), digits(e.half_width)),
                None => format!("off by {} ± {}", digits(e.mean), digits(e.half_width)),
            };
            Some(format!("{}: {shown}", target.text))
        };
        self.question.targets.iter().enumerate().filter_map(at).collect()
    }

    fn verdict(&self, i: usize) -> String {
        match self.candidate(i).state {
            State::Untried => "never tried".into(),
            State::Open => "not decided".into(),
            State::Meets => "meets all".into(),
            State::Misses(t) => format!("misses {}", self.question.targets[t].text),
            State::Saturated => "load too high".into(),
            State::Fails => "stops on an error".into(),
            State::NoValue => "has no value of a metric".into(),
            State::Dearer => "meets or may meet all, costs more".into(),
        }
    }

    fn frontier(&self) -> Vec<usize> {
        self.search.frontier(&|i| Some(self.worst(i)?.0))
    }

    /// For a person.
    pub fn text(&self) -> String {
        let targets: Vec<&str> = self.question.targets.iter().map(|t| t.text.as_str()).collect();
        let mut out = format!(
            "minimise {} subject to {}\n\n",
            self.question.objective.text,
            targets.join(", ")
        );
        match self.search.best() {
            Some(best) => out += &self.found(best),
            None => out += "no setting is known to meet every target\n",
        }
        out += &self.unjudged_text();
        if let Some(binding) = self.binding() {
            let _ = writeln!(out, "binding: {binding}");
        }
        out += &self.frontier_text();
        out += &self.spent();
        out
    }

    fn found(&self, best: usize) -> String {
        let cost = digits(self.search.cost(best));
        let mut out = format!(
            "cheapest: {}, at {cost} ({} runs)\n",
            self.setting(best),
            self.candidate(best).measured.runs
        );
        for target in self.targets_at(best) {
            let _ = writeln!(out, "  {target}");
        }
        let percent = 100.0 * self.confidence;
        let undecided = self.undecided();
        let _ = match undecided.len() {
            0 if !self.unjudged().is_empty() => writeln!(
                out,
                "every cheaper setting that could be judged misses a target ({percent} % confidence for all of this)"
            ),
            0 => writeln!(
                out,
                "every cheaper setting misses a target ({percent} % confidence for all of this)"
            ),
            n => writeln!(
                out,
                "{n} cheaper settings could not be decided with {} seeds ({percent} % confidence for the rest): {}",
                undecided.iter().map(|i| self.candidate(*i).measured.runs).max().unwrap_or(0),
                self.list(&undecided)
            ),
        };
        out
    }

    fn list(&self, some: &[usize]) -> String {
        let shown: Vec<String> = some.iter().take(SHOWN).map(|i| self.setting(*i)).collect();
        let more = some.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!("; {more} more") } else { String::new() };
        shown.join("; ") + &more
    }

    fn frontier_text(&self) -> String {
        let mut out =
            String::from("\nfrontier: nothing tried is cheaper and nearer to its targets\n");
        for i in self.frontier() {
            let _ = writeln!(
                out,
                "  {:>8}  {}  {}  {}",
                digits(self.search.cost(i)),
                self.setting(i),
                self.targets_at(i).join(", "),
                self.verdict(i)
            );
        }
        out
    }

    fn spent(&self) -> String {
        let (all, untried) = (self.search.candidates.len(), self.untried());
        let mut out =
            format!("\ntried {} of {all} settings with {} runs", all - untried.len(), self.runs());
        if let Some(first) = untried.first() {
            let costs = untried.iter().map(|i| self.search.cost(*i));
            let least = costs.fold(f64::INFINITY, f64::min);
            let _ = write!(
                out,
                "; never tried: {}, which cost {} or more, such as {}",
                untried.len(),
                digits(least),
                self.setting(*first)
            );
        }
        out + "\n"
    }

    /// For a machine.
    pub fn json(&self) -> Value {
        let text = |t: &Target| t.text.clone();
        let some = |list: Vec<usize>| list.into_iter().map(|i| self.one(i)).collect::<Vec<_>>();
        let tried: Vec<usize> = (0..self.search.candidates.len())
            .filter(|i| self.candidate(*i).state != State::Untried)
            .collect();
        let untried: Vec<Value> = self.untried().into_iter().map(|i| self.values(i)).collect();
        json!({
            "minimise": self.question.objective.text,
            "subject": self.question.targets.iter().map(text).collect::<Vec<_>>(),
            "confidence": self.confidence,
            "cheapest": self.search.best().map(|i| self.one(i)),
            "undecided": some(self.undecided()),
            "not_judged": some(self.unjudged()),
            "binding": self.binding(),
            "frontier": some(self.frontier()),
            "tried": some(tried),
            "never_tried": untried,
            "runs": self.runs(),
        })
    }

    fn values(&self, i: usize) -> Value {
        let number = |x: f64| if x.is_finite() { json!(x) } else { json!(x.to_string()) };
        let pairs = self.question.names.iter().zip(&self.candidate(i).point);
        pairs.map(|(n, x)| (n.clone(), number(*x))).collect::<Map<_, _>>().into()
    }

    fn one(&self, i: usize) -> Value {
        let c = self.candidate(i);
        let finite = |x: f64| Some(x).filter(|x| x.is_finite());
        let target = |(t, target): (usize, &Target)| {
            let e = self.search.excess(i, t);
            json!({
                "target": target.text,
                "left": e.and_then(|e| target.left_at(&c.point, e.mean)),
                "excess": e.map(|e| e.mean),
                "half_width": e.and_then(|e| finite(e.half_width)),
            })
        };
        json!({
            "setting": self.values(i),
            "cost": finite(self.search.cost(i)),
            "runs": c.measured.runs,
            "verdict": self.verdict(i),
            "meets": c.state == State::Meets,
            "targets": self.question.targets.iter().enumerate().map(target).collect::<Vec<_>>(),
        })
    }
}
