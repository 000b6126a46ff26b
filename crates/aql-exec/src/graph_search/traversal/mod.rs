//! Traversals: all paths from a vertex, in one of three orders.
//!
//! The search knows vertices as numbers and asks its [`TraversalHost`] for edges and for decisions
//! that depend on documents. It computes paths on demand, and keeps only the paths that are still
//! to be expanded.

mod breadth_first;
mod depth_first;
mod expand;
mod steps;
#[cfg(test)]
mod tests;
mod weighted;

use aql_plan::{TraversalOrder, Uniqueness};
use errors::Result;

use super::edges::{EdgeList, ReadPosition};
use super::vertices::Vertex;
use breadth_first::BreadthFirst;
use depth_first::DepthFirst;
use expand::Expansion;
use weighted::Weighted;

pub(crate) use steps::{StepDetails, StepId, Steps};

/// The services that a traversal needs.
pub(crate) trait TraversalHost {
    /// Adds to `list` some of the edges at a vertex that is `depth` edges away from the start.
    ///
    /// It starts at `position`. Returns true if there may be more, and then advances `position`.
    fn edges(
        &mut self,
        vertex: Vertex,
        depth: u32,
        position: &mut ReadPosition,
        list: &mut EdgeList,
    ) -> Result<bool>;

    /// Returns the number of vertices whose edges it reads concurrently; 1 if a prefetch has no
    /// effect.
    fn concurrent_reads(&self) -> usize {
        1
    }

    /// Says at which vertices edges will probably be asked for next, and how far each is from the
    /// start.
    fn prefetch(&mut self, _vertices: &[(Vertex, u32)]) -> Result<()> {
        Ok(())
    }

    /// Judges the steps from `from` on.
    ///
    /// Clears `is_kept` (one a step) of those that must not be part of a path. Sets the weights of
    /// the others, and their result of PRUNE.
    fn judge(&mut self, steps: &mut Steps, from: StepId, is_kept: &mut [bool]) -> Result<()>;

    /// Ends the query if it was killed, or if the search takes too much memory. Called
    /// periodically.
    fn checkpoint(&mut self, search_bytes: u64) -> Result<()>;
}

/// The options of a traversal.
#[derive(Debug, Clone)]
pub(crate) struct SearchOptions {
    pub(crate) order: TraversalOrder,
    /// Maximum number of edges of a path.
    pub(crate) max_depth: u64,
    pub(crate) unique_vertices: Uniqueness,
    /// True if, with globally unique vertices, the start counts as visited only when a path returns
    /// to it.
    pub(crate) revisit_start: bool,
    pub(crate) unique_edges: Uniqueness,
    /// For each access to edges the number of its collection.
    pub(crate) collections: Box<[u16]>,
    /// True if [`TraversalHost::judge`] has something to decide.
    pub(crate) judges: bool,
    /// True if a consumer reads the edges of paths.
    pub(crate) reads_edges: bool,
    /// True if a consumer reads whole paths.
    pub(crate) reads_paths: bool,
    /// The details kept of each step.
    pub(crate) details: StepDetails,
    /// True if no consumer reads anything of a path: those of the greatest depth are only counted.
    pub(crate) counts_leaves: bool,
}

impl SearchOptions {
    /// Returns true if edges must be compared. Unique vertices imply unique edges.
    fn compares_edges(&self) -> bool {
        self.unique_edges == Uniqueness::Path
            && self.unique_vertices == Uniqueness::None
            && self.max_depth > 1
    }

    /// Returns true if the edge by which a path returns to the start must be compared to its first
    /// edge.
    fn compares_edges_to_start(&self) -> bool {
        let is_twice =
            |(at, own): (usize, &u16)| self.collections.iter().skip(at + 1).any(|other| other == own);
        self.revisit_start
            && self.unique_edges == Uniqueness::Path
            && self.max_depth > 1
            && self.collections.iter().enumerate().any(is_twice)
    }

    /// Returns true if the names of the followed edges are needed.
    pub(crate) fn names_edges(&self) -> bool {
        self.reads_edges || self.compares_edges() || self.compares_edges_to_start()
    }

    /// Returns true if steps need their parents, for example because an edge has two ends.
    fn keeps_parents(&self) -> bool {
        self.reads_paths
            || self.reads_edges
            || self.unique_vertices == Uniqueness::Path
            || self.compares_edges()
            || self.compares_edges_to_start()
    }
}

/// A result of a traversal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    /// A path.
    Step(StepId),
    /// The number of paths of the greatest depth that consumers read at most.
    Leaves(u64),
}

/// A traversal from one vertex. It can be restarted from another one.
pub(crate) struct TraversalSearch {
    expansion: Expansion,
    order: Order,
}

enum Order {
    DepthFirst(DepthFirst),
    BreadthFirst(BreadthFirst),
    Weighted(Weighted),
}

impl TraversalSearch {
    pub(crate) fn new(options: SearchOptions) -> Self {
        let order = match options.order {
            TraversalOrder::Dfs => Order::DepthFirst(DepthFirst::default()),
            TraversalOrder::Bfs => Order::BreadthFirst(BreadthFirst::default()),
            TraversalOrder::Weighted => Order::Weighted(Weighted::default()),
        };
        Self { expansion: Expansion::new(options), order }
    }

    /// Starts from a vertex and drops everything found before.
    pub(crate) fn start(&mut self, start: Vertex, host: &mut impl TraversalHost) -> Result<()> {
        self.expansion.start(start, host)?;
        match &mut self.order {
            Order::DepthFirst(order) => order.start(),
            Order::BreadthFirst(order) => order.start(),
            Order::Weighted(order) => order.start(&self.expansion.steps),
        }
        Ok(())
    }

    /// Returns the next path, or `None` after the last one. Its steps are valid until the next
    /// call.
    pub(crate) fn next(&mut self, host: &mut impl TraversalHost) -> Result<Option<Visit>> {
        match &mut self.order {
            Order::DepthFirst(order) => order.next(&mut self.expansion, host),
            Order::BreadthFirst(order) => order.next(&mut self.expansion, host),
            Order::Weighted(order) => order.next(&mut self.expansion, host),
        }
    }

    /// Returns the steps of the paths.
    pub(crate) fn steps(&self) -> &Steps {
        &self.expansion.steps
    }
}
