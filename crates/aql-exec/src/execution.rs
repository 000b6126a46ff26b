//! One query at run time.

use crate::batch_limits::{BatchLimits, GROWTH};
use crate::context::ExecutionContext;
use crate::data::{Data, DataAccess, ReadAuthorization};
use crate::environment::QueryEnvironment;
use crate::intermediate_commits::{IntermediateCommitOptions, IntermediateCommits};
use crate::lower::lower;
use crate::operator::Operator;
use crate::profile::Profile;
use crate::spill::SpillOptions;
use crate::statistics::ExecutionStatistics;
use aql_plan::{NodeId, Plan};
use aql_value::{
    Batch, Column, Error, EvaluationState, Interrupt, MemoryAccount, Register, Result, Value, Warning,
    Warnings,
};
use std::fmt;
use std::sync::Arc;
use storage::Transaction;

/// What a query runs with.
pub struct ExecutionInput {
    /// What it reads and writes.
    pub data: DataAccess,
    /// The database that its collections belong to.
    pub database: Arc<str>,
    /// Who runs it; `None` without authentication.
    pub user: Option<Arc<str>>,
    /// What `VERSION()` answers.
    pub server_version: Arc<str>,
    /// May the user read a collection that only a function names? `None`: everything may be read.
    pub authorize_read: Option<ReadAuthorization>,
    /// A collection that the user may not read is an empty one, rather than an error.
    pub inaccessible_are_empty: bool,
    /// Which collections' vertices a search in a graph may come to; `None` for all.
    pub authorize_vertices: Option<ReadAuthorization>,
    /// Values of the plan's open parameters, by slot.
    pub parameters: Arc<[Value]>,
    /// The query's memory.
    pub memory: Arc<MemoryAccount>,
    /// How the query is ended from outside.
    pub interrupt: Interrupt,
    /// Its options.
    pub options: ExecutionOptions,
}

/// Options of a query that concern its execution.
#[derive(Debug, Clone)]
pub struct ExecutionOptions {
    /// Warnings that are kept (`maxWarningCount`).
    pub max_warnings: usize,
    /// The first warning ends the query as an error (`failOnWarning`).
    pub fail_on_warning: bool,
    /// Measure each node (`profile: 2`).
    pub profile_nodes: bool,
    /// When operators use temporary files.
    pub spill: SpillOptions,
    /// When writes are committed before the end.
    pub intermediate_commits: IntermediateCommitOptions,
    /// Time of the statement and seed of its random numbers; `None`: now, and from the system's randomness.
    pub fixed: Option<FixedState>,
}

impl Default for ExecutionOptions {
    fn default() -> Self {
        Self {
            max_warnings: Warnings::DEFAULT_MAX,
            fail_on_warning: false,
            profile_nodes: false,
            spill: SpillOptions::default(),
            intermediate_commits: IntermediateCommitOptions::default(),
            fixed: None,
        }
    }
}

/// What makes an execution repeatable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedState {
    /// Milliseconds since 1970-01-01 UTC: `DATE_NOW()`.
    pub statement_time_ms: i64,
    /// For `RAND()` and the like.
    pub seed: u64,
}

/// A query at run time. Can be kept between two batches, sent to another thread, and dropped at any time.
pub struct Execution {
    root: Box<dyn Operator>,
    /// Register of what the query returns; `None` for a query without RETURN.
    result: Option<Register>,
    /// Apart, as executions are moved a few times before they run.
    context: Box<ExecutionContext>,
    /// Rows to ask for next.
    rows: usize,
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
    /// Why.
    pub error: Error,
    /// The transaction, if there was one.
    pub transaction: Option<Box<Transaction>>,
}

/// What is left of an execution.
pub struct Finished {
    /// What it has done.
    pub statistics: ExecutionStatistics,
    /// What went wrong with single values.
    pub warnings: Vec<Warning>,
    /// The transaction that it wrote in, to be committed or rolled back by its owner.
    pub transaction: Option<Box<Transaction>>,
    /// A statement of the query asked for its writes to be synced to disk at commit.
    pub wait_for_sync: bool,
}

