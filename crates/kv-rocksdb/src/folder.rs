//! The files of a store, as one who moves them needs to know them.

use std::fs::{File, OpenOptions};
use std::path::Path;

use encryption::KEYRING_FILE;
use kv::{Error, Result};
use rustix::fs::{FlockOperation, fcntl_lock};

use crate::error::map_open_io;

/// The file that RocksDB locks while the store is open.
const LOCK_FILE: &str = "LOCK";

/// Returns true if a file of the store's folder with this name belongs to the store.
///
/// The lock stays where the folder is, and is not among them.
pub fn is_store_file(name: &str) -> bool {
    let has_number = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    match name.rsplit_once('.') {
        Some((number, "sst" | "log" | "dbtmp")) => has_number(number),
        _ => {
            matches!(name, "CURRENT" | "IDENTITY" | "FORMAT" | "FORMAT.new" | "SYNCED" | "LOG" | KEYRING_FILE)
                || ["MANIFEST-", "OPTIONS-", "LOG.old."].iter().any(|prefix| name.starts_with(prefix))
        }
    }
}

/// The lock of a store's folder that keeps others from opening the store. Dropping it unlocks.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Locks the folder. Errors: [`Error::Locked`] if the store is open.
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(LOCK_FILE);
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = opened.map_err(|error| map_open_io("opening", &path, &error))?;
        match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(FolderLock { _file: file }),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::ACCESS) => {
                Err(Error::Locked { path: folder.to_owned() })
            }
            Err(error) => Err(map_open_io("locking", &path, &error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use kv::{Durability, Engine, TransactionOptions};

    use super::*;
    use crate::{RocksEngine, RocksOptions};

    #[test]
    fn every_file_of_a_store_but_the_lock_is_one_of_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let engine = RocksEngine::open(folder.path(), &RocksOptions::default()).unwrap();
        let mut transaction = engine.begin(TransactionOptions::default()).unwrap();
        transaction.put(b"key", b"value").unwrap();
        transaction.commit(Durability::Synced).unwrap();
        engine.close().unwrap();
        let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let others = names.map(|name| name.into_string().unwrap()).filter(|name| !is_store_file(name));
        assert_eq!(others.collect::<Vec<_>>(), [LOCK_FILE]);
        for name in ["persea.log", "notes.sst", ".sst", "backups", "CURRENT.copy"] {
            assert!(!is_store_file(name), "{name}");
        }
    }
}
