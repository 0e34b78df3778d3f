//! `sweep.json`: the program, its settings, and which runs are wanted.
//!
//! It names no path and no machine. Two sweeps may share a folder when all but the values of the swept
//! settings and the seeds is the same.

use std::{fmt, io};

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use super::grid::{Grid, Wanted};
use crate::report::json::named;

/// The format that this code writes.
const FORMAT: u64 = 1;

/// A file of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The program's file without its folder; a library's as the `use` says it.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The program that made the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramText {
    /// Its name.
    pub name: String,
    /// The program's own file, then its libraries; empty when the binary does not have them.
    pub sources: Vec<SourceText>,
}

/// What a trace is known by: how long it is, and its CRC-32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceMark {
    /// Bytes.
    pub bytes: u64,
    /// CRC-32 (IEEE) of them.
    pub crc: u32,
}

/// What every run of the folder was asked for, as the options said it; a plain number in its
/// shortest form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// `--set`, by name.
    pub set: Vec<(String, String)>,
    /// `--horizon`, `--warmup`, `--arrivals`, where given.
    pub horizon: Option<String>,
    /// Seconds.
    pub warmup: Option<String>,
    /// Sessions.
    pub arrivals: Option<String>,
    /// Other options that change what a run reports, as they were given.
    pub flags: Vec<String>,
    /// The trace that is replayed.
    pub trace: Option<TraceMark>,
}

/// What a folder of results is for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// The program.
    pub program: ProgramText,
    /// The version of the runtime.
    pub runtime: String,
    /// What all runs share.
    pub options: RunOptions,
    /// The swept settings, in the program's order.
    pub swept: Vec<String>,
    /// The swept setting above whose saturation nothing is run.
    pub stop_at_saturation: Option<String>,
    /// The runs.
    pub wanted: Wanted,
}

/// What two manifests do not share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference(pub String);

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Manifest {
    /// The axis that [`Manifest::stop_at_saturation`] names.
    pub fn stop_axis(&self) -> Option<usize> {
        let name = self.stop_at_saturation.as_ref()?;
        self.swept.iter().position(|n| n == name)
    }

    /// Adds what another sweep wants, and says whether that is anything new.
    ///
    /// # Errors
    /// What keeps the two from sharing a folder.
    pub fn extend(&mut self, other: &Manifest) -> Result<bool, Vec<Difference>> {
        let differences = self.differences(other);
        if !differences.is_empty() {
            return Err(differences);
        }
        let added: Vec<bool> = other.wanted.grids.iter().map(|g| self.wanted.add(g)).collect();
        Ok(added.contains(&true))
    }

    /// What differs beside values and seeds, in words: there, and now.
    fn differences(&self, now: &Manifest) -> Vec<Difference> {
        let mut all = Vec::new();
        let mut compare = |what: &str, there: Option<&String>, now: Option<&String>| {
            if there != now {
                let say =
                    |x: Option<&String>| x.map_or("not given".to_owned(), |x| format!("`{x}`"));
                all.push(Difference(format!("{what} was {}, now {}", say(there), say(now))));
            }
        };
        compare("the program", Some(&self.program.name), Some(&now.program.name));
        compare("serQ's runtime", Some(&self.runtime), Some(&now.runtime));
        let list = |names: &[String]| Some(names.join(", ")).filter(|s| !s.is_empty());
        compare("--sweep of", list(&self.swept).as_ref(), list(&now.swept).as_ref());
        let stop = "--stop-at-saturation";
        compare(stop, self.stop_at_saturation.as_ref(), now.stop_at_saturation.as_ref());
        let (a, b) = (&self.options, &now.options);
        let mut names: Vec<&String> = a.set.iter().chain(&b.set).map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        for name in names {
            let value =
                |set: &RunOptions| set.set.iter().find(|(n, _)| n == name).map(|s| s.1.clone());
            compare(&format!("--set {name}"), value(a).as_ref(), value(b).as_ref());
        }
        compare("--horizon", a.horizon.as_ref(), b.horizon.as_ref());
        compare("--warmup", a.warmup.as_ref(), b.warmup.as_ref());
        compare("--arrivals", a.arrivals.as_ref(), b.arrivals.as_ref());
        compare("the options", list(&a.flags).as_ref(), list(&b.flags).as_ref());
        let trace =
            |t: Option<TraceMark>| t.map(|t| format!("{} bytes, CRC {:08x}", t.bytes, t.crc));
        compare("the trace", trace(a.trace).as_ref(), trace(b.trace).as_ref());
        if self.program.name == now.program.name {
            all.extend(texts_differ(&self.program.sources, &now.program.sources));
        }
        all
    }
}

/// Where two texts of a program part.
fn texts_differ(there: &[SourceText], now: &[SourceText]) -> Option<Difference> {
    if there.len() != now.len() {
        let said = format!("the program had {} files, now {}", there.len(), now.len());
        return Some(Difference(said));
    }
    let (old, new) = there.iter().zip(now).find(|(a, b)| a != b)?;
    if old.name != new.name {
        return Some(Difference(format!(
            "the program's file was `{}`, now `{}`",
            old.name, new.name
        )));
    }
    let lines = |text: &SourceText| text.text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (old_lines, new_lines) = (lines(old), lines(new));
    let same = old_lines.iter().zip(&new_lines).take_while(|(a, b)| a == b).count();
    let show =
        |lines: &[String]| lines.get(same).map_or("nothing".into(), |l| format!("`{}`", l.trim()));
    Some(Difference(format!(
        "line {} of `{}` was {}, now {}",
        same + 1,
        old.name,
        show(&old_lines),
        show(&new_lines)
    )))
}

impl Serialize for SourceText {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("name", &self.name)?;
        m.serialize_entry("text", &self.text)?;
        m.end()
    }
}

