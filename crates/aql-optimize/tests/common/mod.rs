//! The way of a query from text to plans.
#![allow(dead_code)]

#[path = "../../../aql-plan/tests/common/mod.rs"]
mod planning;

use aql_optimize::{Optimized, OptimizerOptions, optimize};
use aql_plan::Plan;
use aql_value::{Interrupt, MemoryAccount, Result, Value};
pub(crate) use planning::{TestCatalog, plan};

/// All plans, the best first.
pub(crate) fn optimized(text: &str, parameters: &[(&str, Value)], rules: &[&str]) -> Result<Optimized> {
    let (memory, interrupt) = (MemoryAccount::unlimited(), Interrupt::new());
    let options = OptimizerOptions::new(rules.iter().copied());
    optimize(plan(text, parameters)?, &TestCatalog, &options, &memory, &interrupt)
}

/// The plan to execute.
pub(crate) fn best(text: &str, rules: &[&str]) -> Plan {
    optimized(text, &[], rules).unwrap().into_best().unwrap()
}
