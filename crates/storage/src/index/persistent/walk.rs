//! Look-ups in a persistent index that follow each other in its order.

use std::ops::Range;
use std::sync::Arc;

use kv::{BlockLimits, KeyRange, Scan, ScanSpec, Snapshot};

use crate::Result;
use crate::index::Index;
use crate::index::bounds::IndexBounds;
use crate::index::found::IndexEntries;

/// Entries that are read behind a search; twice as many with each step behind that.
const FIRST_ROWS: usize = 16;
const MOST_ROWS: usize = 1024;
/// Most bytes that are read in one step.
const STEP_BYTES: usize = 1 << 20;

/// Finds the entries whose leading fields equal some values, one look-up after the other. A look-up that lies a little
/// behind the last one needs no search of the index; look-ups in any other order are answered too.
pub struct IndexWalk {
    snapshot: Arc<dyn Snapshot>,
    index: Arc<Index>,
    whole: KeyRange,
    collection: Arc<str>,
    /// `None` before the first look-up.
    scan: Option<Box<dyn Scan>>,
    /// Entries of the next step.
    rows: usize,
    /// What was read last: all entries from the key `from` on, up to the last one.
    entries: IndexEntries,
    keys: Vec<Range<usize>>,
    from: Vec<u8>,
    /// Nothing is behind the entries read last.
    is_at_end: bool,
    /// The look-up before had to search: look-ups are far from each other.
    is_sparse: bool,
    /// The next entry to look at.
    position: usize,
    /// What the keys of the entries wanted begin with.
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

    /// Goes to the first entry whose leading fields equal those of the bounds (what else they say is not looked at);
    /// whether the index had to be searched.
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
        // One step further, unless that did not help the last time: what is not there is far away.
        let is_found = !self.is_sparse && self.read_on()? && self.skip();
        if is_found || self.is_at_end {
            return Ok(false);
        }
        self.is_sparse = true;
        self.search()
    }

    /// The next entries that were looked up, at most so many, as positions in [`IndexWalk::entries`]; `None` after the
    /// last.
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

    /// The entries read last.
    pub fn entries(&self) -> &IndexEntries {
        &self.entries
    }

    /// Lets go of what pins memory in the engine.
    pub fn release(&mut self) {
        self.scan.iter_mut().for_each(|scan| scan.release());
    }

    fn key(&self, range: &Range<usize>) -> &[u8] {
        self.entries.block().bytes.get(range.clone()).unwrap_or_default()
    }

    /// Goes to the first entry read that is not before those wanted; false if all are.
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

    /// Reads the entries behind those read last; false if there are none, and these stay.
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