impl Serialize for ProgramText {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("name", &self.name)?;
        m.serialize_entry("sources", &self.sources)?;
        m.end()
    }
}

impl Serialize for TraceMark {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("bytes", &self.bytes)?;
        m.serialize_entry("crc32", &format!("{:08x}", self.crc))?;
        m.end()
    }
}

impl Serialize for RunOptions {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("set", &named(&self.set, |p| &p.0, |p| &p.1))?;
        m.serialize_entry("horizon", &self.horizon)?;
        m.serialize_entry("warmup", &self.warmup)?;
        m.serialize_entry("arrivals", &self.arrivals)?;
        m.serialize_entry("flags", &self.flags)?;
        m.serialize_entry("trace", &self.trace)?;
        m.end()
    }
}

impl Serialize for Manifest {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("format", &FORMAT)?;
        m.serialize_entry("runtime", &self.runtime)?;
        m.serialize_entry("program", &self.program)?;
        m.serialize_entry("options", &self.options)?;
        m.serialize_entry("swept", &self.swept)?;
        m.serialize_entry("stop_at_saturation", &self.stop_at_saturation)?;
        m.serialize_entry("wanted", &self.wanted.grids)?;
        m.end()
    }
}

impl Manifest {
    /// The file's text.
    ///
    /// # Errors
    /// None that is not a defect: it is written to memory.
    pub fn text(&self) -> io::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Reads the file's text.
    ///
    /// # Errors
    /// What it is not.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        match value.get("format").and_then(Value::as_u64) {
            Some(FORMAT) => {}
            Some(n) => return Err(format!("its format is {n}, and this is for format {FORMAT}")),
            None => return Err("it has no `format`".to_owned()),
        }
        read(&value).ok_or_else(|| "a part of it is missing or of another kind".to_owned())
    }
}

fn read(value: &Value) -> Option<Manifest> {
    let text = |v: &Value, key: &str| v.get(key)?.as_str().map(str::to_owned);
    let strings = |v: &Value| {
        v.as_array()?.iter().map(|s| s.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    };
    let program = value.get("program")?;
    let source = |v: &Value| Some(SourceText { name: text(v, "name")?, text: text(v, "text")? });
    let sources = program.get("sources")?.as_array()?.iter().map(source).collect::<Option<_>>()?;
    let options = value.get("options")?;
    // An object's order may be lost; that of names is the order in which they are compared.
    let set = options.get("set")?.as_object()?.iter();
    let set = set.map(|(n, v)| Some((n.clone(), v.as_str()?.to_owned()))).collect::<Option<_>>()?;
    let swept = strings(value.get("swept")?)?;
    let mut wanted = Wanted::default();
    for grid in value.get("wanted")?.as_array()? {
        wanted.add(&Grid::read(grid, &swept)?);
    }
    Some(Manifest {
        program: ProgramText { name: text(program, "name")?, sources },
        runtime: text(value, "runtime")?,
        options: RunOptions {
            set,
            horizon: text(options, "horizon"),
            warmup: text(options, "warmup"),
            arrivals: text(options, "arrivals"),
            flags: strings(options.get("flags")?)?,
            trace: options.get("trace").and_then(trace),
        },
        stop_at_saturation: text(value, "stop_at_saturation"),
        swept,
        wanted,
    })
}

fn trace(value: &Value) -> Option<TraceMark> {
    let crc = u32::from_str_radix(value.get("crc32")?.as_str()?, 16).ok()?;
    Some(TraceMark { bytes: value.get("bytes")?.as_u64()?, crc })
}

#[cfg(test)]
mod tests {
    use super::{super::grid::Axis, *};

    fn manifest(seeds: std::ops::RangeInclusive<u64>) -> Manifest {
        let mut wanted = Wanted::default();
        let thr = Axis { name: "thr".into(), values: vec![1.0, f64::INFINITY] };
        wanted.add(&Grid::new(vec![thr], seeds.collect()));
        let source =
            |name: &str, text: &str| SourceText { name: name.to_owned(), text: text.to_owned() };
        Manifest {
            program: ProgramText {
                name: "small".into(),
                sources: vec![source("small.sq", "let a = 1;\nlet b = 2;\n"), source("l.sq", "")],
            },
            runtime: "1".into(),
            options: RunOptions {
                set: vec![("a".into(), "2".into())],
                horizon: Some("1000".into()),
                flags: vec!["--strict".into()],
                trace: Some(TraceMark { bytes: 3, crc: 0xab }),
                ..RunOptions::default()
            },
            swept: vec!["thr".into()],
            stop_at_saturation: Some("thr".into()),
            wanted,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let m = manifest(1..=3);
        assert_eq!(Manifest::parse(&m.text().unwrap()), Ok(m));
        for wrong in ["", "{}", "{\"format\":2}", "{\"format\":1}", "[1"] {
            assert!(Manifest::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn more_seeds_extend_and_other_settings_are_told() {
        let mut m = manifest(1..=3);
        assert_eq!(m.extend(&manifest(1..=2)), Ok(false));
        assert_eq!(m.extend(&manifest(2..=9)), Ok(true));
        assert_eq!(m, manifest(1..=9));
        let mut other = manifest(1..=3);
        other.options.set = vec![("b".into(), "3".into())];
        other.options.horizon = None;
        other.program.sources[0].text = "let a = 1;\nlet c = 2;\n".into();
        let said: Vec<String> =
            m.extend(&other).unwrap_err().iter().map(Difference::to_string).collect();
        assert_eq!(
            said,
            [
                "--set a was `2`, now not given",
                "--set b was not given, now `3`",
                "--horizon was `1000`, now not given",
                "line 2 of `small.sq` was `let b = 2;`, now `let c = 2;`",
            ]
        );
    }
}
