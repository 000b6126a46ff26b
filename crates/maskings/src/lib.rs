//! Maskings: functions that replace values of documents, by the paths of the values.
//!
//! Source: ArangoDB 3.10 documentation, "arangodump Data Maskings". A rule has a `path`, a `type`
//! (the function) and its parameters. The first rule whose path matches a value decides. Dumps use
//! them, and collections whose attributes some users see masked.

mod random;
mod path;
mod function;
mod rules;

pub use path::Path;
pub use random::{SECRET_BYTES, Secret, generator, generator_for, secret};
pub use rules::{Reach, Rule, Rules, SYSTEM_ATTRIBUTES};
