//! `replace-or-with-in`: replaces `a == 1 || a == 2`, of an attribute or a variable, by
//! `a IN [1, 2]`.
//!
//! That is one lookup in an index or in a set instead of a chain of comparisons.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aql_plan::{CompareOperator, Expression, Identity, Plan};
use aql_value::{Charge, Value};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::rewrite_expressions;

pub(super) struct ReplaceOrWithIn;

impl Rule for ReplaceOrWithIn {
    fn name(&self) -> &'static str {
        "replace-or-with-in"
    }

    fn description(&self) -> &'static str {
        "Combines equality comparisons of one attribute or variable that are joined by OR into an IN comparison."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        rewrite_expressions(plan, context.interrupt, &mut |expression| replace(expression, context))
    }
}

/// Maximum number of members of constant lists that are combined with the longest one.
///
/// A short query can name one long parameter a thousand times.
const MAX_COMBINED_MEMBERS: usize = 1 << 20;

/// One alternative, or several that were combined.
enum Alternative {
    Other(Expression),
    /// The attribute has one of the values, or one of the members of lists.
    OneOf {
        attribute: Expression,
        values: Vec<Values>,
    },
}

/// The right side of an alternative.
enum Values {
    One(Expression),
    List(Vec<Expression>),
    ConstantList(Value),
}

/// Errors: 32 if there is no memory for the combined lists, 1500 for a query that was ended.
fn replace(expression: &mut Expression, context: &RuleContext<'_>) -> Result<bool> {
    let changed = expression.change_children(&mut |child| replace(child, context))?;
    let Expression::Or(operands) = expression else { return Ok(changed) };
    context.interrupt.check()?;
    if !is_combinable(operands) {
        return Ok(changed);
    }
    *expression = combine(std::mem::take(operands), context)?;
    Ok(true)
}

/// Returns true if several alternatives are about one attribute, and may change places.
///
/// Lists must not become too long.
///
/// The value of OR is the value of one operand, so the order of operands matters if they are not
/// booleans.
fn is_combinable(operands: &[Expression]) -> bool {
    let mut attributes: HashSet<Identity> = HashSet::new();
    let mut found = false;
    let (mut members, mut longest) = (0, 0);
    for operand in operands {
        members += constant_members(operand);
        longest = longest.max(constant_members(operand));
        match Membership::of(operand) {
            Some(membership) => found |= !attributes.insert(membership.attribute(operand).identity()),
            None if operand.is_boolean() => {}
            None => return false,
        }
    }
    found && members - longest <= MAX_COMBINED_MEMBERS
}

/// Returns the number of members of a constant list on the right.
fn constant_members(operand: &Expression) -> usize {
    match operand {
        Expression::In { list, .. } => list.as_constant().map_or(0, Value::len),
        _ => 0,
    }
}

/// Combines alternatives.
fn combine(operands: Vec<Expression>, context: &RuleContext<'_>) -> Result<Expression> {
    let mut alternatives: Vec<Alternative> = Vec::new();
    let mut by_attribute: HashMap<Identity, usize> = HashMap::new();
    for operand in operands {
        let Some(membership) = Membership::of(&operand) else {
            alternatives.push(Alternative::Other(operand));
            continue;
        };
        let identity = membership.attribute(&operand).identity();
        let position = *by_attribute.entry(identity).or_insert(alternatives.len());
        let (attribute, own) = membership.into_parts(operand);
        match alternatives.get_mut(position) {
            Some(Alternative::OneOf { values, .. }) => values.push(own),
            _ => alternatives.push(Alternative::OneOf { attribute, values: vec![own] }),
        }
    }
    let combined = alternatives.into_iter().map(|alternative| alternative.into_expression(context));
    let mut combined = combined.collect::<Result<Vec<Expression>>>()?;
    Ok(match combined.pop() {
        Some(only) if combined.is_empty() => only,
        last => {
            combined.extend(last);
            Expression::Or(combined)
        }
    })
}

