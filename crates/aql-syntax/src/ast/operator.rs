//! Operators, with their spelling and precedence.

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `!` or `NOT`.
    Not,
    /// `+`: casts to a number.
    Plus,
    /// `-`: casts to a number and negates.
    Minus,
}

/// `AND` or `OR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogicalOperator {
    /// `AND`, `&&`: the first operand that is false when cast to bool, else the last.
    And,
    /// `OR`, `||`: the first operand that is true when cast to bool, else the last.
    Or,
}

/// An operator between two operands that always evaluates both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// A comparison by AQL's order.
    Comparison(ComparisonOperator),
    /// A text match; stands for a call of `LIKE` or `REGEX_TEST`.
    Match(MatchOperator),
    /// A calculation with numbers.
    Arithmetic(ArithmeticOperator),
}

/// An operator between the elements of an array and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementOperator {
    /// A comparison by AQL's order.
    Comparison(ComparisonOperator),
    /// A text match.
    Match(MatchOperator),
}

impl ElementOperator {
    /// Returns the operator between two values.
    pub fn binary(self) -> BinaryOperator {
        match self {
            ElementOperator::Comparison(operator) => BinaryOperator::Comparison(operator),
            ElementOperator::Match(operator) => BinaryOperator::Match(operator),
        }
    }
}

/// A comparison by AQL's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComparisonOperator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `IN`: membership of the left value in the right array.
    In,
    /// `NOT IN`
    NotIn,
}

/// A text match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchOperator {
    /// `a LIKE b`: the function `LIKE(a, b)`.
    Like,
    /// `a NOT LIKE b`
    NotLike,
    /// `a =~ b`: the function `REGEX_TEST(a, b)`.
    Regex,
    /// `a !~ b`
    NotRegex,
}

/// A calculation with numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

impl UnaryOperator {
    /// Returns the spelling that the printer uses.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOperator::Not => "!",
            UnaryOperator::Plus => "+",
            UnaryOperator::Minus => "-",
        }
    }
}

impl LogicalOperator {
    /// Returns the spelling that the printer uses.
    pub fn symbol(self) -> &'static str {
        match self {
            LogicalOperator::And => "AND",
            LogicalOperator::Or => "OR",
        }
    }
}

impl BinaryOperator {
    /// Returns the spelling that the printer uses.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOperator::Comparison(operator) => operator.symbol(),
            BinaryOperator::Match(operator) => operator.symbol(),
            BinaryOperator::Arithmetic(operator) => operator.symbol(),
        }
    }
}

impl ComparisonOperator {
    /// Returns the spelling that the printer uses.
    pub fn symbol(self) -> &'static str {
        match self {
            ComparisonOperator::Equal => "==",
            ComparisonOperator::NotEqual => "!=",
            ComparisonOperator::Less => "<",
            ComparisonOperator::LessOrEqual => "<=",
            ComparisonOperator::Greater => ">",
            ComparisonOperator::GreaterOrEqual => ">=",
            ComparisonOperator::In => "IN",
            ComparisonOperator::NotIn => "NOT IN",
        }
    }
}

impl MatchOperator {
    /// Returns the spelling that the printer uses.
    pub fn symbol(self) -> &'static str {
        match self {
            MatchOperator::Like => "LIKE",
            MatchOperator::NotLike => "NOT LIKE",
            MatchOperator::Regex => "=~",
            MatchOperator::NotRegex => "!~",
        }
    }
}

impl ArithmeticOperator {
    /// Returns the spelling that the printer uses.
    pub fn symbol(self) -> &'static str {
        match self {
            ArithmeticOperator::Add => "+",
            ArithmeticOperator::Subtract => "-",
            ArithmeticOperator::Multiply => "*",
            ArithmeticOperator::Divide => "/",
            ArithmeticOperator::Modulo => "%",
        }
    }
}
