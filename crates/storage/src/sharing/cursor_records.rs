//! The records of cursors in a shared store, by which another server goes on with them when their
//! own one is gone.
//!
//! Each cursor has two records: a description, which is written once, and its progress. The server
//! that the progress names owns the cursor. Another one takes it over by a transaction, so only one
//! does.

use std::sync::Arc;

use errors::{Error, Result};
use kv::{BlockLimits, Durability, Engine, ScanSpec, Sharing, TransactionOptions, WriteTransaction};

use crate::encoding::metadata::{CursorPart, Kind, cursor_key, cursor_of_record, kind_range};
use crate::encoding::pack;

/// The keys of one step of a search for expired records.
const LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };

/// Maximum number of cursors whose records one transaction removes after a look at them.
const REMOVED_AT_ONCE: usize = 128;

/// The rows of a cursor that its client has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CursorProgress {
    /// The server that has the cursor ([`kv::Member::identity`]).
    pub owner: u64,
    /// The number of batches that were sent.
    pub batches: u64,
    /// The number of their rows.
    pub rows: u64,
    /// The rows of the last batch.
    pub last_rows: u64,
    /// The moment from which on nobody asks for the cursor, in milliseconds since 1970 by the
    /// store's clock.
    pub expires_ms: u64,
}

/// The records of one cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorRecord {
    /// The way to compute its rows, in a form that only the caller knows.
    pub description: Vec<u8>,
    /// The rows that its client has.
    pub progress: CursorProgress,
}

/// The records of the cursors of all servers of a store. It is cheap to clone.
#[derive(Clone)]
pub struct CursorRecords {
    engine: Arc<dyn Engine>,
    sharing: Arc<dyn Sharing>,
}

impl std::fmt::Debug for CursorRecords {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("CursorRecords").finish_non_exhaustive()
    }
}

impl CursorProgress {
    fn read(bytes: &[u8]) -> Result<Self> {
        let [owner, batches, rows, last_rows, expires_ms] =
            pack::read_numbers::<5>(bytes, "progress of a cursor")?;
        Ok(CursorProgress { owner, batches, rows, last_rows, expires_ms })
    }

    fn to_bytes(self) -> Vec<u8> {
        let CursorProgress { owner, batches, rows, last_rows, expires_ms } = self;
        pack::numbers(&[owner, batches, rows, last_rows, expires_ms])
    }
}

impl CursorRecords {
    pub(crate) fn new(engine: Arc<dyn Engine>, sharing: Arc<dyn Sharing>) -> Self {
        CursorRecords { engine, sharing }
    }

    /// Returns the servers that share the store.
    pub fn sharing(&self) -> &Arc<dyn Sharing> {
        &self.sharing
    }

    /// Writes both records of cursors of this server. Errors: those of the engine.
    pub fn add(&self, cursors: &[(u64, CursorRecord)]) -> Result<()> {
        self.write(|transaction| {
            for (cursor, record) in cursors {
                let description = cursor_key(*cursor, CursorPart::Description);
                transaction.put_unguarded(&description, &record.description)?;
                put_progress(transaction, *cursor, record.progress)?;
            }
            Ok(())
        })
    }

    /// Writes the progress of a cursor that only this server can have. Errors: those of the engine.
    pub fn set_progress(&self, cursor: u64, progress: CursorProgress) -> Result<()> {
        self.write(|transaction| put_progress(transaction, cursor, progress))
    }

    /// Replaces the progress of a cursor, unless another server has replaced it meanwhile. Returns
    /// true if it was still `before`, or is `progress` already: an earlier call may have failed
    /// although it took place.
    ///
    /// Errors: 1200 if another server replaces it at the same time, 1102 for damage, those of the
    /// engine.
    pub fn replace_progress(
        &self,
        cursor: u64,
        before: CursorProgress,
        progress: CursorProgress,
    ) -> Result<bool> {
        let key = cursor_key(cursor, CursorPart::Progress);
        let mut transaction = self.engine.begin(TransactionOptions::default())?;
        let values = transaction.get_many(&[&key])?;
        let present = values.iter().next().flatten().map(CursorProgress::read).transpose()?;
        if present == Some(progress) {
            return Ok(true);
        }
        if present != Some(before) {
            return Ok(false);
        }
        transaction.put(&key, &progress.to_bytes())?;
        transaction.commit(Durability::Buffered)?;
        Ok(true)
    }

