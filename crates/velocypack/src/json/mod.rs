//! JSON in and out, without a tree in between.
//!
//! Reading is strict RFC 8259. Where the standard leaves a choice, these rules hold:
//! - Of attributes with the same name in one object the last one counts, at its place ([`parse`]),
//!   or they are an error ([`parse_strict`]), or the first one counts
//!   ([`Parser::with_duplicates`]).
//! - An integer that fits `i64` or `u64` stays an integer. Every other number becomes the nearest
//!   double. A number beyond the doubles (`1e999`) is an error; `-0` is the double -0.0.
//! - A `\u` escape of half a surrogate pair is an error, as in ArangoDB since 3.11.
//! - Invalid UTF-8 anywhere is an error.
//!
//! Writing is compact: non-ASCII stays as it is, and only `"`, `\` and control characters are
//! escaped. See [`write_f64`] for doubles.

mod builder;
mod error;
mod number;
mod parse;
mod room;
mod scan;
mod string;
mod write;

#[cfg(test)]
mod tests;

pub use builder::JsonBuilder;
pub use error::JsonError;
pub use number::{write_f64, write_u64};
pub use parse::{Interrupt, Parser, parse, parse_strict};
pub(crate) use string::hex;
pub use string::write_str;
pub use write::{to_json_string, write, write_pretty};
