//! Many programs as modules of few crates, built by one start of cargo.
//!
//! In: the text of modules. Out: binaries, each of which runs any of its programs on demand. They
//! lie in a workshop of the driver's cache, and stay as they are as long as they are used. A
//! program keeps its crate when others come and go, so that little is built anew; one whose emitted
//! Rust does not compile is left out, and costs the others one more start of cargo.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::driver::shop::Shop;
use crate::driver::{Driver, cache, digest};
use crate::failure::Outside;

/// The main loop of every crate.
const HOST: &str = include_str!("host.rs");

/// Programs per crate, on average: few enough for an even load, enough to link seldom.
const PER_CRATE: usize = 24;

/// How programs are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// Quick to compile and checked for overflow. Most of the time of a test is compilation: even
    /// for runs of some seconds optimising costs more than it saves.
    Quick,
    /// Optimised, for long runs.
    Fast,
}

impl Build {
    /// The name of the profile.
    fn name(self) -> &'static str {
        match self {
            Build::Quick => "golden",
            Build::Fast => "release",
        }
    }

    /// The sections of a manifest that say how.
    fn profile(self) -> &'static str {
        match self {
            Build::Quick => {
                "[profile.golden]\ninherits = \"dev\"\nopt-level = 0\ncodegen-units = 16\n\
                 debug = false\nincremental = false\noverflow-checks = true\n"
            }
            Build::Fast => {
                "[profile.release]\nopt-level = 2\ncodegen-units = 4\ndebug = false\n\
                 incremental = false\n"
            }
        }
    }
}

/// A run of a program of a batch; `None` is what the program says.
#[derive(Clone, Debug)]
pub struct Job {
    /// The number that [`Batch::add`] gave.
    pub program: usize,
    /// Values of `let`s.
    pub sets: Vec<(String, f64)>,
    /// Seed.
    pub seed: Option<u64>,
    /// Seconds.
    pub horizon: Option<f64>,
    /// Seconds.
    pub warmup: Option<f64>,
    /// Sessions after which arrivals stop.
    pub arrivals: Option<u64>,
    /// Keep samples and points.
    pub samples: bool,
    /// Negative work is an error.
    pub strict: bool,
    /// One event per iteration.
    pub plain: bool,
    /// Real time after which the run is given up.
    pub limit: Duration,
}

impl Default for Job {
    fn default() -> Self {
        Job {
            program: 0,
            sets: Vec::new(),
            seed: None,
            horizon: None,
            warmup: None,
            arrivals: None,
            samples: false,
            strict: false,
            plain: false,
            limit: Duration::from_secs(60),
        }
    }
}

impl Job {
    /// As arguments of a binary, in which the program has another number.
    pub(super) fn arguments(&self, program: usize) -> Vec<String> {
        let mut words = vec![program.to_string()];
        words.extend(self.sets.iter().map(|(name, value)| format!("set:{name}={value}")));
        words.extend(self.seed.map(|n| format!("seed={n}")));
        words.extend(self.horizon.map(|x| format!("horizon={x}")));
        words.extend(self.warmup.map(|x| format!("warmup={x}")));
        words.extend(self.arrivals.map(|n| format!("arrivals={n}")));
        let flags = [("samples", self.samples), ("strict", self.strict), ("plain", self.plain)];
        words.extend(flags.iter().filter(|(_, on)| *on).map(|(name, _)| (*name).to_owned()));
        words
    }
}

/// Programs to be built together.
#[derive(Clone, Debug)]
pub struct Batch {
    name: String,
    build: Build,
    modules: Vec<Module>,
}

/// A program of a batch.
#[derive(Clone, Debug)]
struct Module {
    key: String,
    text: String,
}

impl Batch {
    /// An empty batch. One of the same name and build waits until this one is dropped, and takes its
    /// place on disk.
    pub fn new(name: &str, build: Build) -> Self {
        Batch { name: name.to_owned(), build, modules: Vec::new() }
    }

    /// Adds the items of a module, as the compiler emits them, under a key that tells it from the
    /// others, and returns the program's number.
    pub fn add(&mut self, key: &str, text: String) -> usize {
        self.modules.push(Module { key: key.to_owned(), text });
        self.modules.len() - 1
    }

