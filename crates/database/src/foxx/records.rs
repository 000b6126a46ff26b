//! The services of a database, as their collection has them.

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use kv::BlockLimits;
use storage::{DocumentScanSpec, Snapshot, Transaction, WriteOptions};
use velocypack::{Builder, Slice};

use super::files::{MODE, provide};
use crate::instance::Instance;
use crate::session::Session;
use crate::state::foxx::{InstalledService, ServiceRecord, ServiceSet};

/// The collection of the services of a database.
pub(super) const APPS: &str = "_apps";

const READ_LIMITS: BlockLimits = BlockLimits { rows: 1_000, bytes: 4 << 20 };

impl Instance {
    /// Returns true if a service of the database may answer a path. It does not wait.
    pub fn may_have_service(&self, database: &str, path: &str) -> bool {
        let catalog = self.store().catalog();
        let Some(apps) = catalog.database(database).and_then(|database| database.collection(APPS)) else {
            return false;
        };
        match self.foxx().read(database) {
            Some((state, services)) if apps.data_version().is_some_and(|now| (apps.id(), now) == state) => {
                services.at(path).is_some()
            }
            // Nobody has looked since the collection has changed. Or it is shared, and another
            // server may have changed it.
            _ => apps.count_now() > 0,
        }
    }
}

impl Session {
    /// Returns the services of the database. Everybody who may use the database may know them.
    ///
    /// Errors: 1228, and those of the store.
    pub fn services(&self) -> Result<Arc<ServiceSet>> {
        let catalog = self.catalog();
        let Some(apps) = self.database_in(&catalog)?.collection(APPS) else { return Ok(Arc::default()) };
        // The state is read before the documents: a later state is found out by the next call.
        let versions = self.instance().store().data_versions();
        let now = versions.of(apps).map(|version| (apps.id(), version));
        if let Some((state, services)) = self.instance().foxx().read(self.database_name()) {
            // While a change is being committed, the services are those of before.
            let is_current = now.map_or(versions.are_in_memory(), |now| now == state);
            if is_current {
                return Ok(services);
            }
        }
        let snapshot = self.instance().store().snapshot()?;
        let mut services = Vec::new();
        for record in self.records(&snapshot)? {
            let folder = self.service_folder(&record.mount);
            if let Err(error) = provide(self, &snapshot, &record, &folder) {
                let (database, mount) = (self.database_name(), &record.mount);
                tracing::warn!(target: "v8", %database, "the files of the service at {mount} are missing: {error}");
            }
            services.push(InstalledService::read(record, folder));
        }
        let services: Arc<ServiceSet> = Arc::new(services.into_iter().collect());
        if let Some(now) = now {
            self.instance().foxx().note(self.database_name(), now, Arc::clone(&services));
        }
        Ok(services)
    }

    /// Returns the service at a mount point. Errors: 3009, 1228.
    pub fn service(&self, mount: &str) -> Result<Arc<InstalledService>> {
        self.services()?.get(mount).cloned().ok_or_else(|| not_installed(mount))
    }

    /// Returns the records of a snapshot. A document that describes no service is skipped.
    fn records(&self, snapshot: &Snapshot) -> Result<Vec<ServiceRecord>> {
        let mut records = Vec::new();
        let Some(apps) = self.database_in(snapshot.catalog())?.collection(APPS) else { return Ok(records) };
        let mut scan = snapshot.scan(apps, &DocumentScanSpec::default())?;
        while let Some(documents) = scan.next_block(READ_LIMITS)? {
            for document in documents.iter() {
                match ServiceRecord::read(document) {
                    Ok(record) => records.push(record),
                    Err(error) => {
                        let database = self.database_name();
                        tracing::warn!(target: "v8", %database, "a document of {APPS} is ignored: {error}");
                    }
                }
            }
        }
        Ok(records)
    }

    /// Writes the record of a service in place of the one that its mount point has. Errors: 11.
    pub(super) fn write_record(&self, record: &ServiceRecord) -> Result<()> {
        self.require_service_rights()?;
        let mut document = Builder::with_capacity(512);
        document.open_object()?;
        record.write(&mut document)?;
        document.close()?;
        let document = document.into_vec();
        self.write(APPS, MODE, |transaction, apps| {
            remove_record(transaction, apps, record.mount.as_str())?;
            transaction.insert(apps, Slice::new(&document), &WriteOptions::default())
        })?;
        Ok(())
    }

    /// Removes the record of a service. Errors: 11, 3009.
    pub(super) fn remove_record(&self, mount: &str) -> Result<()> {
        self.require_service_rights()?;
        let removed = self.write(APPS, MODE, |transaction, apps| remove_record(transaction, apps, mount))?;
        if removed.1 { Ok(()) } else { Err(not_installed(mount)) }
    }
}

/// Removes the documents of a mount point. Returns true if there was one.
fn remove_record(
    transaction: &mut Transaction,
    apps: &Arc<storage::Collection>,
    mount: &str,
) -> Result<bool> {
    let mut keys = Vec::new();
    {
        let view = transaction.view();
        let mut scan = view.scan(apps, &DocumentScanSpec::default())?;
        while let Some(documents) = scan.next_block(READ_LIMITS)? {
            let of_mount = documents.iter().filter(|found| text(*found, "mount") == Some(mount));
            keys.extend(of_mount.filter_map(|found| text(found, "_key").map(str::to_owned)));
        }
    }
    for key in &keys {
        transaction.remove(apps, key, Slice::NONE, &WriteOptions::default())?;
    }
    Ok(!keys.is_empty())
}

fn text<'a>(document: Slice<'a>, name: &str) -> Option<&'a str> {
    document.get(name).and_then(Slice::as_str)
}

/// Returns the error for a mount point without a service.
pub(super) fn not_installed(mount: &str) -> Error {
    Error::new(ErrorCode::ServiceNotFound, format!("no service is installed at '{mount}'"))
}
