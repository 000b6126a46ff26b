//! Expansion of a path by the edges at its end, the same for all orders.

use aql_plan::{TraversalOrder, Uniqueness};
use errors::{Error, ErrorCode, Result};

use super::{SearchOptions, StepId, Steps, TraversalHost};
use crate::graph_search::edges::{EdgeList, FoundEdge, ReadPosition};
use crate::graph_search::vertices::Vertex;

/// The paths of a traversal, and the vertices that they may not visit any more.
pub(super) struct Expansion {
    pub(super) options: SearchOptions,
    pub(super) steps: Steps,
    compares_edges_to_start: bool,
    /// By vertex: its number of occurrences on the current path (depth first), or its visits (if
    /// vertices are unique in all paths).
    marks: Vec<u32>,
    /// The marked vertices; a vertex that is on the path several times occurs as often.
    marked: Vec<Vertex>,
    /// Bytes that the order keeps besides the steps.
    pub(super) queue_bytes: usize,
    list: EdgeList,
    is_kept: Vec<bool>,
}

/// Maximum number of steps that a traversal may number. One expansion adds far less than the
/// numbers left.
const MOST_STEPS: StepId = u32::MAX / 2;

/// Minimum number of marks that are allocated together.
const FEWEST_MARKS: usize = 64;

/// The result of expanding one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gathered {
    /// True if the vertex has more edges.
    pub(super) has_more: bool,
    /// Number of paths that are counted and not kept.
    pub(super) leaves: u64,
}

impl Expansion {
    pub(super) fn new(options: SearchOptions) -> Self {
        let steps = Steps::new(options.details);
        let compares_edges_to_start = options.compares_edges_to_start();
        let (marks, marked) = (Vec::new(), Vec::new());
        let (list, is_kept) = (EdgeList::default(), Vec::new());
        Self { options, steps, compares_edges_to_start, marks, marked, queue_bytes: 0, list, is_kept }
    }

    /// Creates the path of depth 0, if the start may be one.
    pub(super) fn start(&mut self, start: Vertex, host: &mut impl TraversalHost) -> Result<()> {
        self.steps.clear();
        for vertex in self.marked.drain(..) {
            if let Some(mark) = self.marks.get_mut(vertex.index()) {
                *mark = 0;
            }
        }
        self.steps.push_start(start);
        self.settle(0, host)
    }

    fn mark(&mut self, vertex: Vertex) -> Option<&mut u32> {
        if self.marks.len() <= vertex.index() {
            self.marks.resize((vertex.index() + 1).next_power_of_two().max(FEWEST_MARKS), 0);
        }
        self.marks.get_mut(vertex.index())
    }

    /// Returns true if a vertex is marked.
    fn is_marked(&self, vertex: Vertex) -> bool {
        self.marks.get(vertex.index()).is_some_and(|mark| *mark > 0)
    }

    /// Marks a vertex that must not be visited again; false if it was marked before.
    pub(super) fn visit(&mut self, vertex: Vertex) -> bool {
        let is_new = self.mark(vertex).is_some_and(|mark| std::mem::replace(mark, 1) == 0);
        if is_new {
            self.marked.push(vertex);
        }
        is_new
    }

    /// Marks the vertex of a step, through which the depth-first path now leads.
    pub(super) fn enter(&mut self, id: StepId) {
        if let Some(vertex) = self.steps.get(id).map(|step| step.vertex)
            && let Some(mark) = self.mark(vertex)
        {
            *mark += 1;
            self.marked.push(vertex);
        }
    }

    /// Undoes the last [`Expansion::enter`].
    pub(super) fn leave(&mut self) {
        if let Some(vertex) = self.marked.pop()
            && let Some(mark) = self.mark(vertex)
        {
            *mark = mark.saturating_sub(1);
        }
    }

    /// Returns true if a path may be extended.
    pub(super) fn is_open(&self, id: StepId) -> bool {
        let is_open = |depth, is_pruned: bool| u64::from(depth) < self.options.max_depth && !is_pruned;
        self.steps.get(id).is_some_and(|step| is_open(step.depth, step.is_pruned))
    }

    /// Prefetches those of some paths that may be extended.
    pub(super) fn prefetch(
        &self,
        ids: impl Iterator<Item = StepId>,
        host: &mut impl TraversalHost,
    ) -> Result<()> {
        let open = ids.filter(|id| self.is_open(*id)).filter_map(|id| self.steps.get(id));
        let open: Vec<(Vertex, u32)> = open.map(|step| (step.vertex, step.depth)).collect();
        if open.is_empty() { Ok(()) } else { host.prefetch(&open) }
    }

    /// Adds the extensions of a path by some of its edges, as uniqueness allows. They are not
    /// settled.
    pub(super) fn gather(
        &mut self,
        id: StepId,
        position: &mut ReadPosition,
        host: &mut impl TraversalHost,
    ) -> Result<Gathered> {
        let Some(step) = self.steps.get(id).copied() else {
            return Ok(Gathered { has_more: false, leaves: 0 });
        };
        let mut list = std::mem::take(&mut self.list);
        list.clear();
        let has_more = host.edges(step.vertex, step.depth, position, &mut list)?;
        if self.steps.end() > MOST_STEPS {
            return Err(Error::new(ErrorCode::ResourceLimit, "a traversal has too many paths"));
        }
        let is_last = u64::from(step.depth) + 1 >= self.options.max_depth;
        let mut leaves = 0;
        if is_last && self.options.counts_leaves {
            leaves = self.count(id, &list);
        } else {
            self.add(id, &list, is_last);
        }
        self.list = list;
        host.checkpoint(self.memory_bytes())?;
        Ok(Gathered { has_more, leaves })
    }

