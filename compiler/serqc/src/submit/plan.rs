//! The plan of a sweep on several machines, read from TOML.
//!
//! In: the text of the file. Out: a [`Plan`] that every engine can be written for, or all that is wrong,
//! each at its place. Whether an engine's own table is there is asked when that engine is.

use std::ops::Range;

use serde::Deserialize;
use serq_compiler::diag::Diagnostic;
use serq_compiler::span::{FileId, SourceMap, Span};
use toml::Spanned;

use super::words;
use crate::failure::{Failure, bad_plan};

/// Most shards of a plan: more than one engine takes in one array.
const MOST_SHARDS: i64 = 100_000;
/// Most threads of one shard.
const MOST_JOBS: i64 = 4096;
/// Most times that a shard is tried again.
const MOST_RETRIES: i64 = 1000;
/// What serqc gives to each shard itself, and the key that it comes from.
const OURS: [(&str, &str); 3] = [("--shard", "`shards`"), ("--out", "`out`"), ("--jobs", "`jobs`")];

/// A sweep in shards, and what each of them is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// What the job is called.
    pub name: String,
    /// The simulation, a path where the shards run.
    pub binary: String,
    /// Its options, but for `--shard`, `--out` and `--jobs`.
    pub options: Vec<String>,
    /// How many parts the sweep is done in, at least 1.
    pub shards: usize,
    /// The folder that has a folder for each part.
    pub out: String,
    /// Where relative paths begin; the place of submission if there is none.
    pub directory: Option<String>,
    /// Threads of a shard.
    pub jobs: usize,
    /// How often a shard that ended badly is started again.
    pub retries: usize,
    /// Most shards that run at a time.
    pub at_once: Option<usize>,
    /// Further options of `sbatch`, one `#SBATCH` line each.
    pub slurm: Vec<String>,
    /// What only Kubernetes needs.
    pub kubernetes: Option<Kubernetes>,
}

