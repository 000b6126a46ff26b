//! JSON in and out, without a tree in between.
//!
//! Reading is strict RFC 8259. Where the standard leaves a choice, this is ours:
//! - of attributes with the same name in one object the last one counts, at its place ([`parse`]), or they are an error
//!   ([`parse_strict`]), or the first one counts ([`Parser::with_duplicates`]);
//! - an integer that fits `i64` or `u64` stays an integer, every other number becomes the nearest double;
//!   a number beyond the doubles (`1e999`) is an error; `-0` is the double -0.0;
//! - a `\u` escape of half a surrogate pair is an error, as in ArangoDB since 3.11;
//! - invalid UTF-8 anywhere is an error.
//!
//! Writing: compact, non-ASCII as it is, only `"`, `\` and control characters escaped. See
//! [`write_f64`] for doubles.

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
