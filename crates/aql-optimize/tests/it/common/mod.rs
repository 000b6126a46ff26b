//! The path of a query from text to plans.
#![allow(dead_code, reason = "each test program uses a part of it")]

#[path = "../../../../aql-plan/tests/it/common/mod.rs"]
mod planning;

use std::sync::Arc;

use aql_optimize::{Optimized, OptimizerOptions, optimize, optimize_observed};
use aql_plan::{Plan, print};
use aql_value::{Interrupt, MemoryAccount, Value};
use errors::Result;

pub(crate) use planning::{TestCatalog, plan};

/// Returns all plans, the best first.
pub(crate) fn optimized(text: &str, parameters: &[(&str, Value)], rules: &[&str]) -> Result<Optimized> {
    let (memory, interrupt) = (Arc::new(MemoryAccount::unlimited()), Interrupt::new());
    let options = OptimizerOptions::new(rules.iter().copied());
    optimize(plan(text, parameters)?, &TestCatalog, &options, &memory, &interrupt)
}

/// Returns the plan to execute.
pub(crate) fn best(text: &str, rules: &[&str]) -> Plan {
    optimized(text, &[], rules).unwrap().into_best().unwrap()
}

/// Returns the printed plan as it was built, with an empty name, then after each rule that changed
/// it, with the rule's name.
///
/// Rules make no additional plans.
pub(crate) fn steps(text: &str, rules: &[&str]) -> Result<Vec<(&'static str, String)>> {
    let (memory, interrupt) = (Arc::new(MemoryAccount::unlimited()), Interrupt::new());
    let mut options = OptimizerOptions::new(rules.iter().copied());
    options.max_number_of_plans = 1;
    let plan = plan(text, &[])?;
    let mut steps = vec![("", print(&plan))];
    let mut observe = |rule, plan: &Plan| {
        let after = print(plan);
        if steps.last().is_none_or(|(_, before)| *before != after) {
            steps.push((rule, after));
        }
    };
    optimize_observed(plan, &TestCatalog, &options, &memory, &interrupt, &mut observe)?;
    Ok(steps)
}
