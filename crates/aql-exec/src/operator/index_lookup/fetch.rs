//! Rows from index entries: filters, fetches documents in one step, projects.

use aql_value::{Batch, Column, Value};
use errors::Result;

use super::entries::EntryBatch;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::operator::document_source::{FoundDocuments, Source};
use crate::operator::materialize::{documents_wanted, fetch_into};

/// A producer of rows from entries.
pub(crate) struct Fetch {
    pub(super) source: Source,
    /// True if keys are given rather than found in an index. The fetch of documents then shows
    /// whether they exist.
    looks_keys_up: bool,
    /// Average bytes of a document in the last fetch. The next one asks for fewer documents if they
    /// are large.
    document_bytes: usize,
}

impl Fetch {
    pub(crate) fn new(source: Source, looks_keys_up: bool) -> Self {
        Self { source, looks_keys_up, document_bytes: 0 }
    }

    /// Returns true if incoming rows get the number of their documents instead of the documents.
    pub(crate) fn counts(&self) -> bool {
        self.source.count_into.is_some()
    }

    /// Returns how many entries to collect in one step. `is_last` means that they are for one
    /// incoming row only.
    pub(super) fn entries_wanted(&self, limits: BatchLimits, is_last: bool) -> usize {
        let wanted = match self.source.wants_documents() {
            true => documents_wanted(limits, self.document_bytes),
            false => limits.rows,
        };
        match self.source.limit {
            Some(limit) if self.source.filter.is_none() && is_last => {
                wanted.min(usize::try_from(limit).unwrap_or(usize::MAX).max(1))
            }
            _ => wanted,
        }
    }

    /// Narrows the batch, whose rows have the given entries, to the rows whose documents exist and
    /// pass the filter. Returns the documents, if they were needed.
    pub(super) fn select(
        &mut self,
        entries: &mut EntryBatch,
        batch: &mut Batch,
        context: &mut ExecutionContext,
    ) -> Result<FoundDocuments<'static>> {
        self.source.filter_entries(entries, batch, context)?;
        let mut documents = FoundDocuments::Values(Column::Constant(Value::Null));
        if self.source.wants_documents() {
            documents = self.fetch(entries, batch, context)?;
        } else if self.looks_keys_up {
            self.keep_existing(entries, batch, context)?;
        }
        if self.source.filters_documents() {
            self.source.filter_documents(batch, &documents, context)?;
        }
        Ok(documents)
    }

    /// Sets the registers of the source.
    pub(super) fn project(&self, entries: &EntryBatch, documents: &FoundDocuments<'_>, batch: &mut Batch) {
        if !self.source.project_entries(entries, batch) {
            self.source.project_documents(batch, documents);
        }
    }

    /// Fetches the documents of the selected entries, in one step, and drops entries without a
    /// document.
    fn fetch(
        &mut self,
        entries: &mut EntryBatch,
        batch: &mut Batch,
        context: &mut ExecutionContext,
    ) -> Result<FoundDocuments<'static>> {
        let mut documents = entries.take_documents();
        let missing: Vec<usize> =
            batch.selected().filter(|row| documents.get(*row).is_some_and(Value::is_null)).collect();
        if !missing.is_empty() {
            let keys: Vec<&str> = missing.iter().map(|row| entries.key(*row)).collect();
            let snapshot = context.data.snapshot(self.source.read_own_writes);
            let collection = &self.source.collection;
            let found = fetch_into(&mut documents, &missing, &keys, collection, &snapshot, context)?;
            self.document_bytes = found.bytes / keys.len();
            context.statistics.document_lookups += found.documents as u64;
            self.count_found(found.documents, context);
            let present =
                batch.selected().filter(|row| documents.get(*row).is_some_and(|found| !found.is_null()));
            let present = present.map(|row| row as u32).collect();
            batch.select(present);
        }
        Ok(FoundDocuments::Values(Column::from_values(documents)))
    }

    /// Reads the documents of entries, or whether they exist, as far as rows will need that.
    pub(super) fn make_reads(&self, entries: &EntryBatch, context: &mut ExecutionContext) -> Result<()> {
        let keys: Vec<&str> = (0..entries.len()).map(|row| entries.key(row)).collect();
        if keys.is_empty() || !(self.source.wants_documents() || self.looks_keys_up) {
            return Ok(());
        }
        let snapshot = context.data.snapshot(self.source.read_own_writes);
        let mut done = 0;
        while let Some(rest) = keys.get(done..).filter(|rest| !rest.is_empty()) {
            done += snapshot.get(&self.source.collection, rest)?.len().max(1);
        }
        Ok(())
    }

    fn count_found(&self, documents: usize, context: &mut ExecutionContext) {
        if self.looks_keys_up {
            context.statistics.scanned_index += documents as u64;
        }
    }

    /// Drops entries whose documents do not exist, without reading the documents.
    fn keep_existing(
        &self,
        entries: &mut EntryBatch,
        batch: &mut Batch,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let documents = entries.take_documents();
        let is_missing = |row: &usize| documents.get(*row).is_some_and(Value::is_null);
        let keys: Vec<&str> = batch.selected().filter(is_missing).map(|row| entries.key(row)).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let snapshot = context.data.snapshot(self.source.read_own_writes);
        let found = snapshot.contains(&self.source.collection, &keys);
        let found = found?;
        self.count_found(found.iter().filter(|exists| **exists).count(), context);
        let mut found = found.into_iter();
        let present = batch
            .selected()
            .filter(|row| !is_missing(row) || found.next().unwrap_or(false))
            .map(|row| row as u32);
        let present = present.collect();
        batch.select(present);
        Ok(())
    }
}
