//! An open store: the parts that snapshots, transactions and loads share.

use std::future::Future;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};
use std::time::Duration;

use kv::{
    ClosedFlag, ConflictTable, Durability, Error, LivingSnapshots, LocalStore, Result, Snapshot, WaitPolicy,
    Writes,
};

use crate::client::Client;
use crate::commit::{Commit, PATIENCE_MIN};
use crate::keys::Keys;
use crate::lease::Lease;
use crate::options::TikvOptions;
use crate::protocol::kv::{Mutation, Op};
use crate::runtime::Threads;
use crate::snapshot::{State, TikvSnapshot};
use crate::values;
use crate::versions::Versions;

/// The most bytes of one key and its value: a store writes them as one entry of its log, which has
/// at most 8 MiB.
pub(crate) const PAIR_BYTES_MAX: usize = 7 << 20;

/// An open store.
pub(crate) struct Store {
    this: Weak<Store>,
    pub(crate) client: Arc<Client>,
    threads: Arc<Threads>,
    pub(crate) keys: Keys,
    pub(crate) options: TikvOptions,
    pub(crate) lease: Lease,
    conflict_table: Arc<ConflictTable>,
    closed: ClosedFlag,
    pub(crate) snapshots: Arc<LivingSnapshots>,
    pub(crate) versions: Arc<Versions>,
    /// Conflicts that a commit found: those with other servers.
    pub(crate) remote_conflicts: AtomicU64,
}

impl Store {
    /// Makes a store of a connected client.
    pub(crate) fn new(
        client: Arc<Client>,
        threads: Arc<Threads>,
        keys: Keys,
        options: TikvOptions,
        lease: Lease,
    ) -> Arc<Store> {
        Arc::new_cyclic(|this| Store {
            this: this.clone(),
            client,
            threads,
            keys,
            options,
            lease,
            conflict_table: Arc::new(ConflictTable::new(kv::conflict::REMEMBERED_KEYS_MAX)),
            closed: ClosedFlag::default(),
            snapshots: Arc::default(),
            versions: Arc::default(),
            remote_conflicts: AtomicU64::new(0),
        })
    }

    /// Checks that the store is open.
    pub(crate) fn check_open(&self) -> Result<()> {
        self.closed.check()
    }

    /// Checks that the store is open, and that no other server may have taken it.
    pub(crate) fn check_writable(&self) -> Result<()> {
        self.closed.check()?;
        self.lease.check()
    }

    /// Makes every later call fail.
    pub(crate) fn refuse(&self) {
        self.closed.set();
    }

    /// Ends the threads.
    pub(crate) fn stop(&self) {
        self.threads.stop();
    }

    /// Runs a future on the engine's threads and waits for its result.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        self.threads.wait(future)
    }

    /// Runs a future on the engine's threads.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.threads.spawn(future);
    }

    /// Returns a timestamp of now.
    pub(crate) fn now(&self) -> Result<u64> {
        let client = Arc::clone(&self.client);
        self.wait(async move { client.timestamps.next().await })
    }

    /// Commits mutations, whose keys ascend.
    pub(crate) fn commit(
        &self,
        start: Option<u64>,
        mutations: Vec<Mutation>,
        patience: Duration,
    ) -> Result<()> {
        self.check_writable()?;
        let client = Arc::clone(&self.client);
        self.wait(async move {
            let start = match start {
                Some(start) => start,
                None => client.timestamps.next().await?,
            };
            Commit::run(client, start, mutations, patience).await
        })
    }

    /// Returns the mutation that sets a key, or removes it.
    pub(crate) fn mutation(&self, key: &[u8], value: Option<&[u8]>, is_insert: bool) -> Result<Mutation> {
        if key.len() + value.map_or(0, <[u8]>::len) > PAIR_BYTES_MAX {
            return Err(Error::TooLarge { limit_bytes: PAIR_BYTES_MAX });
        }
        let op = match (value, is_insert) {
            (Some(_), true) => Op::Insert,
            (Some(_), false) => Op::Put,
            // The key was absent and stays so. A removal could meet the key of another server.
            (None, true) => Op::Lock,
            (None, false) => Op::Del,
        };
        let value = if matches!(op, Op::Put | Op::Insert) { value.map(values::encode) } else { None };
        Ok(Mutation { op: op as i32, key: self.keys.data(key), value: value.unwrap_or_default() })
    }

    fn mutations(&self, writes: &Writes<'_>) -> Result<Vec<Mutation>> {
        let mut mutations = Vec::with_capacity(writes.overlay.len().max(writes.guards.len()));
        let mut locks = writes
            .guards
            .iter()
            .map(|(key, _)| key)
            .filter(|key| writes.overlay.get(key).is_none())
            .peekable();
        let lock = |key: &[u8]| Mutation { op: Op::Lock as i32, key: self.keys.data(key), value: Vec::new() };
        for entry in writes.overlay.iter() {
            while let Some(key) = locks.next_if(|key| *key < entry.key()) {
                mutations.push(lock(key));
            }
            let is_insert = writes.guards.is_insert(entry.key());
            mutations.push(self.mutation(entry.key(), entry.value(), is_insert)?);
        }
        mutations.extend(locks.map(lock));
        Ok(mutations)
    }
}

impl LocalStore for Store {
    fn conflict_table(&self) -> &Arc<ConflictTable> {
        &self.conflict_table
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.check_open()?;
        let this = self.this.upgrade().ok_or(Error::Closed)?;
        let at = self.now()?;
        Ok(Arc::new(TikvSnapshot { state: Arc::new(State::new(this, at)) }))
    }

    fn read_latest(&self, key: &[u8], read: &mut dyn FnMut(&[u8])) -> Result<()> {
        self.check_open()?;
        let (client, key) = (Arc::clone(&self.client), self.keys.data(key));
        if let Some(value) = self.wait(async move { client.get(&key, u64::MAX).await })? {
            read(values::decode(&value));
        }
        Ok(())
    }

    fn apply(&self, writes: &Writes<'_>, wait: WaitPolicy) -> Result<()> {
        let mutations = self.mutations(writes)?;
        let base = writes.base.map(Snapshot::version);
        if let Some(base) = base {
            self.versions.check(base)?;
        }
        let applied = self.commit(base, mutations, wait.limit().clamp(PATIENCE_MIN, self.options.timeout));
        if applied == Err(Error::Conflict) {
            self.remote_conflicts.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        applied
    }

    fn harden(&self, _: u64, _: Durability) -> Result<()> {
        // A commit is in the logs of most replicas before it returns.
        Ok(())
    }
}
