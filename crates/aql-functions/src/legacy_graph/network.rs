//! The edges and vertices that a call comes to.

use super::examples::Examples;
use crate::memory::Scratch;
use aql_value::{EdgeDirection, Environment, Error, EvaluationContext, Interrupt, Result, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// Most iterations of a search whose options say nothing of them.
pub(super) const MAX_ITERATIONS: u64 = 10_000_000;

/// `ERROR_GRAPH_TOO_MANY_ITERATIONS`
const TOO_MANY_ITERATIONS: u32 = 1909;

/// Bytes that the tables have for a vertex or an edge beside its identifier.
const ENTRY_BYTES: usize = 96;

/// Which edges are followed, and how.
pub(super) struct Follow {
    pub(super) collections: Vec<String>,
    pub(super) direction: EdgeDirection,
    pub(super) examples: Examples,
}

/// An edge at a vertex and the vertex at its other end, by their numbers.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) edge: usize,
    pub(super) to: usize,
}

/// Vertices and edges by numbers, read when they are asked for and kept, within the query's memory, until the call ends.
pub(super) struct Network<'a> {
    environment: &'a dyn Environment,
    interrupt: &'a Interrupt,
    scratch: Scratch<'a>,
    follow: Follow,
    vertices: Ids,
    edges: Ids,
    /// By vertex: its edges, once they were asked for.
    lists: Vec<Option<Rc<[Step]>>>,
    /// By vertex: its document, or null if there is none, once it was asked for.
    documents: Vec<Option<Value>>,
    edge_documents: Vec<Value>,
    iterations_left: u64,
}

impl<'a> Network<'a> {
    pub(super) fn new(context: &EvaluationContext<'a>, follow: Follow) -> Self {
        Self {
            environment: context.environment,
            interrupt: context.interrupt,
            scratch: Scratch::new(context.memory),
            follow,
            vertices: Ids::default(),
            edges: Ids::default(),
            lists: Vec::new(),
            documents: Vec::new(),
            edge_documents: Vec::new(),
            iterations_left: u64::MAX,
        }
    }

