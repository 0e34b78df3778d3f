//! Citations of another project's source: a file, a function, a range of lines, and a hash of those lines.
//!
//! In comes a list as TOML and the folder of the unpacked release; out goes what became of each citation. The lines
//! themselves are kept nowhere: when a hash no longer fits, they are looked for elsewhere in the file by the same hash.

use sha2::{Digest, Sha256};
use std::{fs, path::Path};
use toml::{Table, Value};

/// A rule and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// A short name.
    pub id: String,
    /// The file, relative to the release's folder.
    pub file: String,
    /// `Class.method`, or a function.
    pub function: String,
    /// First and last line, from 1.
    pub lines: (usize, usize),
    /// SHA-256 of the lines in hexadecimal, each without white space at its end and with a line feed.
    pub sha256: String,
}

/// What became of a citation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The lines are where they were.
    Stands,
    /// They are elsewhere in the file, from this line on.
    Moved(usize),
    /// They are where they were, but not in that function.
    OtherFunction,
    /// Other lines are there now; their hash.
    Changed(String),
    /// The file cannot be read.
    NoFile(String),
}

/// A list of citations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// The release cited.
    pub version: String,
    /// In the order of the file.
    pub citations: Vec<Citation>,
}

/// Reads a list.
///
/// # Errors
/// It is no TOML, or a citation lacks something.
pub fn read(text: &str) -> Result<List, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let version = string(&table, "vllm").ok_or("there is no `vllm = \"VERSION\"`")?;
    let entries = table.get("citation").and_then(Value::as_array);
    let entries = entries.ok_or("there is no `[[citation]]`")?;
    let citations = entries.iter().enumerate().map(|(place, entry)| {
        entry.as_table().and_then(citation).ok_or_else(|| {
            format!(
                "citation {} needs `id`, `file`, `function`, `lines = [FIRST, LAST]` and `sha256`",
                place + 1
            )
        })
    });
    Ok(List { version, citations: citations.collect::<Result<_, _>>()? })
}

fn string(table: &Table, key: &str) -> Option<String> {
    table.get(key)?.as_str().map(str::to_owned)
}

fn citation(table: &Table) -> Option<Citation> {
    let lines = table.get("lines")?.as_array()?;
    let line = |at: usize| usize::try_from(lines.get(at)?.as_integer()?).ok();
    let (first, last) = (line(0)?, line(1)?);
    (lines.len() == 2 && 0 < first && first <= last).then_some(())?;
    Some(Citation {
        id: string(table, "id")?,
        file: string(table, "file")?,
        function: string(table, "function")?,
        lines: (first, last),
        sha256: string(table, "sha256")?,
    })
}

/// Looks a citation up in a release.
pub fn check(citation: &Citation, release: &Path) -> Finding {
    match fs::read_to_string(release.join(&citation.file)) {
        Ok(text) => find(citation, &text),
        Err(error) => Finding::NoFile(error.to_string()),
    }
}

/// Looks a citation up in the text of its file.
fn find(citation: &Citation, text: &str) -> Finding {
    let lines: Vec<&str> = text.lines().collect();
    let (first, last) = citation.lines;
    let count = last - first + 1;
    let cited = lines.get(first - 1..last).map(hash);
    if cited.as_ref() == Some(&citation.sha256) {
        let inside = function(&lines, &citation.function)
            .is_some_and(|(begin, end)| begin <= first && last <= end);
        return if inside { Finding::Stands } else { Finding::OtherFunction };
    }
    match lines.windows(count).position(|window| hash(window) == citation.sha256) {
        Some(place) => Finding::Moved(place + 1),
        None => Finding::Changed(cited.unwrap_or_default()),
    }
}

fn hash(lines: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for line in lines {
        hasher.update(line.trim_end());
        hasher.update("\n");
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// First and last line, from 1, of a Python function, by its indentation.
fn function(lines: &[&str], name: &str) -> Option<(usize, usize)> {
    let mut begin = 0;
    let mut end = lines.len();
    for (depth, part) in name.split('.').enumerate() {
        let indent = 4 * depth;
        let heads = [format!("class {part}"), format!("def {part}"), format!("async def {part}")];
        begin += lines[begin..end].iter().position(|line| {
            indentation(line) == Some(indent)
                && heads.iter().any(|head| {
                    let rest = line.trim_start().strip_prefix(head.as_str());
                    rest.is_some_and(|rest| rest.starts_with(['(', ':', '[']))
                })
        })?;
        // What closes a list of parameters stands as far left as the function itself.
        let after = lines[begin + 1..end].iter().position(|line| {
            indentation(line).is_some_and(|x| x <= indent) && !line.trim_start().starts_with(')')
        });
        end = after.map_or(end, |after| begin + 1 + after);
    }
    Some((begin + 1, end))
}

/// Spaces in front; `None` of a blank line.
fn indentation(line: &str) -> Option<usize> {
    let text = line.trim_start();
    (!text.is_empty()).then(|| line.len() - text.len())
}

/// The version of the release in a folder, by the wheel's own record; `None` where there is none.
pub fn version(release: &Path) -> Option<String> {
    let mut entries: Vec<_> =
        fs::read_dir(release).ok()?.flatten().map(|e| e.file_name()).collect();
    entries.sort();
    entries.iter().find_map(|name| {
        let name = name.to_string_lossy();
        Some(name.strip_prefix("vllm-")?.strip_suffix(".dist-info")?.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
class Pool:
    def take(
        self, count,
    ) -> list:
        out = []

        return out

    def give(self):
        return 1

def take():
    return 2
";

    fn cited(function: &str, lines: (usize, usize)) -> Citation {
        let all: Vec<&str> = TEXT.lines().collect();
        Citation {
            id: "x".to_owned(),
            file: "pool.py".to_owned(),
            function: function.to_owned(),
            lines,
            sha256: hash(&all[lines.0 - 1..lines.1]),
        }
    }

    #[test]
    fn a_function_ends_where_its_indentation_does() {
        let lines: Vec<&str> = TEXT.lines().collect();
        assert_eq!(function(&lines, "Pool.take"), Some((2, 8)));
        assert_eq!(function(&lines, "Pool.give"), Some((9, 11)));
        assert_eq!(function(&lines, "take"), Some((12, 13)));
        assert_eq!(function(&lines, "Pool.keep"), None);
    }

    #[test]
    fn lines_stand_move_or_change() {
        let citation = cited("Pool.take", (5, 7));
        assert_eq!(find(&citation, TEXT), Finding::Stands);
        assert_eq!(find(&citation, &TEXT.replace("out = []", "out = []  ")), Finding::Stands);
        assert_eq!(find(&citation, &format!("import os\n\n{TEXT}")), Finding::Moved(7));
        let changed = TEXT.replace("out = []", "out = [1]");
        assert!(matches!(find(&citation, &changed), Finding::Changed(hash) if hash.len() == 64));
        assert_eq!(find(&citation, "x = 1\n"), Finding::Changed(String::new()));
        assert_eq!(find(&cited("Pool.give", (5, 7)), TEXT), Finding::OtherFunction);
    }

    #[test]
    fn a_list_names_what_it_lacks() {
        let whole = "vllm = \"1\"\n[[citation]]\nid = \"a\"\nfile = \"b\"\nfunction = \"c\"\nlines = [1, 2]\nsha256 = \"d\"\n";
        assert_eq!(read(whole).map(|list| list.citations.len()), Ok(1));
        for wrong in [
            "",
            "vllm = \"1\"",
            "x = ",
            &whole.replace("[1, 2]", "[2, 1]"),
            &whole.replace("file", "fill"),
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
