//! INSERT, UPDATE, REPLACE, REMOVE, UPSERT: one write for each row.

mod insert;
mod remove;
mod update;
mod upsert;

use std::sync::Arc;

use aql_value::{Batch, Column, Register, Value};
use errors::{Error, Result};
use storage::{Collection, StoredDocument, Transaction, WriteKind, WriteOptions, WriteOutcome, document_key};
use velocypack::Slice;

use super::Operator;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

pub(crate) use insert::InsertWriter;
pub(crate) use remove::RemoveWriter;
pub(crate) use update::UpdateWriter;
pub(crate) use upsert::UpsertWriter;

/// The target and the options of writes.
pub(crate) struct WriteTarget {
    pub(crate) collection: Arc<Collection>,
    pub(crate) options: WriteOptions,
    /// True if failed writes are counted instead of ending the query.
    pub(crate) ignore_errors: bool,
    /// Register of the document before the write.
    pub(crate) out_old: Option<Register>,
    /// Register of the document after the write.
    pub(crate) out_new: Option<Register>,
}

/// The writes of one kind of statement.
pub(crate) trait Writer: Send {
    /// Writes each row of a batch, which has no selection. Returns one outcome for each, in order.
    fn write(
        &self,
        batch: &Batch,
        target: &WriteTarget,
        transaction: &mut Transaction,
    ) -> Result<Vec<Result<WriteOutcome>>>;
}

pub(crate) struct ModificationOperator {
    input: Box<dyn Operator>,
    writer: Box<dyn Writer>,
    target: WriteTarget,
    /// True if rows are pulled one at a time, because a row's lookup depends on the writes of
    /// earlier rows.
    one_by_one: bool,
}

impl ModificationOperator {
    pub(crate) fn new(
        input: Box<dyn Operator>,
        writer: Box<dyn Writer>,
        target: WriteTarget,
        one_by_one: bool,
    ) -> Self {
        Self { input, writer, target, one_by_one }
    }

    /// Writes the rows of a batch, keeps those without an error, and commits if a commit is due.
    fn write(&self, batch: &mut Batch, context: &mut ExecutionContext) -> Result<()> {
        let transaction = context.data.transaction()?;
        let outcomes = self.writer.write(batch, &self.target, transaction)?;
        let mut written = Vec::with_capacity(outcomes.len());
        let mut executed = 0;
        let (mut old, mut new) = (vec![Value::Null; batch.rows()], vec![Value::Null; batch.rows()]);
        for (row, outcome) in outcomes.into_iter().enumerate() {
            match outcome {
                Ok(outcome) => {
                    if self.is_ignored(&outcome) {
                        context.statistics.writes_ignored += 1;
                    } else {
                        executed += 1;
                        set(&mut new, row, outcome.new);
                    }
                    set(&mut old, row, outcome.old);
                    written.push(row as u32);
                }
                Err(error) if self.target.ignore_errors && error.code().concerns_document() => {
                    context.statistics.writes_ignored += 1;
                }
                Err(error) => return Err(in_query(error)),
            }
        }
        if let Some(register) = self.target.out_old {
            batch.set_column(register, Column::from_values(old));
        }
        if let Some(register) = self.target.out_new {
            batch.set_column(register, Column::from_values(new));
        }
        batch.select(written.into());
        context.note_writes(executed)
    }

    /// Returns true for an insert that found its document and has to leave it.
    fn is_ignored(&self, outcome: &WriteOutcome) -> bool {
        outcome.kind == WriteKind::Unchanged
            && self.target.options.overwrite_mode == storage::OverwriteMode::Ignore
    }
}

/// Sets the status of a revision mismatch to that of a plain conflict.
///
/// A query names revisions in its text and not in a header.
fn in_query(error: Error) -> Error {
    let status = error.code().status();
    error.with_status(status)
}

fn set(values: &mut [Value], row: usize, document: Option<StoredDocument>) {
    if let (Some(value), Some(document)) = (values.get_mut(row), document) {
        *value = Value::in_block(&document.block, document.offset);
    }
}

/// Looks up the documents that a register names in one batch, before they are written one by one
/// from the bodies or patches of another one, where each lookup would wait for a message.
fn prefetch(
    batch: &Batch,
    names: Register,
    bodies: Option<Register>,
    target: &WriteTarget,
    transaction: &mut Transaction,
) -> Result<()> {
    if batch.rows() < 2 || !transaction.waits_for_messages() {
        return Ok(());
    }
    let collection = target.collection.name();
    // The write itself reports a value that names no document.
    let key = |row| with_value(batch, names, row, |name| document_key(name, collection).map(str::to_owned));
    let keys: Vec<(usize, String)> =
        (0..batch.rows()).filter_map(|row| Some((row, key(row).ok()?))).collect();
    let bodies = bodies.and_then(|bodies| batch.column(bodies));
    let body = |row| match bodies.and_then(|column| column.get(row).as_packed()) {
        Some((block, offset)) => block.slice(offset as usize),
        None => Slice::NONE,
    };
    let documents: Vec<_> = keys.iter().map(|(row, key)| (key.as_str(), body(*row))).collect();
    transaction.prefetch(&target.collection, &documents)
}

/// Calls `visit` with the value of a register in a row as VelocyPack.
fn with_value<T>(batch: &Batch, register: Register, row: usize, visit: impl FnOnce(Slice<'_>) -> T) -> T {
    match batch.column(register) {
        Some(column) => column.get(row).with_slice(|slice, _| visit(slice)),
        None => visit(Slice::NULL),
    }
}

impl Operator for ModificationOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        loop {
            let wanted = match self.one_by_one {
                true => BatchLimits { rows: 1, read_ahead: false, ..limits },
                // A commit that is due by the number of operations must come after exactly that
                // number.
                false => limits.of_rows(limits.rows.min(context.commits.operations_left())),
            };
            let Some(batch) = self.input.next_batch(context, wanted)? else { return Ok(None) };
            context.interrupt.check()?;
            if self.one_by_one && batch.selected_len() > 1 {
                return Err(Error::internal("an operator answered more rows than it was asked for"));
            }
            let mut batch = batch.compact();
            self.write(&mut batch, context)?;
            if !batch.is_empty() {
                return Ok(Some(batch));
            }
        }
    }

    fn restart(&mut self, outer: Batch) {
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
