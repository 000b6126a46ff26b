//! Folding of constants: an operation on constants becomes its result while the expression is
//! built, bottom up.

use aql_value::{
    EvaluationContext, EvaluationState, Interrupt, MemoryAccount, NoEnvironment, Value, Warnings,
};
use errors::{ErrorCode, Result};

use crate::compile::{RegisterMap, compile};
use crate::expression::{ElementOperator, Expression, Quantifier};

/// The state that folding needs to evaluate expressions.
pub struct Folder<'a> {
    /// Receives the warnings.
    pub warnings: &'a mut Warnings,
    /// The state of evaluations, such as random numbers.
    pub state: &'a mut EvaluationState,
    /// Charged with the values that folding makes.
    pub memory: &'a MemoryAccount,
    /// Ends long evaluations.
    pub interrupt: &'a Interrupt,
}

impl Folder<'_> {
    /// Returns the expression, or its value if that is known. The operands are folded already.
    ///
    /// As in ArangoDB, folding warns even if the operation would never be reached. It warns once,
    /// not for each row.
    pub fn fold(&mut self, expression: Expression) -> Result<Expression> {
        if let Some(outcome) = outcome_with_empty_array(&expression) {
            return Ok(Expression::Constant(Value::Bool(outcome)));
        }
        match expression {
            Expression::And(operands) => Ok(fold_logical(operands, false)),
            Expression::Or(operands) => Ok(fold_logical(operands, true)),
            Expression::Ternary { condition, then, otherwise } => {
                Ok(fold_ternary(condition, then, otherwise))
            }
            // A range stays a range: it may be long, and a loop over it need not build it.
            Expression::Constant(_)
            | Expression::Variable(_)
            | Expression::Parameter(_)
            | Expression::Range { .. } => Ok(expression),
            Expression::Array(members) => Ok(fold_array(members)),
            Expression::Call { function, .. } if !(function.deterministic && function.cacheable) => {
                Ok(expression)
            }
            expression if is_closed(&expression) => self.evaluate(expression),
            expression => Ok(expression),
        }
    }

    fn evaluate(&mut self, expression: Expression) -> Result<Expression> {
        let mut registers = RegisterMap::new();
        if let Some(element) = expression.element() {
            registers.set(element, 0);
        }
        let mut context = EvaluationContext {
            warnings: &mut *self.warnings,
            state: &mut *self.state,
            memory: self.memory,
            interrupt: self.interrupt,
            environment: &NoEnvironment,
        };
        match compile(&expression, &registers)?.evaluate_constant(&mut context) {
            Ok(value) => Ok(Expression::Constant(value)),
            Err(error) if error.code() == ErrorCode::NotConstant => Ok(expression),
            Err(error) => Err(error),
        }
    }
}

/// Returns the outcome of a comparison with an empty array, if it does not depend on the other
/// operand.
///
/// No value is a member of an empty array, and all its members satisfy any condition. The exception
/// is membership of its members in a value that may not be an array.
fn outcome_with_empty_array(expression: &Expression) -> Option<bool> {
    let is_empty = |operand: &Expression| {
        operand.as_constant().is_some_and(|value| value.is_array() && value.elements().next().is_none())
    };
    match expression {
        Expression::In { negated, value, list } if is_empty(list) && value.is_deterministic() => {
            Some(*negated)
        }
        Expression::ArrayCompare(comparison)
            if is_empty(&comparison.left) && comparison.right.is_deterministic() =>
        {
            let is_membership = matches!(comparison.operator, ElementOperator::In | ElementOperator::NotIn);
            match comparison.quantifier {
                Quantifier::All | Quantifier::None if is_membership && !comparison.right.is_array() => None,
                Quantifier::All | Quantifier::None => Some(true),
                Quantifier::Any => Some(false),
                Quantifier::AtLeast(_) | Quantifier::Exactly(_) => None,
            }
        }
        _ => None,
    }
}

/// Returns true if all operands are constants.
///
/// The inner parts of an expansion are not operands. They only have to be simple enough: constants
/// or computed from its element.
fn is_closed(expression: &Expression) -> bool {
    let element = expression.element();
    let mut closed = true;
    expression.for_each_child(&mut |child| {
        closed = closed
            && match child {
                Expression::Constant(_) => true,
                Expression::Variable(id) => Some(*id) == element,
                child => element.is_some() && is_simple_in(child, element),
            };
    });
    closed
}

/// Returns true if the expression reads only the element, and computes only by comparisons, logic,
/// arithmetic and attributes.
fn is_simple_in(expression: &Expression, element: Option<crate::variable::VariableId>) -> bool {
    match expression {
        Expression::Constant(_) => true,
        Expression::Variable(id) => Some(*id) == element,
        Expression::Attribute { .. }
        | Expression::Index { .. }
        | Expression::Unary { .. }
        | Expression::Arithmetic { .. }
        | Expression::Compare { .. }
        | Expression::In { .. }
        | Expression::And(_)
        | Expression::Or(_) => {
            let mut simple = true;
            expression.for_each_child(&mut |child| simple = simple && is_simple_in(child, element));
            simple
        }
        _ => false,
    }
}

fn fold_array(members: Vec<Expression>) -> Expression {
    if !members.iter().all(|member| matches!(member, Expression::Constant(_))) {
        return Expression::Array(members);
    }
    let values: Vec<Value> = members.into_iter().filter_map(|member| member.as_constant().cloned()).collect();
    Expression::Constant(Value::array(&values))
}

/// Folds AND (`decides` is false) or OR (`decides` is true).
///
/// A leading constant either decides or drops out. Operands after one that decides are never
/// reached. The last operand stays, because its value may be the result.
fn fold_logical(operands: Vec<Expression>, decides: bool) -> Expression {
    let mut kept: Vec<Expression> = Vec::with_capacity(operands.len());
    let count = operands.len();
    for (position, operand) in operands.into_iter().enumerate() {
        match operand.as_constant().map(Value::to_bool) {
            Some(value) if value == decides => {
                kept.push(operand);
                break;
            }
            Some(_) if position + 1 < count => {}
            _ => kept.push(operand),
        }
    }
    match (kept.len(), decides) {
        (1, _) => kept.remove(0),
        (_, false) => Expression::And(kept),
        (_, true) => Expression::Or(kept),
    }
}

fn fold_ternary(
    condition: Box<Expression>,
    then: Option<Box<Expression>>,
    otherwise: Box<Expression>,
) -> Expression {
    match condition.as_constant().map(Value::to_bool) {
        Some(true) => *then.unwrap_or(condition),
        Some(false) => *otherwise,
        None => Expression::Ternary { condition, then, otherwise },
    }
}
