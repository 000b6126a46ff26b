//! AQL as text: lexer, parser, syntax tree and printer.
//!
//! [`parse`] turns text into a [`Query`]; [`print()`] turns it back into text that parses into an
//! equal tree. Nothing here knows a database: the binder resolves names, fills in bind variables
//! and looks up functions.
//!
//! No text makes the parser panic, overflow the stack or take more than linear time.

mod literal;
pub mod position;
pub mod error;
mod token;
pub mod ast;
mod lexer;
mod bind_parameters;
mod precedence;
mod parser;
mod print;

use ast::Query;

pub use ast::walk;
pub use bind_parameters::{BindParameter, BindParameterKind, collect_bind_parameters};
pub use error::{ParseError, ParseWarning};
pub use position::{Position, position};
pub use print::{print, print_expression};

/// The limits of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of levels of nested expressions, subqueries and patterns; ArangoDB allows
    /// 500.
    ///
    /// The parser needs up to 3 KiB of stack a level.
    pub max_depth: u32,
    /// Maximum size in bytes of text. It never exceeds 4 GiB, because spans hold 32 bits.
    pub max_bytes: u32,
}

impl Default for Limits {
    /// Returns 500 levels and 128 MiB, the size of the largest request that ArangoDB accepts by
    /// default.
    fn default() -> Limits {
        Limits { max_depth: 500, max_bytes: 128 << 20 }
    }
}

/// Parses a query.
///
/// # Errors
/// The first error in the text ends parsing.
pub fn parse(text: &str, limits: &Limits) -> Result<Query, ParseError> {
    parse_watched(text, limits, &mut |_| Ok(()))
}

/// Parses a query like [`parse`] and lets `watch` stop it.
///
/// It calls `watch` every few thousand tokens with their number.
///
/// # Errors
/// The first error in the text or of `watch` ends parsing.
pub fn parse_watched(text: &str, limits: &Limits, watch: &mut Watch<'_>) -> Result<Query, ParseError> {
    parser::parse(text, limits, watch)
}

/// A callback that observes parsing, gets the number of tokens read, and can stop it.
pub type Watch<'a> = dyn FnMut(usize) -> errors::Result<()> + 'a;
