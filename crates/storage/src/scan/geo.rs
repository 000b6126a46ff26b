//! Scans over geo-spatial indexes, cell range by cell range.

use std::sync::Arc;

use geometry::{CellRange, Position};
use kv::{Block, BlockLimits, KeyRange, Scan, ScanSpec, Snapshot};

use crate::encoding::geo::{CellKind, cell_range, key_range, read_value};
use crate::{Error, Index, Result};

/// Which entries are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeoEntryKind {
    /// One a document: its place, or the centroid of its shape.
    Places,
    /// Those of documents whose shape is no single place: one for each cell that covers it.
    Covers,
}

/// The entries in some ranges of cells, range after range.
pub struct GeoScan {
    snapshot: Arc<dyn Snapshot>,
    /// What is still to be visited, the next range last.
    pending: Vec<KeyRange>,
    scan: Option<Box<dyn Scan>>,
}

impl GeoScan {
    pub(crate) fn start(
        snapshot: &Arc<dyn Snapshot>,
        index: &Index,
        kind: GeoEntryKind,
        ranges: &[CellRange],
    ) -> Self {
        let object = index.definition().object_id;
        let kind = match kind {
            GeoEntryKind::Places => CellKind::Place,
            GeoEntryKind::Covers => CellKind::Cover,
        };
        let pending = ranges.iter().rev().map(|cells| cell_range(object, kind, *cells)).collect();
        GeoScan { snapshot: Arc::clone(snapshot), pending, scan: None }
    }

    /// The next entries, or `None` after the last.
    pub fn next_block(&mut self, limits: BlockLimits) -> Result<Option<GeoEntries>> {
        loop {
            if self.scan.is_none() {
                let Some(range) = self.pending.pop() else { return Ok(None) };
                self.scan = Some(self.snapshot.scan(ScanSpec::forward(range))?);
            }
            let block = self.scan.as_mut().map(|scan| scan.next_block(limits)).transpose()?.flatten();
            match block {
                Some(block) => return Ok(Some(GeoEntries { block })),
                None => self.scan = None,
            }
        }
    }

    /// Lets go of what pins memory in the engine. The next block goes on where the last one ended.
    pub fn release(&mut self) {
        if let Some(scan) = &mut self.scan {
            scan.release();
        }
    }
}

/// Some entries.
#[derive(Clone, Debug)]
pub struct GeoEntries {
    block: Block,
}

/// A document as the index knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeoEntry<'a> {
    /// The document's `_key`.
    pub key: &'a str,
    /// Its place, or the centroid of its shape.
    pub place: Position,
    /// Whether its shape is that single place.
    pub is_place: bool,
}

impl GeoEntries {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.block.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.block.is_empty()
    }

    /// The entries in order. Errors: 1102 for a damaged entry.
    pub fn iter(&self) -> impl Iterator<Item = Result<GeoEntry<'_>>> {
        (0..self.block.len()).map(|position| {
            entry(self.block.key(position), self.block.value(position))
                .ok_or_else(|| Error::corrupt("a geo index has a damaged entry"))
        })
    }
}

fn entry<'a>(key: &'a [u8], value: &'a [u8]) -> Option<GeoEntry<'a>> {
    let (place, is_place) = read_value(value)?;
    let key = std::str::from_utf8(key.get(key_range(key)?)?).ok()?;
    Some(GeoEntry { key, place, is_place })
}
