//! Writes to the tables in one transaction of LMDB, which is synced when it commits.

use heed::{PutFlags, RwTxn};
use kv::{Error, KeyRange, Result};

use super::environment::{Environment, Tables};
use super::keys::{self, Level, PART_BYTES};
use super::samples;
use crate::error::map;

/// The key of the sequence number of the last record of the log that is in the tables.
const APPLIED: &[u8] = b"applied";

/// The key of the number of the next level of long keys.
const NEXT_LEVEL: &[u8] = b"next level";

/// The number of long keys per deletion when a range is dropped.
const LONG_KEYS_AT_ONCE: usize = 1_000;

/// A transaction that writes the tables. Dropped without a commit, it changes nothing.
pub(crate) struct Writer<'e> {
    transaction: RwTxn<'e>,
    tables: Tables,
    /// True while each key was greater than all stored keys, so that pages are filled.
    appends: bool,
}

impl<'e> Writer<'e> {
    pub(crate) fn begin(environment: &'e Environment) -> Result<Self> {
        let transaction = environment.begin_write()?;
        Ok(Writer { transaction, tables: environment.tables, appends: false })
    }

    /// Begins a run of keys in ascending order.
    pub(crate) fn begin_ascending(&mut self, first: &[u8]) -> Result<()> {
        let last = self.tables.pairs.last(&self.transaction).map_err(map("reading"))?;
        self.appends = last.is_none_or(|(last, _)| last < first);
        Ok(())
    }

    pub(crate) fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        samples::note_put(self.tables.samples, &mut self.transaction, key, key.len() + value.len())?;
        if key.len() <= PART_BYTES {
            let flags = if self.appends { PutFlags::APPEND } else { PutFlags::empty() };
            let put = self.tables.pairs.put_with_flags(&mut self.transaction, flags, key, value);
            return put.map_err(map("writing the tables"));
        }
        // The link may be greater than the next whole key.
        self.appends = false;
        let (mut level, mut rest) = (Level::TOP, key);
        while rest.len() > PART_BYTES {
            level = self.follow_or_create(level, rest)?;
            rest = rest.get(PART_BYTES..).unwrap_or_default();
        }
        let put = level.table(&self.tables).put(&mut self.transaction, &level.stored(rest), value);
        put.map_err(map("writing the tables"))
    }

    /// Returns the level below the link of a rest. Creates it if it is missing.
    fn follow_or_create(&mut self, level: Level, rest: &[u8]) -> Result<Level> {
        let (table, link) = (level.table(&self.tables), level.link(rest));
        if let Some(value) = table.get(&self.transaction, &link).map_err(map("reading"))? {
            return Level::of_link(value);
        }
        let number = read_number(&self.tables, &self.transaction, NEXT_LEVEL)?;
        self.write_number(NEXT_LEVEL, number + 1)?;
        let put = table.put(&mut self.transaction, &link, &number.to_be_bytes());
        put.map_err(map("writing the tables"))?;
        Ok(Level::numbered(number))
    }

    pub(crate) fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.appends = false;
        samples::note_delete(self.tables.samples, &mut self.transaction, key)?;
        if key.len() <= PART_BYTES {
            let deleted = self.tables.pairs.delete(&mut self.transaction, key);
            return deleted.map(|_| ()).map_err(map("writing the tables"));
        }
        self.delete_below(Level::TOP, key).map(|_| ())
    }

    /// Deletes a rest of a level, and the links that then lead nowhere. Returns true if the level
    /// is then empty and is not the top one.
    fn delete_below(&mut self, level: Level, rest: &[u8]) -> Result<bool> {
        let table = level.table(&self.tables);
        let stored = match rest.split_at_checked(PART_BYTES).filter(|(_, further)| !further.is_empty()) {
            None => level.stored(rest),
            Some((_, further)) => {
                let link = level.link(rest);
                let value = table.get(&self.transaction, &link).map_err(map("reading"))?;
                let Some(below) = value.map(Level::of_link).transpose()? else { return Ok(false) };
                if !self.delete_below(below, further)? {
                    return Ok(false);
                }
                link
            }
        };
        table.delete(&mut self.transaction, &stored).map_err(map("writing the tables"))?;
        if level == Level::TOP {
            return Ok(false);
        }
        let mut others = table.prefix_iter(&self.transaction, &level.prefix()).map_err(map("reading"))?;
        Ok(others.next().is_none())
    }

    /// Deletes all pairs of a range.
    pub(crate) fn delete_range(&mut self, range: &KeyRange) -> Result<()> {
        self.appends = false;
        if range.is_empty() {
            return Ok(());
        }
        let Tables { pairs, long, samples, .. } = self.tables;
        if *range == KeyRange::all() {
            return [pairs, long, samples].into_iter().try_for_each(|table| {
                table.clear(&mut self.transaction).map_err(map("clearing the tables"))
            });
        }
        self.delete_long_keys(range)?;
        let deleted = pairs.delete_range(&mut self.transaction, &keys::whole_bounds(range));
        deleted.map_err(map("deleting a range"))?;
        samples::note_delete_range(samples, &mut self.transaction, range)
    }

    fn delete_long_keys(&mut self, range: &KeyRange) -> Result<()> {
        if self.tables.long.is_empty(&self.transaction).map_err(map("reading"))? {
            return Ok(());
        }
        let mut range = range.clone();
        loop {
            let mut found = Vec::new();
            keys::walk(&self.tables, &self.transaction, &range, false, &mut |key, _| {
                if key.len() > PART_BYTES {
                    found.push(key.to_vec());
                }
                found.len() < LONG_KEYS_AT_ONCE
            })?;
            let Some(last) = found.last() else { return Ok(()) };
            range = range.remainder(last, false);
            found.iter().try_for_each(|key| self.delete(key))?;
        }
    }

    /// Notes the last record of the log whose writes are in the tables.
    pub(crate) fn set_applied(&mut self, sequence: u64) -> Result<()> {
        self.write_number(APPLIED, sequence)
    }

    fn write_number(&mut self, key: &[u8], number: u64) -> Result<()> {
        let put = self.tables.state.put(&mut self.transaction, key, &number.to_le_bytes());
        put.map_err(map("writing the tables"))
    }

    /// Commits and syncs. On an error nothing was written, or the same writes may be repeated.
    pub(crate) fn commit(self) -> Result<()> {
        self.transaction.commit().map_err(map("committing to the tables"))
    }
}

impl Environment {
    /// Returns the sequence number of the last record of the log that is in the tables.
    pub(crate) fn applied(&self) -> Result<u64> {
        let transaction = self.begin_read().map_err(map("reading"))?;
        read_number(&self.tables, &transaction, APPLIED)
    }
}

fn read_number(tables: &Tables, transaction: &heed::RoTxn<'_>, key: &[u8]) -> Result<u64> {
    let value = tables.state.get(transaction, key).map_err(map("reading"))?;
    let damaged = || Error::Corrupt { reason: format!("the number '{}' has no 8 bytes", key.escape_ascii()) };
    value.map_or(Ok(0), |value| value.try_into().map(u64::from_le_bytes).map_err(|_| damaged()))
}
