//! `--backup`: access to backups, and the place of their repositories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use backups::{Backups, Versions};
use errors::{Error, ErrorCode, Result};
use kv::Engine;
use kv_mmap::{MmapEngine, MmapOptions};
use kv_rocksdb::{RocksEngine, RocksOptions};
use options::{Choice, Opt, Options, Text, choice, text};
use server::service::backups::BackupOptions;
use server::version::{ARANGODB_VERSION, PERSEA_VERSION};
use server::{ApiAccess, ServerOptions};
use storage::{Store, StoreOptions};

use super::database;
use crate::failure::Failure;

const ACCESS: &[(&str, ApiAccess); 3] =
    &[("true", ApiAccess::Administrator), ("false", ApiAccess::Disabled), ("jwt", ApiAccess::Superuser)];

/// The memory of the store in a copy that is checked.
const CHECK_MEMORY_BYTES: usize = 16 << 20;

options::section! {
    static API_ENABLED: Opt<Choice<ApiAccess>> =
        choice("backup.api-enabled", ACCESS, "true", "Access to /_admin/backup: `true` for administrators, `false` for nobody, `jwt` for superusers.");
    static LOCAL_PATH_PREFIX: Opt<Text> =
        text("backup.local-path-prefix", "/", "Folder that must contain the repositories of uploaded backups.");
}

/// Adds the options of backups to those of the server, and removes incomplete backups. The data are
/// open.
pub(crate) fn add(
    options: &Options,
    engine: &dyn Engine,
    server: ServerOptions,
) -> std::result::Result<ServerOptions, Failure> {
    let versions = Versions { compatible: ARANGODB_VERSION.to_owned(), own: PERSEA_VERSION.to_owned() };
    let verify = verification(engine.name());
    let folder = Path::new(options.get(&database::DIRECTORY));
    let backups = verify.map(|_| Backups::open(folder, versions)).transpose()?.map(Arc::new);
    let verify = verify.unwrap_or(|_| Err(Error::not_implemented("restoring backups")));
    let path_prefix = PathBuf::from(options.get(&LOCAL_PATH_PREFIX));
    let backup = BackupOptions { backups, verify, path_prefix };
    Ok(ServerOptions { backup_api: options.get(&API_ENABLED), backup, ..server })
}

/// Returns the function that checks a copy of a store; `None` for an engine without files.
fn verification(engine: &str) -> Option<fn(&Path) -> Result<()>> {
    match engine {
        "rocksdb" => Some(verify_rocksdb),
        "mmfiles" => Some(verify_mmfiles),
        _ => None,
    }
}

/// Reads all of the store in a folder, and opens it as the server would.
///
/// Errors: 35 for a newer format, 1102 for damage.
fn verify_rocksdb(folder: &Path) -> Result<()> {
    kv_rocksdb::verify(folder)?;
    let options = RocksOptions { memory_bytes: CHECK_MEMORY_BYTES, ..RocksOptions::default() };
    open_once(folder, RocksEngine::open(folder, &options)?)
}

/// Opens the store in a folder as the server would. The backup's manifest has checked the content.
///
/// Errors: 35 for a newer format, 1102 for damage.
fn verify_mmfiles(folder: &Path) -> Result<()> {
    if !kv_mmap::is_store(folder) {
        let message = format!("there is no store of the engine 'mmfiles' in {}", folder.display());
        return Err(Error::new(ErrorCode::CorruptedCollection, message));
    }
    let options = MmapOptions { memory_bytes: CHECK_MEMORY_BYTES, ..MmapOptions::default() };
    open_once(folder, MmapEngine::open(folder, &options)?)?;
    Ok(kv_mmap::settle(folder)?)
}

fn open_once(folder: &Path, engine: Arc<dyn Engine>) -> Result<()> {
    let store = Store::open(engine, StoreOptions::default())?;
    if store.is_new() {
        let message = format!("there are no databases in {}", folder.display());
        return Err(Error::new(ErrorCode::CorruptedCollection, message));
    }
    store.close()
}
