//! How a store is opened.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catalog::NamingRules;
use kv::WaitPolicy;

use crate::MemoryBudget;
use crate::computed_values::ComputedValuesCompiler;

/// How long a change of a collection waits for its writers by default, and writers for a change.
const COLLECTION_WAIT: WaitPolicy = WaitPolicy::UpTo(Duration::from_secs(60));

/// How a store is opened.
#[derive(Clone)]
pub struct StoreOptions {
    /// Which names are allowed for new databases, collections and indexes.
    pub naming_rules: NamingRules,
    /// How long a change of a collection (an index, a truncation, a drop) waits for those who write it, and they for
    /// it, before 18 is answered.
    pub collection_wait: WaitPolicy,
    /// Whether a change of definitions waits until it is on disk.
    pub sync_definitions: bool,
    /// Memory for building an index; more goes to temporary files.
    pub sort_budget_bytes: usize,
    /// Memory for documents and edges that were read lately; 0 for none.
    pub read_cache_bytes: u64,
    /// Where temporary files are made; they have no names and vanish with the process.
    pub temporary_folder: PathBuf,
    /// Compiles computed values. Without one, collections with computed values are refused with 9.
    pub computed_values: Option<Arc<dyn ComputedValuesCompiler>>,
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
            temporary_folder: std::env::temp_dir(),
            computed_values: None,
        }
    }
}
