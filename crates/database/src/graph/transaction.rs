//! Transactions over several collections of a graph.

use std::sync::Arc;

use storage::{Collection, DOCUMENT_WAIT, Durability, Transaction, TransactionOptions};

use crate::session::Session;
use errors::{Error, ErrorCode, Result};

/// Attempts to run a transaction that conflicts with others.
const ATTEMPTS: usize = 5;

impl Session {
    /// Runs `work` in a transaction that may write some collections, and commits it.
    ///
    /// An error of `work` rolls it back. On a conflict the transaction is retried, up to
    /// [`ATTEMPTS`] times in all.
    pub(super) fn in_transaction<T>(
        &self,
        write: Vec<Arc<Collection>>,
        durability: Durability,
        mut work: impl FnMut(&mut Transaction) -> Result<T>,
    ) -> Result<T> {
        if self.instance().is_stopping() {
            return Err(Error::of(ErrorCode::ShuttingDown));
        }
        let options = TransactionOptions {
            wait: DOCUMENT_WAIT,
            write,
            snapshot_at_first_read: true,
            ..TransactionOptions::default()
        };
        let mut attempt = || -> Result<T> {
            let mut transaction = self.instance().store().begin(&options)?;
            let result = work(&mut transaction)?;
            transaction.commit(durability)?;
            Ok(result)
        };
        for _ in 1..ATTEMPTS {
            match attempt() {
                Err(error) if error.code() == ErrorCode::Conflict && error.is_retryable() => {}
                done => return done,
            }
        }
        attempt()
    }
}
