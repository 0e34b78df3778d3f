//! What random programs have of the language: for each construct of the grammar, and for each name at each of the moments
//! at which it can be read, in how many of the accepted programs it occurs.
//!
//! In: texts of programs. Out: counts over a fixed list ([`all`]), so that what never occurs shows as 0. What a program
//! of several files has in its libraries counts as its own. The list is that of the grammar and of the table of moments;
//! what no program without draws that vary can have is not in it.

mod constructs;
mod readings;
mod walk;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{Display, Formatter, Result},
};

/// In how many programs each construct occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    counts: BTreeMap<String, u64>,
    programs: u64,
}

/// Everything that is counted, each as its group and its name, `hold: reserve`.
fn all() -> Vec<String> {
    let constructs = constructs::ALL
        .iter()
        .flat_map(|(group, names)| names.iter().map(move |name| format!("{group}: {name}")));
    let readings = readings::ALL.iter().flat_map(|(place, lists)| {
        lists.iter().copied().flatten().map(move |name| format!("read in {place}: {name}"))
    });
    constructs.chain(readings).collect()
}

impl Default for Coverage {
    fn default() -> Self {
        let counts = all().into_iter().map(|name| (name, 0)).collect();
        Coverage { counts, programs: 0 }
    }
}

impl Coverage {
    /// Counts a program, whose files these are.
    pub fn add(&mut self, texts: &[&str]) {
        self.programs += 1;
        let mut found = BTreeSet::new();
        walk::texts(texts, &mut found);
        for name in found {
            // Not everything that the walk names is in the list: an attribute's own name is not.
            if let Some(count) = self.counts.get_mut(&name) {
                *count += 1;
            }
        }
    }

    /// What no program has.
    pub fn missing(&self) -> Vec<&str> {
        self.counts.iter().filter(|(_, count)| **count == 0).map(|(name, _)| &**name).collect()
    }
}

impl Display for Coverage {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "of {} accepted programs have", self.programs)?;
        let mut group = "";
        for (name, count) in &self.counts {
            let (head, rest) = name.split_once(": ").unwrap_or(("", name));
            if head != group {
                group = head;
                writeln!(f, "  {group}")?;
            }
            writeln!(f, "    {count:6} {rest}")?;
        }
        let missing = self.missing();
        match missing.is_empty() {
            true => writeln!(f, "  nothing of this list is missing"),
            false => writeln!(f, "  missing: {}", missing.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::program;
    use super::*;

    /// Programs after which everything should have occurred: rare things occur in one of a hundred.
    const ENOUGH: u64 = 800;
    /// Programs that are compiled as well.
    const COMPILED: u64 = 24;

    #[test]
    fn random_programs_have_the_whole_language() {
        let mut coverage = Coverage::default();
        for seed in 0..ENOUGH {
            coverage.add(&program(seed).sources());
        }
        assert_eq!(coverage.missing(), Vec::<&str>::new(), "{coverage}");
    }

    #[test]
    fn random_programs_compile() {
        for seed in 0..COMPILED {
            let program = program(seed);
            assert_eq!(program.module().err(), None, "{seed}\n{program}");
        }
    }

    #[test]
    fn what_a_program_has_is_counted_once() {
        let mut coverage = Coverage::default();
        coverage.add(&["pool p { cap 1; } pool q { cap used(p); evict by (size, size); }"]);
        assert_eq!(coverage.counts["pool: cap"], 1);
        assert_eq!(coverage.counts["read in evict by: size"], 1);
        assert!(coverage.missing().contains(&"read in evict by: age"));
    }
}
