//! The files of a service's folder.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use super::ignore::{self, Ignore};
use super::value::read_file;
use crate::Failure;

/// The bounds of a service.
#[derive(Debug)]
pub(super) struct Bounds {
    /// Maximum number of files.
    pub(super) files: usize,
    /// Maximum size in bytes of all files together.
    pub(super) bytes: u64,
    /// Maximum number of files and folders that are looked at.
    pub(super) entries: usize,
}

/// The bounds of the server.
pub(super) const BOUNDS: Bounds = Bounds { files: 10_000, bytes: 256 << 20, entries: 200_000 };

/// The file that describes a service.
pub(super) const MANIFEST: &str = "manifest.json";

/// A file of a service.
#[derive(Debug)]
pub(super) struct ServiceFile {
    /// The path from the folder, with slashes.
    pub(super) name: String,
    pub(super) path: PathBuf,
}

/// Returns the files of a folder that `.foxxignore` leaves in, by name.
///
/// Repositories of Git and the folders `node_modules/.bin`, which have links to programs, are left
/// out in any case. Errors: a symbolic link, a special file, a name that is not UTF-8, too many
/// files or bytes.
pub(super) fn files(folder: &Path, bounds: &Bounds) -> Result<Vec<ServiceFile>, Failure> {
    let ignore = read_patterns(folder)?;
    let mut found = Found { bounds, files: Vec::new(), bytes: 0, entries: 0 };
    let mut folders = vec![(folder.to_owned(), String::new())];
    while let Some((path, prefix)) = folders.pop() {
        let unreadable =
            |error| Failure::new(format!("the folder {} cannot be read: {error}", path.display()));
        for entry in fs::read_dir(&path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = name_of(&entry, &prefix)?;
            found.count()?;
            let kind = entry.file_type().map_err(unreadable)?;
            let is_left_out = ignore.leaves_out(&name, kind.is_dir());
            if kind.is_dir() {
                let has_end = |end: &str| {
                    name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
                };
                let is_foreign = has_end(".git") || has_end("node_modules/.bin");
                if !(is_foreign || is_left_out && ignore.is_final()) {
                    folders.push((entry.path(), format!("{name}/")));
                }
            } else if !is_left_out {
                found.add(&entry, name)?;
            }
        }
    }
    found.files.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(found.files)
}

/// The files that were found.
struct Found<'b> {
    bounds: &'b Bounds,
    files: Vec<ServiceFile>,
    bytes: u64,
    entries: usize,
}

impl Found<'_> {
    fn count(&mut self) -> Result<(), Failure> {
        self.entries += 1;
        let max = self.bounds.entries;
        match self.entries > max {
            true => Err(Failure::new(format!("the folder has more than {max} files and folders"))),
            false => Ok(()),
        }
    }

    fn add(&mut self, entry: &DirEntry, name: String) -> Result<(), Failure> {
        let path = entry.path();
        let shown = path.display();
        let metadata = entry.metadata();
        let metadata = metadata.map_err(|error| Failure::new(format!("{shown} cannot be read: {error}")))?;
        if !metadata.is_file() {
            let kind = if metadata.is_symlink() { "a symbolic link" } else { "neither a file nor a folder" };
            return Err(Failure::new(format!(
                "{shown} is {kind}, which a bundle cannot have; name it in {} or replace it by a file",
                ignore::FILE
            )));
        }
        self.bytes += metadata.len();
        let Bounds { files, bytes, .. } = self.bounds;
        if self.bytes > *bytes {
            return Err(Failure::new(format!("the files of the service have more than {bytes} bytes")));
        }
        if self.files.len() >= *files {
            return Err(Failure::new(format!("the service has more than {files} files")));
        }
        self.files.push(ServiceFile { name, path });
        Ok(())
    }
}

fn name_of(entry: &DirEntry, prefix: &str) -> Result<String, Failure> {
    match entry.file_name().to_str() {
        Some(name) => Ok(format!("{prefix}{name}")),
        None => Err(Failure::new(format!("the name of {} is not UTF-8", entry.path().display()))),
    }
}

fn read_patterns(folder: &Path) -> Result<Ignore, Failure> {
    let path = folder.join(ignore::FILE);
    if !path.is_file() {
        return Ignore::defaults();
    }
    let text = String::from_utf8(read_file(&path, ignore::BYTES_MAX)?)
        .map_err(|_| Failure::new(format!("{} is not UTF-8", path.display())))?;
    Ignore::parse(&text).map_err(|failure| failure.during(&folder.display().to_string()))
}
