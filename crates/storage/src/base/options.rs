//! The options of a store.

use std::sync::Arc;
use std::time::Duration;

use catalog::NamingRules;
use encryption::TemporaryFolder;
use kv::WaitPolicy;

use crate::MemoryBudget;
use crate::base::change_log_options::ChangeLogOptions;
use crate::base::computed_values::ComputedValuesCompiler;
use crate::base::search_options::SearchOptions;

/// The default time that a change of a collection waits for its writers, and writers for a change.
const COLLECTION_WAIT: WaitPolicy = WaitPolicy::UpTo(Duration::from_secs(60));

/// The options of a store.
#[derive(Clone)]
pub struct StoreOptions {
    /// Rules for the names of new databases, collections and indexes.
    pub naming_rules: NamingRules,
    /// The time that a change of a collection (an index, a truncation, a drop) waits for its
    /// writers, and writers for a change. After that it fails with 18.
    pub collection_wait: WaitPolicy,
    /// True if a change of definitions waits until it is on disk.
    pub sync_definitions: bool,
    /// Bytes of memory for building an index; the rest goes to temporary files.
    pub sort_budget_bytes: usize,
    /// Bytes of the read cache; 0 turns it off.
    pub read_cache_bytes: u64,
    /// True if the time of each operation on a document is measured.
    pub measures_documents: bool,
    /// The folder of temporary files. They have no names and vanish with the process.
    pub temporary_folder: TemporaryFolder,
    /// The compiler of computed values. Without one, collections with computed values are refused
    /// with 9.
    pub computed_values: Option<Arc<dyn ComputedValuesCompiler>>,
    /// The options of text indexes.
    pub search: SearchOptions,
    /// The options of the change log.
    pub changes: ChangeLogOptions,
}

impl Default for StoreOptions {
    fn default() -> Self {
        let budget = MemoryBudget::split(1 << 30);
        StoreOptions {
            naming_rules: NamingRules::default(),
            collection_wait: COLLECTION_WAIT,
            sync_definitions: true,
            sort_budget_bytes: usize::try_from(budget.sort_bytes).unwrap_or(usize::MAX),
            read_cache_bytes: budget.read_cache_bytes,
            measures_documents: false,
            temporary_folder: std::env::temp_dir().into(),
            computed_values: None,
            search: SearchOptions::default(),
            changes: ChangeLogOptions::default(),
        }
    }
}
