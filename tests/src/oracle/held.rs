//! What of an answer a program is held to, and the first thing that differs.

use super::{
    replay::Replayed,
    scenario::{Kind, Scenario},
};
use serde_json::Value;
use std::fmt;

/// A number that is not the scheduler's.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The request and its leg, or the engine.
    pub of: String,
    /// The field, or the series and the step.
    pub field: String,
    /// What the program says; more than one value where it says more.
    pub got: Vec<f64>,
    /// What the scheduler did.
    pub want: Value,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let got: Vec<String> = self.got.iter().map(f64::to_string).collect();
        let got = if got.is_empty() { "nothing".to_owned() } else { got.join(" and ") };
        write!(f, "{}, {}: got {got}, want {}", self.of, self.field, self.want)
    }
}

/// Of every leg.
const LEG: &[&str] =
    &["admit_step", "cached_tokens", "first_token_step", "last_token_step", "preemptions"];
/// Of a prefill leg as well.
const PREFILL: &[&str] = &["lease_free_step"];
/// Of a decode leg as well.
const DECODE: &[&str] = &["park_step", "read_tokens", "read_done_step"];

/// The part of an answer that is about one engine.
struct Side {
    /// In front of the names of the program's observations.
    prefix: &'static str,
    /// In a request's answer.
    leg: Option<&'static str>,
    /// Of the series by step.
    steps: &'static str,
    also: &'static [&'static str],
}

const SINGLE: &[Side] = &[Side { prefix: "", leg: None, steps: "steps", also: &[] }];
const PAIR: &[Side] = &[
    Side { prefix: "P_", leg: Some("prefill"), steps: "prefill_steps", also: PREFILL },
    Side { prefix: "D_", leg: Some("decode"), steps: "decode_steps", also: DECODE },
];

/// The first number in which a run is not what the scheduler answered, request by request, then step by step.
pub fn first_difference(
    scenario: &Scenario,
    replayed: &Replayed,
    answer: &Value,
) -> Option<Difference> {
    let sides = match scenario.kind {
        Kind::Single { .. } => SINGLE,
        Kind::Pair { .. } => PAIR,
    };
    let requests = scenario.requests.iter().enumerate();
    let mut legs = requests.flat_map(|(place, r)| sides.iter().map(move |side| (place, r, side)));
    let of_requests = legs.find_map(|(place, request, side)| {
        let answer = &answer["requests"][&request.id];
        let (leg, of) = match side.leg {
            None => (answer, format!("request {}", request.id)),
            Some(leg) => (&answer[leg], format!("request {} ({leg})", request.id)),
        };
        LEG.iter().chain(side.also).find_map(|field| {
            let got = replayed.of_request(place, &format!("{}{field}", side.prefix));
            let (field, want) = ((*field).to_owned(), leg[*field].clone());
            let same = want.as_f64().is_some_and(|want| got == [want]);
            (!same).then(|| Difference { of: of.clone(), field, got, want })
        })
    });
    of_requests.or_else(|| sides.iter().find_map(|side| free_blocks(side, replayed, answer)))
}

/// Free blocks after each step was scheduled. Nothing of an engine changes between its own steps, so that a step of
/// the clock that is none of its own is held to the last one.
fn free_blocks(side: &Side, replayed: &Replayed, answer: &Value) -> Option<Difference> {
    const FIELD: &str = "free_after_schedule";
    let observed = replayed.by_step(&format!("{}free_blocks", side.prefix));
    let of = format!("engine of `{}`", side.steps);
    let Some(wanted) = answer[side.steps][FIELD].as_array().filter(|list| !list.is_empty()) else {
        let (field, want) = (FIELD.to_owned(), Value::Null);
        return Some(Difference { of, field, got: Vec::new(), want });
    };
    let mut last = None;
    for (step, want) in wanted.iter().enumerate() {
        last = observed.get(&step).copied().or(last);
        if want.as_f64() != last {
            let (field, got) = (format!("{FIELD} of step {step}"), last.into_iter().collect());
            return Some(Difference { of, field, got, want: want.clone() });
        }
    }
    None
}
