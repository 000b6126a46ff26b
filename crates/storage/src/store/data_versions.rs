//! The states of collections' documents, by which caches know that nothing has changed.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use catalog::ObjectId;
use errors::Result;
use kv::Snapshot;

use crate::visibility::counters;
use crate::{Collection, Store};

/// The first format of a shared store in which every commit changes the counters of its
/// collections. An earlier version of the program leaves them as they are if a document is replaced
/// that keeps its old revision.
const FORMAT_OF_COUNTED_COMMITS: u32 = 2;

/// A state of a collection's documents: see [`DataVersions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataVersion {
    /// The object of the documents: a truncation replaces it.
    object: ObjectId,
    /// A number that grows with each commit.
    commits: u128,
}

/// The committed states of the documents of collections, at one moment that is not before
/// [`Store::data_versions`] was called.
///
/// A caller asks this first and then takes a snapshot. Results read from that snapshot may be
/// cached: they hold for every reader as long as this returns the same states.
pub struct DataVersions<'a> {
    store: &'a Store,
    /// A state of a store that several servers share, which has what others have committed.
    snapshot: OnceCell<Option<Arc<dyn Snapshot>>>,
    /// The states that were read from it. Each takes a message.
    read: RefCell<HashMap<ObjectId, Option<DataVersion>>>,
}

impl Collection {
    /// Returns the committed state of the documents without a message to the store; `None` while it
    /// is about to change, and always on a store that several servers share.
    pub fn data_version(&self) -> Option<DataVersion> {
        let commits = self.counters.commits()?;
        Some(DataVersion { object: self.object_id(), commits: commits.into() })
    }
}

impl Store {
    /// Returns the states of collections as of now.
    pub fn data_versions(&self) -> DataVersions<'_> {
        DataVersions { store: self, snapshot: OnceCell::new(), read: RefCell::default() }
    }
}

impl DataVersions<'_> {
    /// Returns true if no state takes a message, because only this process uses the store.
    pub fn are_in_memory(&self) -> bool {
        self.store.core.coordination.is_alone()
    }

    /// Returns the state of a collection's documents; `None` while it is about to change, or if the
    /// store does not tell.
    pub fn of(&self, collection: &Collection) -> Option<DataVersion> {
        if self.are_in_memory() {
            return collection.data_version();
        }
        let object = collection.object_id();
        if let Some(known) = self.read.borrow().get(&object) {
            return *known;
        }
        let version = self.snapshot().and_then(|snapshot| {
            let commits = counters::commits_of_all(snapshot.as_ref(), object).ok()?;
            Some(DataVersion { object, commits })
        });
        self.read.borrow_mut().insert(object, version);
        version
    }

    fn snapshot(&self) -> Option<&Arc<dyn Snapshot>> {
        let take = || -> Result<Option<Arc<dyn Snapshot>>> {
            let sharing = self.store.core.coordination.sharing();
            let is_counted = sharing.is_some_and(|sharing| sharing.format() >= FORMAT_OF_COUNTED_COMMITS);
            Ok(is_counted.then(|| self.store.core.engine.snapshot()).transpose()?)
        };
        self.snapshot.get_or_init(|| take().ok().flatten()).as_ref()
    }
}
