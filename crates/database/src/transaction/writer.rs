//! The transaction that a request writes into: its own, or a stream transaction.

use std::sync::Arc;

use errors::{Error, Result};
use storage::{Durability, Savepoint, Transaction};

use crate::state::transactions::StreamTransaction;

/// The transaction that a request writes into.
///
/// It is dropped without an effect, except that documents stay locked in a stream transaction.
pub(crate) struct Writer(Kind);

enum Kind {
    /// A transaction of this request alone; `None` while a query has it.
    Own(Option<Box<Transaction>>),
    Borrowed(Borrowed),
}

/// A stream transaction in the hands of a request.
struct Borrowed {
    stream: Arc<StreamTransaction>,
    /// `None` while a query has the transaction, and after the end.
    transaction: Option<Box<Transaction>>,
    /// The state before the request.
    savepoint: Savepoint,
    is_finished: bool,
}

impl Writer {
    /// Returns a writer into a transaction of its own.
    pub(super) fn own(transaction: Box<Transaction>) -> Self {
        Writer(Kind::Own(Some(transaction)))
    }

    /// Returns a writer into a stream transaction.
    pub(super) fn borrowed(stream: Arc<StreamTransaction>, mut transaction: Box<Transaction>) -> Self {
        let savepoint = transaction.savepoint();
        let transaction = Some(transaction);
        Writer(Kind::Borrowed(Borrowed { stream, transaction, savepoint, is_finished: false }))
    }

    /// Returns the transaction.
    pub(crate) fn transaction(&mut self) -> Result<&mut Transaction> {
        self.place().as_deref_mut().ok_or_else(taken)
    }

    /// Returns the bytes of memory of earlier requests' writes, which are charged already.
    pub(crate) fn charged_bytes(&self) -> u64 {
        match &self.0 {
            Kind::Own(_) => 0,
            Kind::Borrowed(borrowed) => borrowed.stream.charged_bytes(),
        }
    }

    /// Returns true if the transaction is a stream transaction.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.0, Kind::Borrowed(_))
    }

    /// Hands the transaction to a query, which must return it by [`Writer::put_back`].
    pub(crate) fn take(&mut self) -> Result<Box<Transaction>> {
        self.place().take().ok_or_else(taken)
    }

    /// Takes the transaction back from a query.
    pub(crate) fn put_back(&mut self, transaction: Box<Transaction>) {
        *self.place() = Some(transaction);
    }

    /// Keeps the writes: commits a transaction of its own, or leaves them in the stream
    /// transaction.
    ///
    /// Errors: those of a commit; 32 if there is no memory to keep the writes, 1654 if the stream
    /// transaction was aborted. The writes are lost then.
    pub(crate) fn finish(mut self, durability: Durability) -> Result<()> {
        match &mut self.0 {
            Kind::Own(transaction) => transaction.take().ok_or_else(taken)?.commit(durability),
            Kind::Borrowed(borrowed) => borrowed.keep(durability),
        }
    }

    fn place(&mut self) -> &mut Option<Box<Transaction>> {
        match &mut self.0 {
            Kind::Own(transaction) => transaction,
            Kind::Borrowed(borrowed) => &mut borrowed.transaction,
        }
    }
}

impl Borrowed {
    /// Errors: 32 without memory for the writes; 1654.
    fn keep(&mut self, durability: Durability) -> Result<()> {
        let bytes = self.transaction.as_ref().ok_or_else(taken)?.memory_bytes() as u64;
        self.stream.charge(bytes)?;
        self.is_finished = true;
        self.give_back(durability)
    }

    fn give_back(&mut self, durability: Durability) -> Result<()> {
        let transaction = self.transaction.take().ok_or_else(taken)?;
        self.stream.give_back(transaction, durability)
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        match &mut self.transaction {
            Some(transaction) => transaction.rollback_to(&self.savepoint),
            // A panic has destroyed the transaction.
            None => return self.stream.lose(),
        }
        // An error means that the stream transaction was aborted: there is nothing to keep.
        let _ = self.give_back(Durability::Buffered);
    }
}

fn taken() -> Error {
    Error::internal("a query has the transaction")
}