    /// Writes and builds the crates, with so many compilers at a time.
    ///
    /// # Errors
    /// If the cache cannot be used, packages cannot be had, or cargo fails for another reason than a
    /// program.
    pub fn build(self, driver: &Driver, jobs: usize) -> Result<Built, Outside> {
        // First this, then the workshop: whoever waits for the batch keeps nobody from building.
        let reserved = Shop::reserve(driver, self.build.profile(), &self.name)?;
        let shop = driver.shop(self.build.profile())?;
        let crates = self.crates();
        let folder = shop.path().join("batch").join(&self.name);
        let mut broken: BTreeMap<usize, String> = BTreeMap::new();
        loop {
            self.write(&shop, &folder, &crates, &broken)
                .map_err(|error| Outside::cache(&folder, error))?;
            let jobs = jobs.max(1).to_string();
            let arguments = [
                "build",
                "--profile",
                self.build.name(),
                "--workspace",
                "--keep-going",
                "--jobs",
                &jobs,
            ];
            let title = format!("building {} programs", self.modules.len());
            let outcome = shop.cargo(&folder, &arguments, &title)?;
            if outcome.success {
                break;
            }
            let more = blamed(&outcome.output, &crates);
            let before = broken.len();
            broken.extend(more);
            if broken.len() == before {
                return Err(Outside::build_failed(&outcome.tail(), Some(&folder)));
            }
        }
        let mut places: Vec<Option<Place>> = vec![None; self.modules.len()];
        for one in &crates {
            let binary = shop.built(self.build.name(), &one.name);
            for (slot, module) in one.modules.iter().enumerate() {
                places[*module] = Some(Place { binary: binary.clone(), slot });
            }
        }
        let place = |(at, place): (usize, Option<Place>)| match broken.get(&at) {
            Some(why) => Err(why.clone()),
            None => place.ok_or_else(|| "it is in no crate".to_owned()),
        };
        let places = places.into_iter().enumerate().map(place).collect();
        Ok(Built { places, _reserved: reserved })
    }

    /// Shares the modules out by their keys, so that one more or less leaves the others' crates as
    /// they are; the number of crates is a power of two for the same reason.
    fn crates(&self) -> Vec<Crate> {
        let count = self.modules.len().div_ceil(PER_CRATE).next_power_of_two();
        let mut crates: Vec<Crate> = (0..count)
            .map(|n| Crate { name: format!("{}_{count}_{n}", self.name), modules: Vec::new() })
            .collect();
        let mut keyed: Vec<(String, usize)> = (self.modules.iter().enumerate())
            .map(|(n, m)| (digest(&[m.key.as_bytes()]), n))
            .collect();
        keyed.sort();
        for (key, module) in keyed {
            let bits = usize::from_str_radix(&key[..8], 16).unwrap_or(0);
            crates[bits % count].modules.push(module);
        }
        crates.retain(|one| !one.modules.is_empty());
        crates
    }

    fn write(
        &self,
        shop: &Shop,
        folder: &Path,
        crates: &[Crate],
        broken: &BTreeMap<usize, String>,
    ) -> std::io::Result<()> {
        let names: Vec<String> = crates.iter().map(|one| format!("{:?}", one.name)).collect();
        let workspace = format!(
            "[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n{}",
            names.join(", "),
            self.build.profile()
        );
        let mut files: Files = vec![("Cargo.toml".into(), text(workspace))];
        // Cargo drops from it what is not needed here; its own version is as good.
        if !folder.join("Cargo.lock").exists() && !shop.lock().is_empty() {
            files.push(("Cargo.lock".into(), text(shop.lock().to_owned())));
        }
        for one in crates {
            self.files(one, broken, &mut files);
        }
        cache::write_files(folder, &files)
    }

