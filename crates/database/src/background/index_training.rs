//! Training of indexes in the background: of those that were created before they had documents, and
//! of those that have grown much since they were trained.

use errors::{Error, ErrorCode};
use storage::Store;

/// Trains the indexes that need it, one after another, until `is_stopping`.
///
/// A collection that has writers now is left for the next call. Errors of one index do not keep the
/// others from being trained.
pub(crate) fn train_indexes(store: &Store, is_stopping: &(dyn Fn() -> bool + Sync)) {
    let check = || match is_stopping() {
        true => Err(Error::of(ErrorCode::ShuttingDown)),
        false => Ok(()),
    };
    for (collection, id) in store.indexes_to_train() {
        match store.train_index(&collection, id, &check) {
            Ok(false) => {}
            Ok(true) => tracing::info!(
                target: "engines", "trained index {id} of collection '{}'", collection.name()
            ),
            Err(_) if is_stopping() => return,
            Err(error) => tracing::warn!(
                target: "engines", "cannot train index {id} of collection '{}': {error}", collection.name()
            ),
        }
    }
}
