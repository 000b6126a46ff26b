//! Result rows of graph queries before late materialization.

use std::collections::HashMap;
use std::sync::Arc;

use aql_value::{Batch, Column, Program, Register, Value};
use errors::Result;
use storage::{Collection, EdgeDirection};

use super::documents::edge_documents;
use super::identity::{are_identities, project_identity};
use super::path_value::{PathBuilder, PathParts, PathWeights};
use super::reader::GraphReader;
use crate::context::ExecutionContext;
use crate::graph_search::edges::EdgeName;
use crate::graph_search::path::FoundEdge;
use crate::graph_search::vertices::Vertex;
use crate::operator::document_source::ProjectionProgram;
use crate::operator::outer_rows::OuterRows;

/// The parts of its last vertex or edge that a row has.
#[derive(Default)]
pub(crate) struct ElementOutput {
    /// Register of the document.
    pub(crate) out: Option<Register>,
    /// Attributes instead of the document.
    pub(crate) projections: Vec<ProjectionProgram>,
}

/// The parts of a row.
#[derive(Default)]
pub(crate) struct RowOutputs {
    pub(crate) vertex: ElementOutput,
    pub(crate) edge: ElementOutput,
    pub(crate) path: Option<PathParts>,
    /// True if the path has one weight, not one for each vertex.
    pub(crate) has_total_weight: bool,
    /// Register of the value of PRUNE.
    pub(crate) prune: Option<Register>,
    /// Condition on rows, which reads the documents of the last vertex and edge.
    pub(crate) filter: Option<Program>,
}

impl ElementOutput {
    /// Returns true if rows have any part of the element.
    pub(crate) fn is_read(&self) -> bool {
        self.out.is_some() || !self.projections.is_empty()
    }

    /// Returns true if the parts follow from an identifier.
    pub(crate) fn is_identity(&self) -> bool {
        are_identities(&self.projections)
    }

    /// Returns true if a row that passes has the whole document.
    fn is_whole(&self) -> bool {
        self.out.is_some() && self.projections.is_empty()
    }
}

impl RowOutputs {
    /// Returns true if rows have no part of the result.
    pub(crate) fn is_nothing(&self) -> bool {
        !self.vertex.is_read()
            && !self.reads_edges()
            && self.path.is_none()
            && self.prune.is_none()
            && self.filter.is_none()
    }

    /// Returns true if rows have any part of edges.
    pub(crate) fn reads_edges(&self) -> bool {
        self.edge.is_read() || self.path.is_some_and(|path| path.edges)
    }

    fn is_read_by_filter(&self, register: Option<Register>) -> bool {
        let filter = self.filter.as_ref();
        register.is_some_and(|out| filter.is_some_and(|filter| filter.registers_read().contains(&out)))
    }
}

/// An edge in a row.
#[derive(Clone)]
struct RowEdge {
    name: EdgeName,
    /// The vertices that it was followed from and to.
    ends: (Vertex, Vertex),
    /// The document; null if it was not fetched yet.
    document: Value,
}

/// The result rows of a search.
#[derive(Default)]
pub(in crate::operator) struct FoundRows {
    outer_rows: Vec<u32>,
    vertices: Vec<Vertex>,
    /// The last edge of each row, if there is one.
    edges: Vec<Option<RowEdge>>,
    keys: Vec<u8>,
    prunes: Vec<Value>,
    /// All vertices and edges of the paths, path after path, and the end of each path's vertices.
    ///
    /// A path has one edge fewer than vertices.
    path_ends: Vec<u32>,
    path_vertices: Vec<Vertex>,
    path_edges: Vec<RowEdge>,
    /// The weight of each vertex of the paths, or of each path.
    path_weights: Vec<f64>,
}

impl FoundRows {
    /// Returns the number of rows.
    pub(in crate::operator) fn len(&self) -> usize {
        self.outer_rows.len()
    }

    /// Adds rows without any part of the result.
    pub(in crate::operator) fn push_counted(&mut self, outer_row: u32, count: usize) {
        self.outer_rows.resize(self.outer_rows.len() + count, outer_row);
    }

    /// Adds a row that ends at a vertex. The calls that follow add its other parts.
    pub(in crate::operator) fn push(&mut self, outer_row: u32, vertex: Vertex) {
        self.outer_rows.push(outer_row);
        self.vertices.push(vertex);
    }

