//! The meanings of a store's errors of keys.
//!
//! - `locked`: a lock of another transaction, to be resolved.
//! - `conflict`, `already_exist`, `deadlock`, `lock_upgrade_conflict`, `shared_lock_lost`: a
//!   conflict. `txn_not_found`, `txn_lock_not_found`: the same, since others have rolled the
//!   transaction back.
//! - `retryable`, `commit_ts_expired`, `commit_ts_too_large`: transient.
//! - `abort`, `assertion_failed`, `primary_mismatch`, or none: permanent. A store that has no field
//!   for an error says `abort` with a text: for a key that is too long, or a damaged version.

use kv::Error;

use crate::protocol::kv::{KeyError, LockInfo, WriteConflict};

/// The meaning of an error.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Meaning {
    /// Another transaction holds the key.
    Locked(LockInfo),
    /// Any other error, as callers of the engine see it.
    Failure(Error),
}

/// Returns the meaning of an error of a key.
pub(crate) fn meaning(error: KeyError) -> Meaning {
    let text = text(&error);
    match error {
        KeyError { locked: Some(lock), .. } => Meaning::Locked(lock),
        KeyError { conflict: Some(_), .. }
        | KeyError { already_exist: Some(_), .. }
        | KeyError { deadlock: Some(_), .. }
        | KeyError { lock_upgrade_conflict: Some(_), .. }
        | KeyError { shared_lock_lost: Some(_), .. }
        | KeyError { txn_not_found: Some(_), .. }
        | KeyError { txn_lock_not_found: Some(_), .. } => {
            tracing::debug!(target: "engines", "a conflict at a store: {text}");
            Meaning::Failure(Error::Conflict)
        }
        KeyError { commit_ts_expired: Some(_), .. } | KeyError { commit_ts_too_large: Some(_), .. } => {
            Meaning::Failure(Error::Transient { reason: text })
        }
        KeyError { retryable, .. } if !retryable.is_empty() => {
            Meaning::Failure(Error::Transient { reason: text })
        }
        _ => Meaning::Failure(Error::Io { action: "an operation of a TiKV store".to_owned(), reason: text }),
    }
}

/// Returns the lock of an error that is one. Errors: the meaning of any other error.
pub(crate) fn lock_of(error: KeyError) -> kv::Result<LockInfo> {
    match meaning(error) {
        Meaning::Locked(lock) => Ok(lock),
        Meaning::Failure(failure) => Err(failure),
    }
}

/// Describes a lock.
pub(crate) fn describe(lock: &LockInfo) -> String {
    let LockInfo { lock_version, key, lock_ttl, .. } = lock;
    format!("{} is locked by the transaction {lock_version} for {lock_ttl} ms", key.escape_ascii())
}

/// Describes an error.
pub(crate) fn text(error: &KeyError) -> String {
    match error {
        KeyError { retryable, .. } if !retryable.is_empty() => retryable.clone(),
        KeyError { abort, .. } if !abort.is_empty() => abort.clone(),
        KeyError { locked: Some(lock), .. } => describe(lock),
        KeyError { conflict: Some(conflict), .. } => {
            let WriteConflict { start_ts, conflict_ts, key } = conflict;
            format!("the transaction {start_ts} conflicts with {conflict_ts} at {}", key.escape_ascii())
        }
        other => format!("the store answers {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::kv::CommitTsExpired;
    use crate::protocol::region::Nothing;

    fn failure(error: KeyError) -> Error {
        match meaning(error) {
            Meaning::Failure(failure) => failure,
            Meaning::Locked(lock) => panic!("{lock:?}"),
        }
    }

    #[test]
    fn a_lock_is_resolved() {
        let lock = LockInfo { lock_version: 7, ..LockInfo::default() };
        let error = KeyError { locked: Some(lock.clone()), ..KeyError::default() };
        assert_eq!(meaning(error.clone()), Meaning::Locked(lock.clone()));
        assert_eq!(lock_of(error), Ok(lock));
    }

    #[test]
    fn conflicts_are_conflicts() {
        let (some, none) = (Some(Nothing {}), KeyError::default());
        for error in [
            KeyError { conflict: Some(WriteConflict::default()), ..none.clone() },
            KeyError { already_exist: some, ..none.clone() },
            KeyError { deadlock: some, ..none.clone() },
            KeyError { lock_upgrade_conflict: some, ..none.clone() },
            KeyError { shared_lock_lost: some, ..none.clone() },
            KeyError { txn_not_found: some, ..none.clone() },
            KeyError { txn_lock_not_found: some, ..none },
        ] {
            assert_eq!(failure(error.clone()), Error::Conflict, "{error:?}");
        }
    }

    #[test]
    fn other_errors_pass_or_stay() {
        let (some, none) = (Some(Nothing {}), KeyError::default());
        for (error, passes) in [
            (KeyError { retryable: "busy".to_owned(), ..none.clone() }, true),
            (KeyError { commit_ts_expired: Some(CommitTsExpired::default()), ..none.clone() }, true),
            (KeyError { commit_ts_too_large: some, ..none.clone() }, true),
            (KeyError { abort: "KeyTooLarge".to_owned(), ..none.clone() }, false),
            (KeyError { assertion_failed: some, ..none.clone() }, false),
            (KeyError { primary_mismatch: some, ..none.clone() }, false),
            (none, false),
        ] {
            let failure = failure(error.clone());
            assert_eq!(failure.is_retryable(), passes, "{error:?}");
            assert!(failure != Error::Conflict && failure.to_string().contains(&text(&error)), "{error:?}");
        }
    }
}
