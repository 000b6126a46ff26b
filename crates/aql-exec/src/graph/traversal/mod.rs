//! Traversals: all paths from a vertex, in one of three orders.
//!
//! The search knows vertices as numbers and asks its [`TraversalHost`] for edges and for whatever is decided by
//! documents. It makes one path after the other, when it is asked for it, and keeps no more than the paths that are
//! still to be followed.

mod breadth_first;
mod depth_first;
mod expand;
mod steps;
#[cfg(test)]
mod tests;
mod weighted;

pub(crate) use steps::{StepDetails, StepId, Steps};

use super::edges::{EdgeList, ReadPosition};
use super::vertices::Vertex;
use aql_plan::{TraversalOrder, Uniqueness};
use aql_value::Result;
use breadth_first::BreadthFirst;
use depth_first::DepthFirst;
use expand::Expansion;
use weighted::Weighted;

/// What a traversal asks of its surroundings.
pub(crate) trait TraversalHost {
    /// Adds to `list` some of the edges at a vertex that is `depth` edges away from the start, from `position` on.
    /// Answers whether there may be more, for which `position` is then changed.
    fn edges(
        &mut self,
        vertex: Vertex,
        depth: u32,
        position: &mut ReadPosition,
        list: &mut EdgeList,
    ) -> Result<bool>;

    /// Decides about the steps from `from` on: clears `is_kept` (one a step) of those that must not be part of a path,
    /// sets the weights of the others, and what PRUNE says of them.
    fn judge(&mut self, steps: &mut Steps, from: StepId, is_kept: &mut [bool]) -> Result<()>;

    /// To be called now and then: ends the query if it was killed, or if the search takes more memory than there is.
    fn checkpoint(&mut self, search_bytes: u64) -> Result<()>;
}

/// How a traversal goes.
#[derive(Debug, Clone)]
pub(crate) struct SearchOptions {
    pub(crate) order: TraversalOrder,
    /// Longer paths are not made.
    pub(crate) max_depth: u64,
    pub(crate) unique_vertices: Uniqueness,
    /// With globally unique vertices: the start is visited when a path comes back to it, not when it sets out.
    pub(crate) revisit_start: bool,
    pub(crate) unique_edges: Uniqueness,
    /// For each access to edges the number of its collection.
    pub(crate) collections: Box<[u16]>,
    /// [`TraversalHost::judge`] has something to decide.
    pub(crate) judges: bool,
    /// Somebody reads the edges of paths.
    pub(crate) reads_edges: bool,
    /// Somebody reads whole paths.
    pub(crate) reads_paths: bool,
    /// What is kept of each step.
    pub(crate) details: StepDetails,
    /// Nobody reads anything of a path: those of the greatest depth are only counted.
    pub(crate) counts_leaves: bool,
}

impl SearchOptions {
    /// Whether edges have to be compared: unique vertices make unique edges.
    fn compares_edges(&self) -> bool {
        self.unique_edges == Uniqueness::Path
            && self.unique_vertices == Uniqueness::None
            && self.max_depth > 1
    }

    /// Whether the edge by which a path comes back to the start has to be compared to the one by which it set out.
    fn compares_edges_to_start(&self) -> bool {
        let is_twice =
            |(at, own): (usize, &u16)| self.collections.iter().skip(at + 1).any(|other| other == own);
        self.revisit_start
            && self.unique_edges == Uniqueness::Path
            && self.max_depth > 1
            && self.collections.iter().enumerate().any(is_twice)
    }

    /// Whether it has to be known which edges are followed.
    pub(crate) fn names_edges(&self) -> bool {
        self.reads_edges || self.compares_edges() || self.compares_edges_to_start()
    }

    /// Whether steps have to know the steps before them: an edge has two ends.
    fn keeps_parents(&self) -> bool {
        self.reads_paths
            || self.reads_edges
            || self.unique_vertices == Uniqueness::Path
            || self.compares_edges()
            || self.compares_edges_to_start()
    }
}

/// What a traversal has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    /// A path.
    Step(StepId),
    /// So many paths of the greatest depth, of which nobody wants to know more.
    Leaves(u64),
}

/// A traversal from one vertex. Can be started again from another one.
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

    /// Starts from a vertex; what was found before is forgotten.
    pub(crate) fn start(&mut self, start: Vertex, host: &mut impl TraversalHost) -> Result<()> {
        self.expansion.start(start, host)?;
        match &mut self.order {
            Order::DepthFirst(order) => order.start(),
            Order::BreadthFirst(order) => order.start(),
            Order::Weighted(order) => order.start(&self.expansion.steps),
        }
        Ok(())
    }

    /// The next path, or `None` after the last one. A path's steps are there until the next call.
    pub(crate) fn next(&mut self, host: &mut impl TraversalHost) -> Result<Option<Visit>> {
        match &mut self.order {
            Order::DepthFirst(order) => order.next(&mut self.expansion, host),
            Order::BreadthFirst(order) => order.next(&mut self.expansion, host),
            Order::Weighted(order) => order.next(&mut self.expansion, host),
        }
    }

    /// The steps of the paths.
    pub(crate) fn steps(&self) -> &Steps {
        &self.expansion.steps
    }
}
