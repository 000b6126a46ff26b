//! Restored documents.
//!
//! New documents are loaded without the overhead of a transaction ([`storage::DocumentLoad`]). A
//! load is impossible if a key is taken because the batch comes again, if documents are removed, or
//! if an index is unique. The batch is then one transaction with the same result.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use errors::{ErrorCode, Result};
use storage::{
    Collection, Durability, LoadOutcome, OverwriteMode, Transaction, TransactionOptions, WaitPolicy,
    WriteOptions,
};
use velocypack::Slice;

use super::operation::{Operation, RestoreBody, for_each};
use crate::base::user_documents::{self as users, USERS_COLLECTION};
use crate::session::Session;

/// Attempts to store a batch that conflicts with other writers.
const ATTEMPTS: usize = 20;
/// Time that a load waits for transactions that write its collection, before the batch becomes a
/// transaction itself.
const LOAD_WAIT: WaitPolicy = WaitPolicy::UpTo(Duration::from_millis(500));
/// Bytes of documents after which a chunk is stored.
const CHUNK_BYTES: usize = 4 << 20;
/// The user that always has all rights.
const ROOT: &str = "root";

impl Session {
    /// Stores the documents of a body, all or none, with their keys and revisions. Existing ones
    /// are replaced.
    ///
    /// Errors: 1203, 11, 30, 600, 10, 32, 1210 for a unique index, and those of documents that
    /// cannot be stored. The message names the line.
    pub fn restore_data(&self, collection: &str, body: RestoreBody<'_>) -> Result<()> {
        self.check_running()?;
        if self.is_system_database() && collection == USERS_COLLECTION {
            return self.restore_users(body);
        }
        let collection = self.writable_collection(collection)?;
        self.require_unrestricted(&collection, "a restore")?;
        if self.restore_by_load(&collection, body)? {
            return Ok(());
        }
        let mut attempts = 1;
        loop {
            match self.restore_in_transaction(&collection, body) {
                Err(error) if error.is_retryable() && attempts < ATTEMPTS => attempts += 1,
                outcome => return outcome,
            }
        }
    }

    /// Returns false, and stores nothing, if the documents are not all new or cannot be loaded.
    fn restore_by_load(&self, collection: &Arc<Collection>, body: RestoreBody<'_>) -> Result<bool> {
        let store = self.instance().store();
        collection.wait_for_text_indexes(true, &|| self.check_interrupt())?;
        let Some(mut load) = store.load_documents(collection, &options(), LOAD_WAIT)? else {
            return Ok(false);
        };
        // Documents are smaller than their text. Unused memory is never touched.
        load.reserve(body.len());
        let mut only_new = true;
        for_each(body, &mut |operation| {
            match operation {
                Operation::Put(document) => load.add(document)?,
                Operation::Remove(_) => only_new = false,
            }
            Ok(only_new)
        })?;
        Ok(only_new && load.finish()? == LoadOutcome::Loaded)
    }

    fn restore_in_transaction(&self, collection: &Arc<Collection>, body: RestoreBody<'_>) -> Result<()> {
        let begin = || self.instance().store().begin(&TransactionOptions::single_operation(collection));
        let mut transaction = begin()?;
        match store_in_chunks(&mut transaction, collection, body) {
            Err(error) if !error.is_retryable() => {
                // One by one, the document that cannot be stored is named with its line.
                transaction.rollback();
                transaction = begin()?;
                store_one_by_one(&mut transaction, collection, body)?;
            }
            stored => stored?,
        }
        transaction.commit(Durability::Buffered)
    }

    /// Stores users in the catalog.
    fn restore_users(&self, body: RestoreBody<'_>) -> Result<()> {
        self.require_administrator()?;
        let mut restored = Vec::new();
        let mut names: HashMap<String, String> = HashMap::new();
        for_each(body, &mut |operation| {
            match operation {
                Operation::Put(document) => {
                    let user = users::user(document)?;
                    if let Some(key) = document.get("_key").and_then(Slice::as_str) {
                        names.insert(key.to_owned(), user.name.clone());
                    }
                    restored.push(Ok(user));
                }
                Operation::Remove(key) => restored.extend(names.remove(key).map(Err)),
            }
            Ok(true)
        })?;
        let store = self.instance().store();
        for change in restored {
            match change {
                Ok(mut user) => {
                    if let Some(present) = store.catalog().user(&user.name) {
                        user.sessions.keep_withdrawn(&present.sessions);
                    }
                    store.put_user(user)?;
                }
                Err(name) if name != ROOT => store.remove_user(&name)?,
                Err(_) => {}
            }
        }
        Ok(())
    }
}

/// Stores the documents of a body, and looks their keys up in batches.
fn store_in_chunks(
    transaction: &mut Transaction,
    collection: &Collection,
    body: RestoreBody<'_>,
) -> Result<()> {
    let mut chunk = Chunk::default();
    for_each(body, &mut |operation| {
        match operation {
            Operation::Put(document) => {
                chunk.add(document);
                if chunk.bytes.len() >= CHUNK_BYTES {
                    chunk.store(transaction, collection)?;
                }
            }
            Operation::Remove(key) => {
                chunk.store(transaction, collection)?;
                remove(transaction, collection, key)?;
            }
        }
        Ok(true)
    })?;
    chunk.store(transaction, collection)
}

fn store_one_by_one(
    transaction: &mut Transaction,
    collection: &Collection,
    body: RestoreBody<'_>,
) -> Result<()> {
    let options = options();
    for_each(body, &mut |operation| {
        match operation {
            Operation::Put(document) => drop(transaction.insert(collection, document, &options)?),
            Operation::Remove(key) => remove(transaction, collection, key)?,
        }
        Ok(true)
    })
}

/// Documents that are stored together.
#[derive(Default)]
struct Chunk {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Chunk {
    fn add(&mut self, document: Slice<'_>) {
        self.starts.push(self.bytes.len());
        self.bytes.extend_from_slice(document.bytes());
    }

    /// Stores the documents, and empties the chunk. Errors: that of the first document that cannot
    /// be stored.
    fn store(&mut self, transaction: &mut Transaction, collection: &Collection) -> Result<()> {
        let document = |start: &usize| self.bytes.get(*start..).map_or(Slice::NULL, Slice::new);
        let documents: Vec<Slice<'_>> = self.starts.iter().map(document).collect();
        for outcome in transaction.insert_many(collection, &documents, &options())? {
            outcome?;
        }
        self.bytes.clear();
        self.starts.clear();
        Ok(())
    }
}

/// Removes a document, if there is one.
fn remove(transaction: &mut Transaction, collection: &Collection, key: &str) -> Result<()> {
    match transaction.remove(collection, key, Slice::NONE, &options()) {
        Err(error) if error.code() != ErrorCode::DocumentNotFound => Err(error),
        _ => Ok(()),
    }
}

fn options() -> WriteOptions {
    WriteOptions { is_restore: true, overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() }
}
