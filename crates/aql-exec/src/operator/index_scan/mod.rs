//! A row for each document that an index finds, for each incoming row.
//!
//! Entries are collected for as many incoming rows as it takes to fill a batch; then their documents are fetched in one
//! step. What the index covers is filtered before that, and if it covers everything no document is fetched at all.

mod entries;
mod range;
mod single_key;
mod source;
mod unique;
mod walk;

pub(super) use entries::{EntryBatch, EntrySink};
pub(super) use range::index_value;
pub(crate) use range::{LookupProgram, RangePrograms};
pub(super) use source::EntrySource;

use super::document_source::{FoundDocuments, Source};
use super::materialize::documents_wanted;
use super::outer::{Fetched, Outer};
use super::surplus::Surplus;
use super::{BatchLimits, Operator};
use crate::context::ExecutionContext;
use crate::data::storage_error;
use aql_value::{Batch, Column, Interrupt, Register, Result, Value};
use range::RangeColumns;
use single_key::SingleKey;
use std::collections::{HashSet, VecDeque};
use storage::{ScanOptions, Snapshot};
use unique::UniqueLookups;
use walk::Walk;

pub(crate) struct IndexScanOperator {
    outer: Outer,
    source: Source,
    ranges: Vec<RangePrograms>,
    options: IndexScanOptions,
    /// The ranges' values for the present outer batch.
    columns: Vec<RangeColumns>,
    /// For the present incoming row; `None` if it is not begun.
    lookup: Option<RowLookup>,
    /// Instead of `lookup`, where each range names single entries of one unique index.
    unique: Option<UniqueLookups>,
    /// Instead of `lookup`, where look-ups follow each other in the order of the index.
    walk: Option<Walk>,
    /// Instead of `lookup`, where each incoming row names one key.
    single_key: Option<SingleKey>,
    /// The incoming row of the last row produced and how many were produced for it, for the source's limit.
    produced: (u32, u64),
    /// Of the documents fetched last, to ask for less when they are large.
    document_bytes: usize,
    surplus: Surplus,
}

/// How the scan is to be done: see `aql_plan::IndexScan`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexScanOptions {
    pub(crate) deduplicate: bool,
    pub(crate) ascending: bool,
    pub(crate) ordered: bool,
    pub(crate) covers_projections: bool,
    pub(crate) covers_filter: bool,
    /// See `aql_plan::IndexScan`.
    pub(crate) limit_each: Option<u64>,
    /// Look-ups mostly follow each other in the order of the index.
    pub(crate) walks: bool,
    /// See `aql_plan::IndexHint`.
    pub(crate) lookahead: u64,
}

/// The scan for one incoming row.
struct RowLookup {
    /// One after the other.
    sources: VecDeque<EntrySource>,
    /// Keys of documents found before.
    seen: HashSet<Box<str>>,
}

impl IndexScanOperator {
    pub(crate) fn new(
        outer: Outer,
        source: Source,
        ranges: Vec<RangePrograms>,
        options: IndexScanOptions,
    ) -> Self {
        let walk = if options.walks { Walk::of_ranges(&ranges) } else { None };
        let unique = if walk.is_none() { UniqueLookups::of_ranges(&ranges) } else { None };
        // Who counts asks row by row.
        let single_key = SingleKey::of_ranges(&ranges).filter(|_| source.count_into.is_none());
        Self {
            outer,
            source,
            ranges,
            options,
            columns: Vec::new(),
            lookup: None,
            unique,
            walk,
            single_key,
            produced: (0, 0),
            document_bytes: 0,
            surplus: Surplus::default(),
        }
    }

    /// Whether a filter reads the document itself.
    fn filters_documents(&self) -> bool {
        self.source.filter.is_some() && !self.options.covers_filter
    }

    /// Whether documents have to be fetched for entries that pass the covered filter.
    fn wants_documents(&self) -> bool {
        let projects_documents = self.source.produces_result && !self.options.covers_projections;
        projects_documents || self.filters_documents()
    }

