//! Graphs from the rows of queries: filters of collections, and phases of queries.
//!
//! A row is an object with arrays `vertices` and `edges`, or is itself an edge (with `_from` and
//! `_to`) or a vertex. A vertex has an `_id`. Queries of one phase may name each other's vertices;
//! those of a later phase are not there yet.

use std::sync::Arc;
use std::time::Instant;

use aql_value::{Charge, MemoryAccount};
use errors::{Error, Result};
use graph_analytics::Work;
use velocypack::{Builder, Slice};

use super::load::{AttributeKind, AttributeSpec, EdgeLists, VertexList, graph_of};
use super::source::StoredSource;
use crate::query_request::{QueryOptions, QueryRequest};
use crate::session::Session;
use crate::state::analytics::LoadedGraph;
use crate::state::cursor::encoder::Format;

/// Maximum number of queries of a projection.
const QUERIES_MAX: usize = 256;
/// Rows of one batch.
const BATCH_ROWS: usize = 1_000;

/// A graph that is loaded from queries.
#[derive(Clone, Debug, Default)]
pub(crate) struct QuerySource {
    phases: Vec<Vec<QueryRequest>>,
    weight: Option<String>,
    attributes: Vec<AttributeSpec>,
}

impl QuerySource {
    /// Reads the queries of a request; `None` if it has none and no filters.
    ///
    /// Errors: 10 for a wrong member.
    pub(crate) fn parse(body: Slice<'_>) -> Result<Option<Self>> {
        if let Some(phases) = body.get("phases") {
            let phases: Result<Vec<_>> = phases.elements().map(phase).collect();
            let (phases, weight) = (phases?, weight_of(body)?);
            if phases.is_empty() || phases.iter().map(Vec::len).sum::<usize>() > QUERIES_MAX {
                return Err(Error::bad_parameter(format!(
                    "'phases' must be an array with 1 to {QUERIES_MAX} queries"
                )));
            }
            return Ok(Some(QuerySource { phases, weight, attributes: attributes(body)? }));
        }
        let filter = |name: &str| match body.get(name).filter(|filter| !filter.is_null()) {
            None => Ok(None),
            Some(filter) => filter.as_str().map(Some).ok_or_else(|| {
                Error::bad_parameter(format!("'{name}' must be an expression of AQL, as a text"))
            }),
        };
        let (of_vertices, of_edges) = (filter("vertexFilter")?, filter("edgeFilter")?);
        if of_vertices.is_none() && of_edges.is_none() {
            return Ok(None);
        }
        let source = StoredSource::parse(body)?;
        if source.graph.is_some() {
            return Err(Error::bad_parameter(
                "filters need 'vertexCollections' and 'edgeCollections' in place of 'graph'",
            ));
        }
        let scans = |collections: &[String], name: &str, filter: Option<&str>| -> Result<Vec<_>> {
            collections.iter().map(|collection| scan(collection, name, filter)).collect()
        };
        let vertices = scans(&source.vertex_collections, "vertex", of_vertices)?;
        let edges = scans(&source.edge_collections, "edge", of_edges)?;
        let (weight, attributes) = (source.weight, source.attributes);
        Ok(Some(QuerySource { phases: vec![vertices, edges], weight, attributes }))
    }
}

/// Returns the query for the documents of a collection that pass a filter.
fn scan(collection: &str, name: &str, filter: Option<&str>) -> Result<QueryRequest> {
    let filter = filter.map_or_else(String::new, |filter| format!(" FILTER ({filter}\n)"));
    let mut parameters = Builder::new();
    parameters.open_object()?;
    parameters.key("@collection")?;
    parameters.add_str(collection)?;
    parameters.close()?;
    let text = format!("FOR {name} IN @@collection{filter} RETURN {name}");
    Ok(QueryRequest { bind_variables: parameters.into_vec(), ..QueryRequest::new(text) })
}

