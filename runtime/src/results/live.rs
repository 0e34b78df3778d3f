//! The numbers of runs as they come: a CSV file beside the journal, a row as soon as a run is made.
//!
//! It is for whoever looks at a sweep that is at work. The journal is what a later sweep goes on from;
//! this file is made anew from it then.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{
    manifest::Manifest,
    record::Record,
    summary::Columns,
    table::{csv_row, header},
};

/// A table in the order in which runs come, with the columns of the first.
#[derive(Debug)]
pub(super) struct Live {
    path: PathBuf,
    file: File,
    columns: Columns,
}

impl Live {
    /// The file of a journal.
    pub fn path(journal: &Path) -> PathBuf {
        journal.with_extension("csv")
    }

    /// Begins it with what the journal has.
    pub fn begin(journal: &Path, manifest: &Manifest) -> io::Result<Self> {
        let path = Self::path(journal);
        let mut live = Self { file: File::create(&path)?, path, columns: Columns::default() };
        let mut rows = Vec::new();
        for line in fs::read(journal)?.split(|&byte| byte == b'\n') {
            if let Some(record) = Some(line).filter(|line| Record::whole(line))
                && let Some(record) = Record::parse(record, &manifest.swept)
            {
                live.row(&mut rows, manifest, &record)?;
            }
        }
        live.file.write_all(&rows)?;
        Ok(live)
    }

    /// A run has come: its row, at once.
    pub fn add(&mut self, manifest: &Manifest, record: &Record) -> io::Result<()> {
        let mut row = Vec::new();
        self.row(&mut row, manifest, record)?;
        self.file.write_all(&row)
    }

    fn row(&mut self, out: &mut Vec<u8>, manifest: &Manifest, record: &Record) -> io::Result<()> {
        if self.columns.names.is_empty() {
            self.columns.take(record);
            header(out, manifest, &self.columns)?;
        }
        csv_row(out, record, &self.columns)
    }

    /// Where it is.
    pub fn shown(&self) -> &Path {
        &self.path
    }
}
