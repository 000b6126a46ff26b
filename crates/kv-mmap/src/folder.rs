//! The files of a store, as programs that move them need to know them.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use encryption::{KEYRING_FILE, MasterKey};
use kv::{Engine, Error, Result};

use crate::data_files;
use crate::engine::MmapEngine;
use crate::error::map_open_io;
use crate::format;
use crate::options::MmapOptions;
use crate::store::LOG_FOLDER;

/// Returns true if a file of the store's folder with this name belongs to the store, once
/// [`settle`] has brought all commits into the tables.
///
/// The lock stays where the folder is, and is not among them.
pub fn is_store_file(name: &str) -> bool {
    matches!(name, format::FILE_NAME | format::TEMPORARY_FILE_NAME | KEYRING_FILE)
        || data_files::is_data_file(name)
}

/// Brings all commits of the store in `folder` into its tables, and removes the files that are
/// only useful together with them: the log, and LMDB's list of readers.
///
/// `key` returns the key of an encrypted store. It is not called if the folder has no log, because
/// then there is nothing to do: no store, a settled one, or one whose files are being moved.
/// Errors: those of `key`, those of [`MmapEngine::open`], and those of writing. The log is still
/// there then.
pub fn settle<E: From<Error>>(
    folder: &Path,
    key: impl FnOnce() -> std::result::Result<Option<Arc<MasterKey>>, E>,
) -> std::result::Result<(), E> {
    let log = folder.join(LOG_FOLDER);
    if !format::is_store(folder) || !log.exists() || data_files::newest(folder)?.is_none() {
        return Ok(());
    }
    bring_in(folder, key()?)?;
    match fs::remove_dir_all(&log) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(map_open_io("removing", &log, &error).into())
        }
        _ => Ok(()),
    }
}

fn bring_in(folder: &Path, encryption: Option<Arc<MasterKey>>) -> Result<()> {
    let engine = MmapEngine::open(folder, &MmapOptions { encryption, ..MmapOptions::default() })?;
    engine.flush()?;
    engine.close()?;
    drop(engine);
    data_files::remove_lock_files(folder)
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
        a_settled_store_has_only("pairs.1.mdb", None);
        let master = Arc::new(MasterKey::random().unwrap());
        a_settled_store_has_only("pairs.1.redb", Some(&master));
    }

    fn a_settled_store_has_only(file: &str, encryption: Option<&Arc<MasterKey>>) {
        let settle = |folder: &Path| settle::<Error>(folder, || Ok(encryption.cloned())).unwrap();
        let options = MmapOptions { encryption: encryption.cloned(), ..MmapOptions::default() };
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        settle(folder.path());
        assert!(names(folder.path()).is_empty());
        let engine = MmapEngine::open(folder.path(), &options).unwrap();
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
        settle(other.path());
        let (own, others): (Vec<_>, Vec<_>) =
            names(other.path()).into_iter().partition(|name| is_store_file(name));
        assert_eq!((own, others), (vec!["FORMAT".to_owned(), file.to_owned()], vec!["LOCK".to_owned()]));
        let engine = MmapEngine::open(other.path(), &options).unwrap();
        let values = engine.snapshot().unwrap().get_many(&[b"key"]).unwrap();
        assert_eq!(values.iter().next().flatten(), Some(b"value".as_slice()));
    }

    #[test]
    fn other_files_are_not_those_of_a_store() {
        for name in [
            "pairs.new",
            "pairs.1.probe",
            "pairs.1.mdb-lock",
            "pairs.x.mdb",
            "log",
            "LOCK",
            "backups",
            "000001.sst",
        ] {
            assert!(!is_store_file(name), "{name}");
        }
    }
}