    /// Adds the last edge of the last row.
    pub(in crate::operator) fn push_edge(&mut self, edge: Option<FoundEdge<'_>>) {
        let edge = edge.map(|edge| self.row_edge(edge));
        self.edges.push(edge);
    }

    fn row_edge(&mut self, (name, keys, ends, document): FoundEdge<'_>) -> RowEdge {
        RowEdge { name: name.copied(keys, &mut self.keys), ends, document }
    }

    /// Adds the value of PRUNE for the last row.
    pub(in crate::operator) fn push_prune(&mut self, value: Value) {
        self.prunes.push(value);
    }

    /// Adds a vertex of the path of the last row.
    pub(in crate::operator) fn push_path_vertex(&mut self, vertex: Vertex) {
        self.path_vertices.push(vertex);
    }

    /// Adds an edge of the path of the last row.
    pub(in crate::operator) fn push_path_edge(&mut self, edge: FoundEdge<'_>) {
        let edge = self.row_edge(edge);
        self.path_edges.push(edge);
    }

    /// Adds a weight of the path of the last row.
    pub(in crate::operator) fn push_path_weight(&mut self, weight: f64) {
        self.path_weights.push(weight);
    }

    /// Completes the path of the last row.
    pub(in crate::operator) fn end_path(&mut self) {
        self.path_ends.push(self.path_vertices.len() as u32);
    }

    /// Estimates the bytes of memory.
    pub(in crate::operator) fn memory_bytes(&self) -> u64 {
        let edges = (self.edges.len() + self.path_edges.len()) * size_of::<RowEdge>();
        let vertices = (self.vertices.len() + self.path_vertices.len()) * size_of::<Vertex>();
        (edges + vertices + self.keys.len() + self.path_weights.len() * size_of::<f64>()) as u64
    }

    /// Makes a batch of the rows.
    pub(in crate::operator) fn produce(
        mut self,
        outer: &OuterRows,
        outputs: &RowOutputs,
        reader: &mut GraphReader,
        context: &mut ExecutionContext,
    ) -> Result<Batch> {
        let mut batch = outer.gather(std::mem::take(&mut self.outer_rows));
        if let Some(register) = outputs.prune {
            batch.set_column(register, Column::from_values(std::mem::take(&mut self.prunes)));
        }
        if let Some(filter) = &outputs.filter {
            if outputs.is_read_by_filter(outputs.vertex.out) {
                self.set_vertices(&mut batch, outputs, reader, context)?;
            }
            if outputs.is_read_by_filter(outputs.edge.out) {
                self.set_edges(&mut batch, outputs, reader, context)?;
            }
            context.filter(filter, &mut batch)?;
        }
        if outputs.vertex.is_whole() {
            self.set_vertices(&mut batch, outputs, reader, context)?;
        } else {
            self.project_vertices(&mut batch, outputs, reader, context)?;
        }
        if outputs.edge.is_whole() {
            self.set_edges(&mut batch, outputs, reader, context)?;
        } else {
            self.project_edges(&mut batch, outputs, reader, context)?;
        }
        if let Some(parts) = outputs.path {
            self.set_paths(&mut batch, parts, outputs.has_total_weight, reader, context)?;
        }
        Ok(batch)
    }

    /// Fetches the vertices of the selected rows.
    fn load_vertices(
        &self,
        batch: &Batch,
        reader: &mut GraphReader,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let wanted = batch.selected().filter_map(|row| self.vertices.get(row)).copied();
        reader.load(wanted, context)
    }

    /// Sets the register of the last vertex.
    fn set_vertices(
        &self,
        batch: &mut Batch,
        outputs: &RowOutputs,
        reader: &mut GraphReader,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let Some(register) = outputs.vertex.out else { return Ok(()) };
        self.load_vertices(batch, reader, context)?;
        let documents = self.vertices.iter().map(|vertex| reader.document(*vertex).clone());
        batch.set_column(register, Column::from_values(documents.collect()));
        Ok(())
    }

