//! Services (Foxx): what was last read of them, and the changes that are in progress.

mod options;
mod service;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use catalog::CollectionId;
use storage::DataVersion;

pub use self::options::{FoxxOptions, IsolateLimits};
pub use self::service::{InstalledService, ServiceRecord, ServiceSet};

/// The state of the collection that the services of a database were read from: the collection, and
/// the version of its documents.
pub(crate) type ReadState = (CollectionId, DataVersion);

/// The services of a database, as they were last read.
type Known = (ReadState, Arc<ServiceSet>);

/// Services, as far as they outlive a request.
#[derive(Default)]
pub(crate) struct FoxxState {
    read: Mutex<HashMap<Arc<str>, Known>>,
    changing: Mutex<HashSet<(Arc<str>, String)>>,
    /// Held while files of services are written.
    writing: Mutex<()>,
    /// Held while a bundle is read, before its memory is charged.
    reading: Mutex<()>,
}

/// The right to change the service at a mount point, until it is dropped.
pub(crate) struct Changing<'a> {
    state: &'a FoxxState,
    place: (Arc<str>, String),
}

impl FoxxState {
    /// Returns what was last read of the services of a database, and the state at that time.
    pub(crate) fn read(&self, database: &str) -> Option<Known> {
        locked(&self.read).get(database).cloned()
    }

    /// Notes what was read of the services of a database.
    pub(crate) fn note(&self, database: &Arc<str>, state: ReadState, services: Arc<ServiceSet>) {
        locked(&self.read).insert(Arc::clone(database), (state, services));
    }

    /// Forgets the services of a database that was dropped.
    pub(crate) fn remove_database(&self, database: &str) {
        locked(&self.read).remove(database);
    }

    /// Waits until nobody else writes files of services, and keeps others from it.
    pub(crate) fn write_files(&self) -> MutexGuard<'_, ()> {
        locked(&self.writing)
    }

    /// Waits until nobody else reads a bundle, and keeps others from it.
    pub(crate) fn read_bundle(&self) -> MutexGuard<'_, ()> {
        locked(&self.reading)
    }

    /// Begins a change of the service at a mount point, unless another one is in progress.
    pub(crate) fn try_change(&self, database: &Arc<str>, mount: &str) -> Option<Changing<'_>> {
        let place = (Arc::clone(database), mount.to_owned());
        let is_free = locked(&self.changing).insert(place.clone());
        is_free.then_some(Changing { state: self, place })
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        locked(&self.state.changing).remove(&self.place);
    }
}

/// Locks a table. No code that can panic runs under the lock.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
