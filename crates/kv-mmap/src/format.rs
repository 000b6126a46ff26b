//! The files `FORMAT` and `LOCK`: who wrote a store's folder, on which kind of machine, and who has
//! it open.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

use file_lock::FileLock;
use kv::{Error, Result};

use crate::data_files;
use crate::error::map_open_io;

/// The version of a plain store. The kind of machine follows it, because LMDB's file depends on
/// that.
const PLAIN_VERSION: u32 = 1;

/// The version of an encrypted store, which is the newest that this crate reads. All machines read
/// its files.
const ENCRYPTED_VERSION: u32 = 2;

/// The word after the version of an encrypted store.
const ENCRYPTED: &str = "encrypted";

pub(crate) const FILE_NAME: &str = "FORMAT";
pub(crate) const TEMPORARY_FILE_NAME: &str = "FORMAT.new";
const PREFIX: &str = "persea mmfiles ";
const LOCK_NAME: &str = "LOCK";

/// An exclusive lock of a store's folder. The operating system ends it with the process.
pub struct FolderLock {
    _lock: FileLock,
}

impl FolderLock {
    /// Locks the folder. Errors: [`Error::Locked`] if another store has it open.
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(LOCK_NAME);
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| map_open_io("opening", &path, &error))?;
        match FileLock::exclusive(file) {
            Ok(Some(lock)) => Ok(FolderLock { _lock: lock }),
            Ok(None) => Err(Error::Locked { path: folder.to_owned() }),
            Err(error) => Err(map_open_io("locking", &path, &error)),
        }
    }
}

/// Returns true if the folder holds a store of this engine.
pub fn is_store(folder: &Path) -> bool {
    fs::read_to_string(folder.join(FILE_NAME)).is_ok_and(|text| text.starts_with(PREFIX))
}

/// Checks the format of the store in `folder`, or writes the format of a new one. Creates the
/// folder if it does not exist.
///
/// Errors: [`Error::CannotOpen`] if the store is encrypted and the caller has no key, or the other
/// way around.
pub(crate) fn check_or_create(folder: &Path, is_encrypted: bool) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| map_open_io("creating", folder, &error))?;
    let path = folder.join(FILE_NAME);
    match fs::read_to_string(&path) {
        Ok(text) => check(&text, &path, is_encrypted),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if data_files::newest(folder)?.is_some() {
                let reason = format!("{} is missing next to the tables", path.display());
                return Err(Error::Corrupt { reason });
            }
            write(folder, is_encrypted)
        }
        Err(error) => Err(map_open_io("reading", &path, &error)),
    }
}

/// Writes the file into `folder` atomically.
pub(crate) fn write(folder: &Path, is_encrypted: bool) -> Result<()> {
    let text = if is_encrypted { encrypted_text() } else { plain_text() };
    let temporary = folder.join(TEMPORARY_FILE_NAME);
    let written = File::create(&temporary)
        .and_then(|mut file| {
            writeln!(file, "{text}")?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, folder.join(FILE_NAME)))
        .and_then(|()| File::open(folder)?.sync_all());
    written.map_err(|error| map_open_io("writing", &folder.join(FILE_NAME), &error))
}

/// Returns the properties of this machine on which the layout of the mapped file depends.
fn machine() -> String {
    let order = if cfg!(target_endian = "little") { "little-endian" } else { "big-endian" };
    format!("{order} {}-bit pages of {}", usize::BITS, rustix::param::page_size())
}

fn plain_text() -> String {
    format!("{PREFIX}{PLAIN_VERSION} {}", machine())
}

fn encrypted_text() -> String {
    format!("{PREFIX}{ENCRYPTED_VERSION} {ENCRYPTED}")
}

fn check(text: &str, path: &Path, is_encrypted: bool) -> Result<()> {
    let text = text.trim_end();
    let (plain, encrypted) = (plain_text(), encrypted_text());
    let damaged = || Error::Corrupt {
        reason: format!("{} should say `{plain}` or `{encrypted}`, not `{text}`", path.display()),
    };
    let mismatch = |reason: &str| {
        let store = format!("the store of {}", path.display());
        Err(Error::CannotOpen { store, reason: reason.to_owned() })
    };
    let (version, rest) =
        text.strip_prefix(PREFIX).and_then(|rest| rest.split_once(' ')).ok_or_else(damaged)?;
    match version.parse::<u32>() {
        Ok(found) if found > ENCRYPTED_VERSION => {
            return Err(Error::NewerFormat { found, supported: ENCRYPTED_VERSION });
        }
        Ok(PLAIN_VERSION) if is_encrypted => {
            return mismatch(
                "it is not encrypted, and only a new one can be; dump it, and restore the dump into an empty folder",
            );
        }
        Ok(ENCRYPTED_VERSION) if rest != ENCRYPTED => return Err(damaged()),
        Ok(ENCRYPTED_VERSION) if !is_encrypted => return mismatch("it is encrypted, and no key was given"),
        Ok(ENCRYPTED_VERSION) => return Ok(()),
        Ok(PLAIN_VERSION) => {}
        _ => return Err(damaged()),
    }
    if rest == machine() {
        return Ok(());
    }
    Err(Error::Unsupported {
        operation: "opening the store",
        reason: "its files were written on a machine with another byte order, word size or page size; \
                 dump the data there and restore it here",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_formats_and_machines_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        check_or_create(folder.path(), false).unwrap();
        check_or_create(folder.path(), false).unwrap();
        assert!(is_store(folder.path()));
        let path = folder.path().join(FILE_NAME);
        for (text, is_expected) in [
            (
                "persea mmfiles 1 big-endian 64-bit pages of 4096",
                (|e| matches!(e, Error::Unsupported { .. })) as fn(&Error) -> bool,
            ),
            ("persea mmfiles 3 little-endian 64-bit pages of 4096", |e| {
                matches!(e, Error::NewerFormat { .. })
            }),
            ("persea mmfiles 2 little-endian 64-bit pages of 4096", |e| matches!(e, Error::Corrupt { .. })),
            ("persea mmfiles 2 encrypted", |e| matches!(e, Error::CannotOpen { .. })),
            ("persea mmfiles 0 x", |e| matches!(e, Error::Corrupt { .. })),
            ("persea rocksdb 1", |e| matches!(e, Error::Corrupt { .. })),
            ("", |e| matches!(e, Error::Corrupt { .. })),
        ] {
            fs::write(&path, text).unwrap();
            let error = check_or_create(folder.path(), false).unwrap_err();
            assert!(is_expected(&error), "{text}: {error}");
        }
    }

    #[test]
    fn a_folder_has_one_owner() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::take(folder.path()).unwrap();
        assert!(matches!(FolderLock::take(folder.path()), Err(Error::Locked { .. })));
        drop(lock);
        FolderLock::take(folder.path()).unwrap();
    }
}
