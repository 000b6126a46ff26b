//! Counts of the requests on collections, and of the bytes that they read and write.

use std::fmt::Debug;
use std::sync::Arc;

use catalog::CollectionId;
use metrics::Counter;

/// The requests on a collection, of one user or of all, and the bytes of the documents that they
/// have read and written.
#[derive(Debug, Default)]
pub struct CollectionUsage {
    /// Requests that read documents.
    pub reads: Counter,
    /// Requests that write documents.
    pub writes: Counter,
    /// Bytes of the documents that were read.
    pub read_bytes: Counter,
    /// Bytes of the documents that were stored or removed.
    pub written_bytes: Counter,
}

/// Finds the counts that a reader or writer adds to.
pub trait UsageCounts: Debug + Send + Sync {
    /// Returns the counts of a collection with this identifier and name.
    fn of(&self, collection: CollectionId, name: &Arc<str>) -> Arc<CollectionUsage>;
}
