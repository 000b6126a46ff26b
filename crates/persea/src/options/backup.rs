//! `--backup`: access to backups, and the place of their repositories.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use backups::{Backups, Location, Versions};
use encryption::{Keyring, MasterKey};
use errors::{Error, ErrorCode, Result};
use kv::Engine;
use kv_mmap::{MmapEngine, MmapOptions};
use kv_rocksdb::{RocksEngine, RocksOptions};
use options::{Choice, Maybe, Opt, Options, Seconds, Text, choice, seconds, text};
use server::service::backups::{BackupOptions, Verification};
use server::service::log_archive::ArchiveOptions;
use server::version::{ARANGODB_VERSION, PERSEA_VERSION};
use server::{ApiAccess, ServerOptions};
use storage::{Store, StoreOptions};

use super::{changes, database};
use crate::encryption::DataEncryption;
use crate::failure::Failure;

const ACCESS: &[(&str, ApiAccess); 3] =
    &[("true", ApiAccess::Administrator), ("false", ApiAccess::Disabled), ("jwt", ApiAccess::Superuser)];

/// The shortest and the longest time between two additions to the archive of the change log.
const ARCHIVE_INTERVAL_MIN: Duration = Duration::from_millis(100);
const ARCHIVE_INTERVAL_MAX: Duration = Duration::from_secs(3_600);

/// The memory of the store in a copy that is checked.
const CHECK_MEMORY_BYTES: usize = 16 << 20;

options::section! {
    static API_ENABLED: Opt<Choice<ApiAccess>> =
        choice("backup.api-enabled", ACCESS, "true", "Access to /_admin/backup: `true` for administrators, `false` for nobody, `jwt` for superusers.");
    static ARCHIVE_LOG: Opt<Maybe<Text>> =
        text("backup.archive-log", "", "Archive the change log in this repository of backups: a folder, or s3://BUCKET/PREFIX. The key, region and endpoint are read from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL.").optional();
    static ARCHIVE_LOG_INTERVAL: Opt<Seconds> =
        seconds("backup.archive-log-interval", "10", "Time in seconds between two additions to the archive of the change log, at least 0.1.");
    static LOCAL_PATH_PREFIX: Opt<Text> =
        text("backup.local-path-prefix", "/", "Folder that must contain the repositories of uploaded backups.");
}

/// Adds the options of backups to those of the server, and removes incomplete backups. The data are
/// open.
pub(crate) fn add(
    options: &Options,
    engine: &dyn Engine,
    encryption: Option<Arc<DataEncryption>>,
    server: ServerOptions,
) -> std::result::Result<ServerOptions, Failure> {
    let versions = Versions { compatible: ARANGODB_VERSION.to_owned(), own: PERSEA_VERSION.to_owned() };
    let verify = verification(engine.name(), encryption);
    let folder = Path::new(options.get(&database::DIRECTORY));
    let backups = verify.as_ref().map(|_| Backups::open(folder, versions)).transpose()?.map(Arc::new);
    let verify =
        verify.unwrap_or_else(|| Verification::new(|_| Err(Error::not_implemented("restoring backups"))));
    let path_prefix = PathBuf::from(options.get(&LOCAL_PATH_PREFIX));
    let backup = BackupOptions { backups, verify, path_prefix };
    Ok(ServerOptions { backup_api: options.get(&API_ENABLED), backup, ..server })
}

/// Returns the options of the archive of the change log, if there is one.
///
/// Errors: text for the user, for a location or an interval that cannot be used.
pub(crate) fn archive(options: &Options) -> std::result::Result<Option<ArchiveOptions>, Failure> {
    let Some(location) = options.non_empty(&ARCHIVE_LOG) else { return Ok(None) };
    let location = Location::parse(location).map_err(|error| format!("--{}: {error}", ARCHIVE_LOG.name))?;
    let interval = options.duration(&ARCHIVE_LOG_INTERVAL);
    if !(ARCHIVE_INTERVAL_MIN..=ARCHIVE_INTERVAL_MAX).contains(&interval) {
        let (name, seconds) = (ARCHIVE_LOG_INTERVAL.name, interval.as_secs_f64());
        let message = format!("--{name} is {seconds}; it must be between 0.1 and 3600 seconds");
        return Err(message.into());
    }
    if !changes::writes_log(options) {
        let name = ARCHIVE_LOG.name;
        return Err(format!("--{name} needs the change log, which --changes.log never turns off").into());
    }
    Ok(Some(ArchiveOptions { location, interval, encryption: None }))
}

/// Returns the function that checks a copy of a store; `None` for an engine without files.
fn verification(engine: &str, encryption: Option<Arc<DataEncryption>>) -> Option<Verification> {
    match engine {
        "rocksdb" => Some(Verification::new(move |folder| verify_rocksdb(folder, encryption.as_deref()))),
        "mmfiles" => Some(Verification::new(move |folder| verify_mmfiles(folder, encryption.as_deref()))),
        _ => None,
    }
}

/// Reads all of the store in a folder, and opens it as the server would.
///
/// Errors: 35 for a newer format, 1102 for damage, 7002 if it is encrypted and no secret is right.
fn verify_rocksdb(folder: &Path, encryption: Option<&DataEncryption>) -> Result<()> {
    let encryption = key_of_copy(folder, encryption)?;
    kv_rocksdb::verify(folder, encryption.clone())?;
    let options = RocksOptions { memory_bytes: CHECK_MEMORY_BYTES, encryption, ..RocksOptions::default() };
    open_once(folder, RocksEngine::open(folder, &options)?)
}

/// Returns the key of a copy; `None` if it is not encrypted.
///
/// Errors: 7002 if no secret is right.
fn key_of_copy(folder: &Path, encryption: Option<&DataEncryption>) -> Result<Option<Arc<MasterKey>>> {
    match Keyring::exists(folder) {
        false => Ok(None),
        true => encryption.map(|encryption| encryption.key_of_copy(folder)).transpose(),
    }
}

/// Opens the store in a folder as the server would. The backup's manifest has checked the content.
///
/// Errors: 35 for a newer format, 1102 for damage, 7002 if it is encrypted and no secret is right.
fn verify_mmfiles(folder: &Path, encryption: Option<&DataEncryption>) -> Result<()> {
    if !kv_mmap::is_store(folder) {
        let message = format!("there is no store of the engine 'mmfiles' in {}", folder.display());
        return Err(Error::new(ErrorCode::CorruptedCollection, message));
    }
    let encryption = key_of_copy(folder, encryption)?;
    let options = MmapOptions {
        memory_bytes: CHECK_MEMORY_BYTES,
        cache_bytes: CHECK_MEMORY_BYTES,
        encryption: encryption.clone(),
        ..MmapOptions::default()
    };
    open_once(folder, MmapEngine::open(folder, &options)?)?;
    kv_mmap::settle(folder, || Ok(encryption))
}

fn open_once(folder: &Path, engine: Arc<dyn Engine>) -> Result<()> {
    let store = Store::open(engine, StoreOptions::default())?;
    if store.is_new() {
        let message = format!("there are no databases in {}", folder.display());
        return Err(Error::new(ErrorCode::CorruptedCollection, message));
    }
    store.close()
}