/// Reads the queries of a phase: `{queries: [{query, bind_vars}]}`.
fn phase(phase: Slice<'_>) -> Result<Vec<QueryRequest>> {
    let queries = phase.get("queries").filter(|queries| queries.is_array());
    let queries = queries.ok_or_else(|| Error::bad_parameter("a phase must have an array 'queries'"))?;
    let query = |query: Slice<'_>| {
        let text = query.get("query").and_then(Slice::as_str);
        let text = text.ok_or_else(|| Error::bad_parameter("a query of a phase must have a text 'query'"))?;
        let parameters = ["bind_vars", "bindVars"].iter().find_map(|name| query.get(name));
        let mut request = QueryRequest::new(text);
        if let Some(parameters) = parameters.filter(|parameters| !parameters.is_null()) {
            if !parameters.is_object() {
                return Err(Error::bad_parameter("'bind_vars' of a query must be an object"));
            }
            request.bind_variables = parameters.bytes().to_vec();
        }
        Ok(request)
    };
    queries.elements().map(query).collect()
}

/// Returns the attribute with the weights: `weightAttribute`, or the first of `edge_attributes`
/// that holds numbers.
fn weight_of(body: Slice<'_>) -> Result<Option<String>> {
    if let Some(name) = body.get("weightAttribute").and_then(Slice::as_str) {
        return Ok(Some(name.to_owned()));
    }
    let Some(list) = body.get("edge_attributes") else { return Ok(None) };
    let specs: Result<Vec<AttributeSpec>> = list.elements().map(AttributeSpec::parse).collect();
    let is_number = |spec: &AttributeSpec| {
        matches!(spec.kind, AttributeKind::Number | AttributeKind::Integer | AttributeKind::Unsigned)
    };
    Ok(specs?.into_iter().find(is_number).map(|spec| spec.name))
}

/// Reads the attributes of vertices: names in `vertexAttributes`, names or `{name, data_type}` in
/// `vertex_attributes`.
fn attributes(body: Slice<'_>) -> Result<Vec<AttributeSpec>> {
    let lists = ["vertexAttributes", "vertex_attributes"].iter().filter_map(|name| body.get(name));
    lists.flat_map(Slice::elements).map(AttributeSpec::parse).collect()
}

/// A graph while the rows of queries arrive.
struct Growing<'g> {
    source: &'g QuerySource,
    list: VertexList,
    edges: EdgeLists,
    /// Edges of the phase that name a vertex that is not there yet.
    early: Vec<Builder>,
    early_charge: Charge,
}

impl Growing<'_> {
    fn take(&mut self, row: Slice<'_>) -> Result<()> {
        let (vertices, edges) = (row.get("vertices"), row.get("edges"));
        if vertices.is_none() && edges.is_none() {
            return if is_edge(row) { self.take_edge(row) } else { self.take_vertex(row) };
        }
        vertices.into_iter().flat_map(Slice::elements).try_for_each(|vertex| self.take_vertex(vertex))?;
        edges.into_iter().flat_map(Slice::elements).try_for_each(|edge| self.take_edge(edge))
    }

    fn take_vertex(&mut self, vertex: Slice<'_>) -> Result<()> {
        if vertex.is_null() {
            return Ok(());
        }
        let id = vertex.get("_id").and_then(Slice::as_str).and_then(|id| id.split_once('/'));
        let id = id.ok_or_else(|| Error::bad_parameter("a vertex of a query has no '_id'"))?;
        self.list.add(id, &self.source.attributes, vertex)
    }

    fn take_edge(&mut self, edge: Slice<'_>) -> Result<()> {
        if edge.is_null() {
            return Ok(());
        }
        if !is_edge(edge) {
            return Err(Error::bad_parameter("an edge of a query has no '_from' and '_to'"));
        }
        let is_there = |name: &str| {
            edge.get(name).and_then(Slice::as_str).is_some_and(|id| self.list.vertices.find(id).is_some())
        };
        if is_there("_from") && is_there("_to") {
            return self.edges.add(&self.list.vertices, edge, self.source.weight.as_deref());
        }
        self.early_charge.grow((edge.byte_len() + size_of::<Builder>()) as u64)?;
        let mut copy = Builder::with_capacity(edge.byte_len());
        copy.add_slice(edge)?;
        self.early.push(copy);
        Ok(())
    }

    fn end_phase(&mut self) -> Result<()> {
        for edge in std::mem::take(&mut self.early) {
            self.edges.add(&self.list.vertices, edge.as_slice(), self.source.weight.as_deref())?;
        }
        self.early_charge.clear();
        Ok(())
    }
}

