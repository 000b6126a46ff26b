//! `simplify-conditions`: rewrites expressions to simpler ones with the same value: constant
//! variables, attributes of object literals, elements of array literals, negated comparisons.

use std::collections::HashMap;

use aql_plan::{Expression, Folder, MemberName, ObjectMember, Plan, UnaryOperator, VariableId, combine};
use aql_value::{EvaluationState, Value, Warnings};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::{constants, for_each_pipeline};

pub(super) struct SimplifyConditions;

impl Rule for SimplifyConditions {
    fn name(&self) -> &'static str {
        "simplify-conditions"
    }

    fn description(&self) -> &'static str {
        "Replaces expressions by simpler ones with the same value."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        let (mut warnings, mut state) = (Warnings::default(), EvaluationState::new());
        let mut folder = Folder {
            warnings: &mut warnings,
            state: &mut state,
            memory: context.memory,
            interrupt: context.interrupt,
        };
        let constants = constants(&plan.nodes);
        let changed = for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let mut changed = Ok(false);
            for node in nodes {
                node.kind.for_each_expression_mut(&mut |expression| {
                    if expression.as_variable().is_none() {
                        combine(&mut changed, || simplify(expression, &constants, &mut folder));
                    }
                });
            }
            changed
        })?;
        plan.warnings.extend_from_slice(warnings.list());
        Ok(changed)
    }
}

/// Simplifies bottom-up and folds operations that have become constant.
fn simplify(
    expression: &mut Expression,
    constants: &HashMap<VariableId, Expression>,
    folder: &mut Folder<'_>,
) -> Result<bool> {
    if let Some(value) = expression.as_variable().and_then(|id| constants.get(&id)) {
        *expression = value.clone();
        return Ok(true);
    }
    let changed = expression.change_children(&mut |child| simplify(child, constants, folder))?;
    if let Some(simpler) = simpler(expression) {
        *expression = simpler;
        return Ok(true);
    }
    if changed {
        *expression = folder.fold(take(expression))?;
    }
    Ok(changed)
}

fn simpler(expression: &mut Expression) -> Option<Expression> {
    match expression {
        Expression::Attribute { base, name } => match &mut **base {
            Expression::Object(members) => take_member(members, name),
            _ => None,
        },
        Expression::Index { base, index } => match (&mut **base, &**index) {
            (Expression::Array(members), Expression::Constant(Value::Int(position))) => {
                take_element(members, *position)
            }
            _ => None,
        },
        Expression::Unary { operator: UnaryOperator::Not, operand } => negate(operand),
        _ => None,
    }
}

/// Returns `x` for `{a: x, b: y}.a`, if dropping the others has no effect and no computed name can
/// be `a`.
fn take_member(members: &mut Vec<ObjectMember>, name: &str) -> Option<Expression> {
    let is_simple = members
        .iter()
        .all(|member| matches!(member.name, MemberName::Fixed(_)) && member.value.is_deterministic());
    if !is_simple {
        return None;
    }
    let position =
        members.iter().position(|member| matches!(&member.name, MemberName::Fixed(own) if **own == *name));
    Some(match position {
        Some(position) => members.swap_remove(position).value,
        None => Expression::Constant(Value::Null),
    })
}

/// Returns `y` for `[x, y][1]`.
fn take_element(members: &mut Vec<Expression>, position: i64) -> Option<Expression> {
    if !members.iter().all(Expression::is_deterministic) {
        return None;
    }
    let length = i64::try_from(members.len()).ok()?;
    let position = if position < 0 { position.checked_add(length)? } else { position };
    match usize::try_from(position) {
        Ok(position) if position < members.len() => Some(members.swap_remove(position)),
        _ => Some(Expression::Constant(Value::Null)),
    }
}

/// Returns `a != b` for `!(a == b)`, and `a` for `!!a` if that is a boolean.
fn negate(operand: &mut Expression) -> Option<Expression> {
    match operand {
        Expression::Compare { operator, .. } => *operator = operator.negated(),
        Expression::In { negated, list, .. } if list.is_array() => *negated = !*negated,
        Expression::Unary { operator: UnaryOperator::Not, operand: inner } if inner.is_boolean() => {
            return Some(take(inner));
        }
        _ => return None,
    }
    Some(take(operand))
}

fn take(expression: &mut Expression) -> Expression {
    std::mem::replace(expression, Expression::Constant(Value::Null))
}
