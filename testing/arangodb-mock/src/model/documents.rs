//! Writes of documents, alone and in transactions.

use serde_json::{Map, Value, json};

use super::Model;
use super::log::kind;

/// A transaction that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransactionId(pub(super) u64);

/// The writes of a transaction, which others do not see yet.
#[derive(Clone, Debug)]
pub(crate) struct OpenTransaction {
    database: String,
    writes: Vec<Write>,
}

/// One write; no document for a removal.
#[derive(Clone, Debug)]
struct Write {
    collection: String,
    key: String,
    document: Option<Value>,
}

impl Model {
    /// Inserts or replaces a document, and returns its key. A document without `_key` gets one.
    pub fn put(&mut self, database: &str, collection: &str, document: Value) -> String {
        let (key, write) = self.prepared(collection, document);
        self.log_write(database, "0", &write);
        self.apply(database, write);
        key
    }

    /// Stores a document that the log does not show, as damage would.
    pub fn put_unlogged(&mut self, database: &str, collection: &str, document: Value) {
        let (_, write) = self.prepared(collection, document);
        self.apply(database, write);
    }

    /// Removes a document.
    pub fn remove(&mut self, database: &str, collection: &str, key: &str) {
        let write = Write { collection: collection.to_owned(), key: key.to_owned(), document: None };
        self.log_write(database, "0", &write);
        self.apply(database, write);
    }

    /// Begins a transaction. Its writes are in the log as they come, before its commit.
    pub fn begin(&mut self, database: &str) -> TransactionId {
        let id = self.new_id();
        self.open.insert(id, OpenTransaction { database: database.to_owned(), writes: Vec::new() });
        self.log.append(kind::BEGIN, database, json!({"tid": id.to_string()}));
        TransactionId(id)
    }

    /// Inserts or replaces a document in a transaction.
    pub fn put_in(&mut self, transaction: TransactionId, collection: &str, document: Value) -> String {
        let (key, write) = self.prepared(collection, document);
        self.write_in(transaction, write);
        key
    }

    /// Removes a document in a transaction.
    pub fn remove_in(&mut self, transaction: TransactionId, collection: &str, key: &str) {
        let write = Write { collection: collection.to_owned(), key: key.to_owned(), document: None };
        self.write_in(transaction, write);
    }

    /// Commits a transaction.
    pub fn commit(&mut self, transaction: TransactionId) {
        let Some(open) = self.open.remove(&transaction.0) else { return };
        self.log.append(kind::COMMIT, &open.database, json!({"tid": transaction.0.to_string()}));
        for write in open.writes {
            self.apply(&open.database, write);
        }
    }

    /// Aborts a transaction.
    pub fn abort(&mut self, transaction: TransactionId) {
        let Some(open) = self.open.remove(&transaction.0) else { return };
        self.log.append(kind::ABORT, &open.database, json!({"tid": transaction.0.to_string()}));
    }

    /// Returns the numbers of transactions that have begun and not ended.
    pub(crate) fn open_transactions(&self) -> Vec<String> {
        self.open.keys().map(u64::to_string).collect()
    }

    /// Returns the documents of a collection, ordered by key.
    pub fn documents(&self, database: &str, collection: &str) -> Vec<Value> {
        let found = self.collection(database, collection);
        found.map(|found| found.documents.values().cloned().collect()).unwrap_or_default()
    }

    /// Returns the write that stores a document, with `_key`, `_id` and a new `_rev`.
    fn prepared(&mut self, collection: &str, document: Value) -> (String, Write) {
        let given = match document {
            Value::Object(given) => given,
            _ => Map::new(),
        };
        let key = match given.get("_key").and_then(Value::as_str) {
            Some(key) => key.to_owned(),
            None => self.new_id().to_string(),
        };
        let mut whole = Map::new();
        whole.insert("_key".to_owned(), json!(key));
        whole.insert("_id".to_owned(), json!(format!("{collection}/{key}")));
        whole.extend(given);
        whole.insert("_rev".to_owned(), json!(self.clock.next()));
        let write = Write {
            collection: collection.to_owned(),
            key: key.clone(),
            document: Some(Value::Object(whole)),
        };
        (key, write)
    }

    fn write_in(&mut self, transaction: TransactionId, write: Write) {
        let Some(open) = self.open.get_mut(&transaction.0) else { return };
        open.writes.push(write.clone());
        let database = open.database.clone();
        self.log_write(&database, &transaction.0.to_string(), &write);
    }

    fn log_write(&mut self, database: &str, transaction: &str, write: &Write) {
        let Some(found) = self.collection(database, &write.collection) else { return };
        let unique_id = found.unique_id.clone();
        let (kind, data) = match &write.document {
            Some(document) => (kind::PUT, document.clone()),
            None => (kind::REMOVE, json!({"_key": write.key, "_rev": self.clock.next()})),
        };
        self.log.append(kind, database, json!({"tid": transaction, "cuid": unique_id, "data": data}));
    }

    fn apply(&mut self, database: &str, write: Write) {
        let Some(collection) = self.collection_mut(database, &write.collection) else { return };
        match write.document {
            Some(document) => collection.documents.insert(write.key, document),
            None => collection.documents.remove(&write.key),
        };
    }
}
