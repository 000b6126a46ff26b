//! Bound expressions: names are resolved to variables and functions, bind parameters to values, and
//! subqueries to the variables that their nodes set.
//!
//! The parser's limit on nesting (500) bounds the depth, so functions over expressions may recurse.
//! Chains of AND and OR may be long, so they are flat lists.

mod identity;
mod print;
#[cfg(test)]
mod tests;
mod visit;

use aql_value::{Function, Value};

use crate::parameters::ParameterShape;
use crate::variable::VariableId;

pub use identity::Identity;
pub(crate) use print::variable_text;
pub use visit::combine;

/// Returns the name and the arguments of a call as the query has them.
pub fn called<'e>(function: &'static Function, arguments: &'e [Expression]) -> (&'e str, &'e [Expression]) {
    match arguments.split_first() {
        Some((Expression::Constant(name), arguments)) if is_user_function(function) => {
            (name.as_str().unwrap_or_default(), arguments)
        }
        _ => (function.name, arguments),
    }
}

/// Returns true for the call of a function that a user wrote.
pub fn is_user_function(function: &Function) -> bool {
    std::ptr::eq(function, aql_functions::user_function())
}

/// A bound expression.
#[derive(Debug, Clone)]
pub enum Expression {
    /// A value that is always the same.
    Constant(Value),
    /// The value of a variable in the current row (or of the element variable of an enclosing
    /// expansion).
    Variable(VariableId),
    /// The value of a bind parameter: the same within one run of the plan, and unknown before.
    Parameter(Parameter),
    /// `base.name`.
    Attribute {
        /// The value that has the attribute.
        base: Box<Expression>,
        /// Attribute name, never split at dots.
        name: Box<str>,
    },
    /// `base[index]`: an array position (negative from the end) or an attribute with a computed
    /// name.
    Index {
        /// The array or object.
        base: Box<Expression>,
        /// A number for arrays. Any other value is cast to an attribute name.
        index: Box<Expression>,
    },
    /// `NOT x`, `+x`, `-x`.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// The operand.
        operand: Box<Expression>,
    },
    /// `+ - * / %`.
    Arithmetic {
        /// The operator.
        operator: ArithmeticOperator,
        /// Left operand.
        left: Box<Expression>,
        /// Right operand.
        right: Box<Expression>,
    },
    /// `== != < <= > >=`.
    Compare {
        /// The operator.
        operator: CompareOperator,
        /// Left operand.
        left: Box<Expression>,
        /// Right operand.
        right: Box<Expression>,
    },
    /// `value IN list`, `value NOT IN list`. Both are false if the list is not an array.
    In {
        /// `NOT IN`.
        negated: bool,
        /// The value to look for.
        value: Box<Expression>,
        /// The array to look in.
        list: Box<Expression>,
    },
    /// `left ANY == right`: a comparison of each element.
    ArrayCompare(Box<ArrayCompare>),
    /// `a && b && ...`: the first operand that is false, otherwise the last. Later operands are not
    /// evaluated. There are at least two operands.
    And(Vec<Expression>),
    /// `a || b || ...`: the first operand that is true, otherwise the last. There are at least two
    /// operands.
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
    /// A call of a function. The number of arguments is within the function's bounds. `LIKE` and
    /// `=~` are calls of `LIKE` and `REGEX_TEST`.
    Call {
        /// The function.
        function: &'static Function,
        /// The arguments. The name of a collection as first argument is a constant string.
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
    /// Position among the plan's parameters.
    pub slot: usize,
    /// Name of the parameter.
    pub name: Box<str>,
    /// The known part of its value.
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
    /// Returns the operator that holds exactly when this one does not (AQL's order is total).
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

    /// Returns the operator with its sides exchanged: `a < b` is `b > a`.
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

/// One `name: value` of an object literal. The first of several members with one name wins.
#[derive(Debug, Clone)]
pub struct ObjectMember {
    /// Fixed or computed name.
    pub name: MemberName,
    /// Value of the member.
    pub value: Expression,
}

/// Name of an object member.
#[derive(Debug, Clone)]
pub enum MemberName {
    /// A name as written.
    Fixed(Box<str>),
    /// `[expression]`: cast to a string.
    Computed(Expression),
}

/// `left quantifier operator right`, as in `tags ANY == "a"`. False if `left` is not an array.
#[derive(Debug, Clone)]
pub struct ArrayCompare {
    /// The number of elements that must match.
    pub quantifier: Quantifier,
    /// The comparison of each element with `right`.
    pub operator: ElementOperator,
    /// The array.
    pub left: Expression,
    /// The value to compare each element with.
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

/// The number of elements that must satisfy a condition.
#[derive(Debug, Clone)]
pub enum Quantifier {
    /// All elements (an empty array satisfies it).
    All,
    /// At least one.
    Any,
    /// No element.
    None,
    /// `AT LEAST (n)`; the number is cast to an integer.
    AtLeast(Box<Expression>),
    /// Exactly this number, or a number within a range if the value is an array (`2..3`). Only in
    /// array questions.
    Exactly(Box<Expression>),
}

/// `input[* ...]`. A value that is not an array counts as an empty one. The steps run in the order
/// of the fields.
#[derive(Debug, Clone)]
pub struct Expansion {
    /// The array to expand.
    pub input: Expression,
    /// Number of stars: 1 maps the elements, and each further one flattens one level before
    /// mapping.
    pub levels: u32,
    /// Variable that holds the current element in `filter` and `projection` (`CURRENT`).
    pub element: VariableId,
    /// The condition on elements to keep.
    pub filter: Option<Expression>,
    /// Number of elements to skip after the filter; constant in a row of the outer query.
    pub offset: Option<Expression>,
    /// Number of elements to keep after skipping.
    pub limit: Option<Expression>,
    /// The result for an element; `None` for the element itself.
    pub projection: Option<Expression>,
}

/// `input[? quantifier FILTER condition]`: a boolean. False if the input is not an array.
#[derive(Debug, Clone)]
pub struct ArrayQuestion {
    /// The array to test.
    pub input: Expression,
    /// Number of question marks. Each after the first flattens one level before the test.
    pub levels: u32,
    /// The number of elements that must satisfy the filter (`Any` by default).
    pub quantifier: Quantifier,
    /// Variable that holds the current element in `filter` (`CURRENT`).
    pub element: VariableId,
    /// The condition. Without one (only `[?]`), every element satisfies it.
    pub filter: Option<Expression>,
}
