//! The functions of AQL, as the registry lists them and as programs call them.

use errors::{ErrorCode, Result};

use crate::column::Column;
use crate::context::EvaluationContext;
use crate::rows::Rows;
use crate::value::Value;

/// The body of a function: computes a value from the arguments of one row.
///
/// Their number is within `min_args..=max_args`.
pub type FunctionBody = fn(&[Value], &mut EvaluationContext<'_>) -> Result<Value>;

/// The body of a function that is called for many rows together: one column per argument, and the
/// number of rows. Returns one value per row.
pub type BatchBody = fn(&[&Column], usize, &mut EvaluationContext<'_>) -> Result<Vec<Value>>;

/// The body of a function whose result is an array, for a loop that takes one element after the
/// other. Returns `None` where the result would be null.
pub type RowsBody = fn(&[Value], &mut EvaluationContext<'_>) -> Result<Option<Box<dyn Rows>>>;

/// A function of AQL. Each is a `static` in its family's list.
pub struct Function {
    /// The name in upper case.
    pub name: &'static str,
    /// The minimum number of arguments.
    pub min_args: usize,
    /// The maximum number of arguments; `None` for any number.
    pub max_args: Option<usize>,
    /// True if the same arguments give the same result.
    ///
    /// Such a call may be folded if all its arguments are constant, computed once for a column of
    /// constants, and shared.
    pub deterministic: bool,
    /// True if a query that calls it may enter the query results cache.
    pub cacheable: bool,
    /// The number of arguments, from the first on, that may be names of collections.
    pub collection_arguments: usize,
    /// True if it reads documents of collections that may only be known at run time.
    ///
    /// It sees them as they are at the query's start, so it may be called again, but not after the
    /// query has modified anything.
    pub reads_documents: bool,
    /// The body.
    pub call: FunctionBody,
    /// The body for many rows, if calls for single rows would be slow.
    pub call_batch: Option<BatchBody>,
    /// The body for a loop over the result, which may be too long for the query's memory.
    pub rows: Option<RowsBody>,
}

impl Function {
    /// Registers warning 1542 for a wrong argument type and returns null, as AQL's functions do.
    pub fn invalid_argument(&self, context: &mut EvaluationContext<'_>) -> Result<Value> {
        context.warnings.register(
            ErrorCode::QueryFunctionArgumentTypeMismatch,
            format!("invalid argument type in call to function '{}()'", self.name),
        )?;
        Ok(Value::Null)
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Function").field("name", &self.name).finish_non_exhaustive()
    }
}
