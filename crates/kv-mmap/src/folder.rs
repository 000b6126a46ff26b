//! The files of a store, as programs that move them need to know them.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use kv::{Engine, Result};

use crate::engine::MmapEngine;
use crate::environment::{is_mapped_file, newest_file, remove_lock_files};
use crate::error::map_open_io;
use crate::format;
use crate::options::MmapOptions;
use crate::store::LOG_FOLDER;

/// Returns true if a file of the store's folder with this name belongs to the store, once
/// [`settle`] has brought all commits into the mapped file.
///
/// The lock stays where the folder is, and is not among them.
pub fn is_store_file(name: &str) -> bool {
    matches!(name, format::FILE_NAME | format::TEMPORARY_FILE_NAME) || is_mapped_file(name)
}

/// Brings all commits of the store in `folder` into its mapped file, and removes the files that are
/// only useful together with it: the log, and LMDB's list of readers.
///
/// Does nothing if the folder has no mapped file or no format, for example while its files are
/// being moved. Errors: those of [`MmapEngine::open`], and those of writing. The log is still there
/// then.
pub fn settle(folder: &Path) -> Result<()> {
    if !format::is_store(folder) || newest_file(folder)?.is_none() {
        return Ok(());
    }
    let engine = MmapEngine::open(folder, &MmapOptions::default())?;
    engine.flush()?;
    engine.close()?;
    drop(engine);
    remove_lock_files(folder)?;
    let log = folder.join(LOG_FOLDER);
    match fs::remove_dir_all(&log) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(map_open_io("removing", &log, &error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use kv::{Durability, TransactionOptions};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_settled_store_needs_only_its_own_files() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        settle(folder.path()).unwrap();
        assert!(names(folder.path()).is_empty());
        let engine = MmapEngine::open(folder.path(), &MmapOptions::default()).unwrap();
        let mut transaction = engine.begin(TransactionOptions::default()).unwrap();
        transaction.put(b"key", b"value").unwrap();
        transaction.commit(Durability::Synced).unwrap();
        // As a kill leaves it: the commit is in the log alone.
        let copied = names(folder.path());
        for name in copied.iter().filter(|name| folder.path().join(name).is_file()) {
            fs::copy(folder.path().join(name), other.path().join(name)).unwrap();
        }
        fs::create_dir(other.path().join(LOG_FOLDER)).unwrap();
        for name in names(&folder.path().join(LOG_FOLDER)) {
            let path = Path::new(LOG_FOLDER).join(name);
            fs::copy(folder.path().join(&path), other.path().join(&path)).unwrap();
        }
        drop(engine);
        settle(other.path()).unwrap();
        let (own, others): (Vec<_>, Vec<_>) =
            names(other.path()).into_iter().partition(|name| is_store_file(name));
        assert_eq!(
            (own, others),
            (vec!["FORMAT".to_owned(), "pairs.1.mdb".to_owned()], vec!["LOCK".to_owned()])
        );
        let engine = MmapEngine::open(other.path(), &MmapOptions::default()).unwrap();
        let values = engine.snapshot().unwrap().get_many(&[b"key"]).unwrap();
        assert_eq!(values.iter().next().flatten(), Some(b"value".as_slice()));
    }

    #[test]
    fn other_files_are_not_those_of_a_store() {
        for name in ["pairs.new", "pairs.1.mdb-lock", "pairs.x.mdb", "log", "LOCK", "backups", "000001.sst"] {
            assert!(!is_store_file(name), "{name}");
        }
    }
}