    /// Sets the registers of attributes of the last vertex.
    fn project_vertices(
        &self,
        batch: &mut Batch,
        outputs: &RowOutputs,
        reader: &mut GraphReader,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        outputs.vertex.out.into_iter().for_each(|register| batch.clear_column(register));
        if outputs.vertex.projections.is_empty() {
            return Ok(());
        }
        if outputs.vertex.is_identity() {
            let wanted = batch.selected().filter_map(|row| self.vertices.get(row)).copied();
            reader.load_unknown(wanted, context)?;
            for projection in &outputs.vertex.projections {
                let column = project_identity(projection, &self.vertices, batch, reader)?;
                batch.set_column(projection.out, column);
            }
            return Ok(());
        }
        self.load_vertices(batch, reader, context)?;
        for projection in &outputs.vertex.projections {
            let value = |vertex: &Vertex| reader.document(*vertex).get_path(&projection.path);
            let column = project(batch, |row| self.vertices.get(row).map(value));
            batch.set_column(projection.out, column);
        }
        Ok(())
    }

    /// Fetches the last edges of the selected rows.
    fn load_edges(
        &mut self,
        batch: &Batch,
        reader: &GraphReader,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let mut wanted = EdgeRequest::default();
        for row in batch.selected() {
            if let Some(Some(edge)) = self.edges.get(row) {
                wanted.add(row, edge, &self.keys, reader);
            }
        }
        for (row, document) in wanted.fetch(context)? {
            if let Some(Some(edge)) = self.edges.get_mut(row) {
                edge.document = document;
            }
        }
        Ok(())
    }

    /// Sets the register of the last edge.
    fn set_edges(
        &mut self,
        batch: &mut Batch,
        outputs: &RowOutputs,
        reader: &GraphReader,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let Some(register) = outputs.edge.out else { return Ok(()) };
        self.load_edges(batch, reader, context)?;
        let document =
            |edge: &Option<RowEdge>| edge.as_ref().map_or(Value::Null, |edge| edge.document.clone());
        batch.set_column(register, Column::from_values(self.edges.iter().map(document).collect()));
        Ok(())
    }

    /// Sets the registers of attributes of the last edge. Those that the search knows need no
    /// document.
    fn project_edges(
        &mut self,
        batch: &mut Batch,
        outputs: &RowOutputs,
        reader: &GraphReader,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        outputs.edge.out.into_iter().for_each(|register| batch.clear_column(register));
        let known = |projection: &ProjectionProgram| KnownAttribute::of(&projection.path);
        if outputs.edge.projections.iter().any(|projection| known(projection).is_none()) {
            self.load_edges(batch, reader, context)?;
        }
        for projection in &outputs.edge.projections {
            let column = project(batch, |row| {
                let edge = self.edges.get(row)?.as_ref()?;
                match known(projection) {
                    Some(attribute) => attribute.value(edge, &self.keys, reader),
                    None => Some(edge.document.get_path(&projection.path)),
                }
            });
            batch.set_column(projection.out, column);
        }
        Ok(())
    }

    /// Returns the ranges of the vertices and of the edges of a row's path.
    fn path_range(&self, row: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let start = row.checked_sub(1).and_then(|before| self.path_ends.get(before)).copied().unwrap_or(0);
        let (start, end) = (start as usize, self.path_ends.get(row).copied().unwrap_or(start) as usize);
        // Each earlier path has one edge fewer than vertices.
        (start..end, start.saturating_sub(row)..end.saturating_sub(row + 1))
    }

    /// Fetches the vertices and edges of the paths of the selected rows.
    fn load_paths(
        &mut self,
        batch: &Batch,
        parts: PathParts,
        reader: &mut GraphReader,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        if parts.vertices {
            let of_row = |row| self.path_vertices.get(self.path_range(row).0).unwrap_or_default();
            reader.load(batch.selected().flat_map(of_row).copied(), context)?;
        }
        if parts.edges {
            let mut wanted = EdgeRequest::default();
            for row in batch.selected() {
                for position in self.path_range(row).1 {
                    if let Some(edge) = self.path_edges.get(position) {
                        wanted.add(position, edge, &self.keys, reader);
                    }
                }
            }
            for (position, document) in wanted.fetch(context)? {
                if let Some(edge) = self.path_edges.get_mut(position) {
                    edge.document = document;
                }
            }
        }
        Ok(())
    }

