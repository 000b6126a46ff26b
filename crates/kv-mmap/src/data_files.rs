//! The names of the files with the tables: `pairs.N` with a suffix for the kind of file.
//!
//! A store has one such file. A compaction writes the next one, and the file with the greatest
//! number counts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kv::{Error, Result};

use crate::error::map_open_io;

const PREFIX: &str = "pairs.";

/// The rest of the name of a file that is being written.
const NEW: &str = "new";

/// The suffix of LMDB's files.
pub(crate) const MAPPED_SUFFIX: &str = ".mdb";

/// The suffix of encrypted files.
pub(crate) const ENCRYPTED_SUFFIX: &str = ".redb";

/// The suffix of the list of readers that LMDB keeps for a file.
const LOCK_SUFFIX: &str = "-lock";

/// Returns the path of the file with a number.
pub(crate) fn path_of(folder: &Path, number: u64, suffix: &str) -> PathBuf {
    folder.join(format!("{PREFIX}{number}{suffix}"))
}

/// Returns the path of a file that is being written.
pub(crate) fn new_path(folder: &Path) -> PathBuf {
    folder.join(format!("{PREFIX}{NEW}"))
}

/// Returns the path of LMDB's list of readers of a file.
pub(crate) fn lock_path(path: &Path) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(LOCK_SUFFIX);
    path.into()
}

/// Returns the number of the current file, or `None` if there is none.
pub(crate) fn newest(folder: &Path) -> Result<Option<u64>> {
    Ok(all(folder)?.into_iter().filter_map(|(_, number)| number).max())
}

/// Removes all files but the one with a number: those that compactions left.
pub(crate) fn remove_others(folder: &Path, number: u64) -> Result<()> {
    for (path, found) in all(folder)? {
        if found != Some(number) {
            fs::remove_file(&path).map_err(|error| map_open_io("removing", &path, &error))?;
        }
    }
    Ok(())
}

/// Gives the file that was written as [`new_path`] its final path. Removes it on an error.
pub(crate) fn rename_new(folder: &Path, path: &Path) -> Result<()> {
    let temporary = new_path(folder);
    let renamed = fs::rename(&temporary, path).and_then(|()| fs::File::open(folder)?.sync_all());
    renamed.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        Error::io(format!("renaming {}", path.display()), &error)
    })
}

/// Returns true if a file with tables has this name.
pub(crate) fn is_data_file(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|rest| number_in(rest).is_some())
}

/// Removes LMDB's lists of readers. No store in the folder is open.
pub(crate) fn remove_lock_files(folder: &Path) -> Result<()> {
    for (path, _) in all(folder)? {
        let path = lock_path(&path);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(map_open_io("removing", &path, &error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the files and their numbers, and the leftovers of compactions without a number.
fn all(folder: &Path) -> Result<Vec<(PathBuf, Option<u64>)>> {
    let failed = |error| map_open_io("reading", folder, &error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        if !rest.ends_with(LOCK_SUFFIX) {
            files.push((entry.path(), number_in(rest)));
        }
    }
    Ok(files)
}

/// Returns the number of a file from the rest of its name, after the prefix.
fn number_in(rest: &str) -> Option<u64> {
    let number = rest.strip_suffix(MAPPED_SUFFIX).or_else(|| rest.strip_suffix(ENCRYPTED_SUFFIX))?;
    number.parse().ok()
}
