//! The syntax tree of an AQL query.
//!
//! The tree says what was written, not what it means: names are plain text until the binder resolves them, and nothing
//! is folded or rewritten except where two spellings cannot differ in meaning (see the list below). Every node carries
//! the [`Span`] of its text.
//!
//! What the parser already settles, so that nobody else has to:
//! - parentheses are gone; the tree's shape is the precedence;
//! - `a OR b OR c` is one [`ExpressionKind::Logical`] node with three operands, so a long chain is wide, not deep;
//! - `{x}` is `{x: x}`; `LET a = 1, b = 2` is two statements; `a NOT =~ b` is `a !~ b`;
//! - accesses that follow `[*]` are inside the expansion they belong to (see [`Expansion`]).
//!
//! Depth is bounded: [`Expression::height`] of a parsed tree never exceeds
//! [`Limits::max_depth`](crate::Limits::max_depth), so plain recursion over a parsed tree is safe.

mod clear_spans;
mod expression;
mod operator;
mod pattern;
mod statement;
pub mod walk;

pub use expression::{
    ArrayComparison, ArrayQuestion, Binary, Child, Expansion, Expression, ExpressionKind, FunctionCall,
    FunctionName, InlineLimit, Logical, ObjectKey, ObjectMember, Quantifier, QuestionQuantifier, Ternary,
    Unary, children,
};
pub use operator::{
    ArithmeticOperator, BinaryOperator, ComparisonOperator, LogicalOperator, MatchOperator, UnaryOperator,
};
pub use pattern::{ObjectPatternMember, Pattern, PatternKind};
pub use statement::{
    Aggregate, Assignment, Collect, CollectInto, Direction, EdgeCollection, For, GraphName, GraphSource,
    Insert, Let, Limit, PathSearch, PathSearchKind, Prune, Remove, Return, Sort, SortDirection, SortItem,
    Statement, StatementKind, Traversal, Update, Upsert, UpsertSearch, Window, WriteMode,
};

pub use crate::position::Span;

use crate::error::ParseWarning;

/// A whole query, as [`parse`](crate::parse) returns it.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Collections that the leading `WITH` names; empty without one.
    pub with: Vec<DataSource>,
    /// The statements; the last is a `RETURN` or a data modification.
    pub body: Block,
    /// What the parser let pass but the client should hear of (numbers out of range).
    pub warnings: Vec<ParseWarning>,
}

/// The statements of a query or of a subquery, in the order in which they were written.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The statements; a parsed block has at least one and ends in a `RETURN` or a data modification.
    pub statements: Vec<Statement>,
    /// The text of all statements, without the parentheses of a subquery.
    pub span: Span,
    height: u32,
}

impl Block {
    /// A block of these statements.
    pub fn new(statements: Vec<Statement>, span: Span) -> Block {
        let mut height = 0;
        for statement in &statements {
            walk::statement_expressions(statement, &mut |expression| {
                height = height.max(expression.height());
            });
        }
        Block { statements, span, height }
    }

    /// Levels of nested expressions and subqueries in this block; 0 when no statement has an expression.
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

/// A collection or View where only one can stand, as after `INSERT ... INTO`.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSource {
    /// What names it.
    pub name: DataSourceName,
    /// Its text.
    pub span: Span,
}

/// How a collection or View is named.
#[derive(Clone, Debug, PartialEq)]
pub enum DataSourceName {
    /// By an identifier or a string.
    Name(String),
    /// By `@@name`; this is `name`, and the key in the bind variables is `@name`.
    BindParameter(String),
}

impl Query {
    /// The same query with every span set to zero, so that queries of different text can be compared by `==`.
    pub fn without_spans(mut self) -> Query {
        clear_spans::query(&mut self);
        self
    }
}
