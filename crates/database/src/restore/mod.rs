//! Restores: the contents of a dump, as ArangoDB's restore tool sends them.
//!
//! [`collection`]: definitions and indexes. [`data`]: documents, whose lines [`operation`] reads.
//! The documents of a request are stored all or not at all, and a repeated request changes nothing.
//! A broken restore can therefore resume with the batch that was under way. [`edge_indexes`]: edge
//! indexes that are built after the documents if the client wants it.

mod collection;
mod data;
pub(crate) mod edge_indexes;
mod operation;

pub use operation::RestoreBody;
