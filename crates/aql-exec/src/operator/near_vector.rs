//! Vector search: one row for each of the documents whose vectors are nearest to another one, for
//! each incoming row.
//!
//! The operator tests the filter while it searches, the nearest documents first. It reads further
//! lists of the index until enough documents have passed, or all lists were read. A filter that few
//! documents pass also needs more lists: the search then has to look as far as it would for many
//! more documents without a filter.
//!
//! An index that stores codes only estimates distances. The search then keeps more documents than
//! are wanted, and orders them by the vectors that they have.

use std::ops::Range;
use std::sync::Arc;

use aql_value::{Batch, Charge, Column, Program, Register, Value};
use errors::{Error, Result};
use storage::{Index, NearBounds, NearEntries, NearScan, Snapshot};

use super::Operator;
use super::document_source::{FoundDocuments, Source};
use super::index_lookup::{EntryBatch, EntrySink, Host, covered, index_value};
use super::materialize::fetch_into;
use super::outer_rows::{Fetched, OuterRows};
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::statistics::CursorUse;

/// Entries that are tested in the first step; later steps double up to the second number.
const TESTED_AT_ONCE: (usize, usize) = (64, 4096);
/// Lists that are read for each list's worth of documents that a filter was tested for.
const LISTS_PER_TESTED_LIST: usize = 12;

pub(crate) struct NearVectorOperator {
    outer: OuterRows,
    parts: NearVectorParts,
    /// The values of the options for the current batch of incoming rows.
    options: Option<Column>,
    cursor: CursorUse,
    charge: Option<Charge>,
    pending: PendingRows,
}

/// The parts of a search; see `aql_plan::NearVector`.
pub(crate) struct NearVectorParts {
    pub(crate) source: Source,
    pub(crate) index: Arc<Index>,
    pub(crate) vector: Register,
    pub(crate) options: Option<Program>,
    pub(crate) distance: Register,
}

/// A document that has passed the filter.
struct Passed {
    /// A smaller score is nearer.
    score: f32,
    key: Box<str>,
    covered: Value,
}

impl NearVectorOperator {
    pub(crate) fn new(outer: OuterRows, parts: NearVectorParts) -> Self {
        let (cursor, pending) = (CursorUse::default(), PendingRows::default());
        Self { outer, parts, options: None, cursor, charge: None, pending }
    }

    fn begin_batch(&mut self, context: &mut ExecutionContext) -> Result<()> {
        let batch = self.outer.batch().filter(|_| self.parts.options.is_some());
        self.options = match (&self.parts.options, batch) {
            (Some(program), Some(batch)) => Some(context.evaluate(program, batch)?),
            _ => None,
        };
        Ok(())
    }

    /// Returns the number of lists that the query wants to read.
    ///
    /// Errors: 10 for options of another form.
    fn n_probe(&self) -> Result<Option<u64>> {
        let Some(options) = self.options.as_ref().map(|column| column.get(self.outer.row())) else {
            return Ok(None);
        };
        let value = if options.is_object() { options.get("nProbe") } else { options.clone() };
        if value.is_null() {
            return Ok(None);
        }
        let number = value.as_i64().and_then(|number| u64::try_from(number).ok());
        let number = number.filter(|number| *number > 0 && options.is_object());
        number.map(Some).ok_or_else(|| {
            Error::bad_parameter("invalid options of a vector search: 'nProbe' must be 1 or greater")
        })
    }

