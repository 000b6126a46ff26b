//! Lookups in a persistent index that ascend in its order.

use std::ops::Range;
use std::sync::Arc;

use errors::Result;
use kv::{BlockLimits, KeyRange, Scan, ScanSpec, Snapshot};

use crate::index::Index;
use crate::index::bounds::IndexBounds;
use crate::index::found::IndexEntries;

/// Entries in the first read after a search. The number doubles with each further read, up to
/// [`MOST_ROWS`].
const FIRST_ROWS: usize = 16;
const MOST_ROWS: usize = 1024;
/// Maximum size in bytes of one read.
const STEP_BYTES: usize = 1 << 20;

/// A finder of the entries whose leading fields equal some values, one lookup after another.
///
/// A lookup shortly after the previous one needs no search of the index. Lookups in any other
/// order also work.
pub struct IndexWalk {
    snapshot: Arc<dyn Snapshot>,
    index: Arc<Index>,
    whole: KeyRange,
    collection: Arc<str>,
    /// The current scan; `None` before the first lookup.
    scan: Option<Box<dyn Scan>>,
    /// Number of entries in the next read.
    rows: usize,
    /// The entries of the last read: all from the key `from` to the last one.
    entries: IndexEntries,
    keys: Vec<Range<usize>>,
    from: Vec<u8>,
    /// True if no entries follow those of the last read.
    is_at_end: bool,
    /// True if the previous lookup had to search, because lookups are far apart.
    is_sparse: bool,
    /// The position of the next entry to look at.
    position: usize,
    /// The prefix of the wanted entries' keys.
    wanted: Vec<u8>,
}

impl IndexWalk {
    pub(crate) fn new(snapshot: Arc<dyn Snapshot>, collection: &Arc<str>, index: &Arc<Index>) -> Self {
        IndexWalk {
            snapshot,
            index: Arc::clone(index),
            whole: IndexBounds::all().range(index),
            collection: Arc::clone(collection),
            scan: None,
            rows: FIRST_ROWS,
            entries: IndexEntries::empty(),
            keys: Vec::new(),
            from: Vec::new(),
            is_at_end: false,
            is_sparse: false,
            position: 0,
            wanted: Vec::new(),
        }
    }

    /// Moves to the first entry whose leading fields equal those of the bounds; other conditions of
    /// the bounds are ignored. Returns true if it had to search the index.
    ///
    /// Errors: 1102 for a damaged entry.
    pub fn go_to(&mut self, bounds: &IndexBounds) -> Result<bool> {
        self.wanted = bounds.start(&self.index);
        if self.scan.is_none() || self.wanted < self.from {
            return self.search();
        }
        if self.skip() {
            self.is_sparse = false;
            return Ok(false);
        }
        // Reads one step further, unless that did not help last time: the entry is then probably
        // far away.
        let is_found = !self.is_sparse && self.read_on()? && self.skip();
        if is_found || self.is_at_end {
            return Ok(false);
        }
        self.is_sparse = true;
        self.search()
    }

    /// Returns the positions in [`IndexWalk::entries`] of the next entries of the lookup, at most
    /// `most` of them; `None` after the last.
    ///
    /// Errors: 1102 for a damaged entry.
    pub fn next_entries(&mut self, most: usize) -> Result<Option<Range<usize>>> {
        if self.position >= self.keys.len() && !self.read_on()? {
            return Ok(None);
        }
        let ahead = self.keys.iter().skip(self.position).take(most);
        let found = ahead.take_while(|key| self.key(key).starts_with(&self.wanted)).count();
        let found = self.position..self.position + found;
        self.position = found.end;
        Ok((!found.is_empty()).then_some(found))
    }

    /// Returns the entries of the last read.
    pub fn entries(&self) -> &IndexEntries {
        &self.entries
    }

    /// Releases all that pins memory in the engine.
    pub fn release(&mut self) {
        self.scan.iter_mut().for_each(|scan| scan.release());
    }

    fn key(&self, range: &Range<usize>) -> &[u8] {
        self.entries.block().bytes.get(range.clone()).unwrap_or_default()
    }

    /// Moves to the first entry of the last read that is not before the wanted ones. Returns false
    /// if all are.
    fn skip(&mut self) -> bool {
        self.position = self.keys.partition_point(|key| self.key(key) < self.wanted.as_slice());
        self.position < self.keys.len()
    }

    fn search(&mut self) -> Result<bool> {
        let range = KeyRange { start: self.wanted.clone(), end: self.whole.end.clone() };
        self.scan = Some(self.snapshot.scan(ScanSpec::forward(range))?);
        self.rows = FIRST_ROWS;
        self.is_at_end = false;
        self.keys.clear();
        self.position = 0;
        self.from.clone_from(&self.wanted);
        self.read_on()?;
        Ok(true)
    }

    /// Reads the following entries. Returns false, and keeps the last ones, if there are none.
    fn read_on(&mut self) -> Result<bool> {
        let limits = BlockLimits { rows: self.rows, bytes: STEP_BYTES };
        let Some(scan) = self.scan.as_mut().filter(|_| !self.is_at_end) else { return Ok(false) };
        let Some(block) = scan.next_block(limits)? else {
            self.is_at_end = true;
            return Ok(false);
        };
        self.rows = (self.rows * 2).min(MOST_ROWS);
        if let Some(last) = self.keys.last() {
            self.from = self.key(last).to_vec();
            self.from.push(0);
        }
        self.keys = (0..block.len()).map(|entry| block.key_range(entry)).collect();
        self.entries = IndexEntries::of_block(block, self.index.is_unique(), &self.collection)?;
        self.position = 0;
        Ok(true)
    }
}