    /// The files of one crate.
    fn files(&self, one: &Crate, broken: &BTreeMap<usize, String>, files: &mut Files) {
        let name = &one.name;
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
             [dependencies]\nserq-runtime = {{ path = \"../../../serq-runtime\" }}\nserde_json = \"1\"\n"
        );
        let mut modules = String::new();
        let mut table = String::new();
        for (slot, module) in one.modules.iter().enumerate() {
            if !broken.contains_key(module) {
                modules += &format!("mod p{slot:03};\n");
                table += &format!("        {slot} => host::run::<p{slot:03}::Model>,\n");
            }
            let path = format!("{name}/src/p{slot:03}.rs");
            files.push((path.into(), text(self.modules[*module].text.clone())));
        }
        let main = format!(
            "#![forbid(unsafe_code)]\n#![allow(warnings)]\nmod host;\n{modules}\n\
             fn main() {{\n    host::main(|program| Some(match program {{\n{table}        \
             _ => return None,\n    }}))\n}}\n"
        );
        files.push((format!("{name}/Cargo.toml").into(), text(manifest)));
        files.push((format!("{name}/src/host.rs").into(), text(HOST.to_owned())));
        files.push((format!("{name}/src/main.rs").into(), text(main)));
    }
}

type Files = Vec<(Cow<'static, str>, Cow<'static, [u8]>)>;

fn text(text: String) -> Cow<'static, [u8]> {
    Cow::Owned(text.into_bytes())
}

/// A crate of a batch and the numbers of its programs.
#[derive(Debug)]
struct Crate {
    name: String,
    modules: Vec<usize>,
}

/// The programs that rustc's errors point at, each with its first error.
fn blamed(output: &str, crates: &[Crate]) -> BTreeMap<usize, String> {
    let mut found = BTreeMap::new();
    let mut message = "";
    for line in output.lines() {
        let line = line.trim_start();
        if line.starts_with("error") {
            message = line;
        }
        let Some(place) = line.strip_prefix("--> ") else { continue };
        if let Some(module) = module_at(place, crates) {
            found.entry(module).or_insert_with(|| format!("{message} ({place})"));
        }
    }
    found
}

/// The program that `CRATE/src/pNNN.rs:LINE:COLUMN` lies in.
fn module_at(place: &str, crates: &[Crate]) -> Option<usize> {
    let path = place.split(':').next()?.replace('\\', "/");
    let (name, file) = path.split_once("/src/p")?;
    let slot: usize = file.strip_suffix(".rs")?.parse().ok()?;
    crates.iter().find(|one| one.name == name)?.modules.get(slot).copied()
}

/// Where a program is.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The binary that it is in.
    pub binary: PathBuf,
    /// Its number in there.
    pub slot: usize,
}

/// A batch that was built. Its binaries stay as they are while this lives.
#[derive(Debug)]
pub struct Built {
    places: Vec<Result<Place, String>>,
    _reserved: File,
}

impl Built {
    /// Where a program is, or what rustc has against it.
    pub(super) fn place(&self, program: usize) -> Result<&Place, &str> {
        match self.places.get(program) {
            Some(Ok(place)) => Ok(place),
            Some(Err(why)) => Err(why),
            None => Err("there is no such program"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(keys: std::ops::Range<usize>) -> Batch {
        let mut batch = Batch::new("b", Build::Quick);
        for n in keys {
            batch.add(&format!("det/{n}"), String::new());
        }
        batch
    }

    #[test]
    fn one_more_program_changes_one_crate() {
        let named = |batch: &Batch| -> Vec<Vec<String>> {
            let key = |module: &usize| batch.modules[*module].key.clone();
            batch.crates().iter().map(|one| one.modules.iter().map(key).collect()).collect()
        };
        let (fewer, more) = (named(&batch(0..200)), named(&batch(0..201)));
        assert_eq!(fewer.len(), more.len());
        assert_eq!(fewer.iter().zip(&more).filter(|(a, b)| a != b).count(), 1);
        assert_eq!(more.iter().map(Vec::len).sum::<usize>(), 201);
    }

    #[test]
    fn what_does_not_compile_is_found_in_what_rustc_says() {
        let crates = [Crate { name: "b_1_0".to_owned(), modules: vec![7, 3] }];
        let said = "warning: x\n --> b_1_0/src/p000.rs:1:1\nerror[E0425]: no `y`\n  --> b_1_0/src/p001.rs:9:5\nerror: other\n --> b_1_0/src/p001.rs:2:2\n --> b_1_0/src/main.rs:1:1";
        let found = blamed(said, &crates);
        assert_eq!(found[&3], "error[E0425]: no `y` (b_1_0/src/p001.rs:9:5)");
    }
}
