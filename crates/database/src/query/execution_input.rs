//! The input of a query's execution: its data, its checks and its limits.

use std::collections::HashSet;
use std::sync::Arc;

use aql_exec::{
    AnalyzerLookup, DataAccess, Execution, ExecutionInput, ExecutionOptions, OpenChanges, OpenGraphs,
    ReadAuthorization, SpillOptions,
};
use aql_plan::{Access, NodeKind, for_each_node};
use catalog::{AccessLevel, CollectionId};
use errors::{Error, ErrorCode, Result};
use storage::{Collection, Database, Snapshot, TransactionOptions};

use crate::analytics::GraphRuns;
use crate::changes::{ChangeReader, ChangeRows};
use crate::javascript::QueryFunctions;
use crate::query::prepare::PreparedQuery;
use crate::query::run::in_execution;
use crate::transaction::Writer;

impl PreparedQuery {
    /// Opens the data of the query, with a writer that owns the transaction of its writes. A query
    /// that goes on reads a state of the past.
    fn data_access(&self, past: Option<Snapshot>) -> Result<(DataAccess, Option<Writer>)> {
        let database = self.session.database_in(&self.planned.catalog)?;
        self.note_reads(database);
        if let Some(past) = past {
            return Ok((DataAccess::Read(past), None));
        }
        if !self.planned.plan.is_modification {
            let snapshot =
                if self.searches() { self.session.current_snapshot()? } else { self.session.snapshot()? };
            return Ok((DataAccess::Read(snapshot), None));
        }
        let used = |access: Access| -> Vec<Arc<Collection>> {
            let uses = self.planned.plan.collections.iter().filter(|used| used.access == access);
            uses.filter_map(|used| database.collection_by_id(CollectionId(used.collection.id)).cloned())
                .collect()
        };
        let max_bytes = match self.request.options.max_transaction_size_bytes {
            Some(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
            None => self.session.instance().options().query_defaults.max_transaction_bytes,
        };
        let options = TransactionOptions {
            max_bytes,
            write: used(Access::Write),
            exclusive: used(Access::Exclusive),
            ..TransactionOptions::default()
        };
        let written = options.write.iter().chain(&options.exclusive);
        let writer = self.session.begin_write(&options, written, Some(&self.interrupt));
        let mut writer = writer.map_err(|error| match error.code() {
            ErrorCode::QueryKilled => in_execution(error),
            _ => error,
        })?;
        Ok((DataAccess::Write(writer.take()?), Some(writer)))
    }

    /// Returns true if the query searches text indexes, which follow the present state.
    fn searches(&self) -> bool {
        let mut searches = false;
        for_each_node(&self.planned.plan.nodes, &mut |node| {
            searches |= matches!(node.kind, NodeKind::EnumerateView(_));
        });
        searches
    }

    /// Counts the query for each collection that it only reads.
    fn note_reads(&self, database: &Database) {
        let read = self.planned.plan.collections.iter().filter(|used| used.access == Access::Read);
        let read = read.filter_map(|used| database.collection_by_id(CollectionId(used.collection.id)));
        for usage in read.filter_map(|collection| self.session.usage_of(collection)) {
            usage.reads.increment();
        }
    }

    /// Checks that the stream transaction, if there is one, lets the query read its collections.
    fn check_declared(&self) -> Result<()> {
        let Some(stream) = self.session.stream()? else { return Ok(()) };
        let database = self.session.database_in(&self.planned.catalog)?;
        let used = self.planned.plan.collections.iter().filter(|used| used.access == Access::Read);
        let mut used = used.filter_map(|used| database.collection_by_id(CollectionId(used.collection.id)));
        used.try_for_each(|collection| stream.check_read(collection))
    }

    /// Returns the collections that vertices may be read from, with `--query.require-with`.
    ///
    /// The query must name them, or a named graph must list them for an edge collection of the
    /// query.
    fn authorize_vertices(&self) -> Result<Option<ReadAuthorization>> {
        if !self.session.instance().options().query_requires_with {
            return Ok(None);
        }
        let used = self.planned.plan.collections.iter().map(|used| used.collection.name.to_string());
        let mut known: HashSet<String> = used.collect();
        for graph in self.session.graph_definitions()? {
            if graph.edge_collections().any(|name| known.contains(name)) {
                known.extend(graph.vertex_collections().into_iter().map(ToOwned::to_owned));
            }
        }
        Ok(Some(Arc::new(move |collection: &str| {
            if known.contains(collection) {
                return Ok(());
            }
            let message = format!(
                "unable to read-lock collection {collection}: it has to be named in WITH (--query.require-with)"
            );
            Err(Error::new(ErrorCode::QueryCollectionLockFailed, message))
        })))
    }

    /// Returns the check for collections that only a function names.
    fn authorize_read(&self) -> Result<Option<ReadAuthorization>> {
        let session = self.session.clone();
        let strict = session.stream()?.filter(|stream| !stream.allows_all_reads());
        if session.user().is_none() && strict.is_none() {
            return Ok(None);
        }
        Ok(Some(Arc::new(move |name: &str| {
            session.require_collection(name, AccessLevel::ReadOnly)?;
            let Some(stream) = &strict else { return Ok(()) };
            let collection = session.database_in(stream.catalog())?.collection(name);
            collection.map_or(Ok(()), |collection| stream.check_read(collection))
        })))
    }

    /// Returns the function that finds the analyzers of the query's database.
    fn analyzer_lookup(&self) -> AnalyzerLookup {
        let session = self.session.clone();
        Arc::new(move |name: &str| session.instance().analyzer(session.database_name(), name))
    }

    /// Returns the function that opens the change log.
    fn open_changes(&self, authorize: Option<ReadAuthorization>) -> Result<OpenChanges> {
        let reader = ChangeReader {
            session: self.session.clone(),
            authorize,
            inaccessible_are_empty: self.request.options.skip_inaccessible_collections,
            writes: self.planned.plan.is_modification || self.session.stream()?.is_some(),
            interrupt: self.interrupt.clone(),
        };
        Ok(Arc::new(move |query, below| Ok(Box::new(ChangeRows::open(reader.clone(), query, below)?))))
    }

    /// Returns the function that computes over whole graphs.
    fn open_graphs(&self, authorize: Option<ReadAuthorization>) -> Result<OpenGraphs> {
        let is_part = self.session.stream()?.is_some();
        let read_only = (is_part || self.planned.plan.is_modification).then_some(
            "mode 'write' is not possible in a query that writes or in a stream transaction; use UPDATE with the \
             rows of mode 'stream'",
        );
        let runs = GraphRuns {
            session: self.session.clone(),
            authorize,
            memory: Arc::clone(&self.memory),
            interrupt: self.interrupt.clone(),
            read_only,
        };
        Ok(Arc::new(move |query, snapshot| runs.open(query, snapshot)))
    }

    /// Returns the input of the execution, and the writer of its transaction if it writes. A query
    /// that goes on reads a state of the past.
    pub(super) fn execution_input(&self, past: Option<Snapshot>) -> Result<(ExecutionInput, Option<Writer>)> {
        self.check_declared()?;
        let (authorize_read, authorize_vertices) = (self.authorize_read()?, self.authorize_vertices()?);
        let changes = self.open_changes(authorize_read.clone())?;
        let graphs = self.open_graphs(authorize_read.clone())?;
        // Last, since these checks may read, which has to wait while the query has the transaction.
        let (data, writer) = self.data_access(past)?;
        let options = &self.request.options;
        let instance = self.session.instance();
        let defaults = &instance.options().query_defaults;
        let spill = &instance.options().spill;
        let commits = defaults.intermediate_commits_of(&self.request, &instance.query_memory);
        let input = ExecutionInput {
            data,
            database: Arc::clone(self.session.database_name()),
            user: self.session.current_user().cloned(),
            server_version: Arc::clone(&instance.server_version),
            authorize_read,
            inaccessible_are_empty: options.skip_inaccessible_collections,
            authorize_vertices,
            user_functions: Some(Arc::new(QueryFunctions::new(
                self.session.clone(),
                Arc::clone(&self.memory),
                self.interrupt.clone(),
            ))),
            analyzers: Some(self.analyzer_lookup()),
            changes: Some(changes),
            graphs: Some(graphs),
            parameters: Arc::clone(&self.planned.parameters),
            memory: Arc::clone(&self.memory),
            interrupt: self.interrupt.clone(),
            options: ExecutionOptions {
                max_warnings: options.max_warning_count,
                fail_on_warning: options.fail_on_warning.unwrap_or(defaults.fail_on_warning),
                profile_nodes: options.profile >= 2 || self.session.trace().is_some(),
                spill: SpillOptions {
                    threshold_bytes: options.spill_threshold_bytes.unwrap_or(spill.threshold_bytes),
                    threshold_rows: options.spill_threshold_rows.unwrap_or(spill.threshold_rows),
                    ..spill.clone()
                },
                parallelism: defaults.parallelism,
                intermediate_commits: match writer.as_ref().filter(|writer| writer.is_stream()) {
                    Some(writer) => commits.never(writer.charged_bytes()),
                    None => commits,
                },
                fixed: None,
            },
        };
        Ok((input, writer))
    }

    /// Starts the execution. A failure gives the transaction back to its writer.
    pub(super) fn execute(
        &self,
        input: ExecutionInput,
        mut writer: Option<Writer>,
    ) -> Result<(Execution, Option<Writer>)> {
        let execution = Execution::start(&self.planned.plan, input).map_err(|failed| {
            if let (Some(writer), Some(transaction)) = (&mut writer, failed.transaction) {
                writer.put_back(transaction);
            }
            in_execution(failed.error)
        })?;
        let batch_rows = self.session.instance().options().operator_batch_rows;
        Ok((execution.with_batch_rows(batch_rows), writer))
    }
}
