//! The last step of the optimizer, for every plan: it computes what later stages need.

use std::cmp::Ordering;

use aql_plan::{
    BindParameters, IndexHint, Node, NodeKind, Plan, PlanCatalog, for_each_node, reads_of_pipeline,
};
use aql_value::{Interrupt, Value};
use errors::{Error, ErrorCode, Result};

use super::cost;

/// Estimates costs, and marks constant variables and subqueries.
///
/// Errors: 1500 for a query that was ended.
pub(super) fn finish(plan: &mut Plan, catalog: &dyn PlanCatalog, interrupt: &Interrupt) -> Result<()> {
    plan.mark_constants();
    mark_constant_subqueries(&mut plan.nodes, interrupt)?;
    // Errors first: rules leave their work undone when the query is ended.
    cost::estimate(plan, catalog, interrupt)?;
    debug_assert_eq!(plan.broken_invariant(), None, "after the rules {:?}", plan.rules_applied);
    Ok(())
}

fn mark_constant_subqueries(nodes: &mut [Node], interrupt: &Interrupt) -> Result<()> {
    for node in nodes {
        if let NodeKind::Subquery(subquery) = &mut node.kind {
            interrupt.check()?;
            mark_constant_subqueries(&mut subquery.nodes, interrupt)?;
            let reads_own_writes = subquery
                .nodes
                .iter()
                .any(|node| node.kind.source().is_some_and(|source| source.read_own_writes));
            subquery.is_constant = !reads_own_writes
                && reads_of_pipeline(&subquery.nodes).is_empty()
                && subquery.nodes.iter().all(|node| node.kind.is_deterministic());
        }
    }
    Ok(())
}

/// Returns the plans that follow all forced index hints, the cheapest with these values of open
/// parameters first.
///
/// Errors: 1577 if no plan follows them, 1500 for a query that was ended.
pub(super) fn choose(
    plans: Vec<Plan>,
    catalog: &dyn PlanCatalog,
    parameters: &BindParameters,
    interrupt: &Interrupt,
) -> Result<Vec<Plan>> {
    let mut violation = None;
    let is_only_one = plans.len() == 1;
    let mut chosen: Vec<(f64, Plan)> = Vec::with_capacity(plans.len());
    for plan in plans {
        match hint_violation(&plan.nodes) {
            Some(error) => violation = violation.or(Some(error)),
            None if is_only_one => chosen.push((0.0, plan)),
            None => chosen.push((cost_with(&plan, catalog, parameters, interrupt)?, plan)),
        }
    }
    if chosen.is_empty() {
        return Err(violation.unwrap_or_else(|| Error::internal("the optimizer made no plan")));
    }
    // The sort is stable: among equally expensive plans, the one closest to the query comes first.
    chosen.sort_by(|(left, _), (right, _)| left.partial_cmp(right).unwrap_or(Ordering::Equal));
    Ok(chosen.into_iter().map(|(_, plan)| plan).collect())
}

fn cost_with(
    plan: &Plan,
    catalog: &dyn PlanCatalog,
    parameters: &BindParameters,
    interrupt: &Interrupt,
) -> Result<f64> {
    interrupt.check()?;
    match plan.parameters.values(parameters) {
        Ok(values) if !values.is_empty() => {
            cost::choice_cost(&plan.with_parameters(&values), catalog, interrupt)
        }
        _ => cost::choice_cost(plan, catalog, interrupt),
    }
}

/// Returns an error if a full scan ignores a hint that forces an index.
fn hint_violation(nodes: &[Node]) -> Option<Error> {
    let mut violation = None;
    for_each_node(nodes, &mut |node| {
        if let NodeKind::EnumerateCollection(scan) = &node.kind {
            let hint = &scan.source.hint;
            if hint.forced && !hint.disabled && !hint.names.is_empty() && violation.is_none() {
                violation = Some(forced_index_hint_unusable(&scan.source.hint));
            }
        }
    });
    violation
}

/// Returns the error that no plan follows the hint. The message quotes the hint as JSON.
fn forced_index_hint_unusable(hint: &IndexHint) -> Error {
    let names: Vec<Value> = hint.names.iter().map(|name| Value::from_str(name)).collect();
    let (names, lookahead) = (Value::array(&names).to_json(), hint.lookahead);
    Error::new(
        ErrorCode::QueryForcedIndexHintUnusable,
        format!(
            "could not use index hint to serve query; \
             {{\"indexHint\":{{\"forced\":true,\"lookahead\":{lookahead},\"type\":\"simple\",\"hint\":{names}}}}}"
        ),
    )
}