    /// Whether anybody reads what entries cover.
    fn wants_covered(&self) -> bool {
        (self.options.covers_projections && !self.source.projections.is_empty())
            || (self.options.covers_filter && self.source.filter.is_some())
    }

    /// Evaluates the ranges for a new batch of incoming rows.
    fn evaluate_ranges(&mut self, context: &mut ExecutionContext) -> Result<()> {
        self.columns.clear();
        self.produced = (0, 0);
        self.unique.iter_mut().for_each(UniqueLookups::begin_batch);
        if let Some(batch) = self.outer.batch() {
            for range in &self.ranges {
                self.columns.push(range.evaluate(batch, context)?);
            }
        }
        Ok(())
    }

    /// Collects entries of a unique index for the present and further rows of the outer batch, in one step.
    fn collect_unique(
        &mut self,
        context: &mut ExecutionContext,
        limits: BatchLimits,
        unique: &mut UniqueLookups,
    ) -> Result<EntryBatch> {
        let limit = self.entries_wanted(limits);
        while unique.len() < limit && self.outer.remaining() > 0 {
            let row = self.outer.row();
            let ranges = self.ranges.iter().zip(&self.columns);
            let interrupt = &context.interrupt;
            let ranges =
                ranges.filter_map(|(range, columns)| range.for_row(columns, row, interrupt).transpose());
            if !unique.add_row(row as u32, limit, || ranges.collect(), self.options)? {
                self.outer.advance();
                if self.source.count_into.is_some() {
                    break;
                }
            }
        }
        unique.read(&self.source, self.options, self.wants_covered(), context)
    }

    /// Collects entries for the present and further rows of the outer batch, going on in the index from row to row.
    fn collect_walking(
        &mut self,
        context: &mut ExecutionContext,
        limits: BatchLimits,
        walk: &mut Walk,
    ) -> Result<EntryBatch> {
        let mut entries = EntryBatch::default();
        let limit = self.entries_wanted(limits);
        while entries.len() < limit && self.outer.remaining() > 0 {
            context.interrupt.check()?;
            let row = self.outer.row();
            if !walk.is_begun() {
                let mut ranges = self.ranges.iter().zip(&self.columns);
                let range = match ranges.next() {
                    Some((range, columns)) => range.for_row(columns, row, &context.interrupt)?,
                    None => None,
                };
                walk.begin(range, &self.source, context)?;
            }
            let mut sink = EntrySink {
                batch: &mut entries,
                row: row as u32,
                seen: None,
                limit,
                wants_covered: self.wants_covered(),
            };
            if walk.read(&mut sink, context)? {
                break;
            }
            walk.end_row();
            self.outer.advance();
            if self.source.count_into.is_some() {
                break;
            }
        }
        Ok(entries)
    }

    /// Opens the sources for the present incoming row. Neighbouring ranges of the same index share one.
    fn open_row(&self, snapshot: &Snapshot, interrupt: &Interrupt) -> Result<RowLookup> {
        let options = ScanOptions {
            ascending: self.options.ascending,
            ordered: self.options.ordered,
            limit_each: self.options.limit_each,
            wants_documents: self.wants_documents(),
            wants_covered: self.wants_covered(),
            lookahead: self.options.lookahead,
        };
        let collection = &self.source.collection;
        let mut sources = VecDeque::new();
        let mut ranges = self.ranges.iter().zip(&self.columns).peekable();
        while let Some((first, columns)) = ranges.next() {
            let row = self.outer.row();
            let mut found: Vec<_> = first.for_row(columns, row, interrupt)?.into_iter().collect();
            while let Some((next, columns)) = ranges.next_if(|(next, _)| next.index.id() == first.index.id())
            {
                found.extend(next.for_row(columns, row, interrupt)?);
            }
            if !found.is_empty() {
                sources.push_back(EntrySource::open(snapshot, collection, &first.index, found, &options)?);
            }
        }
        Ok(RowLookup { sources, seen: HashSet::new() })
    }

