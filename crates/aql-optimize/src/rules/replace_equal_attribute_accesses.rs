//! `replace-equal-attribute-accesses`: after `FILTER a.x == b.y`, reads `a.x` in place of `b.y`, so
//! that less of `b` is read.
//!
//! Equal values may still look different: objects by the order of their attributes, numbers by
//! their type. That is why queries have to turn the rule on.

use std::collections::HashMap;

use aql_plan::{CompareOperator, Expression, Filter, Identity, Node, NodeKind, Plan};
use aql_value::Interrupt;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::condition::resolve;
use crate::analysis::pipeline::for_each_pipeline;

pub(super) struct ReplaceEqualAttributeAccesses;

impl Rule for ReplaceEqualAttributeAccesses {
    fn name(&self) -> &'static str {
        "replace-equal-attribute-accesses"
    }

    fn description(&self) -> &'static str {
        "Reads attributes that a filter has found to be equal from one of their documents."
    }

    fn disabled_by_default(&self) -> bool {
        true
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            replace_in_pipeline(nodes, context.interrupt)
        })
    }
}

/// The replacements of accesses that are equal to others.
type Replacements = HashMap<Identity, Expression>;

fn replace_in_pipeline(nodes: &mut [Node], interrupt: &Interrupt) -> Result<bool> {
    let mut replacements = Replacements::new();
    let mut changed = false;
    for position in 0..nodes.len() {
        interrupt.check()?;
        if !replacements.is_empty()
            && let Some(node) = nodes.get_mut(position)
        {
            changed |= replace_in_node(node, &replacements);
        }
        match nodes.get(position).map(|node| &node.kind) {
            Some(NodeKind::Filter(Filter { condition, .. })) => {
                let condition = resolve(&Expression::Variable(*condition), nodes, 0, position);
                add_equalities(&condition, nodes, &mut replacements);
            }
            // Variables of the pipeline end here.
            Some(kind) if kind.is_grouping() => replacements.clear(),
            _ => {}
        }
    }
    Ok(changed)
}

/// Adds `a.x == b.y`, alone or among other conditions that all hold. The access whose variable is
/// set later is replaced.
fn add_equalities(condition: &Expression, nodes: &[Node], replacements: &mut Replacements) {
    match condition {
        Expression::And(conjuncts) => {
            conjuncts.iter().for_each(|conjunct| add_equalities(conjunct, nodes, replacements));
        }
        Expression::Compare { operator: CompareOperator::Equal, left, right } => {
            let (Some(left_at), Some(right_at)) = (set_at(left, nodes), set_at(right, nodes)) else { return };
            let (kept, replaced) = if left_at <= right_at { (left, right) } else { (right, left) };
            if left_at == right_at || replacements.contains_key(&replaced.identity()) {
                return;
            }
            let kept = replacements.get(&kept.identity()).unwrap_or(kept).clone();
            replacements.insert(replaced.identity(), kept);
        }
        _ => {}
    }
}

/// Returns the position of the loop that sets the variable of an access. `None` if the expression
/// is not an access, or no loop sets the variable.
fn set_at(access: &Expression, nodes: &[Node]) -> Option<usize> {
    let (variable, _) = access.as_attribute_path()?;
    nodes.iter().position(|node| node.kind.is_loop() && node.kind.sets_variable(variable))
}

fn replace_in_node(node: &mut Node, replacements: &Replacements) -> bool {
    let mut changed = false;
    node.kind.for_each_expression_mut(&mut |expression| changed |= replace(expression, replacements));
    if let NodeKind::Subquery(subquery) = &mut node.kind {
        subquery.nodes.iter_mut().for_each(|inner| changed |= replace_in_node(inner, replacements));
    }
    changed
}

fn replace(expression: &mut Expression, replacements: &Replacements) -> bool {
    if expression.as_attribute_path().is_some()
        && let Some(other) = replacements.get(&expression.identity())
    {
        *expression = other.clone();
        return true;
    }
    let mut changed = false;
    expression.for_each_child_mut(&mut |child| changed |= replace(child, replacements));
    changed
}
