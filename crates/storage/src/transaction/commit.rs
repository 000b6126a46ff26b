//! Making a transaction's writes visible.

use std::sync::PoisonError;

use catalog::GRAPHS_COLLECTION;
use kv::Durability;

use super::{Joined, Transaction};
use crate::counters::HeldSlot;
use crate::{Catalog, Result};

impl Transaction {
    /// Makes all writes visible at once. Waits for the disk where `durability` or a written collection's
    /// `waitForSync` says so.
    ///
    /// Errors: 1650 if it is not known whether the writes took place; otherwise nothing was written.
    pub fn commit(mut self, durability: Durability) -> Result<()> {
        if self.engine.write_count() == 0 {
            self.engine.rollback();
            return Ok(());
        }
        let mut written: Vec<&Joined> = self.joined.iter().filter(|joined| joined.is_written).collect();
        // Everybody takes slots in the same order, so that nobody waits for each other.
        written.sort_by_key(|joined| joined.collection.object_id());
        let must_sync = written.iter().any(|joined| joined.collection.definition.properties.wait_for_sync);
        let durability = if must_sync { Durability::Synced } else { durability };
        let mut held = Vec::with_capacity(written.len());
        for joined in &written {
            held.push(joined.collection.counters.hold(joined.change, self.engine.as_mut())?);
        }
        written.iter().for_each(|joined| joined.collection.counters.begin_commit());
        let collections = written.iter().map(|joined| (&joined.collection, joined.removes));
        let commit =
            self.shared.read_cache.begin_commit(collections, |visit| self.engine.for_each_written(visit));
        let defines = written.iter().any(|joined| joined.collection.name() == GRAPHS_COLLECTION);
        let outcome = if defines {
            self.shared.commit_definitions(self.engine, durability)
        } else {
            self.engine.commit(durability)
        };
        if matches!(outcome, Err(kv::Error::Undetermined { .. })) {
            commit.leave_open();
        } else {
            drop(commit);
            written.iter().for_each(|joined| joined.collection.counters.end_commit());
        }
        match outcome {
            Ok(()) => {
                held.into_iter().for_each(HeldSlot::committed);
                written.iter().for_each(|joined| joined.apply_estimates());
                Ok(())
            }
            Err(error @ kv::Error::Undetermined { .. }) => {
                for slot in held {
                    slot.reread(self.shared.engine.as_ref())?;
                }
                Err(error.into())
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl crate::store::Shared {
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
