//! The operators of instructions.

use std::cmp::Ordering;

use super::Slot;

/// `NOT x`, `+x`, `-x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOperator {
    /// The boolean negation of the cast to bool.
    Not,
    /// The cast to number.
    Plus,
    /// The negated cast to number.
    Minus,
}

/// Arithmetic on operands cast to number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArithmeticOperator {
    /// `+`; never concatenates.
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`; by zero: null and warning 1562.
    Divide,
    /// `%`; by zero: null and warning 1562.
    Modulo,
}

/// Comparison by AQL's total order, without casts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareOperator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl CompareOperator {
    /// Returns true if operands that compare as `ordering` satisfy the operator.
    pub fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::LessEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterEqual => ordering.is_ge(),
        }
    }
}

/// The test of an array comparison for each element of its left side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayOperator {
    /// A comparison with the right side.
    Compare(CompareOperator),
    /// A search in the right side; false if that is not an array.
    In,
    /// The opposite of `In`, except that it too is false if the right side is not an array.
    NotIn,
}

/// The number of elements that must satisfy a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// All elements; holds for an empty array.
    All,
    /// At least one element.
    Any,
    /// No element; holds for an empty array.
    None,
    /// `AT LEAST (n)`: at least the slot's value.
    AtLeast(Slot),
    /// `[? n FILTER ..]`: exactly the slot's value.
    Exactly(Slot),
    /// `[? a..b FILTER ..]`: between the two, both ends included.
    Between(Slot, Slot),
}
