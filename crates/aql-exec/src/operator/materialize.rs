//! Late materialization: fetches the documents for the keys of earlier scans, one step a batch.

use super::Operator;
use super::document_source::{FoundDocuments, Source};
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use aql_value::{Batch, Column, Register, Value};
use errors::Result;

pub(crate) struct MaterializeOperator {
    input: Box<dyn Operator>,
    key: Register,
    /// The source, which sets the registers of documents and has no filter.
    source: Source,
    /// Bytes of the documents fetched last, which limit the next request.
    document_bytes: usize,
}

/// Fewest documents of one step, however large documents have been so far.
const FEWEST_FETCHED: usize = 16;

/// Returns the number of documents to fetch in one step, based on the size of earlier ones.
pub(super) fn documents_wanted(limits: BatchLimits, document_bytes: usize) -> usize {
    match limits.bytes.checked_div(document_bytes) {
        Some(fitting) => limits.rows.min(fitting.max(FEWEST_FETCHED.min(limits.rows))),
        None => limits.rows,
    }
}

impl MaterializeOperator {
    pub(crate) fn new(input: Box<dyn Operator>, key: Register, source: Source) -> Self {
        Self { input, key, source, document_bytes: 0 }
    }
}

impl Operator for MaterializeOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        let limits = limits.of_rows(documents_wanted(limits, self.document_bytes));
        let Some(mut batch) = self.input.next_batch(context, limits)? else { return Ok(None) };
        context.interrupt.check()?;
        let rows: Vec<usize> = batch.selected().collect();
        let keys: Vec<Value> = rows.iter().map(|row| batch.value(self.key, *row)).collect();
        let keys: Vec<&str> = keys.iter().map(|key| key.as_str().unwrap_or_default()).collect();
        let snapshot = context.data.snapshot(false);
        let found = snapshot.get(&self.source.collection, &keys)?;
        self.document_bytes = found.block.bytes.len().checked_div(keys.len()).unwrap_or(0);
        context.statistics.document_lookups += found.offsets.iter().flatten().count() as u64;
        let mut documents = vec![Value::Null; batch.rows()];
        for (row, offset) in rows.iter().zip(&found.offsets) {
            if let (Some(document), Some(offset)) = (documents.get_mut(*row), offset) {
                *document = Value::in_block(&found.block, *offset);
            }
        }
        self.source.project_documents(&mut batch, &FoundDocuments::Values(Column::from_values(documents)));
        Ok(Some(batch))
    }

    fn restart(&mut self, outer: Batch) {
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
