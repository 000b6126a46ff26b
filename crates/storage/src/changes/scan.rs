//! Scans of the change log.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use catalog::DatabaseId;
use errors::{Error, Result};
use kv::{Block, BlockLimits, Scan, ScanSpec, Snapshot};

use crate::Store;
use crate::encoding::change::{
    Change, ChangePart, OTHERS, SERVER_LOG, ThinnedTo, log_before, log_from, logged_databases, part_of_key,
    start_key,
};
use crate::encoding::pack;

/// The logs that a scan reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeScope {
    /// The log of one database.
    Database(DatabaseId),
    /// The changes of databases and users.
    Server,
    /// All logs, in the order of positions.
    All,
}

/// A scan of the commits up to one moment.
pub struct ChangeScan {
    sources: Vec<Source>,
    /// The source whose commit has parts left.
    current: Option<usize>,
    after: u64,
    /// Positions from here on belong to commits that may not have ended.
    end: u64,
}

/// The log of one database.
struct Source {
    database: DatabaseId,
    scan: Box<dyn Scan>,
    block: Option<Arc<Block>>,
    /// The next pair of the block.
    next: usize,
}

/// Parts of commits, in order.
#[derive(Default)]
pub struct ChangeBlock {
    parts: VecDeque<PartAt>,
}

/// The place of a part.
struct PartAt {
    block: Arc<Block>,
    pair: usize,
    database: DatabaseId,
    first: u64,
}

/// A part of a commit, whose entries belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The database; 0 for changes of databases and users.
    pub database: DatabaseId,
    /// The first position. It is the number of the transaction too.
    pub first: u64,
    /// Microseconds since 1970.
    pub time: u64,
    /// The commit has more than one entry: `first` is the position of its begin.
    pub is_transaction: bool,
    /// This is the first part of the commit.
    pub is_first_part: bool,
    /// This is the last part of the commit.
    pub is_last_part: bool,
    /// The position after the part, and after the end of the commit if this is the last part.
    pub end: u64,
}

impl Store {
    /// Begins a scan of the entries whose positions are greater than `after`, up to all commits
    /// that have ended.
    ///
    /// Errors: those of the engine.
    pub fn scan_changes(&self, scope: ChangeScope, after: u64) -> Result<ChangeScan> {
        // The bound comes first: the snapshot then shows all commits below it.
        let end = self.resolved_position();
        let snapshot = self.core.engine.snapshot()?;
        let databases = databases_of(snapshot.as_ref(), scope)?;
        let sources = databases.into_iter().map(|database| Source::open(snapshot.as_ref(), database, after));
        Ok(ChangeScan { sources: sources.collect::<Result<_>>()?, current: None, after, end })
    }

    /// Returns the first position that a log still has: older entries were removed. Those of
    /// collections with a retention of their own may be gone from later positions too.
    ///
    /// Errors: those of the engine, 1102 for damage.
    pub fn first_position(&self, scope: ChangeScope) -> Result<u64> {
        self.first_position_of(scope, None)
    }

    /// Returns the first position from which on a log has all entries of these collections. For
    /// `None`, those of all collections without a retention of their own.
    ///
    /// Errors: those of the engine, 1102 for damage.
    pub fn first_position_of(
        &self,
        scope: ChangeScope,
        collections: Option<&HashSet<String>>,
    ) -> Result<u64> {
        let start = self.change_log().map_or(u64::MAX, |start| start.first);
        let snapshot = self.core.engine.snapshot()?;
        let databases = databases_of(snapshot.as_ref(), scope)?;
        let mut first = start;
        for database in databases {
            first = first.max(trimmed_to(snapshot.as_ref(), database)?);
            let thinned = ThinnedTo::read(snapshot.as_ref(), database)?;
            first = first.max(match collections {
                Some(names) => names.iter().map(|name| thinned.first_of(name)).max().unwrap_or_default(),
                None => thinned.position(OTHERS),
            });
        }
        Ok(first)
    }
}

fn databases_of(snapshot: &dyn Snapshot, scope: ChangeScope) -> Result<Vec<DatabaseId>> {
    match scope {
        ChangeScope::Database(database) => Ok(vec![database]),
        ChangeScope::Server => Ok(vec![SERVER_LOG]),
        ChangeScope::All => logged_databases(snapshot),
    }
}

/// Returns the first positions of the commits from `first` on that a snapshot shows.
pub(super) fn commits_from(snapshot: &dyn Snapshot, scope: ChangeScope, first: u64) -> Result<Vec<u64>> {
    let mut commits = Vec::new();
    for database in databases_of(snapshot, scope)? {
        let mut scan = snapshot.scan(ScanSpec::forward(log_from(database, first)).keys_only())?;
        while let Some(block) = scan.next_block(BlockLimits { rows: 1000, bytes: 1 << 20 })? {
            for (key, _) in block.iter() {
                let (_, first, part) = part_of_key(key).ok_or_else(damaged_key)?;
                commits.extend((part == 0).then_some(first));
            }
        }
    }
    Ok(commits)
}

/// Returns the position up to which the log of a database was trimmed; 0 if it was not.
pub(super) fn trimmed_to(snapshot: &dyn Snapshot, database: DatabaseId) -> Result<u64> {
    let values = snapshot.get_many(&[&start_key(database)])?;
    match values.iter().next().flatten() {
        Some(bytes) => Ok(pack::read_numbers::<1>(bytes, "start of a change log")?[0]),
        None => Ok(0),
    }
}

