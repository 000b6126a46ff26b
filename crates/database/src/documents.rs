//! Reads and writes of single documents and of many at once. Each call is one transaction.

use std::sync::Arc;

use catalog::AccessLevel;
use storage::{
    Collection, Documents, Durability, Transaction, TransactionOptions, WaitPolicy, WriteOptions,
    WriteOutcome,
};
use velocypack::Slice;

use crate::session::Session;
use errors::{Error, ErrorCode, Result};

/// The operation of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOperation {
    /// Stores a new document.
    Insert,
    /// Merges a patch into a stored document.
    Update,
    /// Stores another document under the same key.
    Replace,
    /// Removes a stored document.
    Remove,
}

impl WriteOperation {
    /// Applies the operation to one document in a transaction. `key` names it, except for an
    /// insert.
    pub(crate) fn run(
        self,
        transaction: &mut Transaction,
        collection: &Collection,
        key: &str,
        body: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        Ok(match self {
            WriteOperation::Insert => transaction.insert(collection, body, options)?,
            WriteOperation::Update => transaction.update(collection, key, body, options)?,
            WriteOperation::Replace => transaction.replace(collection, key, body, options)?,
            WriteOperation::Remove => transaction.remove(collection, key, body, options)?,
        })
    }
}

/// The durability and the wait policy of a write request.
#[derive(Clone, Copy, Debug)]
pub struct WriteMode {
    /// The durability that the commit waits for.
    pub durability: Durability,
    /// The time that the write waits for conflicting writers before it fails with a retryable
    /// error.
    pub wait: WaitPolicy,
}

/// The outcomes of a call on many documents, in the order of the call.
pub type Outcomes = Vec<std::result::Result<WriteOutcome, Error>>;

impl Session {
    /// Looks documents up by key. Errors: 1203, 11.
    pub fn read_documents(&self, collection: &str, keys: &[&str]) -> Result<(Arc<Collection>, Documents)> {
        let collection = self.collection(collection, AccessLevel::ReadOnly)?;
        let documents = self.instance().store().snapshot()?.get(&collection, keys)?;
        Ok((collection, documents))
    }

    /// Writes one document. `key` names it, except for an insert.
    ///
    /// Errors: those of the write, and 1203, 11.
    pub fn write_document(
        &self,
        collection: &str,
        operation: WriteOperation,
        key: &str,
        body: Slice<'_>,
        options: &WriteOptions,
        mode: WriteMode,
    ) -> Result<(Arc<Collection>, WriteOutcome)> {
        let (collection, outcome) = self.write(collection, mode, |transaction, collection| {
            operation.run(transaction, collection, key, body, options)
        })?;
        Ok((collection, outcome))
    }

    /// Writes many documents. A document that fails does not undo the others.
    ///
    /// Errors: 1203, 11, and those that concern the whole call.
    pub fn write_documents(
        &self,
        collection: &str,
        operation: WriteOperation,
        bodies: &[Slice<'_>],
        options: &WriteOptions,
        mode: WriteMode,
    ) -> Result<(Arc<Collection>, Outcomes)> {
        let (collection, outcomes) = self.write(collection, mode, |transaction, collection| {
            Ok(match operation {
                WriteOperation::Insert => transaction.insert_many(collection, bodies, options)?,
                WriteOperation::Update => transaction.update_many(collection, bodies, options)?,
                WriteOperation::Replace => transaction.replace_many(collection, bodies, options)?,
                WriteOperation::Remove => transaction.remove_many(collection, bodies, options)?,
            })
        })?;
        Ok((collection, outcomes))
    }

    /// Runs `work` in a transaction on one collection and commits it. An error of `work` rolls it
    /// back.
    pub fn write<T>(
        &self,
        collection: &str,
        mode: WriteMode,
        work: impl FnOnce(&mut Transaction, &Arc<Collection>) -> Result<T>,
    ) -> Result<(Arc<Collection>, T)> {
        if self.instance().is_stopping() {
            return Err(Error::of(ErrorCode::ShuttingDown));
        }
        let collection = self.writable_collection(collection)?;
        let options =
            TransactionOptions { wait: mode.wait, ..TransactionOptions::single_operation(&collection) };
        let mut transaction = self.instance().store().begin(&options)?;
        let result = work(&mut transaction, &collection)?;
        transaction.commit(mode.durability)?;
        Ok((collection, result))
    }
}
