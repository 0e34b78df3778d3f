//! The options of a sweep, read.

use std::{
    collections::BTreeMap,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{
    super::{
        Failure, Program,
        options::{self, Plan},
        refused,
    },
    values::{self, Given},
};
use crate::{
    report::exact,
    results::{
        Axis, Grid, Key, Manifest, ProgramText, RunOptions, Shard, SourceText, TraceMark, Wanted,
    },
    settings::Settings,
    trace::TraceSpec,
};

/// Most runs of one call.
const MOST: usize = 10_000_000;

/// Adds the options of a sweep to the command line.
pub(in super::super) fn arguments(command: Command) -> Command {
    command
        .mut_arg("vllm-json", |arg| arg.conflicts_with_all(["sweep", "point", "out"]))
        .arg(
            options::value("sweep", "Run every value of a setting, such as thr=1,512,inf or load=0.3..1.5:0.3; may be repeated")
                .action(ArgAction::Append),
        )
        .arg(
            options::value("point", "Run these values together, instead of a grid; may be repeated")
                .action(ArgAction::Append)
                .conflicts_with("sweep"),
        )
        .arg(options::value("out", "Keep the runs in a folder, which the same command goes on with after a stop"))
        .arg(options::value("shard", "Do part I of N of the runs, one machine of N"))
        .arg(
            Arg::new("stop-at-saturation")
                .long("stop-at-saturation")
                .value_name("NAME")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("")
                .help("Of a swept load, run no point above the first that is not stationary"),
        )
}

/// Whether the options ask for a sweep.
pub(in super::super) fn asked(matches: &ArgMatches) -> bool {
    ["sweep", "point", "out", "shard", "stop-at-saturation"]
        .iter()
        .any(|name| matches.contains_id(name))
}

/// What every run of one point is made with.
#[derive(Debug)]
pub(super) struct Setup {
    /// One per `let`.
    pub values: Vec<f64>,
    /// `let`s set from outside, the swept ones too.
    pub set: Vec<(String, f64)>,
    /// All but the seed.
    pub settings: Settings,
}

/// A sweep as asked for.
#[derive(Debug)]
pub(super) struct Sweep {
    /// What its folder would be for.
    pub manifest: Manifest,
    /// The runs asked for now, in order.
    pub keys: Vec<Key>,
    /// By point, under a key of seed 0.
    pub setups: BTreeMap<Key, Setup>,
    /// Where results go.
    pub folder: Option<PathBuf>,
    /// The part that this process does.
    pub shard: Shard,
}

impl Sweep {
    /// The setup of a run's point.
    pub(super) fn setup(&self, key: &Key) -> Option<&Setup> {
        self.setups.get(&key.point())
    }
}

/// Reads the options of a sweep; `plan` has what it shares with other runs.
pub(super) fn sweep(
    program: &Program,
    matches: &ArgMatches,
    plan: &Plan,
) -> Result<Sweep, Failure> {
    let grids = grids(program, matches, plan)?;
    let swept: Vec<String> =
        grids.first().map_or_else(Vec::new, |g| g.axes.iter().map(|a| a.name.clone()).collect());
    let mut wanted = Wanted::default();
    for grid in grids {
        if grid.len() > MOST {
            let what = format!("the sweep has {} runs, and {MOST} are the most", grid.len());
            return Err(Failure::usage(&what, Some("take fewer values or seeds".into())));
        }
        wanted.add(&grid);
    }
    let folder = matches.get_one::<String>("out").map(PathBuf::from);
    let shard = shard(matches)?;
    if folder.is_none() && shard.of > 1 {
        let help = "write --shard 1/4 --out part1, and put the parts together with `serqc collect`";
        return Err(Failure::usage("--shard has no --out", Some(help.into())));
    }
    let setups = setups(program, matches, plan, &swept, &wanted)?;
    let manifest = Manifest {
        program: text_of(program),
        runtime: env!("CARGO_PKG_VERSION").to_owned(),
        options: run_options(program, matches)?,
        stop_at_saturation: stop(matches, &swept)?,
        swept,
        wanted: wanted.clone(),
    };
    Ok(Sweep { manifest, keys: wanted.keys(), setups, folder, shard })
}

fn text_of(program: &Program) -> ProgramText {
    let source =
        |(name, text): &(&str, &str)| SourceText { name: (*name).into(), text: (*text).into() };
    ProgramText {
        name: program.name.to_owned(),
        sources: program.sources.iter().map(source).collect(),
    }
}

/// The grids of `--sweep`, or of `--point`, settings in the program's order.
fn grids(program: &Program, matches: &ArgMatches, plan: &Plan) -> Result<Vec<Grid>, Failure> {
    let texts = |name: &str| matches.get_many::<String>(name).into_iter().flatten();
    let mut points: Vec<Vec<Given>> = Vec::new();
    for text in texts("point") {
        points.push(values::point(program, text, &plan.values)?);
    }
    if points.is_empty() {
        let given = texts("sweep").map(|text| values::sweep(program, text, &plan.values));
        points.push(given.collect::<Result<_, _>>()?);
    }
    let mut grids: Vec<Grid> = Vec::new();
    for point in points {
        let axes = axes(program, plan, point)?;
        let names = |axes: &[Axis]| axes.iter().map(|a| a.name.clone()).collect::<Vec<_>>();
        if let Some(first) = grids.first()
            && names(&first.axes) != names(&axes)
        {
            let what = "not every --point names the same settings";
            return Err(Failure::usage(what, Some("give each setting a value in each".into())));
        }
        grids.push(Grid::new(axes, plan.seeds.clone()));
    }
    Ok(grids)
}

fn axes(program: &Program, plan: &Plan, given: Vec<Given>) -> Result<Vec<Axis>, Failure> {
    let place = |name: &str| program.lets.iter().position(|l| l.name == name);
    let mut axes: Vec<Axis> = Vec::new();
    for Given { name, values } in given {
        if plan.set.iter().any(|(set, _)| set == name) {
            let what = format!("`{name}` is both set and swept");
            return Err(Failure::usage(&what, None));
        }
        if axes.iter().any(|axis| axis.name == name) {
            let help = format!("write all its values in one list, --sweep {name}=1,2");
            return Err(Failure::usage(&format!("`{name}` is swept twice"), Some(help)));
        }
        axes.push(Axis { name: name.to_owned(), values });
    }
    axes.sort_by_key(|axis| place(&axis.name));
    Ok(axes)
}

fn shard(matches: &ArgMatches) -> Result<Shard, Failure> {
    let Some(text) = matches.get_one::<String>("shard") else {
        return Ok(Shard { number: 1, of: 1 });
    };
    let parsed = text.split_once('/').and_then(|(i, n)| {
        let shard = Shard { number: i.trim().parse().ok()?, of: n.trim().parse().ok()? };
        (1..=shard.of).contains(&shard.number).then_some(shard)
    });
    parsed.ok_or_else(|| {
        let what = format!("--shard: `{text}` is no part of a whole");
        Failure::usage(&what, Some("write --shard 1/4 for the first of four".into()))
    })
}

/// The setting that `--stop-at-saturation` goes by.
fn stop(matches: &ArgMatches, swept: &[String]) -> Result<Option<String>, Failure> {
    let Some(name) = matches.get_one::<String>("stop-at-saturation") else { return Ok(None) };
    let help = "write --stop-at-saturation=NAME with the swept setting that is the load";
    match (name.as_str(), swept) {
        ("", [only]) => Ok(Some(only.clone())),
        ("", []) => {
            Err(Failure::usage("--stop-at-saturation has nothing swept", Some(help.into())))
        }
        ("", several) => {
            let what = format!(
                "--stop-at-saturation does not say which of {} is the load",
                several.join(", ")
            );
            Err(Failure::usage(&what, Some(help.into())))
        }
        (name, _) if swept.iter().any(|s| s == name) => Ok(Some(name.to_owned())),
        (name, _) => {
            let what = format!("--stop-at-saturation={name}: `{name}` is not swept");
            Err(Failure::usage(&what, Some(help.into())))
        }
    }
}

/// Every point's values, checked, so that nothing is run of a sweep that cannot end.
fn setups(
    program: &Program,
    matches: &ArgMatches,
    plan: &Plan,
    swept: &[String],
    wanted: &Wanted,
) -> Result<BTreeMap<Key, Setup>, Failure> {
    let mut setups = BTreeMap::new();
    for point in wanted.grids.iter().flat_map(Grid::points) {
        let set = |(name, x): (&String, &f64)| format!("{name}={}", exact(*x));
        let more: Vec<String> = swept.iter().zip(&point).map(set).collect();
        let (lets, settings) = options::at_point(program, matches, &more, plan.base.trace.clone())?;
        (program.check)(&lets.values, &settings)
            .map_err(|refusals| refused(program.sites, &refusals, &lets.set))?;
        let setup = Setup { values: lets.values, set: lets.set, settings };
        setups.insert(Key::new(&point, 0), setup);
    }
    Ok(setups)
}

/// A plain number in its shortest form, anything else as it was said.
fn canonical(text: &str) -> String {
    let text = text.trim();
    text.parse::<f64>().ok().filter(|x| !x.is_nan()).map_or_else(|| text.to_owned(), exact)
}

fn run_options(program: &Program, matches: &ArgMatches) -> Result<RunOptions, Failure> {
    let text = |name: &str| matches.get_one::<String>(name).map(|text| canonical(text));
    let given = matches.get_many::<String>("set").into_iter().flatten();
    let mut set: Vec<(String, String)> = given
        .filter_map(|text| text.split_once('='))
        .map(|(name, value)| (name.trim().to_owned(), canonical(value)))
        .collect();
    set.sort();
    let flags = ["strict", "samples", "plain-engine", "series"];
    let flags = flags.iter().filter(|flag| matches.get_flag(flag)).map(|flag| format!("--{flag}"));
    let slo = matches.get_one::<String>("slo").map(|limits| format!("--slo {}", limits.trim()));
    Ok(RunOptions {
        set,
        horizon: text("horizon"),
        warmup: text("warmup"),
        arrivals: text("arrivals"),
        flags: flags.chain(slo).collect(),
        trace: trace_mark(program, matches)?,
    })
}

/// What the replayed file is known by; a text that the program has needs none.
fn trace_mark(program: &Program, matches: &ArgMatches) -> Result<Option<TraceMark>, Failure> {
    let other = matches.try_get_one::<String>("trace-in").ok().flatten();
    let path = match (other, program.trace) {
        (Some(path), _) => Path::new(path),
        (None, TraceSpec::File { path, .. }) => Path::new(path),
        (None, TraceSpec::Text { .. } | TraceSpec::None) => return Ok(None),
    };
    let failed = |e: std::io::Error| {
        Failure::usage(&format!("`{}` cannot be read: {e}", path.display()), None)
    };
    let mut file = File::open(path).map_err(failed)?;
    let (mut crc, mut bytes, mut piece) = (crc32fast::Hasher::new(), 0, vec![0; 1 << 16]);
    loop {
        let n = file.read(&mut piece).map_err(failed)?;
        if n == 0 {
            return Ok(Some(TraceMark { bytes, crc: crc.finalize() }));
        }
        crc.update(&piece[..n]);
        bytes += n as u64;
    }
}
