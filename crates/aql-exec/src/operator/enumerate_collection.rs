//! A row for each document of a collection, for each incoming row.

use std::sync::Arc;

use aql_value::{Batch, Column, Register, Value};
use errors::Result;
use storage::{BlockLimits, DocumentScan, DocumentScanSpec, KeyBound, Snapshot};

use super::Operator;
use super::document_source::{FoundDocuments, Source};
use super::hash_join::HashJoin;
use super::outer_rows::{Fetched, OuterRows};
use super::parallel::{CurrentMorsel, Morsel};
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

/// Keys in one step of a scan that reads only keys.
const KEYS_PER_BLOCK: BlockLimits = BlockLimits { rows: 4096, bytes: 1 << 20 };

pub(crate) struct EnumerateCollectionOperator {
    outer: OuterRows,
    source: Source,
    /// True if each incoming row gets only one document, chosen with equal probability.
    random: bool,
    state: State,
    /// A hash join that replaces repeated scans.
    join: Option<HashJoin>,
    /// The part of the documents to read; `None`: all.
    morsel: Option<Arc<CurrentMorsel>>,
    pending: PendingRows,
}

/// The state of the scan for the current incoming row.
enum State {
    /// Not started.
    Start,
    /// Reading documents; `wanted` is the number still to be produced for this row.
    Documents { scan: DocumentScan, wanted: u64 },
    /// Number of rows, without anything of the document, still to be produced.
    Rows(u64),
}

impl EnumerateCollectionOperator {
    pub(crate) fn new(outer: OuterRows, source: Source, random: bool, join: Option<HashJoin>) -> Self {
        let (state, pending) = (State::Start, PendingRows::default());
        Self { outer, source, random, state, join, morsel: None, pending }
    }

    /// Creates a scan of the morsel that is current when it starts. It has one incoming row.
    pub(crate) fn of_morsels(outer: OuterRows, source: Source, morsel: Arc<CurrentMorsel>) -> Self {
        Self { morsel: Some(morsel), ..Self::new(outer, source, false, None) }
    }

    /// Starts the scan for the current incoming row.
    fn open(&mut self, context: &mut ExecutionContext) -> Result<State> {
        let snapshot = context.data.snapshot(self.source.read_own_writes);
        let limit = self.source.limit.unwrap_or(u64::MAX);
        let needs_documents = self.source.produces_result || self.source.filter.is_some();
        if !needs_documents && !self.random {
            // The number of documents is known without reading them.
            let count = snapshot.count(&self.source.collection)?;
            context.statistics.scanned_full += count.min(limit);
            return Ok(State::Rows(count.min(limit)));
        }
        let from_key = if self.random { random_key(&self.source, &snapshot, context)? } else { None };
        let from_key = from_key.map(|key| KeyBound { key, inclusive: true });
        let (Morsel { from, to }, is_part) =
            self.morsel.as_ref().map(|current| current.get()).unwrap_or_default();
        let spec = DocumentScanSpec {
            from_key: from_key.or(from),
            to_key: to,
            is_part,
            sequential: !self.random,
            repeated: !self.source.hands_all_over(),
            ..DocumentScanSpec::default()
        };
        let scan = snapshot.scan(&self.source.collection, &spec)?;
        Ok(State::Documents { scan, wanted: if self.random { limit.min(1) } else { limit } })
    }

    /// Returns one row for the current incoming row: with the number of rows that it would get.
    fn count_row(&mut self, register: Register, context: &mut ExecutionContext) -> Result<Batch> {
        let mut count = match self.open(context)? {
            State::Rows(count) => count,
            state => {
                self.state = state;
                0
            }
        };
        let full = context.full;
        while !matches!(self.state, State::Start)
            && let Some(batch) = self.next_for_row(context, full)?
        {
            context.interrupt.check()?;
            count += batch.selected_len() as u64;
        }
        let mut batch = self.outer.repeat(1);
        batch.set_column(register, Column::Constant(Value::from_u64(count)));
        Ok(batch)
    }

    /// Returns rows from the hash table, if it exists and the current row's scan is not started.
    fn joined_rows(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        let Some(join) = self.join.as_mut().filter(|_| matches!(self.state, State::Start)) else {
            return Ok(None);
        };
        if !join.is_ready(&self.source, context)? {
            return Ok(None);
        }
        match self.source.count_into {
            Some(register) => {
                let batch = join.count_row(&self.outer, &self.source, register, context)?;
                self.outer.advance();
                Ok(Some(batch))
            }
            None => join.next_rows(&mut self.outer, &self.source, context, limits).map(Some),
        }
    }

