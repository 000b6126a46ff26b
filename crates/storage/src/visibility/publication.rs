//! Publication of document changes, in the only correct order:
//!
//! 1. [`PreparedChanges`] reserves a counter record for each collection and writes it with the
//!    documents.
//! 2. [`PreparedChanges::begin`] announces the changes. From now on nobody caches results or
//!    documents of the previous state, and the read cache drops the changed documents.
//! 3. The caller lets the engine commit.
//! 4. [`Publication::end`] takes the outcome: it updates the counts, numbers the load, and updates
//!    the estimates of indexes. If the outcome is not known, the announcement stays open forever,
//!    and the counters are read from the engine again.

use std::sync::Arc;

use kv::{BulkLoad, LoadHint, WriteTransaction};

use super::counters::{HeldRecord, Totals};
use super::read_cache::{Commit, CommittedCollection, Removes};
use crate::Collection;
use crate::store_core::StoreCore;
use crate::visibility::estimate::EstimateChange;
use errors::Result;

/// The changes of one commit to one collection.
pub(crate) struct Change<'a> {
    pub(crate) collection: &'a Arc<Collection>,
    pub(crate) totals: Totals,
    pub(crate) removes: Removes,
    /// The changes of estimates, by position in the collection's indexes.
    pub(crate) estimates: &'a [EstimateChange],
}

/// Changes whose counter records are written with them. Dropping this means that nothing was
/// committed.
#[must_use = "changes become visible by `begin` and `end`"]
pub(crate) struct PreparedChanges<'a> {
    core: &'a StoreCore,
    changes: Vec<Change<'a>>,
    records: Vec<HeldRecord>,
    is_load: bool,
}

/// Changes that the engine is about to commit.
#[must_use = "the outcome of the commit must be told by `end`"]
pub(crate) struct Publication<'a> {
    prepared: PreparedChanges<'a>,
    commit: Commit<'a>,
}

impl<'a> PreparedChanges<'a> {
    /// Prepares the changes that a transaction of the engine has written.
    pub(crate) fn of_transaction(
        core: &'a StoreCore,
        mut changes: Vec<Change<'a>>,
        transaction: &mut dyn WriteTransaction,
    ) -> Result<Self> {
        // All commits take records in the same order, so that two of them cannot wait for each
        // other.
        changes.sort_by_key(|change| change.collection.object_id());
        let mut records = Vec::with_capacity(changes.len());
        for change in &changes {
            records.push(change.collection.counters.hold(change.totals, transaction)?);
        }
        Ok(PreparedChanges { core, changes, records, is_load: false })
    }

    /// Prepares a load, which must not have pairs yet, because the counter record comes before all
    /// documents. A load of long runs of keys gets a record that no other commit writes, so that
    /// its files overlap no others.
    pub(crate) fn of_load(
        core: &'a StoreCore,
        change: Change<'a>,
        hint: LoadHint,
        load: &mut dyn BulkLoad,
    ) -> Result<Self> {
        let counters = &change.collection.counters;
        let record = match hint {
            LoadHint::Sorted { .. } => counters.hold_for_load(core.ids.next()?, change.totals),
            LoadHint::Scattered => counters.hold_for(change.totals),
        };
        let (key, value) = record.pair();
        load.add(&key, &value)?;
        Ok(PreparedChanges { core, changes: vec![change], records: vec![record], is_load: true })
    }

    /// Announces the changes. `written` passes on each key that is written.
    pub(crate) fn begin(self, written: impl FnOnce(&mut dyn FnMut(&[u8]))) -> Publication<'a> {
        self.changes.iter().for_each(|change| change.collection.counters.begin_commit());
        let collections = self.changes.iter().map(|change| CommittedCollection {
            watch: &change.collection.commit_watch,
            documents: change.collection.object_id(),
            indexes: change
                .collection
                .indexes()
                .iter()
                .filter_map(|index| Some((index.definition().object_id, index.cache_key()?)))
                .collect(),
            removes: change.removes,
        });
        let commit = self.core.read_cache.begin_commit(collections, written);
        Publication { prepared: self, commit }
    }
}

impl Publication<'_> {
    /// Ends the publication with the outcome of the engine's commit.
    ///
    /// Errors: that of the commit, and those of the engine when it must look up the outcome.
    pub(crate) fn end(self, outcome: kv::Result<()>) -> Result<()> {
        let Publication { prepared, commit } = self;
        match outcome {
            Ok(()) => {
                drop(commit);
                prepared.end_commits();
                prepared.number_load();
                prepared.count();
                Ok(())
            }
            Err(error @ kv::Error::Undetermined { .. }) => {
                commit.leave_open();
                prepared.number_load();
                prepared.reread()?;
                Err(error.into())
            }
            Err(error) => {
                drop(commit);
                prepared.end_commits();
                Err(error.into())
            }
        }
    }
}

impl PreparedChanges<'_> {
    fn end_commits(&self) {
        self.changes.iter().for_each(|change| change.collection.counters.end_commit());
    }

    fn number_load(&self) {
        if self.is_load {
            let number = self.core.load_clock.advance();
            self.changes.iter().for_each(|change| change.collection.last_load.note(number));
        }
    }

    /// Adds the committed changes to counts and estimates.
    fn count(self) {
        self.records.into_iter().for_each(HeldRecord::committed);
        for change in &self.changes {
            for (index, estimate) in change.collection.indexes().iter().zip(change.estimates) {
                if let Some(sketch) = index.estimate() {
                    sketch.apply(estimate);
                }
            }
            if self.is_load {
                // The load is committed. If merging the records fails, the next load retries it.
                let _ = change.collection.counters.fold_loads(self.core.engine.as_ref());
            }
        }
    }

    /// Counts the changes that the engine holds, after a commit with an unknown outcome.
    fn reread(self) -> Result<()> {
        self.records.into_iter().try_for_each(|record| record.reread(self.core.engine.as_ref()))
    }
}
