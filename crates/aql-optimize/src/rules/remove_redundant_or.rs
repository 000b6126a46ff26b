//! `remove-redundant-or`: replaces bounds on one variable or attribute that OR joins by the
//! loosest one: `a > 1 || a > 5` is `a > 1`.

use std::cmp::Ordering;

use aql_plan::{CompareOperator, Expression, Plan};
use aql_value::Value;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::rewrite_expressions;

pub(super) struct RemoveRedundantOr;

impl Rule for RemoveRedundantOr {
    fn name(&self) -> &'static str {
        "remove-redundant-or"
    }

    fn description(&self) -> &'static str {
        "Combines bounds on one attribute that are joined by OR into one bound."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        rewrite_expressions(plan, context.interrupt, &mut |expression| Ok(replace(expression)))
    }
}

fn replace(expression: &mut Expression) -> bool {
    let mut changed = false;
    expression.for_each_child_mut(&mut |child| changed |= replace(child));
    let Expression::Or(operands) = expression else { return changed };
    let Some(loosest) = loosest(operands) else { return changed };
    let kept = operands.swap_remove(loosest);
    *expression = kept;
    true
}

/// Returns the position of the loosest bound, if all operands are bounds in one direction on one
/// variable or attribute.
fn loosest(operands: &[Expression]) -> Option<usize> {
    let (attribute, direction, ..) = as_bound(operands.first()?)?;
    let mut best = 0;
    let mut best_bound = as_bound(operands.first()?)?;
    for (position, operand) in operands.iter().enumerate().skip(1) {
        let bound = as_bound(operand)?;
        if bound.1 != direction || !bound.0.is_same(attribute) {
            return None;
        }
        // An index may answer the bounds on an attribute.
        let is_variable = matches!(attribute, Expression::Variable(_));
        if !is_variable && !is_order_certain(bound.2, best_bound.2) {
            return None;
        }
        if is_looser(&bound, &best_bound) {
            (best, best_bound) = (position, bound);
        }
    }
    Some(best)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Lower,
    Upper,
}

/// An attribute, a direction, a value, and true if the value itself is within the bound.
type Bound<'a> = (&'a Expression, Direction, &'a Value, bool);

fn as_bound(operand: &Expression) -> Option<Bound<'_>> {
    let Expression::Compare { operator, left, right } = operand else { return None };
    let (attribute, operator, value) = match (left.as_constant(), right.as_constant()) {
        (None, Some(value)) => (left, *operator, value),
        (Some(value), None) => (right, operator.mirrored(), value),
        _ => return None,
    };
    if !is_access(attribute) {
        return None;
    }
    let (direction, inclusive) = match operator {
        CompareOperator::Greater => (Direction::Lower, false),
        CompareOperator::GreaterEqual => (Direction::Lower, true),
        CompareOperator::Less => (Direction::Upper, false),
        CompareOperator::LessEqual => (Direction::Upper, true),
        CompareOperator::Equal | CompareOperator::NotEqual => return None,
    };
    Some((attribute, direction, value, inclusive))
}

/// Returns true for a variable, and for attributes and elements of it.
fn is_access(expression: &Expression) -> bool {
    match expression {
        Expression::Variable(_) => true,
        Expression::Attribute { base, .. } => is_access(base),
        Expression::Index { base, index } => index.as_constant().is_some() && is_access(base),
        _ => false,
    }
}

/// Returns true if two values have the same order in a search of an inverted index. There, a range
/// has values of one type, and strings are ordered by their bytes.
fn is_order_certain(one: &Value, other: &Value) -> bool {
    match (one.as_str(), other.as_str()) {
        (Some(one_text), Some(other_text)) => one_text.cmp(other_text) == one.compare(other),
        (None, None) => {
            let type_of = |value: &Value| [value.is_null(), value.is_bool(), value.is_number()];
            type_of(one) == type_of(other)
        }
        _ => false,
    }
}

fn is_looser(one: &Bound<'_>, other: &Bound<'_>) -> bool {
    let order = match one.1 {
        Direction::Lower => one.2.compare(other.2),
        Direction::Upper => other.2.compare(one.2),
    };
    order == Ordering::Less || (order == Ordering::Equal && one.3 && !other.3)
}
