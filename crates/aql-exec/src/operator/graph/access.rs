//! The accesses to edges, and what a search for edges needs besides.

use std::sync::Arc;

use aql_value::Batch;
use storage::{Collection, EdgeDirection};

use super::existence::VertexExistence;
use crate::context::ExecutionContext;
use crate::graph_search::vertices::VertexArena;
use crate::operator::index_lookup::RangePrograms;

/// An access to edges; see `aql_plan::EdgeAccess`.
pub(crate) struct EdgeAccessProgram {
    pub(crate) collection: Arc<Collection>,
    pub(crate) direction: EdgeDirection,
    pub(crate) lookup: EdgeLookupProgram,
    pub(crate) at_depth: Vec<(u64, EdgeLookupProgram)>,
}

/// The index that finds the edges of a vertex.
pub(crate) enum EdgeLookupProgram {
    /// The edge index.
    EdgeIndex,
    /// Another index whose first field is the vertex. The range concerns the fields after it.
    VertexCentric(Box<RangePrograms>),
}

impl EdgeAccessProgram {
    pub(super) fn lookup_at(&self, depth: u32) -> &EdgeLookupProgram {
        let at_depth = self.at_depth.iter().find(|(at, _)| *at == u64::from(depth));
        at_depth.map_or(&self.lookup, |(_, lookup)| lookup)
    }

    /// Returns true if another index than the edge index finds the edges of vertices at a depth.
    pub(super) fn is_vertex_centric(&self, depth: u32) -> bool {
        matches!(self.lookup_at(depth), EdgeLookupProgram::VertexCentric(_))
    }

    /// Returns the attribute that names the vertex at an edge's other end.
    pub(super) fn other_end(&self) -> &'static str {
        if self.direction == EdgeDirection::Outbound { "_to" } else { "_from" }
    }
}

/// The context of a search for edges.
pub(super) struct FinderContext<'a> {
    pub(super) vertices: &'a mut VertexArena,
    /// The existence of vertices, if consumers only need that.
    pub(super) existence: Option<&'a mut VertexExistence>,
    /// The outer row, as a batch of its own.
    pub(super) outer_row: &'a Batch,
    pub(super) context: &'a mut ExecutionContext,
}
