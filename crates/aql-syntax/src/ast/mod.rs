//! The syntax tree of an AQL query.
//!
//! The tree keeps the text's form, not its meaning: names are plain text until the binder resolves
//! them. Nothing is folded or rewritten except where two spellings cannot differ in meaning (see
//! the list below). Every node carries the [`Span`] of its text.
//!
//! The parser settles these points for all later stages:
//! - Parentheses are gone; the tree's shape is the precedence.
//! - `a OR b OR c` is one [`ExpressionKind::Logical`] node with three operands, so a long chain is
//!   wide, not deep.
//! - `{x}` is `{x: x}`; `LET a = 1, b = 2` is two statements; `a NOT =~ b` is `a !~ b`.
//! - Accesses that follow `[*]` are inside the expansion they belong to (see [`Expansion`]).
//!
//! Depth is bounded: [`Expression::height`] of a parsed tree never exceeds
//! [`Limits::max_depth`](crate::Limits::max_depth), so plain recursion over a parsed tree is safe.

mod clear_spans;
mod expression;
mod operator;
mod pattern;
mod statement;
pub mod walk;

use crate::error::ParseWarning;

pub use crate::position::Span;
pub use expression::{
    ArrayComparison, ArrayQuestion, Binary, Child, Expansion, Expression, ExpressionKind, FunctionCall,
    FunctionName, InlineLimit, Logical, ObjectKey, ObjectMember, Quantifier, QuestionQuantifier, Ternary,
    Unary, children,
};
pub use operator::{
    ArithmeticOperator, BinaryOperator, ComparisonOperator, ElementOperator, LogicalOperator, MatchOperator,
    UnaryOperator,
};
pub use pattern::{ObjectPatternMember, Pattern, PatternKind};
pub use statement::{
    Aggregate, Assignment, Collect, CollectInto, Direction, EdgeCollection, For, GraphName, GraphSource,
    Insert, Let, Limit, PathSearch, PathSearchKind, Prune, Remove, Return, Sort, SortDirection, SortItem,
    Statement, StatementKind, Traversal, Update, Upsert, UpsertSearch, Window, WriteMode,
};

/// A whole query, as [`parse`](crate::parse) returns it.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The collections named by the leading `WITH`; empty without one.
    pub with: Vec<DataSource>,
    /// The statements; the last is a `RETURN` or a data modification.
    pub body: Block,
    /// Warnings for the client about accepted text (numbers out of range).
    pub warnings: Vec<ParseWarning>,
}

/// The statements of a query or of a subquery, in the order of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The statements; a parsed block has at least one and ends in a `RETURN` or a data
    /// modification.
    pub statements: Vec<Statement>,
    /// The text of all statements, without the parentheses of a subquery.
    pub span: Span,
    height: u32,
}

impl Block {
    /// Creates a block of these statements.
    pub fn new(statements: Vec<Statement>, span: Span) -> Block {
        let mut height = 0;
        for statement in &statements {
            walk::statement_expressions(statement, &mut |expression| {
                height = height.max(expression.height());
            });
        }
        Block { statements, span, height }
    }

    /// Returns the levels of nested expressions and subqueries; 0 without any expression.
    pub fn height(&self) -> u32 {
        self.height
    }
}

/// A name that introduces a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Identifier {
    /// The name without quotes, escapes resolved. Case matters.
    pub name: String,
    /// Its text, quotes included.
    pub span: Span,
}

/// A collection or View where nothing else is possible, as after `INSERT ... INTO`.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSource {
    /// The source's name.
    pub name: DataSourceName,
    /// Its text.
    pub span: Span,
}

/// The form of the name of a collection or View.
#[derive(Clone, Debug, PartialEq)]
pub enum DataSourceName {
    /// An identifier or a string.
    Name(String),
    /// `@@name`. The field holds `name`; the key in the bind variables is `@name`.
    BindParameter(String),
    /// `@name`, after WITH and as an edge collection.
    ValueParameter(String),
}

impl Query {
    /// Returns the same query with every span set to zero, so that `==` compares queries of
    /// different text.
    pub fn without_spans(mut self) -> Query {
        clear_spans::query(&mut self);
        self
    }
}
