//! One run of an algorithm.

use std::sync::Arc;
use std::time::Instant;

use aql_exec::ReadAuthorization;
use aql_value::{Charge, GraphQuery, Interrupt, MemoryAccount, Owner, Rows, Value};
use errors::{Error, Result};
use graph_analytics::graph::Adjacency;
use graph_analytics::{ALGORITHMS, Algorithm, Graph, Parameters, Table, Work};
use storage::Snapshot;
use velocypack::{Builder, Slice};

use super::ids::with_ids;
use super::load::LoadRequest;
use super::rows::{MadeRows, Named, OneRow, write_row};
use super::source::{GraphSource, StoredSource, texts};
use super::store::{StoreRequest, attribute_names};
use super::summary::{Computed, one_row};
use crate::session::Session;
use crate::state::analytics::{LoadedGraph, Projection, Vertices};

/// The bytes that an estimate assumes for a key.
const KEY_BYTES_ESTIMATED: u64 = 16;

/// The form in which a run gives its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RunMode {
    /// All rows.
    #[default]
    Stream,
    /// Statistics about the whole.
    Stats,
    /// The memory that the run would need. Nothing is loaded or computed.
    Estimate,
    /// The columns become attributes of the projection's vertices.
    Mutate,
    /// The columns become attributes of the documents.
    Write,
}

/// The names of the modes.
const MODES: &[(&str, RunMode)] = &[
    ("stream", RunMode::Stream),
    ("stats", RunMode::Stats),
    ("estimate", RunMode::Estimate),
    ("mutate", RunMode::Mutate),
    ("write", RunMode::Write),
];

/// The options of a run besides the algorithm's parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RunOptions {
    pub(crate) mode: RunMode,
    /// The name of the attribute that gets the result.
    pub(crate) attribute: Option<String>,
    /// The columns of the result that become attributes; empty for all.
    pub(crate) columns: Vec<String>,
}

impl RunOptions {
    /// Reads the options of a run.
    ///
    /// Errors: 10 for an unknown member or a wrong value.
    pub(crate) fn parse(given: Slice<'_>) -> Result<Self> {
        if given.is_none() || given.is_null() {
            return Ok(RunOptions::default());
        }
        if !given.is_object() {
            return Err(Error::bad_parameter("the options of a run must be an object"));
        }
        let known = ["mode", "attribute", "columns"];
        if let Some((name, _)) = given.entries().find(|(name, _)| !known.contains(name)) {
            return Err(Error::bad_parameter(format!(
                "unknown option '{name}'; known are: {}",
                known.join(", ")
            )));
        }
        let mode = match given.get("mode") {
            None => RunMode::default(),
            Some(mode) => {
                let mode = MODES.iter().find(|(name, _)| mode.as_str() == Some(name));
                let names: Vec<&str> = MODES.iter().map(|(name, _)| *name).collect();
                mode.map(|(_, mode)| *mode).ok_or_else(|| {
                    Error::bad_parameter(format!("'mode' must be one of: {}", names.join(", ")))
                })?
            }
        };
        let attribute = match given.get("attribute").filter(|value| !value.is_null()) {
            None => None,
            Some(name) => Some(checked_attribute(name)?),
        };
        Ok(RunOptions { mode, attribute, columns: texts(given, "columns", 64)? })
    }
}

/// Returns the name of an attribute that may be written.
fn checked_attribute(name: Slice<'_>) -> Result<String> {
    match name.as_str() {
        Some(name) if !name.is_empty() && !name.starts_with('_') => Ok(name.to_owned()),
        _ => Err(Error::bad_parameter("'attribute' must be a name that does not begin with an underscore")),
    }
}

/// Everything that runs of one query or request share.
#[derive(Clone)]
pub(crate) struct GraphRuns {
    pub(crate) session: Session,
    /// A check besides the user's rights.
    pub(crate) authorize: Option<ReadAuthorization>,
    pub(crate) memory: Arc<MemoryAccount>,
    pub(crate) interrupt: Interrupt,
    /// The reason for which nothing may be written; `None` if it may.
    pub(crate) read_only: Option<&'static str>,
}

/// Returns an algorithm.
///
/// Errors: 10 for an unknown one.
pub(super) fn algorithm(name: &str) -> Result<&'static Algorithm> {
    graph_analytics::find(name).ok_or_else(|| {
        let names: Vec<&str> = ALGORITHMS.iter().map(|algorithm| algorithm.name).collect();
        Error::bad_parameter(format!("unknown graph algorithm '{name}'; known are: {}", names.join(", ")))
    })
}

