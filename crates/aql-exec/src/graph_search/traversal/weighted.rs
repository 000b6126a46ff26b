//! By weight: the lightest path first.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use aql_plan::Uniqueness;
use errors::Result;

use super::expand::Expansion;
use super::{StepId, Steps, TraversalHost, Visit};
use crate::graph_search::edges::ReadPosition;
use crate::graph_search::lookahead::QUEUE_FRONT;

/// The paths that were found and not returned yet.
#[derive(Default)]
pub(super) struct Weighted {
    queue: BinaryHeap<Reverse<Weighed>>,
    /// The path returned last, which is expanded when the next path is requested.
    pending: Option<StepId>,
}

/// A path with its weight. Of equally heavy ones that with fewer edges comes first, as in ArangoDB,
/// and of those the first that was found.
struct Weighed {
    weight: f64,
    edges: u32,
    id: StepId,
}

impl Weighted {
    pub(super) fn start(&mut self, steps: &Steps) {
        self.queue.clear();
        self.pending = None;
        self.push(steps, 0);
    }

    fn push(&mut self, steps: &Steps, from: StepId) {
        for id in from..steps.end() {
            let edges = steps.get(id).map_or(0, |step| step.depth);
            self.queue.push(Reverse(Weighed { weight: steps.weight(id), edges, id }));
        }
    }

    pub(super) fn next(
        &mut self,
        expansion: &mut Expansion,
        host: &mut impl TraversalHost,
    ) -> Result<Option<Visit>> {
        if let Some(id) = self.pending.take()
            && expansion.is_open(id)
        {
            if host.concurrent_reads() > 1 {
                let front = self.queue.iter().take(QUEUE_FRONT).map(|Reverse(weighed)| weighed.id);
                expansion.prefetch(std::iter::once(id).chain(front), host)?;
            }
            self.follow(id, expansion, host)?;
        }
        while let Some(Reverse(Weighed { id, .. })) = self.queue.pop() {
            let vertex = expansion.steps.get(id).map(|step| step.vertex);
            let is_unique = expansion.options.unique_vertices == Uniqueness::Global;
            if is_unique && !vertex.is_some_and(|vertex| expansion.visit(vertex)) {
                continue;
            }
            self.pending = Some(id);
            return Ok(Some(Visit::Step(id)));
        }
        Ok(None)
    }

    fn follow(&mut self, id: StepId, expansion: &mut Expansion, host: &mut impl TraversalHost) -> Result<()> {
        let mut position = ReadPosition::default();
        loop {
            let from = expansion.steps.end();
            let gathered = expansion.gather(id, &mut position, host)?;
            expansion.settle(from, host)?;
            self.push(&expansion.steps, from);
            expansion.queue_bytes = self.queue.capacity() * size_of::<Weighed>();
            if !gathered.has_more {
                return Ok(());
            }
        }
    }
}

impl PartialEq for Weighed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Weighed {}

impl PartialOrd for Weighed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Weighed {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_weight = self.weight.total_cmp(&other.weight);
        by_weight.then_with(|| (self.edges, self.id).cmp(&(other.edges, other.id)))
    }
}
