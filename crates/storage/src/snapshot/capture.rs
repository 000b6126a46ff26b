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
