//! Graph algorithms, over traits of their own: they know neither storage nor expressions.
//!
//! - [`vertices`]: identifiers of vertices as small numbers; [`edges`]: edges as they are found.
//! - [`traversal`]: all paths from a vertex, in three orders.
//! - [`path`]: searches for paths between two vertices.
//!
//! Nothing here recurses, everything asks its host now and then whether to go on, and tells it the memory it takes.

pub(crate) mod edges;
pub(crate) mod path;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod traversal;
pub(crate) mod vertices;
