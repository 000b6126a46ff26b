//! Changes of definitions, and of the records by which servers coordinate, that one commit makes.
//!
//! Where several servers share a store, each change writes the record of announcements, so no two
//! of them may overlap, and each commit waits for messages. Therefore the threads that wait for
//! their turn add their changes to one *group*: a thread that sees others waiting leaves the group
//! to the next one, and the last one commits it. All of them then wait for the outcome. A thread
//! without others behind it commits at once, so a change that comes alone waits for nobody.
//!
//! A change in a group has seen those before it. So its answer counts only if the group has
//! committed, even if the answer is an error.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use errors::{Error, Result};
use kv::WriteTransaction;

use crate::catalog_snapshot::Catalog;
use crate::catalog_snapshot::changed_records::ChangedRecords;
use crate::catalog_snapshot::definition_changes::DefinitionChanges;
use crate::catalog_snapshot::draft::{Draft, DraftParts};
use crate::change_log::HeldPositions;
use crate::sharing::Announced;
use crate::store_core::StoreCore;
use crate::visibility::read_cache::DefinitionCommit;

/// Maximum number of changes in a group.
const CHANGES_MAX: usize = 64;

/// The right to change definitions on this server, and the group that waits for the next change.
#[derive(Default)]
pub(crate) struct Definitions {
    turn: Mutex<Option<Group>>,
    /// The number of threads that wait for their turn to make a change.
    waiting: AtomicUsize,
}

/// Held during a change of definitions.
pub(crate) struct DefinitionsGuard<'a>(MutexGuard<'a, Option<Group>>);

/// The records that a change writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeOf {
    /// Definitions. The change makes a new version of the catalog, which other servers must read.
    Definitions,
    /// Records by which servers coordinate: locks of collections, and that of the change log. The
    /// catalog stays as it is.
    Coordination,
}

/// Changes that have not committed yet.
struct Group {
    catalog: Catalog,
    /// `None` only while a change is being made, or once the group has ended.
    transaction: Option<Box<dyn WriteTransaction>>,
    /// The commit that makes the changes visible, until it has ended.
    commit: Option<DefinitionCommit>,
    /// The entries of the change log, for each change.
    changes: Vec<DefinitionChanges>,
    changed: ChangedRecords,
    changes_catalog: bool,
    count: usize,
    outcome: Arc<Outcome>,
}

/// The outcome of a group's commit, once it has ended.
#[derive(Default)]
struct Outcome {
    ended: Mutex<Option<Result<Announced>>>,
    is_known: Condvar,
}

impl Definitions {
    /// Waits until no other thread changes definitions. The caller makes no change of a group.
    pub(crate) fn lock(&self) -> DefinitionsGuard<'_> {
        DefinitionsGuard(self.turn.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for the turn to make a change, and takes over the group that was left.
    fn wait_for_turn(&self) -> (DefinitionsGuard<'_>, Option<Group>) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut guard = self.lock();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        let group = guard.0.take();
        (guard, group)
    }

    /// Returns true if another thread is certain to take its turn after this one.
    fn has_successor(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }
}

impl Outcome {
    /// Sets the outcome, unless it is known.
    fn set(&self, outcome: Result<Announced>) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(outcome);
        self.is_known.notify_all();
    }

    fn wait(&self) -> Result<Announced> {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(outcome) = &*ended {
                return outcome.clone();
            }
            ended = self.is_known.wait(ended).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.outcome.set(Err(Error::internal("a change of definitions was abandoned")));
    }
}

impl Group {
    fn has_room(&self) -> bool {
        self.count < CHANGES_MAX
    }

    /// Adds a change. One that fails leaves the group as it was.
    fn add<T>(
        &mut self,
        core: &StoreCore,
        of: ChangeOf,
        change: impl FnOnce(&mut Draft) -> Result<T>,
    ) -> Result<T> {
        let transaction = self.transaction.take();
        let mut transaction = transaction.ok_or_else(|| Error::internal("a group of changes has ended"))?;
        let number = self.commit.as_ref().map_or(0, DefinitionCommit::number);
        let before = transaction.savepoint();
        let mut draft = Draft::new(
            Catalog::clone(&self.catalog),
            transaction,
            number,
            core.coordination.clone(),
            DefinitionChanges::new(core.change_log.recorder()),
        );
        let answer = change(&mut draft);
        let DraftParts { catalog, mut transaction, changes, changed } = draft.into_parts();
        if answer.is_ok() {
            self.catalog = catalog;
            self.changes.push(changes);
            self.changed.append(changed);
            self.changes_catalog |= of == ChangeOf::Definitions;
            self.count += 1;
        } else {
            transaction.rollback_to(before);
        }
        self.transaction = Some(transaction);
        answer
    }
}

