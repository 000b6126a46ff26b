//! Late materialization: fetches the documents for the keys of earlier scans, one step a batch.

use std::sync::Arc;

use aql_value::{Batch, Column, Register, Value};
use errors::Result;
use storage::{Collection, Snapshot};

use super::Operator;
use super::document_source::{FoundDocuments, Source};
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

pub(crate) struct MaterializeOperator {
    input: Box<dyn Operator>,
    /// The register of keys, or of identifiers if there are several collections.
    key: Register,
    /// Further collections.
    others: Vec<Arc<Collection>>,
    /// The source, which sets the registers of documents and has no filter.
    source: Source,
    /// Bytes of the documents fetched last, which limit the next request.
    document_bytes: usize,
}

/// Minimum number of documents of one step, however large documents have been so far.
const FEWEST_FETCHED: usize = 16;

/// Returns the number of documents to fetch in one step, based on the size of earlier ones.
pub(super) fn documents_wanted(limits: BatchLimits, document_bytes: usize) -> usize {
    match limits.bytes.checked_div(document_bytes) {
        Some(fitting) => limits.rows.min(fitting.max(FEWEST_FETCHED.min(limits.rows))),
        None => limits.rows,
    }
}

/// The documents that a fetch has found.
#[derive(Default)]
pub(super) struct Fetched {
    pub(super) documents: usize,
    pub(super) bytes: usize,
}

/// Fetches documents by key and puts each into its row.
///
/// Documents are read in steps and charged to the query's memory until all are there. A step of
/// long documents after short ones then ends with error 32 and does not exhaust the server's
/// memory.
pub(super) fn fetch_into(
    documents: &mut [Value],
    rows: &[usize],
    keys: &[&str],
    collection: &Collection,
    snapshot: &Snapshot,
    context: &ExecutionContext,
) -> Result<Fetched> {
    let mut fetched = Fetched::default();
    let mut memory = context.new_charge();
    let mut rows = rows.iter();
    snapshot.get_all(collection, keys, |found| {
        memory.grow(found.block.bytes.len() as u64)?;
        fetched.bytes += found.block.bytes.len();
        for (offset, row) in found.offsets.iter().zip(rows.by_ref()) {
            if let (Some(document), Some(offset)) = (documents.get_mut(*row), offset) {
                *document = Value::in_block(&found.block, *offset);
                fetched.documents += 1;
            }
        }
        Ok(())
    })?;
    Ok(fetched)
}

impl MaterializeOperator {
    pub(crate) fn new(
        input: Box<dyn Operator>,
        key: Register,
        others: Vec<Arc<Collection>>,
        source: Source,
    ) -> Self {
        Self { input, key, others, source, document_bytes: 0 }
    }

    /// Puts the documents with these identifiers into their rows.
    fn fetch_by_id(
        &self,
        documents: &mut [Value],
        rows: &[usize],
        ids: &[&str],
        snapshot: &Snapshot,
        context: &ExecutionContext,
    ) -> Result<Fetched> {
        let mut all = Fetched::default();
        for collection in std::iter::once(&self.source.collection).chain(&self.others) {
            let (mut own_rows, mut keys) = (Vec::new(), Vec::new());
            for (row, id) in rows.iter().zip(ids) {
                if let Some((name, key)) = id.split_once('/')
                    && name == collection.name()
                {
                    own_rows.push(*row);
                    keys.push(key);
                }
            }
            let found = fetch_into(documents, &own_rows, &keys, collection, snapshot, context)?;
            all.documents += found.documents;
            all.bytes += found.bytes;
        }
        Ok(all)
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
        let mut documents = vec![Value::Null; batch.rows()];
        let found = match self.others.is_empty() {
            true => fetch_into(&mut documents, &rows, &keys, &self.source.collection, &snapshot, context)?,
            false => self.fetch_by_id(&mut documents, &rows, &keys, &snapshot, context)?,
        };
        self.document_bytes = found.bytes.checked_div(keys.len()).unwrap_or(0);
        context.statistics.document_lookups += found.documents as u64;
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
