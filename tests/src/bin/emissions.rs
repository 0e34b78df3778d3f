//! Has a sample of what is emitted for fuzzed inputs compiled, and fails if rustc has anything to say.
//!
//! `cargo run --release -p serq-tests --bin emissions -- --count 200 --seed 1 FOLDER…`

use clap::Parser;
use serq_tests::{
    fuzz::{Reach, check, corpus, emissions, mutate::mutate},
    generate::Dice,
};
use std::{collections::BTreeMap, fs, path::PathBuf, process::ExitCode};

/// What is compiled.
#[derive(Debug, Parser)]
struct Options {
    /// Folders of inputs; without one the committed inputs of the target `compile`.
    folders: Vec<PathBuf>,
    /// Emissions to compile.
    #[arg(long, default_value_t = 200)]
    count: usize,
    /// Which of them.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Take so many programs made of the inputs in their place, as the targets make them.
    #[arg(long)]
    made: Option<u64>,
    /// Only count how far the inputs get.
    #[arg(long)]
    reach: bool,
    /// With `--reach`: copy the inputs that parse to this folder.
    #[arg(long)]
    keep: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// How many do not compile without a word.
fn run(options: &Options) -> Result<usize, String> {
    let mut inputs = match options.folders.as_slice() {
        [] => corpus::committed("compile"),
        folders => folders.iter().flat_map(|folder| corpus::inputs(folder)).collect(),
    };
    if let Some(made) = options.made {
        inputs = children(&inputs, made, options.seed);
    }
    if inputs.is_empty() {
        return Err("there are no inputs".into());
    }
    if options.reach {
        return counted(&inputs, options);
    }
    let sample = emissions::sample(inputs, options.count, options.seed);
    println!("{} emissions", sample.len());
    let wrong = emissions::build(&sample)?;
    for (name, why) in &wrong {
        println!("{name}: {why}");
    }
    println!("{} do not compile without a word", wrong.len());
    Ok(wrong.len())
}

/// Programs made of the inputs, `made` of them.
fn children(inputs: &[(String, Vec<u8>)], made: u64, seed: u64) -> Vec<(String, Vec<u8>)> {
    if inputs.is_empty() {
        return Vec::new();
    }
    let mut dice = Dice::new(seed);
    let donors = corpus::seeds();
    let child = |_| {
        let (name, bytes) = &inputs[dice.between(0, inputs.len() as u64 - 1) as usize];
        let seed = dice.between(0, u64::from(u32::MAX));
        let text = mutate(&String::from_utf8_lossy(bytes), &donors, &mut Dice::new(seed));
        (format!("{name}+{seed}"), text.into_bytes())
    };
    (0..made).map(child).collect()
}

/// How many break a rule of the compiler.
fn counted(inputs: &[(String, Vec<u8>)], options: &Options) -> Result<usize, String> {
    let (mut counts, mut wrong) = (BTreeMap::<Reach, usize>::new(), 0);
    for (name, bytes) in inputs {
        match check::compile(bytes) {
            Ok(reach) => {
                *counts.entry(reach).or_default() += 1;
                if let Some(folder) = options.keep.as_ref().filter(|_| reach >= Reach::Parsed) {
                    let written = fs::write(folder.join(name), bytes);
                    written.map_err(|error| format!("{}: {error}", folder.display()))?;
                }
            }
            Err(why) => {
                println!("{name}: {why}");
                wrong += 1;
            }
        }
    }
    println!("{counts:?}");
    Ok(wrong)
}
