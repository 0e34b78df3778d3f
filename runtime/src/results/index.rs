//! Where the records of a folder are, and which of its lines are not whole.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use super::{grid::Key, record::Record, trouble::Trouble};

/// A line that is no whole record of this sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// It has no end: the process that wrote it was stopped.
    pub cut: bool,
}

/// What is done with each line; `false` stops.
pub type Each<'a> = dyn FnMut(&Key, &[u8]) -> Result<bool, Trouble> + 'a;

/// Where a record is.
#[derive(Clone, Copy, Debug)]
struct Place {
    file: usize,
    offset: u64,
    length: usize,
    /// The checksum of the line, its own field included.
    crc: u32,
    stationary: bool,
}

/// All whole records of some files.
#[derive(Debug, Default)]
pub struct Index {
    files: Vec<PathBuf>,
    places: BTreeMap<Key, Place>,
    /// Lines that are no records.
    pub damage: Vec<Damage>,
}

impl Index {
    /// Adds the records of a file of a sweep over these settings; a file that is not there has none.
    ///
    /// # Errors
    /// It cannot be read, or says something else of a run that is known already.
    pub fn add(&mut self, path: &Path, names: &[String]) -> Result<(), Trouble> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Trouble::unreadable(path, error)),
        };
        let number = self.files.len();
        self.files.push(path.to_owned());
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let (mut line, mut offset, mut count) = (Vec::new(), 0u64, 0u64);
        loop {
            line.clear();
            let read =
                reader.read_until(b'\n', &mut line).map_err(|e| Trouble::unreadable(path, e))?;
            if read == 0 {
                return Ok(());
            }
            count += 1;
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let ended = text.len() < line.len();
            let known = (ended && Record::whole(text)).then(|| Record::key_of(text, names));
            match known.flatten() {
                Some((key, stationary)) => {
                    let crc = crc32fast::hash(text);
                    let length = text.len();
                    let place = Place { file: number, offset, length, crc, stationary };
                    self.insert(key, place)?;
                }
                None if text.is_empty() => {}
                None => {
                    self.damage.push(Damage { file: path.to_owned(), line: count, cut: !ended })
                }
            }
            offset += read as u64;
        }
    }

    fn insert(&mut self, key: Key, place: Place) -> Result<(), Trouble> {
        match self.places.get(&key) {
            Some(known) if known.crc != place.crc => Err(Trouble::contradiction(
                &self.files[known.file],
                &self.files[place.file],
                key.seed,
            )),
            Some(_) => Ok(()),
            None => {
                self.places.insert(key, place);
                Ok(())
            }
        }
    }

    /// The runs, in order.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.places.keys()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether a run is there.
    pub fn has(&self, key: &Key) -> bool {
        self.places.contains_key(key)
    }

    /// Whether a run that is there was stationary.
    pub fn stationary(&self, key: &Key) -> Option<bool> {
        self.places.get(key).map(|p| p.stationary)
    }

    /// Calls `each` with every line, without its end, in the order of the runs; `false` stops.
    ///
    /// # Errors
    /// A file cannot be read, or `each` fails.
    pub fn lines(&self, each: &mut Each) -> Result<bool, Trouble> {
        let open = |path: &PathBuf| File::open(path).map_err(|e| Trouble::unreadable(path, e));
        let mut files: Vec<Option<(BufReader<File>, u64)>> =
            self.files.iter().map(|_| None).collect();
        let mut line = Vec::new();
        for (key, place) in &self.places {
            let path = &self.files[place.file];
            let slot = &mut files[place.file];
            if slot.is_none() {
                *slot = Some((BufReader::with_capacity(1 << 16, open(path)?), 0));
            }
            let Some((file, at)) = slot else { continue };
            line.resize(place.length, 0);
            let read = if *at == place.offset { Ok(()) } else { seek(file, *at, place.offset) };
            read.and_then(|()| file.read_exact(&mut line))
                .map_err(|e| Trouble::unreadable(path, e))?;
            *at = place.offset + place.length as u64;
            if !each(key, &line)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Moves on from one place to another, keeping what is buffered where that helps.
fn seek(file: &mut BufReader<File>, from: u64, to: u64) -> io::Result<()> {
    match i64::try_from(i128::from(to) - i128::from(from)) {
        Ok(by) => file.seek_relative(by),
        Err(_) => file.seek(SeekFrom::Start(to)).map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::report;
    use std::fs;

    fn line(seed: u64) -> Vec<u8> {
        let report = report(seed, false);
        Record::of(&[1.5], &report).line(&["x".to_owned()], &report, &[]).unwrap()
    }

    #[test]
    fn damaged_lines_are_told_and_the_rest_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let mut text = line(3);
        text.extend(&line(1)[40..]);
        text.extend(b"\n");
        text.extend(line(2));
        text.extend(&line(4)[..100]);
        fs::write(&path, &text).unwrap();
        let names = ["x".to_owned()];
        let mut index = Index::default();
        index.add(&path, &names).unwrap();
        index.add(&folder.path().join("absent"), &names).unwrap();
        let seeds: Vec<u64> = index.keys().map(|k| k.seed).collect();
        assert_eq!(seeds, [2, 3]);
        let damage: Vec<(u64, bool)> = index.damage.iter().map(|d| (d.line, d.cut)).collect();
        assert_eq!(damage, [(2, false), (5, true)]);
        let mut lines = Vec::new();
        let mut each = |_: &Key, text: &[u8]| {
            lines.push(text.to_vec());
            Ok(true)
        };
        index.lines(&mut each).unwrap();
        assert_eq!(lines, [2, 3].map(|s| line(s).strip_suffix(b"\n").unwrap().to_vec()));
    }

    #[test]
    fn a_run_that_is_told_twice_is_one_and_two_answers_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&a, [line(1), line(1)].concat()).unwrap();
        let names = ["x".to_owned()];
        let mut index = Index::default();
        index.add(&a, &names).unwrap();
        assert_eq!(index.len(), 1);
        let mut other = report(1, false);
        other.run.events += 1;
        let line = Record::of(&[1.5], &other).line(&names, &other, &[]).unwrap();
        fs::write(&b, line).unwrap();
        assert_eq!(index.add(&b, &names).unwrap_err().code, "S944");
    }
}
