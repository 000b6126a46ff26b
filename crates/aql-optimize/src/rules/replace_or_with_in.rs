//! `replace-or-with-in`: replaces `a == 1 || a == 2`, of an attribute or a variable, by
//! `a IN [1, 2]`.
//!
//! That is one look-up in an index or in a set instead of a chain of comparisons.

use super::{Rule, RuleContext};
use crate::analysis::pipeline::rewrite_expressions;
use aql_plan::{CompareOperator, Expression, Identity, Plan};
use aql_value::Value;
use errors::Result;
use std::collections::HashMap;

pub(super) struct ReplaceOrWithIn;

impl Rule for ReplaceOrWithIn {
    fn name(&self) -> &'static str {
        "replace-or-with-in"
    }

    fn description(&self) -> &'static str {
        "Combines equality comparisons of one attribute or variable that are joined by OR into an IN comparison."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        rewrite_expressions(plan, &mut replace)
    }
}

/// One alternative, or several that were combined.
enum Alternative {
    Other(Expression),
    OneOf { attribute: Expression, values: Values },
}

/// The possible values of the attribute.
struct Values {
    single: Vec<Expression>,
    /// The number of alternatives that were combined.
    count: usize,
}

fn replace(expression: &mut Expression) -> bool {
    let mut changed = false;
    expression.for_each_child_mut(&mut |child| changed |= replace(child));
    let Expression::Or(operands) = expression else { return changed };
    let Some(combined) = combine(operands) else { return changed };
    *expression = combined;
    true
}

/// Combines alternatives; `None` if there is nothing to combine.
fn combine(operands: &[Expression]) -> Option<Expression> {
    let mut alternatives: Vec<Alternative> = Vec::new();
    let mut by_attribute: HashMap<Identity, usize> = HashMap::new();
    let mut found = false;
    for operand in operands.iter() {
        let Some((attribute, values)) = as_membership(operand) else {
            alternatives.push(Alternative::Other(operand.clone()));
            continue;
        };
        let position = *by_attribute.entry(attribute.identity()).or_insert(alternatives.len());
        match alternatives.get_mut(position) {
            Some(Alternative::OneOf { values: known, .. }) => {
                known.single.extend(values);
                known.count += 1;
                found = true;
            }
            _ => alternatives.push(Alternative::OneOf {
                attribute: attribute.clone(),
                values: Values { single: values, count: 1 },
            }),
        }
    }
    if !found {
        return None;
    }
    // The value of OR is the value of one operand, so the order of operands matters if they are not
    // booleans.
    let is_boolean = |alternative: &Alternative| match alternative {
        Alternative::Other(expression) => expression.is_boolean(),
        Alternative::OneOf { .. } => true,
    };
    if !alternatives.iter().all(is_boolean) {
        return None;
    }
    let mut combined: Vec<Expression> = alternatives.into_iter().map(Alternative::into_expression).collect();
    if combined.len() == 1 { combined.pop() } else { Some(Expression::Or(combined)) }
}

impl Alternative {
    fn into_expression(self) -> Expression {
        match self {
            Self::Other(expression) => expression,
            Self::OneOf { attribute, values } => {
                let constants: Option<Vec<Value>> =
                    values.single.iter().map(|value| value.as_constant().cloned()).collect();
                let (value, mut single) = (Box::new(attribute), values.single);
                if single.len() == 1 && values.count == 1 {
                    let right = Box::new(single.pop().unwrap_or(Expression::Constant(Value::Null)));
                    return Expression::Compare { operator: CompareOperator::Equal, left: value, right };
                }
                let list = match constants {
                    Some(constants) => Expression::Constant(Value::array(&constants)),
                    None => Expression::Array(single),
                };
                Expression::In { negated: false, value, list: Box::new(list) }
            }
        }
    }
}

/// Returns the sides of `attribute == value` or `attribute IN [values]`.
///
/// A variable also counts, if it is compared with a value that is neither an attribute nor a
/// variable.
fn as_membership(operand: &Expression) -> Option<(&Expression, Vec<Expression>)> {
    let is_attribute =
        |side: &Expression| side.as_attribute_path().is_some_and(|(_, names)| !names.is_empty());
    let is_variable = |side: &Expression| matches!(side, Expression::Variable(_));
    match operand {
        Expression::Compare { operator: CompareOperator::Equal, left, right } => {
            let (attribute, value) = match (is_attribute(left), is_attribute(right)) {
                (true, _) => (left, right),
                (false, true) => (right, left),
                (false, false) => match (is_variable(left), is_variable(right)) {
                    (true, false) => (left, right),
                    (false, true) => (right, left),
                    _ => return None,
                },
            };
            value.is_deterministic().then(|| (&**attribute, vec![(**value).clone()]))
        }
        Expression::In { negated: false, value, list, .. } if is_attribute(value) || is_variable(value) => {
            match &**list {
                Expression::Constant(array) if array.is_array() => {
                    Some((value, array.elements().map(Expression::Constant).collect()))
                }
                Expression::Array(members) if members.iter().all(Expression::is_deterministic) => {
                    Some((value, members.clone()))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
