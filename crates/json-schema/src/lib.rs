//! JSON Schema over VelocyPack values: draft 4, which ArangoDB has, and drafts 6 and 7 where a
//! schema's `$schema` names them. Schemas elsewhere are never loaded.
//!
//! A [`Schema`] is compiled once. It is a graph of nodes with keywords, in which `$ref` is an edge.
//! Each validation has a bound:
//!
//! - A node that others refer to judges each value once ([`validate`]), so references under
//!   `anyOf` and `allOf` cannot multiply the work. The work is at most the number of nodes times
//!   the number of values.
//! - The interrupt of the work that needs the result is checked on the way, and its memory account
//!   is charged.
//! - [`NODES_MAX`], [`DEPTH_MAX`] and [`SCHEMA_MAX_BYTES`] bound schemas. A schema that refers to
//!   itself without going deeper into the document is refused.

mod format;
mod node;
mod number;
mod compile;
mod validate;

pub use compile::{NODES_MAX, SCHEMA_MAX_BYTES};
pub use node::Schema;
pub use validate::DEPTH_MAX;

#[cfg(test)]
mod tests;
