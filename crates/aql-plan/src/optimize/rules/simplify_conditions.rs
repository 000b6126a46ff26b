//! `simplify-conditions`: rewrites expressions to simpler ones with the same value: attributes of object literals,
//! members of array literals, negated comparisons.

use super::{Rule, RuleContext};
use crate::expression::{Expression, MemberName, ObjectMember, UnaryOperator};
use crate::optimize::pipeline::for_each_pipeline;
use crate::plan::Plan;
use aql_value::{Result, Value};

pub(super) struct SimplifyConditions;

impl Rule for SimplifyConditions {
    fn name(&self) -> &'static str {
        "simplify-conditions"
    }

    fn description(&self) -> &'static str {
        "Replaces expressions by simpler ones with the same value."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, &mut |nodes, _| {
            let mut changed = false;
            for node in nodes {
                node.kind.for_each_expression_mut(&mut |expression| changed |= simplify(expression));
            }
            Ok(changed)
        })
    }
}

/// Simplifies bottom up.
fn simplify(expression: &mut Expression) -> bool {
    let mut changed = false;
    expression.for_each_child_mut(&mut |child| changed |= simplify(child));
    let simpler = match expression {
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
    };
    if let Some(simpler) = simpler {
        *expression = simpler;
        changed = true;
    }
    changed
}

/// `{a: x, b: y}.a` is `x`, if leaving the others out changes nothing and no computed name can be `a`.
fn take_member(members: &mut Vec<ObjectMember>, name: &str) -> Option<Expression> {
    let is_simple = members.iter().all(|member| {
        matches!(member.name, MemberName::Fixed(_)) && member.value.is_deterministic()
    });
    if !is_simple {
        return None;
    }
    let position = members.iter().rposition(|member| matches!(&member.name, MemberName::Fixed(own) if **own == *name));
    Some(match position {
        Some(position) => members.swap_remove(position).value,
        None => Expression::Constant(Value::Null),
    })
}

/// `[x, y][1]` is `y`.
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

/// `!(a == b)` is `a != b`; `!!a` is `a` if that is a boolean.
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
