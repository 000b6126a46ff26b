//! The execution of a planned query as a source of rows.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aql_exec::{DataAccess, Execution, ResultBatch};
use aql_explain::WriteLimits;
use aql_plan::{NodeId, NodeKind, Plan, for_each_node};
use aql_value::{Budget, Interrupt};
use catalog::CollectionId;
use errors::{Error, ErrorCode, Result};
use storage::{Durability, Snapshot};
use velocypack::Slice;

use crate::query::capture::Capture;
use crate::query::explain;
use crate::query::kept_result::KeptResult;
use crate::query::prepare::PreparedQuery;
use crate::query::report::Report;
use crate::query::spans::{self, Times};
use crate::session::Session;
use crate::state::cursor::encoder::{Format, RowEncoder};
use crate::state::cursor::handover::Handover;
use crate::state::cursor::whole::WholeResult;
use crate::state::cursor::{CursorSpec, Reply, RowSource};
use crate::transaction::Writer;

/// Rows that are computed between two checks of the budget.
const ROWS_AT_A_TIME: usize = 1_000;

/// Rows from which adding them to a reply takes longer than waking another thread.
const MANY_ROWS: usize = 500;

impl PreparedQuery {
    /// Runs the query, to its end unless it is streamed, and returns the first batch of its result.
    pub fn run(self: Box<Self>, format: Format) -> Result<Reply> {
        self.start(format)?.run()
    }

    /// Begins the execution. No rows are computed yet.
    pub(crate) fn start(self: Box<Self>, format: Format) -> Result<RunningQuery> {
        self.start_in(format, None)
    }

    /// Begins the execution in a past state of a shared store. Errors: 1240 if the store may not
    /// have it any more.
    pub(crate) fn start_at(self: Box<Self>, format: Format, version: u64) -> Result<RunningQuery> {
        let snapshot = self.session.snapshot_at(version)?;
        self.start_in(format, Some(snapshot))
    }

    fn start_in(mut self: Box<Self>, format: Format, past: Option<Snapshot>) -> Result<RunningQuery> {
        let session = self.session.clone();
        if self.planned.plan.is_modification
            && session.transaction_id().is_some()
            && self.request.options.stream
        {
            // A stream would keep the transaction from all other requests until its last batch.
            Arc::make_mut(&mut self.request).options.stream = false;
        }
        self.build_edge_indexes()?;
        let mut capture = Capture::begin(&self);
        if self.index_views()? {
            capture = capture.and_then(|capture| capture.after_indexing(&self));
        }
        let default_ttl = session.instance().options().query_defaults.cursor_ttl;
        let mut spec = self.request.cursor_spec(format, default_ttl);
        spec.plan_cache_key = self.planned.plan_cache_key.clone();
        spec.may_be_dirty = !self.planned.plan.is_modification && session.may_read_dirty()?;
        Ok(RunningQuery { session, rows: RunningRows::start(self, capture, past)?, spec })
    }

    /// Builds the edge indexes that restored collections lack. The plan expects them already.
    fn build_edge_indexes(&self) -> Result<()> {
        if self.session.transaction_id().is_some() {
            // The transaction would not see them.
            return Ok(());
        }
        let interrupt = &self.interrupt;
        let mut lacking = self.lacking_edge_index.iter();
        lacking.try_for_each(|collection| self.session.build_edge_index(collection, &|| interrupt.check()))
    }
}

impl PreparedQuery {
    /// Lets the views of the plan see all that is committed, where a SEARCH has `waitForSync`.
    /// Returns false if none has.
    fn index_views(&self) -> Result<bool> {
        let mut wanted = Vec::new();
        for_each_node(&self.planned.plan.nodes, &mut |node| {
            if let NodeKind::EnumerateView(view) = &node.kind
                && view.options.wait_for_sync
            {
                wanted.extend(view.indexes().map(|index| (CollectionId(index.collection.id), index.index)));
            }
        });
        if wanted.is_empty() {
            return Ok(false);
        }
        let catalog = self.session.catalog();
        let database = self.session.database_in(&catalog)?;
        let indexes = wanted.into_iter().filter_map(|(collection, index)| {
            database.collection_by_id(collection).and_then(|collection| collection.index(index)).cloned()
        });
        let indexes: Vec<_> = indexes.collect();
        let interrupt = &self.interrupt;
        self.session.instance().store().index_now(&indexes, &|| interrupt.check())?;
        Ok(true)
    }
}

