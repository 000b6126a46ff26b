//! Scans over persistent indexes, in AQL's order of the indexed values.

use std::sync::Arc;

use kv::{BlockLimits, KeyRange, Scan, ScanSpec, Snapshot};
use velocypack::{Block, Slice};

use crate::documents::block_of;
use crate::encoding::entry;
use crate::{Collection, Error, Index, Result};

/// Which entries of an index to visit: those whose leading fields equal some values and whose next field lies between
/// two bounds. The default is all entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexBounds {
    /// The sort keys of the values for the leading fields.
    prefix: Vec<u8>,
    fields: usize,
    lower: Option<Bound>,
    upper: Option<Bound>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Bound {
    sort_key: Vec<u8>,
    inclusive: bool,
}

impl IndexBounds {
    /// All entries.
    pub fn all() -> Self {
        IndexBounds::default()
    }

    /// The next leading field equals `value`. `collection` resolves an `_id` marker in it.
    pub fn push_equal(&mut self, value: Slice<'_>, collection: Option<&str>) {
        velocypack::order::sort_key_with(value, collection, &mut self.prefix);
        self.fields += 1;
    }

    /// The field behind the leading ones is greater than `value`, or equal to it where `inclusive`.
    pub fn set_lower(&mut self, value: Slice<'_>, collection: Option<&str>, inclusive: bool) {
        self.lower = Some(Bound::new(value, collection, inclusive));
    }

    /// Leaves out entries up to and including those whose fields (from the first on, one call a field) equal `value`.
    /// Not to be combined with other bounds.
    pub fn extend_skipped(&mut self, value: Slice<'_>, collection: Option<&str>) {
        let bound = self.lower.get_or_insert(Bound { sort_key: Vec::new(), inclusive: false });
        velocypack::order::sort_key_with(value, collection, &mut bound.sort_key);
    }

    /// The field behind the leading ones is less than `value`, or equal to it where `inclusive`.
    pub fn set_upper(&mut self, value: Slice<'_>, collection: Option<&str>, inclusive: bool) {
        self.upper = Some(Bound::new(value, collection, inclusive));
    }

    /// Fields that are compared for equality.
    pub fn equal_fields(&self) -> usize {
        self.fields
    }

    /// What the keys of the entries start with; in a unique index, with all fields given, the whole key.
    pub(super) fn start(&self, index: &Index) -> Vec<u8> {
        let mut start = Vec::with_capacity(crate::encoding::OBJECT_ID_BYTES + self.prefix.len());
        entry::start_key(index.definition().object_id, &mut start);
        start.extend_from_slice(&self.prefix);
        start
    }

    /// Where the entries lie.
    pub(crate) fn range(&self, index: &Index) -> KeyRange {
        let prefix = self.start(index);
        let whole = KeyRange::prefix(&prefix);
        let with = |bound: &Bound| [prefix.as_slice(), &bound.sort_key].concat();
        let start = match &self.lower {
            None => whole.start,
            Some(bound) if bound.inclusive => with(bound),
            Some(bound) => KeyRange::prefix(&with(bound)).end,
        };
        let end = match &self.upper {
            None => whole.end,
            Some(bound) if bound.inclusive => KeyRange::prefix(&with(bound)).end,
            Some(bound) => with(bound),
        };
        KeyRange { start, end }
    }
}

impl Bound {
    fn new(value: Slice<'_>, collection: Option<&str>, inclusive: bool) -> Self {
        let mut sort_key = Vec::new();
        velocypack::order::sort_key_with(value, collection, &mut sort_key);
        Bound { sort_key, inclusive }
    }
}

/// A scan in progress.
pub struct IndexScan {
    scan: Box<dyn Scan>,
    collection: Arc<str>,
    unique: bool,
}

impl IndexScan {
    pub(crate) fn start(
        snapshot: &dyn Snapshot,
        collection: &Collection,
        index: &Index,
        bounds: &IndexBounds,
        reverse: bool,
    ) -> Result<Self> {
        let spec = ScanSpec { reverse, ..ScanSpec::forward(bounds.range(index)) };
        Ok(IndexScan {
            scan: snapshot.scan(spec)?,
            collection: Arc::clone(collection.shared_name()),
            unique: index.definition().properties.unique,
        })
    }

