//! The rows that a loop runs over: each gives any number of inner rows.

use std::sync::Arc;

use aql_value::{Batch, Register};
use errors::Result;

use super::Operator;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

/// The input of a loop, and its current row.
pub(crate) struct OuterRows {
    input: Box<dyn Operator>,
    /// Registers that later operators read: no others are repeated for inner rows.
    carry: Box<[Register]>,
    batch: Option<Batch>,
    position: usize,
}

impl OuterRows {
    pub(crate) fn new(input: Box<dyn Operator>, carry: Box<[Register]>) -> Self {
        Self { input, carry, batch: None, position: 0 }
    }

    /// Ensures that there is a current row, and fetches another batch if necessary.
    pub(super) fn fetch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Fetched> {
        if self.batch.as_ref().is_some_and(|batch| self.position < batch.rows()) {
            return Ok(Fetched::Present);
        }
        self.position = 0;
        // Dense, so that positions and rows are the same.
        self.batch = self.input.next_batch(context, limits)?.map(Batch::compact);
        Ok(if self.batch.is_some() { Fetched::New } else { Fetched::End })
    }

    /// Returns the batch of the current row; it has no selection.
    pub(super) fn batch(&self) -> Option<&Batch> {
        self.batch.as_ref()
    }

    /// Returns the current row.
    pub(super) fn row(&self) -> usize {
        self.position
    }

    /// Returns the number of remaining rows in the current batch, including the current one.
    pub(super) fn remaining(&self) -> usize {
        self.batch.as_ref().map_or(0, |batch| batch.rows().saturating_sub(self.position))
    }

    /// Advances to the next row.
    pub(super) fn advance(&mut self) {
        self.position += 1;
    }

    /// Returns the value of a register in the current row.
    pub(super) fn value(&self, register: Register) -> aql_value::Value {
        self.batch.as_ref().map_or(aql_value::Value::Null, |batch| batch.value(register, self.position))
    }

    /// Returns a batch that has the current row `count` times.
    pub(super) fn repeat(&self, count: usize) -> Batch {
        self.batch
            .as_ref()
            .map_or_else(Batch::default, |batch| batch.project(&self.carry).repeat_row(self.position, count))
    }

    /// Returns a batch whose row `i` is the current batch's row `rows[i]`; the rows are ascending.
    pub(super) fn gather(&self, rows: Vec<u32>) -> Batch {
        let Some(batch) = &self.batch else { return Batch::default() };
        debug_assert!(rows.is_sorted(), "inner rows do not follow the order of their outer rows");
        match (rows.first(), rows.last()) {
            (Some(first), Some(last)) if first == last => {
                batch.project(&self.carry).repeat_row(*first as usize, rows.len())
            }
            _ => batch.project(&self.carry).gather(&Arc::from(rows)),
        }
    }

    /// Returns the rows that the input makes of those of a restart, if it needs no read for them.
    pub(super) fn rehearse(
        &mut self,
        outer: &Batch,
        context: &mut ExecutionContext,
    ) -> Result<Option<Batch>> {
        self.input.rehearse(outer, context)
    }

    /// Returns true if the rows do not depend on writes of the query.
    pub(super) fn may_run_ahead(&self) -> bool {
        self.input.may_run_ahead()
    }

    /// Begins with rows that the input has made for a rehearsal.
    pub(super) fn begin_with(&mut self, rows: Batch) {
        self.batch = Some(rows.compact());
        self.position = 0;
    }

    /// Restarts with these rows.
    pub(super) fn restart(&mut self, outer: Batch) {
        self.batch = None;
        self.position = 0;
        self.input.restart(outer);
    }

    /// Releases all memory that is pinned in the storage engine.
    pub(super) fn release(&mut self) {
        self.input.release();
    }
}

/// The result of [`OuterRows::fetch`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fetched {
    /// The current row remains.
    Present,
    /// The first row of another batch.
    New,
    /// No more rows.
    End,
}
