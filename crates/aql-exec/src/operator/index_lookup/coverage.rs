//! Rows from the covered values of index entries, without their documents.

use aql_value::Batch;
use errors::Result;

use super::entries::EntryBatch;
use crate::context::ExecutionContext;
use crate::operator::document_source::{ProjectionProgram, Source};

impl Source {
    /// Returns true if covered values are needed.
    pub(in crate::operator) fn wants_covered(&self) -> bool {
        self.coverage.projections || self.coverage.filter
    }

    /// Returns true if the filter reads the document itself.
    pub(super) fn filters_documents(&self) -> bool {
        self.filter.is_some() && !self.coverage.filter
    }

    /// Returns true if documents must be fetched for entries that pass the covered filter.
    pub(super) fn wants_documents(&self) -> bool {
        (self.produces_result && !self.coverage.projections) || self.filters_documents()
    }

    /// Narrows the batch, whose rows have the given entries, to those that pass a covered filter.
    pub(in crate::operator) fn filter_entries(
        &self,
        entries: &EntryBatch,
        batch: &mut Batch,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let Some(filter) = self.filter.as_ref().filter(|_| self.coverage.filter) else { return Ok(()) };
        self.set_covered(&filter.projections, entries, batch);
        context.filter(&filter.program, batch)
    }

    /// Sets the registers of the projections. Returns false if they need documents.
    pub(in crate::operator) fn project_entries(&self, entries: &EntryBatch, batch: &mut Batch) -> bool {
        if self.coverage.projections && self.produces_result {
            self.set_covered(&self.projections, entries, batch);
        }
        self.coverage.projections
    }

    fn set_covered(&self, projections: &[ProjectionProgram], entries: &EntryBatch, batch: &mut Batch) {
        for projection in projections {
            if let Some(place) = projection.covered {
                let column = entries.project(projection, place, batch, &self.collection);
                batch.set_column(projection.out, column);
            }
        }
    }
}