    /// Collects entries for the present and further rows of the outer batch, up to the limits.
    fn collect(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<EntryBatch> {
        if let Some(mut walk) = self.walk.take() {
            let entries = self.collect_walking(context, limits, &mut walk);
            self.walk = Some(walk);
            return entries;
        }
        if let Some(mut unique) = self.unique.take() {
            let entries = self.collect_unique(context, limits, &mut unique);
            self.unique = Some(unique);
            return entries;
        }
        let limit = self.entries_wanted(limits);
        if let Some(single_key) = self.single_key {
            let collection = &self.source.collection;
            return single_key.collect(&mut self.outer, &self.columns, collection, limit, context);
        }
        let mut entries = EntryBatch::default();
        let snapshot = context.data.snapshot(self.source.read_own_writes);
        while entries.len() < limit && self.outer.remaining() > 0 {
            let mut lookup = match self.lookup.take() {
                Some(lookup) => lookup,
                None => self.open_row(&snapshot, &context.interrupt)?,
            };
            let mut sink = EntrySink {
                batch: &mut entries,
                row: self.outer.row() as u32,
                seen: self.options.deduplicate.then_some(&mut lookup.seen),
                limit,
                wants_covered: self.wants_covered(),
            };
            let is_full = match lookup.sources.front_mut() {
                Some(source) => source.read(&mut sink, context, limits.bytes)?,
                None => {
                    self.outer.advance();
                    context.interrupt.check()?;
                    if self.source.count_into.is_some() {
                        break;
                    }
                    continue;
                }
            };
            if !is_full {
                lookup.sources.pop_front();
            }
            self.lookup = Some(lookup);
            if is_full {
                break;
            }
        }
        Ok(entries)
    }

    /// How many entries to collect at one time.
    fn entries_wanted(&self, limits: BatchLimits) -> usize {
        let wanted = match self.wants_documents() {
            true => documents_wanted(limits, self.document_bytes),
            false => limits.rows,
        };
        match self.source.limit {
            Some(limit) if self.source.filter.is_none() && self.outer.remaining() == 1 => {
                wanted.min(usize::try_from(limit).unwrap_or(usize::MAX).max(1))
            }
            _ => wanted,
        }
    }

    /// Makes rows of entries: filters, fetches documents, projects.
    fn produce(&mut self, mut entries: EntryBatch, context: &mut ExecutionContext) -> Result<Batch> {
        let mut batch = self.outer.gather(entries.rows().to_vec());
        if self.options.covers_filter {
            self.filter_covered(&entries, &mut batch, context)?;
        }
        let mut documents = FoundDocuments::Values(Column::Constant(Value::Null));
        if self.wants_documents() {
            documents = self.fetch(&mut entries, &mut batch, context)?;
        } else if self.looks_keys_up() {
            self.keep_existing(&mut entries, &mut batch, context)?;
        }
        if self.filters_documents() {
            self.source.filter_documents(&mut batch, &documents, context)?;
        }
        self.apply_limit(&entries, &mut batch);
        if self.options.covers_projections && !self.source.projections.is_empty() {
            self.project_covered(&entries, &mut batch);
        } else {
            self.source.project_documents(&mut batch, &documents);
        }
        Ok(batch)
    }

    /// Keys that were given and not found in an index: whether they exist shows when their documents are fetched.
    fn looks_keys_up(&self) -> bool {
        self.ranges.iter().any(|range| range.index.capabilities().clustered && !range.lookups.is_empty())
    }

    fn filter_covered(
        &self,
        entries: &EntryBatch,
        batch: &mut Batch,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let Some(filter) = &self.source.filter else { return Ok(()) };
        for projection in &filter.projections {
            if let Some(place) = projection.covered {
                let column = entries.project(projection, place, batch, &self.source.collection);
                batch.set_column(projection.out, column);
            }
        }
        context.filter(&filter.program, batch)
    }

    fn project_covered(&self, entries: &EntryBatch, batch: &mut Batch) {
        if !self.source.produces_result {
            return;
        }
        for projection in &self.source.projections {
            if let Some(place) = projection.covered {
                let column = entries.project(projection, place, batch, &self.source.collection);
                batch.set_column(projection.out, column);
            }
        }
    }

    /// Fetches the documents of the selected entries, in one step, and leaves out entries without one.
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
            let found =
                snapshot.get(&self.source.collection, &keys).map_err(|error| storage_error(&error))?;
            self.document_bytes = found.block.bytes.len() / keys.len();
            for (row, offset) in missing.iter().zip(&found.offsets) {
                if let (Some(document), Some(offset)) = (documents.get_mut(*row), offset) {
                    *document = Value::in_block(&found.block, *offset);
                }
            }
            let existing = found.offsets.iter().flatten().count() as u64;
            context.statistics.document_lookups += existing;
            if self.looks_keys_up() {
                context.statistics.scanned_index += existing;
            }
            let present =
                batch.selected().filter(|row| documents.get(*row).is_some_and(|found| !found.is_null()));
            let present = present.map(|row| row as u32).collect();
            batch.select(present);
        }
        Ok(FoundDocuments::Values(Column::from_values(documents)))
    }

    /// Leaves out entries without a document, which nobody reads.
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
        let found = found.map_err(|error| storage_error(&error))?;
        let existing = found.iter().filter(|exists| **exists).count() as u64;
        context.statistics.document_lookups += existing;
        context.statistics.scanned_index += existing;
        let mut found = found.into_iter();
        let present = batch
            .selected()
            .filter(|row| !is_missing(row) || found.next().unwrap_or(false))
            .map(|row| row as u32);
        let present = present.collect();
        batch.select(present);
        Ok(())
    }

    /// Leaves out what is beyond the number of documents wanted for each incoming row, and ends the present row's scan
    /// when it has them.
    fn apply_limit(&mut self, entries: &EntryBatch, batch: &mut Batch) {
        let Some(limit) = self.source.limit else { return };
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
        let is_begun = self.lookup.is_some()
            || self.unique.as_ref().is_some_and(UniqueLookups::is_begun)
            || self.walk.as_ref().is_some_and(Walk::is_begun);
        if is_begun && self.produced.0 as usize == self.outer.row() && self.produced.1 >= limit {
            self.end_row();
            self.outer.advance();
        }
    }

    fn end_row(&mut self) {
        self.lookup = None;
        self.unique.iter_mut().for_each(UniqueLookups::end_row);
        self.walk.iter_mut().for_each(Walk::end_row);
    }

    /// One row for the present incoming row: with the number of rows that there would be for it.
    fn count_row(&mut self, register: Register, context: &mut ExecutionContext) -> Result<Batch> {
        let row = self.outer.row();
        let full = context.full;
        let mut count = 0;
        // Collecting ends with the incoming row and not only with its batch.
        while self.outer.row() == row {
            let entries = self.collect(context, full)?;
            if !entries.is_empty() {
                count += self.produce(entries, context)?.selected_len() as u64;
            }
        }
        let mut batch = self.outer.gather(vec![row as u32]);
        batch.set_column(register, Column::Constant(Value::from_u64(count)));
        Ok(batch)
    }
}

impl Operator for IndexScanOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.surplus.take(limits) {
            return Ok(Some(batch));
        }
        let mut wanted = limits;
        loop {
            match self.outer.fetch(context, limits)? {
                Fetched::End => return Ok(None),
                Fetched::New => self.evaluate_ranges(context)?,
                Fetched::Present => {}
            }
            context.interrupt.check()?;
            if let Some(register) = self.source.count_into {
                return self.count_row(register, context).map(Some);
            }
            let entries = self.collect(context, wanted)?;
            if entries.is_empty() {
                continue;
            }
            let batch = self.produce(entries, context)?;
            if !batch.is_empty() {
                return Ok(Some(self.surplus.split(batch, limits)));
            }
            wanted = wanted.grown(context.full);
        }
    }

    fn restart(&mut self, outer: Batch) {
        self.end_row();
        self.columns.clear();
        self.produced = (0, 0);
        self.surplus.clear();
        self.outer.restart(outer);
    }

    fn release(&mut self) {
        if let Some(source) = self.lookup.as_mut().and_then(|lookup| lookup.sources.front_mut()) {
            source.release();
        }
        self.walk.iter_mut().for_each(Walk::release);
        self.outer.release();
    }
}
