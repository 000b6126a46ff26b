//! The host of a traversal for one outer row.

use aql_plan::PathElement;
use aql_value::{Batch, Column, Program, Register, Value};
use errors::Result;

use super::conditions::Conditions;
use super::documents::edge_documents;
use super::path_host::WeightProgram;
use super::path_value::{PathBuilder, PathParts, PathWeights};
use super::reader::GraphReader;
use crate::context::ExecutionContext;
use crate::graph_search::edges::{EdgeList, ReadPosition};
use crate::graph_search::path::Side;
use crate::graph_search::traversal::{StepId, Steps, TraversalHost};
use crate::graph_search::vertices::Vertex;

/// The condition of PRUNE; see `aql_plan::Prune`.
pub(crate) struct PruneProgram {
    pub(crate) program: Program,
    pub(crate) vertex: Option<Register>,
    pub(crate) edge: Option<Register>,
    pub(crate) path: Option<PathParts>,
    /// True if rows have the value.
    pub(crate) is_named: bool,
}

/// The programs that decide about paths.
pub(crate) struct TraversalPrograms {
    pub(crate) conditions: Conditions,
    pub(crate) prune: Option<PruneProgram>,
    pub(crate) weight: Option<WeightProgram>,
    pub(crate) max_depth: u64,
}

impl PruneProgram {
    fn reads_edges(&self) -> bool {
        self.edge.is_some() || self.path.is_some_and(|path| path.edges)
    }

    fn reads_vertices(&self) -> bool {
        self.vertex.is_some() || self.path.is_some_and(|path| path.vertices)
    }
}

impl TraversalPrograms {
    /// Returns true if the documents of edges decide about paths.
    pub(crate) fn reads_edges(&self) -> bool {
        self.conditions.is_about(PathElement::Edge)
            || self.prune.as_ref().is_some_and(PruneProgram::reads_edges)
            || self.weight.as_ref().is_some_and(WeightProgram::reads_edges)
    }

    /// Returns true if anything decides about paths.
    pub(crate) fn decide(&self) -> bool {
        !self.conditions.is_empty() || self.prune.is_some() || self.weight.is_some()
    }

    /// Returns true if the document of an edge that leads to a depth is needed.
    fn wants_edge(&self, depth: u32) -> bool {
        self.prune.as_ref().is_some_and(PruneProgram::reads_edges)
            || self.weight.as_ref().is_some_and(WeightProgram::reads_edges)
            || self.conditions.applies(PathElement::Edge, u64::from(depth).saturating_sub(1))
    }
}

/// A [`TraversalHost`] for one outer row.
pub(in crate::operator) struct TraversalRowHost<'a> {
    pub(in crate::operator) reader: &'a mut GraphReader,
    pub(in crate::operator) programs: &'a TraversalPrograms,
    /// The outer row, as a batch of its own.
    pub(in crate::operator) outer_row: &'a Batch,
    pub(in crate::operator) context: &'a mut ExecutionContext,
}

impl TraversalHost for TraversalRowHost<'_> {
    fn edges(
        &mut self,
        vertex: Vertex,
        depth: u32,
        position: &mut ReadPosition,
        list: &mut EdgeList,
    ) -> Result<bool> {
        let (finder, mut lookup) = self.reader.finder_and(self.outer_row, self.context);
        finder.some(vertex, depth, position, list, &mut lookup)
    }

    fn concurrent_reads(&self) -> usize {
        self.context.data.start().concurrent_reads()
    }

    fn prefetch(&mut self, vertices: &[(Vertex, u32)]) -> Result<()> {
        let (finder, mut lookup) = self.reader.finder_and(self.outer_row, self.context);
        finder.prefetch(vertices, Side::Start, &mut lookup)
    }

    fn judge(&mut self, steps: &mut Steps, from: StepId, is_kept: &mut [bool]) -> Result<()> {
        if self.programs.reads_edges() {
            self.load_edges(steps, from)?;
            self.check_edges(steps, from, is_kept)?;
        }
        self.weigh(steps, from, is_kept)?;
        if self.programs.conditions.is_about(PathElement::Vertex) {
            self.check_vertices(steps, from, is_kept)?;
        }
        self.prune(steps, from, is_kept)
    }

    fn checkpoint(&mut self, search_bytes: u64) -> Result<()> {
        self.reader.checkpoint(search_bytes, self.context)
    }
}