    /// Returns the nearest documents for the current row.
    fn search(&mut self, context: &mut ExecutionContext) -> Result<Vec<Passed>> {
        let limit = usize::try_from(self.parts.source.limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let has_filter = self.parts.source.filter.is_some();
        let snapshot = context.data.snapshot(self.parts.source.read_own_writes);
        let vector = index_value(&self.outer.value(self.parts.vector))?;
        let n_probe = self.n_probe()?;
        let mut scan = snapshot.near(&self.parts.source.collection, &self.parts.index, &vector, n_probe)?;
        let kept = scan.kept_for(limit);
        self.cursor.begin_row();
        self.cursor.count(1, &mut context.statistics);
        let mut passed: Vec<Passed> = Vec::new();
        let (mut read, mut tested) = (0, 0);
        let mut lists = scan.n_probe();
        while lists > 0 && limit > 0 {
            let bounds = NearBounds {
                most: if has_filter { usize::MAX } else { kept },
                score: farthest(&passed, kept),
                wants_covered: self.parts.source.wants_covered(),
            };
            let found = self.probe(&mut scan, lists, bounds, context)?;
            read += found.read;
            let is_filled = passed.len() >= limit;
            let now = self.test(&found, &mut passed, kept, &snapshot, context)?;
            // Tests after the limit was filled say nothing about the share that passes.
            tested += if is_filled { 0 } else { now };
            let wanted = match (passed.len() < limit, has_filter) {
                (true, _) => scan.lists_read().saturating_mul(2),
                (false, false) => break,
                (false, true) => {
                    let per_list = (read as usize / scan.lists_read().max(1)).max(1);
                    scan.n_probe() + LISTS_PER_TESTED_LIST * tested.div_ceil(per_list)
                }
            };
            lists = wanted.saturating_sub(scan.lists_read()).min(scan.lists_left());
        }
        if scan.estimates() {
            passed = self.compare(&scan, passed, &snapshot, context)?;
            passed.truncate(limit);
        }
        Ok(passed)
    }

    /// Replaces the estimated scores of documents by those of their vectors, and orders them anew.
    /// The filter is tested once more, since it may use the distance.
    fn compare(
        &self,
        scan: &NearScan,
        mut passed: Vec<Passed>,
        snapshot: &Snapshot,
        context: &mut ExecutionContext,
    ) -> Result<Vec<Passed>> {
        context.interrupt.check()?;
        let keys: Vec<&str> = passed.iter().map(|document| &*document.key).collect();
        let documents = self.documents(&keys, snapshot, context)?;
        for (passed, document) in passed.iter_mut().zip(documents) {
            if let Some(score) = document.with_slice(|document, _| scan.score_of(document))? {
                passed.score = score;
            }
        }
        sort(&mut passed);
        let mut entries = EntryBatch::default();
        let mut sink = self.sink(&mut entries);
        for document in &passed {
            sink.push(&document.key, || document.covered.clone(), Value::Null);
        }
        let scores: Vec<f32> = passed.iter().map(|document| document.score).collect();
        let rows = self.filter(&entries, &scores, snapshot, context)?;
        let mut rows = rows.into_iter().peekable();
        let mut position = 0;
        passed.retain(|_| {
            position += 1;
            rows.next_if_eq(&(position - 1)).is_some()
        });
        Ok(passed)
    }

    fn probe(
        &mut self,
        scan: &mut NearScan,
        lists: usize,
        bounds: NearBounds,
        context: &mut ExecutionContext,
    ) -> Result<NearEntries> {
        let mut host = Host::new(context, &mut self.charge);
        let found = scan.probe(lists, bounds, &mut host);
        let work = host.work();
        context.statistics.scanned_index += work.entries;
        found
    }

    /// Adds the entries that pass the filter to those that have passed so far, and keeps the
    /// nearest of them. Returns the number of entries that it has tested.
    fn test(
        &self,
        found: &NearEntries,
        passed: &mut Vec<Passed>,
        limit: usize,
        snapshot: &Snapshot,
        context: &mut ExecutionContext,
    ) -> Result<usize> {
        let mut start = 0;
        let mut step = TESTED_AT_ONCE.0;
        while start < found.scores.len()
            && found.scores.get(start).is_some_and(|score| *score <= farthest(passed, limit))
        {
            context.interrupt.check()?;
            let end = found.scores.len().min(start + step);
            for position in self.passing(found, start..end, snapshot, context)? {
                passed.push(Passed {
                    score: found.scores.get(position).copied().unwrap_or(f32::INFINITY),
                    key: found.entries.key(position).into(),
                    covered: covered(&found.entries, position),
                });
            }
            sort(passed);
            passed.truncate(limit);
            start = end;
            step = (step * 2).min(TESTED_AT_ONCE.1);
        }
        Ok(start)
    }

    /// Returns the positions of the entries that pass the filter.
    fn passing(
        &self,
        found: &NearEntries,
        range: Range<usize>,
        snapshot: &Snapshot,
        context: &mut ExecutionContext,
    ) -> Result<Vec<usize>> {
        if self.parts.source.filter.is_none() {
            return Ok(range.collect());
        }
        let mut entries = EntryBatch::default();
        let mut sink = self.sink(&mut entries);
        for position in range.clone() {
            sink.push(found.entries.key(position), || covered(&found.entries, position), Value::Null);
        }
        let scores = found.scores.get(range.clone()).unwrap_or_default();
        let rows = self.filter(&entries, scores, snapshot, context)?;
        Ok(rows.into_iter().map(|row| range.start + row).collect())
    }

    /// Returns the entries that pass the filter.
    fn filter(
        &self,
        entries: &EntryBatch,
        scores: &[f32],
        snapshot: &Snapshot,
        context: &mut ExecutionContext,
    ) -> Result<Vec<usize>> {
        let NearVectorParts { source, distance, .. } = &self.parts;
        if source.filter.is_none() {
            return Ok((0..entries.len()).collect());
        }
        let mut batch = self.outer.gather(entries.rows().to_vec());
        let distances = scores.iter().map(|score| self.value(*score)).collect();
        batch.set_column(*distance, Column::from_values(distances));
        if source.coverage.filter {
            source.filter_entries(entries, &mut batch, context)?;
        } else {
            self.filter_documents(entries, &mut batch, snapshot, context)?;
        }
        Ok(batch.selected().collect())
    }

    fn filter_documents(
        &self,
        entries: &EntryBatch,
        batch: &mut Batch,
        snapshot: &Snapshot,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let keys: Vec<&str> = (0..entries.len()).map(|row| entries.key(row)).collect();
        let documents = self.documents(&keys, snapshot, context)?;
        let documents = FoundDocuments::Values(Column::from_values(documents));
        self.parts.source.filter_documents(batch, &documents, context)
    }

    fn documents(
        &self,
        keys: &[&str],
        snapshot: &Snapshot,
        context: &mut ExecutionContext,
    ) -> Result<Vec<Value>> {
        let rows: Vec<usize> = (0..keys.len()).collect();
        let mut documents = vec![Value::Null; keys.len()];
        let fetched =
            fetch_into(&mut documents, &rows, keys, &self.parts.source.collection, snapshot, context)?;
        context.statistics.document_lookups += fetched.documents as u64;
        Ok(documents)
    }

    /// Returns the similarity or distance of a score.
    fn value(&self, score: f32) -> Value {
        Value::Double(self.parts.index.near_value(score))
    }

    fn sink<'a>(&self, batch: &'a mut EntryBatch) -> EntrySink<'a> {
        let wants_covered = self.parts.source.wants_covered();
        EntrySink { batch, row: self.outer.row() as u32, seen: None, limit: usize::MAX, wants_covered }
    }

    /// Makes rows of documents.
    fn produce(&self, passed: Vec<Passed>) -> Batch {
        let NearVectorParts { source, distance, .. } = &self.parts;
        let mut entries = EntryBatch::default();
        let mut sink = self.sink(&mut entries);
        let mut distances = Vec::with_capacity(passed.len());
        for document in passed {
            sink.push(&document.key, || document.covered, Value::Null);
            distances.push(self.value(document.score));
        }
        let mut batch = self.outer.gather(entries.rows().to_vec());
        batch.set_column(*distance, Column::from_values(distances));
        source.project_entries(&entries, &mut batch);
        batch
    }
}

/// Orders documents by their scores; equally near ones by their keys.
fn sort(passed: &mut [Passed]) {
    passed.sort_by(|a, b| a.score.total_cmp(&b.score).then_with(|| a.key.cmp(&b.key)));
}

/// Returns the greatest score with which a document can still be among the nearest.
fn farthest(passed: &[Passed], limit: usize) -> f32 {
    let last = limit.checked_sub(1).and_then(|last| passed.get(last));
    last.map_or(f32::INFINITY, |last| last.score)
}

impl Operator for NearVectorOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.pending.take(limits) {
            return Ok(Some(batch));
        }
        loop {
            match self.outer.fetch(context, limits)? {
                Fetched::End => return Ok(None),
                Fetched::New => self.begin_batch(context)?,
                Fetched::Present => {}
            }
            context.interrupt.check()?;
            let passed = self.search(context)?;
            let batch = self.produce(passed);
            self.outer.advance();
            if !batch.is_empty() {
                return Ok(Some(self.pending.split(batch, limits)));
            }
        }
    }

    fn restart(&mut self, outer: Batch) {
        self.options = None;
        self.pending.clear();
        self.outer.restart(outer);
    }

    fn release(&mut self) {
        self.outer.release();
    }
}
