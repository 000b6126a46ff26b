//! Rows kept beyond their batch.

use aql_value::{Batch, Column, Register, Value};

/// Copies the selected rows of a batch with some registers, without other data that the batch
/// keeps.
///
/// Also returns an estimate of the bytes that they take.
pub(super) fn retain(batch: &Batch, registers: &[Register]) -> (Batch, u64) {
    let is_sparse = batch.selected_len() * 2 < batch.rows();
    let mut retained = Batch::new(batch.selected_len());
    let mut bytes = 0;
    for &register in registers {
        let Some(column) = batch.column(register) else { continue };
        let (column, column_bytes) = retain_column(column, batch, is_sparse);
        bytes += column_bytes;
        retained.set_column(register, column);
    }
    (retained, bytes as u64)
}

fn retain_column(column: &Column, batch: &Batch, is_sparse: bool) -> (Column, usize) {
    let value_bytes = |value: &Value| size_of::<Value>() + value.memory_bytes();
    match column {
        Column::Constant(value) => (column.clone(), value_bytes(value)),
        // A few rows repeated many times stay so.
        Column::Gather { values, rows } if values.len() * 2 <= batch.selected_len() => {
            let bytes = values.iter().map(value_bytes).sum::<usize>() + rows.len() * size_of::<u32>();
            let column = match batch.selection() {
                Some(selection) => column.gather(selection),
                None => column.clone(),
            };
            (column, bytes)
        }
        _ => {
            let keep = |row| if is_sparse { column.get(row).detached() } else { column.get(row).clone() };
            let values: Vec<Value> = batch.selected().map(keep).collect();
            let bytes = values.iter().map(value_bytes).sum();
            (Column::from_values(values), bytes)
        }
    }
}
