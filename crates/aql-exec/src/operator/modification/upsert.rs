//! UPSERT: the nodes before it have looked the document up.

use super::update::replace_or_update;
use super::{WriteTarget, Writer, with_value};
use aql_value::{Batch, Register, Result};
use storage::{Transaction, WriteOutcome, document_key};

pub(crate) struct UpsertWriter {
    /// The document found, or null.
    pub(crate) found: Register,
    /// The document to insert if none was found.
    pub(crate) insert: Register,
    /// The patch or the new document for what was found.
    pub(crate) update: Register,
    /// Replaces what was found.
    pub(crate) replace: bool,
}

impl Writer for UpsertWriter {
    fn write(
        &self,
        batch: &Batch,
        target: &WriteTarget,
        transaction: &mut Transaction,
    ) -> Result<Vec<Result<WriteOutcome>>> {
        let mut write = |row| {
            with_value(batch, self.found, row, |found| {
                if found.is_null() {
                    return with_value(batch, self.insert, row, |body| {
                        transaction.insert(&target.collection, body, &target.options)
                    });
                }
                let key = document_key(found, target.collection.name())?;
                with_value(batch, self.update, row, |body| {
                    replace_or_update(self.replace, key, body, target, &target.options, transaction)
                })
            })
        };
        Ok((0..batch.rows()).map(&mut write).collect())
    }
}
