//! The log in the data folder of a stopped server, from where the archive ends.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use backups::LogRecord;
use catalog::SYSTEM_DATABASE;
use database::follow::{Applier, TailBody};
use database::{Identity, Instance, Session};
use errors::Result;
use storage::{ChangeLogMode, MemoryBudget, StoreOptions};

use super::Source;
use super::moment::Moment;
use super::plan::{Plan, refused};
use super::progress::Progress;
use super::store::{instance_options, log_options, open_engine};

/// Bytes of entries that are applied together.
const TOGETHER_BYTES: usize = 8 << 20;

/// Applies the log of a data folder up to the moment.
///
/// Errors: 7002 for a folder without a store or with another log, for a gap between the archive and
/// the log, and for a moment behind its end.
pub(super) fn apply(
    folder: &Path,
    source: &Source<'_>,
    budget: &MemoryBudget,
    progress: &mut Progress<'_>,
    applier: &mut Applier,
) -> Result<()> {
    if !kv_mmap::is_store(folder) && !kv_rocksdb::is_store(folder) {
        return Err(refused(format!("--log-from {}: there is no store in this folder", folder.display())));
    }
    let changes = log_options(ChangeLogMode::OnDemand);
    let options = StoreOptions { changes, ..StoreOptions::default() };
    let instance =
        Instance::at_rest(open_engine(folder, source.secret, budget)?, options, instance_options(budget))?;
    let session = Session::open(instance, SYSTEM_DATABASE, Identity::Superuser)?;
    let applied = apply_session(folder, source.plan, &session, progress, applier);
    let closed = session.instance().store().close();
    applied?;
    closed
}

fn apply_session(
    folder: &Path,
    plan: &Plan,
    session: &Session,
    progress: &mut Progress<'_>,
    applier: &mut Applier,
) -> Result<()> {
    let moment = session.log_moment().filter(|moment| moment.log == plan.log.id.log);
    let Some(moment) = moment else {
        return Err(refused(format!(
            "--log-from {}: the log there is not the one of the backup '{}'",
            folder.display(),
            plan.manifest.id
        )));
    };
    let first = session.first_log_position()?;
    if first > progress.next {
        return Err(refused(format!(
            "--log-from {}: the log there begins with the position {first}, but the archive ends before {}",
            folder.display(),
            progress.next
        )));
    }
    let mut after = progress.next.saturating_sub(1);
    while !progress.is_over && after.saturating_add(1) < moment.resolved {
        let mut entries = Vec::new();
        let last = session.copy_log(after, moment.resolved, &mut |part| {
            let record = LogRecord {
                first: part.first,
                end: part.end,
                time: part.time,
                is_first_part: part.is_first,
                is_last_part: part.is_last,
                entries: part.entries,
            };
            progress.take(&record, &mut entries);
            Ok(!progress.is_over && entries.len() < TOGETHER_BYTES)
        })?;
        applier.apply(TailBody::VelocyPack(&entries))?;
        if last <= after {
            break;
        }
        after = last;
    }
    check_end(progress)
}

/// Refuses moments that the server did not come to.
fn check_end(progress: &Progress<'_>) -> Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let has_come = match *progress.moment {
        // The server has stopped, so nothing else has happened up to now.
        Moment::Time(ms) => u128::from(ms) <= now,
        Moment::Position { position, .. } => position < progress.next,
    };
    match progress.is_over || has_come {
        true => Ok(()),
        false => Err(refused(format!(
            "{} is after the end of the log, which ends before the position {}",
            progress.moment, progress.next
        ))),
    }
}
