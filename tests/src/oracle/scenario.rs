//! Scenarios as their files say them: engines, the transfer between two of them, requests.
//!
//! A setting that is not known here is an error, so that none is passed over.

use serde::Deserialize;
use std::collections::HashMap;

/// One scenario. Times in steps, memory in blocks.
#[derive(Clone, Debug, Deserialize)]
pub struct Scenario {
    /// Tokens in a block.
    pub block_size: u32,
    /// One engine, or two.
    #[serde(flatten)]
    pub kind: Kind,
    /// In the order in which those of one step arrive.
    pub requests: Vec<Request>,
}

/// What is simulated.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Kind {
    /// One engine.
    Single {
        /// It.
        engine: Engine,
    },
    /// A prefiller and a decoder.
    #[serde(rename = "pd")]
    Pair {
        /// The prefiller.
        prefill: Engine,
        /// The decoder.
        decode: Engine,
        /// What joins them.
        transfer: Transfer,
    },
}

/// An engine's settings, with the scheduler's defaults.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Usable blocks.
    pub pool_blocks: u32,
    /// Running requests at most.
    pub max_num_seqs: u32,
    /// Tokens in a step.
    pub token_budget: u32,
    /// Steps of the clock in a step of the engine.
    #[serde(default = "one")]
    pub period: u32,
    /// Outputs are processed one step later.
    #[serde(default)]
    pub async_scheduling: bool,
    /// Tokens of one prompt in a step; 0: no cap.
    #[serde(default)]
    pub long_prefill_token_threshold: u32,
    /// Share of the blocks that an admission must leave free.
    #[serde(default)]
    pub watermark: f64,
    /// An admission needs room for the whole sequence.
    #[serde(default = "yes")]
    pub reserve_full_isl: bool,
    /// Blocks stay as a cache.
    #[serde(default = "yes")]
    pub prefix_caching: bool,
}

/// How the KV gets from the prefiller to the decoder.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// Who moves it, and when the decode leg is sent.
    pub mode: TransferMode,
    /// Steps from the prefill leg's output to the decode leg's arrival.
    #[serde(default = "one")]
    pub sidecar_steps: u32,
    /// Steps of a transfer whatever its size.
    #[serde(default = "one")]
    pub read_base_steps: u32,
    /// Blocks in a step beside that; 0: no such term.
    #[serde(default)]
    pub read_blocks_per_step: u32,
}

/// Who moves the KV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TransferMode {
    /// The decoder reads once the prefill leg was answered.
    Pull,
    /// The prefiller writes; both legs are sent at once.
    Push,
}

/// A request, which begins a conversation or follows another.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Its name.
    pub id: String,
    /// The step of its arrival, of one that begins a conversation.
    pub arrive: Option<u32>,
    /// The request that it follows; its prompt begins with that one's prompt and output.
    pub after: Option<String>,
    /// Steps from the last token of that to this.
    #[serde(default)]
    pub think: u32,
    /// Tokens.
    pub prompt: u32,
    /// Tokens.
    pub output: u32,
    /// Leading tokens that all who have such share.
    #[serde(default)]
    pub shared_prefix: u32,
    /// The conversation's name, for readers.
    #[serde(default, rename = "session")]
    pub _session: String,
    /// Its number in the conversation, for readers.
    #[serde(default, rename = "turn")]
    pub _turn: u32,
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// It is not one, or has a setting of an unknown name.
    pub fn read(text: &str) -> Result<Scenario, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// Its engines.
    pub fn engines(&self) -> Vec<&Engine> {
        match &self.kind {
            Kind::Single { engine } => vec![engine],
            Kind::Pair { prefill, decode, .. } => vec![prefill, decode],
        }
    }

    /// Its conversations, by index into `requests`, in the order of their first requests.
    ///
    /// # Errors
    /// A request follows none that is known, or two follow one.
    pub fn conversations(&self) -> Result<Vec<Vec<usize>>, String> {
        let mut place = HashMap::new();
        let mut chains: Vec<Vec<usize>> = Vec::new();
        let mut waiting: Vec<usize> = (0..self.requests.len()).collect();
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut left = Vec::new();
            for index in waiting {
                let request = &self.requests[index];
                let Some(after) = &request.after else {
                    place.insert(request.id.as_str(), (chains.len(), 0));
                    chains.push(vec![index]);
                    continue;
                };
                match place.get(after.as_str()) {
                    None => left.push(index),
                    Some(&(chain, turn)) if chains[chain].len() == turn + 1 => {
                        place.insert(request.id.as_str(), (chain, turn + 1));
                        chains[chain].push(index);
                    }
                    Some(_) => return Err(format!("two requests follow `{after}`")),
                }
            }
            if left.len() == before {
                let after = self.requests[left[0]].after.as_deref().unwrap_or_default();
                return Err(format!("a request follows `{after}`, which there is not"));
            }
            waiting = left;
        }
        Ok(chains)
    }
}
