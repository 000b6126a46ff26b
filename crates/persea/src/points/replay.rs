//! The replay of an archived log on the store of a backup.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use database::Instance;
use database::follow::{Applier, CopiedState, TailBody};
use encryption::MasterKey;
use errors::Result;
use server::service::machine::available_memory_bytes;
use storage::{ChangeLogMode, ChangeScope, MemoryBudget, Store, StoreOptions};

use super::moment::Moment;
use super::plan::refused;
use super::progress::{Progress, Replayed};
use super::store::{instance_options, key_of, log_options, open_engine, temporary_folder};
use super::{Source, folder_log};

/// The name under which the replay keeps its position until it ends.
const SOURCE: &str = "restore";

/// Applies the log of a plan to the store in a folder, up to the moment.
///
/// Errors: 7006 for a damaged segment, 7002 for a moment that the log does not have, those of the
/// store.
pub(super) fn run(source: &Source<'_>, moment: &Moment, folder: &Path) -> Result<Replayed> {
    let budget = MemoryBudget::split(available_memory_bytes() / 2);
    let present = commits_of_backup(source, moment, folder, &budget)?;
    let options = StoreOptions {
        changes: log_options(ChangeLogMode::Never),
        temporary_folder: temporary_folder(folder),
        ..StoreOptions::default()
    };
    let key = key_of(folder, source.secret)?;
    let engine = open_engine(folder, source.secret, &budget)?;
    let instance = Instance::at_rest(engine, options, instance_options(&budget))?;
    let replayed = apply(source, moment, (present, key.as_deref()), &instance, &budget);
    instance.stop();
    let closed = instance.store().close();
    let replayed = replayed?;
    closed?;
    if kv_mmap::is_store(folder) {
        kv_mmap::settle(folder, || Ok::<_, errors::Error>(key))?;
    }
    Ok(replayed)
}

/// Returns the commits from the place of the backup on that the backup has: they were written while
/// it was made.
///
/// Errors: 7002 if the backup has another log, or a commit behind the moment.
fn commits_of_backup(
    source: &Source<'_>,
    moment: &Moment,
    folder: &Path,
    budget: &MemoryBudget,
) -> Result<HashSet<u64>> {
    let options = StoreOptions { changes: log_options(ChangeLogMode::OnDemand), ..StoreOptions::default() };
    let plan = source.plan;
    let store = Store::open(open_engine(folder, source.secret, budget)?, options)?;
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
    source: &Source<'_>,
    moment: &Moment,
    (present, key): (HashSet<u64>, Option<&MasterKey>),
    instance: &Arc<Instance>,
    budget: &MemoryBudget,
) -> Result<Replayed> {
    let plan = source.plan;
    let before = plan.log.complete.saturating_sub(1);
    let begin = CopiedState { first: before, last: before };
    let mut applier = Applier::open(Arc::clone(instance), SOURCE, begin)?;
    let mut progress = Progress::new(moment, plan.log.complete, present);
    for name in &plan.chain.segments {
        if progress.is_over {
            break;
        }
        let segment = source.repository.segment(plan.log.id, name, key)?;
        let mut entries = Vec::new();
        for record in segment.records() {
            progress.take(&record?, &mut entries);
        }
        applier.apply(TailBody::VelocyPack(&entries))?;
    }
    if let Some(folder) = source.log_from.filter(|_| !progress.is_over) {
        folder_log::apply(folder, source, budget, &mut progress, &mut applier)?;
    }
    if progress.is_open {
        return Err(refused(format!(
            "the log ends within the transaction of {moment}; choose an earlier moment"
        )));
    }
    applier.forget()?;
    Ok(progress.replayed)
}
