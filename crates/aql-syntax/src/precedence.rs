//! Operator precedence: the table that parser and printer share.
//!
//! The levels are those of ArangoDB's documentation, counted from the loosest. Note that `<` binds
//! tighter than `IN`, and `IN` tighter than `==`; unary `NOT` binds tighter than any of them. All
//! but the ternary operator associate to the left.

use crate::ast::{ArithmeticOperator, BinaryOperator, ComparisonOperator, LogicalOperator};

/// `a ? b : c`, right-associative.
pub(crate) const TERNARY: u8 = 3;
/// `||`, `OR`
pub(crate) const OR: u8 = 7;
/// `&&`, `AND`
pub(crate) const AND: u8 = 8;
/// `ALL`, `ANY`, `NONE` seen from the left; the comparison binds its right operand.
pub(crate) const QUANTIFIER: u8 = 9;
/// `AT LEAST (n)` seen from the left
pub(crate) const AT_LEAST: u8 = 10;
/// `==`, `!=`, `LIKE`, `NOT LIKE`, `=~`, `!~`
pub(crate) const EQUALITY: u8 = 11;
/// `IN`, `NOT IN`
pub(crate) const MEMBERSHIP: u8 = 12;
/// `<`, `<=`, `>`, `>=`
pub(crate) const RELATION: u8 = 13;
/// `..`
pub(crate) const RANGE: u8 = 14;
/// `+`, `-`
pub(crate) const SUM: u8 = 15;
/// `*`, `/`, `%`
pub(crate) const PRODUCT: u8 = 16;
/// `!`, `NOT`, and `+` and `-` before one operand
pub(crate) const UNARY: u8 = 17;
/// Any other expression.
pub(crate) const OPERAND: u8 = 18;

pub(crate) fn logical(operator: LogicalOperator) -> u8 {
    match operator {
        LogicalOperator::And => AND,
        LogicalOperator::Or => OR,
    }
}

pub(crate) fn binary(operator: BinaryOperator) -> u8 {
    match operator {
        BinaryOperator::Comparison(operator) => comparison(operator),
        BinaryOperator::Match(_) => EQUALITY,
        BinaryOperator::Arithmetic(ArithmeticOperator::Add | ArithmeticOperator::Subtract) => SUM,
        BinaryOperator::Arithmetic(
            ArithmeticOperator::Multiply | ArithmeticOperator::Divide | ArithmeticOperator::Modulo,
        ) => PRODUCT,
    }
}

pub(crate) fn comparison(operator: ComparisonOperator) -> u8 {
    match operator {
        ComparisonOperator::Equal | ComparisonOperator::NotEqual => EQUALITY,
        ComparisonOperator::In | ComparisonOperator::NotIn => MEMBERSHIP,
        ComparisonOperator::Less
        | ComparisonOperator::LessOrEqual
        | ComparisonOperator::Greater
        | ComparisonOperator::GreaterOrEqual => RELATION,
    }
}
