//! Plans and syntax trees as clients see them.

use std::time::Instant;

use aql_plan::Plan;

use crate::error::{Error, Result, number};
use crate::query::prepare::{StageTimes, parse_error};
use crate::query::request::QueryRequest;
use crate::session::Session;

impl Session {
    /// The reply of `/_api/explain`: the plan of a query (with `allPlans`, every plan that was considered), warnings and
    /// figures of the optimizer. Errors: those of planning, and 11.
    pub fn explain(&self, request: &QueryRequest) -> Result<Vec<u8>> {
        let started = Instant::now();
        let memory = self.query_account(request.memory_limit_bytes);
        let interrupt = self.query_interrupt(request.options.max_runtime);
        let catalog = self.catalog();
        let optimized = self.plan(request, &catalog, &memory, &interrupt, &mut StageTimes::default())?;
        if let Some(plan) = optimized.plans.first() {
            self.check_rights(plan)?;
        }
        let _ = (started, &optimized);
        Err(Error::new(9, "not implemented: explain"))
    }

    /// The reply of `/_api/query`: what a query's text is made of. Errors: those of parsing.
    pub fn parse_query(&self, text: &str) -> Result<Vec<u8>> {
        let query = aql_syntax::parse(text, &aql_syntax::Limits::default()).map_err(parse_error)?;
        let _ = query;
        Err(Error::new(9, "not implemented: explain"))
    }
}

/// A plan as `extra.plan` of a profiled query has it.
pub(crate) fn plan(plan: &Plan, verbose: bool) -> velocypack::Result<Vec<u8>> {
    let _ = (plan, verbose);
    Ok(vec![0x0a])
}

fn unprintable(error: velocypack::Error) -> Error {
    Error::new(number::INTERNAL, format!("a plan could not be printed: {error}"))
}
