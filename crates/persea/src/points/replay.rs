//! The replay of an archived log on the store of a backup.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use backups::Repository;
use database::follow::{Applier, CopiedState, TailBody};
use database::{Instance, InstanceOptions};
use errors::Result;
use kv::Engine;
use kv_mmap::{MmapEngine, MmapOptions};
use kv_rocksdb::{RocksEngine, RocksOptions};
use server::service::machine::available_memory_bytes;
use storage::{ChangeLogMode, ChangeLogOptions, ChangeScope, MemoryBudget, Store, StoreOptions};

use super::moment::{Moment, iso};
use super::plan::{Plan, refused};

/// The name under which the replay keeps its position until it ends.
const SOURCE: &str = "restore";

/// The extent of a replay.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Replayed {
    /// The number of commits that were applied.
    pub(super) commits: u64,
    /// The time of the last one, in microseconds since 1970; 0 without one.
    pub(super) time: u64,
}

impl fmt::Display for Replayed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.time {
            0 => formatter.write_str("no time"),
            time => formatter.write_str(&iso(time)),
        }
    }
}

/// The records of the log that the replay has come to.
struct Progress<'a> {
    moment: &'a Moment,
    /// The commits behind the place of the backup that the backup has nevertheless.
    present: HashSet<u64>,
    /// The position after the last record.
    next: u64,
    /// The last included commit has parts left.
    is_open: bool,
    is_over: bool,
    replayed: Replayed,
}

/// Applies the log of a plan to the store in a folder, up to the moment.
///
/// Errors: 7006 for a damaged segment, 7002 for a moment that the log does not have, those of the
/// store.
pub(super) fn run(repository: &Repository, plan: &Plan, moment: &Moment, folder: &Path) -> Result<Replayed> {
    let budget = MemoryBudget::split(available_memory_bytes() / 2);
    let present = commits_of_backup(plan, moment, folder, &budget)?;
    let options = StoreOptions { changes: log_options(ChangeLogMode::Never), ..StoreOptions::default() };
    let instance_options = InstanceOptions {
        query_memory_bytes: budget.query_bytes,
        result_memory_bytes: budget.result_bytes,
        ..InstanceOptions::default()
    };
    let instance = Instance::at_rest(open_engine(folder, &budget)?, options, instance_options)?;
    let replayed = apply(repository, plan, moment, present, &instance);
    instance.stop();
    let closed = instance.store().close();
    let replayed = replayed?;
    closed?;
    if kv_mmap::is_store(folder) {
        kv_mmap::settle(folder)?;
    }
    Ok(replayed)
}

fn log_options(mode: ChangeLogMode) -> ChangeLogOptions {
    ChangeLogOptions { mode, ..ChangeLogOptions::default() }
}

fn open_engine(folder: &Path, budget: &MemoryBudget) -> Result<Arc<dyn Engine>> {
    let bytes = usize::try_from(budget.block_cache_bytes + budget.memtable_bytes).unwrap_or(usize::MAX);
    if kv_mmap::is_store(folder) {
        let options = MmapOptions { memory_bytes: bytes, ..MmapOptions::default() };
        return Ok(MmapEngine::open(folder, &options)?);
    }
    let options = RocksOptions { memory_bytes: bytes, ..RocksOptions::default() };
    Ok(RocksEngine::open(folder, &options)?)
}

/// Returns the commits from the place of the backup on that the backup has: they were written while
/// it was made.
///
/// Errors: 7002 if the backup has another log, or a commit behind the moment.
fn commits_of_backup(
    plan: &Plan,
    moment: &Moment,
    folder: &Path,
    budget: &MemoryBudget,
) -> Result<HashSet<u64>> {
    let options = StoreOptions { changes: log_options(ChangeLogMode::OnDemand), ..StoreOptions::default() };
    let store = Store::open(open_engine(folder, budget)?, options)?;
    let log = store.change_log();
    let commits = store.commits_from(ChangeScope::All, plan.log.complete);
    let first = store.first_position(ChangeScope::All);
    store.close()?;
    let (commits, first) = (commits?, first?);
    if log.is_none_or(|log| log.id != plan.log.id.log) {
        let id = &plan.manifest.id;
        return Err(refused(format!(
            "the backup '{id}' is damaged: it has another log than its manifest says"
        )));
    }
    if first > plan.log.complete {
        let id = &plan.manifest.id;
        return Err(refused(format!(
            "the backup '{id}' does not know which commits it has: its log was removed while it was made, because \
             it was too long (--changes.max-size); choose an earlier one with --identifier"
        )));
    }
    if let Moment::Position { position, .. } = moment
        && commits.iter().any(|first| first > position)
    {
        let id = &plan.manifest.id;
        let message =
            format!("the backup '{id}' has commits behind {moment}; choose an earlier one with --identifier");
        return Err(refused(message));
    }
    Ok(commits.into_iter().collect())
}

fn apply(
    repository: &Repository,
    plan: &Plan,
    moment: &Moment,
    present: HashSet<u64>,
    instance: &Arc<Instance>,
) -> Result<Replayed> {
    let before = plan.log.complete.saturating_sub(1);
    let begin = CopiedState { first: before, last: before };
    let mut applier = Applier::open(Arc::clone(instance), SOURCE, begin)?;
    let mut progress = Progress {
        moment,
        present,
        next: plan.log.complete,
        is_open: false,
        is_over: false,
        replayed: Replayed::default(),
    };
    for name in &plan.chain.segments {
        if progress.is_over {
            break;
        }
        let segment = repository.segment(plan.log.id, name)?;
        let mut entries = Vec::new();
        for record in segment.records() {
            progress.take(&record?, &mut entries);
        }
        applier.apply(TailBody::VelocyPack(&entries))?;
    }
    if progress.is_open {
        return Err(refused(format!(
            "the archived log ends within the transaction of {moment}; choose an earlier moment"
        )));
    }
    applier.forget()?;
    Ok(progress.replayed)
}

impl Progress<'_> {
    /// Appends the entries of a record, if the moment includes its commit and the backup does not
    /// have it.
    fn take(&mut self, record: &backups::LogRecord<'_>, entries: &mut Vec<u8>) {
        // Segments may overlap if a write was repeated whose success was not known.
        if self.is_over || record.end <= self.next {
            return;
        }
        if !self.moment.includes(record.first, record.time) {
            self.is_over = true;
            return;
        }
        self.next = record.end;
        self.is_open = !record.is_last_part;
        if self.present.contains(&record.first) {
            return;
        }
        entries.extend_from_slice(record.entries);
        if record.is_last_part {
            self.replayed.commits += 1;
            self.replayed.time = self.replayed.time.max(record.time);
        }
    }
}
