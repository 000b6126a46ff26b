//! The state that all operators of a query share.

use std::sync::Arc;

use aql_plan::NodeId;
use aql_value::{
    Batch, Charge, Column, EvaluationContext, EvaluationState, Interrupt, MemoryAccount, Owner, Program,
    Warnings,
};
use errors::Result;

use crate::batch_limits::BatchLimits;
use crate::data::Data;
use crate::environment::QueryEnvironment;
use crate::intermediate_commits::{IntermediateCommitOptions, IntermediateCommits};
use crate::parallelism::Parallelism;
use crate::profile::Profile;
use crate::spill_options::SpillOptions;
use crate::statistics::ExecutionStatistics;

/// The shared state of a query's operators, passed to each call.
pub(crate) struct ExecutionContext {
    pub(crate) data: Data,
    pub(crate) environment: QueryEnvironment,
    pub(crate) memory: Arc<MemoryAccount>,
    pub(crate) interrupt: Interrupt,
    pub(crate) warnings: Warnings,
    pub(crate) state: EvaluationState,
    pub(crate) statistics: ExecutionStatistics,
    pub(crate) commits: IntermediateCommits,
    pub(crate) profile: Profile,
    pub(crate) spill: SpillOptions,
    pub(crate) parallelism: Parallelism,
    /// The limits for consumers of the whole input.
    pub(crate) full: BatchLimits,
    /// The node whose error ended the query.
    pub(crate) failed_at: Option<NodeId>,
}

impl ExecutionContext {
    /// Returns the parts that expressions may access.
    pub(crate) fn evaluation(&mut self) -> EvaluationContext<'_> {
        EvaluationContext {
            warnings: &mut self.warnings,
            state: &mut self.state,
            memory: &self.memory,
            interrupt: &self.interrupt,
            environment: &self.environment,
        }
    }

    /// Returns the context of another thread that reads for the query.
    ///
    /// Its statistics and warnings begin empty. The query's account is charged for its memory.
    pub(crate) fn helper(&self) -> Result<Self> {
        Ok(Self {
            data: self.data.for_reading()?,
            environment: self.environment.clone(),
            memory: Arc::new(MemoryAccount::part_of(Arc::clone(&self.memory))),
            interrupt: self.interrupt.clone(),
            warnings: self.warnings.emptied(),
            state: self.state.of_same_statement(),
            statistics: ExecutionStatistics::default(),
            commits: IntermediateCommits::new(IntermediateCommitOptions::default()),
            profile: Profile::default(),
            spill: self.spill.clone(),
            parallelism: self.parallelism,
            full: self.full,
            failed_at: None,
        })
    }

    /// Counts `operations` written documents, and commits if an intermediate commit is due.
    pub(crate) fn note_writes(&mut self, operations: u64) -> Result<()> {
        self.statistics.writes_executed += operations;
        let has_committed = self.commits.note(operations, self.data.transaction()?)?;
        self.statistics.intermediate_commits += u64::from(has_committed);
        if has_committed {
            let interrupt = &self.interrupt;
            self.data.transaction()?.wait_for_text_indexes(&|| interrupt.check())?;
        }
        Ok(())
    }

    /// Evaluates a program; see [`Program::evaluate`].
    pub(crate) fn evaluate(&mut self, program: &Program, batch: &Batch) -> Result<Column> {
        program.evaluate(batch, &mut self.evaluation())
    }

    /// Filters a batch by [`Program::evaluate_predicate`] and counts the rows that do not pass.
    pub(crate) fn filter(&mut self, program: &Program, batch: &mut Batch) -> Result<()> {
        let before = batch.selected_len();
        let rows = program.evaluate_predicate(batch, &mut self.evaluation())?;
        batch.select(rows);
        self.count_filtered(before - batch.selected_len());
        Ok(())
    }

    /// Adds to the number of filtered rows.
    pub(crate) fn count_filtered(&mut self, rows: usize) {
        self.statistics.filtered += rows as u64;
        self.profile.count_filtered(rows as u64);
    }

    /// Makes reads early, in batches, which operators repeat one by one ([`Operator::rehearse`]).
    /// They leave no trace in statistics and warnings. An error of theirs is left to the
    /// repetition.
    ///
    /// [`Operator::rehearse`]: crate::operator::Operator::rehearse
    pub(crate) fn rehearse<T>(&mut self, reads: impl FnOnce(&mut Self) -> Result<T>) {
        if !self.data.waits_for_messages() {
            return;
        }
        let (statistics, failed_at) = (self.statistics.clone(), self.failed_at);
        let emptied = self.warnings.emptied();
        let warnings = std::mem::replace(&mut self.warnings, emptied);
        // The repetition reports errors.
        let _ = reads(self);
        self.data.end_rehearsal();
        (self.statistics, self.failed_at, self.warnings) = (statistics, failed_at, warnings);
    }

    /// Returns the query as the owner of what its writes compute.
    pub(crate) fn owner(&self) -> Owner {
        Owner { interrupt: self.interrupt.clone(), memory: Arc::clone(&self.memory) }
    }

    /// Creates a charge on the query's memory account.
    pub(crate) fn new_charge(&self) -> Charge {
        Charge::new(Arc::clone(&self.memory))
    }
}
