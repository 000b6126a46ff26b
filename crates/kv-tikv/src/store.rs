//! The store as transactions know it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kv::{ConflictTable, Durability, Error, LocalStore, Result, Snapshot, WaitPolicy, Writes};

use crate::commit::PATIENCE_MIN;
use crate::commit::mutations::Mutations;
use crate::maintenance::upkeep;
use crate::protocol::kv::{Mutation, Op};
use crate::read::snapshot::TikvSnapshot;
use crate::shared::Shared;
use crate::values;

/// An open store.
pub(crate) struct Store {
    pub(crate) shared: Arc<Shared>,
    conflict_table: Arc<ConflictTable>,
    /// Conflicts that a commit found: those with other servers.
    remote_conflicts: AtomicU64,
}

impl Store {
    pub(crate) fn new(shared: Arc<Shared>) -> Arc<Store> {
        Arc::new(Store {
            shared,
            conflict_table: Arc::new(ConflictTable::new(kv::conflict::REMEMBERED_KEYS_MAX)),
            remote_conflicts: AtomicU64::new(0),
        })
    }

    /// Returns the number of conflicts that commits have found.
    pub(crate) fn remote_conflicts(&self) -> u64 {
        self.remote_conflicts.load(Ordering::Relaxed)
    }

    /// Takes a snapshot that any replica may answer, at `not_before` or later.
    pub(crate) fn replica_snapshot(&self, not_before: u64) -> Result<Arc<dyn Snapshot>> {
        self.shared.check_open()?;
        Ok(TikvSnapshot::at(Arc::clone(&self.shared), self.shared.dirty_read(not_before)?))
    }

    /// Takes a snapshot of a past state.
    pub(crate) fn snapshot_at(&self, version: u64) -> Result<Arc<dyn Snapshot>> {
        self.shared.check_open()?;
        // PD has no state of the future, and a store would refuse later commits before it.
        if version > self.shared.now()? {
            return Err(Error::SnapshotExpired);
        }
        // From here on, the rounds of the upkeep ask PD for the state as well.
        let snapshot = TikvSnapshot::at(Arc::clone(&self.shared), version);
        upkeep::keep_states(&self.shared)?;
        self.shared.versions.check(version)?;
        Ok(snapshot)
    }

    fn mutations(&self, writes: &Writes<'_>) -> Result<Mutations> {
        let mut mutations = Mutations::default();
        let mut locks = writes
            .guards
            .iter()
            .map(|(key, _)| key)
            .filter(|key| writes.overlay.get(key).is_none())
            .peekable();
        let lock =
            |key: &[u8]| Mutation { op: Op::Lock as i32, key: self.shared.keys.data(key), value: Vec::new() };
        for entry in writes.overlay.iter() {
            while let Some(key) = locks.next_if(|key| *key < entry.key()) {
                mutations.checked.push(lock(key));
            }
            let is_insert = writes.guards.is_insert(entry.key());
            let is_guarded = writes.guards.contains(entry.key());
            let part = if is_guarded { &mut mutations.checked } else { &mut mutations.unchecked };
            part.push(self.shared.mutation(entry.key(), entry.value(), is_insert)?);
        }
        mutations.checked.extend(locks.map(lock));
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

    fn key_bytes_max(&self) -> usize {
        self.shared.keys.bytes_max()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.shared.check_open()?;
        Ok(TikvSnapshot::at(Arc::clone(&self.shared), self.shared.now()?))
    }

    fn read_latest(&self, key: &[u8], read: &mut dyn FnMut(&[u8])) -> Result<()> {
        self.shared.check_open()?;
        let (client, key) = (Arc::clone(&self.shared.client), self.shared.keys.data(key));
        if let Some(value) = self.shared.wait(async move { client.get(&key, u64::MAX).await })? {
            read(values::decode(&value));
        }
        Ok(())
    }

    fn apply(&self, writes: &Writes<'_>, wait: WaitPolicy) -> Result<()> {
        let mutations = self.mutations(writes)?;
        let base = writes.base.map(Snapshot::version);
        if let Some(base) = base {
            self.shared.versions.check(base)?;
        }
        let applied = self.shared.commit(
            base,
            mutations,
            wait.limit().max(PATIENCE_MIN).min(self.shared.options.timeout),
        );
        if applied == Err(Error::Conflict) {
            self.remote_conflicts.fetch_add(1, Ordering::Relaxed);
        }
        applied
    }

    fn harden(&self, _: u64, _: Durability) -> Result<()> {
        // A commit is in the logs of most replicas before it returns.
        Ok(())
    }
}
