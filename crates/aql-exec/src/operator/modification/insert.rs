//! INSERT.

use aql_value::{Batch, Register};
use errors::Result;
use storage::{Transaction, WriteOutcome};
use velocypack::Slice;

use super::{WriteTarget, Writer};

pub(crate) struct InsertWriter {
    /// Register of the document.
    pub(crate) input: Register,
}

impl Writer for InsertWriter {
    fn write(
        &self,
        batch: &Batch,
        target: &WriteTarget,
        transaction: &mut Transaction,
    ) -> Result<Vec<Result<WriteOutcome>>> {
        // Storage refuses each value that is not an object; its content does not matter.
        let body = |row| match batch.column(self.input).and_then(|column| column.get(row).as_packed()) {
            Some((block, offset)) => block.slice(offset as usize),
            None => Slice::NULL,
        };
        let bodies: Vec<Slice<'_>> = (0..batch.rows()).map(body).collect();
        transaction.insert_many(&target.collection, &bodies, &target.options)
    }
}