/// Where a shard finds its binary and leaves its results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kubernetes {
    /// An image with a shell.
    pub image: String,
    /// The persistent volume claim that all shards write to.
    pub claim: String,
    /// Where the volume is mounted.
    pub mount: String,
    /// The job's namespace.
    pub namespace: Option<String>,
    /// Memory of a shard, such as `2Gi`.
    pub memory: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    binary: Spanned<String>,
    options: Spanned<String>,
    shards: Spanned<i64>,
    out: Spanned<String>,
    name: Option<Spanned<String>>,
    directory: Option<Spanned<String>>,
    jobs: Option<Spanned<i64>>,
    retries: Option<Spanned<i64>>,
    at_once: Option<Spanned<i64>>,
    slurm: Option<WrittenSlurm>,
    kubernetes: Option<WrittenKubernetes>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSlurm {
    options: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenKubernetes {
    image: Spanned<String>,
    claim: Spanned<String>,
    mount: Option<Spanned<String>>,
    namespace: Option<Spanned<String>>,
    memory: Option<Spanned<String>>,
}

/// Errors of a plan as they are found.
#[derive(Debug)]
struct Errors {
    file: FileId,
    found: Vec<Diagnostic>,
}

impl Errors {
    fn add(&mut self, at: Range<usize>, what: &str, help: &str) {
        self.found.push(bad_plan(span(self.file, at), what).help(help));
    }
}

fn span(file: FileId, at: Range<usize>) -> Span {
    Span { file, start: at.start as u32, end: at.end as u32 }
}

/// A plan as it was read, with the text that errors found later point into.
#[derive(Debug)]
pub struct Read {
    /// What it says.
    pub plan: Plan,
    path: String,
    sources: SourceMap,
    file: FileId,
    name: Option<Range<usize>>,
    options: Range<usize>,
}

impl Read {
    /// An error in the words of `options`; `output` is what the simulation said of them.
    pub fn bad_options(&self, what: &str, help: &str) -> Failure {
        self.fail(self.options.clone(), what, help)
    }

    /// An error of the job's name, or of the whole plan if the name comes from the file's.
    pub fn bad_name(&self, what: &str, help: &str) -> Failure {
        self.fail(self.name.clone().unwrap_or(0..0), what, help)
    }

    /// Something is missing in the plan.
    pub fn lacks(&self, what: &str, help: &str) -> Failure {
        let end = self.sources.file(self.file).text.trim_end().len();
        self.fail(end..end, what, help)
    }

    fn fail(&self, at: Range<usize>, what: &str, help: &str) -> Failure {
        Failure::Program {
            file: self.path.clone(),
            sources: self.sources.clone(),
            diagnostics: vec![bad_plan(span(self.file, at), what).help(help)],
        }
    }
}

/// Reads a plan's text; `path` is what it is called, `stem` names the job if the plan does not.
///
/// # Errors
/// All that is wrong with it, or the first thing that is no plan's TOML.
pub fn read(path: &str, stem: &str, text: &str) -> Result<Read, Failure> {
    let mut sources = SourceMap::default();
    let file = sources.add(path, text);
    let failed = |sources: &SourceMap, diagnostics| Failure::Program {
        file: path.to_owned(),
        sources: sources.clone(),
        diagnostics,
    };
    let written: Written = match toml::from_str(text) {
        Ok(written) => written,
        Err(error) => {
            let at = error.span().unwrap_or(0..0);
            // What is missing is missing everywhere: the whole text would be underlined.
            let at = if at == (0..text.len()) { 0..0 } else { at };
            let help = "`serqc explain S951` has a plan with all keys";
            let what = error.message().to_owned();
            return Err(failed(&sources, vec![bad_plan(span(file, at), &what).help(help)]));
        }
    };
    let mut errors = Errors { file, found: Vec::new() };
    let (name, options) = (written.name.as_ref().map(Spanned::span), written.options.span());
    let plan = checked(written, stem, &mut errors);
    if !errors.found.is_empty() {
        errors.found.sort_by_key(|d| d.primary.span.start);
        return Err(failed(&sources, errors.found));
    }
    Ok(Read { plan, path: path.to_owned(), sources, file, name, options })
}

fn checked(written: Written, stem: &str, errors: &mut Errors) -> Plan {
    let given = |value: Option<Spanned<i64>>, default: i64| {
        value.unwrap_or_else(|| Spanned::new(0..0, default))
    };
    let shards = number("shards", &written.shards, 1..=MOST_SHARDS, errors);
    let at_once = written.at_once.map(|n| number("at_once", &n, 1..=MOST_SHARDS, errors));
    Plan {
        name: written.name.map_or_else(|| name_of(stem), |name| job_name(&name, errors)),
        binary: path("binary", &written.binary, errors),
        options: sweep_options(&written.options, errors),
        shards,
        out: path("out", &written.out, errors),
        directory: written.directory.map(|text| path("directory", &text, errors)),
        jobs: number("jobs", &given(written.jobs, 1), 1..=MOST_JOBS, errors),
        retries: number("retries", &given(written.retries, 3), 0..=MOST_RETRIES, errors),
        // More at a time than there are means nothing more.
        at_once: at_once.filter(|most| *most < shards),
        slurm: written.slurm.map_or_else(Vec::new, |s| sbatch_options(&s.options, errors)),
        kubernetes: written.kubernetes.map(|k| kubernetes(k, errors)),
    }
}

fn number(
    key: &str,
    value: &Spanned<i64>,
    range: std::ops::RangeInclusive<i64>,
    errors: &mut Errors,
) -> usize {
    let n = *value.get_ref();
    if !range.contains(&n) {
        let help = format!("write a number from {} to {}", range.start(), range.end());
        errors.add(value.span(), &format!("`{key}` is {n}"), &help);
    }
    usize::try_from(n).unwrap_or(0)
}

/// A text of one line that says something.
fn text(key: &str, value: &Spanned<String>, errors: &mut Errors) -> String {
    let said = value.get_ref();
    if said.trim().is_empty() {
        errors.add(value.span(), &format!("`{key}` is empty"), "leave it out or give it a value");
    } else if said.chars().any(char::is_control) {
        let what = format!("`{key}` has a line break or another control character");
        errors.add(value.span(), &what, "write it on one line");
    }
    said.clone()
}

fn path(key: &str, value: &Spanned<String>, errors: &mut Errors) -> String {
    let said = text(key, value, errors);
    if said.starts_with('-') {
        let help = format!("write `./{said}`");
        errors.add(value.span(), &format!("`{key}` would be read as an option"), &help);
    }
    if said.starts_with('~') || said.contains('$') {
        let help = "write the path as it is on the machines";
        errors.add(value.span(), &format!("no shell reads `{key}`, so `~` and `$` stay"), help);
    }
    match said.trim_end_matches('/') {
        "" => said,
        short => short.to_owned(),
    }
}

/// A name that every engine takes, from a file's.
fn name_of(stem: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = stem.chars().map(plain).take(40).collect();
    match name.trim_matches('-') {
        "" => "sweep".to_owned(),
        name => name.to_owned(),
    }
}

fn job_name(value: &Spanned<String>, errors: &mut Errors) -> String {
    let name = text("name", value, errors);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !name.chars().all(plain) || name.len() > 100 {
        let help = "write up to 100 letters, digits and `-`";
        errors.add(value.span(), "`name` is no name that every engine takes", help);
    }
    name
}

/// The words of an option's text.
fn split(key: &str, value: &Spanned<String>, errors: &mut Errors) -> Vec<String> {
    let said = text(key, value, errors);
    words::split(&said).unwrap_or_else(|| {
        let what = format!("`{key}` has a quotation mark without its partner, or ends in `\\`");
        errors.add(value.span(), &what, "write it as in a shell, such as `--slo 'ttft:0.2'`");
        Vec::new()
    })
}

fn sweep_options(value: &Spanned<String>, errors: &mut Errors) -> Vec<String> {
    let options = split("options", value, errors);
    let is = |word: &str, name: &str| {
        word == name || word.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
    };
    for (ours, key) in OURS {
        if options.iter().any(|word| is(word, ours)) {
            let what = format!("`{ours}` among the options is given to every shard");
            errors.add(value.span(), &what, &format!("leave it out: it comes from {key}"));
        }
    }
    let many = ["--sweep", "--point", "--seeds"];
    if !options.iter().any(|word| many.iter().any(|name| is(word, name))) {
        let help = "write those of a sweep, such as `--sweep load=0.5,0.8 --seeds 1..20`";
        errors.add(value.span(), "the options ask for a single run", help);
    }
    options
}

/// Options of `sbatch`, each with its value.
fn sbatch_options(value: &Spanned<String>, errors: &mut Errors) -> Vec<String> {
    const TAKEN: [(&str, &str, &str); 5] = [
        ("--array", "-a", "`shards` and `at_once`"),
        ("--cpus-per-task", "-c", "`jobs`"),
        ("--job-name", "-J", "`name`"),
        ("--chdir", "-D", "`directory`"),
        ("--wrap", "--wrap", "`binary`"),
    ];
    let mut lines: Vec<String> = Vec::new();
    for word in split("options", value, errors) {
        let name = word.split('=').next().unwrap_or_default();
        let short = |short: &str| !short.starts_with("--") && name.starts_with(short);
        let taken = |(long, of, _): &&(&str, &str, &str)| {
            name == *long || !name.starts_with("--") && short(of)
        };
        if let Some((_, _, key)) = TAKEN.iter().find(taken) {
            let what = format!("`{name}` is not for `[slurm]`");
            errors.add(value.span(), &what, &format!("leave it out: it comes from {key}"));
        }
        match lines.last_mut() {
            _ if word.starts_with('-') => lines.push(match word.split_once('=') {
                Some((name, value)) => format!("{name}={}", words::quoted(value)),
                None => word,
            }),
            Some(line) => *line += &format!(" {}", words::quoted(&word)),
            None => {
                let what = format!("`{word}` is no option of `sbatch`");
                errors.add(value.span(), &what, "begin with one, such as `--partition=cpu`");
            }
        }
    }
    lines
}

fn kubernetes(written: WrittenKubernetes, errors: &mut Errors) -> Kubernetes {
    let image = text("image", &written.image, errors);
    if image.contains(char::is_whitespace) {
        errors.add(written.image.span(), "`image` has a blank", "write `registry/name:tag`");
    }
    let default = || Spanned::new(0..0, "/data".to_owned());
    let mount = written.mount.unwrap_or_else(default);
    if !mount.get_ref().starts_with('/') || mount.get_ref().contains(':') {
        let what = format!("`mount` is `{}`, which is no absolute path", mount.get_ref());
        errors.add(mount.span(), &what, "write where the volume is mounted, such as `/data`");
    }
    if let Some(memory) = written.memory.as_ref().filter(|m| !is_quantity(m.get_ref())) {
        let what = format!("`memory` is `{}`, which is no quantity", memory.get_ref());
        errors.add(memory.span(), &what, "write it as Kubernetes does, such as `2Gi`");
    }
    let mut label = |key: &str, value: &Spanned<String>| {
        if !is_label(value.get_ref(), 253) {
            let what = format!("`{key}` is `{}`, which Kubernetes does not take", value.get_ref());
            errors.add(value.span(), &what, "write small letters, digits and `-`");
        }
        value.get_ref().clone()
    };
    Kubernetes {
        claim: label("claim", &written.claim),
        namespace: written.namespace.map(|n| label("namespace", &n)),
        image,
        mount: path("mount", &mount, errors),
        memory: written.memory.map(Spanned::into_inner),
    }
}

/// Whether Kubernetes takes this as a name (RFC 1123): at most `most` small letters, digits and `-`.
pub fn is_label(name: &str, most: usize) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.len() <= most
        && name.starts_with(plain)
        && name.ends_with(plain)
        && name.chars().all(|c| plain(c) || c == '-')
}

/// A number of bytes as Kubernetes writes it.
fn is_quantity(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = &text[..text.len() - unit.len()];
    number.parse::<f64>().is_ok_and(|x| x > 0.0)
        && ["", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"].contains(&unit)
}
