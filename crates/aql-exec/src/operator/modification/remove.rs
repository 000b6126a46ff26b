//! REMOVE.

use aql_value::{Batch, Register};
use errors::Result;
use storage::{Transaction, WriteOutcome, document_key};

use super::{WriteTarget, Writer, prefetch, with_value};

pub(crate) struct RemoveWriter {
    /// Register of the document's name: a key, an identifier, or an object with `_key` or `_id`.
    pub(crate) input: Register,
}

impl Writer for RemoveWriter {
    fn write(
        &self,
        batch: &Batch,
        target: &WriteTarget,
        transaction: &mut Transaction,
    ) -> Result<Vec<Result<WriteOutcome>>> {
        prefetch(batch, self.input, None, target, transaction)?;
        let mut remove = |row| {
            with_value(batch, self.input, row, |selector| {
                let key = document_key(selector, target.collection.name())?;
                transaction.remove(&target.collection, key, selector, &target.options)
            })
        };
        Ok((0..batch.rows()).map(&mut remove).collect())
    }
}
