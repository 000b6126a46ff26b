//! The paths of a traversal: each is its last step, which knows its parent. Paths share common
//! steps.

use aql_value::Value;

use crate::graph_search::edges::{EdgeName, FoundEdge};
use crate::graph_search::vertices::Vertex;

/// The end of a path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// The last vertex of the path.
    pub(crate) vertex: Vertex,
    /// Number of edges of the path.
    pub(crate) depth: u32,
    /// The path without its last edge; meaningless at depth 0.
    parent: u32,
    /// The last edge, in [`Steps::keys`]; meaningless at depth 0.
    pub(crate) edge: EdgeName,
    /// True if the path is not expanded further.
    pub(crate) is_pruned: bool,
}

/// The number of a step.
pub(crate) type StepId = u32;

/// The details kept of each step besides the step itself.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StepDetails {
    /// The sum of the weights of the path's edges.
    pub(crate) weights: bool,
    /// The last edge's document.
    pub(crate) documents: bool,
    /// The value of the condition of PRUNE.
    pub(crate) prunes: bool,
}

/// The steps of a traversal from one vertex. Their numbers ascend; either end may be dropped.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    details: StepDetails,
    /// Number of the first step that is kept.
    first: StepId,
    steps: Vec<Step>,
    keys: Vec<u8>,
    weights: Vec<f64>,
    documents: Vec<Value>,
    prunes: Vec<Value>,
}

impl Steps {
    pub(crate) fn new(details: StepDetails) -> Self {
        Self { details, ..Self::default() }
    }

    /// Drops all steps.
    pub(crate) fn clear(&mut self) {
        self.truncate(0, 0);
        self.first = 0;
    }

    /// Returns the number of steps that are kept.
    pub(crate) fn len(&self) -> u32 {
        self.steps.len() as u32
    }

    /// Returns one more than the largest number of a step.
    pub(crate) fn end(&self) -> StepId {
        self.first + self.steps.len() as u32
    }

    /// Returns the bytes of the keys of edges.
    pub(crate) fn key_bytes(&self) -> usize {
        self.keys.len()
    }

    /// Returns the keys of the edges.
    pub(crate) fn keys(&self) -> &[u8] {
        &self.keys
    }

    fn index(&self, id: StepId) -> usize {
        id.wrapping_sub(self.first) as usize
    }

    /// Returns a step; `None` if there is none with the number.
    pub(crate) fn get(&self, id: StepId) -> Option<&Step> {
        self.steps.get(self.index(id))
    }

    /// Returns the parent of a step; `None` at depth 0.
    pub(crate) fn parent(&self, id: StepId) -> Option<StepId> {
        self.get(id).filter(|step| step.depth > 0).map(|step| step.parent)
    }

    /// Returns the `_key` of a step's edge.
    pub(crate) fn key(&self, id: StepId) -> &[u8] {
        self.get(id).map_or(&[], |step| step.edge.key(&self.keys))
    }

    /// Returns the steps of the path that ends with a step, from its end to its beginning.
    pub(crate) fn back(&self, id: StepId) -> impl Iterator<Item = (StepId, &Step)> {
        let mut next = Some(id);
        std::iter::from_fn(move || {
            let id = next?;
            next = self.parent(id);
            Some((id, self.get(id)?))
        })
    }