    /// Returns what the store has of a cursor. Errors: 1102 for damage, those of the engine.
    pub fn get(&self, cursor: u64) -> Result<Option<CursorRecord>> {
        let description = cursor_key(cursor, CursorPart::Description);
        let progress = cursor_key(cursor, CursorPart::Progress);
        let values = self.engine.snapshot()?.get_many(&[&description, &progress])?;
        let mut values = values.iter().flatten();
        let (Some(description), Some(progress)) = (values.next(), values.next()) else { return Ok(None) };
        let progress = CursorProgress::read(progress)?;
        Ok(Some(CursorRecord { description: description.to_vec(), progress }))
    }

    /// Returns the progress of a cursor. Errors: 1102 for damage, those of the engine.
    pub fn progress(&self, cursor: u64) -> Result<Option<CursorProgress>> {
        let key = cursor_key(cursor, CursorPart::Progress);
        let values = self.engine.snapshot()?.get_many(&[&key])?;
        values.iter().next().flatten().map(CursorProgress::read).transpose()
    }

    /// Removes the records of those cursors that are still this server's.
    ///
    /// Errors: 1200 if another server takes one over at the same time, 1102 for damage, those of
    /// the engine.
    pub fn remove_own(&self, cursors: &[u64]) -> Result<()> {
        for cursors in cursors.chunks(REMOVED_AT_ONCE) {
            let keys: Vec<_> =
                cursors.iter().map(|cursor| cursor_key(*cursor, CursorPart::Progress)).collect();
            let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            let mut transaction = self.engine.begin(TransactionOptions::default())?;
            let values = transaction.get_many(&keys)?;
            for ((cursor, key), value) in cursors.iter().zip(&keys).zip(values.iter()) {
                let progress = value.map(CursorProgress::read).transpose()?;
                if progress.is_some_and(|progress| progress.owner == self.sharing.identity()) {
                    transaction.delete(key)?;
                    transaction.delete_unguarded(&cursor_key(*cursor, CursorPart::Description))?;
                }
            }
            transaction.commit(Durability::Buffered)?;
        }
        Ok(())
    }

    /// Removes the records of cursors, whoever has them. Errors: those of the engine.
    pub fn remove(&self, cursors: &[u64]) -> Result<()> {
        self.write(|transaction| {
            for cursor in cursors {
                transaction.delete_unguarded(&cursor_key(*cursor, CursorPart::Progress))?;
                transaction.delete_unguarded(&cursor_key(*cursor, CursorPart::Description))?;
            }
            Ok(())
        })
    }

    /// Removes the records that have expired for good. One server does it from time to time.
    ///
    /// Errors: those of the engine.
    pub fn remove_expired(&self) -> Result<()> {
        let now_ms = self.sharing.clock_ms();
        let snapshot = self.engine.snapshot()?;
        let mut scan = snapshot.scan(ScanSpec::forward(kind_range(Kind::Cursor)))?;
        while let Some(block) = scan.next_block(LIMITS)? {
            let mut expired = Vec::new();
            for (key, value) in block.iter().filter(|(key, _)| key.ends_with(&[CursorPart::Progress as u8])) {
                let cursor = cursor_of_record(key)
                    .ok_or_else(|| Error::corrupt("a record of a cursor has an illegal key"))?;
                if CursorProgress::read(value)?.expires_ms < now_ms {
                    expired.push(cursor);
                }
            }
            if !expired.is_empty() {
                self.remove(&expired)?;
            }
        }
        Ok(())
    }

    fn write(&self, change: impl FnOnce(&mut dyn WriteTransaction) -> Result<()>) -> Result<()> {
        let options =
            TransactionOptions { snapshot: kv::SnapshotAt::FirstRead, ..TransactionOptions::default() };
        let mut transaction = self.engine.begin(options)?;
        change(transaction.as_mut())?;
        Ok(transaction.commit(Durability::Buffered)?)
    }
}

fn put_progress(transaction: &mut dyn WriteTransaction, cursor: u64, progress: CursorProgress) -> Result<()> {
    Ok(transaction.put_unguarded(&cursor_key(cursor, CursorPart::Progress), &progress.to_bytes())?)
}
