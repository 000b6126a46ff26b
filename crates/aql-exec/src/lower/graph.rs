//! Lowering of graph queries.

use std::collections::HashMap;
use std::sync::Arc;

use aql_plan::{
    EdgeDirection, EdgeLookup, EnumeratePaths, EnumeratePathsKind, GraphAccess, IndexRange, PathOutput,
    PathSearchOptions, Projection, Prune, ShortestPath, StepCondition, Traversal, TraversalOrder, VariableId,
};
use aql_value::{Program, Register};
use errors::{Error, ErrorCode, Result};
use storage::Collection;

use super::scan::handle;
use super::{Lowering, Step};
use crate::graph_search::traversal::{SearchOptions, StepDetails, TraversalSearch};
use crate::operator::{
    Conditions, EdgeAccessProgram, EdgeLookupProgram, ElementOutput, EnumeratePathsOperator, GraphReader,
    Operator, OuterRows, PathParts, PathPrograms, PathReader, PathsKind, PruneProgram, RowOutputs,
    ShortestPathOperator, StepProgram, TraversalOperator, TraversalParts, TraversalPrograms, WeightProgram,
};

/// Maximum number of collections and directions by which one query may follow edges.
const MAX_ACCESSES: usize = u16::MAX as usize;

impl Lowering<'_> {
    pub(super) fn traversal(&self, step: Step<'_>, node: &Traversal) -> Result<Box<dyn Operator>> {
        let accesses = self.accesses(&node.graph)?;
        let options = &node.options;
        let is_weighted = options.order == TraversalOrder::Weighted;
        let weight = || weight_program(options.weight_attribute.as_deref(), options.default_weight);
        let programs = TraversalPrograms {
            conditions: self.conditions(&node.conditions)?,
            prune: node.prune.as_ref().map(|prune| self.prune(prune)).transpose()?,
            weight: is_weighted.then(weight),
            max_depth: node.max_depth,
        };
        let outputs = self.traversal_outputs(node)?;
        let search = SearchOptions {
            revisit_start: node.options.revisit_start,
            order: options.order,
            max_depth: node.max_depth,
            unique_vertices: options.unique_vertices,
            unique_edges: options.unique_edges,
            collections: collection_numbers(&accesses),
            judges: programs.decide(),
            reads_edges: outputs.reads_edges() || programs.reads_edges(),
            reads_paths: outputs.path.is_some()
                || node.prune.as_ref().is_some_and(|prune| prune.path.is_some()),
            details: StepDetails {
                weights: is_weighted,
                documents: programs.reads_edges(),
                prunes: outputs.prune.is_some(),
            },
            counts_leaves: outputs.is_nothing() && !programs.decide() && !is_weighted,
        };
        let collections = options.vertex_collections.as_ref();
        let collections = collections.map(|names| names.iter().map(|known| known.name.clone()).collect());
        let reader = GraphReader::new(accesses, collections, search.names_edges(), self.context);
        let reader = if outputs.vertex.is_identity() { reader.of_identities() } else { reader };
        let carry = traversal_reads(step.carry, &programs, &outputs, reader.accesses());
        let parts = TraversalParts {
            start: self.register(node.start)?,
            min_depth: node.min_depth,
            programs,
            outputs,
            search: TraversalSearch::new(search),
            reader,
        };
        Ok(Box::new(TraversalOperator::new(OuterRows::new(step.input, carry), parts)))
    }

    fn traversal_outputs(&self, node: &Traversal) -> Result<RowOutputs> {
        let prune = node.prune.as_ref().and_then(|prune| prune.out);
        Ok(RowOutputs {
            vertex: self.element(node.vertex_out, &node.vertex_projections)?,
            edge: self.element(node.edge_out, &node.edge_projections)?,
            path: node.path.map(|path| self.path_parts(path)).transpose()?,
            has_total_weight: false,
            prune: prune.map(|id| self.register(id)).transpose()?,
            filter: node.output_filter.as_ref().map(|filter| self.compile(filter)).transpose()?,
        })
    }

    fn element(&self, out: Option<VariableId>, projections: &[Projection]) -> Result<ElementOutput> {
        Ok(ElementOutput {
            out: out.map(|id| self.register(id)).transpose()?,
            projections: self.projections(projections, 0)?,
        })
    }

    fn path_parts(&self, path: PathOutput) -> Result<PathParts> {
        let PathOutput { out, vertices, edges, weights } = path;
        Ok(PathParts { out: self.register(out)?, vertices, edges, weights })
    }

    fn prune(&self, prune: &Prune) -> Result<PruneProgram> {
        Ok(PruneProgram {
            program: self.compile(&prune.condition)?,
            vertex: prune.vertex.map(|id| self.register(id)).transpose()?,
            edge: prune.edge.map(|id| self.register(id)).transpose()?,
            path: prune.path.map(|path| self.path_parts(path)).transpose()?,
            is_named: prune.out.is_some(),
        })
    }

    fn conditions(&self, conditions: &[StepCondition]) -> Result<Conditions> {
        let lower = |condition: &StepCondition| {
            Ok(StepProgram {
                element: condition.element,
                depth: condition.depth,
                input: self.register(condition.input)?,
                program: self.compile(&condition.condition)?,
            })
        };
        Ok(Conditions::new(conditions.iter().map(lower).collect::<Result<_>>()?))
    }

    fn accesses(&self, graph: &GraphAccess) -> Result<Vec<EdgeAccessProgram>> {
        if graph.edges.len() > MAX_ACCESSES {
            return Err(Error::new(ErrorCode::ResourceLimit, "too many edge collections in a graph query"));
        }
        let mut accesses = Vec::with_capacity(graph.edges.len());
        for access in &graph.edges {
            let collection = self.context.data.collection(&access.collection)?;
            let mut at_depth = Vec::with_capacity(access.at_depth.len());
            for (depth, lookup) in &access.at_depth {
                at_depth.push((*depth, self.edge_lookup(lookup, &collection)?));
            }
            accesses.push(EdgeAccessProgram {
                direction: match access.direction {
                    EdgeDirection::Outbound => storage::EdgeDirection::Outbound,
                    EdgeDirection::Inbound => storage::EdgeDirection::Inbound,
                },
                lookup: self.edge_lookup(&access.lookup, &collection)?,
                at_depth,
                collection,
            });
        }
        Ok(accesses)
    }

    fn edge_lookup(&self, lookup: &EdgeLookup, collection: &Arc<Collection>) -> Result<EdgeLookupProgram> {
        if lookup.index.is_edge_index() {
            return Ok(EdgeLookupProgram::EdgeIndex);
        }
        let range = IndexRange {
            lookups: lookup.lookups.clone(),
            lower: lookup.lower.clone(),
            upper: lookup.upper.clone(),
            search: lookup.search.clone(),
            ..IndexRange::default()
        };
        let programs = self.range(&range, handle(&lookup.index, collection)?)?;
        Ok(EdgeLookupProgram::VertexCentric(Box::new(programs)))
    }

    pub(super) fn shortest_path(&self, step: Step<'_>, node: &ShortestPath) -> Result<Box<dyn Operator>> {
        let outputs = RowOutputs {
            vertex: self.element(node.vertex_out, &[])?,
            edge: self.element(node.edge_out, &[])?,
            ..RowOutputs::default()
        };
        let reader = self.path_reader(&node.graph, &[], &node.options, outputs.reads_edges())?;
        let outer = OuterRows::new(step.input, step.carry);
        let ends = (self.register(node.start)?, self.register(node.target)?);
        Ok(Box::new(ShortestPathOperator::new(outer, ends, outputs, reader)))
    }

    pub(super) fn enumerate_paths(&self, step: Step<'_>, node: &EnumeratePaths) -> Result<Box<dyn Operator>> {
        let mut parts = self.path_parts(node.path)?;
        let mut options = node.options.clone();
        if node.kind != EnumeratePathsKind::KShortestPaths {
            parts.weights = false;
            options.weight_attribute = None;
        }
        let outputs = RowOutputs { path: Some(parts), has_total_weight: true, ..RowOutputs::default() };
        // Paths with the same vertices differ by their edges.
        let reader = self.path_reader(&node.graph, &node.conditions, &options, true)?;
        let mut carry = step.carry.into_vec();
        carry.extend(reader.programs().conditions.registers_read());
        let outer = OuterRows::new(step.input, carry.into());
        let ends = (self.register(node.start)?, self.register(node.target)?);
        let kind = PathsKind { kind: node.kind, depths: (node.min_depth, node.max_depth) };
        Ok(Box::new(EnumeratePathsOperator::new(outer, kind, ends, outputs, reader)))
    }

    fn path_reader(
        &self,
        graph: &GraphAccess,
        conditions: &[StepCondition],
        options: &PathSearchOptions,
        reads_edges: bool,
    ) -> Result<PathReader> {
        let attribute = options.weight_attribute.as_deref();
        let weight = attribute.map(|attribute| weight_program(Some(attribute), options.default_weight));
        let programs = PathPrograms { conditions: self.conditions(conditions)?, weight };
        let keeps_keys = reads_edges || programs.read_edges();
        let reader = GraphReader::new(self.accesses(graph)?, None, keeps_keys, self.context);
        Ok(PathReader::new(reader, programs))
    }
}

