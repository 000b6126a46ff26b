//! The records that a change of definitions has written, for the servers that share the store.
//!
//! A server that follows reads only the records that have changed. Without this, each of 5,000 new
//! collections would make every server read all the others again.
//!
//! The changes have a ring of records: the one of a version is at `version % RING`. Each names the
//! version that it follows. So a reader notices if one of them is missing: it was overwritten, or
//! written by a version of the program that has none. It reads all definitions then.

use std::collections::BTreeSet;

use errors::{Error, Result};
use kv::{Snapshot, WriteTransaction};

use crate::encoding::metadata::changed_records_key;
use crate::encoding::pack;

/// The number of changes that are kept.
const RING: u64 = 256;

/// Maximum number of keys of one change. One with more has no record.
const KEYS_MAX: usize = 1000;

/// Maximum number of keys of all changes that a server reads. With more it reads everything.
const READ_MAX: usize = 10_000;

/// The keys of the records that one change of definitions writes or removes.
#[derive(Debug, Default)]
pub(crate) struct ChangedRecords(BTreeSet<Vec<u8>>);

impl ChangedRecords {
    /// Adds a key.
    pub(super) fn note(&mut self, key: Vec<u8>) {
        if self.0.len() <= KEYS_MAX {
            self.0.insert(key);
        }
    }

    /// Adds the keys of another change, which one commit makes with this one.
    pub(crate) fn append(&mut self, other: ChangedRecords) {
        other.0.into_iter().for_each(|key| self.note(key));
    }

    /// Writes the keys with the change that makes `version` of `previous`.
    ///
    /// The change has written the record of announcements, so no other transaction writes the
    /// same record.
    pub(crate) fn write(
        &self,
        previous: u64,
        version: u64,
        transaction: &mut dyn WriteTransaction,
    ) -> Result<()> {
        let key = changed_records_key(version % RING);
        if self.0.len() > KEYS_MAX {
            return Ok(transaction.delete_unguarded(&key)?);
        }
        Ok(transaction.put_unguarded(&key, &encode(previous, version, &self.0)?)?)
    }
}

/// Returns the keys that have changed from one version of the definitions to a later one, in order;
/// `None` if a state of the store does not tell.
///
/// Errors: 1102 for a damaged record, 35 for one of a newer format, those of the engine.
pub(crate) fn between(snapshot: &dyn Snapshot, from: u64, to: u64) -> Result<Option<BTreeSet<Vec<u8>>>> {
    if to.saturating_sub(from) > RING {
        return Ok(None);
    }
    let ring: Vec<Vec<u8>> = (from + 1..=to).map(|version| changed_records_key(version % RING)).collect();
    let mut changed = BTreeSet::new();
    let mut reached = from;
    let mut rest = ring.as_slice();
    while !rest.is_empty() {
        let names: Vec<&[u8]> = rest.iter().map(Vec::as_slice).collect();
        let values = snapshot.get_many(&names)?;
        for bytes in values.iter().flatten() {
            let (previous, version, keys) = decode(bytes)?;
            // Records from before are left over in between: not every version changes definitions.
            if previous == reached && version <= to {
                changed.extend(keys);
                if changed.len() > READ_MAX {
                    return Ok(None);
                }
                reached = version;
            }
        }
        rest = rest.get(values.iter().count().max(1)..).unwrap_or_default();
    }
    Ok((reached == to).then_some(changed))
}

/// Encodes the keys of a change: `numbers(previous, version)`, then each key after its length (2
/// bytes, little-endian).
fn encode(previous: u64, version: u64, keys: &BTreeSet<Vec<u8>>) -> Result<Vec<u8>> {
    let mut bytes = pack::numbers(&[previous, version]);
    for key in keys {
        let length = u16::try_from(key.len()).map_err(Error::internal)?;
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(key);
    }
    Ok(bytes)
}

fn decode(bytes: &[u8]) -> Result<(u64, u64, Vec<Vec<u8>>)> {
    let damaged = || Error::corrupt("a record of changed definitions is damaged");
    let (numbers, mut rest) = bytes.split_at_checked(pack::numbers(&[0, 0]).len()).ok_or_else(damaged)?;
    let [previous, version] = pack::read_numbers::<2>(numbers, "changed definitions")?;
    let mut keys = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk::<2>() {
        let (key, after) =
            after.split_at_checked(usize::from(u16::from_le_bytes(*length))).ok_or_else(damaged)?;
        keys.push(key.to_vec());
        rest = after;
    }
    if rest.is_empty() { Ok((previous, version, keys)) } else { Err(damaged()) }
}

#[cfg(test)]
mod tests {
    use kv::{Durability, Engine, MemoryEngine, TransactionOptions};

    use super::*;

    fn write(engine: &dyn Engine, previous: u64, version: u64, keys: &[&[u8]]) {
        let mut changed = ChangedRecords::default();
        keys.iter().for_each(|key| changed.note(key.to_vec()));
        let mut transaction = engine.begin(TransactionOptions::default()).unwrap();
        changed.write(previous, version, transaction.as_mut()).unwrap();
        transaction.commit(Durability::Buffered).unwrap();
    }

    fn read(engine: &dyn Engine, from: u64, to: u64) -> Option<Vec<Vec<u8>>> {
        let changed = between(engine.snapshot().unwrap().as_ref(), from, to).unwrap();
        changed.map(|changed| changed.into_iter().collect())
    }

    #[test]
    fn the_keys_of_all_changes_in_between_are_found() {
        let engine = MemoryEngine::new();
        write(&*engine, 0, 2, &[b"b", b"a"]);
        write(&*engine, 2, 5, &[b"c", b"a"]);
        assert_eq!(read(&*engine, 0, 2), Some(vec![b"a".to_vec(), b"b".to_vec()]));
        assert_eq!(read(&*engine, 0, 5), Some(vec![b"a".to_vec(), b"b".to_vec(), b"c".to_vec()]));
        assert_eq!(read(&*engine, 2, 5), Some(vec![b"a".to_vec(), b"c".to_vec()]));
        assert_eq!(read(&*engine, 5, 5), Some(vec![]));
    }

    #[test]
    fn a_missing_change_is_noticed() {
        let engine = MemoryEngine::new();
        write(&*engine, 0, 1, &[b"a"]);
        // Version 2 has no record, as if an earlier version of the program had written it.
        write(&*engine, 2, 3, &[b"c"]);
        assert_eq!((read(&*engine, 0, 2), read(&*engine, 0, 3), read(&*engine, 1, 3)), (None, None, None));
        assert_eq!(read(&*engine, 2, 3), Some(vec![b"c".to_vec()]));
        // A round later, the record of version 1 is one of version 1 + RING.
        write(&*engine, RING, RING + 1, &[b"d"]);
        assert_eq!((read(&*engine, 0, 1), read(&*engine, 0, RING + 1)), (None, None));
        assert_eq!(read(&*engine, RING, RING + 1), Some(vec![b"d".to_vec()]));
    }

    #[test]
    fn a_change_of_too_many_records_is_not_told() {
        let engine = MemoryEngine::new();
        let keys: Vec<[u8; 4]> = (0..=KEYS_MAX as u32).map(u32::to_be_bytes).collect();
        let keys: Vec<&[u8]> = keys.iter().map(<[u8; 4]>::as_slice).collect();
        write(&*engine, 0, 1, &keys[..KEYS_MAX]);
        assert_eq!(read(&*engine, 0, 1).map(|keys| keys.len()), Some(KEYS_MAX));
        write(&*engine, 1, 2, &keys);
        assert_eq!(read(&*engine, 1, 2), None);
    }
}
