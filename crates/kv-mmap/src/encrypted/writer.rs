//! Writes to the tables in one transaction of redb.

use kv::{KeyRange, Result};
use redb::{ReadableTable, Table, WriteTransaction};

use super::view::{as_slice, bounds};
use super::{APPLIED, PAIR_BYTES, PAIRS, SAMPLES, STATE, number};
use crate::error::map_redb;
use crate::samples::{self, SETS};

/// The tables in a transaction that writes them.
pub(crate) struct Writer<'t> {
    pairs: Table<'t, &'static [u8], &'static [u8]>,
    samples: Table<'t, &'static [u8], &'static [u8]>,
    state: Table<'t, &'static [u8], &'static [u8]>,
    /// The bytes in keys and values of all pairs.
    pair_bytes: u64,
}

impl<'t> Writer<'t> {
    /// Opens the tables, and creates those of a new file.
    pub(super) fn open(transaction: &'t WriteTransaction) -> Result<Self> {
        let opened = || -> std::result::Result<_, redb::Error> {
            Ok((
                transaction.open_table(PAIRS)?,
                transaction.open_table(SAMPLES)?,
                transaction.open_table(STATE)?,
            ))
        };
        let (pairs, samples, state) = opened().map_err(map_redb("opening the tables"))?;
        let value = state.get(PAIR_BYTES).map_err(map_redb("reading"))?;
        let pair_bytes = number(value.as_ref().map(|value| value.value()))?;
        drop(value);
        Ok(Writer { pairs, samples, state, pair_bytes })
    }

    pub(crate) fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let failed = map_redb("writing the tables");
        let bytes = key.len() as u64 + value.len() as u64;
        for stored in samples::stored_keys(key) {
            self.samples.insert(stored.as_slice(), bytes.to_le_bytes().as_slice()).map_err(&failed)?;
        }
        let old = self.pairs.insert(key, value).map_err(&failed)?;
        let old_bytes = old.map_or(0, |old| key.len() + old.value().len());
        self.pair_bytes = (self.pair_bytes + bytes).saturating_sub(old_bytes as u64);
        Ok(())
    }

    pub(crate) fn delete(&mut self, key: &[u8]) -> Result<()> {
        let failed = map_redb("writing the tables");
        for stored in samples::stored_keys(key) {
            self.samples.remove(stored.as_slice()).map_err(&failed)?;
        }
        let old = self.pairs.remove(key).map_err(&failed)?;
        let old_bytes = old.map_or(0, |old| key.len() + old.value().len());
        self.pair_bytes = self.pair_bytes.saturating_sub(old_bytes as u64);
        Ok(())
    }

    /// Deletes all pairs of a range.
    pub(crate) fn delete_range(&mut self, range: &KeyRange) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let mut old_bytes = 0;
        let deleted = self.pairs.retain_in::<&[u8], _>(bounds(range), |key, value| {
            old_bytes += key.len() as u64 + value.len() as u64;
            false
        });
        deleted.map_err(map_redb("deleting a range"))?;
        self.pair_bytes = self.pair_bytes.saturating_sub(old_bytes);
        for set in SETS {
            let bounds = samples::bounds(set, range);
            let bounds = (as_slice(&bounds.first), as_slice(&bounds.last));
            let deleted = self.samples.retain_in::<&[u8], _>(bounds, |_, _| false);
            deleted.map_err(map_redb("deleting samples"))?;
        }
        Ok(())
    }

    /// Notes the last record of the log whose writes are in the tables.
    pub(crate) fn set_applied(&mut self, sequence: u64) -> Result<()> {
        self.write_number(APPLIED, sequence)
    }

    /// Writes the number of bytes in the pairs. The transaction may be committed then.
    pub(super) fn finish(mut self) -> Result<()> {
        self.write_number(PAIR_BYTES, self.pair_bytes)
    }

    fn write_number(&mut self, name: &[u8], number: u64) -> Result<()> {
        let put = self.state.insert(name, number.to_le_bytes().as_slice());
        put.map(drop).map_err(map_redb("writing the tables"))
    }
}
