//! Graph algorithms over their own traits: they know neither storage nor expressions.
//!
//! - [`vertices`]: identifiers of vertices as small numbers; [`edges`]: edges found by a search.
//! - [`traversal`]: all paths from a vertex, in three orders.
//! - [`path`]: path searches between two vertices.
//!
//! Nothing here recurses. Every algorithm calls its host periodically, which may end the query, and
//! reports its memory.

pub(crate) mod edges;
pub(crate) mod lookahead;
pub(crate) mod path;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod traversal;
pub(crate) mod vertices;
