//! The rows of an evaluation.
//!
//! Inside an evaluation, columns are dense: lane `i` of each is the frame's `i`-th row. A register
//! is gathered when it is read, and the final result is spread back over the physical rows of the
//! batch. Neither moves a value.

use std::sync::Arc;

use crate::batch::{Batch, Register};
use crate::column::Column;
use crate::value::Value;

/// A batch and the physical row behind each lane.
pub(super) struct Frame<'b> {
    batch: &'b Batch,
    /// The physical rows by lane; `None` if lane and row are the same.
    rows: Option<Arc<[u32]>>,
    lanes: usize,
}

impl<'b> Frame<'b> {
    /// Returns the frame of the selected rows of a batch.
    pub(super) fn of_batch(batch: &'b Batch) -> Self {
        Self { batch, rows: batch.selection().cloned(), lanes: batch.selected_len() }
    }

    /// Returns the frame of one physical row of a batch.
    pub(super) fn of_row(batch: &'b Batch, row: usize) -> Self {
        let rows = (row != 0 || batch.rows() != 1).then(|| Arc::from([row as u32]));
        Self { batch, rows, lanes: 1 }
    }

    /// Returns the number of lanes.
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Returns a register's values by lane; null if the register is not set.
    pub(super) fn load(&self, register: Register) -> Column {
        match (self.batch.column(register), &self.rows) {
            (None, _) => Column::Constant(Value::Null),
            (Some(column), None) => column.clone(),
            // For a single row a constant is cheaper than a gather, and later instructions run
            // once.
            (Some(column), Some(rows)) if self.lanes == 1 => {
                Column::Constant(column.get(rows.first().copied().unwrap_or(0) as usize).clone())
            }
            (Some(column), Some(rows)) => column.gather(rows),
        }
    }

    /// Returns a frame of some of the frame's lanes.
    pub(super) fn narrow(&self, lanes: &Arc<[u32]>) -> Self {
        let rows = match &self.rows {
            None => Arc::clone(lanes),
            Some(rows) => lanes.iter().filter_map(|&lane| rows.get(lane as usize).copied()).collect(),
        };
        Self { batch: self.batch, lanes: rows.len(), rows: Some(rows) }
    }

    /// Converts a column by lane into a column by physical row.
    pub(super) fn spread(&self, column: Column) -> Column {
        let Some(rows) = &self.rows else { return column };
        let (values, positions) = match column {
            Column::Constant(_) => return column,
            Column::Values(values) => (values, None),
            Column::Gather { values, rows: positions } => (values, Some(positions)),
        };
        let mut spread = vec![u32::MAX; self.batch.rows()];
        for (lane, &row) in rows.iter().enumerate() {
            let position = match &positions {
                None => lane as u32,
                Some(positions) => positions.get(lane).copied().unwrap_or(u32::MAX),
            };
            if let Some(slot) = spread.get_mut(row as usize) {
                *slot = position;
            }
        }
        Column::Gather { values, rows: spread.into() }
    }

    /// Returns the physical rows whose lane is true in a column by lane.
    pub(super) fn rows_where(&self, column: &Column) -> Arc<[u32]> {
        if let Some(value) = column.as_constant() {
            return match (value.is_truthy(), &self.rows) {
                (false, _) => Arc::from([]),
                (true, Some(rows)) => Arc::clone(rows),
                (true, None) => (0..self.lanes as u32).collect(),
            };
        }
        let lanes = (0..self.lanes).filter(|&lane| column.get(lane).is_truthy());
        match &self.rows {
            None => lanes.map(|lane| lane as u32).collect(),
            Some(rows) => lanes.filter_map(|lane| rows.get(lane).copied()).collect(),
        }
    }
}