impl GraphRuns {
    /// Opens the rows that a function asks for.
    ///
    /// Errors: those of a run; 1202 for an unknown job.
    pub(crate) fn open(&self, query: GraphQuery<'_>, snapshot: &Snapshot) -> Result<Box<dyn Rows>> {
        match query {
            GraphQuery::Algorithm { name, graph, parameters, options } => graph.with_slice(|graph, _| {
                parameters.with_slice(|parameters, _| {
                    options.with_slice(|options, _| self.run(snapshot, name, graph, parameters, options))
                })
            }),
            GraphQuery::Job { id, with_id } => self.session.pregel_rows(id, with_id, &self.interrupt),
        }
    }

    /// Runs an algorithm, and returns the rows of its result.
    ///
    /// Errors: 10 for a wrong argument, 1924, 1203, 11, 32 beyond the limit of memory, 1500.
    pub(crate) fn run(
        &self,
        snapshot: &Snapshot,
        name: &str,
        graph: Slice<'_>,
        parameters: Slice<'_>,
        options: Slice<'_>,
    ) -> Result<Box<dyn Rows>> {
        let (algorithm, source) = (algorithm(name)?, GraphSource::parse(graph)?);
        let options = RunOptions::parse(options)?;
        if options.mode == RunMode::Estimate {
            return Ok(Box::new(OneRow(Some(self.estimate(snapshot, algorithm, &source)?))));
        }
        let attributes = match options.mode {
            RunMode::Mutate | RunMode::Write => self.attributes(snapshot, algorithm, &source, &options)?,
            _ => Vec::new(),
        };
        let work = Work::new(Owner { interrupt: self.interrupt.clone(), memory: Arc::clone(&self.memory) });
        let named = self.graph(snapshot, &source, &work)?;
        let computed = self.compute(algorithm, &named, parameters, &work)?;
        let table = &computed.table;
        match options.mode {
            RunMode::Stats => one_row(algorithm, &named, &computed, None),
            RunMode::Write => {
                let store = StoreRequest {
                    session: &self.session,
                    interrupt: &self.interrupt,
                    vertices: named.vertices(),
                    columns: attributes
                        .iter()
                        .filter_map(|(column, name)| Some((name.as_str(), table.column(column)?)))
                        .collect(),
                    batch: StoreRequest::BATCH,
                    note: &|_| {},
                };
                let stored = store.run()?;
                one_row(algorithm, &named, &computed, Some((stored.written, stored.missing)))
            }
            RunMode::Mutate => {
                if let Named::Projection(projection) = &named {
                    mutate(projection, table, &attributes, &self.session)?;
                }
                one_row(algorithm, &named, &computed, None)
            }
            RunMode::Stream | RunMode::Estimate => {
                let (table, interrupt) = (computed.table, self.interrupt.clone());
                let rows = table.len();
                let write =
                    move |row: usize, out: &mut Builder| write_row(&table, named.vertices(), row, out);
                Ok(Box::new(MadeRows::new(rows, interrupt, write)))
            }
        }
    }

    /// Returns the columns that become attributes, and their names.
    ///
    /// Errors: 10 for a result that is not about vertices, 11 and 1004 without the right to write.
    fn attributes(
        &self,
        snapshot: &Snapshot,
        algorithm: &Algorithm,
        source: &GraphSource,
        options: &RunOptions,
    ) -> Result<Vec<(&'static str, String)>> {
        if let (RunMode::Write, Some(reason)) = (options.mode, self.read_only) {
            return Err(Error::bad_parameter(reason));
        }
        if let (RunMode::Mutate, GraphSource::Stored(_)) = (options.mode, source) {
            return Err(Error::bad_parameter("mode 'mutate' needs a projection, which keeps the result"));
        }
        let names = attribute_names(algorithm, options.attribute.as_deref(), &options.columns)?;
        if options.mode == RunMode::Write {
            self.check_writable(snapshot, source)?;
        }
        Ok(names)
    }

    /// Checks that the vertices of a graph may be written, before it is loaded. Errors: 11, 1004.
    fn check_writable(&self, snapshot: &Snapshot, source: &GraphSource) -> Result<()> {
        match source {
            GraphSource::Projection(name) => {
                let projection = self.session.find_projection(name, self.authorize.as_ref())?;
                let mut collections = projection.loaded.vertices.collections().iter();
                collections.try_for_each(|name| self.session.require_writable(name))
            }
            GraphSource::Stored(source) => {
                let collections = source.collections(&self.session, snapshot, self.authorize.as_ref())?;
                let mut vertices = collections.vertices.iter();
                vertices.try_for_each(|collection| self.session.require_writable(collection.name()))
            }
        }
    }

    /// Returns the graph, which is loaded unless it is a projection.
    pub(super) fn graph(&self, snapshot: &Snapshot, source: &GraphSource, work: &Work) -> Result<Named> {
        match source {
            GraphSource::Projection(name) => {
                self.session.find_projection(name, self.authorize.as_ref()).map(Named::Projection)
            }
            GraphSource::Stored(source) => {
                let loaded = self.load(snapshot, source, Arc::clone(&self.memory), work)?;
                Ok(Named::Loaded(Arc::new(loaded)))
            }
        }
    }

