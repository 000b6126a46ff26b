//! Analyzers that users define: their documents in `_analyzers`, and their use by queries.
//!
//! - [`lookup`]: finds analyzers by name. [`open`]: keeps them ready to be used. [`manage`]:
//!   creates and removes them. [`usage`]: the places that use one.
//! - [`query`]: the queries of analyzers of type `aql`.

mod lookup;
mod manage;
pub(crate) mod open;
pub(crate) mod query;
mod usage;
