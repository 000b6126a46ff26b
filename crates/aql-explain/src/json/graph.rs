//! Nodes of graph queries in explain.

use std::collections::BTreeSet;

use aql_plan::{
    CoveredCondition, EdgeAccess, EdgeDirection, EdgeLookup, EnumeratePaths, EnumeratePathsKind, Expression,
    GraphAccess, IndexField, PathElement, PathSearchOptions, ShortestPath, StepCondition, Traversal,
    TraversalOrder, Uniqueness, VariableId,
};
use aql_value::Value;
use errors::Result;

use super::Explainer;
use super::scan::write_index;
use crate::writer::Writer;

impl Explainer<'_> {
    pub(super) fn traversal(&self, out: &mut Writer, node: &Traversal) -> Result<()> {
        self.graph_access(out, &node.graph)?;
        self.vertex(out, "vertexId", "inVariable", node.start)?;
        self.optional_variable(out, "vertexOutVariable", node.vertex_out.or(node.projected.0))?;
        self.optional_variable(out, "edgeOutVariable", node.edge_out.or(node.projected.1))?;
        self.optional_variable(out, "pathOutVariable", node.path.map(|path| path.out))?;
        out.key("options")?;
        self.traversal_options(out, node)?;
        out.key("indexes")?;
        write_indexes(out, &node.graph, &node.conditions)?;
        self.path_conditions(out, &node.covered)?;
        if let Some(filter) = &node.output_filter {
            self.expression(out, "postFilter", filter)?;
        }
        let Some(prune) = &node.prune else { return Ok(()) };
        self.expression(out, "expression", &prune.condition)?;
        out.key("pruneVariables")?;
        out.array(prune.inputs(), |out, id| out.object(|out| self.variable(out, "variable", id)))?;
        self.optional_variable(out, "pruneOutVariable", prune.out)
    }

    fn traversal_options(&self, out: &mut Writer, node: &Traversal) -> Result<()> {
        let options = &node.options;
        let produces_vertices = node.vertex_out.is_some() || !node.vertex_projections.is_empty();
        let produces_edges = node.edge_out.is_some() || !node.edge_projections.is_empty();
        out.object(|out| {
            out.key("type")?.text("traversal")?;
            out.key("minDepth")?.number(node.min_depth)?;
            out.key("maxDepth")?.number(node.max_depth)?;
            out.key("order")?.text(match options.order {
                TraversalOrder::Dfs => "dfs",
                TraversalOrder::Bfs => "bfs",
                TraversalOrder::Weighted => "weighted",
            })?;
            out.key("uniqueVertices")?.text(uniqueness(options.unique_vertices))?;
            out.key("uniqueEdges")?.text(uniqueness(options.unique_edges))?;
            weight_attribute(out, options.weight_attribute.as_deref())?;
            out.key("defaultWeight")?.float(options.default_weight)?;
            out.key("parallelism")?.number(options.parallelism)?;
            out.key("maxProjections")?.number(options.max_projections as u64)?;
            out.key("useCache")?.flag(options.use_cache)?;
            out.key("neighbors")?.flag(false)?;
            out.key("produceVertices")?.flag(produces_vertices)?;
            out.key("produceEdges")?.flag(produces_edges)?;
            out.key("producePathsVertices")?.flag(node.path.is_some_and(|path| path.vertices))?;
            out.key("producePathsEdges")?.flag(node.path.is_some_and(|path| path.edges))?;
            out.key("producePathsWeights")?.flag(node.path.is_some_and(|path| path.weights))?;
            if !node.vertex_projections.is_empty() {
                self.projections(out, "vertexProjections", &node.vertex_projections)?;
            }
            if !node.edge_projections.is_empty() {
                self.projections(out, "edgeProjections", &node.edge_projections)?;
            }
            if let Some(collections) = &options.vertex_collections {
                out.key("vertexCollections")?;
                out.array(collections, |out, collection| out.text(&collection.name))?;
            }
            let Some(collections) = &options.edge_collections else { return Ok(()) };
            out.key("edgeCollections")?;
            out.array(collections, |out, name| out.text(name))
        })
    }

    pub(super) fn shortest_path(&self, out: &mut Writer, node: &ShortestPath) -> Result<()> {
        self.graph_access(out, &node.graph)?;
        self.vertex(out, "startVertexId", "startInVariable", node.start)?;
        self.vertex(out, "targetVertexId", "targetInVariable", node.target)?;
        self.optional_variable(out, "vertexOutVariable", node.vertex_out)?;
        self.optional_variable(out, "edgeOutVariable", node.edge_out)?;
        out.key("indexes")?;
        write_indexes(out, &node.graph, &[])?;
        out.key("options")?;
        out.object(|out| {
            out.key("type")?.text("shortestPath")?;
            path_search_options(out, &node.options)
        })
    }

    pub(super) fn enumerate_paths(&self, out: &mut Writer, node: &EnumeratePaths) -> Result<()> {
        self.graph_access(out, &node.graph)?;
        out.key("shortestPathType")?.text(match node.kind {
            EnumeratePathsKind::KShortestPaths => "K_SHORTEST_PATHS",
            EnumeratePathsKind::KPaths => "K_PATHS",
            EnumeratePathsKind::AllShortestPaths => "ALL_SHORTEST_PATHS",
        })?;
        self.vertex(out, "startVertexId", "startInVariable", node.start)?;
        self.vertex(out, "targetVertexId", "targetInVariable", node.target)?;
        self.optional_variable(out, "pathOutVariable", Some(node.path.out))?;
        out.key("indexes")?;
        write_indexes(out, &node.graph, &[])?;
        self.path_conditions(out, &node.covered)?;
        out.key("options")?;
        out.object(|out| {
            out.key("type")?.text("shortestPath")?;
            out.key("minDepth")?.number(node.min_depth)?;
            out.key("maxDepth")?.number(node.max_depth)?;
            out.key("producePathsVertices")?.flag(node.path.vertices)?;
            out.key("producePathsEdges")?.flag(node.path.edges)?;
            out.key("producePathsWeights")?.flag(node.path.weights)?;
            path_search_options(out, &node.options)
        })
    }

    /// Writes the graph or its edge collections by name, and directions as numbers.
    fn graph_access(&self, out: &mut Writer, graph: &GraphAccess) -> Result<()> {
        let names: BTreeSet<&str> = graph.edges.iter().map(|edges| &*edges.collection.name).collect();
        out.key("graph")?;
        match &graph.graph {
            Some(name) => out.text(name)?,
            None => out.array(&names, |out, name| out.text(name))?,
        }
        out.key("isLocalGraphNode")?.flag(false)?;
        out.key("isUsedAsSatellite")?.flag(false)?;
        out.key("directions")?;
        out.array(&graph.edges, |out, edges| {
            out.number(match edges.direction {
                EdgeDirection::Inbound => 1,
                EdgeDirection::Outbound => 2,
            })
        })?;
        out.key("edgeCollections")?;
        out.array(&graph.edges, |out, edges| out.text(&edges.collection.name))?;
        out.key("vertexCollections")?;
        out.array(&graph.vertex_collections, |out, collection| out.text(&collection.name))?;
        if graph.graph.is_none() {
            return Ok(());
        }
        out.key("graphDefinition")?;
        out.object(|out| {
            out.key("vertexCollectionNames")?;
            out.array(&graph.vertex_collections, |out, collection| out.text(&collection.name))?;
            out.key("edgeCollectionNames")?;
            out.array(&names, |out, name| out.text(name))
        })
    }

    /// Writes the vertex from which a search starts: its `_id`, if that is known, or the variable.
    fn vertex(&self, out: &mut Writer, constant: &str, key: &str, id: VariableId) -> Result<()> {
        let known = self.plan.variables.get(id).and_then(|variable| variable.constant.as_ref());
        match known.and_then(Value::as_str) {
            Some(vertex) => out.key(constant)?.text(vertex),
            None => self.variable(out, key, id),
        }
    }

    fn optional_variable(&self, out: &mut Writer, key: &str, id: Option<VariableId>) -> Result<()> {
        id.map_or(Ok(()), |id| self.variable(out, key, id))
    }

    /// Writes the conditions of the query that the node guarantees.
    fn path_conditions(&self, out: &mut Writer, covered: &[CoveredCondition]) -> Result<()> {
        match covered {
            [] => Ok(()),
            [only] => self.expression(out, "condition", &only.condition),
            several => {
                let conditions = several.iter().map(|covered| covered.condition.clone());
                self.expression(out, "condition", &Expression::And(conditions.collect()))
            }
        }
    }
}