    /// Returns the next rows for the current incoming row; `None` after the last. The batch may be
    /// empty.
    fn next_for_row(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if matches!(self.state, State::Start) {
            self.state = self.open(context)?;
        }
        match &mut self.state {
            State::Start => Ok(None),
            State::Rows(0) => Ok(None),
            State::Rows(count) => {
                let rows = usize_of(*count).min(limits.rows);
                *count -= rows as u64;
                Ok(Some(self.outer.repeat(rows)))
            }
            State::Documents { wanted: 0, .. } => Ok(None),
            State::Documents { scan, wanted } => {
                let rows = if self.source.filter.is_none() {
                    limits.rows.min(usize_of(*wanted))
                } else {
                    limits.rows
                };
                if self.morsel.as_ref().is_some_and(|morsel| morsel.is_over()) {
                    return Ok(None);
                }
                let block = scan.next_block(BlockLimits { rows, bytes: limits.bytes });
                let Some(documents) = block? else { return Ok(None) };
                self.morsel.iter().for_each(|morsel| morsel.note_block(&documents));
                context.statistics.scanned_full += documents.len() as u64;
                let mut batch = self.outer.repeat(documents.len());
                self.source.produce(&mut batch, &FoundDocuments::Stored(&documents), context)?;
                batch.slice(0, usize_of(*wanted));
                *wanted -= batch.selected_len() as u64;
                Ok(Some(batch))
            }
        }
    }
}

fn usize_of(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns the key of a random document; `None` in an empty collection.
///
/// It walks over keys, without reading documents.
fn random_key(
    source: &Source,
    snapshot: &Snapshot,
    context: &mut ExecutionContext,
) -> Result<Option<String>> {
    let count = snapshot.count(&source.collection)?;
    if count == 0 {
        return Ok(None);
    }
    let mut to_skip = context.state.random.u64(..count);
    let spec = DocumentScanSpec { keys_only: true, ..DocumentScanSpec::default() };
    let mut scan = snapshot.scan(&source.collection, &spec)?;
    while let Some(keys) = scan.next_keys(KEYS_PER_BLOCK)? {
        context.interrupt.check()?;
        if to_skip < keys.len() as u64 {
            return Ok(keys.iter().nth(usize_of(to_skip)).map(str::to_owned));
        }
        to_skip -= keys.len() as u64;
    }
    Ok(None)
}

impl Operator for EnumerateCollectionOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.pending.take(limits) {
            return Ok(Some(batch));
        }
        let mut wanted = limits;
        loop {
            match (self.outer.fetch(context, limits)?, &mut self.join) {
                (Fetched::End, _) => return Ok(None),
                (Fetched::New, Some(join)) => join.begin_batch(),
                _ => {}
            }
            context.interrupt.check()?;
            if let Some(batch) = self.joined_rows(context, wanted)? {
                if batch.is_empty() {
                    wanted = wanted.grown(context.full);
                    continue;
                }
                return Ok(Some(self.pending.split(batch, limits)));
            }
            if let Some(register) = self.source.count_into {
                let batch = self.count_row(register, context)?;
                self.state = State::Start;
                self.outer.advance();
                return Ok(Some(batch));
            }
            match self.next_for_row(context, wanted)? {
                Some(batch) if batch.is_empty() => wanted = wanted.grown(context.full),
                Some(batch) => return Ok(Some(self.pending.split(batch, limits))),
                None => {
                    self.state = State::Start;
                    self.outer.advance();
                }
            }
        }
    }

    fn may_run_ahead(&self) -> bool {
        !self.source.read_own_writes && self.outer.may_run_ahead()
    }

    fn restart(&mut self, outer: Batch) {
        self.state = State::Start;
        // The table stays: it does not depend on the rows around the scan.
        self.join.iter_mut().for_each(HashJoin::begin_batch);
        self.pending.clear();
        self.outer.restart(outer);
    }

    fn release(&mut self) {
        if let State::Documents { scan, .. } = &mut self.state {
            scan.release();
        }
        self.outer.release();
    }
}