    pub(super) fn environment(&self) -> &'a dyn Environment {
        self.environment
    }

    /// Draws memory until the call ends; error 32 if the query's limit would be exceeded.
    pub(super) fn charge(&mut self, bytes: usize) -> Result<()> {
        self.scratch.grow(bytes)
    }

    /// The searches from now on may have so many iterations.
    pub(super) fn allow(&mut self, iterations: u64) {
        self.iterations_left = iterations;
    }

    /// Counts an iteration, and looks at the interrupt. Error 1909 if it is one too many.
    pub(super) fn iterate(&mut self) -> Result<()> {
        self.interrupt.check()?;
        let message = "too many iterations - try increasing the value of 'maxIterations'";
        let left = self.iterations_left.checked_sub(1);
        self.iterations_left = left.ok_or_else(|| Error::new(TOO_MANY_ITERATIONS, message))?;
        Ok(())
    }

    /// Looks at the interrupt.
    pub(super) fn check_interrupt(&self) -> Result<()> {
        self.interrupt.check()
    }

    /// Number of vertices met so far.
    pub(super) fn vertex_count(&self) -> usize {
        self.vertices.ids.len()
    }

    /// The vertex with an identifier, which may not exist.
    pub(super) fn vertex(&mut self, id: &str) -> Result<usize> {
        let (vertex, is_new) = self.vertices.intern(id);
        if is_new {
            self.lists.push(None);
            self.documents.push(None);
            self.charge(ENTRY_BYTES + id.len())?;
        }
        Ok(vertex)
    }

    /// The vertex of a document that was read already, and accounted.
    pub(super) fn vertex_of(&mut self, document: Value) -> Result<usize> {
        let vertex = self.vertex(document.get("_id").as_str().unwrap_or_default())?;
        if let Some(kept) = self.documents.get_mut(vertex) {
            *kept = Some(document);
        }
        Ok(vertex)
    }

    pub(super) fn vertex_id(&self, vertex: usize) -> Rc<str> {
        self.vertices.id(vertex)
    }

    pub(super) fn edge_id(&self, edge: usize) -> Rc<str> {
        self.edges.id(edge)
    }

    pub(super) fn edge_document(&self, edge: usize) -> Value {
        self.edge_documents.get(edge).cloned().unwrap_or_default()
    }

    /// The document of a vertex; null if there is none.
    pub(super) fn document(&mut self, vertex: usize) -> Result<Value> {
        if let Some(Some(document)) = self.documents.get(vertex) {
            return Ok(document.clone());
        }
        self.interrupt.check()?;
        let document = self.environment.document(None, &self.vertices.id(vertex))?;
        self.charge(document.memory_bytes())?;
        if let Some(kept) = self.documents.get_mut(vertex) {
            *kept = Some(document.clone());
        }
        Ok(document)
    }

    /// The edges at a vertex that are followed.
    pub(super) fn steps(&mut self, vertex: usize) -> Result<Rc<[Step]>> {
        if let Some(Some(steps)) = self.lists.get(vertex) {
            return Ok(Rc::clone(steps));
        }
        let id = self.vertices.id(vertex);
        let mut steps = Vec::new();
        for collection in 0..self.follow.collections.len() {
            self.interrupt.check()?;
            self.read_steps(collection, &id, &mut steps)?;
        }
        self.charge(steps.len() * size_of::<Step>())?;
        let steps: Rc<[Step]> = steps.into();
        if let Some(kept) = self.lists.get_mut(vertex) {
            *kept = Some(Rc::clone(&steps));
        }
        Ok(steps)
    }

    fn read_steps(&mut self, collection: usize, vertex_id: &str, steps: &mut Vec<Step>) -> Result<()> {
        let Follow { collections, direction, .. } = &self.follow;
        let Some(collection) = collections.get(collection) else { return Ok(()) };
        let edges = self.environment.edges(collection, vertex_id, *direction)?;
        self.charge(edges.memory_bytes())?;
        for edge in edges.elements() {
            let id = edge.get("_id");
            let id = id.as_str().unwrap_or_default();
            if !self.follow.examples.matches(id, &edge) {
                continue;
            }
            let other = other_end(&edge, vertex_id, self.follow.direction);
            let to = self.vertex(other.as_str().unwrap_or_default())?;
            let (number, is_new) = self.edges.intern(id);
            if is_new {
                self.charge(ENTRY_BYTES + id.len())?;
                self.edge_documents.push(edge);
            }
            steps.push(Step { edge: number, to });
        }
        Ok(())
    }
}

/// The identifier at the other end of an edge that was found at a vertex.
pub(super) fn other_end(edge: &Value, vertex_id: &str, direction: EdgeDirection) -> Value {
    let (from, to) = (edge.get("_from"), edge.get("_to"));
    match direction {
        EdgeDirection::Outbound => to,
        EdgeDirection::Inbound => from,
        EdgeDirection::Any if from.as_str() == Some(vertex_id) => to,
        EdgeDirection::Any => from,
    }
}

/// Identifiers by numbers.
#[derive(Default)]
struct Ids {
    numbers: HashMap<Rc<str>, usize>,
    ids: Vec<Rc<str>>,
}

impl Ids {
    /// The number of an identifier, and whether it is new.
    fn intern(&mut self, id: &str) -> (usize, bool) {
        if let Some(number) = self.numbers.get(id) {
            return (*number, false);
        }
        let id: Rc<str> = id.into();
        self.numbers.insert(Rc::clone(&id), self.ids.len());
        self.ids.push(id);
        (self.ids.len() - 1, true)
    }

    fn id(&self, number: usize) -> Rc<str> {
        self.ids.get(number).map_or_else(|| "".into(), Rc::clone)
    }
}
