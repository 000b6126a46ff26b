//! Making a transaction's writes visible.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use catalog::GRAPHS_COLLECTION;
use kv::{Durability, WriteTransaction};

use super::{Joined, Transaction};
use crate::counters::HeldRecord;
use crate::store::Shared;
use crate::{Catalog, Result};

impl Transaction {
    /// Makes all writes visible at once. Waits for the disk where `durability` or a written collection's
    /// `waitForSync` says so.
    ///
    /// Errors: 1650 if it is not known whether the writes took place; otherwise nothing was written.
    pub fn commit(self, durability: Durability) -> Result<()> {
        let Transaction { shared, engine, joined, .. } = self;
        shared.commit_writes(engine, &joined, durability)
    }

    /// Makes the writes so far visible, as [`Transaction::commit`] does, and goes on: over the state of its next read,
    /// and with the same collections, which stay closed to whoever waits for the transaction's end. The views handed
    /// out so far stay as they are.
    ///
    /// Errors: those of `commit`; the writes so far are then forgotten.
    pub fn commit_intermediate(&mut self, durability: Durability) -> Result<()> {
        let (engine, _) = self.shared.begin(self.next)?;
        let engine = std::mem::replace(&mut self.engine, engine);
        let outcome = self.shared.commit_writes(engine, &self.joined, durability);
        self.joined.iter_mut().for_each(Joined::begin_anew);
        self.shared.intermediate_commits.fetch_add(u64::from(outcome.is_ok()), Ordering::Relaxed);
        // Both before the engine's next transaction reads for the first time.
        self.loads_at_begin = self.shared.loads.load(Ordering::SeqCst);
        self.read_cache = self.shared.read_cache.view();
        outcome
    }
}

impl Shared {
    /// Commits what an engine's transaction has written to collections.
    fn commit_writes(
        &self,
        mut engine: Box<dyn WriteTransaction>,
        joined: &[Joined],
        durability: Durability,
    ) -> Result<()> {
        if engine.write_count() == 0 {
            engine.rollback();
            return Ok(());
        }
        let mut written: Vec<&Joined> = joined.iter().filter(|joined| joined.is_written).collect();
        // Everybody takes slots in the same order, so that nobody waits for each other.
        written.sort_by_key(|joined| joined.collection.object_id());
        let must_sync = written.iter().any(|joined| joined.collection.definition.properties.wait_for_sync);
        let durability = if must_sync { Durability::Synced } else { durability };
        let mut held = Vec::with_capacity(written.len());
        for joined in &written {
            held.push(joined.collection.counters.hold(joined.change, engine.as_mut())?);
        }
        written.iter().for_each(|joined| joined.collection.counters.begin_commit());
        let collections = written.iter().map(|joined| (&joined.collection, joined.removes));
        let commit = self.read_cache.begin_commit(collections, |visit| engine.for_each_written(visit));
        let defines = written.iter().any(|joined| joined.collection.name() == GRAPHS_COLLECTION);
        let outcome =
            if defines { self.commit_definitions(engine, durability) } else { engine.commit(durability) };
        if matches!(outcome, Err(kv::Error::Undetermined { .. })) {
            commit.leave_open();
        } else {
            drop(commit);
            written.iter().for_each(|joined| joined.collection.counters.end_commit());
        }
        match outcome {
            Ok(()) => {
                held.into_iter().for_each(HeldRecord::committed);
                written.iter().for_each(|joined| joined.apply_estimates());
                Ok(())
            }
            Err(error @ kv::Error::Undetermined { .. }) => {
                for slot in held {
                    slot.reread(self.engine.as_ref())?;
                }
                Err(error.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Commits a change of documents that define something (graphs) as what it is: a change of the catalog. What was
    /// derived from the catalog of before, such as plans, is then not used again.
    fn commit_definitions(
        &self,
        transaction: Box<dyn kv::WriteTransaction>,
        durability: Durability,
    ) -> kv::Result<()> {
        let _definitions = self.definitions.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut present = self.catalog.write().unwrap_or_else(PoisonError::into_inner);
            transaction.commit(Durability::Buffered)?;
            let mut catalog = Catalog::clone(&present);
            catalog.version += 1;
            *present = std::sync::Arc::new(catalog);
        }
        // Not under the lock: readers need not wait for the disk.
        if durability == Durability::Synced { self.engine.sync() } else { Ok(()) }
    }
}

impl Joined {
    fn apply_estimates(&self) {
        for (index, change) in self.collection.indexes.iter().zip(&self.estimates) {
            if let Some(estimate) = index.estimate() {
                estimate.apply(change);
            }
        }
    }
}
