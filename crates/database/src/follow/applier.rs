//! Applies entries of documents and transactions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aql_value::Charge;
use catalog::SYSTEM_DATABASE;
use errors::Result;

use super::entry::{Entry, EntryKind, TailBody, for_each};
use super::operations::{Operation, Operations};
use super::position::{AppliedPosition, setting};
use super::{definitions, users};
use crate::instance::Instance;

/// Operations of their own that are committed together, and their bytes.
const TOGETHER_MAX: usize = 1_000;
const TOGETHER_MAX_BYTES: usize = 1 << 20;

/// Applies the log of another server.
///
/// It is the only one that applies this log. Entries come in order; after an error or a crash they
/// come again from [`AppliedPosition::restart`] on.
pub struct Applier {
    instance: Arc<Instance>,
    source: String,
    position: AppliedPosition,
    /// Transactions that have begun and not ended, by their numbers.
    open: BTreeMap<u64, Operations>,
    /// Operations of their own that are not committed yet.
    together: Operations,
    /// The memory of all of them.
    memory: Charge,
    /// The databases whose entries are applied; `None` for all.
    databases: Option<BTreeSet<String>>,
    counts: AppliedCounts,
}

/// The entries that an applier has applied.
#[derive(Clone, Copy, Debug, Default)]
pub struct AppliedCounts {
    /// All entries that came.
    pub entries: u64,
    /// Transactions that were committed.
    pub transactions: u64,
}

/// The state of the other server that was copied before its log is applied.
///
/// A copy takes time, and shows some collections as of earlier moments than others. So the log is
/// applied from the beginning of the copy on, over what the copy has already. Up to its end the log
/// may name collections that were dropped before they were copied.
#[derive(Clone, Copy, Debug, Default)]
pub struct CopiedState {
    /// The last tick of the log before the copy began.
    pub first: u64,
    /// The last tick of the log when the copy had ended.
    pub last: u64,
}

impl Applier {
    /// Opens the applier of a server's log. `begin` counts only if nothing was applied before.
    ///
    /// Errors: 1102 for damage, those of the engine.
    pub fn open(instance: Arc<Instance>, source: &str, begin: CopiedState) -> Result<Self> {
        let stored = AppliedPosition::read(instance.store(), source)?;
        let position = stored.unwrap_or(AppliedPosition {
            applied: begin.first,
            restart: begin.first,
            complete: begin.last,
        });
        let memory = Charge::new(Arc::clone(instance.work_memory()));
        let (open, together) = (BTreeMap::new(), Operations::default());
        let (source, counts) = (source.to_owned(), AppliedCounts::default());
        Ok(Applier { instance, source, position, open, together, memory, databases: None, counts })
    }

    /// Passes over the entries of all other databases.
    pub(super) fn only_databases(&mut self, names: impl IntoIterator<Item = String>) {
        self.databases = Some(names.into_iter().collect());
    }

    /// Returns the numbers of entries so far.
    pub(super) fn counts(&self) -> AppliedCounts {
        self.counts
    }

    /// Returns how far the log was applied.
    pub fn position(&self) -> AppliedPosition {
        self.position
    }

    /// Ends the work of the applier, and removes the position that is stored for it.
    ///
    /// Errors: those of the engine.
    pub fn forget(self) -> Result<()> {
        AppliedPosition::remove(self.instance.store(), &self.source)
    }

    /// Applies the next entries of the log, and returns their number.
    ///
    /// Errors: 10 and 600 for what is no log, 32 for transactions beyond the memory, those of
    /// writes and definitions. Entries from [`AppliedPosition::restart`] on must come again then.
    pub fn apply(&mut self, body: TailBody<'_>) -> Result<u64> {
        let mut count = 0;
        let applied = for_each(body, &mut |entry| {
            count += 1;
            self.take(&entry)
        });
        let applied = applied.and_then(|()| self.commit_together());
        if applied.is_err() {
            self.open.clear();
            self.together = Operations::default();
            self.memory.clear();
        }
        self.counts.entries += count;
        applied.map(|()| count)
    }

