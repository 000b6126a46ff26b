//! The reading of one state of the tables.

use std::ops::Bound;

use kv::{KeyRange, Result};
use redb::{Database, ReadOnlyTable, ReadableDatabase};

use super::{PAIRS, SAMPLES, STATE, number};
use crate::error::map_redb;
use crate::samples::{self, Sample};

type Table = ReadOnlyTable<&'static [u8], &'static [u8]>;

/// A state of the tables. redb keeps its pages while it is open.
pub(crate) struct View {
    pairs: Table,
    samples: Table,
    state: Table,
}

impl View {
    /// Opens the current state.
    pub(super) fn open(database: &Database) -> Result<Self> {
        let opened = || -> std::result::Result<_, redb::Error> {
            let transaction = database.begin_read()?;
            Ok(View {
                pairs: transaction.open_table(PAIRS)?,
                samples: transaction.open_table(SAMPLES)?,
                state: transaction.open_table(STATE)?,
            })
        };
        opened().map_err(map_redb("beginning to read the tables"))
    }

    /// Returns a number of the state.
    pub(super) fn number(&self, name: &[u8]) -> Result<u64> {
        let value = self.state.get(name).map_err(map_redb("reading"))?;
        number(value.as_ref().map(|value| value.value()))
    }

    /// Passes the value of a key to `read`.
    pub(crate) fn get<T>(&self, key: &[u8], read: impl FnOnce(Option<&[u8]>) -> T) -> Result<T> {
        let value = self.pairs.get(key).map_err(map_redb("reading"))?;
        Ok(read(value.as_ref().map(|value| value.value())))
    }

    /// Passes the pairs of a range to `visit`, ascending or descending, until it returns false.
    /// Returns false if `visit` did.
    pub(crate) fn walk(
        &self,
        range: &KeyRange,
        reverse: bool,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<bool> {
        if range.is_empty() {
            return Ok(true);
        }
        let mut pairs = self.pairs.range::<&[u8]>(bounds(range)).map_err(map_redb("scanning"))?;
        while let Some(pair) = if reverse { pairs.next_back() } else { pairs.next() } {
            let (key, value) = pair.map_err(map_redb("scanning"))?;
            if !visit(key.value(), value.value()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns samples of a range in ascending order.
    pub(crate) fn samples(&self, range: &KeyRange) -> Result<Vec<Sample>> {
        samples::enough(|set, found| {
            let bounds = samples::bounds(set, range);
            let bounds = (as_slice(&bounds.first), as_slice(&bounds.last));
            for pair in self.samples.range::<&[u8]>(bounds).map_err(map_redb("reading samples"))? {
                let (stored, bytes) = pair.map_err(map_redb("reading samples"))?;
                found.push(samples::sample(set, stored.value(), bytes.value()));
            }
            Ok(())
        })
    }
}

/// Returns the bounds of a range that is not empty.
pub(super) fn bounds(range: &KeyRange) -> (Bound<&[u8]>, Bound<&[u8]>) {
    let last = match range.end.as_slice() {
        [] => Bound::Unbounded,
        end => Bound::Excluded(end),
    };
    (Bound::Included(range.start.as_slice()), last)
}

pub(super) fn as_slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}
