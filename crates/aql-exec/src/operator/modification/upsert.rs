//! UPSERT: the nodes before it have looked up the document.

use aql_value::{Batch, Register};
use errors::Result;
use storage::{Transaction, WriteOutcome, document_key};

use super::update::replace_or_update;
use super::{WriteTarget, Writer, prefetch, with_value};

pub(crate) struct UpsertWriter {
    /// Register of the document found, or null.
    pub(crate) found: Register,
    /// Register of the document to insert if none was found.
    pub(crate) insert: Register,
    /// Register of the patch or the new document for the document found.
    pub(crate) update: Register,
    /// True if the new document replaces the document found.
    pub(crate) replace: bool,
}

impl Writer for UpsertWriter {
    fn write(
        &self,
        batch: &Batch,
        target: &WriteTarget,
        transaction: &mut Transaction,
    ) -> Result<Vec<Result<WriteOutcome>>> {
        prefetch(batch, self.found, Some(self.update), target, transaction)?;
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
