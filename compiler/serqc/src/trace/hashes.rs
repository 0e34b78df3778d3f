//! What the blocks of prompts hash to, as the column `prefix` of a trace.
//!
//! In: a list of ids for each request, in the order of the recording. They go to a temporary file, and where each list
//! ends to another one. Out: the list of a request by its place, and the field that says it:
//! `id:tokens id id … id:tokens`, as many tokens as the id before where none are said.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};

use sha2::{Digest, Sha256};

use super::conversations::Turn;

/// Ids of a request at most: so many fit into a row of a trace.
pub const MOST: usize = 40_000;
/// Larger ids are no exact number of a trace.
const EXACT: u64 = 1 << 53;
/// Bytes of a word.
const WORD: u64 = 8;

/// Takes the lists.
#[derive(Debug, Default)]
pub struct Lists {
    /// Requests so far, and words of their lists.
    count: u64,
    words: u64,
    files: Option<Files<BufWriter<File>>>,
}

/// All lists one behind the other, and by request how many words there are up to the end of its list.
#[derive(Debug)]
struct Files<T> {
    words: T,
    ends: T,
}

impl Lists {
    /// Takes the list of the next request.
    ///
    /// # Errors
    /// A temporary file cannot be written.
    pub fn push(&mut self, list: &[u64]) -> io::Result<()> {
        self.count += 1;
        let files = match &mut self.files {
            Some(files) => files,
            None if list.is_empty() => return Ok(()),
            None => {
                let file = || tempfile::tempfile().map(BufWriter::new);
                let mut files = Files { words: file()?, ends: file()? };
                // The requests before have none.
                for _ in 1..self.count {
                    files.ends.write_all(&0_u64.to_le_bytes())?;
                }
                self.files.insert(files)
            }
        };
        for word in list {
            files.words.write_all(&word.to_le_bytes())?;
        }
        self.words += list.len() as u64;
        files.ends.write_all(&self.words.to_le_bytes())
    }

    /// The lists to be looked up; `None` if all are empty.
    ///
    /// # Errors
    /// A temporary file cannot be written or read.
    pub fn finish(self) -> io::Result<Option<Hashes>> {
        let Some(files) = self.files else { return Ok(None) };
        let [words, ends] = [files.words, files.ends]
            .map(|file| file.into_inner().map_err(io::IntoInnerError::into_error));
        Ok(Some(Hashes { words: Words::new(words?)?, ends: Words::new(ends?)? }))
    }
}

/// Looks lists up.
#[derive(Debug)]
pub struct Hashes {
    words: Words,
    ends: Words,
}

impl Hashes {
    /// The list of the request at `place`, from 0, in `list`.
    ///
    /// # Errors
    /// A temporary file cannot be read.
    fn list(&mut self, place: u64, list: &mut Vec<u64>) -> io::Result<()> {
        let mut ends = [0; 2];
        let before = place.checked_sub(1);
        self.ends.read(before.unwrap_or(0), &mut ends[usize::from(before.is_none())..])?;
        list.clear();
        list.resize(ends[1].saturating_sub(ends[0]) as usize, 0);
        self.words.read(ends[0], list)
    }
}

/// A file of words that is read here and there, mostly on.
#[derive(Debug)]
struct Words {
    file: BufReader<File>,
    /// The next word.
    at: u64,
}

impl Words {
    fn new(file: File) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(1 << 14, file);
        io::Seek::rewind(&mut file)?;
        Ok(Self { file, at: 0 })
    }

    fn read(&mut self, from: u64, into: &mut [u64]) -> io::Result<()> {
        self.file.seek_relative((from.cast_signed() - self.at.cast_signed()) * WORD as i64)?;
        self.at = from;
        for word in into {
            let mut bytes = [0; WORD as usize];
            self.file.read_exact(&mut bytes)?;
            *word = u64::from_le_bytes(bytes);
            self.at += 1;
        }
        Ok(())
    }
}

/// Writes the column `prefix`.
#[derive(Debug)]
pub struct Prefixes {
    hashes: Hashes,
    /// Tokens that an id stands for.
    block: f64,
    list: Vec<u64>,
    field: String,
    /// Prompts with ids, and with ids beyond their ends.
    counts: (u64, u64),
}

impl Prefixes {
    /// Of ids that stand for `block` tokens each.
    pub fn new(hashes: Hashes, block: f64) -> Self {
        Self { hashes, block, list: Vec::new(), field: String::new(), counts: (0, 0) }
    }

    /// A comma, and what a session's first turn has in the column. The last id stands for what is left of the prompt; ids
    /// of which nothing is left are not written.
    ///
    /// # Errors
    /// A temporary file cannot be read.
    pub fn of(&mut self, first: &Turn) -> io::Result<&str> {
        self.hashes.list(first.place, &mut self.list)?;
        self.field.clear();
        self.field.push(',');
        let (mut left, mut said) = (first.new, 0.0);
        for id in &self.list {
            if left <= 0.0 {
                break;
            }
            let tokens = self.block.min(left);
            left -= tokens;
            let (between, key) = (if said > 0.0 { " " } else { "" }, Key(*id));
            // Writing to a string cannot fail.
            let _ = match tokens == said {
                true => write!(self.field, "{between}{key}"),
                false => write!(self.field, "{between}{key}:{tokens}"),
            };
            said = tokens;
        }
        let all = self.list.len() as f64;
        self.counts.0 += u64::from(!self.list.is_empty());
        self.counts.1 += u64::from((all - 1.0) * self.block >= first.new);
        Ok(&self.field)
    }

    /// Prompts with ids, and of them those with ids beyond their ends.
    pub fn counts(&self) -> (u64, u64) {
        self.counts
    }
}

/// An id as a number that a trace keeps: itself, or else a negative one of 53 bits that no two ids share, as good as
/// certainly.
struct Key(u64);

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 < EXACT {
            return write!(f, "{}", self.0);
        }
        let hash = Sha256::digest(self.0.to_le_bytes());
        let bits = hash[..8].iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        write!(f, "-{}", bits % EXACT)
    }
}
