//! Rows in flight between operators.

use std::sync::Arc;

use crate::column::Column;
use crate::value::Value;

/// The position of a variable's column in a batch.
pub type Register = usize;

/// A batch of rows: columns by register over `rows` physical rows, some of which are selected.
///
/// Filters narrow the selection instead of moving values; [`Batch::compact`] makes a sparse batch
/// dense again.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    rows: usize,
    columns: Vec<Option<Column>>,
    selection: Option<Arc<[u32]>>,
}

impl Batch {
    /// Returns a batch of `rows` rows without columns, all selected.
    ///
    /// A batch has at most `u32::MAX` rows.
    pub fn new(rows: usize) -> Self {
        Self { rows: rows.min(u32::MAX as usize), columns: Vec::new(), selection: None }
    }

    /// Returns one row without columns, the input of a query's first operator.
    pub fn single_row() -> Self {
        Self::new(1)
    }

    /// Returns the number of physical rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of selected rows.
    pub fn selected_len(&self) -> usize {
        self.selection.as_ref().map_or(self.rows, |selection| selection.len())
    }

    /// Returns true if no row is selected.
    pub fn is_empty(&self) -> bool {
        self.selected_len() == 0
    }

    /// Returns the selected rows, ascending; `None` means all.
    pub fn selection(&self) -> Option<&Arc<[u32]>> {
        self.selection.as_ref()
    }

    /// Returns the selected rows, ascending.
    pub fn selected(&self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + Clone + '_ {
        let selection = self.selection.as_deref();
        (0..self.selected_len()).map(move |position| match selection {
            Some(rows) => rows.get(position).copied().unwrap_or(0) as usize,
            None => position,
        })
    }

    /// Narrows the selection to the given physical rows, which are ascending and were selected
    /// before.
    pub fn select(&mut self, rows: Arc<[u32]>) {
        debug_assert!(rows.is_sorted_by(|left, right| left < right), "selected rows do not ascend");
        debug_assert!(
            rows.last().is_none_or(|last| (*last as usize) < self.rows),
            "row {:?} is selected of {} rows",
            rows.last(),
            self.rows
        );
        self.selection = (rows.len() != self.rows).then_some(rows);
    }

    /// Returns the column of a register, if it is set.
    pub fn column(&self, register: Register) -> Option<&Column> {
        self.columns.get(register).and_then(Option::as_ref)
    }

    /// Returns the value of a register in a physical row; null if the register is not set.
    pub fn value(&self, register: Register, row: usize) -> Value {
        self.column(register).map_or(Value::Null, |column| column.get(row).clone())
    }

    /// Sets a register. The column has a value for each physical row.
    pub fn set_column(&mut self, register: Register, column: Column) {
        debug_assert!(
            column.rows().is_none_or(|rows| rows == self.rows),
            "a column of {:?} rows is set in a batch of {} rows",
            column.rows(),
            self.rows
        );
        if self.columns.len() <= register {
            self.columns.resize(register + 1, None);
        }
        if let Some(slot) = self.columns.get_mut(register) {
            *slot = Some(column);
        }
    }

    /// Unsets a register whose variable has no further use, so that its values can be freed.
    pub fn clear_column(&mut self, register: Register) {
        if let Some(slot) = self.columns.get_mut(register) {
            *slot = None;
        }
    }

    /// Returns all set registers with their columns.
    pub fn columns(&self) -> impl Iterator<Item = (Register, &Column)> {
        self.columns.iter().enumerate().filter_map(|(register, column)| Some((register, column.as_ref()?)))
    }

    /// Returns a batch whose row `i` is this batch's physical row `rows[i]`, without copying
    /// values.
    ///
    /// It repeats an outer row for its inner ones, or picks some rows.
    pub fn gather(&self, rows: &Arc<[u32]>) -> Self {
        let columns =
            self.columns.iter().map(|column| column.as_ref().map(|column| column.gather(rows))).collect();
        Self { rows: rows.len(), columns, selection: None }
    }

    /// Returns a batch of `count` rows that all equal the physical row `row`, with constant
    /// columns.
    pub fn repeat_row(&self, row: usize, count: usize) -> Self {
        let columns = self
            .columns
            .iter()
            .map(|column| column.as_ref().map(|column| Column::Constant(column.get(row).clone())))
            .collect();
        Self { rows: count.min(u32::MAX as usize), columns, selection: None }
    }

    /// Returns the same rows with only the given registers, for operators that keep or multiply
    /// rows.
    pub fn project(&self, registers: &[Register]) -> Self {
        let mut columns = vec![None; registers.iter().max().map_or(0, |last| last + 1)];
        for &register in registers {
            if let Some(slot) = columns.get_mut(register) {
                *slot = self.column(register).cloned();
            }
        }
        Self { rows: self.rows, columns, selection: self.selection.clone() }
    }

    /// Returns the selected rows as a batch without a selection.
    pub fn compact(self) -> Self {
        match &self.selection {
            None => self,
            Some(selection) => self.gather(selection),
        }
    }

    /// Keeps at most `count` of the selected rows, from `offset` on.
    pub fn slice(&mut self, offset: usize, count: usize) {
        if offset == 0 && count >= self.selected_len() {
            return;
        }
        let rows: Arc<[u32]> = self.selected().skip(offset).take(count).map(|row| row as u32).collect();
        self.select(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch() -> Batch {
        let mut batch = Batch::new(4);
        batch.set_column(2, Column::from_values((0..4).map(|n| Value::Int(n * 10)).collect()));
        batch.set_column(0, Column::Constant(Value::Bool(true)));
        batch
    }

    fn taken(batch: &Batch) -> Vec<Option<i64>> {
        batch.selected().map(|row| batch.value(2, row).as_i64()).collect()
    }

    #[test]
    fn select_slice_compact() {
        let mut batch = batch();
        batch.select(Arc::from([1, 2, 3]));
        batch.slice(1, 5);
        assert_eq!(taken(&batch), [Some(20), Some(30)]);
        let compact = batch.compact();
        assert_eq!((compact.rows(), compact.selection().is_none()), (2, true));
        assert_eq!(taken(&compact), [Some(20), Some(30)]);
        assert!(compact.value(0, 1).is_truthy());
    }

    #[test]
    fn repeats_one_row_with_constants() {
        let repeated = batch().repeat_row(3, 1000);
        assert_eq!(repeated.selected_len(), 1000);
        assert!(repeated.column(2).unwrap().as_constant().is_some());
        assert_eq!(repeated.value(2, 999).as_i64(), Some(30));
    }

    #[test]
    fn a_projection_keeps_rows_and_selection() {
        let mut batch = batch();
        batch.select(Arc::from([1, 3]));
        let projected = batch.project(&[2]);
        assert_eq!(taken(&projected), [Some(10), Some(30)]);
        assert!(projected.column(0).is_none() && batch.project(&[]).selected_len() == 2);
    }

    #[test]
    fn an_unset_register_is_null() {
        let mut batch = batch();
        assert!(batch.value(1, 0).is_null() && batch.value(77, 0).is_null());
        batch.clear_column(2);
        assert!(batch.value(2, 0).is_null());
    }
}
