//! Scans over multi-dimensional indexes: the documents within a box.

use std::sync::Arc;

use kv::{BlockLimits, KeyRange, Scan, ScanSpec, Snapshot};
use velocypack::Slice;

use super::index::IndexEntries;
use crate::encoding::entry;
use crate::encoding::zorder::{ZBox, coordinate, interleave, separate};
use crate::{Collection, Error, Index, Result};

/// Entries read at first behind a jump; doubled as long as they are within the box.
const FIRST_ROWS: usize = 16;
/// Bytes of a coordinate in a key.
const COORDINATE_BYTES: usize = 8;

/// The documents whose prefix attributes equal some values and whose fields lie in a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxBounds {
    /// The sort keys of the values for the prefix attributes.
    prefix: Vec<u8>,
    zbox: ZBox,
}

impl BoxBounds {
    /// The whole space of so many fields.
    pub fn all(fields: usize) -> Self {
        BoxBounds { prefix: Vec::new(), zbox: ZBox { low: vec![0; fields], high: vec![u64::MAX; fields] } }
    }

    /// The next prefix attribute equals `value`. `collection` resolves an `_id` marker in it.
    pub fn push_equal(&mut self, value: Slice<'_>, collection: Option<&str>) {
        velocypack::order::sort_key_with(value, collection, &mut self.prefix);
    }

    /// Field `field` is at least the value; what is before all numbers in AQL's order leaves null out only if it is
    /// behind null, and nothing is behind values that come after all numbers. Whether equality counts is for the caller
    /// to check.
    pub fn set_lower(&mut self, field: usize, value: Slice<'_>) {
        let bound = match place_of(value) {
            Place::Null => 0,
            Place::Before => 1,
            Place::Number(coordinate) => coordinate,
            Place::Behind => {
                // Nothing is greater: an empty box.
                if let Some(high) = self.zbox.high.get_mut(field) {
                    *high = 0;
                }
                1
            }
        };
        if let Some(low) = self.zbox.low.get_mut(field) {
            *low = (*low).max(bound);
        }
    }

    /// Field `field` is at most the value.
    pub fn set_upper(&mut self, field: usize, value: Slice<'_>) {
        let bound = match place_of(value) {
            Place::Null | Place::Before => 0,
            Place::Number(coordinate) => coordinate,
            Place::Behind => u64::MAX,
        };
        if let Some(high) = self.zbox.high.get_mut(field) {
            *high = (*high).min(bound);
        }
    }
}

/// Where a value stands among numbers and null.
enum Place {
    Null,
    /// Between null and the numbers.
    Before,
    Number(u64),
    /// Behind the numbers.
    Behind,
}

fn place_of(value: Slice<'_>) -> Place {
    if value.is_null() || value.is_none() {
        return Place::Null;
    }
    match value.as_f64() {
        Some(number) => Place::Number(coordinate(number)),
        None if value.is_bool() => Place::Before,
        None => Place::Behind,
    }
}

/// A scan in progress.
pub struct BoxScan {
    snapshot: Arc<dyn Snapshot>,
    collection: Arc<str>,
    unique: bool,
    zbox: ZBox,
    /// The object id and the prefix, which all keys start with.
    start: Vec<u8>,
    scan: Option<Box<dyn Scan>>,
    /// How many entries are read in the next step.
    rows: usize,
    /// How many entries in a row may lie outside of the box before the scan jumps, and how many the last ones were.
    lookahead: u64,
    outside: u64,
    seeks: u64,
}

impl BoxScan {
    pub(crate) fn start(
        snapshot: &Arc<dyn Snapshot>,
        collection: &Collection,
        index: &Index,
        bounds: &BoxBounds,
        lookahead: u64,
    ) -> Result<Self> {
        let mut start = Vec::new();
        entry::start_key(index.definition().object_id, &mut start);
        start.extend_from_slice(&bounds.prefix);
        let mut scan = BoxScan {
            snapshot: Arc::clone(snapshot),
            collection: Arc::clone(collection.shared_name()),
            unique: index.is_unique(),
            zbox: bounds.zbox.clone(),
            start,
            scan: None,
            rows: FIRST_ROWS,
            lookahead,
            outside: 0,
            seeks: 0,
        };
        if !scan.zbox.is_empty() {
            scan.jump(&scan.zbox.low.clone())?;
        }
        Ok(scan)
    }

    /// Goes on with the first entry at or behind a point of the box.
    fn jump(&mut self, point: &[u64]) -> Result<()> {
        let key = |point: &[u64]| {
            let mut key = self.start.clone();
            interleave(point, &mut key);
            key
        };
        // What is behind the last corner is not in the box; entries of the corner itself have more bytes behind it.
        let range = KeyRange { start: key(point), end: KeyRange::prefix(&key(&self.zbox.high)).end };
        self.scan = Some(self.snapshot.scan(ScanSpec::forward(range))?);
        self.rows = FIRST_ROWS;
        self.outside = 0;
        self.seeks += 1;
        Ok(())
    }

    /// How often the scan has looked for a place in the index since it was last asked.
    pub fn take_seeks(&mut self) -> u64 {
        std::mem::take(&mut self.seeks)
    }

    /// The next entries and which of them are in the box, or `None` after the last.
    ///
    /// Errors: 1102 for a damaged entry.
    pub fn next_block(&mut self, limits: BlockLimits) -> Result<Option<(IndexEntries, Vec<bool>)>> {
        let Some(scan) = &mut self.scan else { return Ok(None) };
        let limits = BlockLimits { rows: self.rows.min(limits.rows).max(1), bytes: limits.bytes };
        let Some(block) = scan.next_block(limits)? else {
            self.scan = None;
            return Ok(None);
        };
        let mut within = Vec::with_capacity(block.len());
        let mut last_outside = None;
        for position in 0..block.len() {
            let point = self.point_of(block.key(position)).ok_or_else(damaged)?;
            let is_within = self.zbox.contains(&point);
            within.push(is_within);
            self.outside = if is_within { 0 } else { self.outside + 1 };
            last_outside = (!is_within).then_some(point);
        }
        match last_outside {
            None => self.rows = self.rows.saturating_mul(2),
            Some(_) if self.outside <= self.lookahead => {
                let left = usize::try_from(self.lookahead - self.outside).unwrap_or(usize::MAX);
                self.rows = FIRST_ROWS.min(left.saturating_add(1));
            }
            Some(point) => match self.zbox.next_behind(&point) {
                Some(next) => self.jump(&next)?,
                None => self.scan = None,
            },
        }
        let entries = IndexEntries::of_block(block, self.unique, &self.collection)?;
        Ok(Some((entries, within)))
    }

    fn point_of(&self, key: &[u8]) -> Option<Vec<u64>> {
        let dimensions = self.zbox.low.len();
        let coordinates = key.get(self.start.len()..)?.get(..dimensions * COORDINATE_BYTES)?;
        separate(coordinates, dimensions)
    }

    /// Lets go of what pins memory in the engine. The next block goes on where the last one ended.
    pub fn release(&mut self) {
        if let Some(scan) = &mut self.scan {
            scan.release();
        }
    }
}

fn damaged() -> Error {
    Error::corrupt("a multi-dimensional index has a damaged entry")
}
