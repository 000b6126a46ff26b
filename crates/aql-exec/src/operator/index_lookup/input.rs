//! The incoming rows of a lookup, and the ranges to look up for them.

use std::sync::Arc;

use aql_value::Interrupt;
use errors::Result;
use storage::{Index, IndexRange};

use super::range::{RangeColumns, RangePrograms};
use crate::context::ExecutionContext;
use crate::operator::outer_rows::OuterRows;

/// The current batch of incoming rows.
pub(crate) struct LookupInput {
    pub(super) outer: OuterRows,
    ranges: Vec<RangePrograms>,
    /// The ranges' values for the current batch.
    columns: Vec<RangeColumns>,
}

impl LookupInput {
    pub(super) fn new(outer: OuterRows, ranges: Vec<RangePrograms>) -> Self {
        Self { outer, ranges, columns: Vec::new() }
    }

    /// Evaluates the ranges for a new batch.
    pub(super) fn evaluate(&mut self, context: &mut ExecutionContext) -> Result<()> {
        self.columns.clear();
        if let Some(batch) = self.outer.batch() {
            for range in &self.ranges {
                self.columns.push(range.evaluate(batch, context)?);
            }
        }
        Ok(())
    }

    /// Drops the current batch.
    pub(super) fn clear(&mut self) {
        self.columns.clear();
    }

    /// Returns the values of the first range.
    pub(super) fn first_columns(&self) -> Option<&RangeColumns> {
        self.columns.first()
    }

    /// Returns each range for the current row, with its index; `None` for a range that can find
    /// nothing.
    pub(super) fn ranges<'a>(
        &'a self,
        interrupt: &'a Interrupt,
    ) -> impl Iterator<Item = Result<(&'a Arc<Index>, Option<IndexRange>)>> {
        self.ranges_of(self.outer.row(), interrupt)
    }

    /// Returns the same for any row of the current batch.
    pub(super) fn ranges_of<'a>(
        &'a self,
        row: usize,
        interrupt: &'a Interrupt,
    ) -> impl Iterator<Item = Result<(&'a Arc<Index>, Option<IndexRange>)>> {
        let ranges = self.ranges.iter().zip(&self.columns);
        ranges.map(move |(range, columns)| Ok((&range.index, range.for_row(columns, row, interrupt)?)))
    }
}
