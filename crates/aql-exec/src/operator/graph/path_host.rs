//! The host of path searches for one outer row.

use aql_plan::PathElement;
use aql_value::{Batch, Value};
use errors::{Error, ErrorCode, Result};

use super::conditions::Conditions;
use super::documents::edge_documents;
use super::reader::GraphReader;
use crate::context::ExecutionContext;
use crate::graph_search::edges::EdgeList;
use crate::graph_search::path::{PathHost, Side};
use crate::graph_search::vertices::Vertex;

/// The weight of edges.
pub(crate) struct WeightProgram {
    /// The names that lead to the attribute; `None`: all edges have the default weight.
    pub(crate) attribute: Option<Box<[Box<str>]>>,
    /// Weight of an edge without a number in the attribute.
    pub(crate) default: f64,
}

impl WeightProgram {
    /// Returns true if weights require documents of edges.
    pub(crate) fn reads_edges(&self) -> bool {
        self.attribute.is_some()
    }

    /// Returns the weight of the edge with a document. Errors: 1948 if it is negative.
    pub(super) fn of(&self, document: Option<&Value>) -> Result<f64> {
        let attribute = self.attribute.as_ref().zip(document);
        let own = attribute.and_then(|(attribute, document)| document.get_path(attribute).as_f64());
        let weight = own.unwrap_or(self.default);
        if weight >= 0.0 {
            return Ok(weight);
        }
        Err(Error::of(ErrorCode::GraphNegativeEdgeWeight))
    }
}

/// The programs that decide about paths.
pub(crate) struct PathPrograms {
    pub(crate) conditions: Conditions,
    /// `None` in searches without weights.
    pub(crate) weight: Option<WeightProgram>,
}

/// The reader of vertices and edges for path searches.
pub(crate) struct PathReader {
    pub(in crate::operator) reader: GraphReader,
    programs: PathPrograms,
}

/// A [`PathHost`] for one outer row.
pub(in crate::operator) struct PathSearchHost<'a> {
    reader: &'a mut GraphReader,
    programs: &'a PathPrograms,
    outer_row: &'a Batch,
    context: &'a mut ExecutionContext,
}

impl PathPrograms {
    /// Returns true if the documents of edges decide about paths.
    pub(crate) fn read_edges(&self) -> bool {
        self.conditions.is_about(PathElement::Edge) || self.weight.is_some()
    }
}

impl PathReader {
    pub(crate) fn new(reader: GraphReader, programs: PathPrograms) -> Self {
        Self { reader, programs }
    }

    pub(crate) fn programs(&self) -> &PathPrograms {
        &self.programs
    }

    /// Returns true if paths are searched by weight.
    pub(in crate::operator) fn is_weighted(&self) -> bool {
        self.programs.weight.is_some()
    }

    /// Prepares for an outer row. Called before each.
    pub(in crate::operator) fn start_row(&mut self, context: &ExecutionContext) {
        self.reader.start_row(context);
        if !self.programs.conditions.is_empty() {
            // Conditions may depend on the outer row.
            self.reader.finder.forget_lists();
        }
    }

    /// Creates the host for an outer row.
    pub(in crate::operator) fn host<'a>(
        &'a mut self,
        outer_row: &'a Batch,
        context: &'a mut ExecutionContext,
    ) -> PathSearchHost<'a> {
        PathSearchHost { reader: &mut self.reader, programs: &self.programs, outer_row, context }
    }

    /// Returns true if a vertex may be the first or last of a path.
    pub(in crate::operator) fn allows(
        &mut self,
        vertex: Vertex,
        outer_row: &Batch,
        context: &mut ExecutionContext,
    ) -> Result<bool> {
        let mut host = self.host(outer_row, context);
        let mut is_kept = [true];
        host.check_vertices([vertex].into_iter(), &mut is_kept)?;
        Ok(is_kept == [true])
    }
}

