//! `remove-unnecessary-filters`: drops filters that are always true, and replaces filters that are
//! always false by an empty result.

use std::collections::HashMap;

use aql_plan::{Expression, Filter, Node, NodeKind, Plan, UnaryOperator, VariableId, for_each_node};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::for_each_pipeline;

pub(super) struct RemoveUnnecessaryFilters {
    pub(super) name: &'static str,
}

impl Rule for RemoveUnnecessaryFilters {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        "Removes filters that are always true and replaces filters that are always false by an empty result."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        let conditions = known_conditions(&plan.nodes);
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let count = nodes.len();
            let mut replaced = false;
            nodes.retain_mut(|node| {
                let NodeKind::Filter(Filter { condition, .. }) = &node.kind else { return true };
                match conditions.get(condition) {
                    Some(true) => false,
                    Some(false) => {
                        node.kind = NodeKind::NoResults;
                        replaced = true;
                        true
                    }
                    None => true,
                }
            });
            Ok(replaced || nodes.len() != count)
        })
    }
}

/// Returns the variables of the plan that are always true or always false, as conditions.
fn known_conditions(nodes: &[Node]) -> HashMap<VariableId, bool> {
    let mut known = HashMap::new();
    for_each_node(nodes, &mut |node| {
        if let NodeKind::Calculation(calculation) = &node.kind
            && let Some(truth) = truth(&calculation.expression)
        {
            known.insert(calculation.out, truth);
        }
    });
    known
}

/// Returns the truth of an expression if it does not depend on variables. The parser bounds the
/// depth of expressions.
fn truth(expression: &Expression) -> Option<bool> {
    match expression {
        Expression::Constant(value) => Some(value.to_bool()),
        Expression::And(operands) => decided(operands, false),
        Expression::Or(operands) => decided(operands, true),
        Expression::Unary { operator: UnaryOperator::Not, operand } => truth(operand).map(|truth| !truth),
        _ => None,
    }
}

/// Evaluates AND, which is false if one operand is false, or OR, which is true if one operand is
/// true. Earlier operands may only be skipped if their evaluation has no effect.
fn decided(operands: &[Expression], decides: bool) -> Option<bool> {
    let mut all_known = true;
    for (position, operand) in operands.iter().enumerate() {
        match truth(operand) {
            Some(truth) if truth == decides => {
                let earlier = operands.iter().take(position);
                return earlier.into_iter().all(Expression::is_deterministic).then_some(decides);
            }
            Some(_) => {}
            None => all_known = false,
        }
    }
    all_known.then_some(!decides)
}
