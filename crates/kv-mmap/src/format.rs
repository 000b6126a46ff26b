//! The files `FORMAT` and `LOCK`: who wrote a store's folder, on which kind of machine, and who has
//! it open.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

use kv::{Error, Result};
use rustix::fs::{FlockOperation, flock};

use crate::error::map_open_io;

/// The version that this crate writes, which is also the newest that it reads.
pub(crate) const FORMAT_VERSION: u32 = 1;

pub(crate) const FILE_NAME: &str = "FORMAT";
pub(crate) const TEMPORARY_FILE_NAME: &str = "FORMAT.new";
const PREFIX: &str = "persea mmfiles ";
const LOCK_NAME: &str = "LOCK";

/// An exclusive lock of a store's folder. The operating system ends it with the process.
pub struct FolderLock(#[allow(dead_code, reason = "closing the file ends the lock")] File);

impl FolderLock {
    /// Locks the folder. Errors: [`Error::Locked`] if another store has it open.
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(LOCK_NAME);
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| map_open_io("opening", &path, &error))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(FolderLock(file)),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(Error::Locked { path: folder.to_owned() }),
            Err(error) => Err(map_open_io("locking", &path, &error.into())),
        }
    }
}

/// Returns true if the folder holds a store of this engine.
pub fn is_store(folder: &Path) -> bool {
    fs::read_to_string(folder.join(FILE_NAME)).is_ok_and(|text| text.starts_with(PREFIX))
}

/// Checks the format of the store in `folder`, or writes the format of a new one. Creates the
/// folder if it does not exist.
pub(crate) fn check_or_create(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| map_open_io("creating", folder, &error))?;
    let path = folder.join(FILE_NAME);
    match fs::read_to_string(&path) {
        Ok(text) => check(&text, &path),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if crate::environment::newest_file(folder)?.is_some() {
                let reason = format!("{} is missing next to the mapped file", path.display());
                return Err(Error::Corrupt { reason });
            }
            write(folder)
        }
        Err(error) => Err(map_open_io("reading", &path, &error)),
    }
}

/// Writes the file into `folder` atomically.
pub(crate) fn write(folder: &Path) -> Result<()> {
    let temporary = folder.join(TEMPORARY_FILE_NAME);
    let written = File::create(&temporary)
        .and_then(|mut file| {
            writeln!(file, "{PREFIX}{FORMAT_VERSION} {}", machine())?;
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

fn check(text: &str, path: &Path) -> Result<()> {
    let text = text.trim_end();
    let damaged = || Error::Corrupt {
        reason: format!(
            "{} should say `{PREFIX}{FORMAT_VERSION} {}`, not `{text}`",
            path.display(),
            machine()
        ),
    };
    let (version, written_on) =
        text.strip_prefix(PREFIX).and_then(|rest| rest.split_once(' ')).ok_or_else(damaged)?;
    match version.parse::<u32>() {
        Ok(found) if found > FORMAT_VERSION => {
            return Err(Error::NewerFormat { found, supported: FORMAT_VERSION });
        }
        Ok(1..) => {}
        _ => return Err(damaged()),
    }
    if written_on == machine() {
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
        check_or_create(folder.path()).unwrap();
        check_or_create(folder.path()).unwrap();
        assert!(is_store(folder.path()));
        let path = folder.path().join(FILE_NAME);
        for (text, is_expected) in [
            (
                "persea mmfiles 1 big-endian 64-bit pages of 4096",
                (|e| matches!(e, Error::Unsupported { .. })) as fn(&Error) -> bool,
            ),
            ("persea mmfiles 2 little-endian 64-bit pages of 4096", |e| {
                matches!(e, Error::NewerFormat { .. })
            }),
            ("persea mmfiles 0 x", |e| matches!(e, Error::Corrupt { .. })),
            ("persea rocksdb 1", |e| matches!(e, Error::Corrupt { .. })),
            ("", |e| matches!(e, Error::Corrupt { .. })),
        ] {
            fs::write(&path, text).unwrap();
            let error = check_or_create(folder.path()).unwrap_err();
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
