//! Locks of collections that all servers of a store respect.

use catalog::CollectionId;
use errors::{Error, Result};
use kv::{BlockLimits, ScanSpec, Snapshot, WriteTransaction};

use super::{Members, Owner};
use crate::encoding::metadata::{
    Kind, collection_lock_key, collection_of_lock, kind_range, member_of_record,
};
use crate::encoding::pack;

const READ_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };

/// The record of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LockRecord {
    pub(crate) collection: CollectionId,
    /// A number that no other lock has.
    pub(crate) id: u64,
    pub(crate) owner: Owner,
}

impl LockRecord {
    fn read(collection: CollectionId, bytes: &[u8]) -> Result<LockRecord> {
        let [id, number, identity] = pack::read_numbers::<3>(bytes, "lock")?;
        let number = member_of_record(number)?;
        Ok(LockRecord { collection, id, owner: Owner { number, identity } })
    }

    fn to_bytes(self) -> Vec<u8> {
        pack::numbers(&[self.id, u64::from(self.owner.number), self.owner.identity])
    }
}

/// Reads the locks of all collections in a snapshot.
///
/// Errors: 1102 for a damaged record, those of the engine.
pub(crate) fn read_locks(snapshot: &dyn Snapshot) -> Result<Vec<LockRecord>> {
    let mut records = Vec::new();
    let mut scan = snapshot.scan(ScanSpec::forward(kind_range(Kind::CollectionLock)))?;
    while let Some(block) = scan.next_block(READ_LIMITS)? {
        for (key, value) in block.iter() {
            let collection =
                collection_of_lock(key).ok_or_else(|| Error::corrupt("a lock has an illegal key"))?;
            records.push(LockRecord::read(collection, value)?);
        }
    }
    Ok(records)
}

impl Members {
    /// Writes the record of a lock by a transaction, unless another living server has one: then it
    /// returns `None`. The caller has the definitions of the transaction's state, and announces the
    /// lock.
    pub(crate) fn write_lock(
        &self,
        transaction: &mut dyn WriteTransaction,
        collection: CollectionId,
        id: u64,
    ) -> Result<Option<LockRecord>> {
        let record = LockRecord { collection, id, owner: self.own() };
        let values = transaction.get_many(&[&collection_lock_key(collection)])?;
        if let Some(bytes) = values.iter().next().flatten() {
            let present = LockRecord::read(collection, bytes)?;
            // A record of this server is left over: only one thread has the server's own lock.
            if present.owner != record.owner && self.is_living(present.owner)? {
                return Ok(None);
            }
        }
        transaction.put(&collection_lock_key(collection), &record.to_bytes())?;
        Ok(Some(record))
    }
}

impl LockRecord {
    /// Removes the record by a transaction, if it is still there. The caller announces that.
    pub(crate) fn remove(self, transaction: &mut dyn WriteTransaction) -> Result<()> {
        let key = collection_lock_key(self.collection);
        let values = transaction.get_many(&[&key])?;
        let Some(bytes) = values.iter().next().flatten() else { return Ok(()) };
        if LockRecord::read(self.collection, bytes)? == self {
            transaction.delete(&key)?;
        }
        Ok(())
    }
}