    fn add(&mut self, id: StepId, list: &EdgeList, is_last: bool) {
        let compares_edges = self.options.compares_edges() || self.compares_edges_to_start;
        let keeps_keys = self.options.reads_edges || (!is_last && compares_edges);
        let keys = keeps_keys.then_some(list.keys.as_slice());
        // Nothing else decides, so the first path to a vertex has visited it.
        let visits = self.visits_when_found() && !self.options.judges;
        self.steps.reserve(list.edges.len());
        let order = self.options.order;
        let mut add = |(position, edge): (usize, &FoundEdge)| {
            let is_allowed = if visits {
                !self.turns_back(id, edge, &list.keys) && self.visit(edge.vertex)
            } else {
                self.is_allowed(id, edge, &list.keys)
            };
            if is_allowed {
                self.steps.push_edge(id, edge, keys, list.documents.get(position));
            }
        };
        let edges = list.edges.iter().enumerate();
        // ArangoDB puts edges on a stack depth first, and its users expect the resulting order.
        match order {
            TraversalOrder::Dfs => edges.rev().for_each(&mut add),
            TraversalOrder::Bfs | TraversalOrder::Weighted => edges.for_each(&mut add),
        }
    }

    /// Returns the number of paths that [`Expansion::add`] would add.
    fn count(&mut self, id: StepId, list: &EdgeList) -> u64 {
        let mut count = 0;
        for edge in &list.edges {
            let is_new = if self.visits_when_found() {
                !self.turns_back(id, edge, &list.keys) && self.visit(edge.vertex)
            } else {
                self.is_allowed(id, edge, &list.keys)
            };
            count += u64::from(is_new);
        }
        count
    }

    /// Returns true if a vertex counts as visited when it is found, and not only at its path's
    /// turn.
    fn visits_when_found(&self) -> bool {
        self.options.unique_vertices == Uniqueness::Global && self.options.order != TraversalOrder::Weighted
    }

    /// Returns true if a path may be extended by an edge.
    fn is_allowed(&self, id: StepId, edge: &FoundEdge, keys: &[u8]) -> bool {
        match self.options.unique_vertices {
            Uniqueness::Global => !self.is_marked(edge.vertex) && !self.turns_back(id, edge, keys),
            Uniqueness::Path => !self.is_on_path(id, edge.vertex),
            Uniqueness::None => {
                !self.options.compares_edges()
                    || !self.may_be_on_path(edge.vertex)
                    || !self.has_edge(id, edge, edge.name.key(keys))
            }
        }
    }

    /// Returns true if a path would return to the start by the edge by which it left.
    ///
    /// Only its second step can: a vertex that was found later has no edge in common with the
    /// start.
    fn turns_back(&self, id: StepId, edge: &FoundEdge, keys: &[u8]) -> bool {
        self.compares_edges_to_start
            && self.steps.get(id).is_some_and(|step| step.depth == 1)
            && self.has_edge(id, edge, edge.name.key(keys))
    }

    fn is_on_path(&self, id: StepId, vertex: Vertex) -> bool {
        self.may_be_on_path(vertex)
            && (self.options.order == TraversalOrder::Dfs
                || self.steps.back(id).any(|(_, step)| step.vertex == vertex))
    }

    /// Returns false if a vertex is certainly not on the current path. Depth first, true is certain
    /// as well.
    fn may_be_on_path(&self, vertex: Vertex) -> bool {
        self.options.order != TraversalOrder::Dfs || self.is_marked(vertex)
    }

    /// Returns true if a path has an edge already. It compares both ends first, because that is
    /// quick.
    fn has_edge(&self, id: StepId, edge: &FoundEdge, key: &[u8]) -> bool {
        let Some(own) = self.steps.get(id).map(|step| step.vertex) else { return false };
        let collection = |access: u16| self.options.collections.get(usize::from(access));
        let mut back = self.steps.back(id).peekable();
        while let Some((step_id, step)) = back.next() {
            let Some((_, before)) = back.peek() else { return false };
            let ends = (before.vertex, step.vertex);
            let is_same = (ends == (own, edge.vertex) || ends == (edge.vertex, own))
                && collection(step.edge.access) == collection(edge.name.access)
                && self.steps.key(step_id) == key;
            if is_same {
                return true;
            }
        }
        false
    }

    /// Removes the paths, from `from` on, that are not allowed.
    pub(super) fn settle(&mut self, from: StepId, host: &mut impl TraversalHost) -> Result<()> {
        if self.options.judges && from < self.steps.end() {
            let mut is_kept = std::mem::take(&mut self.is_kept);
            is_kept.clear();
            is_kept.resize((self.steps.end() - from) as usize, true);
            host.judge(&mut self.steps, from, &mut is_kept)?;
            self.steps.retain(from, |id, _| is_kept.get((id - from) as usize).copied().unwrap_or(false));
            self.is_kept = is_kept;
        }
        let is_start = from == 0 && self.steps.end() == 1;
        if self.visits_when_found() && (self.options.judges || is_start) {
            let mut steps = std::mem::take(&mut self.steps);
            let may_come_back = self.options.revisit_start;
            steps.retain(from, |_, step| (may_come_back && step.depth == 0) || self.visit(step.vertex));
            self.steps = steps;
        }
        Ok(())
    }

    fn memory_bytes(&self) -> u64 {
        let marks = self.marks.capacity() * size_of::<u32>() + self.marked.capacity() * size_of::<Vertex>();
        self.steps.memory_bytes() + (marks + self.queue_bytes) as u64
    }
}
