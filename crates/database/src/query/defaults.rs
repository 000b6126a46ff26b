//! What holds for queries that do not say otherwise.

use std::time::Duration;

use aql_plan::{DEFAULT_MAX_COLLECTIONS, OptimizerOptions};

use crate::query::request::{DEFAULT_TTL_SECONDS, QueryRequest};

/// Set by the configuration.
#[derive(Clone, Debug)]
pub struct QueryDefaults {
    /// The first warning ends a query.
    pub fail_on_warning: bool,
    /// Most collections that a query may name. No query may ask for more.
    pub max_collections: usize,
    /// Most plans that the optimizer may compare.
    pub max_number_of_plans: usize,
    /// Most alternatives of a condition in its normal form that indexes are matched with.
    pub max_condition_branches: usize,
    /// Optimizer rules to switch on and off by name, before those that a query names.
    pub rules: Vec<String>,
    /// How long a cursor may be idle.
    pub cursor_ttl: Duration,
}

impl Default for QueryDefaults {
    fn default() -> Self {
        QueryDefaults {
            fail_on_warning: false,
            max_collections: DEFAULT_MAX_COLLECTIONS,
            max_number_of_plans: OptimizerOptions::DEFAULT_MAX_NUMBER_OF_PLANS,
            max_condition_branches: usize::MAX,
            rules: Vec::new(),
            cursor_ttl: Duration::from_secs_f64(DEFAULT_TTL_SECONDS),
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
}
