//! Plans and syntax trees in the form that clients see.

use std::time::Instant;

use aql_explain::{ExplainStatistics, WriteLimits};
use aql_plan::Plan;
use aql_value::Value;
use errors::{Error, Result};

use crate::query::planning_memory::PlanningMemory;
use crate::query::prepare::{StageTimes, in_planning, open_values};
use crate::query_request::QueryRequest;
use crate::session::Session;

impl Session {
    /// Returns the reply of `/_api/explain` without `error` and `code`.
    ///
    /// It holds the plan of a query, warnings and statistics of the optimizer; with `allPlans`,
    /// every plan that was considered. Errors: those of planning, and 11. Their messages name the
    /// stage, as in ArangoDB; those of a query that is run do not.
    pub fn explain(&self, request: &QueryRequest) -> Result<Vec<u8>> {
        self.explain_plans(request).map_err(with_stage)
    }

    fn explain_plans(&self, request: &QueryRequest) -> Result<Vec<u8>> {
        let started = Instant::now();
        let memory = self.query_account(request.memory_limit_bytes);
        let interrupt = self.query_interrupt(request.options.max_runtime);
        let catalog = self.catalog();
        let mut optimized = self.plan(request, &catalog, &memory, &interrupt, &mut StageTimes::default())?;
        for plan in &mut optimized.plans {
            in_planning(interrupt.check(), "optimizing plan")?;
            let values = open_values(plan, request)?;
            if !values.is_empty() {
                *plan = plan.with_parameters(&values);
                let view = self.catalog_view(request, &catalog)?;
                in_planning(aql_optimize::estimate(plan, &view, &interrupt), "optimizing plan")?;
            }
            plan.warnings.truncate(request.options.max_warning_count);
        }
        if let Some(plan) = optimized.plans.first() {
            self.check_rights(plan, request)?;
        }
        let measured = ExplainStatistics {
            execution_time_seconds: started.elapsed().as_secs_f64(),
            peak_memory_bytes: memory.peak(),
        };
        let limits = WriteLimits { memory: &memory, interrupt: &interrupt };
        Ok(bytes(&aql_explain::explain_result(&optimized, request.options.all_plans, measured, limits)?))
    }

    /// Returns the key (`planCacheKey`) of the cached plan of a query that asks for the plan cache.
    ///
    /// Explaining the query counts as a use of the plan.
    pub fn cached_plan_key(&self, request: &QueryRequest) -> Option<String> {
        if request.options.use_plan_cache != Some(true) {
            return None;
        }
        let catalog = self.catalog();
        let cached = self.cached_plan(request, &catalog, Instant::now())?;
        self.plan_cache_key(request, &catalog, &cached)
    }

    /// Returns the reply of `/_api/query` without `error` and `code`: the parts of a query's text.
    ///
    /// Errors: those of parsing, and those of functions and variables that the text alone shows.
    pub fn parse_query(&self, text: &str) -> Result<Vec<u8>> {
        let (account, interrupt) = (self.query_account(0), self.query_interrupt(None));
        let mut memory = PlanningMemory::new(text, &account);
        let query = memory.parse(text, &interrupt)?;
        in_planning(aql_plan::check(&query, &account, &interrupt), "parsing")?;
        let limits = WriteLimits { memory: &account, interrupt: &interrupt };
        Ok(bytes(&aql_explain::explain_syntax(&query, limits)?))
    }
}

/// Returns a plan in the form of `extra.plan` of a profiled query.
pub(crate) fn plan(plan: &Plan, limits: WriteLimits<'_>) -> Result<Vec<u8>> {
    Ok(bytes(&aql_explain::explain(plan, limits)?))
}

fn with_stage(error: Error) -> Error {
    let Some(stage) = error.stage() else { return error };
    let message = format!("{} (while {stage})", error.message());
    error.with_message(message)
}

fn bytes(value: &Value) -> Vec<u8> {
    value.with_slice(|slice, _| slice.bytes().to_vec())
}