    /// Reserves memory for `additional` more steps.
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.steps.reserve(additional);
    }

    /// Adds the path of depth 0.
    pub(crate) fn push_start(&mut self, vertex: Vertex) {
        let edge = EdgeName::default();
        self.push(Step { vertex, depth: 0, parent: 0, edge, is_pruned: false }, Value::Null);
    }

    /// Adds the extension of `parent` by an edge. The edge's key lies in `keys` and is copied, if
    /// any.
    pub(crate) fn push_edge(
        &mut self,
        parent: StepId,
        edge: &FoundEdge,
        keys: Option<&[u8]>,
        document: Option<&Value>,
    ) {
        let depth = self.get(parent).map_or(0, |step| step.depth).saturating_add(1);
        let name = edge.name.copied(keys.unwrap_or_default(), &mut self.keys);
        let step = Step { vertex: edge.vertex, depth, parent, edge: name, is_pruned: false };
        self.push(step, document.cloned().unwrap_or_default());
    }

    fn push(&mut self, step: Step, document: Value) {
        self.steps.push(step);
        if self.details.weights {
            self.weights.push(0.0);
        }
        if self.details.documents {
            self.documents.push(document);
        }
        if self.details.prunes {
            self.prunes.push(Value::Null);
        }
    }

    /// Returns the sum of the weights of a path's edges; without weights, their number.
    pub(crate) fn weight(&self, id: StepId) -> f64 {
        if self.details.weights {
            return self.weights.get(self.index(id)).copied().unwrap_or(0.0);
        }
        self.get(id).map_or(0.0, |step| f64::from(step.depth))
    }

    /// Sets the sum of the weights of a path's edges.
    pub(crate) fn set_weight(&mut self, id: StepId, weight: f64) {
        let index = self.index(id);
        if let Some(slot) = self.weights.get_mut(index) {
            *slot = weight;
        }
    }

    /// Returns the document of a step's edge, if it is kept.
    pub(crate) fn document(&self, id: StepId) -> Option<&Value> {
        self.documents.get(self.index(id)).filter(|document| !document.is_null())
    }

    /// Stores the document of a step's edge.
    pub(crate) fn set_document(&mut self, id: StepId, document: Value) {
        let index = self.index(id);
        if let Some(slot) = self.documents.get_mut(index) {
            *slot = document;
        }
    }

    /// Returns the value of the condition of PRUNE for a path.
    pub(crate) fn prune(&self, id: StepId) -> Value {
        self.prunes.get(self.index(id)).cloned().unwrap_or_default()
    }

    /// Sets the value of the condition of PRUNE for a path.
    pub(crate) fn set_prune(&mut self, id: StepId, value: Value) {
        let index = self.index(id);
        if let Some(step) = self.steps.get_mut(index) {
            step.is_pruned = value.is_truthy();
        }
        if let Some(slot) = self.prunes.get_mut(index) {
            *slot = value;
        }
    }

    /// Keeps of the steps from `from` on those that `is_kept` selects, in order, with new numbers.
    pub(crate) fn retain(&mut self, from: StepId, mut is_kept: impl FnMut(StepId, &Step) -> bool) {
        let first = self.index(from);
        let mut write = first;
        for read in first..self.steps.len() {
            let id = self.first + read as u32;
            if !self.steps.get(read).is_some_and(|step| is_kept(id, step)) {
                continue;
            }
            if write != read {
                self.steps.swap(write, read);
                swap(&mut self.weights, write, read);
                swap(&mut self.documents, write, read);
                swap(&mut self.prunes, write, read);
            }
            write += 1;
        }
        self.shorten(write);
    }

    /// Drops the steps from `end` on, and the keys beyond `key_bytes`, which are theirs.
    pub(crate) fn truncate(&mut self, end: StepId, key_bytes: usize) {
        self.shorten(self.index(end.max(self.first)));
        self.keys.truncate(key_bytes);
    }

    fn shorten(&mut self, len: usize) {
        self.steps.truncate(len);
        self.weights.truncate(len);
        self.documents.truncate(len);
        self.prunes.truncate(len);
    }

    /// Drops the steps before `first`. Only if no step needs its parent.
    pub(crate) fn forget_before(&mut self, first: StepId) {
        let count = self.index(first).min(self.steps.len());
        let drained = count.min(self.weights.len());
        self.weights.drain(..drained);
        let drained = count.min(self.documents.len());
        self.documents.drain(..drained);
        let drained = count.min(self.prunes.len());
        self.prunes.drain(..drained);
        self.steps.drain(..count);
        self.first += count as u32;
        self.forget_keys();
    }

    /// Frees the keys that no step has any more.
    fn forget_keys(&mut self) {
        let old = std::mem::take(&mut self.keys);
        for step in &mut self.steps {
            step.edge = step.edge.copied(&old, &mut self.keys);
        }
    }

    /// Returns the bytes of memory, without those of documents.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let values = (self.documents.capacity() + self.prunes.capacity()) * size_of::<Value>();
        let steps = self.steps.capacity() * size_of::<Step>() + self.weights.capacity() * size_of::<f64>();
        (steps + values + self.keys.capacity()) as u64
    }
}

fn swap<T>(values: &mut [T], left: usize, right: usize) {
    if left.max(right) < values.len() {
        values.swap(left, right);
    }
}
