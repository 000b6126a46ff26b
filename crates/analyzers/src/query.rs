//! The interface to AQL, for analyzers of type `aql`. AQL is above this crate.

use std::sync::Arc;

use errors::{Error, Result};
use owner::Interrupt;

/// The type of an `aql` analyzer's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReturnType {
    /// Texts.
    Text,
    /// Numbers.
    Number,
    /// Booleans.
    Bool,
}

/// The properties of an analyzer of type `aql`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryProperties {
    /// The query, which has the text as the bind parameter `@param`.
    pub text: String,
    /// True if all tokens have position 0.
    pub collapse_positions: bool,
    /// True if null is an empty text; otherwise it is not a token.
    pub keep_null: bool,
    /// Rows of a batch.
    pub batch_size: u64,
    /// Bytes of memory that the query may use.
    pub memory_limit_bytes: u64,
    /// The type that rows are converted to.
    pub return_type: ReturnType,
}

/// A compiler of the queries of analyzers.
pub trait QueryCompiler: Send + Sync {
    /// Compiles a query, which runs once for each text.
    ///
    /// Errors: 10 if the query reads the store, calls a function that is not allowed, or is wrong.
    fn compile(&self, properties: &QueryProperties) -> Result<Arc<dyn CompiledQuery>>;
}

/// A compiled query over the bind parameter `@param`.
pub trait CompiledQuery: Send + Sync {
    /// Runs the query, and passes its rows to `each`, in order.
    ///
    /// The interrupt ends the query as it ends the work that needs the rows. The memory of the
    /// query is its own; its growth is charged to the owner of the thread's work.
    ///
    /// Errors: of the query, of the interrupt, of the callback.
    fn run(
        &self,
        text: &str,
        interrupt: &Interrupt,
        each: &mut dyn FnMut(Row<'_>) -> Result<()>,
    ) -> Result<()>;
}

/// A row of a query, converted to the analyzer's type of result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Row<'a> {
    /// Null, before conversion.
    Null,
    /// A text.
    Text(&'a str),
    /// A number.
    Number(f64),
    /// A boolean.
    Bool(bool),
}

/// The absence of AQL: it compiles no query.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoQueries;

impl QueryCompiler for NoQueries {
    fn compile(&self, _properties: &QueryProperties) -> Result<Arc<dyn CompiledQuery>> {
        Err(Error::not_implemented("analyzers of type 'aql' here"))
    }
}
