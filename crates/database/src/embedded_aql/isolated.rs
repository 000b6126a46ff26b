//! Queries that see nothing but their parameters: a store without documents, and their execution.

use std::sync::{Arc, OnceLock};

use aql_exec::{DataAccess, Execution, ExecutionInput, ExecutionOptions, Parallelism, SpillOptions};
use aql_plan::{BindParameters, Plan};
use aql_value::{Interrupt, MemoryAccount};
use catalog::SYSTEM_DATABASE;
use errors::Result;
use storage::{Store, StoreOptions};

/// A store without documents; made for the first query.
#[derive(Default)]
pub(crate) struct EmptyStore(OnceLock<Arc<Store>>);

impl EmptyStore {
    /// Returns the store. Errors: those of opening it.
    pub(crate) fn get(&self) -> Result<Arc<Store>> {
        if let Some(store) = self.0.get() {
            return Ok(Arc::clone(store));
        }
        let options = StoreOptions { read_cache_bytes: 0, ..StoreOptions::default() };
        let store = Store::open(kv::MemoryEngine::new(), options)?;
        Ok(Arc::clone(self.0.get_or_init(|| store)))
    }
}

/// Starts a plan over an empty store.
///
/// Errors: those of the engine and of the start.
pub(super) fn start(
    plan: &Arc<Plan>,
    store: &Store,
    parameters: &BindParameters,
    memory: &Arc<MemoryAccount>,
    interrupt: Interrupt,
) -> Result<Execution> {
    let input = ExecutionInput {
        data: DataAccess::Read(store.snapshot()?),
        database: SYSTEM_DATABASE.into(),
        user: None,
        server_version: Arc::default(),
        authorize_read: None,
        inaccessible_are_empty: false,
        authorize_vertices: None,
        user_functions: None,
        analyzers: None,
        changes: None,
        graphs: None,
        parameters: plan.parameters.values(parameters)?,
        memory: Arc::clone(memory),
        interrupt,
        options: ExecutionOptions {
            // Temporary files would be beyond the limit.
            spill: SpillOptions { folder: None, ..SpillOptions::default() },
            parallelism: Parallelism::of_threads(1),
            ..ExecutionOptions::default()
        },
    };
    Execution::start(plan, input).map_err(|failed| failed.error)
}