impl StoreCore {
    /// Locks the definitions against other changes by this process.
    pub(crate) fn definitions(&self) -> DefinitionsGuard<'_> {
        self.definitions.lock()
    }

    /// Makes a change of definitions by one attempt, perhaps together with others. Returns the
    /// announcement with it.
    ///
    /// Errors: 1200 if another server was faster, those of `change` and of the engine.
    pub(super) fn change_once<T>(
        &self,
        of: ChangeOf,
        change: impl FnOnce(&mut Draft) -> Result<T>,
    ) -> Result<(T, Announced)> {
        let (mut turn, group) = self.definitions.wait_for_turn();
        let mut group = match group {
            Some(group) => group,
            None => self.begin_group()?,
        };
        let answer = group.add(self, of, change);
        let outcome = Arc::clone(&group.outcome);
        let is_left = group.has_room() && !self.coordination.is_alone() && self.definitions.has_successor();
        match (group.count, is_left) {
            // The change has failed, and saw no other one.
            (0, _) => outcome.set(Ok(Announced::default())),
            (_, true) => *turn.0 = Some(group),
            (_, false) => self.commit_group(group),
        }
        drop(turn);
        let announced = outcome.wait()?;
        Ok((answer?, announced))
    }

    fn begin_group(&self) -> Result<Group> {
        let mut transaction = self.engine.begin(kv::TransactionOptions::default())?;
        self.catch_up(transaction.view().as_ref())?;
        Ok(Group {
            commit: Some(self.read_cache.begin_definition()),
            catalog: Catalog::clone(&self.catalog()),
            transaction: Some(transaction),
            changes: Vec::new(),
            changed: ChangedRecords::default(),
            changes_catalog: false,
            count: 0,
            outcome: Arc::default(),
        })
    }

    /// Commits a group, and tells its threads the outcome. The caller has the turn.
    fn commit_group(&self, mut group: Group) {
        let committed = self.commit_changes(&mut group);
        drop(group.commit.take());
        group.outcome.set(committed);
    }

    fn commit_changes(&self, group: &mut Group) -> Result<Announced> {
        let transaction = group.transaction.take();
        let mut transaction = transaction.ok_or_else(|| Error::internal("a group of changes has ended"))?;
        if !group.changes_catalog && transaction.write_count() == 0 {
            // All of them have found what they wanted.
            return Ok(self.coordination.announced(transaction.view().as_ref())?.unwrap_or_default());
        }
        let version = group.catalog.version;
        let announced = self.coordination.announce(transaction.as_mut(), group.changes_catalog, version)?;
        if !self.coordination.is_alone() && group.changes_catalog {
            group.changed.write(version, announced.definitions, transaction.as_mut())?;
        }
        group.catalog.version = announced.definitions;
        let (mut positions, mut unlogged) = (Vec::new(), Vec::new());
        for changes in group.changes.drain(..) {
            let (held, recorder) = changes.write(&self.change_log, transaction.as_mut())?;
            positions.extend(held);
            unlogged.push(recorder);
        }
        // Readers may go on while locks change.
        let present = group.changes_catalog.then(|| self.catalog.write());
        let present = present.map(|catalog| catalog.unwrap_or_else(PoisonError::into_inner));
        self.write_gate.check_leading()?;
        if let Err(error) = transaction.commit(kv::Durability::Buffered) {
            if !matches!(error, kv::Error::Undetermined { .. }) {
                positions.into_iter().rev().for_each(HeldPositions::withdraw);
                return Err(error.into());
            }
            match self.coordination.sharing() {
                // The catalog in memory and the engine may now differ. Only opening the store
                // again can tell.
                None => drop(self.doubt.set(error.clone())),
                Some(sharing) if positions.is_empty() => self.change_log.doubt_unlogged(sharing.as_ref()),
                Some(_) => {}
            }
            positions.into_iter().for_each(HeldPositions::leave_open);
            return Err(error.into());
        }
        self.coordination.install(announced);
        if let Some(mut present) = present {
            debug_assert!(group.catalog.version > present.version, "plans would outlive their definitions");
            *present = Arc::new(std::mem::take(&mut group.catalog));
        }
        Ok(announced)
    }
}
