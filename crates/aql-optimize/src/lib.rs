//! The optimizer of AQL: rules rewrite a plan, one after another, in a fixed order.
//!
//! Every rule keeps the result of the query, apart from the order of rows that the query leaves
//! open, so any rule can be turned off. Some rules make additional plans. The plan with the lowest
//! estimated cost is executed.

mod analysis;
mod cost;
mod options;
mod rules;
mod finish;
#[cfg(test)]
mod tests;

// Tests share files with other crates, which know this one by its name.
#[cfg(test)]
extern crate self as aql_optimize;

use std::sync::Arc;
use std::time::{Duration, Instant};

use aql_plan::{Plan, PlanCatalog};
use aql_value::{Charge, Interrupt, MemoryAccount};
use errors::Result;

use analysis::conjunction;
use rules::Rule;

pub use options::OptimizerOptions;
pub use rules::{RuleInfo, rules};

/// The context in which rules run.
pub(crate) struct RuleContext<'a> {
    catalog: &'a dyn PlanCatalog,
    memory: &'a Arc<MemoryAccount>,
    interrupt: &'a Interrupt,
    /// The memory of all plans besides the first.
    plans_memory: Charge,
    /// Plans that the current rule makes besides the given one.
    additional: Vec<Plan>,
    /// The number of plans that may still be made.
    plans_left: usize,
    /// True if plans that are not worth executing are wanted too.
    all_plans: bool,
    /// The maximum number of alternatives of a condition in normal form.
    max_branches: usize,
}

impl RuleContext<'_> {
    /// Adds a copy of the plan with changes, unless the limit on the number of plans is reached.
    ///
    /// Errors: 32 if there is no memory for the copy, 1500 for a query that was ended; those of
    /// `change`.
    fn add_copy(&mut self, plan: &Plan, change: impl FnOnce(&mut Plan) -> Result<()>) -> Result<()> {
        self.interrupt.check()?;
        if self.plans_left == 0 {
            return Ok(());
        }
        self.plans_memory.grow(plan.size_bytes() as u64)?;
        let mut copy = plan.clone();
        change(&mut copy)?;
        self.plans_left -= 1;
        self.additional.push(copy);
        Ok(())
    }
}

/// All plans of an optimization, and its statistics.
#[derive(Debug)]
pub struct Optimized {
    /// The plans, cheapest first; at least one.
    pub plans: Vec<Plan>,
    /// Numbers for explain.
    pub statistics: OptimizerStatistics,
    /// The time of each rule for all plans, in the order of application; only with
    /// [`OptimizerOptions::time_rules`].
    pub rule_times: Vec<(&'static str, Duration)>,
    /// The memory of all plans besides the first that was made.
    _memory: Charge,
}

/// Numbers of the optimizer for `stats` of explain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OptimizerStatistics {
    /// Applications of a rule to a plan.
    pub rules_executed: u64,
    /// Applications that were skipped because the rule is turned off.
    pub rules_skipped: u64,
    /// The number of plans.
    pub plans_created: u64,
}

impl Optimized {
    /// Returns the plan to execute.
    pub fn into_best(self) -> Option<Plan> {
        self.plans.into_iter().next()
    }
}

/// Optimizes a plan.
///
/// # Errors
/// 1577 if a forced index hint cannot be used; 1500 if the query is killed; 32 for too much memory;
/// errors of constant folding.
pub fn optimize(
    plan: Plan,
    catalog: &dyn PlanCatalog,
    options: &OptimizerOptions,
    memory: &Arc<MemoryAccount>,
    interrupt: &Interrupt,
) -> Result<Optimized> {
    optimize_observed(plan, catalog, options, memory, interrupt, &mut |_, _| {})
}

/// Estimates the costs of an optimized plan again, such as after its open parameters got values.
///
/// # Errors
/// 1500 if the query is killed.
pub fn estimate(plan: &mut Plan, catalog: &dyn PlanCatalog, interrupt: &Interrupt) -> Result<()> {
    cost::estimate(plan, catalog, interrupt)
}

/// Optimizes a plan, and calls `observe` after each step with its name and each plan, changed or
/// not. A step is a rule, or the splitting of filters before all rules.
///
/// Errors: as [`optimize`].
pub fn optimize_observed(
    mut plan: Plan,
    catalog: &dyn PlanCatalog,
    options: &OptimizerOptions,
    memory: &Arc<MemoryAccount>,
    interrupt: &Interrupt,
    observe: &mut dyn FnMut(&'static str, &Plan),
) -> Result<Optimized> {
    let plans_left = options.max_number_of_plans.saturating_sub(1);
    let mut context = RuleContext {
        catalog,
        memory,
        interrupt,
        plans_memory: Charge::new(Arc::clone(memory)),
        additional: Vec::new(),
        plans_left,
        all_plans: options.all_plans,
        max_branches: options.max_condition_branches,
    };
    // `fuse-filters` joins the parts again.
    conjunction::split(&mut plan, interrupt)?;
    observe("split filters", &plan);
    let mut statistics = OptimizerStatistics::default();
    let mut plans = vec![plan];
    let mut rule_times = Vec::new();
    for rule in rules::RULES {
        let count = plans.len() as u64;
        if rule.can_be_disabled() && !options.is_enabled(rule.name(), rule.disabled_by_default()) {
            statistics.rules_skipped += count;
            plans.iter_mut().try_for_each(|plan| {
                interrupt.check()?;
                rule.apply_disabled(plan, &mut context)
            })?;
            plans.iter().for_each(|plan| observe(rule.name(), plan));
            continue;
        }
        let started = options.time_rules.then(Instant::now);
        statistics.rules_executed += count;
        plans = apply(*rule, plans, &mut context)?;
        plans.iter().for_each(|plan| observe(rule.name(), plan));
        rule_times.extend(started.map(|started| (rule.name(), started.elapsed())));
    }
    statistics.plans_created = plans.len() as u64;
    plans.iter_mut().try_for_each(|plan| finish::finish(plan, catalog, interrupt))?;
    let plans = finish::choose(plans, catalog, &options.parameters, interrupt)?;
    // Parts of a rule that give up when the query is ended leave the rest undone.
    interrupt.check()?;
    Ok(Optimized { plans, statistics, rule_times, _memory: context.plans_memory })
}

/// Applies a rule to all plans. Returns these and the additional plans of the rule.
fn apply(rule: &dyn Rule, plans: Vec<Plan>, context: &mut RuleContext<'_>) -> Result<Vec<Plan>> {
    let mut next = Vec::with_capacity(plans.len());
    for mut plan in plans {
        context.interrupt.check()?;
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

/// Records in the plan that a rule changed it.
fn record_rule(plan: &mut Plan, name: &'static str) {
    if !plan.rules_applied.contains(&name) {
        plan.rules_applied.push(name);
    }
}
