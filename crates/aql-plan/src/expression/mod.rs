//! Bound expressions: names are resolved to variables and functions, bind parameters to values, subqueries to the
//! variables that their nodes set.
//!
//! Depth is bounded by the parser's limit on nesting (500), so functions over expressions may recurse; chains of AND
//! and OR are flat lists, because they may be long.

mod identity;
mod print;
#[cfg(test)]
mod tests;
mod visit;

pub use identity::Identity;
pub(crate) use print::variable_text;
pub use visit::combine;

use crate::bind::ParameterShape;
use crate::variable::VariableId;
use aql_value::{Function, Value};

/// A bound expression.
#[derive(Debug, Clone)]
pub enum Expression {
    /// The same value always.
    Constant(Value),
    /// The value of a variable in the current row (or of the element variable of an enclosing expansion).
    Variable(VariableId),
    /// The value of a bind parameter: the same always within one run of the plan, and not known before.
    Parameter(Parameter),
    /// `base.name`.
    Attribute {
        /// What is looked into.
        base: Box<Expression>,
        /// Attribute name, never split at dots.
        name: Box<str>,
    },
    /// `base[index]`: an array position (negative from the end) or an attribute with a computed name.
    Index {
        /// What is looked into.
        base: Box<Expression>,
        /// Number for arrays, anything else is cast to an attribute name.
        index: Box<Expression>,
    },
    /// `NOT x`, `+x`, `-x`.
    Unary {
        /// Which.
        operator: UnaryOperator,
        /// On what.
        operand: Box<Expression>,
    },
    /// `+ - * / %`.
    Arithmetic {
        /// Which.
        operator: ArithmeticOperator,
        /// Left operand.
        left: Box<Expression>,
        /// Right operand.
        right: Box<Expression>,
    },
    /// `== != < <= > >=`.
    Compare {
        /// Which.
        operator: CompareOperator,
        /// Left operand.
        left: Box<Expression>,
        /// Right operand.
        right: Box<Expression>,
    },
    /// `value IN list`, `value NOT IN list`. False if the list is not an array, both of them.
    In {
        /// `NOT IN`.
        negated: bool,
        /// What is looked for.
        value: Box<Expression>,
        /// Where.
        list: Box<Expression>,
    },
    /// `left ANY == right`: a comparison of each element.
    ArrayCompare(Box<ArrayCompare>),
    /// `a && b && ...`: the first operand that is false, otherwise the last; later operands are then not evaluated.
    /// At least two operands.
    And(Vec<Expression>),
    /// `a || b || ...`: the first operand that is true, otherwise the last. At least two operands.
    Or(Vec<Expression>),
    /// `condition ? then : otherwise`; without `then` the condition's own value.
    Ternary {
        /// Cast to a boolean.
        condition: Box<Expression>,
        /// Value if true; `None` for the value of the condition itself.
        then: Option<Box<Expression>>,
        /// Value if false.
        otherwise: Box<Expression>,
    },
    /// `first..last`: an array of integers, both ends included.
    Range {
        /// First member.
        first: Box<Expression>,
        /// Last member; smaller than the first for a descending range.
        last: Box<Expression>,
    },
    /// `[a, b, ...]`.
    Array(Vec<Expression>),
    /// `{a: 1, [b]: 2, ...}`.
    Object(Vec<ObjectMember>),
    /// A call of a function. The number of arguments is within the function's bounds. `LIKE` and `=~` are calls of
    /// `LIKE` and `REGEX_TEST`.
    Call {
        /// Which.
        function: &'static Function,
        /// With what. For the name of a collection as first argument: a constant string.
        arguments: Vec<Expression>,
    },
    /// `a[* FILTER .. LIMIT .. RETURN ..]`.
    Expansion(Box<Expansion>),
    /// `a[? ANY FILTER ..]`.
    ArrayQuestion(Box<ArrayQuestion>),
}

/// A bind parameter that a plan leaves open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its position among the plan's parameters.
    pub slot: usize,
    /// Its name.
    pub name: Box<str>,
    /// What is known of its value.
    pub shape: ParameterShape,
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `NOT`, `!`.
    Not,
    /// `+x`: a cast to a number.
    Plus,
    /// `-x`.
    Minus,
}

/// Arithmetic on two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArithmeticOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
}

/// Comparison of two values in AQL's total order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// The operator that holds exactly when this one does not (AQL's order is total).
    pub fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }

    /// The operator with its sides exchanged: `a < b` is `b > a`.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
        }
    }
}

/// One `name: value` of an object literal. Of several members with one name the last wins.
#[derive(Debug, Clone)]
pub struct ObjectMember {
    /// Fixed or computed.
    pub name: MemberName,
    /// Its value.
    pub value: Expression,
}

/// Name of an object member.
#[derive(Debug, Clone)]
pub enum MemberName {
    /// As written.
    Fixed(Box<str>),
    /// `[expression]`: cast to a string.
    Computed(Expression),
}

/// `left quantifier operator right`, as in `tags ANY == "a"`. False if `left` is not an array.
#[derive(Debug, Clone)]
pub struct ArrayCompare {
    /// How many elements must match.
    pub quantifier: Quantifier,
    /// How each element is compared.
    pub operator: ElementOperator,
    /// The array.
    pub left: Expression,
    /// What each element is compared with.
    pub right: Expression,
}

/// Operator of an array comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementOperator {
    /// `== != < <= > >=`
    Compare(CompareOperator),
    /// `IN`
    In,
    /// `NOT IN`
    NotIn,
}

/// How many elements must satisfy a condition.
#[derive(Debug, Clone)]
pub enum Quantifier {
    /// Every one (an empty array satisfies it).
    All,
    /// At least one.
    Any,
    /// Not one.
    None,
    /// `AT LEAST (n)`; the number is cast to an integer.
    AtLeast(Box<Expression>),
    /// Exactly so many, or within a range if the value is an array (`2..3`). Only in array questions.
    Exactly(Box<Expression>),
}

/// `input[* ...]`. A value that is not an array is taken as an empty one. The steps run in the order of the fields.
#[derive(Debug, Clone)]
pub struct Expansion {
    /// What is expanded.
    pub input: Expression,
    /// Number of stars: 1 maps the elements, each further one flattens one level before mapping.
    pub levels: u32,
    /// Variable that holds the current element in `filter` and `projection` (`CURRENT`).
    pub element: VariableId,
    /// Keeps elements for which it is true.
    pub filter: Option<Expression>,
    /// Elements to skip after the filter; constant in a row of the outer query.
    pub offset: Option<Expression>,
    /// Elements to keep after skipping.
    pub limit: Option<Expression>,
    /// What an element becomes; `None` for the element itself.
    pub projection: Option<Expression>,
}

/// `input[? quantifier FILTER condition]`: a boolean. False if the input is not an array.
#[derive(Debug, Clone)]
pub struct ArrayQuestion {
    /// What is asked.
    pub input: Expression,
    /// Number of question marks; each after the first flattens one level before.
    pub levels: u32,
    /// How many elements must satisfy the filter (`Any` if not written).
    pub quantifier: Quantifier,
    /// Variable that holds the current element in `filter` (`CURRENT`).
    pub element: VariableId,
    /// The condition; `None` (only `[?]`) is true for every element.
    pub filter: Option<Expression>,
}
