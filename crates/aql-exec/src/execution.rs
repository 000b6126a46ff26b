//! One query at run time.

use std::fmt;
use std::sync::Arc;

use aql_plan::{NodeId, Plan};
use aql_value::{
    Batch, Charge, Column, EvaluationState, Interrupt, MemoryAccount, Register, ThreadMeter, UserFunctions,
    Value, Warning, Warnings,
};
use errors::{Error, Result};
use storage::Transaction;

use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::data::{Data, DataAccess, ReadAuthorization};
use crate::environment::{AnalyzerLookup, OpenChanges, OpenGraphs, QueryEnvironment};
use crate::intermediate_commits::{IntermediateCommitOptions, IntermediateCommits};
use crate::lower::lower;
use crate::operator::Operator;
use crate::parallelism::Parallelism;
use crate::profile::Profile;
use crate::spill_options::SpillOptions;
use crate::statistics::ExecutionStatistics;

/// The input of an execution besides its plan.
pub struct ExecutionInput {
    /// The data that it reads and writes.
    pub data: DataAccess,
    /// The database of its collections.
    pub database: Arc<str>,
    /// The user that runs it; `None` without authentication.
    pub user: Option<Arc<str>>,
    /// The result of `VERSION()`.
    pub server_version: Arc<str>,
    /// The check for collections that only a function names; `None`: everything may be read.
    pub authorize_read: Option<ReadAuthorization>,
    /// True if a collection that the user may not read is empty instead of an error.
    pub inaccessible_are_empty: bool,
    /// The check for collections whose vertices a graph search may reach; `None`: all.
    pub authorize_vertices: Option<ReadAuthorization>,
    /// The functions that users write; `None`: there are none.
    pub user_functions: Option<Arc<dyn UserFunctions>>,
    /// The analyzers that users define; `None`: there are none.
    pub analyzers: Option<AnalyzerLookup>,
    /// The change log; `None`: there is none.
    pub changes: Option<OpenChanges>,
    /// The algorithms over whole graphs; `None`: there are none.
    pub graphs: Option<OpenGraphs>,
    /// Values of the plan's open parameters, by slot.
    pub parameters: Arc<[Value]>,
    /// The query's memory.
    pub memory: Arc<MemoryAccount>,
    /// The handle that kills the query from outside.
    pub interrupt: Interrupt,
    /// Its options.
    pub options: ExecutionOptions,
}

/// Options of a query's execution.
#[derive(Debug, Clone)]
pub struct ExecutionOptions {
    /// Maximum number of warnings to keep (`maxWarningCount`).
    pub max_warnings: usize,
    /// True if the first warning ends the query as an error (`failOnWarning`).
    pub fail_on_warning: bool,
    /// True if each node is measured (`profile: 2`).
    pub profile_nodes: bool,
    /// The conditions for temporary files.
    pub spill: SpillOptions,
    /// The threads of the query.
    pub parallelism: Parallelism,
    /// The thresholds of intermediate commits.
    pub intermediate_commits: IntermediateCommitOptions,
    /// The time of the statement and the seed of its random numbers.
    ///
    /// `None`: now, and from the system's randomness.
    pub fixed: Option<FixedState>,
}

impl Default for ExecutionOptions {
    fn default() -> Self {
        Self {
            max_warnings: Warnings::DEFAULT_MAX,
            fail_on_warning: false,
            profile_nodes: false,
            spill: SpillOptions::default(),
            parallelism: Parallelism::default(),
            intermediate_commits: IntermediateCommitOptions::default(),
            fixed: None,
        }
    }
}

/// The state that makes an execution repeatable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedState {
    /// Milliseconds since 1970-01-01 UTC: `DATE_NOW()`.
    pub statement_time_ms: i64,
    /// The seed of `RAND()` and the like.
    pub seed: u64,
}

/// A query at run time.
///
/// It can be kept between two batches, sent to another thread, and dropped at any time.
pub struct Execution {
    root: Box<dyn Operator>,
    /// Register of the query's result; `None` for a query without RETURN.
    result: Option<Register>,
    /// Boxed, because executions are moved a few times before they run.
    context: Box<ExecutionContext>,
    /// Rows of the next request.
    rows: usize,
    /// The limits of a batch while there is much memory.
    full: BatchLimits,
    state: State,
    wait_for_sync: bool,
}

const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Execution>();
};

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Running,
    Finished,
    Failed(Error),
}

