//! The folder of the data before it is opened: whether it is in the state that the user requires,
//! and whether it holds the data of ArangoDB.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use backups::restore;
use encryption::MasterKey;

use crate::engine::EngineName;
use crate::failure::Failure;

/// The file that has the identity of the change log. Backups do not contain it.
pub(crate) const CHANGES_FILE: &str = "CHANGES";

/// The folder of text indexes in the data folder.
pub(crate) const SEARCH_FOLDER: &str = "search";

/// A state of the data folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderState {
    Any,
    Missing,
    Existing,
    Empty,
    /// It holds a store.
    Populated,
}

impl FolderState {
    fn holds(self, folder: &Path) -> bool {
        match self {
            FolderState::Any => true,
            FolderState::Missing => !folder.exists(),
            FolderState::Existing => folder.is_dir(),
            FolderState::Empty => fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none()),
            FolderState::Populated => engine_of(folder).is_some(),
        }
    }

    fn description(self) -> &'static str {
        match self {
            FolderState::Any => "in any state",
            FolderState::Missing => "missing",
            FolderState::Existing => "a folder",
            FolderState::Empty => "an empty folder",
            FolderState::Populated => "a folder with a store",
        }
    }
}

/// Checks the folder of the data.
///
/// Errors: text for the user, if the folder is not in the required state or holds the data of
/// ArangoDB.
pub(crate) fn check(folder: &Path, required: FolderState) -> Result<(), Failure> {
    if !required.holds(folder) {
        let (folder, state) = (folder.display(), required.description());
        let message = format!(
            "the data folder {folder} is not {state}, as --database.required-directory-state requires"
        );
        return Err(message.into());
    }
    let found = ARANGODB_ENTRIES.iter().filter(|name| folder.join(name).exists());
    let found: Vec<&str> = found.copied().collect();
    if found.is_empty() {
        return Ok(());
    }
    let engine = fs::read_to_string(folder.join("ENGINE")).unwrap_or_default();
    let engine = match engine.trim() {
        "" => String::new(),
        name => format!(", written by its engine '{}'", name.chars().take(40).collect::<String>()),
    };
    let (folder, found) = (folder.display(), found.join(", "));
    let message = format!(
        "the data folder {folder} holds the data of ArangoDB ({found}{engine}), which this server cannot read.\n\
         To bring the data over: start ArangoDB on it, run `arangodump --all-databases true \
         --output-directory dump`, then start this server on another folder and run `persea restore \
         --all-databases true --create-database true --input-directory dump`."
    );
    Err(message.into())
}

/// Carries out the restore of a backup that an earlier process has prepared. Returns true if there
/// was one.
///
/// `key` returns the key of the present data if they are encrypted.
///
/// Errors: those of the folder's lock, if another process has the data open; those of `key`; 7002.
pub(crate) fn finish_restore(
    folder: &Path,
    key: impl FnOnce() -> Result<Option<Arc<MasterKey>>, Failure>,
) -> Result<bool, Failure> {
    if !restore::is_pending(folder) {
        return Ok(false);
    }
    kv_mmap::settle(folder, key)?;
    // While the files are being moved, the folder may not reveal which engine owns them.
    let _locks = (kv_rocksdb::FolderLock::take(folder)?, kv_mmap::FolderLock::take(folder)?);
    // The store assigns the numbers of segments, so the restored store would mistake other segments
    // for its own. Text indexes without segments are rebuilt.
    let search = folder.join(SEARCH_FOLDER);
    match fs::remove_dir_all(&search) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(format!("the folder {} cannot be removed: {error}", search.display()).into());
        }
        _ => {}
    }
    // The restored store is not what readers of the change log have followed.
    let changes = folder.join(CHANGES_FILE);
    match fs::remove_file(&changes) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(format!("the file {} cannot be removed: {error}", changes.display()).into());
        }
        _ => {}
    }
    let Some(restored) = restore::finish(folder, is_store_file)? else { return Ok(false) };
    // Into an empty folder, a restore keeps no previous data.
    let previous = match restored.previous == restored.id {
        true => String::new(),
        false => format!("; the previous data are backup '{}'", restored.previous),
    };
    tracing::info!(target: "backup", "restored backup '{}'{previous}", restored.id);
    Ok(true)
}

/// Returns true if a file with this name belongs to the store of an engine.
pub(crate) fn is_store_file(name: &str) -> bool {
    kv_rocksdb::is_store_file(name) || kv_mmap::is_store_file(name)
}

/// The file that names the store in a cluster to which the folder belongs.
const CLUSTER_FILE: &str = "CLUSTER";

