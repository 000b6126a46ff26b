//! Restores: what a dump holds, put back as ArangoDB's restore tool sends it.
//!
//! [`collection`]: definitions and indexes. [`data`]: documents, whose lines are read by [`operation`]. A request's
//! documents are stored all or not at all, and a request that comes again changes nothing: so a restore that broke
//! off can go on with the batch that was under way. [`edge_indexes`]: edge indexes are built after the documents
//! where the client wants it so.

mod collection;
mod data;
pub(crate) mod edge_indexes;
mod operation;

pub use operation::RestoreBody;