/// A running query with the rows that were computed already.
pub(crate) struct RunningQuery {
    session: Session,
    rows: Box<RunningRows>,
    spec: CursorSpec,
}

impl RunningQuery {
    /// Returns the interrupt that ends the query.
    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.rows.query.interrupt
    }

    /// Computes rows until a budget is spent. Returns true if no more follow.
    pub(crate) fn advance(&mut self, budget: Budget) -> Result<bool> {
        self.rows.advance(budget)
    }

    /// Runs the query, to its end unless it is streamed, and returns the first batch of its result.
    pub(crate) fn run(self) -> Result<Reply> {
        self.session.open_cursor(self.rows, self.spec)
    }

    /// Skips the first rows. Errors: 1600 if there are fewer, those of the query.
    pub(crate) fn skip(&mut self, rows: u64) -> Result<()> {
        self.rows.skip(rows)
    }

    /// Goes on with the cursor of another server, whose client has the rows that were skipped.
    ///
    /// Errors: those of the query.
    pub(crate) fn resume(self, id: u64, handover: Handover) -> Result<()> {
        self.session.resume_cursor(self.rows, self.spec, id, handover)
    }

    /// Runs the query, to its end unless it is streamed. `observe` sees each row that is computed.
    pub(crate) fn run_whole(self, observe: &mut dyn FnMut(Slice<'_>)) -> Result<WholeResult> {
        self.session.open_whole(self.rows, &self.spec, observe)
    }
}

/// The rows of a running query. Rows that were computed and not yet requested wait in `ready`.
struct RunningRows {
    query: Box<PreparedQuery>,
    /// The execution; `None` after the end.
    execution: Option<Execution>,
    /// The writer of the transaction that the execution has.
    writer: Option<Writer>,
    /// The version of the state that a query reads that does not write.
    version: Option<u64>,
    ready: VecDeque<(ResultBatch, usize)>,
    /// The rows so far, if the results cache should keep them.
    capture: Option<Capture>,
    instantiating: Duration,
    began: Instant,
}

impl RunningRows {
    fn start(
        query: Box<PreparedQuery>,
        capture: Option<Capture>,
        past: Option<Snapshot>,
    ) -> Result<Box<Self>> {
        let instantiating = Instant::now();
        let mut version = None;
        let started = query.execution_input(past).and_then(|(input, writer)| {
            if let DataAccess::Read(snapshot) = &input.data {
                version = Some(snapshot.version());
            }
            query.execute(input, writer)
        });
        let (execution, writer) =
            started.inspect_err(|error| query.registration.query().set_failed(error))?;
        // The execution has taken its snapshot.
        let capture = capture.filter(|capture| capture.is_confirmed(&query));
        let began = Instant::now();
        Ok(Box::new(RunningRows {
            query,
            execution: Some(execution),
            writer,
            version,
            ready: VecDeque::new(),
            capture,
            instantiating: began - instantiating,
            began,
        }))
    }

    fn next_ready(&mut self, max_rows: usize) -> Result<Option<(ResultBatch, usize)>> {
        match self.ready.pop_front() {
            Some(ready) => Ok(Some(ready)),
            None => Ok(self.compute(max_rows)?.map(|batch| (batch, 0))),
        }
    }

    fn compute(&mut self, max_rows: usize) -> Result<Option<ResultBatch>> {
        next_batch(&self.query, self.execution.as_mut(), max_rows)
    }

    /// Adds some rows of a batch to the reply, as many as it has room for, and returns how many.
    ///
    /// While many rows are added, another thread computes the next batch if one is available.
    /// Streams are an exception: their rows are not computed before they are requested.
    fn push(
        &mut self,
        reply: &mut RowEncoder,
        batch: &ResultBatch,
        rows: Range<usize>,
        max_rows: usize,
    ) -> Result<usize> {
        let RunningRows { query, execution, capture, ready, .. } = self;
        let is_alone = query.request.options.stream || rows.len() < MANY_ROWS || !ready.is_empty();
        let push = || push_rows(query, capture, reply, batch, rows);
        if is_alone {
            return push();
        }
        let fork_join = query.session.instance().store().fork_join();
        let (pushed, next) = fork_join.both(push, || next_batch(query, execution.as_mut(), max_rows));
        let pushed = pushed?;
        ready.extend(next?.map(|batch| (batch, 0)));
        Ok(pushed)
    }