/// Rows for the first batch: a query that is asked for little does little.
const FIRST_ROWS: usize = 16;

/// Rows of all batches while nodes are measured: those of ArangoDB, so that numbers of calls compare.
const PROFILED_ROWS: usize = 1000;

impl Execution {
    /// Makes the operators of a plan. Nothing is computed before the first batch is asked for.
    ///
    /// Errors: 1203 for a collection that is not there any more; 9 for a node that cannot be run.
    pub fn start(plan: &Arc<Plan>, input: ExecutionInput) -> std::result::Result<Self, Box<StartFailed>> {
        let ExecutionInput {
            data,
            database,
            user,
            server_version,
            authorize_read,
            inaccessible_are_empty,
            authorize_vertices,
            parameters,
            memory,
            interrupt,
            options,
        } = input;
        let hidden = if inaccessible_are_empty { authorize_read.as_ref() } else { None };
        let data = Data::new(data, &database, hidden)?;
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
                    state: State::Running,
                    wait_for_sync: lowered.wait_for_sync,
                })
            }
            Err(error) => Err(Box::new(StartFailed { error, transaction: context.data.into_transaction() })),
        }
    }

    /// Makes operators work on at most so many rows at one time, for tests: results do not depend on it.
    pub fn with_batch_rows(mut self, rows: usize) -> Self {
        self.context.full = self.context.full.of_rows(rows);
        self
    }

    /// The next results, at most `max_rows` of them; `None` when there are no more. After an error the same error is
    /// answered again.
    ///
    /// A query without RETURN runs to its end and answers `None`.
    pub fn next_batch(&mut self, max_rows: usize) -> Result<Option<ResultBatch>> {
        match &self.state {
            State::Running => {}
            State::Finished => return Ok(None),
            State::Failed(error) => return Err(error.clone()),
        }
        let batch = self.advance(max_rows);
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
        self.rows = (self.rows * GROWTH).min(self.context.full.rows);
        let batch = self.root.next_batch(&mut self.context, limits)?;
        Ok(batch.map(|batch| ResultBatch { batch, result }))
    }

    /// Lets go of what pins memory in the storage engine, to be called when a client is expected to take its time. The
    /// next batch goes on where the last one ended.
    pub fn release(&mut self) {
        self.root.release();
    }

    /// The node of the plan that ended the query by an error, where it was a node.
    pub fn failed_at(&self) -> Option<NodeId> {
        self.context.failed_at
    }

    /// The query's handle for ending it.
    pub fn interrupt(&self) -> &Interrupt {
        &self.context.interrupt
    }

    /// Whether the end was reached, or an error.
    pub fn is_finished(&self) -> bool {
        self.state != State::Running
    }

    /// The warnings so far.
    pub fn warnings(&self) -> &[Warning] {
        self.context.warnings.list()
    }

    /// Ends the query, whether all its results were fetched or not.
    pub fn finish(mut self) -> Finished {
        let mut statistics = std::mem::take(&mut self.context.statistics);
        statistics.peak_memory_bytes = self.context.memory.peak();
        statistics.nodes = self.context.profile.take_nodes();
        // Operators first: they give back memory to the account and hold views of the transaction.
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

/// Some results of a query.
#[derive(Debug, Clone)]
pub struct ResultBatch {
    batch: Batch,
    result: Register,
}

impl ResultBatch {
    /// Number of results; at least 1.
    pub fn len(&self) -> usize {
        self.batch.selected_len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The results in order.
    pub fn iter(&self) -> impl Iterator<Item = &Value> {
        static NULL: Column = Column::Constant(Value::Null);
        let column = self.batch.column(self.result).unwrap_or(&NULL);
        self.batch.selected().map(move |row| column.get(row))
    }
}