impl Alternative {
    fn into_expression(self, context: &RuleContext<'_>) -> Result<Expression> {
        let (attribute, mut values) = match self {
            Self::Other(expression) => return Ok(expression),
            Self::OneOf { attribute, values } => (Box::new(attribute), values),
        };
        let is_one = matches!(values.as_slice(), [only] if only.len() == 1);
        if let Some(only) = values.pop_if(|_| is_one) {
            let right = only.into_members().next().unwrap_or(Expression::Constant(Value::Null));
            let (operator, right) = (CompareOperator::Equal, Box::new(right));
            return Ok(Expression::Compare { operator, left: attribute, right });
        }
        let list = match values.iter().all(Values::are_constant) {
            true => Expression::Constant(constant_list(&values, context)?),
            false => Expression::Array(list(values, context)?),
        };
        Ok(Expression::In { negated: false, value: attribute, list: Box::new(list) })
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::List(members) => members.len(),
            Self::ConstantList(list) => list.len(),
        }
    }

    fn are_constant(&self) -> bool {
        match self {
            Self::One(value) => value.as_constant().is_some(),
            Self::List(members) => members.iter().all(|member| member.as_constant().is_some()),
            Self::ConstantList(_) => true,
        }
    }

    fn into_members(self) -> Box<dyn Iterator<Item = Expression>> {
        match self {
            Self::One(value) => Box::new(std::iter::once(value)),
            Self::List(members) => Box::new(members.into_iter()),
            Self::ConstantList(list) => {
                let members: Vec<Value> = list.elements().collect();
                Box::new(members.into_iter().map(Expression::Constant))
            }
        }
    }
}

/// Returns all values as one constant. Its memory stays charged until the query ends.
fn constant_list(values: &[Values], context: &RuleContext<'_>) -> Result<Value> {
    let mut memory = Charge::new(Arc::clone(context.memory));
    let mut all: Vec<Value> = Vec::new();
    for values in values {
        context.interrupt.check()?;
        memory.grow((values.len() * size_of::<Value>()) as u64)?;
        match values {
            Values::One(value) => all.extend(value.as_constant().cloned()),
            Values::List(members) => {
                all.extend(members.iter().filter_map(|member| member.as_constant().cloned()))
            }
            Values::ConstantList(list) => all.extend(list.elements()),
        }
    }
    let list = Value::array(&all);
    context.memory.charge(list.memory_bytes() as u64)?;
    Ok(list)
}

/// Returns all values. Their memory stays charged until the query ends.
fn list(values: Vec<Values>, context: &RuleContext<'_>) -> Result<Vec<Expression>> {
    let mut all = Vec::new();
    for values in values {
        context.interrupt.check()?;
        if let Values::ConstantList(_) = &values {
            context.memory.charge((values.len() * size_of::<Expression>()) as u64)?;
        }
        all.extend(values.into_members());
    }
    Ok(all)
}

/// The form of `attribute == value` or `attribute IN [values]`.
///
/// A variable also counts as an attribute, if it is compared with a value that is neither an
/// attribute nor a variable.
#[derive(Clone, Copy)]
enum Membership {
    /// The attribute is the left side of an equality.
    EqualLeft,
    /// The attribute is the right side of an equality.
    EqualRight,
    In,
}

impl Membership {
    fn of(operand: &Expression) -> Option<Self> {
        match operand {
            Expression::Compare { operator: CompareOperator::Equal, left, right } => {
                let form = match (is_attribute(left), is_attribute(right)) {
                    (true, _) => Self::EqualLeft,
                    (false, true) => Self::EqualRight,
                    (false, false) => match (is_variable(left), is_variable(right)) {
                        (true, false) => Self::EqualLeft,
                        (false, true) => Self::EqualRight,
                        _ => return None,
                    },
                };
                let value = if matches!(form, Self::EqualLeft) { right } else { left };
                value.is_deterministic().then_some(form)
            }
            Expression::In { negated: false, value, list } if is_attribute(value) || is_variable(value) => {
                let is_list = match &**list {
                    Expression::Constant(array) => array.is_array(),
                    Expression::Array(members) => members.iter().all(Expression::is_deterministic),
                    _ => false,
                };
                is_list.then_some(Self::In)
            }
            _ => None,
        }
    }

    fn attribute(self, operand: &Expression) -> &Expression {
        match (self, operand) {
            (Self::EqualLeft, Expression::Compare { left, .. }) => left,
            (Self::EqualRight, Expression::Compare { right, .. }) => right,
            (Self::In, Expression::In { value, .. }) => value,
            _ => operand,
        }
    }

    /// Returns the attribute and the values.
    fn into_parts(self, operand: Expression) -> (Expression, Values) {
        match (self, operand) {
            (Self::EqualLeft, Expression::Compare { left, right, .. }) => (*left, Values::One(*right)),
            (Self::EqualRight, Expression::Compare { left, right, .. }) => (*right, Values::One(*left)),
            (_, Expression::In { value, list, .. }) => match *list {
                Expression::Constant(list) => (*value, Values::ConstantList(list)),
                Expression::Array(members) => (*value, Values::List(members)),
                other => (*value, Values::One(other)),
            },
            (_, other) => (other, Values::List(Vec::new())),
        }
    }
}

fn is_attribute(side: &Expression) -> bool {
    side.as_attribute_path().is_some_and(|(_, names)| !names.is_empty())
}

fn is_variable(side: &Expression) -> bool {
    matches!(side, Expression::Variable(_))
}
