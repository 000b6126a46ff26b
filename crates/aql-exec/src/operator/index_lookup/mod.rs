//! Index lookup: one row for each document that an index finds, for each incoming row.
//!
//! The operator collects entries for as many incoming rows as it takes to fill a batch, and then
//! fetches their documents in one step. A filter on covered values runs before that. If the index
//! covers everything, no document is fetched at all. The operator's [`LookupStrategy`], chosen when
//! the plan is lowered, decides how it collects entries.

mod by_row;
mod by_single_key;
mod by_unique_key;
mod by_walk;
mod coverage;
mod entries;
mod fetch;
mod input;
mod range;
mod source;

use aql_value::{Batch, Column, Register, Value};
use errors::Result;

use super::Operator;
use super::document_source::Source;
use super::outer_rows::{Fetched, OuterRows};
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use input::LookupInput;

pub(crate) use by_row::{ByRow, ByRowOptions};
pub(crate) use by_single_key::BySingleKey;
pub(crate) use by_unique_key::ByUniqueKey;
pub(crate) use by_walk::ByWalk;
pub(super) use entries::{EntryBatch, EntrySink};
pub(crate) use fetch::Fetch;
pub(super) use range::index_value;
pub(crate) use range::{LookupProgram, RangePrograms};
pub(super) use source::{EntrySource, Host, covered};

/// The entries for each incoming row that a rehearsal reads on average, at most.
const ENTRIES_OF_A_REHEARSAL: usize = 8;

/// A strategy to collect the entries of incoming rows.
pub(crate) trait LookupStrategy: Send {
    /// Begins another batch of incoming rows.
    fn begin_batch(&mut self) {}

    /// Collects entries for the current and further incoming rows, and advances past the rows that
    /// are done.
    fn collect(
        &mut self,
        input: &mut LookupInput,
        request: &LookupRequest<'_>,
        context: &mut ExecutionContext,
    ) -> Result<EntryBatch>;

    /// Returns true if a row that has begun may have more entries.
    fn is_begun(&self) -> bool;

    /// Drops the rest of the row that has begun.
    fn end_row(&mut self);

    /// Releases all that pins memory in the storage engine.
    fn release(&mut self) {}
}

/// The request to a strategy.
pub(crate) struct LookupRequest<'a> {
    source: &'a Source,
    /// Maximum number of entries to collect.
    limit: usize,
    /// Maximum size in bytes of documents that the scan may read with the entries.
    bytes: usize,
    wants_documents: bool,
    wants_covered: bool,
    /// True for entries of the current row only.
    one_row: bool,
    /// True if later rows must find what the query writes for the current one.
    one_by_one: bool,
}

pub(crate) struct IndexLookupOperator<S> {
    input: LookupInput,
    strategy: S,
    fetch: Fetch,
    /// The incoming row of the last row produced, and how many were produced for it, for the
    /// source's limit.
    produced: (u32, u64),
    pending: PendingRows,
}

impl<S: LookupStrategy> IndexLookupOperator<S> {
    pub(crate) fn new(outer: OuterRows, ranges: Vec<RangePrograms>, fetch: Fetch, strategy: S) -> Self {
        let input = LookupInput::new(outer, ranges);
        Self { input, strategy, fetch, produced: (0, 0), pending: PendingRows::default() }
    }

    fn begin_batch(&mut self, context: &mut ExecutionContext) -> Result<()> {
        self.produced = (0, 0);
        self.strategy.begin_batch();
        self.input.evaluate(context)
    }

