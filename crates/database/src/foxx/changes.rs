//! Changes of services. The steps that run code of the service are the caller's.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aql_value::Waiting;
use errors::Result;
use foxx::Mount;

use super::bundles::ChargedBundle;
use super::files::{remove_folder, unpack};
use super::records::not_installed;
use crate::session::Session;
use crate::state::foxx::{Changing, InstalledService, ServiceRecord, ServiceSet};

/// The time between two checks whether another change has ended.
const NAP: Duration = Duration::from_millis(20);

/// A service that is about to take the place at its mount point. Its files are in a folder beside
/// that of the present one, which goes on answering. Unless it is finished, nothing has changed.
pub struct ServiceChange<'s> {
    session: &'s Session,
    bundle: ChargedBundle,
    service: Arc<InstalledService>,
    previous: Option<Arc<InstalledService>>,
    _changing: Changing<'s>,
}

impl Session {
    /// Waits until nobody else changes the service at a mount point.
    ///
    /// Errors: 11 without write access to the database; 1500 if the request is ended.
    fn begin_change(&self, mount: &Mount) -> Result<Changing<'_>> {
        self.require_service_rights()?;
        let mut waiting = None;
        loop {
            if let Some(changing) = self.instance().foxx().try_change(self.database_name(), mount.as_str()) {
                return Ok(changing);
            }
            waiting.get_or_insert_with(Waiting::begin);
            std::thread::sleep(NAP);
            self.check_interrupt()?;
        }
    }

    /// Begins to put a bundle at a mount point. `make` makes the record from that of the service
    /// that is there, or refuses.
    ///
    /// Errors: 11, those of `make`, and of unpacking the bundle.
    pub fn stage_service(
        &self,
        mount: &Mount,
        bundle: ChargedBundle,
        make: impl FnOnce(Option<&ServiceRecord>) -> Result<ServiceRecord>,
    ) -> Result<ServiceChange<'_>> {
        let changing = self.begin_change(mount)?;
        let previous = self.services()?.get(mount.as_str()).cloned();
        let record = make(previous.as_ref().map(|previous| previous.record()))?;
        let folder = staged_folder(&self.service_folder(mount));
        unpack(self, &bundle, &folder, &record.checksum)?;
        let service = Arc::new(InstalledService::read(record, folder));
        Ok(ServiceChange { session: self, bundle, service, previous, _changing: changing })
    }

    /// Changes what the owner of a service sets. Returns the service as it is then.
    ///
    /// Errors: 3009, 11, those of `change`.
    pub fn change_service(
        &self,
        mount: &Mount,
        change: impl FnOnce(&InstalledService) -> Result<ServiceRecord>,
    ) -> Result<Arc<InstalledService>> {
        let _changing = self.begin_change(mount)?;
        let record = change(&*self.service(mount.as_str())?)?;
        self.write_record(&record)?;
        self.service(mount.as_str())
    }

    /// Begins or ends the development of a service. At its end, the files of its folder become its
    /// bundle.
    ///
    /// Errors: 3009, 11, those of bundling the folder.
    pub fn develop_service(&self, mount: &Mount, is_development: bool) -> Result<Arc<InstalledService>> {
        let _changing = self.begin_change(mount)?;
        let service = self.service(mount.as_str())?;
        let mut record = ServiceRecord { is_development, ..service.record().clone() };
        if service.is_development() && !is_development {
            let bundle = self.bundle_of_folder(service.folder())?;
            record.checksum = bundle.checksum();
            self.write_bundle(&bundle)?;
            unpack(self, &bundle, service.folder(), &record.checksum)?;
        }
        self.write_record(&record)?;
        self.remove_bundle(&service.record().checksum)?;
        self.service(mount.as_str())
    }

    /// Removes a service, its bundle and its folder. Errors: 3009, 11.
    pub fn remove_service(&self, mount: &Mount) -> Result<()> {
        let _changing = self.begin_change(mount)?;
        let service = self.service(mount.as_str())?;
        self.remove_record(mount.as_str())?;
        self.remove_bundle(&service.record().checksum)?;
        remove_folder(self, service.folder());
        Ok(())
    }

    /// Stores the bundles that the database lacks, made from the folders of services; with
    /// `replaces`, those of all services.
    ///
    /// Errors: 11, those of bundling a folder.
    pub fn commit_services(&self, replaces: bool) -> Result<()> {
        self.require_service_rights()?;
        let mounts: Vec<Mount> = self.services()?.iter().map(|found| found.record().mount.clone()).collect();
        for mount in mounts {
            let _changing = self.begin_change(&mount)?;
            let service = self.service(mount.as_str())?;
            let known = &service.record().checksum;
            if !replaces && self.has_bundle(known)? {
                continue;
            }
            let bundle = self.bundle_of_folder(service.folder())?;
            self.write_bundle(&bundle)?;
            if bundle.checksum() != *known {
                let record = ServiceRecord { checksum: bundle.checksum(), ..service.record().clone() };
                unpack(self, &bundle, service.folder(), &record.checksum)?;
                self.write_record(&record)?;
                self.remove_bundle(known)?;
            }
        }
        Ok(())
    }

    fn has_bundle(&self, checksum: &str) -> Result<bool> {
        let snapshot = self.instance().store().snapshot()?;
        Ok(self.with_stored_bundle(&snapshot, checksum, |_| ())?.is_some())
    }
}

impl ServiceChange<'_> {
    /// Returns the new service.
    pub fn service(&self) -> &Arc<InstalledService> {
        &self.service
    }

    /// Returns the service that is at the mount point until the change is finished.
    pub fn previous(&self) -> Option<&Arc<InstalledService>> {
        self.previous.as_ref()
    }

    /// Returns the services of the database with the new one.
    pub fn services(&self) -> Result<Arc<ServiceSet>> {
        Ok(Arc::new(self.session.services()?.with(Arc::clone(&self.service))))
    }

    /// Puts the new service in its place. Returns the service as it is then.
    ///
    /// Errors: 11, those of the store. The former service is then still there.
    pub fn finish(self) -> Result<Arc<InstalledService>> {
        let (session, record) = (self.session, self.service.record());
        session.write_bundle(&self.bundle)?;
        session.write_record(record)?;
        let folder = session.service_folder(&record.mount);
        // An interruption before leaves a folder that is not of the record's bundle: it is made
        // again from that.
        unpack(session, &self.bundle, &folder, &record.checksum)?;
        if let Some(previous) = &self.previous {
            session.remove_bundle(&previous.record().checksum)?;
        }
        session
            .services()?
            .get(record.mount.as_str())
            .cloned()
            .ok_or_else(|| not_installed(record.mount.as_str()))
    }
}

impl Drop for ServiceChange<'_> {
    fn drop(&mut self) {
        remove_folder(self.session, self.service.folder());
    }
}

/// Returns the folder of a new service, beside that of the present one.
fn staged_folder(folder: &Path) -> PathBuf {
    folder.with_file_name(".STAGED")
}
