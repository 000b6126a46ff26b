//! Transactions of engines in this process.
//!
//! Writes are buffered in an [`Overlay`], and a [`ConflictTable`] finds conflicts. The engine only
//! reads and applies finished sets of writes.

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::sync::Arc;

use crate::conflict::{Claim, Claims};
use crate::{
    ConflictTable, Durability, Error, Overlay, Result, Savepoint, Snapshot, SnapshotAt, TransactionOptions,
    Values, WaitPolicy, WriteTransaction,
};

/// The operations of an engine that [`LocalTransaction`] needs.
pub trait LocalStore: Send + Sync + 'static {
    /// Returns the table in which the engine's transactions claim their keys.
    fn conflict_table(&self) -> &Arc<ConflictTable>;

    /// Takes a snapshot of everything that is committed now, like [`crate::Engine::snapshot`].
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;

    /// Looks up one key in the latest state and passes its value, if it is present, to `read`.
    fn read_latest(&self, key: &[u8], read: &mut dyn FnMut(&[u8])) -> Result<()>;

    /// Applies all writes of `overlay`, within the limits of `wait` ([`TransactionOptions::wait`]).
    ///
    /// Every reader sees all of them or none, and every reader that begins after this has returned
    /// sees them. On an error nothing was written, except for [`Error::Undetermined`].
    fn apply(&self, overlay: &Overlay, wait: WaitPolicy) -> Result<()>;

    /// Makes all commits up to the one with this number as durable as requested.
    ///
    /// It is called after [`LocalStore::apply`], when others may already see and overwrite the
    /// writes.
    fn harden(&self, commit: u64, durability: Durability) -> Result<()>;
}

/// A transaction of a [`LocalStore`].
pub struct LocalTransaction<S: LocalStore> {
    store: Arc<S>,
    claims: Claims,
    /// The state that the transaction reads. With [`SnapshotAt::FirstRead`] it is absent until the
    /// first read.
    base: OnceCell<Arc<dyn Snapshot>>,
    overlay: Overlay,
    wait: WaitPolicy,
}

impl<S: LocalStore> LocalTransaction<S> {
    /// Begins a transaction.
    pub fn begin(store: Arc<S>, options: TransactionOptions) -> Result<Self> {
        let transaction = LocalTransaction {
            claims: store.conflict_table().enter(),
            store,
            base: OnceCell::new(),
            overlay: Overlay::new(options.max_bytes),
            wait: options.wait,
        };
        if options.snapshot == SnapshotAt::Begin {
            transaction.base()?;
        }
        Ok(transaction)
    }

    /// Returns the state that the transaction reads.
    fn base(&self) -> Result<&Arc<dyn Snapshot>> {
        if let Some(base) = self.base.get() {
            return Ok(base);
        }
        // This order matters: see the module `conflict`.
        self.claims.start_reading();
        let snapshot = self.store.snapshot()?;
        Ok(self.base.get_or_init(|| snapshot))
    }

    /// Ensures that nobody else writes `key`, and that its latest state is the one that this
    /// transaction reads.
    fn guard(&mut self, key: &[u8]) -> Result<()> {
        match self.claims.claim(key, self.wait)? {
            Claim::Unchanged => Ok(()),
            Claim::Forgotten if self.is_as_read(key)? => Ok(()),
            Claim::Forgotten => Err(self.claims.conflict()),
        }
    }

    fn is_as_read(&self, key: &[u8]) -> Result<bool> {
        let values = self.base()?.get_many(&[key])?;
        let read = values.get(0);
        let mut is_same = read.is_none();
        self.store.read_latest(key, &mut |latest| is_same = read == Some(latest))?;
        Ok(is_same)
    }

    /// Returns true if `key`, which this transaction has claimed, is present.
    fn is_present(&self, key: &[u8]) -> Result<bool> {
        if let Some(entry) = self.overlay.get(key) {
            return Ok(entry.value().is_some());
        }
        let mut is_present = false;
        self.store.read_latest(key, &mut |_| is_present = true)?;
        Ok(is_present)
    }
}

impl<S: LocalStore> WriteTransaction for LocalTransaction<S> {
    fn view(&mut self) -> Arc<dyn Snapshot> {
        if let Err(error) = self.base() {
            return Arc::new(Unreadable(error));
        }
        match self.base.get() {
            Some(base) => self.overlay.view(base),
            None => Arc::new(Unreadable(Error::Closed)),
        }
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Values> {
        self.overlay.get_many(self.base()?.as_ref(), keys)
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.guard(key)?;
        self.overlay.put(key, value)
    }

    fn insert_unique(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.guard(key)?;
        if self.is_present(key)? {
            return Err(Error::Exists);
        }
        self.overlay.put(key, value)
    }

    fn put_unguarded(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.overlay.put(key, value)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.guard(key)?;
        self.overlay.delete(key)
    }

    fn delete_unguarded(&mut self, key: &[u8]) -> Result<()> {
        self.overlay.delete(key)
    }

    fn lock(&mut self, key: &[u8]) -> Result<()> {
        self.guard(key)
    }

    fn savepoint(&mut self) -> Savepoint {
        self.overlay.savepoint()
    }

    fn rollback_to(&mut self, savepoint: Savepoint) {
        self.overlay.rollback_to(savepoint);
    }

    fn write_count(&self) -> usize {
        self.overlay.len()
    }

    fn for_each_written(&self, visit: &mut dyn FnMut(&[u8])) {
        self.overlay.iter().for_each(|entry| visit(entry.key()));
    }

    fn size_bytes(&self) -> usize {
        self.overlay.size_bytes()
    }

    fn memory_bytes(&self) -> usize {
        self.overlay.memory_bytes() + self.claims.memory_bytes()
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        let LocalTransaction { store, claims, base, overlay, wait, .. } = *self;
        // Without the base the engine need not keep the old state while it writes the new one.
        drop(base);
        if overlay.is_empty() && claims.is_empty() {
            return Ok(());
        }
        let applied = if overlay.is_empty() { Ok(()) } else { store.apply(&overlay, wait) };
        match applied {
            Ok(()) => store.harden(claims.commit(), durability),
            Err(error @ Error::Undetermined { .. }) => {
                // The writes may be there: older transactions must not overwrite them unseen.
                claims.commit();
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    fn rollback(self: Box<Self>) {}
}

/// The view of a transaction that could not take its snapshot. Every read returns the error.
struct Unreadable(Error);

impl Snapshot for Unreadable {
    fn get_many(&self, _: &[&[u8]]) -> Result<Values> {
        Err(self.0.clone())
    }

    fn scan(&self, _: crate::ScanSpec) -> Result<Box<dyn crate::Scan>> {
        Err(self.0.clone())
    }

    fn prefix_scan(&self) -> Result<Box<dyn crate::PrefixScan>> {
        Err(self.0.clone())
    }
}