    /// Collects entries for the current and further rows of the outer batch, up to the limits.
    fn collect(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<EntryBatch> {
        let request = LookupRequest {
            source: &self.fetch.source,
            limit: self.fetch.entries_wanted(limits, self.input.outer.remaining() == 1),
            bytes: limits.bytes,
            wants_documents: self.fetch.source.wants_documents(),
            wants_covered: self.fetch.source.wants_covered(),
            one_row: self.fetch.counts(),
            one_by_one: self.fetch.source.read_own_writes && !context.data.is_rehearsing(),
        };
        self.strategy.collect(&mut self.input, &request, context)
    }

    /// Makes rows of entries.
    fn produce(&mut self, mut entries: EntryBatch, context: &mut ExecutionContext) -> Result<Batch> {
        let mut batch = self.input.outer.gather(entries.rows().to_vec());
        let documents = self.fetch.select(&mut entries, &mut batch, context)?;
        self.apply_limit(&entries, &mut batch);
        self.fetch.project(&entries, &documents, &mut batch);
        Ok(batch)
    }

    /// Drops rows beyond the number of documents wanted for each incoming row. Ends the current
    /// row's lookup once it has them.
    fn apply_limit(&mut self, entries: &EntryBatch, batch: &mut Batch) {
        let Some(limit) = self.fetch.source.limit else { return };
        let mut kept = Vec::with_capacity(batch.selected_len());
        for row in batch.selected() {
            let Some(&outer_row) = entries.rows().get(row) else { continue };
            if self.produced.0 != outer_row {
                self.produced = (outer_row, 0);
            }
            if self.produced.1 < limit {
                self.produced.1 += 1;
                kept.push(row as u32);
            }
        }
        batch.select(kept.into());
        let is_present = self.produced.0 as usize == self.input.outer.row();
        if self.strategy.is_begun() && is_present && self.produced.1 >= limit {
            self.strategy.end_row();
            self.input.outer.advance();
        }
    }

    /// Returns one row for the current incoming row, with the number of its documents.
    fn count_row(&mut self, register: Register, context: &mut ExecutionContext) -> Result<Batch> {
        let row = self.input.outer.row();
        let full = context.full;
        let mut count = 0;
        // Here `collect` stops at the end of the incoming row, not only at the end of the batch.
        while self.input.outer.row() == row {
            let entries = self.collect(context, full)?;
            if !entries.is_empty() {
                count += self.produce(entries, context)?.selected_len() as u64;
            }
        }
        let mut batch = self.input.outer.gather(vec![row as u32]);
        batch.set_column(register, Column::Constant(Value::from_u64(count)));
        Ok(batch)
    }
}

impl<S: LookupStrategy> IndexLookupOperator<S> {
    /// Makes the reads for incoming rows, as far as each needs only some entries.
    fn make_reads(&mut self, rows: Batch, context: &mut ExecutionContext) -> Result<()> {
        self.strategy.end_row();
        self.input.outer.begin_with(rows);
        self.begin_batch(context)?;
        let mut room = self.input.outer.remaining() * ENTRIES_OF_A_REHEARSAL;
        while room > 0 && self.input.outer.remaining() > 0 {
            context.interrupt.check()?;
            let entries = self.collect(context, context.full.of_rows(room))?;
            room = room.saturating_sub(entries.len().max(1));
            self.fetch.make_reads(&entries, context)?;
        }
        Ok(())
    }
}

impl<S: LookupStrategy> Operator for IndexLookupOperator<S> {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.pending.take(limits) {
            return Ok(Some(batch));
        }
        let mut wanted = limits;
        loop {
            match self.input.outer.fetch(context, limits)? {
                Fetched::End => return Ok(None),
                Fetched::New => self.begin_batch(context)?,
                Fetched::Present => {}
            }
            context.interrupt.check()?;
            if let Some(register) = self.fetch.source.count_into {
                return self.count_row(register, context).map(Some);
            }
            let entries = self.collect(context, wanted)?;
            if entries.is_empty() {
                continue;
            }
            let batch = self.produce(entries, context)?;
            if !batch.is_empty() {
                return Ok(Some(self.pending.split(batch, limits)));
            }
            wanted = wanted.grown(context.full);
        }
    }

    fn rehearse(&mut self, outer: &Batch, context: &mut ExecutionContext) -> Result<Option<Batch>> {
        let Some(rows) = self.input.outer.rehearse(outer, context)? else { return Ok(None) };
        if context.data.begin_rehearsal(self.fetch.source.read_own_writes) {
            self.make_reads(rows, context)?;
        }
        Ok(None)
    }

    fn may_run_ahead(&self) -> bool {
        !self.fetch.source.read_own_writes && self.input.outer.may_run_ahead()
    }

    fn restart(&mut self, outer: Batch) {
        self.strategy.end_row();
        self.input.clear();
        self.produced = (0, 0);
        self.pending.clear();
        self.input.outer.restart(outer);
    }

    fn release(&mut self) {
        self.strategy.release();
        self.input.outer.release();
    }
}