/// Ensures that a folder belongs to a store in a cluster. A new folder belongs to it from now on.
///
/// Errors: text for the user, if it belongs to another store.
pub(crate) fn keep_cluster(folder: &Path, identity: &kv_tikv::Identity) -> Result<(), Failure> {
    let (path, wanted) = (folder.join(CLUSTER_FILE), format!("{identity}\n"));
    match fs::read_to_string(&path) {
        Ok(found) if found == wanted => Ok(()),
        Ok(found) => {
            let (folder, found, wanted) = (folder.display(), found.trim(), wanted.trim());
            let message = format!(
                "the data folder {folder} belongs to the store '{found}', but --tikv.pd and --tikv.prefix lead \
                 to '{wanted}'; correct them, or choose another folder"
            );
            Err(message.into())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => fs::write(&path, wanted)
            .map_err(|error| format!("the file {} cannot be written: {error}", path.display()).into()),
        Err(error) => Err(format!("the file {} cannot be read: {error}", path.display()).into()),
    }
}

/// Returns true if the folder holds a store.
pub(crate) fn has_store(folder: &Path) -> bool {
    engine_of(folder).is_some()
}

/// Returns the engine whose store is in the folder.
fn engine_of(folder: &Path) -> Option<EngineName> {
    if folder.join(CLUSTER_FILE).exists() {
        return Some(EngineName::Tikv);
    }
    if kv_mmap::is_store(folder) {
        return Some(EngineName::Mmap);
    }
    kv_rocksdb::is_store(folder).then_some(EngineName::RocksDb)
}

/// Returns the engine for a folder: the one whose store is there, or else the wanted one.
///
/// Errors: text for the user, if the store there is one of another engine.
pub(crate) fn choose_engine(folder: &Path, wanted: EngineName) -> Result<EngineName, Failure> {
    match engine_of(folder) {
        Some(found) if wanted != EngineName::Auto && wanted != found => {
            let (folder, found, wanted) = (folder.display(), found.text(), wanted.text());
            let message = format!(
                "the data folder {folder} was made by the engine '{found}' and cannot be opened by '{wanted}'. \
                 Start without --server.storage-engine; or, to change the engine, dump the data and restore it \
                 into another folder."
            );
            Err(message.into())
        }
        Some(found) => Ok(found),
        None if wanted == EngineName::Auto => Ok(EngineName::RocksDb),
        None => Ok(wanted),
    }
}

/// Entries of a data folder of ArangoDB. No store of this server has them.
const ARANGODB_ENTRIES: [&str; 4] = ["ENGINE", "engine-rocksdb", "journals", "databases"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_arangodb_is_refused_with_the_way_out() {
        let folder = tempfile::tempdir().unwrap();
        check(folder.path(), FolderState::Any).unwrap();
        fs::write(folder.path().join("ENGINE"), "rocksdb").unwrap();
        fs::create_dir(folder.path().join("engine-rocksdb")).unwrap();
        let refused = check(folder.path(), FolderState::Any).unwrap_err().to_string();
        for part in ["ENGINE, engine-rocksdb", "'rocksdb'", "arangodump", "persea restore"] {
            assert!(refused.contains(part), "{refused}");
        }
    }

    #[test]
    fn a_folder_knows_its_engine() {
        let folder = tempfile::tempdir().unwrap();
        let choose = |wanted| choose_engine(folder.path(), wanted).map_err(|error| error.to_string());
        assert_eq!(choose(EngineName::Auto), Ok(EngineName::RocksDb));
        assert_eq!(choose(EngineName::Mmap), Ok(EngineName::Mmap));
        fs::write(folder.path().join("FORMAT"), "persea mmfiles 1 any").unwrap();
        assert_eq!(choose(EngineName::Auto), Ok(EngineName::Mmap));
        let refused = choose(EngineName::RocksDb).unwrap_err();
        assert!(refused.contains("'mmfiles'") && refused.contains("'rocksdb'"), "{refused}");
        fs::write(folder.path().join("FORMAT"), "persea rocksdb 1").unwrap();
        fs::write(folder.path().join("CURRENT"), "").unwrap();
        assert_eq!(choose(EngineName::Auto), Ok(EngineName::RocksDb));
        assert!(choose(EngineName::Mmap).is_err());
    }

    #[test]
    fn the_state_is_as_required() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let is = |path: &Path, state| check(path, state).is_ok();
        assert!(is(&missing, FolderState::Missing) && !is(&missing, FolderState::Existing));
        assert!(is(folder.path(), FolderState::Empty) && is(folder.path(), FolderState::Existing));
        assert!(!is(folder.path(), FolderState::Missing) && !is(folder.path(), FolderState::Populated));
        fs::write(folder.path().join("CURRENT"), "").unwrap();
        assert!(!is(folder.path(), FolderState::Empty) && is(folder.path(), FolderState::Populated));
    }
}
