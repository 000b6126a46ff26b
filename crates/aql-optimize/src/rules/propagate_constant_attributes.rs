//! `propagate-constant-attributes`: after `FILTER a.x == 1`, replaces the condition `b.y == a.x` by
//! `b.y == 1`, which an index may look up whatever the order of the loops.

use std::collections::HashMap;

use aql_plan::{CompareOperator, Expression, Filter, Identity, Node, NodeKind, Plan};
use aql_value::Interrupt;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::{definition, for_each_pipeline, read_counts};

pub(super) struct PropagateConstantAttributes;

impl Rule for PropagateConstantAttributes {
    fn name(&self) -> &'static str {
        "propagate-constant-attributes"
    }

    fn description(&self) -> &'static str {
        "Puts constants in the place of attributes that a filter has found to be equal to them."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| propagate(nodes, context.interrupt))
    }
}

/// Walks down the pipeline: equalities with constants hold for all rows after their filter.
///
/// Only equalities are rewritten. Values that are equal to the same value are equal to each other,
/// but may differ otherwise (1 and 1.0).
fn propagate(nodes: &mut [Node], interrupt: &Interrupt) -> Result<bool> {
    let counts = read_counts(nodes);
    let mut known: HashMap<Identity, Expression> = HashMap::new();
    let mut changed = false;
    for position in 0..nodes.len() {
        interrupt.check()?;
        let condition = match nodes.get(position).map(|node| &node.kind) {
            Some(NodeKind::Filter(Filter { condition, .. })) => *condition,
            // Variables of the pipeline end here.
            Some(NodeKind::Collect(_)) => {
                known.clear();
                continue;
            }
            _ => continue,
        };
        let Some((defined_at, _)) =
            definition(nodes, condition).filter(|_| counts.get(&condition) == Some(&1))
        else {
            continue;
        };
        let Some(NodeKind::Calculation(calculation)) = nodes.get_mut(defined_at).map(|node| &mut node.kind)
        else {
            continue;
        };
        let conjuncts = match &mut calculation.expression {
            Expression::And(conjuncts) => conjuncts.as_mut_slice(),
            other => std::slice::from_mut(other),
        };
        for conjunct in conjuncts {
            if !known.is_empty() {
                changed |= substitute(conjunct, &known);
            }
            if let Some((attribute, value)) = constant_attribute(conjunct) {
                known.entry(attribute.identity()).or_insert_with(|| value.clone());
            }
        }
    }
    Ok(changed)
}

/// Returns the sides of `variable.path == constant` (or an open parameter), in either direction.
fn constant_attribute(condition: &Expression) -> Option<(&Expression, &Expression)> {
    let Expression::Compare { operator: CompareOperator::Equal, left, right } = condition else {
        return None;
    };
    let is_attribute =
        |side: &Expression| side.as_attribute_path().is_some_and(|(_, names)| !names.is_empty());
    match (left.is_fixed(), right.is_fixed()) {
        (false, true) if is_attribute(left) => Some((left, right)),
        (true, false) if is_attribute(right) => Some((right, left)),
        _ => None,
    }
}

/// Substitutes the known values in every equality between an attribute and a value that is not
/// constant.
fn substitute(expression: &mut Expression, known: &HashMap<Identity, Expression>) -> bool {
    let mut changed = false;
    expression.for_each_child_mut(&mut |child| changed |= substitute(child, known));
    let Expression::Compare { operator: CompareOperator::Equal, left, right } = expression else {
        return changed;
    };
    if left.is_fixed() || right.is_fixed() {
        return changed;
    }
    for side in [right, left] {
        let value = side.as_attribute_path().and_then(|_| known.get(&side.identity()));
        if let Some(value) = value {
            **side = value.clone();
            return true;
        }
    }
    changed
}
