//! A sample of what is emitted for a corpus, compiled. In: inputs. Out: those whose Rust does not compile without a
//! warning, each with the first thing that rustc says of it.

use super::bundle::{Bundle, PROGRAM};
use crate::{
    batch::{cores, scratch},
    compile::project,
    generate::Dice,
};
use serq_compiler::{emit::emit_module, resolve::resolve};
use std::{collections::BTreeMap, env, fs, path::Path, process::Command};

/// Programs of one crate.
const PER_CRATE: usize = 25;
/// Of what rustc says: how a complaint begins.
const COMPLAINTS: [&str; 2] = ["error", "warning"];

/// An input and its Rust.
#[derive(Clone, Debug)]
pub struct Emission {
    /// The input's name.
    pub name: String,
    /// The items of a module.
    pub module: String,
}

/// Takes `count` of the inputs that get as far as Rust, no two with the same Rust; all, if there are fewer.
pub fn sample(mut inputs: Vec<(String, Vec<u8>)>, count: usize, seed: u64) -> Vec<Emission> {
    let mut dice = Dice::new(seed);
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    while found.len() < count && !inputs.is_empty() {
        let (name, bytes) = inputs.swap_remove(dice.between(0, inputs.len() as u64 - 1) as usize);
        let Ok(text) = String::from_utf8(bytes) else { continue };
        if let Ok((program, _)) = resolve(&Bundle::of(&text), PROGRAM, &[]) {
            found.entry(emit_module(&program)).or_insert(name);
        }
    }
    found.into_iter().map(|(module, name)| Emission { name, module }).collect()
}

/// Builds them, many to a crate: what is wrong, by input.
///
/// # Errors
/// If cargo does not start or fails for a reason that is no program's.
pub fn build(emissions: &[Emission]) -> Result<Vec<(String, String)>, String> {
    let folder = scratch().join("emissions");
    // What an earlier run left does not belong to this one; what was built is kept.
    let _ = fs::remove_dir_all(folder.join("crates"));
    write(&folder, emissions).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env_remove("RUSTFLAGS");
    let jobs = cores().to_string();
    cargo.args([
        "build",
        "--workspace",
        "--keep-going",
        "--message-format",
        "short",
        "--jobs",
        &jobs,
    ]);
    let output = cargo.output().map_err(|error| format!("cargo does not start: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let mut blamed: BTreeMap<usize, String> = BTreeMap::new();
    for line in said.lines() {
        if let Some(at) = module_of(line) {
            blamed.entry(at).or_insert_with(|| line.to_owned());
        }
    }
    if blamed.is_empty() && !output.status.success() {
        return Err(said.into_owned());
    }
    let named = |(at, line): (usize, String)| {
        emissions.get(at).map(|emission| (emission.name.clone(), line))
    };
    Ok(blamed.into_iter().filter_map(named).collect())
}

/// The number of the program that a complaint is about: `…/src/p012.rs:3:5: warning: …`.
fn module_of(line: &str) -> Option<usize> {
    let (place, said) = line.split_once(": ")?;
    if !COMPLAINTS.iter().any(|complaint| said.starts_with(complaint)) {
        return None;
    }
    place.rsplit_once("src/p")?.1.split_once(".rs")?.0.parse().ok()
}

fn write(folder: &Path, emissions: &[Emission]) -> std::io::Result<()> {
    let mut members = Vec::new();
    for (number, some) in emissions.chunks(PER_CRATE).enumerate() {
        let name = format!("emissions_{number}");
        let sources = folder.join("crates").join(&name).join("src");
        fs::create_dir_all(&sources)?;
        let (mut modules, mut arms) = (String::new(), String::new());
        for (slot, emission) in some.iter().enumerate() {
            let at = number * PER_CRATE + slot;
            fs::write(sources.join(format!("p{at}.rs")), &emission.module)?;
            modules += &format!("mod p{at};\n");
            arms += &format!("        Some(\"{at}\") => cli::main::<p{at}::Model>(&[]),\n");
        }
        let main = format!(
            "#![forbid(unsafe_code)]\n{modules}\nuse serq_runtime::cli;\nuse std::process::ExitCode;\n\n\
             fn main() -> ExitCode {{\n    match std::env::args().nth(1).as_deref() {{\n{arms}        \
             _ => ExitCode::FAILURE,\n    }}\n}}\n"
        );
        fs::write(sources.join("main.rs"), main)?;
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
             [dependencies]\nserq-runtime = {{ path = {:?}, features = [\"cli\"] }}\n",
            project().join("runtime")
        );
        fs::write(folder.join("crates").join(&name).join("Cargo.toml"), manifest)?;
        members.push(format!("\"crates/{name}\""));
    }
    let workspace = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n[profile.dev]\ndebug = false\nincremental = false\n",
        members.join(", ")
    );
    fs::write(folder.join("Cargo.toml"), workspace)?;
    let lock = folder.join("Cargo.lock");
    if !lock.exists() && project().join("Cargo.lock").exists() {
        // The project's own versions, which are here already.
        fs::copy(project().join("Cargo.lock"), lock)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_told_by_program() {
        assert_eq!(
            module_of("crates/emissions_1/src/p31.rs:3:5: warning: unused variable: `x`"),
            Some(31)
        );
        assert_eq!(module_of("crates/emissions_1/src/p31.rs:3:5: error[E0425]: no `x`"), Some(31));
        assert_eq!(module_of("warning: `emissions_1` (bin) generated 1 warning"), None);
    }

    #[test]
    fn a_sample_has_no_two_alike() {
        let program = |n: u32| {
            format!("workload {{ arrive batch({n}); }} session {{ }} run {{ horizon 1; }}")
        };
        let inputs = |texts: &[String]| -> Vec<(String, Vec<u8>)> {
            texts
                .iter()
                .enumerate()
                .map(|(n, text)| (n.to_string(), text.clone().into_bytes()))
                .collect()
        };
        let texts = [program(1), program(2), program(1), "no program".to_owned()];
        assert_eq!(sample(inputs(&texts), 9, 1).len(), 2);
        assert_eq!(sample(inputs(&texts), 1, 1).len(), 1);
    }
}
