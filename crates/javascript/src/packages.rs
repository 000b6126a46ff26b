//! The packages of the npm registry that ArangoDB brings (`npm/`), each packed by itself.
//!
//! A package is unpacked when a script first requires it. The packed form is gzip of its files, one
//! after the other: a line of path and bytes, the content, and a line break.

use std::cell::RefCell;
use std::io::Read;

use flate2::read::GzDecoder;

/// The packages: name and packed form.
static PACKED: &[(&str, &[u8])] = include!("../npm/packed/table.in");

/// The packages. Those that a script has used stay unpacked until its end: they require each other.
#[derive(Default)]
pub(crate) struct Packages {
    unpacked: RefCell<Vec<(&'static str, Vec<u8>)>>,
}

impl Packages {
    /// Returns a file by its path, which begins with the name of its package.
    pub(crate) fn file(&self, path: &str) -> Option<String> {
        self.with(path, |content| String::from_utf8_lossy(content).into_owned())
    }

    /// Returns true if there is a file at a path.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.with(path, |_| ()).is_some()
    }

    /// Releases the unpacked packages.
    pub(crate) fn release(&self) {
        self.unpacked.take();
    }

    fn with<T>(&self, path: &str, use_file: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let (name, packed, rest) = split(path)?;
        let mut unpacked = self.unpacked.borrow_mut();
        if !unpacked.iter().any(|(known, _)| *known == name) {
            let mut files = Vec::new();
            GzDecoder::new(packed).read_to_end(&mut files).ok()?;
            unpacked.push((name, files));
        }
        let (_, files) = unpacked.iter().find(|(known, _)| *known == name)?;
        find(files, rest).map(use_file)
    }
}

/// Returns the names of the packages.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    PACKED.iter().map(|(name, _)| *name)
}

/// Splits a path into the name of its package, that package's packed form, and the path within.
fn split(path: &str) -> Option<(&'static str, &'static [u8], &str)> {
    let (name, packed) =
        PACKED.iter().find(|(name, _)| path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')))?;
    Some((name, packed, path.get(name.len() + 1..)?))
}

/// Returns the content of a file in an unpacked package.
fn find<'a>(mut files: &'a [u8], path: &str) -> Option<&'a [u8]> {
    loop {
        let end = files.iter().position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(files.get(..end)?).ok()?;
        let (name, bytes) = line.rsplit_once(' ')?;
        let bytes: usize = bytes.parse().ok()?;
        if name == path {
            return files.get(end + 1..end + 1 + bytes);
        }
        files = files.get(end + bytes + 2..)?;
    }
}