impl Source {
    fn open(snapshot: &dyn Snapshot, database: DatabaseId, after: u64) -> Result<Self> {
        let first = Self::commit_at(snapshot, database, after)?;
        let scan = snapshot.scan(ScanSpec::forward(log_from(database, first)).sequential())?;
        Ok(Source { database, scan, block: None, next: 0 })
    }

    /// Returns the first position of the commit to begin with: the one that has the entry behind
    /// `after`, or the first one after it.
    fn commit_at(snapshot: &dyn Snapshot, database: DatabaseId, after: u64) -> Result<u64> {
        let beyond = after.saturating_add(1);
        let mut scan = snapshot.scan(ScanSpec::backward(log_before(database, beyond)))?;
        let Some(block) = scan.next_block(BlockLimits { rows: 1, bytes: 1 })? else { return Ok(beyond) };
        let Some((key, value)) = block.iter().next() else { return Ok(beyond) };
        let (_, first, _) = part_of_key(key).ok_or_else(damaged_key)?;
        Ok(if ChangePart::read(first, value)?.end() > beyond { first } else { beyond })
    }

    /// Returns the first position of the next part's commit; `None` after the last.
    fn peek(&mut self, limits: BlockLimits) -> Result<Option<u64>> {
        loop {
            if let Some(block) = self.block.as_ref().filter(|block| self.next < block.len()) {
                let (_, first, _) = part_of_key(block.key(self.next)).ok_or_else(damaged_key)?;
                return Ok(Some(first));
            }
            self.next = 0;
            self.block = self.scan.next_block(limits)?.map(Arc::new);
            if self.block.is_none() {
                return Ok(None);
            }
        }
    }
}

impl ChangeScan {
    /// Returns the next parts; `None` after the last.
    ///
    /// Errors: 1102 for damage, those of the engine.
    pub fn next_block(&mut self, limits: BlockLimits) -> Result<Option<ChangeBlock>> {
        let mut block = ChangeBlock::default();
        let mut bytes = 0;
        while block.parts.len() < limits.rows && bytes < limits.bytes {
            let Some(part) = self.next_part(limits)? else { break };
            let change = part.read()?;
            self.current = self.current.filter(|_| !change.is_last);
            if change.end() > self.after.saturating_add(1) {
                bytes += part.value().len();
                drop(change);
                block.parts.push_back(part);
            }
        }
        Ok(Some(block).filter(|block| !block.parts.is_empty()))
    }

    /// Ends the scan before the commits from `end` on.
    pub fn below(self, end: u64) -> Self {
        ChangeScan { end: self.end.min(end), ..self }
    }

    /// Returns the position below which the scan shows all commits.
    pub fn end(&self) -> u64 {
        self.end
    }

    fn next_part(&mut self, limits: BlockLimits) -> Result<Option<PartAt>> {
        let source = match self.current {
            Some(source) => Some(source),
            None => self.least(limits)?,
        };
        let Some(index) = source else { return Ok(None) };
        let Some(source) = self.sources.get_mut(index) else { return Ok(None) };
        let Some(first) = source.peek(limits)?.filter(|first| *first < self.end) else { return Ok(None) };
        let Some(block) = source.block.clone() else { return Ok(None) };
        let pair = source.next;
        source.next += 1;
        self.current = Some(index);
        Ok(Some(PartAt { block, pair, database: source.database, first }))
    }

    /// Returns the source whose next commit has the least position.
    fn least(&mut self, limits: BlockLimits) -> Result<Option<usize>> {
        let mut least: Option<(u64, usize)> = None;
        for (i, source) in self.sources.iter_mut().enumerate() {
            if let Some(first) = source.peek(limits)?.filter(|first| *first < self.end)
                && least.is_none_or(|(position, _)| first < position)
            {
                least = Some((first, i));
            }
        }
        Ok(least.map(|(_, source)| source))
    }
}

impl PartAt {
    fn value(&self) -> &[u8] {
        self.block.value(self.pair)
    }

    fn read(&self) -> Result<ChangePart<'_>> {
        ChangePart::read(self.first, self.value())
    }
}

impl ChangeBlock {
    /// Passes each part to `begin`, and each of its entries behind `after` to `visit`.
    ///
    /// Errors: 1102 for damage, those of `begin` and `visit`.
    pub fn for_each(
        &self,
        after: u64,
        mut visit: impl FnMut(&Commit, &[Change<'_>]) -> Result<()>,
    ) -> Result<()> {
        let mut entries = Vec::new();
        for at in &self.parts {
            let part = at.read()?;
            let position = part.position();
            let commit = Commit {
                database: at.database,
                first: part.first,
                time: part.time,
                is_transaction: part.is_transaction,
                is_first_part: position == part.first + u64::from(part.is_transaction),
                is_last_part: part.is_last,
                end: part.end(),
            };
            entries.clear();
            part.for_each(|change| {
                if change.position > after {
                    entries.push(*change);
                }
                Ok(())
            })?;
            visit(&commit, &entries)?;
        }
        Ok(())
    }
}

fn damaged_key() -> Error {
    Error::corrupt("a key of the change log is damaged")
}
