//! The environment of computed values: only the clock and the document being written.

use aql_value::{ChangesQuery, Environment, Rows, Value};
use errors::{Error, Result};

/// The environment in which expressions run, so that `DATE_NOW()` and the like are computed for
/// each document. It refuses every question about the server. Only a function that
/// `restricted` does not know can ask one.
pub(super) struct DocumentAlone;

fn refused<T>() -> Result<T> {
    Err(Error::bad_parameter("an expression over one document cannot read the server"))
}

impl Environment for DocumentAlone {
    fn database(&self) -> Result<&str> {
        refused()
    }
    fn user(&self) -> Result<Option<&str>> {
        refused()
    }
    fn server_version(&self) -> Result<&str> {
        refused()
    }
    fn document(&self, _collection: Option<&str>, _id_or_key: &str) -> Result<Value> {
        refused()
    }
    fn collection_count(&self, _name: &str) -> Result<u64> {
        refused()
    }
    fn collections(&self) -> Result<Value> {
        refused()
    }
    fn schema(&self, _collection: &str) -> Result<Value> {
        refused()
    }
    fn validate_schema(&self, _document: &Value, _schema: &Value) -> Result<Option<String>> {
        refused()
    }
    fn collection_documents(&self, _name: &str) -> Result<Value> {
        refused()
    }
    fn changes(&self, _query: ChangesQuery<'_>) -> Result<Box<dyn Rows>> {
        refused()
    }
}
