//! AQL as text: lexer, parser, syntax tree and printer.
//!
//! [`parse`] turns text into a [`Query`]; [`print()`] turns it back into text that parses into an equal tree.
//! Nothing here knows a database: names are resolved, bind variables filled in and functions looked up by the binder.
//!
//! No text makes the parser panic, overflow the stack or take more than linear time.

pub mod ast;
pub mod error;
pub mod position;

mod bind_parameters;
mod lexer;
mod literal;
mod parser;
mod precedence;
mod print;
mod token;

pub use ast::walk;
pub use bind_parameters::{BindParameter, BindParameterKind, collect_bind_parameters};
pub use error::{ParseError, ParseWarning, Refusal};
pub use position::{Position, position};
pub use print::{print, print_expression};

use ast::Query;

/// What a query may not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Levels of nested expressions, subqueries and patterns. ArangoDB allows 500. The parser needs up to 2.5 KiB of
    /// stack a level.
    pub max_depth: u32,
    /// Bytes of text. Never more than 4 GiB, as spans hold 32 bits.
    pub max_bytes: u32,
}

impl Default for Limits {
    /// 500 levels; 128 MiB, as large as the largest request ArangoDB lets in by default.
    fn default() -> Limits {
        Limits { max_depth: 500, max_bytes: 128 << 20 }
    }
}

/// Parses a query.
///
/// # Errors
/// See [`error::number`]. The first error ends parsing.
pub fn parse(text: &str, limits: &Limits) -> Result<Query, ParseError> {
    parse_watched(text, limits, &mut |_| Ok(()))
}

/// As [`parse`], while `watch` lets it go on: every few thousand tokens that is told how many there were.
///
/// # Errors
/// See [`error::number`], and what `watch` says. The first error ends parsing.
pub fn parse_watched(text: &str, limits: &Limits, watch: &mut Watch<'_>) -> Result<Query, ParseError> {
    parser::parse(text, limits, watch)
}

/// Looks on while a query is parsed.
pub type Watch<'a> = dyn FnMut(usize) -> Result<(), Refusal> + 'a;
