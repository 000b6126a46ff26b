//! What all operators of a query share.

use crate::batch_limits::BatchLimits;
use crate::data::Data;
use crate::environment::QueryEnvironment;
use crate::intermediate_commits::IntermediateCommits;
use crate::profile::Profile;
use crate::spill::SpillOptions;
use crate::statistics::ExecutionStatistics;
use aql_plan::NodeId;
use aql_value::{
    Batch, Charge, Column, EvaluationContext, EvaluationState, Interrupt, MemoryAccount, Program, Result,
    Warnings,
};
use std::sync::Arc;

/// Shared by the operators of a query, and passed to each call.
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
    /// What to ask for where everything is wanted.
    pub(crate) full: BatchLimits,
    /// The node that ended the query by an error.
    pub(crate) failed_at: Option<NodeId>,
}

impl ExecutionContext {
    /// The parts that expressions may reach.
    pub(crate) fn evaluation(&mut self) -> EvaluationContext<'_> {
        EvaluationContext {
            warnings: &mut self.warnings,
            state: &mut self.state,
            memory: &self.memory,
            interrupt: &self.interrupt,
            environment: &self.environment,
        }
    }

    /// So many documents were written: counts them, and commits them if it is time to.
    pub(crate) fn note_writes(&mut self, operations: u64) -> Result<()> {
        self.statistics.writes_executed += operations;
        let has_committed = self.commits.note(operations, self.data.transaction()?)?;
        self.statistics.intermediate_commits += u64::from(has_committed);
        Ok(())
    }

    /// See [`Program::evaluate`].
    pub(crate) fn evaluate(&mut self, program: &Program, batch: &Batch) -> Result<Column> {
        program.evaluate(batch, &mut self.evaluation())
    }

    /// See [`Program::evaluate_predicate`]; counts the rows that are left out.
    pub(crate) fn filter(&mut self, program: &Program, batch: &mut Batch) -> Result<()> {
        let before = batch.selected_len();
        let rows = program.evaluate_predicate(batch, &mut self.evaluation())?;
        batch.select(rows);
        self.count_filtered(before - batch.selected_len());
        Ok(())
    }

    /// Adds to the rows that filters left out.
    pub(crate) fn count_filtered(&mut self, rows: usize) {
        self.statistics.filtered += rows as u64;
        self.profile.count_filtered(rows as u64);
    }

    /// A charge for something that grows, on the query's account.
    pub(crate) fn new_charge(&self) -> Charge {
        Charge::new(Arc::clone(&self.memory))
    }
}