impl PathHost for PathSearchHost<'_> {
    fn edges(&mut self, vertex: Vertex, side: Side, list: &mut EdgeList) -> Result<()> {
        let (finder, mut lookup) = self.reader.finder_and(self.outer_row, self.context);
        if finder.known(vertex, side, list) {
            return Ok(());
        }
        finder.all(vertex, side, list, &mut lookup)?;
        self.check(list)?;
        self.reader.finder.keep(vertex, side, list);
        Ok(())
    }

    fn concurrent_reads(&self) -> usize {
        self.context.data.start().concurrent_reads()
    }

    fn prefetch(&mut self, vertices: &[Vertex], side: Side) -> Result<()> {
        let (finder, mut lookup) = self.reader.finder_and(self.outer_row, self.context);
        let vertices: Vec<(Vertex, u32)> = vertices.iter().map(|vertex| (*vertex, ANY_DEPTH)).collect();
        finder.prefetch(&vertices, side, &mut lookup)
    }

    fn checkpoint(&mut self, search_bytes: u64) -> Result<()> {
        self.reader.checkpoint(search_bytes, self.context)
    }
}

impl PathSearchHost<'_> {
    /// Removes the edges that must not be part of a path, and sets the weights of the others.
    fn check(&mut self, list: &mut EdgeList) -> Result<()> {
        let programs = self.programs;
        let checks_edges = programs.conditions.is_about(PathElement::Edge);
        let mut is_kept = vec![true; list.edges.len()];
        if checks_edges || programs.weight.as_ref().is_some_and(WeightProgram::reads_edges) {
            self.load(list)?;
        }
        if checks_edges {
            let positions = vec![Some(ANYWHERE); list.edges.len()];
            let element = PathElement::Edge;
            let (row, context) = (self.outer_row, &mut *self.context);
            programs.conditions.check(element, &positions, &list.documents, &mut is_kept, row, context)?;
        }
        if programs.conditions.is_about(PathElement::Vertex) {
            self.check_vertices(list.edges.iter().map(|edge| edge.vertex), &mut is_kept)?;
        }
        if !programs.conditions.is_empty() {
            let mut kept = is_kept.iter();
            list.edges.retain(|_| kept.next().copied().unwrap_or(false));
            let mut kept = is_kept.iter();
            list.documents.retain(|_| kept.next().copied().unwrap_or(false));
        }
        if let Some(weight) = &programs.weight {
            for position in 0..list.edges.len() {
                list.weights.push(weight.of(list.documents.get(position))?);
            }
        }
        list.documents.clear();
        Ok(())
    }

    fn load(&mut self, list: &mut EdgeList) -> Result<()> {
        let mut wanted = Vec::with_capacity(list.edges.len());
        for edge in &list.edges {
            if let Some(access) = self.reader.accesses().get(usize::from(edge.name.access)) {
                wanted.push((&access.collection, edge.name.key(&list.keys)));
            }
        }
        let documents = edge_documents(&wanted, self.context)?;
        list.documents = documents;
        Ok(())
    }

    fn check_vertices(
        &mut self,
        vertices: impl ExactSizeIterator<Item = Vertex> + Clone,
        is_kept: &mut [bool],
    ) -> Result<()> {
        let conditions = &self.programs.conditions;
        if !conditions.is_about(PathElement::Vertex) {
            return Ok(());
        }
        self.reader.load(vertices.clone(), self.context)?;
        let positions = vec![Some(ANYWHERE); vertices.len()];
        let documents: Vec<_> = vertices.map(|vertex| self.reader.document(vertex).clone()).collect();
        conditions.check(PathElement::Vertex, &positions, &documents, is_kept, self.outer_row, self.context)
    }
}

/// A position in a path without its own conditions: those of searches hold for all positions.
const ANYWHERE: u64 = u64::MAX;

/// A depth without its own lookup of edges: searches have one for all depths.
const ANY_DEPTH: u32 = u32::MAX;
