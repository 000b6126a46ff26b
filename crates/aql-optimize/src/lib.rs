//! The optimizer of AQL: rules rewrite a plan, one after the other, in a fixed order.
//!
//! Every rule keeps the result of the query (apart from the order of rows that the query leaves open), so that any of
//! them can be turned off. Some rules make additional plans; the cheapest of all plans by estimated cost is executed.

mod analysis;
mod cost;
mod finish;
mod options;
mod rules;
#[cfg(test)]
mod tests;

// Tests share files with those of other crates, which know this one by its name.
#[cfg(test)]
extern crate self as aql_optimize;

pub use options::OptimizerOptions;
pub use rules::{RuleInfo, rules};

use aql_plan::{Plan, PlanCatalog};
use aql_value::{Interrupt, MemoryAccount, Result};
use rules::Rule;
use std::time::{Duration, Instant};

/// What rules may ask for.
pub(crate) struct RuleContext<'a> {
    catalog: &'a dyn PlanCatalog,
    memory: &'a MemoryAccount,
    interrupt: &'a Interrupt,
    /// Plans that the current rule makes besides the one it was given.
    additional: Vec<Plan>,
    /// How many more plans may be made.
    plans_left: usize,
    /// Whether plans are wanted that are not worth executing.
    all_plans: bool,
    /// Most alternatives of a condition in normal form.
    max_branches: usize,
}

impl RuleContext<'_> {
    /// Adds a plan, as far as the limit on their number allows.
    fn add_plan(&mut self, plan: Plan) {
        if self.plans_left > 0 {
            self.plans_left -= 1;
            self.additional.push(plan);
        }
    }
}

/// All plans that were made, and what it took.
#[derive(Debug, Clone)]
pub struct Optimized {
    /// The plans, cheapest first; at least one.
    pub plans: Vec<Plan>,
    /// Numbers for explain.
    pub statistics: OptimizerStatistics,
    /// How long each rule took for all plans, in the order of application; only with
    /// [`OptimizerOptions::time_rules`].
    pub rule_times: Vec<(&'static str, Duration)>,
}

/// Numbers of the optimizer for `stats` of explain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OptimizerStatistics {
    /// Applications of a rule to a plan.
    pub rules_executed: u64,
    /// Applications that did not happen because the rule is turned off.
    pub rules_skipped: u64,
    /// Plans made.
    pub plans_created: u64,
}

impl Optimized {
    /// The plan to execute.
    pub fn into_best(self) -> Option<Plan> {
        self.plans.into_iter().next()
    }
}

/// Optimizes a plan.
///
/// # Errors
/// 1577 if a forced index hint cannot be used; 1500 if the query is killed; what folding of constants ran into.
pub fn optimize(
    plan: Plan,
    catalog: &dyn PlanCatalog,
    options: &OptimizerOptions,
    memory: &MemoryAccount,
    interrupt: &Interrupt,
) -> Result<Optimized> {
    optimize_observed(plan, catalog, options, memory, interrupt, &mut |_, _| {})
}

/// Optimizes a plan, and calls `observe` with the name of each rule and each plan that it leaves, changed or not.
///
/// Errors: as [`optimize`].
pub fn optimize_observed(
    plan: Plan,
    catalog: &dyn PlanCatalog,
    options: &OptimizerOptions,
    memory: &MemoryAccount,
    interrupt: &Interrupt,
    observe: &mut dyn FnMut(&'static str, &Plan),
) -> Result<Optimized> {
    let plans_left = options.max_number_of_plans.saturating_sub(1);
    let mut context = RuleContext {
        catalog,
        memory,
        interrupt,
        additional: Vec::new(),
        plans_left,
        all_plans: options.all_plans,
        max_branches: options.max_condition_branches,
    };
    let mut statistics = OptimizerStatistics::default();
    let mut plans = vec![plan];
    let mut rule_times = Vec::new();
    for rule in rules::RULES {
        let count = plans.len() as u64;
        if rule.can_be_disabled() && !options.is_enabled(rule.name(), rule.disabled_by_default()) {
            statistics.rules_skipped += count;
            plans.iter_mut().try_for_each(|plan| rule.apply_disabled(plan, &mut context))?;
            plans.iter().for_each(|plan| observe(rule.name(), plan));
            continue;
        }
        interrupt.check()?;
        let started = options.time_rules.then(Instant::now);
        statistics.rules_executed += count;
        plans = apply(*rule, plans, &mut context)?;
        plans.iter().for_each(|plan| observe(rule.name(), plan));
        rule_times.extend(started.map(|started| (rule.name(), started.elapsed())));
    }
    statistics.plans_created = plans.len() as u64;
    plans.iter_mut().for_each(|plan| finish::finish(plan, catalog));
    let plans = finish::choose(plans, catalog, &options.parameters)?;
    Ok(Optimized { plans, statistics, rule_times })
}

/// Applies a rule to all plans. Returns these and the plans that it made besides.
fn apply(rule: &dyn Rule, plans: Vec<Plan>, context: &mut RuleContext<'_>) -> Result<Vec<Plan>> {
    let mut next = Vec::with_capacity(plans.len());
    for mut plan in plans {
        if rule.apply(&mut plan, context)? && !rule.is_hidden() {
            record_rule(&mut plan, rule.name());
        }
        next.push(plan);
        for mut plan in context.additional.drain(..) {
            if !rule.is_hidden() {
                record_rule(&mut plan, rule.name());
            }
            next.push(plan);
        }
    }
    Ok(next)
}

/// Notes in the plan that a rule changed it.
fn record_rule(plan: &mut Plan, name: &'static str) {
    if !plan.rules_applied.contains(&name) {
        plan.rules_applied.push(name);
    }
}
