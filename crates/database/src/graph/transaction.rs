//! Transactions over several collections of a graph.

use std::sync::Arc;

use errors::{ErrorCode, Result};
use storage::{Collection, DOCUMENT_WAIT, Durability, Transaction, TransactionOptions};

use crate::session::Session;

/// Attempts to run a transaction that conflicts with others.
const ATTEMPTS: usize = 5;

impl Session {
    /// Runs `work` in a transaction that may write some collections, and commits it. In a stream
    /// transaction `work` becomes a part of that.
    ///
    /// `locked` are further collections in which `work` locks documents. An error of `work` undoes
    /// its writes. On a conflict the work is retried, up to [`ATTEMPTS`] times in total; in a
    /// stream transaction, a retry cannot help.
    pub(super) fn in_transaction<T>(
        &self,
        written: &[Arc<Collection>],
        locked: &[Arc<Collection>],
        durability: Durability,
        mut work: impl FnMut(&mut Transaction) -> Result<T>,
    ) -> Result<T> {
        let options = TransactionOptions {
            wait: DOCUMENT_WAIT,
            write: written.iter().chain(locked).cloned().collect(),
            snapshot_at_first_read: true,
            ..TransactionOptions::default()
        };
        let mut attempt = || -> Result<T> {
            let mut writer = self.begin_write(&options, written, self.interrupt())?;
            let result = work(writer.transaction()?)?;
            writer.finish(durability)?;
            Ok(result)
        };
        let attempts = if self.transaction_id().is_some() { 1 } else { ATTEMPTS };
        for _ in 1..attempts {
            match attempt() {
                Err(error) if error.code() == ErrorCode::Conflict && error.is_retryable() => {}
                done => return done,
            }
        }
        attempt()
    }
}
