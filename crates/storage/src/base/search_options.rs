//! The options of text indexes.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use analyzers::{NoQueries, QueryCompiler};
use encryption::MasterKey;

use crate::MemoryBudget;

/// The options of all text indexes of a store.
#[derive(Clone)]
pub struct SearchOptions {
    /// The folder of segments. Without one, segments are in memory, and a store that opens indexes
    /// all documents again.
    pub folder: Option<PathBuf>,
    /// The key of the files in the folder, if they are encrypted.
    pub encryption: Option<Arc<MasterKey>>,
    /// Bytes of memory for segments in memory and for those that are being written.
    pub memory_bytes: usize,
    /// The compiler of the queries of Analyzers of type `aql`.
    pub queries: Arc<dyn QueryCompiler>,
}

impl Default for SearchOptions {
    fn default() -> Self {
        let budget = MemoryBudget::split(1 << 30);
        let memory_bytes = usize::try_from(budget.search_bytes).unwrap_or(usize::MAX);
        SearchOptions { folder: None, encryption: None, memory_bytes, queries: Arc::new(NoQueries) }
    }
}

impl fmt::Debug for SearchOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchOptions").field("folder", &self.folder).finish_non_exhaustive()
    }
}