fn is_edge(row: Slice<'_>) -> bool {
    row.get("_from").is_some_and(Slice::is_string) && row.get("_to").is_some_and(Slice::is_string)
}

impl Session {
    /// Loads a graph from queries, which may only read. `memory` pays for it.
    ///
    /// Errors: those of the queries; 10 for one that writes, or rows that are neither vertices nor
    /// edges.
    pub(super) fn load_queries(
        &self,
        source: &QuerySource,
        memory: &Arc<MemoryAccount>,
        work: &Work,
    ) -> Result<LoadedGraph> {
        let began = Instant::now();
        let max = self.instance().analytics().options.vertices_max;
        let mut growing = Growing {
            source,
            list: VertexList::new(&source.attributes, memory, max),
            edges: EdgeLists::new(memory),
            early: Vec::new(),
            early_charge: Charge::new(Arc::clone(memory)),
        };
        let session = self.clone().ended_by(work.interrupt().clone());
        let mut sources = Vec::new();
        let phases = source.phases.len() as u64;
        for (phase, number) in source.phases.iter().zip(1..) {
            for query in phase {
                let read = session.for_each_row(query, &mut |row| {
                    work.check()?;
                    growing.take(row)
                })?;
                sources.extend(read);
            }
            growing.end_phase()?;
            work.set_progress(number, phases + 1);
        }
        let Growing { list, edges, .. } = growing;
        let (vertices, columns) = list.finish();
        let is_weighted = source.weight.is_some();
        let (adjacency, dangling_edges) = {
            let (pool, vertices) = (&self.instance().analytics().pool, &vertices);
            pool.run(|| EdgeLists::finish(&[edges], vertices, is_weighted, work))?
        };
        let (graph, charge) = graph_of(adjacency, &source.attributes, columns, memory)?;
        work.set_progress(phases + 1, phases + 1);
        sources.sort();
        sources.dedup();
        Ok(LoadedGraph { graph, vertices, sources, dangling_edges, load_time: began.elapsed(), charge })
    }

    /// Runs a query that only reads, and calls `take` for each row. Returns the names of its
    /// collections.
    pub(crate) fn for_each_row(
        &self,
        query: &QueryRequest,
        take: &mut dyn FnMut(Slice<'_>) -> Result<()>,
    ) -> Result<Vec<String>> {
        let options = QueryOptions { stream: true, ..QueryOptions::default() };
        let request = QueryRequest { batch_size: BATCH_ROWS, options, ..query.clone() };
        let prepared = self.prepare_query(request)?;
        if prepared.planned.plan.is_modification {
            return Err(Error::bad_parameter("the queries of a graph may only read"));
        }
        let used = &prepared.planned.plan.collections;
        let names = used.iter().map(|used| used.collection.name.to_string()).collect();
        let mut reply = prepared.run(Format::VelocyPack)?;
        loop {
            let rows = Slice::new(&reply.body).get("result");
            let taken = rows.into_iter().flat_map(Slice::elements).try_for_each(&mut *take);
            let Some(cursor) = reply.cursor else { return taken.map(|()| names) };
            if let Err(error) = taken {
                // The error matters, not that the cursor may be gone already.
                let _ = self.remove_cursor(cursor);
                return Err(error);
            }
            reply = self.fetch(cursor, None, Format::VelocyPack)?;
        }
    }
}
