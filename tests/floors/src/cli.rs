//! One run of a floor from the command line: options in, a line of JSON out.

use crate::{FLOORS, Run, floor};

/// Run a simulator that was written by hand for one program, and print its means.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Which one
    #[arg(value_parser = FLOORS.map(|floor| floor.name))]
    name: String,
    /// Simulated seconds
    #[arg(long)]
    horizon: f64,
    /// Seconds before observations count
    #[arg(long, default_value_t = 0.0)]
    warmup: f64,
    /// Names the draws
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A constant of the program, NAME=VALUE
    #[arg(long, value_parser = pair)]
    set: Vec<(String, f64)>,
}

fn pair(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("not NAME=VALUE")?;
    let value = value.parse().map_err(|_| format!("`{value}` is no number"))?;
    Ok((name.to_owned(), value))
}

impl Options {
    /// The means as JSON.
    ///
    /// # Errors
    /// A constant has no value.
    pub fn run(&self) -> Result<String, String> {
        let floor = floor(&self.name).ok_or("no such floor")?;
        let changed: Vec<(&str, f64)> =
            self.set.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let run = Run { horizon: self.horizon, warmup: self.warmup, seed: self.seed };
        let means = floor.simulate(&floor.values(&changed), &run)?;
        serde_json::to_string(&means).map_err(|error| error.to_string())
    }
}