    fn take(&mut self, entry: &Entry<'_>) -> Result<()> {
        let is_of_transaction = matches!(entry.kind, EntryKind::Begin | EntryKind::Commit | EntryKind::Abort);
        let is_wanted = |databases: &BTreeSet<String>| databases.contains(entry.database);
        if !is_of_transaction && !self.databases.as_ref().is_none_or(is_wanted) {
            return Ok(());
        }
        match entry.kind {
            EntryKind::Begin => {
                let operations = Operations::of(entry.database, entry.tick);
                self.open.insert(entry.transaction, operations);
                Ok(())
            }
            EntryKind::Abort => {
                let aborted = self.open.remove(&entry.transaction);
                self.memory.shrink(aborted.map_or(0, |aborted| aborted.bytes() as u64));
                Ok(())
            }
            EntryKind::Commit => self.commit_transaction(entry),
            EntryKind::Put | EntryKind::Remove if self.is_of_user(entry) => {
                self.take_repeatable(entry, |instance, _| users::apply(instance.store(), entry))
            }
            EntryKind::Put | EntryKind::Remove => self.take_operation(entry),
            _ => self
                .take_repeatable(entry, |instance, may_lack| definitions::apply(instance, entry, may_lack)),
        }
    }

    fn is_of_user(&self, entry: &Entry<'_>) -> bool {
        if entry.database != SYSTEM_DATABASE {
            return false;
        }
        let catalog = self.instance.store().catalog();
        users::is_of_user(entry, catalog.database(SYSTEM_DATABASE).map(AsRef::as_ref))
    }

    /// Applies a change that is not in one commit with its position: it may come again.
    fn take_repeatable(
        &mut self,
        entry: &Entry<'_>,
        apply: impl FnOnce(&Arc<Instance>, bool) -> Result<()>,
    ) -> Result<()> {
        if entry.tick <= self.position.applied {
            return Ok(());
        }
        self.commit_together()?;
        let position = self.position_after(entry.tick);
        apply(&self.instance, position.may_lack_definitions())?;
        position.store(self.instance.store(), &self.source)?;
        self.reach(position);
        Ok(())
    }

    /// Notes that everything up to a position is applied.
    fn reach(&mut self, position: AppliedPosition) {
        self.position = position;
        self.mark();
    }

    /// Notes where in the log of this server the position is. Before the end of a copy it is
    /// nowhere: the copy may have what the log says later.
    pub(super) fn mark(&self) {
        if self.instance.group().is_some() && self.position.applied >= self.position.complete {
            let here = self.instance.store().next_position().saturating_sub(1);
            self.instance.following().marks().note(self.position.applied, here);
        }
    }

    fn take_operation(&mut self, entry: &Entry<'_>) -> Result<()> {
        let operation = Operation::of(entry)?;
        let bytes = operation.bytes();
        if let Some(open) = self.open.get_mut(&entry.transaction).filter(|_| entry.transaction != 0) {
            self.memory.grow(bytes as u64)?;
            open.push(operation);
            return Ok(());
        }
        if entry.tick <= self.position.applied {
            return Ok(());
        }
        let is_full = self.together.len() >= TOGETHER_MAX || self.together.bytes() >= TOGETHER_MAX_BYTES;
        if is_full || self.together.database() != entry.database {
            self.commit_together()?;
            self.together = Operations::of(entry.database, entry.tick);
        }
        self.memory.grow(bytes as u64)?;
        self.together.push(operation);
        self.together.tick = entry.tick;
        Ok(())
    }

    fn commit_transaction(&mut self, entry: &Entry<'_>) -> Result<()> {
        let Some(operations) = self.open.remove(&entry.transaction) else { return Ok(()) };
        if entry.tick > self.position.applied {
            self.commit_together()?;
            let position = self.position_after(entry.tick);
            match operations.is_empty() {
                // A transaction of definitions has no database.
                true => {
                    position.store(self.instance.store(), &self.source)?;
                    self.reach(position);
                }
                false => self.commit(&operations, position)?,
            }
            self.counts.transactions += 1;
        }
        self.memory.shrink(operations.bytes() as u64);
        Ok(())
    }

    /// Commits the operations of their own so far.
    fn commit_together(&mut self) -> Result<()> {
        let together = std::mem::take(&mut self.together);
        if !together.is_empty() {
            let position = self.position_after(together.tick);
            self.commit(&together, position)?;
        }
        self.memory.shrink(together.bytes() as u64);
        Ok(())
    }

    /// Returns the position once everything up to `tick` is applied.
    fn position_after(&self, tick: u64) -> AppliedPosition {
        let first = self.open.values().map(|open| open.tick.saturating_sub(1)).min();
        AppliedPosition {
            applied: tick,
            restart: first.unwrap_or(tick).min(tick),
            complete: self.position.complete,
        }
    }

    fn commit(&mut self, operations: &Operations, position: AppliedPosition) -> Result<()> {
        let setting = setting(&self.source);
        operations.commit(self.instance.store(), position.may_lack_definitions(), &|transaction| {
            transaction.put_setting(&setting, &position.encode())
        })?;
        self.reach(position);
        Ok(())
    }
}
