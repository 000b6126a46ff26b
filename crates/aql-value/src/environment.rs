//! The questions that an expression may ask the server while it runs.

use std::sync::Arc;

use analyzers::Analyzer;
use errors::{Error, Result};
use velocypack::Builder;

use crate::rows::{ChangesQuery, GraphQuery, Rows};
use crate::value::Value;
use crate::warnings::Warning;

/// A document's name: the collection if it is known, and a key or an identifier.
pub type DocumentName<'a> = (Option<&'a str>, &'a str);

/// The server as functions see it.
///
/// The executor implements it over its transaction; [`NoEnvironment`] replaces it while constants
/// are folded.
///
/// Every method may return [`Error::not_constant`], which leaves the expression to be computed at
/// run time.
pub trait Environment: Send + Sync {
    /// Returns true if expressions run for a query or a document.
    ///
    /// Otherwise they are folded for a plan that may be cached.
    fn is_run_time(&self) -> bool {
        true
    }
    /// Returns the name of the current database (`CURRENT_DATABASE()`).
    fn database(&self) -> Result<&str>;
    /// Returns the name of the user, `None` if authentication is off (`CURRENT_USER()`).
    fn user(&self) -> Result<Option<&str>>;
    /// Returns the version of the server (`VERSION()`).
    fn server_version(&self) -> Result<&str>;
    /// Returns the document that `DOCUMENT()` names, or null if there is none.
    ///
    /// `collection` is the first of two arguments; then `id_or_key` may be a key or an identifier.
    /// Without it, `id_or_key` is an identifier `collection/key`.
    fn document(&self, collection: Option<&str>, id_or_key: &str) -> Result<Value>;
    /// Returns a stored document of a collection with the attributes masked that the user must not
    /// see.
    ///
    /// Errors: 10 where there are no documents.
    fn masked(&self, collection: &str, document: &Value) -> Result<Value> {
        let _ = (collection, document);
        Err(Error::bad_parameter("there are no stored documents here"))
    }
    /// Returns the documents of several names, each as [`Environment::document`] does.
    ///
    /// It may end early, after at least one name, where the documents are large.
    fn documents(&self, names: &[DocumentName<'_>]) -> Result<Vec<Value>> {
        names.iter().map(|(collection, id_or_key)| self.document(*collection, id_or_key)).collect()
    }
    /// Returns the number of documents, for `COLLECTION_COUNT()` and `LENGTH(collection)`.
    ///
    /// Errors: 1203 for an unknown name.
    fn collection_count(&self, name: &str) -> Result<u64>;
    /// Returns an array of objects `{_id, name}` sorted by name, for `COLLECTIONS()`.
    fn collections(&self) -> Result<Value>;
    /// Returns the schema object of a collection, or null, for `SCHEMA_GET()`.
    fn schema(&self, collection: &str) -> Result<Value>;
    /// Returns the violation of a schema definition by a document, or `None`, for
    /// `SCHEMA_VALIDATE()`.
    ///
    /// Both arguments are objects. Errors: 1621 for an invalid definition.
    fn validate_schema(&self, document: &Value, schema: &Value) -> Result<Option<String>>;
    /// Returns all documents of a collection as an array.
    ///
    /// A query calls it for a collection that is an argument of a function.
    fn collection_documents(&self, name: &str) -> Result<Value>;
    /// Opens a part of the change log as it is at the start of the query, for `CHANGES()`.
    ///
    /// Errors: 10 for a wrong token, 1203, 11, 1414 for a token whose entries are gone, 9 if there
    /// is no log, 18 if it cannot begin yet.
    fn changes(&self, query: ChangesQuery<'_>) -> Result<Box<dyn Rows>>;
    /// Computes an algorithm over a whole graph, or opens the result of a job.
    ///
    /// The graph is read as it is at the start of the query. Errors: 10 for a wrong argument, 1924,
    /// 1203, 11, 32, 1202 for an unknown projection or job; 9 where there are no graphs.
    fn graph_rows(&self, _query: GraphQuery<'_>) -> Result<Box<dyn Rows>> {
        Err(Error::not_constant())
    }
    /// Returns the analyzer with a name, for `TOKENS()` and the like.
    ///
    /// The name may begin with that of the database and `::`. Errors: of the analyzer, if its query
    /// cannot be compiled.
    fn analyzer(&self, name: &str) -> Result<Option<Arc<Analyzer>>> {
        Ok(analyzers::built_in(name).cloned())
    }
    /// Returns the functions that users write; `None` where none can be called.
    fn user_functions(&self) -> Option<&dyn UserFunctions> {
        None
    }
}

/// The functions that users write.
pub trait UserFunctions: Send + Sync {
    /// Calls a function once for each element of `rows`, an array of arrays of arguments.
    ///
    /// Errors: 1582 for an unknown name, 1583 if its code is not a function or a call throws, 11
    /// where such functions are disabled, 32, 1500.
    fn call(&self, name: &str, rows: Builder) -> Result<UserCalls>;
}

/// The outcome of calls of a user's function.
#[derive(Debug, Default)]
pub struct UserCalls {
    /// One result a call.
    pub values: Vec<Value>,
    /// The warnings of all calls.
    pub warnings: Vec<Warning>,
}

/// The absence of a server: every method returns [`Error::not_constant`].
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
    fn changes(&self, _query: ChangesQuery<'_>) -> Result<Box<dyn Rows>> {
        Err(Error::not_constant())
    }
    /// Only the analyzers that never change are known before the query runs.
    fn analyzer(&self, name: &str) -> Result<Option<Arc<Analyzer>>> {
        analyzers::built_in(name).cloned().map(Some).ok_or_else(Error::not_constant)
    }
}
