//! One column of a batch: the values of one register for all rows.

use std::sync::Arc;

use crate::value::Value;

/// The values of one register, by physical row. Cloning is cheap: values are shared.
#[derive(Debug, Clone)]
pub enum Column {
    /// The same value in every row.
    Constant(Value),
    /// One value a row.
    Values(Arc<Vec<Value>>),
    /// Row `i` has `values[rows[i]]`: another column's rows, selected or repeated without a copy.
    Gather {
        /// The values of the other column.
        values: Arc<Vec<Value>>,
        /// The position in `values` for each row.
        rows: Arc<[u32]>,
    },
}

static NULL: Value = Value::Null;

impl Column {
    /// Returns a column with one value for each row.
    pub fn from_values(values: Vec<Value>) -> Self {
        Self::Values(Arc::new(values))
    }

    /// Returns the value of a row; null for a row that the column does not have.
    pub fn get(&self, row: usize) -> &Value {
        match self {
            Self::Constant(value) => value,
            Self::Values(values) => values.get(row).unwrap_or(&NULL),
            Self::Gather { values, rows } => {
                rows.get(row).and_then(|&position| values.get(position as usize)).unwrap_or(&NULL)
            }
        }
    }

    /// Returns the value if the column is constant.
    pub fn as_constant(&self) -> Option<&Value> {
        match self {
            Self::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the number of rows; `None` for a constant column, which has any number of them.
    pub fn rows(&self) -> Option<usize> {
        match self {
            Self::Constant(_) => None,
            Self::Values(values) => Some(values.len()),
            Self::Gather { rows, .. } => Some(rows.len()),
        }
    }

    /// Returns the column whose row `i` is this column's row `rows[i]`. Copies no value.
    pub fn gather(&self, rows: &Arc<[u32]>) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(value.clone()),
            Self::Values(values) => Self::Gather { values: Arc::clone(values), rows: Arc::clone(rows) },
            Self::Gather { values, rows: own } => {
                let composed =
                    rows.iter().map(|&row| own.get(row as usize).copied().unwrap_or(u32::MAX)).collect();
                Self::Gather { values: Arc::clone(values), rows: composed }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(list: &[i64]) -> Column {
        Column::from_values(list.iter().map(|&n| Value::Int(n)).collect())
    }

    fn taken(column: &Column, rows: usize) -> Vec<Option<i64>> {
        (0..rows).map(|row| column.get(row).as_i64()).collect()
    }

    #[test]
    fn gathers_compose() {
        let first = numbers(&[10, 11, 12, 13]).gather(&Arc::from([3, 1, 1]));
        assert_eq!(taken(&first, 3), [Some(13), Some(11), Some(11)]);
        let second = first.gather(&Arc::from([2, 0]));
        assert_eq!(taken(&second, 2), [Some(11), Some(13)]);
        assert_eq!(taken(&Column::Constant(Value::Int(1)).gather(&Arc::from([9])), 1), [Some(1)]);
    }

    #[test]
    fn a_missing_row_is_null() {
        assert!(numbers(&[1]).get(1).is_null());
        assert!(numbers(&[1]).gather(&Arc::from([5])).get(0).is_null());
        assert!(numbers(&[1]).gather(&Arc::from([5])).gather(&Arc::from([0, 7])).get(1).is_null());
    }
}
