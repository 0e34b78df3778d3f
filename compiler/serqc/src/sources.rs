//! Reading source files from disk, and saying exactly what is wrong with those that cannot be.
//!
//! In: a path as the user or a `use` wrote it. Out: UTF-8 text without a byte order mark, or why
//! there is none. The program itself may come through a pipe, what it uses may not. What is larger
//! than [`LIMIT`] is refused before it is in memory, since spans count bytes in 32 bits and no
//! program is that long.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use serq_compiler::resolve::{LoadError, Loader, Pieces};

use crate::failure::Outside;

/// The largest file that is read, in bytes.
const LIMIT: u64 = 64 << 20;

/// Why a source file cannot be read.
#[derive(Debug)]
pub enum Unreadable {
    /// There is none.
    Missing,
    /// It is a folder.
    Folder,
    /// It is not UTF-8; `line` counts from 1, `offset` in bytes from 0.
    NotUtf8 {
        /// The line of the first wrong byte.
        line: usize,
        /// Its place in the file.
        offset: usize,
    },
    /// It is larger than [`LIMIT`].
    TooLarge,
    /// The system does not let it be read.
    Refused(io::Error),
}

/// Opens a file that is no folder.
pub(crate) fn open(path: &Path) -> Result<File, Unreadable> {
    if path.is_dir() {
        return Err(Unreadable::Folder);
    }
    File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Unreadable::Missing,
        _ => Unreadable::Refused(error),
    })
}

/// Reads a source file.
///
/// # Errors
/// If it is not there, a folder, unreadable, too large, or not UTF-8.
pub fn read(path: &Path) -> Result<String, Unreadable> {
    let mut bytes = Vec::new();
    open(path)?.take(LIMIT + 1).read_to_end(&mut bytes).map_err(Unreadable::Refused)?;
    if bytes.len() as u64 > LIMIT {
        return Err(Unreadable::TooLarge);
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count();
        Unreadable::NotUtf8 { line, offset }
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Opens a recording or measurements, which are read piece by piece.
///
/// # Errors
/// It is not there, a folder, or unreadable.
pub fn open_recording(path: &str) -> Result<File, Outside> {
    open(Path::new(path)).map_err(|why| outside(path, why))
}

fn outside(path: &str, why: Unreadable) -> Outside {
    match why {
        Unreadable::Missing => Outside::missing(path),
        Unreadable::Folder => Outside::folder(path),
        Unreadable::NotUtf8 { line, offset } => Outside::not_utf8(path, line, offset),
        Unreadable::TooLarge => Outside::too_large(path, LIMIT),
        Unreadable::Refused(error) => Outside::unreadable(path, error),
    }
}

/// Reads the file that a command was given, which must say something.
///
/// # Errors
/// As [`read`], and if there is nothing but white space.
pub fn read_program(path: &str) -> Result<String, Outside> {
    let text = read(Path::new(path)).map_err(|why| outside(path, why))?;
    if text.trim().is_empty() { Err(Outside::empty(path)) } else { Ok(text) }
}

/// Reads what a program uses; the program's own text is there already.
#[derive(Debug)]
pub struct Disk {
    program: String,
    text: String,
    canonical: Option<PathBuf>,
}

impl Disk {
    /// Reads the program at `path`.
    ///
    /// # Errors
    /// As [`read_program`].
    pub fn open(path: &str) -> Result<Self, Outside> {
        let text = read_program(path)?;
        Ok(Disk { program: path.to_owned(), text, canonical: fs::canonicalize(path).ok() })
    }
}

/// A pipe would be waited for, a device read without end.
pub(crate) fn regular(path: &Path) -> Result<(), LoadError> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(LoadError::NotAFile),
        _ => Ok(()),
    }
}

/// An open file piece by piece.
pub(crate) fn pieces(mut file: File) -> Pieces {
    Box::new(move || {
        let mut piece = vec![0; 1 << 16];
        let n = file.read(&mut piece).map_err(|why| LoadError::Other(why.to_string()))?;
        piece.truncate(n);
        Ok(piece)
    })
}

impl From<Unreadable> for LoadError {
    fn from(why: Unreadable) -> Self {
        match why {
            Unreadable::Missing => Self::NotFound,
            Unreadable::Folder => Self::NotAFile,
            Unreadable::NotUtf8 { offset, .. } => Self::NotUtf8(offset),
            Unreadable::TooLarge => Self::Other(format!("it is larger than {} MiB", LIMIT >> 20)),
            Unreadable::Refused(error) => Self::Other(error.to_string()),
        }
    }
}

impl Loader for Disk {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        if path == self.program {
            return Ok(self.text.clone());
        }
        let path = Path::new(path);
        regular(path)?;
        read(path).map_err(LoadError::from)
    }

    fn open(&self, path: &str) -> Result<Pieces, LoadError> {
        let path = Path::new(path);
        regular(path)?;
        Ok(pieces(open(path)?))
    }

    fn lasting(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }

    fn join(&self, base: &str, relative: &str) -> String {
        let said = Path::new(base).parent().unwrap_or(Path::new("")).join(relative);
        // A file that is not there has one path too many, which does no harm.
        let Ok(path) = fs::canonicalize(&said) else { return said.to_string_lossy().into_owned() };
        if Some(&path) == self.canonical.as_ref() {
            return self.program.clone();
        }
        // A path that is not UTF-8 cannot be written down; the way that it was said can.
        path.to_str().map_or_else(|| said.to_string_lossy().into_owned(), str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(bytes: &[u8]) -> Result<String, &'static str> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sq");
        fs::write(&path, bytes).unwrap();
        read_program(path.to_str().unwrap()).map_err(|outside| outside.code)
    }

    #[test]
    fn a_byte_order_mark_is_dropped() {
        assert_eq!(code_of(b"\xef\xbb\xbflet a = 1;"), Ok("let a = 1;".to_owned()));
    }

    #[test]
    fn white_space_alone_is_an_empty_program() {
        assert_eq!(code_of(b"\xef\xbb\xbf \n"), Err("S904"));
        assert_eq!(code_of(b""), Err("S904"));
    }

    #[test]
    fn broken_utf8_is_placed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sq");
        fs::write(&path, b"let a = 1;\nlet \xff = 2;\n").unwrap();
        let error = read_program(path.to_str().unwrap()).unwrap_err();
        assert_eq!(error.code, "S903");
        assert!(error.message.contains("line 2 is broken at byte 15"), "{}", error.message);
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_file_is_refused() {
        assert!(matches!(read(Path::new("/dev/zero")), Err(Unreadable::TooLarge)));
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_no_library_and_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("a.sq");
        fs::write(&program, "let a = 1;").unwrap();
        let disk = Disk::open(program.to_str().unwrap()).unwrap();
        for path in ["/dev/zero", "/dev/null"] {
            assert_eq!(disk.load(path), Err(LoadError::NotAFile), "{path}");
            assert_eq!(disk.open(path).map(drop), Err(LoadError::NotAFile), "{path}");
        }
    }

    #[test]
    fn one_file_has_one_path() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.sq", "b.sq"] {
            fs::write(folder.path().join(name), "let a = 1;").unwrap();
        }
        let program = folder.path().join("a.sq").to_str().unwrap().to_owned();
        let disk = Disk::open(&program).unwrap();
        let b = disk.join(&program, "b.sq");
        assert_eq!(disk.join(&program, "./b.sq"), b);
        assert_eq!(disk.join(&b, "a.sq"), program);
    }
}
