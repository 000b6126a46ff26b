//! Publication of document changes, in the only correct order:
//!
//! 1. [`PreparedChanges`] reserves a counter record for each collection and writes it with the
//!    documents.
//! 2. [`PreparedChanges::begin`] registers the changes. From now on nobody caches results or
//!    documents of the previous state, and the read cache drops the changed documents.
//! 3. The caller lets the engine commit.
//! 4. [`Publication::end`] takes the outcome: it updates the counts, numbers the load, and updates
//!    the estimates of indexes. If the outcome is not known, the registration stays open forever,
//!    and the counters are read from the engine again.

use std::sync::Arc;

use catalog::{DatabaseId, ObjectId};
use errors::Result;
use kv::{BulkLoad, Engine, LoadHint, WriteTransaction};

use super::counters::{Counters, HeldRecord, Totals};
use super::estimate::{Estimate, EstimateChange};
use super::load_clock::{LastLoad, LoadClock};
use super::read_cache::{CacheKey, Commit, CommitWatch, CommittedCollection, ReadCache, Removes};
use crate::change_log::{ChangeLog, HeldPositions};
use crate::encoding::change::{ChangeBuffer, SERVER_LOG};
use crate::ids::id_sequence::IdSequence;

/// The parts of a store that make changes visible.
#[derive(Clone, Copy)]
pub(crate) struct Publisher<'a> {
    pub(crate) engine: &'a dyn Engine,
    pub(crate) ids: &'a IdSequence,
    pub(crate) read_cache: &'a ReadCache,
    pub(crate) load_clock: &'a LoadClock,
    pub(crate) change_log: &'a ChangeLog,
}

/// The entries of a commit for the change log of a database.
pub(crate) struct LoggedChanges {
    pub(crate) database: DatabaseId,
    pub(crate) entries: ChangeBuffer,
}

impl LoggedChanges {
    /// Returns no entries.
    pub(crate) fn none() -> Self {
        LoggedChanges { database: SERVER_LOG, entries: ChangeBuffer::default() }
    }
}

/// The changes of one commit to one collection.
pub(crate) struct Change<'a> {
    /// The object that prefixes the keys of the collection's documents.
    pub(crate) documents: ObjectId,
    pub(crate) counters: &'a Arc<Counters>,
    pub(crate) commit_watch: &'a CommitWatch,
    pub(crate) last_load: &'a LastLoad,
    /// The objects that prefix the entries of its cached indexes, and the functions from the key of
    /// such an entry to that of the cache.
    pub(crate) cached_indexes: Vec<(ObjectId, CacheKey)>,
    pub(crate) totals: Totals,
    pub(crate) removes: Removes,
    /// The estimates of its indexes with their changes.
    pub(crate) estimates: Vec<(&'a Estimate, &'a EstimateChange)>,
}

/// Changes whose counter records are written with them. Dropping this means that nothing was
/// committed.
#[must_use = "changes become visible by `begin` and `end`"]
pub(crate) struct PreparedChanges<'a> {
    publisher: Publisher<'a>,
    changes: Vec<Change<'a>>,
    records: Vec<HeldRecord>,
    /// The positions of the commit in the change log.
    positions: Option<HeldPositions>,
    is_load: bool,
}

/// Changes that the engine is about to commit.
#[must_use = "the outcome of the commit must be told by `end`"]
pub(crate) struct Publication<'a> {
    prepared: PreparedChanges<'a>,
    commit: Commit<'a>,
}

impl<'a> PreparedChanges<'a> {
    /// Prepares the changes that a transaction of the engine has written, and writes their entries
    /// of the change log.
    pub(crate) fn of_transaction(
        publisher: Publisher<'a>,
        mut changes: Vec<Change<'a>>,
        logged: LoggedChanges,
        transaction: &mut dyn WriteTransaction,
    ) -> Result<Self> {
        // All commits take records in the same order, so that two of them cannot wait for each
        // other.
        changes.sort_by_key(|change| change.documents);
        debug_assert!(
            changes.is_sorted_by(|left, right| left.documents < right.documents),
            "a commit changes a collection twice"
        );
        let mut records = Vec::with_capacity(changes.len());
        for change in &changes {
            records.push(change.counters.hold(change.totals, transaction)?);
        }
        if !logged.entries.is_empty() && publisher.change_log.positions.shared().is_some() {
            // The transaction takes its state, if it has none, before its positions. A commit that
            // conflicts with it and is not in that state then has greater positions.
            transaction.get_many(&[])?;
        }
        // The last step: until the commit has ended, readers of the log wait for it.
        let positions = publisher.change_log.write(logged.database, logged.entries, |key, value| {
            Ok(transaction.put_unguarded(key, value)?)
        })?;
        Ok(PreparedChanges { publisher, changes, records, positions, is_load: false })
    }

