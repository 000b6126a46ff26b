//! An operator's knowledge of the graph while it runs.

use aql_value::{Batch, Charge, Value};
use errors::{Error, ErrorCode, Result};

use super::access::{EdgeAccessProgram, FinderContext};
use super::documents::VertexDocuments;
use super::edges::EdgeFinder;
use super::existence::VertexExistence;
use crate::context::ExecutionContext;
use crate::graph_search::vertices::{Vertex, VertexArena};

/// Vertices, edges and documents found so far, and the memory that they take.
///
/// It lives as long as its operator, so that results for one outer row are known for the next.
pub(crate) struct GraphReader {
    pub(in crate::operator) vertices: VertexArena,
    pub(super) finder: EdgeFinder,
    documents: VertexDocuments,
    /// The existence of vertices, if consumers only need that.
    existence: Option<VertexExistence>,
    charge: Charge,
}

/// Maximum number of vertices known from one outer row to the next: with more, everything is
/// dropped.
const KEPT_VERTICES: usize = 1 << 20;

/// Most memory for one search, whatever the query's own limit, because its positions have 32 bits.
const SEARCH_MAX_BYTES: u64 = 3 << 30;

/// Largest change of memory that is not reported.
const UNTOLD_BYTES: u64 = 64 << 10;

impl GraphReader {
    pub(crate) fn new(
        accesses: Vec<EdgeAccessProgram>,
        vertex_collections: Option<Box<[Box<str>]>>,
        keeps_keys: bool,
        context: &ExecutionContext,
    ) -> Self {
        let limit_bytes = context.memory.limit_bytes();
        Self {
            vertices: VertexArena::new(),
            finder: EdgeFinder::new(accesses, vertex_collections, keeps_keys, limit_bytes),
            documents: VertexDocuments::new(limit_bytes),
            existence: None,
            charge: context.new_charge(),
        }
    }

    /// Restricts the reader to rows that have only those attributes of a vertex that its identifier
    /// gives.
    pub(crate) fn of_identities(self) -> Self {
        Self { existence: Some(VertexExistence::default()), ..self }
    }

    /// Prepares for an outer row. Called before each. It may drop the vertices of earlier rows.
    pub(in crate::operator) fn start_row(&mut self, context: &ExecutionContext) {
        self.finder.start_row();
        if self.vertices.len() > KEPT_VERTICES {
            self.vertices = VertexArena::new();
            self.finder.forget_lists();
            self.documents = VertexDocuments::new(context.memory.limit_bytes());
            self.existence = self.existence.take().map(|_| VertexExistence::default());
        }
    }

    pub(super) fn finder_and<'a>(
        &'a mut self,
        outer_row: &'a Batch,
        context: &'a mut ExecutionContext,
    ) -> (&'a mut EdgeFinder, FinderContext<'a>) {
        let Self { vertices, finder, existence, .. } = self;
        (finder, FinderContext { vertices, existence: existence.as_mut(), outer_row, context })
    }

    /// Fetches the documents of vertices.
    pub(in crate::operator) fn load(
        &mut self,
        wanted: impl Iterator<Item = Vertex>,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        self.documents.load(wanted, &self.vertices, context)
    }

    /// Fetches the documents of vertices that are not known to exist.
    pub(super) fn load_unknown(
        &mut self,
        wanted: impl Iterator<Item = Vertex>,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let Self { vertices, documents, existence, .. } = self;
        let is_unknown = |vertex: &Vertex| !existence.as_ref().is_some_and(|known| known.knows(*vertex));
        documents.load(wanted.filter(is_unknown), vertices, context)?;
        if let Some(existence) = existence {
            existence.prove(|vertex| !documents.get(vertex).is_null(), vertices);
        }
        Ok(())
    }

    /// Returns true if a vertex is known to exist, though its document was not fetched.
    pub(super) fn is_known(&self, vertex: Vertex) -> bool {
        self.existence.as_ref().is_some_and(|existence| existence.knows(vertex))
    }

    /// Returns true if a vertex exists. A missing vertex causes no warning.
    pub(in crate::operator) fn exists(
        &mut self,
        vertex: Vertex,
        context: &mut ExecutionContext,
    ) -> Result<bool> {
        self.documents.load_quietly(std::iter::once(vertex), &self.vertices, context)?;
        Ok(!self.document(vertex).is_null())
    }

    /// Returns the document of a vertex that was fetched.
    pub(in crate::operator) fn document(&self, vertex: Vertex) -> &Value {
        self.documents.get(vertex)
    }

    /// Returns the accesses to edges.
    pub(crate) fn accesses(&self) -> &[EdgeAccessProgram] {
        self.finder.accesses()
    }

    /// Ends the query if it was killed, or if the memory does not suffice for the reader and the
    /// search.
    pub(in crate::operator) fn checkpoint(
        &mut self,
        search_bytes: u64,
        context: &ExecutionContext,
    ) -> Result<()> {
        if search_bytes > SEARCH_MAX_BYTES {
            let message = format!("a search in a graph would take more than {SEARCH_MAX_BYTES} bytes");
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        let bytes = search_bytes
            + self.vertices.memory_bytes()
            + self.finder.memory_bytes()
            + self.documents.memory_bytes()
            + self.existence.as_ref().map_or(0, VertexExistence::memory_bytes);
        let told = self.charge.bytes();
        if bytes > told + UNTOLD_BYTES {
            self.charge.grow(bytes - told)?;
        } else if bytes + UNTOLD_BYTES < told {
            self.charge.shrink(told - bytes);
        }
        context.interrupt.check()
    }

    pub(in crate::operator) fn release(&mut self) {
        self.finder.release();
    }
}
