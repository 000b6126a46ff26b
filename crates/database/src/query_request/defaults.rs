//! The defaults and limits of queries.

use std::sync::Arc;
use std::time::Duration;

use aql_exec::{IntermediateCommitOptions, Parallelism};
use aql_optimize::OptimizerOptions;
use aql_plan::DEFAULT_MAX_COLLECTIONS;
use aql_value::MemoryAccount;

use crate::query_request::{DEFAULT_TTL_SECONDS, QueryOptions, QueryRequest};

/// The defaults and limits of queries, from the configuration.
#[derive(Clone, Debug)]
pub struct QueryDefaults {
    /// End a query at its first warning.
    pub fail_on_warning: bool,
    /// Maximum number of collections that a query may name. A query cannot raise it.
    pub max_collections: usize,
    /// Maximum number of plans that the optimizer may compare.
    pub max_number_of_plans: usize,
    /// Maximum number of alternatives of a condition in disjunctive normal form that are matched
    /// with indexes.
    pub max_condition_branches: usize,
    /// The threads of a query.
    pub parallelism: Parallelism,
    /// Optimizer rules to switch on and off by name, before those that a query names.
    pub rules: Vec<String>,
    /// Idle time after which a cursor expires.
    pub cursor_ttl: Duration,
    /// Maximum number of bytes that a query's transaction may write.
    pub max_transaction_bytes: usize,
    /// Number of written documents after which a query commits before its end.
    pub intermediate_commit_operations: u64,
    /// Number of written bytes after which a query commits before its end.
    pub intermediate_commit_bytes: u64,
}

/// Divisor of all queries' memory: one query's writes may take this part before they are committed.
const WRITES_SHARE: u64 = 4;

impl Default for QueryDefaults {
    fn default() -> Self {
        QueryDefaults {
            fail_on_warning: false,
            max_collections: DEFAULT_MAX_COLLECTIONS,
            max_number_of_plans: OptimizerOptions::DEFAULT_MAX_NUMBER_OF_PLANS,
            max_condition_branches: usize::MAX,
            parallelism: Parallelism::default(),
            rules: Vec::new(),
            cursor_ttl: Duration::from_secs_f64(DEFAULT_TTL_SECONDS),
            max_transaction_bytes: usize::MAX,
            intermediate_commit_operations: IntermediateCommitOptions::DEFAULT_OPERATIONS,
            intermediate_commit_bytes: IntermediateCommitOptions::DEFAULT_BYTES,
        }
    }
}

impl QueryDefaults {
    pub(crate) fn plans_of(&self, request: &QueryRequest) -> usize {
        request.options.max_number_of_plans.unwrap_or(self.max_number_of_plans)
    }

    pub(crate) fn condition_branches_of(&self, request: &QueryRequest) -> usize {
        request.options.max_condition_branches.unwrap_or(self.max_condition_branches)
    }

    /// Returns the thresholds at which a query's writes are committed before its end.
    ///
    /// A query with thresholds of its own is not committed earlier for lack of memory.
    pub(crate) fn intermediate_commits_of(
        &self,
        request: &QueryRequest,
        queries: &Arc<MemoryAccount>,
    ) -> IntermediateCommitOptions {
        let QueryOptions { intermediate_commit_operations, intermediate_commit_bytes, .. } = request.options;
        let is_asked = intermediate_commit_operations.is_some() || intermediate_commit_bytes.is_some();
        let share = queries.limit_bytes().map_or(u64::MAX, |limit| limit / WRITES_SHARE);
        IntermediateCommitOptions {
            operations: intermediate_commit_operations.unwrap_or(self.intermediate_commit_operations),
            bytes: intermediate_commit_bytes.unwrap_or(self.intermediate_commit_bytes),
            memory_bytes: (!is_asked).then_some(share),
            memory: Arc::clone(queries),
            charged_bytes: 0,
        }
    }
}
