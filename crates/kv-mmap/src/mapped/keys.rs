//! Keys of any length over tables whose keys have a greatest length.
//!
//! A key of at most [`PART_BYTES`] is stored as it is. A longer one is cut into parts. Its first
//! part followed by a zero byte, one byte longer than any whole key, is a *link*: its value is
//! the number of a level. The rest of the key is stored in the table of long keys after that
//! number, by the same rule. So the order of stored keys is the order of keys at each level, and
//! reading and writing a long key takes one lookup for each part.

use std::ops::Bound;

use heed::RoTxn;
use kv::{Error, KeyRange, Result};

use super::environment::{Table, Tables};
use crate::error::map;
use crate::samples::StoredRange;

/// The maximum length of one part of a key. With the number of a level and the byte of a link it
/// stays below LMDB's limit, 1,982 bytes with pages of 4 KiB.
pub(super) const PART_BYTES: usize = 1_900;

/// The keys with the same beginning: all keys, or the rests of those that share whole parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Level(Option<u64>);

/// The place of a key: its level, and the rest that is stored there whole.
pub(super) struct Place<'a> {
    pub(super) level: Level,
    pub(super) rest: &'a [u8],
}

impl Level {
    /// The level of whole keys.
    pub(super) const TOP: Level = Level(None);

    /// Returns the level with this number.
    pub(super) fn numbered(number: u64) -> Self {
        Level(Some(number))
    }

    /// Returns the level that the value of a link names.
    pub(super) fn of_link(value: &[u8]) -> Result<Self> {
        let number = value.try_into().map(u64::from_be_bytes);
        let damaged = |_| Error::Corrupt { reason: "a link of a long key has no number".to_owned() };
        number.map(Level::numbered).map_err(damaged)
    }

    pub(super) fn table(self, tables: &Tables) -> Table {
        if self.0.is_some() { tables.long } else { tables.pairs }
    }

    /// Returns the stored key of a rest of at most [`PART_BYTES`].
    pub(super) fn stored(self, rest: &[u8]) -> Vec<u8> {
        let mut stored = self.prefix();
        stored.extend_from_slice(rest);
        stored
    }

    /// Returns the stored key of the link of a longer rest.
    pub(super) fn link(self, rest: &[u8]) -> Vec<u8> {
        let mut stored = self.stored(rest.get(..PART_BYTES).unwrap_or(rest));
        stored.push(0);
        stored
    }

    /// Returns the beginning of all stored keys of the level.
    pub(super) fn prefix(self) -> Vec<u8> {
        self.0.map_or_else(Vec::new, |number| number.to_be_bytes().to_vec())
    }

    fn prefix_bytes(self) -> usize {
        if self.0.is_some() { size_of::<u64>() } else { 0 }
    }

    /// Returns the bounds of the stored keys for the rests from `start` to below `end` (`None` for
    /// no end). A link counts as inside if a part of it may be in the range.
    fn bounds(self, start: &[u8], end: Option<&[u8]>) -> StoredRange {
        let first = if start.len() > PART_BYTES { self.link(start) } else { self.stored(start) };
        let first = if first.is_empty() { Bound::Unbounded } else { Bound::Included(first) };
        let last = match end {
            Some(end) if end.len() > PART_BYTES => Bound::Included(self.link(end)),
            Some(end) => Bound::Excluded(self.stored(end)),
            None => match kv::prefix_end(&self.prefix()) {
                end if end.is_empty() => Bound::Unbounded,
                end => Bound::Excluded(end),
            },
        };
        StoredRange { first, last }
    }
}

/// Returns true if a stored rest is a link.
fn is_link(rest: &[u8]) -> bool {
    rest.len() > PART_BYTES
}

/// Returns the place of a key, or `None` if a link to it is missing.
pub(super) fn place<'a>(
    tables: &Tables,
    transaction: &RoTxn<'_>,
    key: &'a [u8],
) -> Result<Option<Place<'a>>> {
    let (mut level, mut rest) = (Level::TOP, key);
    while let Some((_, further)) =
        rest.split_at_checked(PART_BYTES).filter(|(_, further)| !further.is_empty())
    {
        let link = level.table(tables).get(transaction, &level.link(rest)).map_err(map("reading"))?;
        let Some(value) = link else { return Ok(None) };
        level = Level::of_link(value)?;
        rest = further;
    }
    Ok(Some(Place { level, rest }))
}