/// An execution that could not start.
pub struct StartFailed {
    /// The reason.
    pub error: Error,
    /// The transaction, if there was one.
    pub transaction: Option<Box<Transaction>>,
}

/// The remains of a finished execution.
pub struct Finished {
    /// The counters of the query.
    pub statistics: ExecutionStatistics,
    /// The warnings about single values.
    pub warnings: Vec<Warning>,
    /// The transaction of its writes, for its owner to commit or to roll back.
    pub transaction: Option<Box<Transaction>>,
    /// True if a statement of the query demands that its writes are synced to disk at commit.
    pub wait_for_sync: bool,
}

/// Rows of the first batch, few so that a small request does little.
const FIRST_ROWS: usize = 16;

/// Bytes of a batch that are not charged, because most batches are this short.
const UNCOUNTED_BYTES: u64 = 32 << 10;

/// Rows of all batches while nodes are measured: ArangoDB's number, so that numbers of calls
/// compare.
const PROFILED_ROWS: usize = 1000;

impl Execution {
    /// Creates the operators of a plan. Nothing is computed before the first batch.
    ///
    /// Errors: 1203 for a collection that was dropped; 9 for a node that cannot be run.
    pub fn start(plan: &Arc<Plan>, input: ExecutionInput) -> std::result::Result<Self, Box<StartFailed>> {
        let ExecutionInput {
            data,
            database,
            user,
            server_version,
            authorize_read,
            inaccessible_are_empty,
            authorize_vertices,
            user_functions,
            analyzers,
            changes,
            graphs,
            parameters,
            memory,
            interrupt,
            options,
        } = input;
        let hidden = if inaccessible_are_empty { authorize_read.as_ref() } else { None };
        let data = Data::new(data, &database, hidden, &plan.ruled_collections)?;
        let environment = QueryEnvironment::new(
            data.start().clone(),
            Arc::clone(data.database()),
            user,
            server_version,
            authorize_read,
            Arc::clone(&memory),
            interrupt.clone(),
        )
        .with_vertices(authorize_vertices)
        .with_user_functions(user_functions)
        .with_analyzers(analyzers)
        .with_changes(changes)
        .with_graphs(graphs)
        .with_inaccessible_as_empty(inaccessible_are_empty);
        let mut warnings = Warnings::new(options.max_warnings, options.fail_on_warning);
        warnings.prepend(plan.warnings.clone());
        let state = match options.fixed {
            Some(FixedState { statement_time_ms, seed }) => EvaluationState::fixed(statement_time_ms, seed),
            None => EvaluationState::new(),
        };
        let limit_bytes = memory.limit_bytes();
        let full = BatchLimits::FULL.within(limit_bytes);
        let (first_rows, full) = match options.profile_nodes {
            true => (PROFILED_ROWS, full.of_rows(PROFILED_ROWS)),
            false => (FIRST_ROWS, full),
        };
        let mut context = Box::new(ExecutionContext {
            data,
            environment,
            memory,
            interrupt,
            warnings,
            state,
            statistics: ExecutionStatistics::default(),
            commits: IntermediateCommits::new(options.intermediate_commits),
            profile: Profile::default(),
            spill: options.spill.within(limit_bytes),
            parallelism: options.parallelism,
            full,
            failed_at: None,
        });
        match lower(plan, &mut context, parameters, options.profile_nodes) {
            Ok(lowered) => {
                if lowered.wait_for_sync {
                    context.commits.set_synced();
                }
                Ok(Self {
                    root: lowered.root,
                    result: lowered.result,
                    context,
                    rows: first_rows,
                    full,
                    state: State::Running,
                    wait_for_sync: lowered.wait_for_sync,
                })
            }
            Err(error) => Err(Box::new(StartFailed { error, transaction: context.data.into_transaction() })),
        }
    }

    /// Limits batches to `rows` rows, for tests: results do not depend on it.
    pub fn with_batch_rows(mut self, rows: usize) -> Self {
        self.full = self.full.of_rows(rows);
        self
    }

