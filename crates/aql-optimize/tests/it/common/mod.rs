//! The path of a query from text to plans.

#[path = "../../../../aql-plan/tests/it/common/mod.rs"]
mod planning;

use std::sync::Arc;

use aql_optimize::{Optimized, OptimizerOptions, optimize};
use aql_value::{Interrupt, MemoryAccount, Value};
use errors::Result;

pub(crate) use planning::{TestCatalog, plan};

/// Returns all plans, the best first.
pub(crate) fn optimized(text: &str, parameters: &[(&str, Value)], rules: &[&str]) -> Result<Optimized> {
    let (memory, interrupt) = (Arc::new(MemoryAccount::unlimited()), Interrupt::new());
    let options = OptimizerOptions::new(rules.iter().copied());
    optimize(plan(text, parameters)?, &TestCatalog, &options, &memory, &interrupt)
}
