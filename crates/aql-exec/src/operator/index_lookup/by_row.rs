//! Scans that start for each incoming row, one after another.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use aql_value::Interrupt;
use errors::Result;
use storage::{Index, IndexRange, NextScans, ScanOptions, Snapshot};

use super::entries::{EntryBatch, EntrySink};
use super::input::LookupInput;
use super::source::EntrySource;
use super::{LookupRequest, LookupStrategy};
use crate::context::ExecutionContext;
use crate::statistics::CursorUse;

/// The strategy that suits every index.
pub(crate) struct ByRow {
    options: ByRowOptions,
    /// The lookup for the current incoming row; `None` if it has not begun.
    lookup: Option<RowLookup>,
    /// The lookups for the following rows, whose first entries are being fetched.
    next: NextScans<RowLookup>,
    cursor: CursorUse,
}

/// The options of a row's scans: see `aql_plan::IndexScan`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByRowOptions {
    pub(crate) deduplicate: bool,
    pub(crate) ascending: bool,
    pub(crate) ordered: bool,
    pub(crate) limit_each: Option<u64>,
    /// See `aql_plan::IndexHint`.
    pub(crate) lookahead: u64,
}

/// The lookup for one incoming row.
struct RowLookup {
    /// The remaining sources, read one after another.
    sources: VecDeque<EntrySource>,
    /// Keys of documents that were found before.
    seen: HashSet<Box<str>>,
}

impl ByRow {
    pub(crate) fn new(options: ByRowOptions) -> Self {
        Self { options, lookup: None, next: NextScans::default(), cursor: CursorUse::default() }
    }

    /// Returns the lookup for the current row; `None` if there is no row. Opens those of the rows
    /// after it as well, where several concurrent reads help.
    fn begin_row(
        &mut self,
        input: &LookupInput,
        request: &LookupRequest<'_>,
        snapshot: &Snapshot,
        interrupt: &Interrupt,
    ) -> Result<Option<RowLookup>> {
        let at_once = if request.one_by_one { 1 } else { snapshot.concurrent_reads() };
        let ByRow { options, next, .. } = self;
        let mut row = input.outer.row() + next.len();
        let end = input.outer.row() + input.outer.remaining();
        let open = || {
            if row >= end {
                return Ok(None);
            }
            let lookup = options.open(row, input, request, snapshot, interrupt)?;
            row += 1;
            Ok(Some(lookup))
        };
        next.next(at_once, open, RowLookup::fetch)
    }
}

impl ByRowOptions {
    /// Opens the sources for an incoming row. Adjacent ranges of the same index share one source.
    fn open(
        &self,
        row: usize,
        input: &LookupInput,
        request: &LookupRequest<'_>,
        snapshot: &Snapshot,
        interrupt: &Interrupt,
    ) -> Result<RowLookup> {
        let options = ScanOptions {
            ascending: self.ascending,
            ordered: self.ordered,
            limit_each: self.limit_each,
            wants_documents: request.wants_documents,
            wants_covered: request.wants_covered,
            lookahead: self.lookahead,
        };
        let mut sources = VecDeque::new();
        for (index, ranges) in neighbours(row, input, interrupt)? {
            if !ranges.is_empty() {
                let collection = &request.source.collection;
                sources.push_back(EntrySource::open(snapshot, collection, index, ranges, &options)?);
            }
        }
        Ok(RowLookup { sources, seen: HashSet::new() })
    }
}

impl RowLookup {
    /// Begins to fetch the first entries.
    fn fetch(&mut self) -> Result<()> {
        self.sources.front_mut().map_or(Ok(()), EntrySource::fetch)
    }
}

/// Returns the ranges of a row, grouped if adjacent ranges have the same index.
fn neighbours<'a>(
    row: usize,
    input: &'a LookupInput,
    interrupt: &'a Interrupt,
) -> Result<Vec<(&'a Arc<Index>, Vec<IndexRange>)>> {
    let mut all: Vec<(&Arc<Index>, Vec<IndexRange>)> = Vec::new();
    for found in input.ranges_of(row, interrupt) {
        let (index, range) = found?;
        match all.last_mut().filter(|(last, _)| last.id() == index.id()) {
            Some((_, ranges)) => ranges.extend(range),
            None => all.push((index, range.into_iter().collect())),
        }
    }
    Ok(all)
}

impl LookupStrategy for ByRow {
    fn begin_batch(&mut self) {
        self.next.clear();
    }

    fn collect(
        &mut self,
        input: &mut LookupInput,
        request: &LookupRequest<'_>,
        context: &mut ExecutionContext,
    ) -> Result<EntryBatch> {
        let mut entries = EntryBatch::default();
        let snapshot = context.data.snapshot(request.source.read_own_writes);
        while entries.len() < request.limit && input.outer.remaining() > 0 {
            let mut lookup = match self.lookup.take() {
                Some(lookup) => lookup,
                None => {
                    self.cursor.begin_row();
                    match self.begin_row(input, request, &snapshot, &context.interrupt)? {
                        Some(lookup) => lookup,
                        None => break,
                    }
                }
            };
            let Some(source) = lookup.sources.front_mut() else {
                input.outer.advance();
                context.interrupt.check()?;
                if request.one_row {
                    break;
                }
                continue;
            };
            let mut sink = EntrySink {
                batch: &mut entries,
                row: input.outer.row() as u32,
                seen: self.options.deduplicate.then_some(&mut lookup.seen),
                limit: request.limit,
                wants_covered: request.wants_covered,
            };
            let is_full = source.read(&mut sink, &mut self.cursor, context, request.bytes)?;
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

    fn is_begun(&self) -> bool {
        self.lookup.is_some()
    }

    fn end_row(&mut self) {
        self.lookup = None;
    }

    fn release(&mut self) {
        for lookup in self.lookup.iter_mut().chain(self.next.iter_mut()) {
            if let Some(source) = lookup.sources.front_mut() {
                source.release();
            }
        }
    }
}
