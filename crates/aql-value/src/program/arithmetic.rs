//! `+ - * / %` and the sign.
//!
//! Operands are cast to numbers. Integers stay integers if the exact result fits in 64 bits signed;
//! otherwise the result is a double. A result that is not finite is null.

use errors::{ErrorCode, Result};

use super::ArithmeticOperator;
use crate::context::EvaluationContext;
use crate::value::Value;

/// Applies an operator to one pair of operands of any type.
pub(super) fn apply(
    operator: ArithmeticOperator,
    left: &Value,
    right: &Value,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    match operator {
        ArithmeticOperator::Add => Ok(add(left, right)),
        ArithmeticOperator::Subtract => Ok(subtract(left, right)),
        ArithmeticOperator::Multiply => Ok(multiply(left, right)),
        ArithmeticOperator::Divide => divide(left, right).map_or_else(|| by_zero(context), Ok),
        ArithmeticOperator::Modulo => modulo(left, right).map_or_else(|| by_zero(context), Ok),
    }
}

fn by_zero(context: &mut EvaluationContext<'_>) -> Result<Value> {
    context.warn(ErrorCode::QueryDivisionByZero, "division by zero")?;
    Ok(Value::Null)
}

/// A number, as an integer if integer arithmetic can represent it.
#[derive(Clone, Copy)]
enum Number {
    Integer(i64),
    Double(f64),
}

impl Number {
    fn of(value: &Value) -> Self {
        match value {
            Value::Int(number) => Self::Integer(*number),
            Value::Double(number) => Self::Double(*number),
            other => match other.to_number() {
                Value::Int(number) => Self::Integer(number),
                number => Self::Double(number.as_f64().unwrap_or(0.0)),
            },
        }
    }

    fn as_f64(self) -> f64 {
        match self {
            Self::Integer(number) => number as f64,
            Self::Double(number) => number,
        }
    }
}

fn combine(
    left: &Value,
    right: &Value,
    exact: fn(i64, i64) -> Option<i64>,
    double: fn(f64, f64) -> f64,
) -> Value {
    let (left, right) = (Number::of(left), Number::of(right));
    if let (Number::Integer(left), Number::Integer(right)) = (left, right)
        && let Some(result) = exact(left, right)
    {
        return Value::Int(result);
    }
    Value::from_f64(double(left.as_f64(), right.as_f64()))
}

/// Computes `left + right`.
pub fn add(left: &Value, right: &Value) -> Value {
    combine(left, right, i64::checked_add, |left, right| left + right)
}

/// Computes `left - right`.
pub fn subtract(left: &Value, right: &Value) -> Value {
    combine(left, right, i64::checked_sub, |left, right| left - right)
}

/// Computes `left * right`.
pub fn multiply(left: &Value, right: &Value) -> Value {
    combine(left, right, i64::checked_mul, |left, right| left * right)
}

/// Computes `left / right`; `None` if the divisor is zero.
///
/// The quotient of integers is an integer if it is exact.
pub fn divide(left: &Value, right: &Value) -> Option<Value> {
    if Number::of(right).as_f64() == 0.0 {
        return None;
    }
    let exact = |left: i64, right: i64| {
        left.checked_rem(right).filter(|remainder| *remainder == 0).and_then(|_| left.checked_div(right))
    };
    Some(combine(left, right, exact, |left, right| left / right))
}

/// Computes `left % right`, with the sign of the dividend; `None` if the divisor is zero.
pub fn modulo(left: &Value, right: &Value) -> Option<Value> {
    if Number::of(right).as_f64() == 0.0 {
        return None;
    }
    // i64::MIN % -1 overflows only in hardware: its value is 0.
    Some(combine(left, right, |left, right| Some(left.wrapping_rem(right)), |left, right| left % right))
}

/// Computes `-operand`.
pub fn negate(operand: &Value) -> Value {
    match Number::of(operand) {
        Number::Integer(number) => {
            number.checked_neg().map_or_else(|| Value::from_f64(-(number as f64)), Value::Int)
        }
        Number::Double(number) => Value::from_f64(-number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_stay_integers_until_they_overflow() {
        assert_eq!(add(&Value::Int(1), &Value::Int(2)).as_i64(), Some(3));
        assert!(matches!(add(&Value::Int(i64::MAX), &Value::Int(1)), Value::Double(d) if d == 2f64.powi(63)));
        assert!(matches!(multiply(&Value::Int(i64::MIN), &Value::Int(-1)), Value::Double(_)));
        assert!(matches!(negate(&Value::Int(i64::MIN)), Value::Double(_)));
        assert!(matches!(divide(&Value::Int(4), &Value::Int(2)), Some(Value::Int(2))));
        assert!(matches!(divide(&Value::Int(1), &Value::Int(2)), Some(Value::Double(0.5))));
        assert!(matches!(divide(&Value::Int(i64::MIN), &Value::Int(-1)), Some(Value::Double(_))));
        assert!(matches!(modulo(&Value::Int(i64::MIN), &Value::Int(-1)), Some(Value::Int(0))));
        assert!(matches!(modulo(&Value::Int(-7), &Value::Int(3)), Some(Value::Int(-1))));
        assert!(matches!(modulo(&Value::Double(7.5), &Value::Int(2)), Some(Value::Double(1.5))));
    }

    #[test]
    fn operands_are_cast() {
        let sum = |left: Value, right: Value| add(&left, &right).as_f64();
        assert_eq!(sum(Value::from_str("1"), Value::from_str(" 2.5 ")), Some(3.5));
        assert_eq!(sum(Value::from_str("abc"), Value::Int(1)), Some(1.0));
        assert_eq!(sum(Value::Null, Value::Bool(true)), Some(1.0));
        assert_eq!(sum(Value::array(&[]), Value::array(&[Value::from_str("7")])), Some(7.0));
        assert_eq!(sum(Value::array(&[Value::Int(1), Value::Int(2)]), Value::empty_object()), Some(0.0));
        assert_eq!(sum(Value::from_u64(u64::MAX), Value::Int(0)), Some(u64::MAX as f64));
    }

    #[test]
    fn what_is_not_finite_is_null() {
        assert!(multiply(&Value::Double(1e308), &Value::Int(10)).is_null());
        assert!(divide(&Value::Int(1), &Value::Int(0)).is_none());
        assert!(modulo(&Value::Int(1), &Value::from_str("x")).is_none());
    }
}