    fn skip(&mut self, rows: u64) -> Result<()> {
        let mut missing = rows;
        while missing > 0 {
            let Some(batch) = self.compute(ROWS_AT_A_TIME)? else {
                return Err(Error::of(ErrorCode::CursorNotFound));
            };
            let skipped = batch.len().min(usize::try_from(missing).unwrap_or(usize::MAX));
            missing -= skipped as u64;
            if skipped < batch.len() {
                self.ready.push_back((batch, skipped));
            }
        }
        Ok(())
    }

    /// Computes rows until a budget is spent. Returns true if no more follow.
    fn advance(&mut self, budget: Budget) -> Result<bool> {
        while let Some(batch) = self.compute(ROWS_AT_A_TIME)? {
            self.ready.push_back((batch, 0));
            if budget.is_spent() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Drop for RunningRows {
    /// Returns the transaction of a query that does not end.
    fn drop(&mut self) {
        if let (Some(execution), Some(mut writer)) = (self.execution.take(), self.writer.take())
            && let Some(transaction) = execution.finish().transaction
        {
            writer.put_back(transaction);
        }
    }
}

/// Computes the next rows.
///
/// It takes only a part of the query, since the rest may be busy with the reply.
fn next_batch(
    query: &PreparedQuery,
    execution: Option<&mut Execution>,
    max_rows: usize,
) -> Result<Option<ResultBatch>> {
    let Some(execution) = execution else { return Ok(None) };
    let batch = execution.next_batch(max_rows.max(1));
    let batch = batch.map_err(|error| in_node(&query.planned.plan, execution.failed_at(), error));
    batch.inspect_err(|error| {
        query.registration.query().set_failed(error);
        // A query that runs out of time starts again elsewhere, also with this code.
        if error.code() != ErrorCode::QueryKilled {
            spans::record_failure(query, error);
        }
    })
}

/// Adds some rows of a batch to the reply, as many as it has room for, and to the capture for the
/// results cache. Returns how many.
fn push_rows(
    query: &PreparedQuery,
    capture: &mut Option<Capture>,
    reply: &mut RowEncoder,
    batch: &ResultBatch,
    rows: Range<usize>,
) -> Result<usize> {
    let failed = |error| {
        let error = in_execution(error);
        query.registration.query().set_failed(&error);
        error
    };
    let mut kept_result = KeptResult::begin(query, reply.size_bytes());
    let mut pushed = 0;
    for row in batch.iter().skip(rows.start).take(rows.len()) {
        if !reply.has_room() {
            break;
        }
        reply.push_value(row)?;
        pushed += 1;
        kept_result.grow(reply.size_bytes()).map_err(failed)?;
        if let Some(kept) = capture
            && !kept.push(row, query.session.instance().results_cache())?
        {
            *capture = None;
        }
    }
    kept_result.end(reply.size_bytes()).map_err(failed)?;
    Ok(pushed)
}

impl RowSource for RunningRows {
    fn fill(&mut self, reply: &mut RowEncoder, max_rows: usize) -> Result<bool> {
        // Rows that are computed already may fill many replies.
        let checked = self.query.interrupt.check().map_err(in_execution);
        checked.inspect_err(|error| self.query.registration.query().set_failed(error))?;
        let is_stream = self.query.request.options.stream;
        // The rows of a stream are computed when they are requested, all others immediately.
        let at_once = |wanted: usize| if is_stream { wanted } else { max_rows };
        let mut wanted = max_rows;
        while let Some((batch, next)) = self.next_ready(at_once(wanted))? {
            let taken = usize::min(wanted, batch.len() - next);
            let pushed = self.push(reply, &batch, next..next + taken, at_once(wanted))?;
            wanted -= pushed;
            if next + pushed < batch.len() {
                self.ready.push_front((batch, next + pushed));
                return Ok(true);
            }
            if wanted == 0 || !reply.has_room() {
                // Reads ahead, so that the last batch reports that it is the last.
                let next = self.next_ready(at_once(1))?;
                let has_more = next.is_some();
                next.into_iter().for_each(|next| self.ready.push_front(next));
                return Ok(has_more);
            }
        }
        Ok(false)
    }

    fn release(&mut self) {
        if let Some(execution) = &mut self.execution {
            execution.release();
        }
    }

    fn can_read_ahead(&self) -> bool {
        !self.query.planned.plan.is_modification
    }

    fn count(&self) -> Option<u64> {
        None
    }

    fn description(&self) -> Option<Vec<u8>> {
        self.query.description(self.version?)
    }

    fn finish(&mut self, format: Format) -> Result<Option<Vec<u8>>> {
        let execution = self
            .execution
            .take()
            .ok_or_else(|| Error::new(ErrorCode::Internal, "a query was finished twice"))?;
        let executed = Instant::now();
        let executing_time = executed - self.began;
        // The time between the batches of a stream includes the client's time.
        if !self.query.request.options.stream {
            self.query.planned.latency.note(executing_time);
        }
        let finished = execution.finish();
        let listed = self.query.registration.query();
        listed.set_warnings(finished.warnings.len());
        let writer = self.writer.take().zip(finished.transaction).map(|(mut writer, transaction)| {
            writer.put_back(transaction);
            writer
        });
        // Before the commit: the query may fail for lack of memory.
        let failed = |error: &Error| {
            listed.set_failed(error);
            spans::record_failure(&self.query, error);
        };
        let plan = self.shown_plan().inspect_err(failed)?;
        if let Some(writer) = writer {
            commit(writer, finished.wait_for_sync).inspect_err(failed)?;
        }
        let ended = Instant::now();
        let times = Times { began: self.began, executing: executing_time, taken: ended - self.query.started };
        spans::record(&self.query, &times, &finished.statistics);
        let statistics = match self.query.session.require_unrestricted_database("statistics") {
            Ok(()) => finished.statistics,
            Err(_) => finished.statistics.concealed(),
        };
        let report = Report {
            query: &self.query,
            statistics: &statistics,
            warnings: &finished.warnings,
            instantiating: self.instantiating,
            executing: executing_time,
            finalizing: ended - executed,
            taken: ended - self.query.started,
            plan: plan.as_deref().map(Slice::new),
        };
        let in_form = |format| {
            let extra = report.to_bytes(format);
            extra.map_err(|error| Error::new(ErrorCode::Internal, format!("statistics: {error}")))
        };
        if let Some(capture) = self.capture.take().filter(|_| finished.warnings.is_empty()) {
            capture.finish(&self.query, in_form(Format::VelocyPack)?);
        }
        Ok(Some(in_form(format)?))
    }
}

impl RunningRows {
    /// Returns the plan as clients of a profiled query see it.
    fn shown_plan(&self) -> Result<Option<Vec<u8>>> {
        let query = &self.query;
        if query.request.options.profile < 2 {
            return Ok(None);
        }
        let plan = query.planned.plan.with_parameters(&query.planned.parameters);
        let limits = WriteLimits { memory: &query.memory, interrupt: &query.interrupt };
        explain::plan(&plan, limits).map(Some)
    }
}

fn commit(writer: Writer, wait_for_sync: bool) -> Result<()> {
    let durability = if wait_for_sync { Durability::Synced } else { Durability::Buffered };
    writer.finish(durability).map_err(in_execution)
}

/// Adds the nodes that an error passed through. The position of a query that was killed is
/// meaningless.
fn in_node(plan: &Plan, node: Option<NodeId>, error: Error) -> Error {
    let node = node.filter(|_| error.code() != ErrorCode::QueryKilled);
    let nodes = node.map(|node| aql_explain::trace(plan, node)).unwrap_or_default();
    let message = format!("{}{nodes}", error.message());
    in_execution(error.with_message(message))
}

/// Returns an error with the message that ArangoDB gives for queries that ran.
pub(super) fn in_execution(error: Error) -> Error {
    let message = format!("AQL: {} (while executing)", error.message());
    error.with_message(message)
}