/// Writes the attribute of weights: its name, or the names of a path.
fn weight_attribute(out: &mut Writer, path: Option<&[Box<str>]>) -> Result<()> {
    out.key("weightAttribute")?;
    match path.unwrap_or_default() {
        [] => out.text(""),
        [name] => out.text(name),
        names => out.array(names, |out, name| out.text(name)),
    }
}

fn path_search_options(out: &mut Writer, options: &PathSearchOptions) -> Result<()> {
    weight_attribute(out, options.weight_attribute.as_deref())?;
    out.key("defaultWeight")?.float(options.default_weight)?;
    out.key("useCache")?.flag(options.use_cache)
}

fn uniqueness(uniqueness: Uniqueness) -> &'static str {
    match uniqueness {
        Uniqueness::None => "none",
        Uniqueness::Path => "path",
        Uniqueness::Global => "global",
    }
}

/// Writes `{base: [index of each edge collection], levels: {depth: [...]}}`.
fn write_indexes(out: &mut Writer, graph: &GraphAccess, conditions: &[StepCondition]) -> Result<()> {
    let looked_up = graph.edges.iter().flat_map(|edges| &edges.at_depth).map(|(depth, _)| *depth);
    let edges = conditions.iter().filter(|condition| condition.element == PathElement::Edge);
    let depths: BTreeSet<u64> = looked_up.chain(edges.filter_map(|condition| condition.depth)).collect();
    out.object(|out| {
        out.key("base")?;
        out.array(&graph.edges, |out, edges| write_lookup(out, edges, &edges.lookup))?;
        out.key("levels")?;
        out.object(|out| {
            depths.into_iter().try_for_each(|depth| {
                out.key(&depth.to_string())?;
                out.array(&graph.edges, |out, edges| write_lookup(out, edges, edges.lookup_at(depth)))
            })
        })
    })
}

/// Writes the index with the field that finds the edges of a vertex, either as its first field or
/// as its only one.
fn write_lookup(out: &mut Writer, edges: &EdgeAccess, lookup: &EdgeLookup) -> Result<()> {
    let mut index = lookup.index.clone();
    if index.has_independent_fields() {
        index.fields = vec![IndexField::new(&[edges.direction.vertex_field()], None)];
    }
    write_index(out, &index)
}