    /// Sets the register of the path.
    fn set_paths(
        &mut self,
        batch: &mut Batch,
        parts: PathParts,
        has_total_weight: bool,
        reader: &mut GraphReader,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        self.load_paths(batch, parts, reader, context)?;
        let mut builder = PathBuilder::new(parts, batch.selected_len());
        for row in batch.selected() {
            context.interrupt.check()?;
            let (vertices, edges) = self.path_range(row);
            let weights = match has_total_weight {
                true => PathWeights::Total(self.path_weights.get(row).copied().unwrap_or(0.0)),
                false => PathWeights::Sums(self.path_weights.get(vertices.clone()).unwrap_or_default()),
            };
            let vertices = self.path_vertices.get(vertices).unwrap_or_default().iter();
            let edges = self.path_edges.get(edges).unwrap_or_default().iter();
            builder.add(
                vertices.map(|vertex| reader.document(*vertex)),
                edges.map(|edge| &edge.document),
                weights,
            )?;
            builder.check_memory(context)?;
        }
        let mut paths = builder.finish().into_iter();
        let mut values = vec![Value::Null; batch.rows()];
        for row in batch.selected() {
            if let (Some(slot), Some(path)) = (values.get_mut(row), paths.next()) {
                *slot = path;
            }
        }
        batch.set_column(parts.out, Column::from_values(values));
        Ok(())
    }
}

/// Returns the values of the selected rows.
fn project(batch: &Batch, value: impl Fn(usize) -> Option<Value>) -> Column {
    let mut values = vec![Value::Null; batch.rows()];
    for row in batch.selected() {
        if let Some(slot) = values.get_mut(row) {
            *slot = value(row).unwrap_or_default();
        }
    }
    Column::from_values(values)
}

/// An attribute of an edge that is known without its document.
#[derive(Clone, Copy)]
enum KnownAttribute {
    Key,
    Id,
    From,
    To,
}

impl KnownAttribute {
    fn of(path: &[Box<str>]) -> Option<Self> {
        let [name] = path else { return None };
        Some(match &**name {
            "_key" => Self::Key,
            "_id" => Self::Id,
            "_from" => Self::From,
            "_to" => Self::To,
            _ => return None,
        })
    }

    fn value(self, edge: &RowEdge, keys: &[u8], reader: &GraphReader) -> Option<Value> {
        let access = reader.accesses().get(usize::from(edge.name.access))?;
        let is_forward = access.direction == EdgeDirection::Outbound;
        let key = std::str::from_utf8(edge.name.key(keys)).ok()?;
        let end = |vertex| std::str::from_utf8(reader.vertices.id(vertex)).ok().map(Value::from_str);
        match self {
            Self::Key => Some(Value::from_str(key)),
            Self::Id => Some(Value::from_str(&format!("{}/{key}", access.collection.name()))),
            Self::From => end(if is_forward { edge.ends.0 } else { edge.ends.1 }),
            Self::To => end(if is_forward { edge.ends.1 } else { edge.ends.0 }),
        }
    }
}

/// A request for documents of edges: each is fetched once for all its consumers.
#[derive(Default)]
struct EdgeRequest<'a> {
    edges: Vec<(&'a Arc<Collection>, &'a [u8])>,
    positions: HashMap<(u16, &'a [u8]), usize>,
    /// The consumers, each with the edge that it needs.
    wanted: Vec<(usize, usize)>,
}

impl<'a> EdgeRequest<'a> {
    /// Requests an edge, unless its document is known.
    fn add(&mut self, who: usize, edge: &RowEdge, keys: &'a [u8], reader: &'a GraphReader) {
        if !edge.document.is_null() {
            return;
        }
        let key = edge.name.key(keys);
        let Some(access) = reader.accesses().get(usize::from(edge.name.access)) else { return };
        let edges = &mut self.edges;
        let position = *self.positions.entry((edge.name.access, key)).or_insert_with(|| {
            edges.push((&access.collection, key));
            edges.len() - 1
        });
        self.wanted.push((who, position));
    }

    /// Returns the documents, each with its consumer.
    fn fetch(self, context: &mut ExecutionContext) -> Result<Vec<(usize, Value)>> {
        if self.wanted.is_empty() {
            return Ok(Vec::new());
        }
        let documents = edge_documents(&self.edges, context)?;
        let document = |position: usize| documents.get(position).cloned().unwrap_or_default();
        Ok(self.wanted.into_iter().map(|(who, position)| (who, document(position))).collect())
    }
}
