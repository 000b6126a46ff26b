//! Reads and writes of single documents and of many together. Each call is one transaction.

use std::borrow::Cow;
use std::sync::Arc;

use aql_value::{Charge, Interrupt, MemoryAccount};
use catalog::AccessLevel;
use errors::Result;
use storage::{
    Collection, Documents, Durability, Snapshot, Transaction, TransactionOptions, WaitPolicy, WriteOptions,
    WriteOutcome, repeat_on_conflict,
};
use velocypack::Slice;

use crate::session::{ListedWork, Session};

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

/// The documents that are read or written between two checks of the interrupt and of memory.
const DOCUMENTS_PER_STEP: usize = 1_000;

/// The bytes of documents after which the next step of a reader is shorter.
const READ_STEP_BYTES: usize = 1 << 20;

/// The outcomes of a call on many documents.
#[derive(Debug)]
pub struct Outcomes {
    /// The outcomes in the order of the call; only the failures if the caller wants no more.
    pub outcomes: Vec<Result<WriteOutcome>>,
    /// The number of documents that were written.
    pub written: usize,
    /// The memory of the outcomes.
    pub memory: Charge,
}

impl Outcomes {
    fn new(account: Arc<MemoryAccount>) -> Self {
        Outcomes { outcomes: Vec::new(), written: 0, memory: Charge::new(account) }
    }

    /// Takes the outcomes of a step. Errors: 32.
    fn take(&mut self, step: Vec<Result<WriteOutcome>>, only_failures: bool) -> Result<()> {
        self.written += step.iter().filter(|outcome| outcome.is_ok()).count();
        let taken = step.into_iter().filter(|outcome| !only_failures || outcome.is_err());
        let before = self.outcomes.len();
        self.outcomes.extend(taken);
        let added = self.outcomes.get(before..).unwrap_or_default();
        self.memory.grow(added.iter().map(outcome_bytes).sum())
    }
}

/// Estimates the bytes of an outcome.
fn outcome_bytes(outcome: &Result<WriteOutcome>) -> u64 {
    /// The bytes of an error's own allocation.
    const ERROR_BYTES: usize = 128;
    let further = match outcome {
        Ok(outcome) => {
            let documents = outcome.old.iter().chain(&outcome.new);
            outcome.key.len() + documents.map(|document| document.slice().byte_len()).sum::<usize>()
        }
        Err(error) => ERROR_BYTES + error.message().len(),
    };
    (size_of::<Result<WriteOutcome>>() + further) as u64
}

/// The options of a write, which is listed while it computes.
#[derive(Debug)]
pub(crate) struct OwnedOptions<'o> {
    options: Cow<'o, WriteOptions>,
    work: Option<ListedWork>,
}

impl OwnedOptions<'_> {
    /// Returns the options.
    pub(crate) fn get(&self) -> &WriteOptions {
        &self.options
    }

    /// Returns the options and the entry of the list, for a write that takes several steps.
    pub(crate) fn into_parts(self) -> (WriteOptions, Option<ListedWork>) {
        (self.options.into_owned(), self.work)
    }
}

/// Reads many documents of one collection in one state of the database.
pub struct DocumentReader {
    collection: Arc<Collection>,
    snapshot: Snapshot,
    step: usize,
    /// The memory of the documents that were read last.
    memory: Charge,
}

impl DocumentReader {
    /// Returns the collection.
    pub fn collection(&self) -> &Arc<Collection> {
        &self.collection
    }

    /// Returns the number of documents that are best read next. It grows while documents are short.
    pub fn step(&self) -> usize {
        self.step
    }

    /// Looks up documents by key. Their memory stays charged until the next call.
    ///
    /// Ends early as [`Snapshot::get`] does. Errors: 32.
    pub fn get(&mut self, keys: &[&str]) -> Result<Documents> {
        self.memory.clear();
        let documents = self.snapshot.get(&self.collection, keys)?;
        let bytes = documents.block.bytes.len();
        self.memory.grow(bytes as u64)?;
        self.step = if bytes > READ_STEP_BYTES { self.step / 2 } else { self.step * 2 };
        self.step = self.step.clamp(1, DOCUMENTS_PER_STEP);
        Ok(documents)
    }
}

impl Session {
    /// Looks documents up by key. Errors: 1203, 11.
    pub fn read_documents(&self, collection: &str, keys: &[&str]) -> Result<(Arc<Collection>, Documents)> {
        let (collection, snapshot) = self.readable(collection)?;
        let documents = snapshot.get(&collection, keys)?;
        Ok((collection, documents))
    }

    /// Opens a reader of many documents. Errors: 1203, 11.
    pub fn read_many_documents(&self, collection: &str) -> Result<DocumentReader> {
        let (collection, snapshot) = self.readable(collection)?;
        Ok(DocumentReader { collection, snapshot, step: 1, memory: Charge::new(self.request_memory()) })
    }

