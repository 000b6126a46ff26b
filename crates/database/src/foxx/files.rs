//! The files of services: a folder for each, and the bundles that folders are made from.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use foxx::{Bundle, Mount, bundle_bytes};
use storage::{DOCUMENT_WAIT, Durability, OverwriteMode, Snapshot, WriteOptions};
use velocypack::{Builder, Slice};

use super::bundles::ChargedBundle;
use crate::documents::WriteMode;
use crate::instance::Instance;
use crate::session::{Identity, Session};
use crate::state::foxx::{InstalledService, ServiceRecord};

/// The collection of bundles, by their checksums.
pub(super) const BUNDLES: &str = "_appbundles";

/// A change of services waits for the disk: their folders follow it.
pub(super) const MODE: WriteMode = WriteMode { durability: Durability::Synced, wait: DOCUMENT_WAIT };

impl Session {
    /// Returns the folder of the files of the service at a mount point.
    pub(super) fn service_folder(&self, mount: &Mount) -> PathBuf {
        self.instance().options().foxx.folder.join(mount.folder(self.database_name()))
    }

    /// Returns the archive of a service: the one that it was installed from, if there was one and
    /// the service is not in development, and otherwise one with its files.
    ///
    /// Errors: those of [`Session::bundle_of_folder`].
    pub fn service_archive(&self, service: &InstalledService) -> Result<Vec<u8>> {
        if !service.is_development() {
            let snapshot = self.instance().store().snapshot()?;
            let stored = self.with_stored_bundle(&snapshot, &service.record().checksum, bundle_bytes)?;
            if let Some(archive) = stored {
                return archive;
            }
        }
        self.bundle_of_folder(service.folder())?.zip()
    }

    /// Lets `read` see the document of a bundle. Returns `None` if there is none.
    pub(super) fn with_stored_bundle<T>(
        &self,
        snapshot: &Snapshot,
        checksum: &str,
        read: impl FnOnce(Slice<'_>) -> T,
    ) -> Result<Option<T>> {
        let Some(bundles) = self.database_in(snapshot.catalog())?.collection(BUNDLES) else {
            return Ok(None);
        };
        let documents = snapshot.get(bundles, &[checksum])?;
        let offset = documents.offsets.first().copied().flatten();
        Ok(offset.map(|offset| read(documents.block.slice(offset as usize))))
    }

    /// Stores a bundle under its checksum. Errors: 11, 1504 if it is too large for a document.
    pub(super) fn write_bundle(&self, bundle: &ChargedBundle) -> Result<()> {
        self.require_service_rights()?;
        let packed = bundle.archive()?;
        let mut document = Builder::with_capacity(packed.len() + 128);
        document.open_object()?;
        document.key("_key")?;
        document.add_str(&bundle.checksum())?;
        document.key("data")?;
        document.add_str(&base64_of(&packed))?;
        document.close()?;
        let document = document.into_vec();
        self.write(BUNDLES, MODE, |transaction, bundles| {
            let options = WriteOptions { overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() };
            transaction.insert(bundles, Slice::new(&document), &options)
        })?;
        Ok(())
    }

    /// Removes a bundle that no service of the database uses any more.
    pub(super) fn remove_bundle(&self, checksum: &str) -> Result<()> {
        let is_used = self.services()?.iter().any(|service| service.record().checksum == checksum);
        if is_used || checksum.is_empty() {
            return Ok(());
        }
        let removed = self.write(BUNDLES, MODE, |transaction, bundles| {
            transaction.remove(bundles, checksum, Slice::NONE, &WriteOptions::default())
        });
        match removed {
            Err(error) if error.code() != ErrorCode::DocumentNotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl Session {
    /// Forgets the services of a database that was dropped, and removes their folders.
    pub(crate) fn forget_services(&self, database: &str) {
        self.instance().foxx().remove_database(database);
        let folder = self.instance().options().foxx.folder.join(foxx::database_folder(database));
        let _writing = self.instance().foxx().write_files();
        if let Err(error) = fs::remove_dir_all(&folder)
            && error.kind() != ErrorKind::NotFound
        {
            tracing::warn!(target: "v8", "cannot remove the folder {}: {error}", folder.display());
        }
    }
}

fn base64_of(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Makes the folder of a service from its bundle, unless it is there.
///
/// In development the folder has files of its own, which stay. Errors: 3002 if there is no bundle,
/// and those of reading and unpacking it.
pub(super) fn provide(
    session: &Session,
    snapshot: &Snapshot,
    record: &ServiceRecord,
    folder: &Path,
) -> Result<()> {
    let is_there = match record.is_development {
        true => folder.join(foxx::MANIFEST_NAME).exists(),
        false => Bundle::is_complete(folder, &record.checksum),
    };
    if is_there {
        return Ok(());
    }
    let missing = || {
        let message = format!("{BUNDLES} has no bundle with the checksum '{}'", record.checksum);
        Error::new(ErrorCode::ServiceFilesMissing, message)
    };
    let stored = session.with_stored_bundle(snapshot, &record.checksum, bundle_bytes)?;
    let bundle = session.bundle_of_archive(stored.ok_or_else(missing)??)?;
    unpack(session, &bundle, folder, &record.checksum)
}

/// Makes the folders of the services of all databases. The log has the failures.
pub fn provide_all(instance: &Arc<Instance>) {
    let catalog = instance.catalog();
    for database in catalog.databases() {
        let session = Session::open(Arc::clone(instance), database.name(), Identity::Superuser);
        if let Err(error) = session.and_then(|session| session.services()) {
            let name = database.name();
            tracing::warn!(target: "v8", database = %name, "cannot look for services: {error}");
        }
    }
}

/// Writes the files of a service. Errors: 15.
pub(super) fn unpack(session: &Session, bundle: &Bundle, folder: &Path, checksum: &str) -> Result<()> {
    let _writing = session.instance().foxx().write_files();
    bundle.unpack(folder, checksum)
}

/// Removes the folder of a service. One that cannot be removed is harmless.
pub(super) fn remove_folder(session: &Session, folder: &Path) {
    let _writing = session.instance().foxx().write_files();
    if let Err(error) = Bundle::remove(folder) {
        tracing::warn!(target: "v8", "cannot remove the folder {}: {error}", folder.display());
    }
}
