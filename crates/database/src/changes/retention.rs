//! Removal of old changes.

use std::sync::Arc;
use std::time::SystemTime;

use errors::Result;
use storage::ChangeLogMode;

use super::subscription;
use crate::instance::Instance;

/// How many times its size the log may have while a reader holds it.
const HELD_TIMES: u64 = 2;

/// Removes the changes that are older or more than the options allow, except those that a reader
/// holds. Ends a log that began on demand and that nobody has read for as long as it keeps changes.
/// It is called every minute.
pub(crate) fn trim(instance: &Arc<Instance>) {
    subscription::store_positions(instance);
    if let Err(error) = try_trim(instance) {
        tracing::warn!(target: "engines", "cannot remove old entries of the change log: {error}");
    }
}

fn try_trim(instance: &Instance) -> Result<()> {
    let store = instance.store();
    if !store.is_first_server() {
        // It keeps no positions in memory: the first server has them.
        instance.subscriptions().clear();
        return Ok(());
    }
    let Some(log) = store.change_log() else { return Ok(()) };
    let options = store.change_log_options();
    let subscribed = subscription::held_from(instance, log.id)?;
    let (read_from, idle) = store.log_use()?;
    let held = read_from.min(subscribed).min(instance.webhooks().held_from());
    if options.mode == ChangeLogMode::OnDemand && held == u64::MAX && idle > options.retain {
        tracing::info!(target: "engines", "the change log ends: nobody has read it for {:?}", options.retain);
        return store.end_change_log();
    }
    let is_held = store.change_log_bytes()? <= options.max_bytes.saturating_mul(HELD_TIMES);
    store.trim_change_log(SystemTime::now(), if is_held { held } else { u64::MAX })
}
