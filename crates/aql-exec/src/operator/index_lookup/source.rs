//! The entries of one index scan, added to batches.

use std::sync::Arc;

use aql_value::{Charge, Interrupt, MemoryAccount, Value};
use errors::Result;
use storage::{
    BlockLimits, Collection, EntryScan, Index, IndexEntries, IndexRange, ScanHost, ScanOptions,
    ScanStatistics, Snapshot,
};

use super::entries::EntrySink;
use crate::context::ExecutionContext;
use crate::statistics::CursorUse;

/// The entries of some ranges of one index for one outer row.
pub(in crate::operator) struct EntrySource {
    scan: Box<dyn EntryScan>,
    /// Ranges that are not counted as cursors yet.
    uncounted: u64,
    /// The memory that the scan keeps.
    charge: Option<Charge>,
}

impl EntrySource {
    /// Opens a scan of one or more ranges.
    pub(in crate::operator) fn open(
        snapshot: &Snapshot,
        collection: &Collection,
        index: &Arc<Index>,
        ranges: Vec<IndexRange>,
        options: &ScanOptions,
    ) -> Result<Self> {
        let uncounted = ranges.len() as u64;
        let scan = snapshot.open_index(collection, index, ranges, options);
        Ok(Self { scan: scan?, uncounted, charge: None })
    }

    /// Begins to fetch the first entries, where the engine must wait for them.
    pub(in crate::operator) fn fetch(&mut self) -> Result<()> {
        self.scan.fetch()
    }

    /// Adds entries. Returns true if the batch is full, false if there are no more entries.
    pub(in crate::operator) fn read(
        &mut self,
        sink: &mut EntrySink<'_>,
        cursor: &mut CursorUse,
        context: &mut ExecutionContext,
        bytes: usize,
    ) -> Result<bool> {
        let mut host = Host::new(context, &mut self.charge);
        let is_full = fill(self.scan.as_mut(), sink, &mut host, bytes);
        let ScanStatistics { seeks, entries, cache } = host.work();
        cursor.count(std::mem::take(&mut self.uncounted), &mut context.statistics);
        context.statistics.seeks += seeks;
        context.statistics.scanned_index += entries;
        context.statistics.cache += cache;
        is_full
    }

    /// Releases all that pins memory in the storage engine.
    pub(in crate::operator) fn release(&mut self) {
        self.scan.release();
    }
}

fn fill(
    scan: &mut dyn EntryScan,
    sink: &mut EntrySink<'_>,
    host: &mut Host<'_>,
    bytes: usize,
) -> Result<bool> {
    let mut document_bytes = 0;
    while sink.room() > 0 {
        let Some(entries) = scan.next_block(BlockLimits { rows: sink.room(), bytes }, host)? else {
            return Ok(false);
        };
        sink.push_all(&entries);
        // Documents that the scan reads count by their bytes rather than by their number.
        document_bytes += entries.document_bytes();
        if document_bytes > 0 && document_bytes >= bytes {
            break;
        }
    }
    Ok(true)
}

impl EntrySink<'_> {
    fn push_all(&mut self, entries: &IndexEntries) {
        for position in 0..entries.len() {
            let document = entries.document(position);
            let document = document.map_or(Value::Null, |found| Value::in_block(&found.block, found.offset));
            self.push(entries.key(position), || covered(entries, position), document);
        }
    }
}

/// Returns the covered values of an entry; null if there are none.
pub(in crate::operator) fn covered(entries: &IndexEntries, position: usize) -> Value {
    match entries.covered_offset(position) {
        Some(offset) => Value::in_block(entries.block(), offset),
        None => Value::Null,
    }
}

/// The query, as scans see it.
pub(in crate::operator) struct Host<'a> {
    interrupt: &'a Interrupt,
    memory: &'a Arc<MemoryAccount>,
    charge: &'a mut Option<Charge>,
    statistics: ScanStatistics,
}

impl<'a> Host<'a> {
    /// Creates a host that charges what the scan keeps to the query's memory with `charge`.
    pub(in crate::operator) fn new(context: &'a ExecutionContext, charge: &'a mut Option<Charge>) -> Self {
        let (interrupt, memory) = (&context.interrupt, &context.memory);
        Host { interrupt, memory, charge, statistics: ScanStatistics::default() }
    }

    /// Returns the work that the scan has done.
    pub(in crate::operator) fn work(&self) -> ScanStatistics {
        self.statistics
    }
}

impl ScanHost for Host<'_> {
    fn check(&self) -> Result<()> {
        self.interrupt.check()
    }

    fn keep(&mut self, bytes: u64) -> Result<()> {
        let charge = self.charge.get_or_insert_with(|| Charge::new(Arc::clone(self.memory)));
        match bytes.checked_sub(charge.bytes()) {
            Some(more) => charge.grow(more),
            None => {
                charge.shrink(charge.bytes() - bytes);
                Ok(())
            }
        }
    }

    fn statistics(&mut self) -> &mut ScanStatistics {
        &mut self.statistics
    }
}
