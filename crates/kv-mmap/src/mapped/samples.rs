//! The samples of keys in LMDB's tables.

use heed::{RoTxn, RwTxn};
use kv::{KeyRange, Result};

use super::environment::Table;
use crate::error::map;
use crate::samples::{self, SETS, Sample};

/// Notes that a pair of this many bytes was written.
pub(super) fn note_put(table: Table, transaction: &mut RwTxn<'_>, key: &[u8], bytes: usize) -> Result<()> {
    let bytes = (bytes as u64).to_le_bytes();
    for stored in samples::stored_keys(key) {
        table.put(transaction, &stored, &bytes).map_err(map("writing a sample"))?;
    }
    Ok(())
}

/// Notes that a key was deleted.
pub(super) fn note_delete(table: Table, transaction: &mut RwTxn<'_>, key: &[u8]) -> Result<()> {
    for stored in samples::stored_keys(key) {
        table.delete(transaction, &stored).map_err(map("deleting a sample"))?;
    }
    Ok(())
}

/// Notes that a range was deleted.
pub(super) fn note_delete_range(table: Table, transaction: &mut RwTxn<'_>, range: &KeyRange) -> Result<()> {
    for set in SETS {
        let bounds = samples::bounds(set, range);
        table.delete_range(transaction, &bounds).map_err(map("deleting samples"))?;
    }
    Ok(())
}

/// Returns samples of a range in ascending order: those of the thinnest set that has enough.
pub(super) fn of_range(table: Table, transaction: &RoTxn<'_>, range: &KeyRange) -> Result<Vec<Sample>> {
    samples::enough(|set, found| {
        let bounds = samples::bounds(set, range);
        for pair in table.range(transaction, &bounds).map_err(map("reading samples"))? {
            let (stored, bytes) = pair.map_err(map("reading samples"))?;
            found.push(samples::sample(set, stored, bytes));
        }
        Ok(())
    })
}
