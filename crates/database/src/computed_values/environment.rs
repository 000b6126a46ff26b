//! The environment of computed values: only the clock and the document being written.

use aql_syntax::ast::{ExpressionKind, Query};
use aql_syntax::walk::query_expressions;
use aql_value::{Environment, Value};
use errors::{Error, Result};

/// Functions that read the server or call others by name, as ArangoDB's documentation lists them.
/// Functions that read documents are marked as such in their own definitions.
const FORBIDDEN_FUNCTIONS: [&str; 14] = [
    "APPLY",
    "CALL",
    "COLLECTIONS",
    "COLLECTION_COUNT",
    "CURRENT_DATABASE",
    "CURRENT_USER",
    "FULLTEXT",
    "NEAR",
    "SCHEMA_GET",
    "SCHEMA_VALIDATE",
    "V8",
    "VERSION",
    "WITHIN",
    "WITHIN_RECTANGLE",
];

/// Returns the first function of an expression that computed values must not call, in upper case.
pub(super) fn forbidden_function(query: &Query) -> Option<&str> {
    query_expressions(query).find_map(|part| match &part.kind {
        ExpressionKind::FunctionCall(call) => {
            let name = call.name.normalized();
            let is_forbidden = call.name.is_namespaced()
                || FORBIDDEN_FUNCTIONS.contains(&name)
                || aql_functions::lookup(name).is_some_and(|function| function.reads_documents);
            is_forbidden.then_some(name)
        }
        _ => None,
    })
}

/// The environment in which expressions run, so that `DATE_NOW()` and the like are computed for
/// each document. It refuses every question about the server. Only a function that is missing from
/// [`FORBIDDEN_FUNCTIONS`] can ask one.
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
}