    /// Loads a graph. `memory` pays for it.
    pub(super) fn load(
        &self,
        snapshot: &Snapshot,
        source: &StoredSource,
        memory: Arc<MemoryAccount>,
        work: &Work,
    ) -> Result<LoadedGraph> {
        let collections = source.collections(&self.session, snapshot, self.authorize.as_ref())?;
        let instance = self.session.instance();
        let analytics = instance.analytics();
        let request = LoadRequest {
            store: instance.store(),
            snapshot,
            vertices: collections.vertices,
            edges: collections.edges,
            weight: source.weight.as_deref(),
            attributes: &source.attributes,
            vertices_max: analytics.options.vertices_max,
            memory,
            work,
            threads: analytics.pool.threads(),
        };
        analytics.pool.run(|| request.load())
    }

    /// Computes an algorithm on a graph.
    pub(super) fn compute(
        &self,
        algorithm: &Algorithm,
        named: &Named,
        parameters: Slice<'_>,
        work: &Work,
    ) -> Result<Computed> {
        let vertices = named.vertices();
        let resolve = |value: Slice<'_>| value.as_str().and_then(|id| vertices.find(id));
        let parsed = Parameters::parse(algorithm.parameters, parameters, &resolve)?;
        let mut graph: Graph = match named {
            Named::Loaded(loaded) => loaded.graph.clone(),
            Named::Projection(projection) => projection.graph(),
        };
        let _ids = with_ids(&mut graph, vertices, algorithm, &parsed, work)?;
        let began = Instant::now();
        let pool = &self.session.instance().analytics().pool;
        pool.note_run();
        let table = pool.run(|| algorithm.run(&graph, &parsed, work))?;
        Ok(Computed { table, compute_time: began.elapsed() })
    }

    /// Returns the memory that a run would need, as an object.
    fn estimate(&self, snapshot: &Snapshot, algorithm: &Algorithm, source: &GraphSource) -> Result<Value> {
        let (estimate, is_loaded) = match source {
            GraphSource::Projection(name) => {
                let projection = self.session.find_projection(name, self.authorize.as_ref())?;
                let info = projection.info();
                let estimate = LoadEstimate { vertices: info.vertices, edges: info.edges, bytes: info.bytes };
                (estimate, true)
            }
            GraphSource::Stored(source) => (self.estimate_load(snapshot, source)?, false),
        };
        let bytes = (algorithm.memory)(estimate.vertices, estimate.edges);
        let needed = if is_loaded { bytes } else { bytes.saturating_add(estimate.bytes) };
        let room = self.memory.room_bytes();
        let of = |count: u64| Value::from(i64::try_from(count).unwrap_or(i64::MAX));
        Value::try_object(&[
            ("algorithm", algorithm.name.into()),
            ("vertices", of(estimate.vertices)),
            ("edges", of(estimate.edges)),
            ("graphBytes", of(estimate.bytes)),
            ("algorithmBytes", of(bytes)),
            ("neededBytes", of(needed)),
            ("fits", room.is_none_or(|room| needed <= room).into()),
        ])
    }

    /// Estimates what a load would take.
    pub(super) fn estimate_load(&self, snapshot: &Snapshot, source: &StoredSource) -> Result<LoadEstimate> {
        let collections = source.collections(&self.session, snapshot, self.authorize.as_ref())?;
        let count = |of: &[Arc<storage::Collection>]| -> Result<u64> {
            of.iter().map(|collection| snapshot.count(collection)).sum()
        };
        let (vertices, edges) = (count(&collections.vertices)?, count(&collections.edges)?);
        let rows = Adjacency::bytes_of(vertices, edges, source.weight.is_some());
        let attributes = vertices.saturating_mul(8 * source.attributes.len() as u64);
        let names = Vertices::bytes_of(vertices, vertices.saturating_mul(KEY_BYTES_ESTIMATED));
        Ok(LoadEstimate { vertices, edges, bytes: rows.saturating_add(attributes).saturating_add(names) })
    }
}

/// The size of a graph before it is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadEstimate {
    pub(crate) vertices: u64,
    pub(crate) edges: u64,
    /// The bytes of the graph in memory.
    pub(crate) bytes: u64,
}

/// Keeps columns of a result as attributes of a projection's vertices.
fn mutate(
    projection: &Projection,
    table: &Table,
    attributes: &[(&'static str, String)],
    session: &Session,
) -> Result<()> {
    let named =
        attributes.iter().filter_map(|(column, name)| Some((name.clone(), table.column(column)?.clone())));
    let columns: Vec<_> = named.collect();
    let mut charge = Charge::new(session.work_memory());
    charge.grow(columns.iter().map(|(_, column)| column.bytes()).sum())?;
    projection.set_attributes(columns, charge);
    Ok(())
}
