//! Rows from the covered values of index entries, without their documents.

use super::entries::EntryBatch;
use crate::context::ExecutionContext;
use crate::operator::document_source::Source;
use aql_value::Batch;
use errors::Result;

/// The reads that use covered values instead of documents: see `aql_plan::IndexScan`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coverage {
    /// True for all projections.
    pub(crate) projections: bool,
    /// True for everything that the filter reads.
    pub(crate) filter: bool,
}

impl Coverage {
    /// Returns true if covered values are needed.
    pub(in crate::operator) fn is_wanted(self, source: &Source) -> bool {
        (self.projections && !source.projections.is_empty()) || (self.filter && source.filter.is_some())
    }

    /// Returns true if a filter reads the document itself.
    pub(super) fn leaves_filter(self, source: &Source) -> bool {
        source.filter.is_some() && !self.filter
    }

    /// Returns true if documents must be fetched for entries that pass the covered filter.
    pub(super) fn leaves_documents(self, source: &Source) -> bool {
        (source.produces_result && !self.projections) || self.leaves_filter(source)
    }

    /// Narrows the batch, whose rows have the given entries, to those that pass the filter.
    pub(in crate::operator) fn filter(
        self,
        source: &Source,
        entries: &EntryBatch,
        batch: &mut Batch,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let Some(filter) = source.filter.as_ref().filter(|_| self.filter) else { return Ok(()) };
        for projection in &filter.projections {
            if let Some(place) = projection.covered {
                let column = entries.project(projection, place, batch, &source.collection);
                batch.set_column(projection.out, column);
            }
        }
        context.filter(&filter.program, batch)
    }

    /// Sets the registers of the projections. Returns false if they need documents.
    pub(in crate::operator) fn project(
        self,
        source: &Source,
        entries: &EntryBatch,
        batch: &mut Batch,
    ) -> bool {
        if !self.projections || source.projections.is_empty() {
            return false;
        }
        let wanted = source.projections.iter().filter(|_| source.produces_result);
        for projection in wanted {
            if let Some(place) = projection.covered {
                let column = entries.project(projection, place, batch, &source.collection);
                batch.set_column(projection.out, column);
            }
        }
        true
    }
}
