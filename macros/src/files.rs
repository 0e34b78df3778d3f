//! The files that a program names, read below the root of the crate that the macro stands in.
//!
//! Out besides their texts: which files have been read, as ones that the crate has to be compiled again after.

use serq_compiler::resolve::{LoadError, Loader, Pieces};
use std::{
    cell::RefCell,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// The largest file that is read, in bytes: spans count in 32 bits.
const LIMIT: u64 = 64 << 20;

/// Files below a crate's root, and the text of a program that is in none.
#[derive(Debug)]
pub struct Files {
    root: PathBuf,
    /// The program's path and text, where it stands in the macro.
    inline: Option<(String, String)>,
    read: RefCell<Vec<String>>,
}

impl Files {
    /// Files of a program that is a file itself.
    pub fn below(root: &Path) -> Self {
        Files { root: root.to_owned(), inline: None, read: RefCell::default() }
    }

    /// Files of a program of that text; `path` is what stands for its own.
    pub fn of_inline(root: &Path, path: &str, text: &str) -> Self {
        Files { inline: Some((path.to_owned(), text.to_owned())), ..Self::below(root) }
    }

    /// Whether that path is the macro's own text.
    pub fn is_inline(&self, path: &str) -> bool {
        self.inline.as_ref().is_some_and(|(own, _)| own == path)
    }

    /// The whole paths of the files that were read, in that order.
    pub fn read(&self) -> Vec<String> {
        self.read.borrow().clone()
    }

    fn find(&self, path: &str) -> Result<PathBuf, LoadError> {
        let path = self.root.join(path);
        match fs::metadata(&path) {
            Ok(found) if found.is_file() => Ok(path),
            // A folder; a device that would be read without end; a pipe that would be waited for.
            Ok(_) => Err(LoadError::NotAFile),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(LoadError::NotFound),
            Err(error) => Err(LoadError::Other(error.to_string())),
        }
    }
}

fn other(error: &std::io::Error) -> LoadError {
    LoadError::Other(error.to_string())
}

impl Loader for Files {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        if let Some((own, text)) = &self.inline
            && own == path
        {
            return Ok(text.clone());
        }
        let file = self.find(path)?;
        let mut bytes = Vec::new();
        let opened = File::open(&file).map_err(|error| other(&error))?;
        opened.take(LIMIT + 1).read_to_end(&mut bytes).map_err(|error| other(&error))?;
        if bytes.len() as u64 > LIMIT {
            return Err(LoadError::Other(format!("it is larger than {} MiB", LIMIT >> 20)));
        }
        let text = String::from_utf8(bytes)
            .map_err(|error| LoadError::NotUtf8(error.utf8_error().valid_up_to()))?;
        self.read.borrow_mut().extend(file.to_str().map(str::to_owned));
        Ok(text)
    }

    fn open(&self, path: &str) -> Result<Pieces, LoadError> {
        let mut file = File::open(self.find(path)?).map_err(|error| other(&error))?;
        Ok(Box::new(move || {
            let mut piece = vec![0; 1 << 16];
            let n = file.read(&mut piece).map_err(|error| other(&error))?;
            piece.truncate(n);
            Ok(piece)
        }))
    }

    fn lasting(&self, path: &str) -> Option<String> {
        self.root.join(path).to_str().map(str::to_owned)
    }

    fn join(&self, base: &str, relative: &str) -> String {
        let folder = match self.is_inline(base) {
            true => None,
            false => Path::new(base).parent(),
        };
        let said = self.root.join(folder.unwrap_or(Path::new(""))).join(relative);
        // One file has one path; one that is not there has one too many, which does no harm.
        let path = fs::canonicalize(&said).ok();
        let path = path.as_deref().and_then(Path::to_str).map(str::to_owned);
        path.unwrap_or_else(|| said.to_string_lossy().into_owned())
    }
}
