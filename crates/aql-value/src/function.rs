//! A function of AQL as the registry lists it and as a program calls it.

use crate::context::EvaluationContext;
use crate::value::Value;
use crate::{ErrorCode, Result};

/// Body of a function: the arguments of one row (their number is within `min_args..=max_args`) to its value.
pub type FunctionBody = fn(&[Value], &mut EvaluationContext<'_>) -> Result<Value>;

/// A function of AQL. One `static` each, listed in its family's list.
pub struct Function {
    /// Name in upper case.
    pub name: &'static str,
    /// Fewest arguments allowed.
    pub min_args: usize,
    /// Most arguments allowed; `None` for any number.
    pub max_args: Option<usize>,
    /// Same arguments, same result: the call may be folded when all arguments are constant, computed once for a
    /// column of constants, and shared.
    pub deterministic: bool,
    /// Whether a query that calls it may enter the query results cache.
    pub cacheable: bool,
    /// How many arguments, from the first on, may be names of collections.
    pub collection_arguments: usize,
    /// Whether it reads documents of collections that may only be known at run time: those of the query's start, so that
    /// it may be called again, but not after the query has modified something.
    pub reads_documents: bool,
    /// What computes it.
    pub call: FunctionBody,
}

impl Function {
    /// Registers warning 1542 for a wrong argument type and answers null, which is what functions of AQL do.
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