    /// Prepares a load, which must not have pairs yet, because the counter record and the entries
    /// of the change log come before all documents. A load of long runs of keys gets a record that
    /// no other commit writes, so that its files overlap no others.
    ///
    /// `is_numbered` says that nobody claims its keys.
    pub(crate) fn of_load(
        publisher: Publisher<'a>,
        change: Change<'a>,
        logged: LoggedChanges,
        (hint, is_numbered): (LoadHint, bool),
        load: &mut dyn BulkLoad,
    ) -> Result<Self> {
        let counters = change.counters;
        let record = match hint {
            LoadHint::Sorted { .. } => counters.hold_for_load(publisher.ids.next()?, change.totals),
            LoadHint::Scattered => counters.hold_for(change.totals),
        };
        let (key, value) = record.pair();
        load.add(&key, &value)?;
        if !logged.entries.is_empty() {
            load.begin_run()?;
        }
        let positions = publisher
            .change_log
            .write(logged.database, logged.entries, |key, value| Ok(load.add(key, value)?))?;
        Ok(PreparedChanges {
            publisher,
            changes: vec![change],
            records: vec![record],
            positions,
            is_load: is_numbered,
        })
    }

    /// Registers the changes. `written` passes on each key that is written.
    pub(crate) fn begin(self, written: impl FnOnce(&mut dyn FnMut(&[u8]))) -> Publication<'a> {
        self.changes.iter().for_each(|change| change.counters.begin_commit());
        let collections = self.changes.iter().map(|change| CommittedCollection {
            watch: change.commit_watch,
            documents: change.documents,
            indexes: &change.cached_indexes,
            removes: change.removes,
        });
        let commit = self.publisher.read_cache.begin_commit(collections, written);
        Publication { prepared: self, commit }
    }
}

impl Publication<'_> {
    /// Ends the publication with the outcome of the engine's commit.
    ///
    /// Errors: that of the commit, and those of the engine when it must look up the outcome.
    pub(crate) fn end(self, outcome: kv::Result<()>) -> Result<()> {
        let Publication { mut prepared, commit } = self;
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
                match (prepared.positions.take(), prepared.publisher.engine.sharing()) {
                    (Some(positions), _) => positions.leave_open(),
                    (None, Some(sharing)) => {
                        prepared.publisher.change_log.doubt_unlogged(sharing.as_ref());
                    }
                    (None, None) => {}
                }
                prepared.number_load();
                prepared.reread()?;
                Err(error.into())
            }
            Err(error) => {
                drop(commit);
                prepared.positions.take().into_iter().for_each(HeldPositions::withdraw);
                prepared.end_commits();
                Err(error.into())
            }
        }
    }
}

impl PreparedChanges<'_> {
    fn end_commits(&self) {
        self.changes.iter().for_each(|change| change.counters.end_commit());
    }

    fn number_load(&self) {
        if self.is_load {
            let number = self.publisher.load_clock.advance();
            self.changes.iter().for_each(|change| change.last_load.note(number));
        }
    }

    /// Adds the committed changes to counts and estimates.
    fn count(self) {
        self.records.into_iter().for_each(HeldRecord::committed);
        for change in &self.changes {
            change.estimates.iter().for_each(|(estimate, change)| estimate.apply(change));
            if self.is_load {
                // The load is committed. If merging the records fails, the next load retries it.
                let _ = change.counters.fold_loads(self.publisher.engine);
            }
        }
    }

    /// Counts the changes that the engine holds, after a commit with an unknown outcome.
    fn reread(self) -> Result<()> {
        self.records.into_iter().try_for_each(|record| record.reread(self.publisher.engine))
    }
}
