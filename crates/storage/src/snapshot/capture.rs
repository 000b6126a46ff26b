//! Snapshots of an open store.

use std::sync::{Arc, PoisonError};

use catalog::ObjectId;
use errors::Result;

use crate::catalog_snapshot::Catalog;
use crate::index::text::pins::{OpenTextIndex, SearchPins};
use crate::snapshot::{Snapshot, SnapshotParts};
use crate::store_core::StoreCore;
use crate::visibility::read_cache::ReadCacheView;

impl StoreCore {
    /// Takes a snapshot of the current state.
    pub(crate) fn snapshot(self: &Arc<Self>) -> Result<Snapshot> {
        let catalog = self.catalog.read().unwrap_or_else(PoisonError::into_inner);
        // The view comes before the engine's snapshot, which then includes at least these commits.
        let read_cache = self.read_cache.view();
        let changes_below = self.change_log.positions.resolved();
        let engine = self.engine.snapshot()?;
        Ok(self.snapshot_of(engine, &catalog, Vec::new(), read_cache, changes_below))
    }

    /// Takes a snapshot that any replica of the data may answer
    /// ([`kv::Engine::replica_snapshot`]).
    ///
    /// It may be older than the last commit, but not older than the present definitions: it has all
    /// entries of their indexes.
    pub(crate) fn replica_snapshot(self: &Arc<Self>) -> Result<Snapshot> {
        if self.coordination.is_alone() {
            return self.snapshot();
        }
        let catalog = self.catalog.read().unwrap_or_else(PoisonError::into_inner);
        let not_before = self.first_version_of(&catalog)?;
        let engine = self.engine.replica_snapshot(not_before)?;
        // Several servers have neither a read cache nor a change log.
        Ok(self.snapshot_of(engine, &catalog, Vec::new(), None, 0))
    }

    /// Takes a snapshot of a past state of a shared store, with the present definitions.
    ///
    /// Errors: 1240 if the store may not have that state any more.
    pub(crate) fn snapshot_at(self: &Arc<Self>, version: u64) -> Result<Snapshot> {
        let engine = self.engine.snapshot_at(version)?;
        Ok(self.snapshot_of(engine, &self.catalog(), Vec::new(), None, 0))
    }

    /// Returns the engine's version of a state that has all that the present catalog describes.
    fn first_version_of(&self, catalog: &Catalog) -> Result<u64> {
        let known = *self.catalog_from.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, version)) = known.filter(|(number, _)| *number == catalog.version()) {
            return Ok(version);
        }
        let version = self.engine.snapshot()?.version();
        *self.catalog_from.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((catalog.version(), version));
        Ok(version)
    }

    /// Returns the snapshot of a state of the engine, with `changes` of collections' counts. It
    /// shows all commits of the change log below a position.
    pub(crate) fn snapshot_of(
        self: &Arc<Self>,
        engine: Arc<dyn kv::Snapshot>,
        catalog: &Arc<Catalog>,
        changes: Vec<(ObjectId, i64)>,
        read_cache: Option<ReadCacheView>,
        changes_below: u64,
    ) -> Snapshot {
        let search = catalog.has_text_indexes().then(|| {
            let opener: Arc<dyn OpenTextIndex> = Arc::<StoreCore>::clone(self);
            Arc::new(SearchPins::new(Arc::downgrade(&opener)))
        });
        Snapshot::new(SnapshotParts {
            engine,
            catalog: Arc::clone(catalog),
            changes,
            read_cache,
            fork_join: Arc::clone(&self.fork_join),
            search,
            document_times: self.document_times.clone(),
            changes_below,
            store: Arc::downgrade(&self.engine),
        })
    }
}
