//! `optimize-count`: if only the length of a subquery is used, its scan produces the number of its
//! documents instead of a row for each.
//!
//! The scan also counts for `COLLECT WITH COUNT`, but plans do not show that.

use aql_plan::{Expression, Node, NodeKind, Plan, Return, Subquery, VariableId};
use aql_value::Value;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::demand::{Demand, demand_of, is_count};
use crate::analysis::pipeline::{Workshop, for_each_pipeline};

pub(super) struct OptimizeCount;

impl Rule for OptimizeCount {
    fn name(&self) -> &'static str {
        "optimize-count"
    }

    fn description(&self) -> &'static str {
        "Counts documents in the scan, where only their number is used."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let (before, after) = nodes.split_at_mut(position + 1);
                if let Some(NodeKind::Subquery(subquery)) = before.last_mut().map(|node| &mut node.kind) {
                    changed |= count_for_length(subquery, after, workshop);
                }
            }
            Ok(changed)
        })
    }
}

/// Counts for `LENGTH(FOR d IN c RETURN d)`: the subquery returns one number, and its first result
/// is the length.
fn count_for_length(subquery: &mut Subquery, after: &mut [Node], workshop: &mut Workshop<'_>) -> bool {
    if subquery.run_if.is_some() || demand_of(after, subquery.out) != Demand::Count {
        return false;
    }
    let Some(position) = countable_scan(&subquery.nodes) else { return false };
    let is_all = subquery.nodes.iter().skip(position + 1).all(|node| match &node.kind {
        NodeKind::Calculation(calculation) => calculation.expression.is_fixed(),
        NodeKind::Return(_) => true,
        _ => false,
    });
    if !is_all {
        return false;
    }
    let count = workshop.variables.add_temporary();
    count_into(&mut subquery.nodes, position, count);
    if let Some(NodeKind::Return(node)) = subquery.nodes.last_mut().map(|node| &mut node.kind) {
        *node = Return { input: count };
    }
    after.iter_mut().for_each(|node| read_count(node, subquery.out));
    true
}

/// Returns the position of the only loop of the pipeline, if it is a scan whose rows can be
/// counted.
fn countable_scan(nodes: &[Node]) -> Option<usize> {
    let position = nodes.iter().position(|node| node.kind.is_loop())?;
    let source = nodes.get(position)?.kind.source()?;
    let is_random = matches!(&nodes.get(position)?.kind, NodeKind::EnumerateCollection(scan) if scan.random);
    let is_countable = source.count_into.is_none() && source.limit.is_none() && !is_random;
    let comes_first = nodes.iter().take(position).all(|node| {
        matches!(node.kind, NodeKind::Singleton | NodeKind::Calculation(_) | NodeKind::Subquery(_))
    });
    (is_countable && comes_first).then_some(position)
}

fn count_into(nodes: &mut [Node], position: usize, count: VariableId) {
    if let Some(source) = nodes.get_mut(position).and_then(|node| node.kind.source_mut()) {
        source.count_into = Some(count);
        // The length does not depend on the returned value.
        source.produces_result = false;
        source.projections.clear();
    }
}

/// Reads the first result instead of the length.
fn read_count(node: &mut Node, id: VariableId) {
    node.kind.for_each_expression_mut(&mut |expression| read_count_in(expression, id));
    if let NodeKind::Subquery(subquery) = &mut node.kind {
        subquery.nodes.iter_mut().for_each(|inner| read_count(inner, id));
    }
}

fn read_count_in(expression: &mut Expression, id: VariableId) {
    if is_count(expression, id) {
        let index = Box::new(Expression::Constant(Value::Int(0)));
        *expression = Expression::Index { base: Box::new(Expression::Variable(id)), index };
        return;
    }
    expression.for_each_child_mut(&mut |child| read_count_in(child, id));
}
