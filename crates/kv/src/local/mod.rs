//! Transactions of engines in this process.
//!
//! Writes are buffered in an [`Overlay`], and a [`ConflictTable`] finds conflicts. The engine only
//! reads and applies finished sets of writes.

mod guards;
mod prefetched;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::sync::Arc;

use owner::Interrupt;

use crate::conflict::{Claim, Claims};
use crate::{
    ConflictTable, Durability, Error, Overlay, Result, Savepoint, Snapshot, SnapshotAt, TransactionOptions,
    Values, WaitPolicy, WriteTransaction,
};

use prefetched::{Prefetched, WithPrefetched};

pub use guards::Guards;

/// The writes of a transaction, for the store that applies them.
pub struct Writes<'a> {
    /// The buffered writes. They are empty only in a shared store, if there are guards.
    pub overlay: &'a Overlay,
    /// The keys that the transaction has claimed. Empty unless the store is shared.
    pub guards: &'a Guards,
    /// The state that the transaction read, if it read. Always absent unless the store is shared.
    pub base: Option<&'a dyn Snapshot>,
}

/// The operations of an engine that [`LocalTransaction`] needs.
pub trait LocalStore: Send + Sync + 'static {
    /// Returns the table in which the engine's transactions claim their keys.
    fn conflict_table(&self) -> &Arc<ConflictTable>;

    /// Takes a snapshot of everything that is committed now, like [`crate::Engine::snapshot`].
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;

    /// Looks up one key in the latest state and passes its value, if it is present, to `read`.
    fn read_latest(&self, key: &[u8], read: &mut dyn FnMut(&[u8])) -> Result<()>;

    /// Returns true if other processes write to the same store.
    ///
    /// The conflict table then knows the transactions of this process only. So a transaction keeps
    /// its claimed keys and its base, and [`LocalStore::apply`] finds conflicts with others.
    fn is_shared(&self) -> bool {
        false
    }

    /// Returns the maximum length of a key in bytes.
    fn key_bytes_max(&self) -> usize {
        usize::MAX
    }

    /// Applies all writes, within the limits of `wait` ([`TransactionOptions::wait`]).
    ///
    /// Every reader sees all of them or none, and every reader that begins after this has returned
    /// sees them. On an error nothing was written, except for [`Error::Undetermined`].
    ///
    /// A shared store answers [`Error::Conflict`] if another process has written or locked a
    /// guarded key since the base, or has inserted one that must be absent.
    fn apply(&self, writes: &Writes<'_>, wait: WaitPolicy) -> Result<()>;

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
    /// The claimed keys, if the store is shared.
    guards: Option<Guards>,
    /// Lookups in the base that were made ahead of their use.
    prefetched: Prefetched,
    wait: WaitPolicy,
}

impl<S: LocalStore> LocalTransaction<S> {
    /// Begins a transaction.
    pub fn begin(store: Arc<S>, options: TransactionOptions) -> Result<Self> {
        let transaction = LocalTransaction {
            claims: store.conflict_table().enter(),
            guards: store.is_shared().then(Guards::default),
            store,
            base: OnceCell::new(),
            overlay: Overlay::new(options.max_bytes),
            prefetched: Prefetched::default(),
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
        self.check_key(key)?;
        if self.claims.claim(key, self.wait)? == Claim::Forgotten && !self.is_as_read(key)? {
            return Err(self.claims.conflict());
        }
        if let Some(guards) = &mut self.guards {
            guards.add(key);
        }
        Ok(())
    }

    /// Errors: [`Error::KeyTooLong`].
    fn check_key(&self, key: &[u8]) -> Result<()> {
        let (bytes, limit_bytes) = (key.len(), self.store.key_bytes_max());
        if bytes > limit_bytes { Err(Error::KeyTooLong { bytes, limit_bytes }) } else { Ok(()) }
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
        // Another server may have written the key since the base. The commit finds that out, since
        // it checks each guarded key against the base.
        if self.guards.is_some()
            && let Some(value) = self.prefetched.get(key)
        {
            return Ok(value.is_some());
        }
        // The base may have been asked for the key before, so this may need no message.
        if self.guards.is_some()
            && let Some(base) = self.base.get()
        {
            return Ok(base.get_many(&[key])?.get(0).is_some());
        }
        let mut is_present = false;
        self.store.read_latest(key, &mut |_| is_present = true)?;
        Ok(is_present)
    }
}

impl<S: LocalStore> WriteTransaction for LocalTransaction<S> {
    fn set_interrupt(&mut self, interrupt: Option<Interrupt>) {
        self.claims.set_interrupt(interrupt);
    }

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
        let base = self.base()?;
        if self.prefetched.is_empty() {
            return self.overlay.get_many(base.as_ref(), keys);
        }
        self.overlay.get_many(&WithPrefetched { base, prefetched: &self.prefetched }, keys)
    }

    fn waits_for_messages(&self) -> bool {
        self.guards.is_some()
    }

    fn prefetch(&mut self, keys: &[&[u8]]) -> Result<()> {
        self.prefetched = Prefetched::default();
        if self.waits_for_messages() {
            self.prefetched = Prefetched::look_up(self.base()?.as_ref(), keys)?;
        }
        Ok(())
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
        // A key that this transaction has removed is present in the store.
        let is_removed = self.overlay.get(key).is_some();
        self.overlay.put(key, value)?;
        if let Some(guards) = self.guards.as_mut().filter(|_| !is_removed) {
            guards.must_be_absent(key);
        }
        Ok(())
    }

    fn put_unguarded(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.check_key(key)?;
        self.overlay.put(key, value)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.guard(key)?;
        self.overlay.delete(key)
    }

    fn delete_unguarded(&mut self, key: &[u8]) -> Result<()> {
        self.check_key(key)?;
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
        let guards = self.guards.as_ref().map_or(0, Guards::memory_bytes);
        let prefetched = self.prefetched.memory_bytes();
        self.overlay.memory_bytes() + self.claims.memory_bytes() + guards + prefetched
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        let LocalTransaction { store, claims, mut base, overlay, guards, wait, .. } = *self;
        if guards.is_none() {
            // Without the base the engine need not keep the old state while it writes the new one.
            base.take();
        }
        if overlay.is_empty() && claims.is_empty() {
            return Ok(());
        }
        let guards = guards.unwrap_or_default();
        let writes = Writes { overlay: &overlay, guards: &guards, base: base.get().map(AsRef::as_ref) };
        let has_work = !overlay.is_empty() || !guards.is_empty();
        let applied = if has_work { store.apply(&writes, wait) } else { Ok(()) };
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
