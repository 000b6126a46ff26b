//! Operations on documents that are committed together.

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use storage::{
    Collection, DOCUMENT_WAIT, Database, Durability, OverwriteMode, Store, Transaction, TransactionOptions,
    WriteOptions,
};
use velocypack::Slice;

use super::definitions;
use super::entry::{Entry, EntryKind};

/// Attempts to commit operations that conflict with writers on this server.
const ATTEMPTS: usize = 20;

/// Operations of one database, in the order of the log.
#[derive(Default)]
pub(super) struct Operations {
    /// The tick of the first entry of a transaction, or of the last entry of operations of their
    /// own.
    pub(super) tick: u64,
    database: String,
    list: Vec<Operation>,
    bytes: usize,
}

/// Applies all operations to a database. Over a copy (`true`), collections may be gone.
type Apply = fn(&Operations, &mut Transaction, &Database, bool) -> Result<()>;

/// Stores or removes a document.
pub(super) struct Operation {
    is_removal: bool,
    collection: Arc<str>,
    /// The document; of a removal its `_key`.
    data: Vec<u8>,
}

impl Operations {
    /// Returns no operations of a database.
    pub(super) fn of(database: &str, tick: u64) -> Self {
        Operations { tick, database: database.to_owned(), ..Operations::default() }
    }

    pub(super) fn database(&self) -> &str {
        &self.database
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn push(&mut self, operation: Operation) {
        self.bytes += operation.bytes();
        self.list.push(operation);
    }

    /// Commits the operations, with what `finish` adds to their transaction. Over a copy, databases
    /// and collections may be gone (`may_lack`).
    ///
    /// Errors: that of the first operation that cannot be applied, those of `finish` and of the
    /// engine.
    pub(super) fn commit(
        &self,
        store: &Store,
        may_lack: bool,
        finish: &dyn Fn(&mut Transaction) -> Result<()>,
    ) -> Result<()> {
        let mut attempts = 1;
        loop {
            match self.try_commit(store, may_lack, finish) {
                Err(error) if error.is_retryable() && attempts < ATTEMPTS => attempts += 1,
                committed => return committed,
            }
        }
    }

    fn try_commit(
        &self,
        store: &Store,
        may_lack: bool,
        finish: &dyn Fn(&mut Transaction) -> Result<()>,
    ) -> Result<()> {
        match self.commit_by(store, may_lack, finish, Operations::apply_in_runs) {
            // One by one, a document gives way to another one with its unique value.
            Err(error) if !error.is_retryable() => {
                self.commit_by(store, may_lack, finish, Operations::apply_one_by_one)
            }
            committed => committed,
        }
    }

    fn commit_by(
        &self,
        store: &Store,
        may_lack: bool,
        finish: &dyn Fn(&mut Transaction) -> Result<()>,
        apply: Apply,
    ) -> Result<()> {
        let options = TransactionOptions { wait: DOCUMENT_WAIT, ..TransactionOptions::default() };
        let mut transaction = store.begin(&options)?;
        let catalog = Arc::clone(transaction.catalog());
        if let Some(database) = definitions::database_of(&catalog, &self.database, may_lack)? {
            apply(self, &mut transaction, database, may_lack)?;
        }
        finish(&mut transaction)?;
        transaction.commit(Durability::Buffered)
    }

    /// Applies the operations. Documents of one collection that follow each other are stored
    /// together, so that their keys are looked up together.
    ///
    /// Errors: that of the first operation that cannot be applied.
    fn apply_in_runs(
        &self,
        transaction: &mut Transaction,
        database: &Database,
        may_lack: bool,
    ) -> Result<()> {
        let is_same = |one: &Operation, next: &Operation| {
            one.is_removal == next.is_removal && one.collection == next.collection
        };
        for run in self.list.chunk_by(is_same) {
            let Some(first) = run.first() else { continue };
            let Some(collection) = definitions::collection_of(database, &first.collection, may_lack)? else {
                continue;
            };
            if first.is_removal {
                run.iter().try_for_each(|operation| operation.apply(transaction, collection, may_lack))?;
                continue;
            }
            let documents: Vec<Slice<'_>> = run.iter().map(|operation| Slice::new(&operation.data)).collect();
            for outcome in transaction.insert_many(collection, &documents, &options())? {
                outcome?;
            }
        }
        Ok(())
    }

    /// Applies the operations one after another.
    ///
    /// Errors: that of the first operation that cannot be applied.
    fn apply_one_by_one(
        &self,
        transaction: &mut Transaction,
        database: &Database,
        may_lack: bool,
    ) -> Result<()> {
        for operation in &self.list {
            let collection = definitions::collection_of(database, &operation.collection, may_lack)?;
            if let Some(collection) = collection {
                operation.apply(transaction, collection, may_lack)?;
            }
        }
        Ok(())
    }
}

impl Operation {
    /// Returns the operation that stores a document in the collection with a globally unique
    /// identifier.
    pub(super) fn put(collection: &str, document: Slice<'_>) -> Self {
        Operation { is_removal: false, collection: collection.into(), data: document.bytes().to_vec() }
    }

    /// Returns the operation that removes the document with a key.
    pub(super) fn removal(collection: &str, key: &str) -> Self {
        Operation { is_removal: true, collection: collection.into(), data: key.as_bytes().to_vec() }
    }

    /// Errors: 10 for a document or a removal without a key.
    pub(super) fn of(entry: &Entry<'_>) -> Result<Self> {
        let key = entry.data.get("_key").and_then(Slice::as_str).ok_or_else(|| {
            Error::bad_parameter(format!("the entry {} of the log has no '_key' in its data", entry.tick))
        })?;
        let is_removal = entry.kind == EntryKind::Remove;
        let data = if is_removal { key.as_bytes() } else { entry.data.bytes() };
        Ok(Operation { is_removal, collection: entry.unique_id.into(), data: data.to_vec() })
    }

    pub(super) fn bytes(&self) -> usize {
        self.data.len() + std::mem::size_of::<Operation>()
    }

    /// Applies the operation. Over a copy (`is_over_copy`), a document that is newer than the
    /// operation may have its unique value. It gives way: the log comes to it.
    fn apply(
        &self,
        transaction: &mut Transaction,
        collection: &Collection,
        is_over_copy: bool,
    ) -> Result<()> {
        let options = options();
        if !self.is_removal {
            let document = Slice::new(&self.data);
            loop {
                let error = match transaction.insert(collection, document, &options) {
                    Ok(_) => return Ok(()),
                    Err(error) => error,
                };
                let is_conflict = error.code() == ErrorCode::UniqueConstraintViolated;
                match error.document().filter(|_| is_conflict && is_over_copy) {
                    Some(other) => transaction.remove(collection, &other.key, Slice::NONE, &options)?,
                    None => return Err(error),
                };
            }
        }
        let key = std::str::from_utf8(&self.data).map_err(Error::internal)?;
        match transaction.remove(collection, key, Slice::NONE, &options) {
            // It was removed when this entry was applied before.
            Err(error) if error.code() == ErrorCode::DocumentNotFound => Ok(()),
            removed => removed.map(drop),
        }
    }
}

fn options() -> WriteOptions {
    WriteOptions { overwrite_mode: OverwriteMode::Replace, is_restore: true, ..WriteOptions::default() }
}
