//! Records in order that need not fit in memory.
//!
//! In: records of a few words, as they come. Out: the same ones sorted, word by word. A full buffer is sorted and goes to
//! a temporary file as a run; the runs are merged as they are read (D. Knuth, *The Art of Computer Programming* 3,
//! section 5.4).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// Records in the buffer.
const HELD: usize = 1 << 16;

/// Takes records of `N` words.
#[derive(Debug)]
pub struct Sorter<const N: usize> {
    held: Vec<[u64; N]>,
    most: usize,
    /// The runs, each with the records from and to, and the file that they lie in.
    runs: Vec<(u64, u64)>,
    file: Option<File>,
}

impl<const N: usize> Default for Sorter<N> {
    fn default() -> Self {
        Self::holding(HELD)
    }
}

impl<const N: usize> Sorter<N> {
    fn holding(most: usize) -> Self {
        Self { held: Vec::new(), most, runs: Vec::new(), file: None }
    }

    /// Takes a record.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub fn push(&mut self, record: [u64; N]) -> io::Result<()> {
        if self.held.len() == self.most {
            self.write_run()?;
        }
        self.held.push(record);
        Ok(())
    }

    fn write_run(&mut self) -> io::Result<()> {
        let file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile()?,
        };
        self.held.sort_unstable();
        let mut to = BufWriter::with_capacity(1 << 16, &file);
        for record in &self.held {
            for word in record {
                to.write_all(&word.to_le_bytes())?;
            }
        }
        to.flush()?;
        drop(to);
        let from = self.runs.last().map_or(0, |(_, end)| *end);
        self.runs.push((from, from + self.held.len() as u64));
        self.held.clear();
        self.file = Some(file);
        Ok(())
    }

    /// The records in order.
    ///
    /// # Errors
    /// The temporary file cannot be written or read.
    pub fn sorted(mut self) -> io::Result<Sorted<N>> {
        if self.file.is_some() {
            self.write_run()?;
        }
        self.held.sort_unstable();
        let mut runs: Vec<Run<N>> =
            self.runs.iter().map(|&(next, end)| Run { read: VecDeque::new(), next, end }).collect();
        // All runs together have as much in memory as there was before.
        let at_once = (self.most / runs.len().max(1)).max(64) as u64;
        runs.push(Run { read: self.held.into(), next: 0, end: 0 });
        let heads = BinaryHeap::with_capacity(runs.len());
        let mut sorted = Sorted { file: self.file, at_once, runs, heads };
        for number in 0..sorted.runs.len() {
            sorted.advance(number)?;
        }
        Ok(sorted)
    }
}

/// Records and the runs that they are of, the least first.
type Heads<const N: usize> = BinaryHeap<Reverse<([u64; N], usize)>>;

/// Hands out records in order.
#[derive(Debug)]
pub struct Sorted<const N: usize> {
    file: Option<File>,
    at_once: u64,
    runs: Vec<Run<N>>,
    /// The first record of every run that has one.
    heads: Heads<N>,
}

/// Part of the file: what was read of it, and the records from `next` to `end` that were not.
#[derive(Debug)]
struct Run<const N: usize> {
    read: VecDeque<[u64; N]>,
    next: u64,
    end: u64,
}

impl<const N: usize> Run<N> {
    fn pop(&mut self, file: Option<&mut File>, at_once: u64) -> io::Result<Option<[u64; N]>> {
        if let (true, Some(file)) = (self.read.is_empty() && self.next < self.end, file) {
            let count = at_once.min(self.end - self.next);
            let size = 8 * N as u64;
            let mut bytes = vec![0; (count * size) as usize];
            file.seek(SeekFrom::Start(self.next * size))?;
            file.read_exact(&mut bytes)?;
            self.next += count;
            let mut words = bytes.chunks_exact(8).map(|word| {
                word.iter().rev().fold(0, |value, byte| (value << 8) | u64::from(*byte))
            });
            self.read.extend((0..count).map(|_| [(); N].map(|()| words.next().unwrap_or(0))));
        }
        Ok(self.read.pop_front())
    }
}

impl<const N: usize> Sorted<N> {
    /// The next record.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn next(&mut self) -> io::Result<Option<[u64; N]>> {
        let Some(Reverse((record, number))) = self.heads.pop() else { return Ok(None) };
        self.advance(number)?;
        Ok(Some(record))
    }

    fn advance(&mut self, number: usize) -> io::Result<()> {
        let head = self.runs[number].pop(self.file.as_mut(), self.at_once)?;
        self.heads.extend(head.map(|head| Reverse((head, number))));
        Ok(())
    }
}

/// A number as a word that sorts as it does.
pub fn word(x: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    let bits = x.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The number that [`word`] was given.
pub fn real(word: u64) -> f64 {
    const SIGN: u64 = 1 << 63;
    f64::from_bits(if word & SIGN == 0 { !word } else { word & !SIGN })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn sorted(records: &[[u64; 2]], most: usize) -> Vec<[u64; 2]> {
        let mut sorter = Sorter::holding(most);
        let mut all = Vec::new();
        let done = records
            .iter()
            .try_for_each(|record| sorter.push(*record))
            .and_then(|()| sorter.sorted())
            .and_then(|mut sorted| {
                while let Some(record) = sorted.next()? {
                    all.push(record);
                }
                Ok(())
            });
        done.unwrap_or_else(|why| panic!("{why}"));
        all
    }

    #[test]
    fn nothing_is_lost_whatever_fits_in_memory() {
        let records: Vec<[u64; 2]> = (0..2000).map(|i| [i * 7919 % 503, u64::MAX - i]).collect();
        for count in [0, 1, 99, 100, 101, 200, 201, 2000] {
            let mut want = records[..count].to_vec();
            want.sort_unstable();
            assert_eq!(sorted(&records[..count], 100), want, "{count} records");
        }
    }

    #[test]
    fn words_sort_as_numbers() {
        let numbers = [f64::NEG_INFINITY, -2.5, -0.0, 0.0, 1e-300, 1.0, 1e9, f64::INFINITY];
        assert!(numbers.map(word).is_sorted());
        assert!(numbers.iter().all(|x| real(word(*x)).to_bits() == x.to_bits()));
    }
}
