//! Upkeep of text indexes in the background: documents become visible, and segments are saved and
//! merged.

use errors::{Error, ErrorCode, Result};
use storage::{SearchNotice, Store};

/// Makes the documents of all text indexes that are due visible.
pub(crate) fn index_due(store: &Store, is_stopping: &dyn Fn() -> bool) {
    store.index_due(&|| check(is_stopping)).iter().for_each(log);
}

/// Saves and merges segments of text indexes that are due.
pub(crate) fn merge_due(store: &Store, is_stopping: &dyn Fn() -> bool) {
    store.merge_due(&|| check(is_stopping)).iter().for_each(log);
}

fn check(is_stopping: &dyn Fn() -> bool) -> Result<()> {
    match is_stopping() {
        true => Err(Error::of(ErrorCode::ShuttingDown)),
        false => Ok(()),
    }
}

fn log(notice: &SearchNotice) {
    match notice.is_failure {
        true => tracing::warn!(target: "arangosearch", "{}", notice.message),
        false => tracing::info!(target: "arangosearch", "{}", notice.message),
    }
}