impl TraversalRowHost<'_> {
    /// Fetches the documents of the steps' edges that are needed.
    fn load_edges(&mut self, steps: &mut Steps, from: StepId) -> Result<()> {
        let mut missing = Vec::new();
        let mut wanted = Vec::new();
        for id in from..steps.end() {
            let Some(step) = steps.get(id).filter(|step| step.depth > 0) else { continue };
            let Some(access) = self.reader.accesses().get(usize::from(step.edge.access)) else { continue };
            if steps.document(id).is_none() && self.programs.wants_edge(step.depth) {
                missing.push(id);
                wanted.push((&access.collection, steps.key(id)));
            }
        }
        let documents = edge_documents(&wanted, self.context)?;
        for (id, document) in missing.into_iter().zip(documents) {
            steps.set_document(id, document);
        }
        Ok(())
    }

    fn check_edges(&mut self, steps: &Steps, from: StepId, is_kept: &mut [bool]) -> Result<()> {
        let ids = from..steps.end();
        let position = |id| steps.get(id).and_then(|step| step.depth.checked_sub(1)).map(u64::from);
        let positions: Vec<_> = ids.clone().map(position).collect();
        let documents: Vec<_> = ids.map(|id| steps.document(id).cloned().unwrap_or_default()).collect();
        let conditions = &self.programs.conditions;
        conditions.check(PathElement::Edge, &positions, &documents, is_kept, self.outer_row, self.context)
    }

    fn check_vertices(&mut self, steps: &Steps, from: StepId, is_kept: &mut [bool]) -> Result<()> {
        let conditions = &self.programs.conditions;
        let mut positions = Vec::with_capacity(is_kept.len());
        let mut vertices = Vec::with_capacity(is_kept.len());
        for (id, is_kept) in (from..).zip(is_kept.iter()) {
            let step = steps.get(id);
            let position = step.map(|step| u64::from(step.depth));
            let position =
                position.filter(|depth| *is_kept && conditions.applies(PathElement::Vertex, *depth));
            vertices.push(step.map(|step| step.vertex).filter(|_| position.is_some()));
            positions.push(position);
        }
        self.reader.load(vertices.iter().flatten().copied(), self.context)?;
        let document = |vertex: &Option<Vertex>| {
            vertex.map_or(Value::Null, |vertex| self.reader.document(vertex).clone())
        };
        let documents: Vec<_> = vertices.iter().map(document).collect();
        conditions.check(PathElement::Vertex, &positions, &documents, is_kept, self.outer_row, self.context)
    }

    fn weigh(&mut self, steps: &mut Steps, from: StepId, is_kept: &[bool]) -> Result<()> {
        let Some(weight) = &self.programs.weight else { return Ok(()) };
        for (id, _) in (from..steps.end()).zip(is_kept).filter(|(_, is_kept)| **is_kept) {
            let Some(parent) = steps.parent(id) else { continue };
            let own = weight.of(steps.document(id))?;
            steps.set_weight(id, steps.weight(parent) + own);
        }
        Ok(())
    }

    fn prune(&mut self, steps: &mut Steps, from: StepId, is_kept: &[bool]) -> Result<()> {
        let Some(prune) = &self.programs.prune else { return Ok(()) };
        let max_depth = self.programs.max_depth;
        let may_go_on = |id| steps.get(id).is_some_and(|step| u64::from(step.depth) < max_depth);
        let ids = (from..steps.end()).zip(is_kept).filter(|(_, is_kept)| **is_kept).map(|(id, _)| id);
        let asked: Vec<StepId> = ids.filter(|id| prune.is_named || may_go_on(*id)).collect();
        if asked.is_empty() {
            return Ok(());
        }
        let mut batch = self.outer_row.repeat_row(0, asked.len());
        if prune.reads_vertices() {
            let on_paths = asked.iter().flat_map(|id| {
                let count = if prune.path.is_some() { usize::MAX } else { 1 };
                steps.back(*id).take(count).map(|(_, step)| step.vertex)
            });
            self.reader.load(on_paths, self.context)?;
        }
        if let Some(register) = prune.vertex {
            let vertex = |id: &StepId| {
                steps.get(*id).map_or(Value::Null, |step| self.reader.document(step.vertex).clone())
            };
            batch.set_column(register, Column::from_values(asked.iter().map(vertex).collect()));
        }
        if let Some(register) = prune.edge {
            let edge = |id: &StepId| steps.document(*id).cloned().unwrap_or_default();
            batch.set_column(register, Column::from_values(asked.iter().map(edge).collect()));
        }
        if let Some(parts) = prune.path {
            let paths = self.paths(steps, &asked, parts)?;
            batch.set_column(parts.out, Column::from_values(paths));
        }
        let values = self.context.evaluate(&prune.program, &batch)?;
        for (row, id) in asked.iter().enumerate() {
            steps.set_prune(*id, values.get(row).clone());
        }
        Ok(())
    }

    fn paths(&self, steps: &Steps, ids: &[StepId], parts: PathParts) -> Result<Vec<Value>> {
        let mut builder = PathBuilder::new(parts, ids.len());
        for id in ids {
            self.context.interrupt.check()?;
            let mut path: Vec<StepId> = steps.back(*id).map(|(id, _)| id).collect();
            path.reverse();
            let vertex = |id: &StepId| steps.get(*id).map(|step| self.reader.document(step.vertex));
            let edges: Vec<Value> =
                path.iter().skip(1).map(|id| steps.document(*id).cloned().unwrap_or_default()).collect();
            let weights: Vec<f64> = path.iter().map(|id| steps.weight(*id)).collect();
            builder.add(path.iter().filter_map(vertex), edges.iter(), PathWeights::Sums(&weights))?;
            builder.check_memory(self.context)?;
        }
        Ok(builder.finish())
    }
}