    /// Returns the next results, at most `max_rows` of them; `None` after the last.
    ///
    /// The memory that they take, and that operators keep for the next ones, stays charged until
    /// they are dropped.
    ///
    /// After an error it returns the same error again. A query without RETURN runs to its end and
    /// returns `None`.
    pub fn next_batch(&mut self, max_rows: usize) -> Result<Option<ResultBatch>> {
        match &self.state {
            State::Running => {}
            State::Finished => return Ok(None),
            State::Failed(error) => return Err(error.clone()),
        }
        self.context.full = self.full.within_room(&self.context.memory);
        let used_bytes = self.context.memory.accounted_bytes();
        let meter = ThreadMeter::enter(&self.context.memory);
        let batch = self.advance(max_rows);
        let rows = batch.as_ref().ok().and_then(Option::as_ref).map_or(0, ResultBatch::len);
        let left_bytes = meter.grown_bytes();
        self.rows = self.context.full.rows_after(self.rows, rows, left_bytes);
        drop(meter);
        let charged_bytes = self.context.memory.accounted_bytes().saturating_sub(used_bytes);
        let batch = batch.and_then(|batch| self.charge(batch, left_bytes.saturating_sub(charged_bytes)));
        match &batch {
            Ok(Some(batch)) => self.context.statistics.results += batch.len() as u64,
            Ok(None) => self.state = State::Finished,
            Err(error) => self.state = State::Failed(error.clone()),
        }
        batch
    }

    fn advance(&mut self, max_rows: usize) -> Result<Option<ResultBatch>> {
        self.context.interrupt.check()?;
        let Some(result) = self.result else {
            while self.root.next_full_batch(&mut self.context)?.is_some() {
                self.context.interrupt.check()?;
            }
            return Ok(None);
        };
        let limits = self.context.full.of_rows(self.rows.min(max_rows));
        let batch = self.root.next_batch(&mut self.context, limits)?;
        Ok(batch.map(|batch| ResultBatch { batch, result, _memory: None }))
    }

    /// Charges the memory of a batch. Errors: 32.
    fn charge(&self, batch: Option<ResultBatch>, bytes: u64) -> Result<Option<ResultBatch>> {
        if bytes <= UNCOUNTED_BYTES {
            return Ok(batch);
        }
        let Some(batch) = batch else { return Ok(None) };
        let mut memory = Charge::new(Arc::clone(&self.context.memory));
        memory.grow(bytes)?;
        Ok(Some(ResultBatch { _memory: Some(Arc::new(memory)), ..batch }))
    }

    /// Releases all memory that is pinned in the storage engine.
    ///
    /// Call it when a client is expected to take its time. The next batch resumes after the last
    /// one.
    pub fn release(&mut self) {
        self.root.release();
    }

    /// Returns the node of the plan whose error ended the query, if it was a node.
    pub fn failed_at(&self) -> Option<NodeId> {
        self.context.failed_at
    }

    /// Returns the query's handle for killing it.
    pub fn interrupt(&self) -> &Interrupt {
        &self.context.interrupt
    }

    /// Returns true after the end or an error.
    pub fn is_finished(&self) -> bool {
        self.state != State::Running
    }

    /// Returns the warnings so far.
    pub fn warnings(&self) -> &[Warning] {
        self.context.warnings.list()
    }

    /// Ends the query, even if not all results were fetched.
    pub fn finish(mut self) -> Finished {
        let mut statistics = std::mem::take(&mut self.context.statistics);
        statistics.peak_memory_bytes = self.context.memory.peak();
        statistics.nodes = self.context.profile.take_nodes();
        // Operators first: they return memory to the account and hold views of the transaction.
        drop(self.root);
        Finished {
            statistics,
            warnings: self.context.warnings.list().to_vec(),
            transaction: self.context.data.into_transaction(),
            wait_for_sync: self.wait_for_sync,
        }
    }
}

impl fmt::Debug for StartFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartFailed").field("error", &self.error).finish_non_exhaustive()
    }
}

impl From<Error> for Box<StartFailed> {
    fn from(error: Error) -> Self {
        Box::new(StartFailed { error, transaction: None })
    }
}

/// A batch of results of a query.
#[derive(Debug, Clone)]
pub struct ResultBatch {
    batch: Batch,
    result: Register,
    /// The memory of the batch, unless it is short.
    _memory: Option<Arc<Charge>>,
}

impl ResultBatch {
    /// Returns the number of results; at least 1.
    pub fn len(&self) -> usize {
        self.batch.selected_len()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the results in order.
    pub fn iter(&self) -> impl Iterator<Item = &Value> {
        static NULL: Column = Column::Constant(Value::Null);
        let column = self.batch.column(self.result).unwrap_or(&NULL);
        self.batch.selected().map(move |row| column.get(row))
    }
}
