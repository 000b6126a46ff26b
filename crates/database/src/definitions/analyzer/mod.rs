//! Analyzers that users define: their documents in `_analyzers`, and their use by queries.
//!
//! [`lookup`]: finds analyzers by name. [`manage`]: creates and removes them. [`usage`]: the places
//! that use one.

mod lookup;
mod manage;
mod usage;
