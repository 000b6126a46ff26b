//! What an expression may ask of the server while it runs.

use crate::value::Value;
use crate::{Error, Result};

/// The server as seen by functions. Implemented by the executor over its transaction; [`NoEnvironment`] stands in
/// while constants are folded.
///
/// Every method may answer [`Error::not_constant`], which leaves the expression to be computed at run time.
pub trait Environment: Send + Sync {
    /// Whether expressions run, for a query or a document, rather than being folded for a plan that may be kept.
    fn is_run_time(&self) -> bool {
        true
    }
    /// Name of the current database (`CURRENT_DATABASE()`).
    fn database(&self) -> Result<&str>;
    /// Name of the user, `None` when authentication is off (`CURRENT_USER()`).
    fn user(&self) -> Result<Option<&str>>;
    /// Version of the server (`VERSION()`).
    fn server_version(&self) -> Result<&str>;
    /// `DOCUMENT()`: the document, or null if there is none. `collection` is the first of two arguments, with which
    /// `id_or_key` may be a key or an identifier; without it, `id_or_key` is an identifier `collection/key`.
    fn document(&self, collection: Option<&str>, id_or_key: &str) -> Result<Value>;
    /// `COLLECTION_COUNT()` and `LENGTH(collection)`: number of documents. Error 1203 for an unknown name.
    fn collection_count(&self, name: &str) -> Result<u64>;
    /// `COLLECTIONS()`: array of objects `{_id, name}` sorted by name.
    fn collections(&self) -> Result<Value>;
    /// `SCHEMA_GET()`: the schema object of a collection, or null.
    fn schema(&self, collection: &str) -> Result<Value>;
    /// `SCHEMA_VALIDATE()`: what is wrong with a document (an object) by a schema definition (an object), or `None`.
    /// Error 1621 for a definition that is none.
    fn validate_schema(&self, document: &Value, schema: &Value) -> Result<Option<String>>;
    /// All documents of a collection as an array, for a collection used as an argument of a function.
    fn collection_documents(&self, name: &str) -> Result<Value>;
}

/// No server at all: every question is answered by [`Error::not_constant`].
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEnvironment;

impl Environment for NoEnvironment {
    fn is_run_time(&self) -> bool {
        false
    }
    fn database(&self) -> Result<&str> {
        Err(Error::not_constant())
    }
    fn user(&self) -> Result<Option<&str>> {
        Err(Error::not_constant())
    }
    fn server_version(&self) -> Result<&str> {
        Err(Error::not_constant())
    }
    fn document(&self, _collection: Option<&str>, _id_or_key: &str) -> Result<Value> {
        Err(Error::not_constant())
    }
    fn collection_count(&self, _name: &str) -> Result<u64> {
        Err(Error::not_constant())
    }
    fn collections(&self) -> Result<Value> {
        Err(Error::not_constant())
    }
    fn schema(&self, _collection: &str) -> Result<Value> {
        Err(Error::not_constant())
    }
    fn validate_schema(&self, _document: &Value, _schema: &Value) -> Result<Option<String>> {
        Err(Error::not_constant())
    }
    fn collection_documents(&self, _name: &str) -> Result<Value> {
        Err(Error::not_constant())
    }
}
