//! The unread documents of a dump, and their division for several readers.

use std::sync::Arc;

use errors::Result;
use storage::{Collection, DocumentScanSpec, KeyBound, Snapshot, Store};

use super::reader::Reader;

/// Ranges of a collection per thread, so that all threads end at about the same time.
const RANGES_PER_THREAD: usize = 4;
const RANGES_MAX: usize = 64;

/// A collection, or a range of its keys.
pub(crate) struct Range {
    pub(crate) collection: Arc<str>,
    pub(crate) reader: Reader,
    /// The divider of a collection that has not been divided yet.
    pub(crate) divider: Option<Divider>,
}

impl Range {
    /// Returns false if the range is divided by another snapshot than that of a batch. Snapshots of
    /// one version of the catalog are not distinguished.
    pub(crate) fn may_be_of(&self, batch: &Snapshot) -> bool {
        let divider = self.divider.as_ref();
        divider.is_none_or(|divider| Arc::ptr_eq(divider.snapshot.catalog(), batch.catalog()))
    }
}

/// The division of a collection's rest into ranges.
///
/// Finding the keys takes milliseconds, so the collection is divided only when a second client
/// comes.
pub(crate) struct Divider {
    store: Arc<Store>,
    snapshot: Snapshot,
    collection: Arc<Collection>,
    parts: usize,
}

impl Divider {
    pub(crate) fn new(
        store: &Arc<Store>,
        snapshot: &Snapshot,
        collection: &Arc<Collection>,
        parallelism: usize,
    ) -> Self {
        let parts = (parallelism * RANGES_PER_THREAD).min(RANGES_MAX);
        let (store, collection) = (Arc::clone(store), Arc::clone(collection));
        Divider { store, snapshot: snapshot.clone(), collection, parts }
    }

    /// Divides the documents after a key into ranges of about the same size.
    pub(crate) fn divide(&self, last_key: &str) -> Result<Vec<Range>> {
        // The points reflect the present, not the snapshot. Any points divide the snapshot
        // correctly.
        let mut points = self.store.split_points(&self.collection, self.parts)?;
        points.retain(|point| point.as_str() > last_key);
        let bound = |key: &String, inclusive| KeyBound { key: key.clone(), inclusive };
        let first = KeyBound { key: last_key.to_owned(), inclusive: false };
        let starts = std::iter::once(first).chain(points.iter().map(|point| bound(point, true)));
        let ends = points.iter().map(|point| Some(bound(point, false))).chain(std::iter::once(None));
        let mut ranges = Vec::with_capacity(points.len() + 1);
        for (start, end) in starts.zip(ends) {
            let spec = DocumentScanSpec {
                from_key: Some(start),
                to_key: end,
                sequential: true,
                ..DocumentScanSpec::default()
            };
            let name = self.collection.shared_name();
            let reader = Reader::scan(self.snapshot.scan(&self.collection, &spec)?, name);
            ranges.push(Range { collection: Arc::clone(name), reader, divider: None });
        }
        Ok(ranges)
    }
}