    /// Returns a collection and the state in which the session reads it.
    ///
    /// Errors: 1203, 11; in a stream transaction also 1652, 1655, 1653, 1654, 28.
    pub(crate) fn readable(&self, collection: &str) -> Result<(Arc<Collection>, Snapshot)> {
        let collection = self.collection(collection, AccessLevel::ReadOnly)?;
        self.check_declared(&collection)?;
        if let Some(usage) = self.usage_of(&collection) {
            usage.reads.increment();
        }
        Ok((collection, self.snapshot()?))
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
            let options = self.owned(collection, options);
            operation.run(transaction, collection, key, body, options.get())
        })?;
        Ok((collection, outcome))
    }

    /// Writes many documents. A document that fails does not undo the others.
    ///
    /// `bodies` is an array. The writes and their outcomes are charged to the memory of queries.
    /// With `only_failures` there are no outcomes of documents that were written.
    ///
    /// Errors: 1203, 11, and those that concern the whole call. Among these are 32 without memory
    /// for all, and 1500 if the session's interrupt is set. Nothing is written then.
    pub fn write_documents(
        &self,
        collection: &str,
        operation: WriteOperation,
        bodies: Slice<'_>,
        options: &WriteOptions,
        mode: WriteMode,
        only_failures: bool,
    ) -> Result<(Arc<Collection>, Outcomes)> {
        let account = self.request_memory();
        let mut writes = Charge::new(Arc::clone(&account));
        let mut outcomes = Outcomes::new(account);
        let (collection, ()) = self.write(collection, mode, |transaction, collection| {
            let owned = self.owned(collection, options);
            let options = owned.get();
            let mut bodies = bodies.elements();
            let taken_before = transaction.memory_bytes() as u64;
            // An empty call also checks whether the collection may be written.
            loop {
                self.check_interrupt()?;
                options.check_owner()?;
                let step: Vec<Slice<'_>> = bodies.by_ref().take(DOCUMENTS_PER_STEP).collect();
                let written = match operation {
                    WriteOperation::Insert => transaction.insert_many(collection, &step, options)?,
                    WriteOperation::Update => transaction.update_many(collection, &step, options)?,
                    WriteOperation::Replace => transaction.replace_many(collection, &step, options)?,
                    WriteOperation::Remove => transaction.remove_many(collection, &step, options)?,
                };
                outcomes.take(written, only_failures)?;
                let taken = (transaction.memory_bytes() as u64).saturating_sub(taken_before);
                writes.grow(taken.saturating_sub(writes.bytes()))?;
                if step.len() < DOCUMENTS_PER_STEP {
                    // Writes whose computations were ended have failed one by one.
                    return self.check_interrupt().and_then(|()| options.check_owner());
                }
            }
        })?;
        Ok((collection, outcomes))
    }

    /// Returns the options of a write. If the write computes values or checks a schema, it is
    /// listed like a query, with the session's user as the owner of what it computes.
    pub(crate) fn owned<'o>(&self, collection: &Collection, options: &'o WriteOptions) -> OwnedOptions<'o> {
        if !collection.computes_on_write() {
            return OwnedOptions { options: Cow::Borrowed(options), work: None };
        }
        let name = collection.name();
        let work = self.list_work(&format!("/* a write of documents, without a query */ INTO {name}"));
        let options = WriteOptions { owner: Some(work.owner().clone()), ..options.clone() };
        OwnedOptions { options: Cow::Owned(options), work: Some(work) }
    }

    /// Returns a new account for a request that reads or writes many documents. It is charged to
    /// the memory of queries.
    pub fn request_memory(&self) -> Arc<MemoryAccount> {
        Arc::new(MemoryAccount::new(None, Some(self.work_memory())))
    }

    /// Checks that nobody has ended the request. Errors: 1500.
    pub fn check_interrupt(&self) -> Result<()> {
        self.interrupt().map_or(Ok(()), Interrupt::check)
    }

    /// Runs `work` in a transaction on one collection and commits it, or runs it in the stream
    /// transaction of the session. An error of `work` undoes its writes.
    pub fn write<T>(
        &self,
        collection: &str,
        mode: WriteMode,
        work: impl FnOnce(&mut Transaction, &Arc<Collection>) -> Result<T>,
    ) -> Result<(Arc<Collection>, T)> {
        let collection = self.writable_collection(collection)?;
        let options =
            TransactionOptions { wait: mode.wait, ..TransactionOptions::single_operation(&collection) };
        let mut writer = self.begin_write(&options, [&collection], self.interrupt())?;
        let result = work(writer.transaction()?, &collection)?;
        writer.finish(mode.durability)?;
        Ok((collection, result))
    }

    /// Writes documents that are definitions (graphs, analyzers), like [`Session::write`].
    ///
    /// Where several servers share the store, that conflicts with every concurrent change of
    /// definitions, of whatever database. So it is repeated, but in a stream transaction.
    pub(crate) fn write_definitions<T>(
        &self,
        collection: &str,
        mode: WriteMode,
        mut work: impl FnMut(&mut Transaction, &Collection) -> Result<T>,
    ) -> Result<T> {
        let mut write = || {
            let (_, result) =
                self.write(collection, mode, |transaction, collection| work(transaction, collection))?;
            Ok(result)
        };
        if self.transaction_id().is_some() { write() } else { repeat_on_conflict(write) }
    }
}
