//! Restores: the contents of a dump, as ArangoDB's restore tool sends them.
//!
//! [`collection`]: definitions and indexes. [`data`]: documents, whose lines [`operation`] reads.
//! The documents of a request are stored all or not at all, and a repeated request changes nothing.
//! A broken restore can therefore resume with the batch that was under way.

mod collection;
mod data;
mod operation;

pub use collection::SkippedIndex;
pub use operation::RestoreBody;