fn weight_program(attribute: Option<&[Box<str>]>, default: f64) -> WeightProgram {
    WeightProgram { attribute: attribute.map(Box::from), default }
}

/// Returns the number of the collection of each access: an edge found by two accesses is one edge.
fn collection_numbers(accesses: &[EdgeAccessProgram]) -> Box<[u16]> {
    let mut numbers = HashMap::new();
    let number = |access: &EdgeAccessProgram| {
        let next = numbers.len() as u16;
        *numbers.entry(access.collection.id().0).or_insert(next)
    };
    accesses.iter().map(number).collect()
}

/// Returns the registers that later nodes read, and those of outer rows that the traversal reads.
fn traversal_reads(
    carry: Box<[Register]>,
    programs: &TraversalPrograms,
    outputs: &RowOutputs,
    accesses: &[EdgeAccessProgram],
) -> Box<[Register]> {
    let mut carry = carry.into_vec();
    carry.extend(programs.conditions.registers_read());
    let prune = programs.prune.as_ref().map(|prune| &prune.program);
    let own = [prune, outputs.filter.as_ref()].into_iter().flatten();
    own.for_each(|program: &Program| carry.extend_from_slice(program.registers_read()));
    for access in accesses {
        for lookup in std::iter::once(&access.lookup).chain(access.at_depth.iter().map(|(_, lookup)| lookup))
        {
            if let EdgeLookupProgram::VertexCentric(range) = lookup {
                carry.extend(range.registers_read());
            }
        }
    }
    carry.into()
}
