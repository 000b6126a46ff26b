//! Changes of definitions. Each is one atomic write; the objects that it gives up are deleted
//! afterwards.

mod collection;
mod database;
mod index;
pub(crate) mod index_build;
mod names;
mod recount;
mod training;
mod truncate;
mod user;
mod view;

use std::sync::Arc;
use std::time::Instant;

use catalog::ObjectId;
use errors::Result;

use crate::base::error;
use crate::ddl::index_build::SharedCheck;
use crate::locks::collection_lock::LockMode;
use crate::store_core::StoreCore;
use crate::store_core::deletion;
use crate::store_core::exclusive_lock::CollectionGuard;
use crate::{Collection, Index};

pub use view::ViewLink;

impl StoreCore {
    /// Deletes objects that a change of definitions has given up, which are recorded as pending.
    /// Work on `indexes`, which were among them, ends.
    pub(crate) fn give_up<'i>(
        &self,
        objects: &[ObjectId],
        indexes: impl IntoIterator<Item = &'i Arc<Index>>,
    ) {
        indexes.into_iter().filter_map(|index| index.text()).for_each(|text| text.retire());
        self.delete_objects(objects);
    }

    /// Deletes objects that are recorded as pending, once no server uses them. If one does not say
    /// so in time, a later deletion of what is pending gets them.
    ///
    /// Where servers share the store, a thread deletes them: that takes time in proportion to their
    /// keys.
    pub(crate) fn delete_objects(&self, objects: &[ObjectId]) {
        if !self.coordination.wait_until_followed() {
            return;
        }
        match &self.cleaner {
            Some(cleaner) => cleaner.add(objects),
            None => deletion::finish_or_leave(self.engine.as_ref(), objects),
        }
    }

    /// Waits until nobody else writes to the collection or changes it, and locks it.
    ///
    /// Errors: 18, 1004.
    pub(crate) fn exclude_writers(self: &Arc<Self>, collection: &Collection) -> Result<CollectionGuard> {
        self.exclude_writers_unless(collection, &|| Ok(()))
    }

    /// As [`StoreCore::exclude_writers`], but calls `check` from time to time; its error ends the
    /// wait.
    ///
    /// Errors: 18, 1004, that of `check`.
    pub(crate) fn exclude_writers_unless(
        self: &Arc<Self>,
        collection: &Collection,
        check: SharedCheck<'_>,
    ) -> Result<CollectionGuard> {
        self.check_writable()?;
        check()?;
        let wait = self.options.collection_wait;
        let since = Instant::now();
        let guard = self.lock_everywhere(collection, wait, check)?;
        self.lock_counts.note(LockMode::Exclusive, since, guard.is_some());
        guard.ok_or_else(|| error::lock_timeout(collection.name()))
    }
}