/// Returns the value of a key.
pub(super) fn get<'t>(tables: &Tables, transaction: &'t RoTxn<'_>, key: &[u8]) -> Result<Option<&'t [u8]>> {
    if key.is_empty() {
        return Ok(None);
    }
    if key.len() <= PART_BYTES {
        return tables.pairs.get(transaction, key).map_err(map("reading"));
    }
    let Some(Place { level, rest }) = place(tables, transaction, key)? else { return Ok(None) };
    level.table(tables).get(transaction, &level.stored(rest)).map_err(map("reading"))
}

/// Passes the pairs of a range to `visit`, ascending or descending, until it returns false.
///
/// Returns false if `visit` did.
pub(super) fn walk(
    tables: &Tables,
    transaction: &RoTxn<'_>,
    range: &KeyRange,
    reverse: bool,
    visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
) -> Result<bool> {
    if range.is_empty() {
        return Ok(true);
    }
    let end = (!range.end.is_empty()).then_some(range.end.as_slice());
    let walk = Walk { tables, transaction, reverse };
    walk.level(Level::TOP, &mut Vec::new(), &range.start, end, visit)
}

struct Walk<'a, 't> {
    tables: &'a Tables,
    transaction: &'a RoTxn<'t>,
    reverse: bool,
}

impl Walk<'_, '_> {
    /// Visits the rests of one level. `beginning` is the part of the keys before them.
    fn level(
        &self,
        level: Level,
        beginning: &mut Vec<u8>,
        start: &[u8],
        end: Option<&[u8]>,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<bool> {
        let bounds = level.bounds(start, end);
        let table = level.table(self.tables);
        let skipped = level.prefix_bytes();
        let mut step = |stored: &[u8], value: &[u8]| -> Result<bool> {
            let rest = stored.get(skipped..).unwrap_or_default();
            if is_link(rest) {
                return self.below(rest, value, beginning, start, end, visit);
            }
            if beginning.is_empty() {
                return Ok(visit(rest, value));
            }
            let length = beginning.len();
            beginning.extend_from_slice(rest);
            let should_continue = visit(beginning, value);
            beginning.truncate(length);
            Ok(should_continue)
        };
        if self.reverse {
            for pair in table.rev_range(self.transaction, &bounds).map_err(map("scanning"))? {
                let (stored, value) = pair.map_err(map("scanning"))?;
                if !step(stored, value)? {
                    return Ok(false);
                }
            }
        } else {
            for pair in table.range(self.transaction, &bounds).map_err(map("scanning"))? {
                let (stored, value) = pair.map_err(map("scanning"))?;
                if !step(stored, value)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Visits the level below a link.
    fn below(
        &self,
        link: &[u8],
        value: &[u8],
        beginning: &mut Vec<u8>,
        start: &[u8],
        end: Option<&[u8]>,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<bool> {
        let part = link.get(..PART_BYTES).unwrap_or_default();
        // All rests below the link are longer than the part. A shorter bound lies before all of
        // them or after all of them, and the bounds of the upper level have decided that.
        let start = start.strip_prefix(part).unwrap_or_default();
        let end = end.and_then(|end| end.strip_prefix(part));
        let length = beginning.len();
        beginning.extend_from_slice(part);
        let should_continue = self.level(Level::of_link(value)?, beginning, start, end, visit);
        beginning.truncate(length);
        should_continue
    }
}

/// Returns the bounds of the whole stored keys of a range at the top level. Links to parts of long
/// keys at the range's ends are outside.
pub(super) fn whole_bounds(range: &KeyRange) -> StoredRange {
    let KeyRange { start, end } = range;
    let first = match start.len() {
        0 => Bound::Unbounded,
        1..=PART_BYTES => Bound::Included(start.clone()),
        _ => Bound::Excluded(Level::TOP.link(start)),
    };
    let last = match end.len() {
        0 => Bound::Unbounded,
        1..=PART_BYTES => Bound::Excluded(end.clone()),
        _ => Bound::Excluded(Level::TOP.link(end)),
    };
    StoredRange { first, last }
}
