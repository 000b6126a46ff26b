//! The distinct values of the leading fields of an index: a skip scan from group to group.

use std::sync::Arc;

use aql_value::{Batch, Column, Register, Value};
use errors::Result;
use storage::{BlockLimits, Collection, Index, IndexBounds};

use super::Operator;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

pub(crate) struct IndexDistinctOperator {
    /// The input: one row, whose registers are kept.
    input: Box<dyn Operator>,
    collection: Arc<Collection>,
    index: Arc<Index>,
    /// Registers of the values of the leading fields; at least one.
    out: Box<[Register]>,
    carry: Box<[Register]>,
    state: State,
}

enum State {
    Start,
    /// The row of the input, and the group found last.
    Reading {
        outer: Batch,
        last: Option<Vec<Value>>,
    },
    End,
}

impl IndexDistinctOperator {
    /// Creates the operator. `carry`: registers that stay set.
    pub(crate) fn new(
        input: Box<dyn Operator>,
        collection: Arc<Collection>,
        index: Arc<Index>,
        out: Box<[Register]>,
        carry: Box<[Register]>,
    ) -> Self {
        Self { input, collection, index, out, carry, state: State::Start }
    }

    /// Returns the first group after `last`.
    fn next_group(
        &self,
        last: Option<&[Value]>,
        context: &mut ExecutionContext,
    ) -> Result<Option<Vec<Value>>> {
        let mut bounds = IndexBounds::all();
        for value in last.unwrap_or_default() {
            value.with_slice(|slice, collection| bounds.extend_skipped(slice, collection));
        }
        let snapshot = context.data.snapshot(false);
        let scan = snapshot.index_scan(&self.collection, &self.index, &bounds, false);
        let mut scan = scan?;
        match last {
            None => context.statistics.cursors_created += 1,
            Some(_) => context.statistics.seeks += 1,
        }
        let limits = BlockLimits { rows: 1, bytes: context.full.bytes };
        let Some(entries) = scan.next_block(limits)? else {
            return Ok(None);
        };
        context.statistics.scanned_index += 1;
        let Some(offset) = entries.covered_offset(0) else { return Ok(None) };
        let covered = Value::in_block(entries.block(), offset);
        // Detached, so that a value does not keep its block.
        Ok(Some((0..self.out.len()).map(|field| covered.at(field as i64).detached()).collect()))
    }
}

impl Operator for IndexDistinctOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if matches!(self.state, State::Start) {
            self.state = match self.input.next_full_batch(context)? {
                Some(batch) => State::Reading { outer: batch.compact(), last: None },
                None => State::End,
            };
        }
        let State::Reading { outer, last } = std::mem::replace(&mut self.state, State::End) else {
            return Ok(None);
        };
        let mut last = last;
        let mut columns: Vec<Vec<Value>> = vec![Vec::new(); self.out.len()];
        let mut rows = 0;
        while rows < limits.rows {
            context.interrupt.check()?;
            let Some(group) = self.next_group(last.as_deref(), context)? else { break };
            columns.iter_mut().zip(&group).for_each(|(column, value)| column.push(value.clone()));
            last = Some(group);
            rows += 1;
        }
        if rows == 0 {
            return Ok(None);
        }
        let mut batch = outer.project(&self.carry).repeat_row(0, rows);
        for (register, column) in self.out.iter().zip(columns) {
            batch.set_column(*register, Column::from_values(column));
        }
        self.state = State::Reading { outer, last };
        Ok(Some(batch))
    }

    fn restart(&mut self, outer: Batch) {
        self.state = State::Start;
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
