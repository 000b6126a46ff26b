//! UPDATE and REPLACE.

use aql_value::{Batch, Register};
use errors::Result;
use storage::{Transaction, WriteOptions, WriteOutcome, document_key};
use velocypack::Slice;

use super::{WriteTarget, Writer, prefetch, with_value};

pub(crate) struct UpdateWriter {
    /// Register of the patch or the new document.
    pub(crate) input: Register,
    /// Register of the document's name; `None` if the input names it.
    pub(crate) key: Option<Register>,
    /// True for REPLACE.
    pub(crate) replace: bool,
}

impl Writer for UpdateWriter {
    fn write(
        &self,
        batch: &Batch,
        target: &WriteTarget,
        transaction: &mut Transaction,
    ) -> Result<Vec<Result<WriteOutcome>>> {
        prefetch(batch, self.key.unwrap_or(self.input), Some(self.input), target, transaction)?;
        let mut write = |row| {
            with_value(batch, self.input, row, |body| match self.key {
                None => self.write_one(body, body, target, &target.options, transaction),
                Some(register) => with_value(batch, register, row, |selector| {
                    let options = options_for(selector, &target.options);
                    self.write_one(selector, body, target, &options, transaction)
                }),
            })
        };
        Ok((0..batch.rows()).map(&mut write).collect())
    }
}

impl UpdateWriter {
    fn write_one(
        &self,
        selector: Slice<'_>,
        body: Slice<'_>,
        target: &WriteTarget,
        options: &WriteOptions,
        transaction: &mut Transaction,
    ) -> Result<WriteOutcome> {
        let key = document_key(selector, target.collection.name())?;
        replace_or_update(self.replace, key, body, target, options, transaction)
    }
}

/// Returns the options. If the name is separate from the new content, its revision counts.
fn options_for(selector: Slice<'_>, options: &WriteOptions) -> WriteOptions {
    if options.ignore_revs {
        return options.clone();
    }
    let revision = selector.get("_rev").and_then(Slice::as_str).map(str::to_owned);
    WriteOptions { ignore_revs: true, if_match: revision, ..options.clone() }
}

/// Overwrites an existing document.
pub(super) fn replace_or_update(
    replace: bool,
    key: &str,
    body: Slice<'_>,
    target: &WriteTarget,
    options: &WriteOptions,
    transaction: &mut Transaction,
) -> Result<WriteOutcome> {
    if replace {
        transaction.replace(&target.collection, key, body, options)
    } else {
        transaction.update(&target.collection, key, body, options)
    }
}