    /// The next entries, or `None` after the last. A document may have several entries where an array is expanded.
    ///
    /// Errors: 1102 for a damaged entry.
    pub fn next_block(&mut self, limits: BlockLimits) -> Result<Option<IndexEntries>> {
        let Some(block) = self.scan.next_block(limits)? else { return Ok(None) };
        IndexEntries::of_block(block, self.unique, &self.collection).map(Some)
    }

    /// Lets go of what pins memory in the engine. The next block goes on where the last one ended.
    pub fn release(&mut self) {
        self.scan.release();
    }
}

/// Looks entries of a unique index up in one batch. Each look-up compares all fields for equality.
pub(crate) fn look_up(
    read: impl FnOnce(&[&[u8]]) -> kv::Result<kv::Values>,
    collection: &Collection,
    index: &Index,
    lookups: &[IndexBounds],
) -> Result<(IndexEntries, Vec<usize>)> {
    let keys: Vec<Vec<u8>> = lookups.iter().map(|lookup| lookup.start(index)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    IndexEntries::of_values(read(&keys)?, collection.shared_name())
}

/// Entries of an index.
#[derive(Clone, Debug)]
pub struct IndexEntries {
    /// The bytes of all entries.
    block: Arc<Block>,
    entries: Vec<EntryPosition>,
}

#[derive(Clone, Copy, Debug)]
struct EntryPosition {
    key_start: u32,
    key_bytes: u8,
    covered: u32,
}

impl IndexEntries {
    pub(super) fn of_block(block: kv::Block, unique: bool, collection: &Arc<str>) -> Result<Self> {
        let (bytes, pairs) = block.into_parts();
        let mut entries = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            let start = pair.key_start as usize;
            let position = bytes.get(start..pair.value_end as usize).and_then(|entry| {
                EntryPosition::read(entry, start, pair.value_start as usize - start, unique)
            });
            entries.push(position.ok_or_else(|| Error::corrupt("an index has a damaged entry"))?);
        }
        Ok(IndexEntries { block: Arc::new(block_of(bytes, collection)), entries })
    }

    /// What a look-up in a unique index answered, and for each entry which of the look-ups found it.
    fn of_values(values: kv::Values, collection: &Arc<str>) -> Result<(Self, Vec<usize>)> {
        let (bytes, ranges) = values.into_parts();
        let (mut entries, mut positions) = (Vec::new(), Vec::new());
        for (position, range) in ranges.into_iter().enumerate() {
            let Some(range) = range else { continue };
            let (start, end) = (range.start as usize, range.end as usize);
            let entry = bytes.get(start..end).and_then(|value| EntryPosition::read(value, start, 0, true));
            entries.push(entry.ok_or_else(|| Error::corrupt("an index has a damaged entry"))?);
            positions.push(position);
        }
        Ok((IndexEntries { block: Arc::new(block_of(bytes, collection)), entries }, positions))
    }

    /// No entries.
    pub(super) fn empty() -> Self {
        IndexEntries { block: Arc::new(Block { bytes: Vec::new(), collection: None }), entries: Vec::new() }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The bytes that the covered values lie in.
    pub fn block(&self) -> &Arc<Block> {
        &self.block
    }

    /// The `_key` of entry `i`'s document; empty if there is no entry `i`.
    pub fn key(&self, i: usize) -> &str {
        let Some(entry) = self.entries.get(i) else { return "" };
        let start = entry.key_start as usize;
        let bytes = self.block.bytes.get(start..start + usize::from(entry.key_bytes));
        std::str::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
    }

    /// Where entry `i`'s covered values start in the block: an array of the indexed fields' values, then the stored
    /// values; see [`Index::covered_position`].
    pub fn covered_offset(&self, i: usize) -> Option<u32> {
        self.entries.get(i).map(|entry| entry.covered)
    }

    /// Entry `i`'s covered values.
    pub fn covered(&self, i: usize) -> Option<Slice<'_>> {
        self.covered_offset(i).map(|offset| self.block.slice(offset as usize))
    }

    /// The keys of all documents, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.key(i))
    }
}

impl EntryPosition {
    fn read(entry: &[u8], start: usize, value_start: usize, unique: bool) -> Option<Self> {
        let layout = entry::layout(entry, value_start, unique)?;
        std::str::from_utf8(entry.get(layout.key.clone())?).ok()?;
        Some(EntryPosition {
            key_start: u32::try_from(start + layout.key.start).ok()?,
            key_bytes: u8::try_from(layout.key.len()).ok()?,
            covered: u32::try_from(start + layout.covered).ok()?,
        })
    }
}
