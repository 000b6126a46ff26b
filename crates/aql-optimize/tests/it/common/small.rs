//! Queries over a small database, for tests within crates.

#[path = "../../../../aql-plan/tests/it/common/small_catalog.rs"]
mod small_catalog;

use std::sync::Arc;

use aql_optimize::{Optimized, OptimizerOptions, optimize};
use aql_plan::{BindInput, BindParameters, bind, build};
use aql_value::{Interrupt, MemoryAccount};
use errors::Result;

pub(crate) use small_catalog::CATALOG;

pub(crate) fn optimized(text: &str, rules: &[&str]) -> Result<Optimized> {
    let query = aql_syntax::parse(text, &aql_syntax::Limits::default()).unwrap();
    let (parameters, memory, interrupt) =
        (BindParameters::new(), Arc::new(MemoryAccount::unlimited()), Interrupt::new());
    let plan = build(bind(&query, &BindInput::new(&parameters, &CATALOG, &memory, &interrupt))?, false)?;
    optimize(plan, &CATALOG, &OptimizerOptions::new(rules.iter().copied()), &memory, &interrupt)
}
