//! Keys that divide collections and their entries into parts, for several readers.

use std::sync::Arc;

use kv::KeyRange;

use crate::base::fork_join::ForkJoin;
use crate::snapshot::Snapshot;
use crate::{Collection, encoding};

impl Snapshot {
    /// Returns the turns of the store for threads that divide work.
    pub fn fork_join(&self) -> &Arc<ForkJoin> {
        &self.fork_join
    }

    /// Returns at most `parts - 1` keys that divide the documents after `after` (`None`: all) into
    /// parts of similar size, in ascending order.
    ///
    /// The keys follow the present state of the store. Scans between them visit each document of
    /// the snapshot once, whatever was written since. Without such keys the result is empty.
    ///
    /// Errors: those of the engine, 30 if the store is closed.
    pub fn split_points(
        &self,
        collection: &Collection,
        after: Option<&str>,
        parts: usize,
    ) -> errors::Result<Vec<String>> {
        let Some(engine) = self.store.upgrade() else { return Ok(Vec::new()) };
        let range = encoding::document_range(collection.object_id(), after.map(|key| (key, false)), None);
        Ok(split_keys(engine.split_points(&range, parts)?, &range))
    }
}

/// Returns the document keys, as text, of the engine keys that divide a collection and lie inside
/// of `range`.
pub(crate) fn split_keys(points: Vec<Vec<u8>>, range: &KeyRange) -> Vec<String> {
    let inside = points.into_iter().filter(|point| range.contains(point));
    inside
        .filter_map(|point| encoding::key_of_document(&point).map(str::to_owned))
        .filter(|key| !key.is_empty())
        .collect()
}
