//! Plans as objects in ArangoDB's form.

mod expression;
mod graph;
mod late;
mod modification;
mod node;
mod scan;
mod search;
mod view;
mod window;

use aql_optimize::Optimized;
use aql_plan::{Expression, Plan, Variable, VariableId};
use aql_value::{Value, Warning};
use errors::Result;

use crate::shown::shown;
use crate::writer::{WriteLimits, Writer};
use expression::ExpressionWriter;

/// Returns the plan as an object: `{nodes, rules, collections, variables, estimatedCost, ...}`.
///
/// As in ArangoDB, subqueries are spliced into the list of nodes. A `SubqueryStartNode` with the
/// number of the subquery's Singleton precedes them, and a `SubqueryEndNode` with the number of the
/// subquery's node follows them.
///
/// # Errors
/// 32 if the description would exceed the maximum size of a value or the memory of the query; 1500
/// if the query was ended.
pub fn explain(plan: &Plan, limits: WriteLimits<'_>) -> Result<Value> {
    Writer::value(limits, |out| write_plan(out, plan))
}

/// Numbers for `stats` of explain that the optimizer does not know.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ExplainStatistics {
    /// The time of planning in seconds.
    pub execution_time_seconds: f64,
    /// The peak memory of planning in bytes.
    pub peak_memory_bytes: u64,
}

/// Returns the reply of `POST /_api/explain`, without the members `error` and `code`: the best
/// plan, or `plans` with `all_plans`.
pub fn explain_result(
    optimized: &Optimized,
    all_plans: bool,
    measured: ExplainStatistics,
    limits: WriteLimits<'_>,
) -> Result<Value> {
    Writer::value(limits, |out| {
        out.object(|out| {
            let best = optimized.plans.first();
            if all_plans {
                out.key("plans")?;
                out.array(&optimized.plans, write_plan)?;
            } else if let Some(plan) = best {
                out.key("plan")?;
                write_plan(out, plan)?;
                out.key("cacheable")?.flag(plan.is_cacheable)?;
            }
            out.key("warnings")?;
            out.array(best.into_iter().flat_map(|plan| &plan.warnings), write_warning)?;
            out.key("stats")?;
            out.object(|out| {
                out.key("rulesExecuted")?.number(optimized.statistics.rules_executed)?;
                out.key("rulesSkipped")?.number(optimized.statistics.rules_skipped)?;
                out.key("plansCreated")?.number(optimized.statistics.plans_created)?;
                out.key("rules")?;
                out.object(|out| {
                    let mut times = optimized.rule_times.iter();
                    times.try_for_each(|(name, time)| out.key(name)?.float(time.as_secs_f64()))
                })?;
                out.key("peakMemoryUsage")?.number(measured.peak_memory_bytes)?;
                out.key("executionTime")?.float(measured.execution_time_seconds)
            })
        })
    })
}

fn write_warning(out: &mut Writer, warning: &Warning) -> Result<()> {
    out.object(|out| {
        out.key("code")?.number(u64::from(warning.code.number()))?;
        out.key("message")?.text(&warning.message)
    })
}

fn write_plan(out: &mut Writer, plan: &Plan) -> Result<()> {
    let explainer = Explainer { plan, expressions: ExpressionWriter { variables: &plan.variables } };
    out.object(|out| {
        let nodes = shown(plan);
        out.key("nodes")?;
        out.array(0..nodes.len(), |out, position| {
            let before = position.checked_sub(1).and_then(|before| nodes.get(before));
            nodes.get(position).map_or(Ok(()), |step| explainer.step(out, step, before))
        })?;
        out.key("rules")?;
        out.array(&plan.rules_applied, |out, rule| out.text(rule))?;
        let prefetching = nodes.iter().filter(|step| step.prefetches()).count();
        out.key("asyncPrefetchNodes")?.number(prefetching as u64)?;
        out.key("estimatedCost")?.float(plan.estimated_cost())?;
        out.key("estimatedNrItems")?.number(plan.estimated_items())?;
        out.key("collections")?;
        out.array(&plan.collections, |out, used| {
            out.object(|out| {
                out.key("name")?.text(&used.collection.name)?;
                out.key("type")?.text(used.access.name())
            })
        })?;
        out.key("variables")?;
        let shown = plan.variables.iter().rev().filter(|variable| !variable.is_vertex);
        out.array(shown, |out, variable| write_variable(out, variable, true))?;
        out.key("isModificationQuery")?.flag(plan.is_modification)
    })
}

fn write_variable(out: &mut Writer, variable: &Variable, with_value: bool) -> Result<()> {
    out.object(|out| {
        out.key("id")?.number(variable.id.index() as u64)?;
        out.key("name")?.text(&variable.name)?;
        out.key("isFullDocumentFromCollection")?.flag(variable.is_full_document)?;
        match &variable.constant {
            Some(value) if with_value => out.key("constantValue")?.raw(value),
            _ => Ok(()),
        }
    })
}

/// A writer of the nodes of one plan.
struct Explainer<'a> {
    plan: &'a Plan,
    expressions: ExpressionWriter<'a>,
}

impl Explainer<'_> {
    fn variable(&self, out: &mut Writer, key: &str, id: VariableId) -> Result<()> {
        self.any_variable(out.key(key)?, id)
    }

    fn any_variable(&self, out: &mut Writer, id: VariableId) -> Result<()> {
        match self.plan.variables.get(id) {
            Some(variable) => write_variable(out, variable, false),
            None => out.null(),
        }
    }

    fn expression(&self, out: &mut Writer, key: &str, expression: &Expression) -> Result<()> {
        self.expressions.write(out.key(key)?, expression)
    }
}
