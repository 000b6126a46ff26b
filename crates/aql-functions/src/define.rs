//! Short constructors for the families' lists.

use aql_value::{EvaluationContext, Function, Value};
use errors::Result;

/// The body of a function: computes a value from arguments and context.
pub(crate) type Body = fn(&[Value], &mut EvaluationContext<'_>) -> Result<Value>;

/// Returns a function of its arguments alone.
pub(crate) const fn pure(name: &'static str, min_args: usize, max_args: usize, call: Body) -> Function {
    Function {
        name,
        min_args,
        max_args: Some(max_args),
        deterministic: true,
        cacheable: true,
        collection_arguments: 0,
        reads_documents: false,
        call,
        call_batch: None,
        rows: None,
    }
}

/// Returns a function of its arguments alone that takes `min_args` or more of them.
pub(crate) const fn pure_variadic(name: &'static str, min_args: usize, call: Body) -> Function {
    Function { max_args: None, ..pure(name, min_args, 0, call) }
}

/// Returns a function whose result stays the same during one query, but not in another query.
pub(crate) const fn per_query(name: &'static str, min_args: usize, max_args: usize, call: Body) -> Function {
    Function { cacheable: false, ..pure(name, min_args, max_args, call) }
}

/// Returns a function that may answer differently each time, or acts on the query.
pub(crate) const fn volatile(name: &'static str, min_args: usize, max_args: usize, call: Body) -> Function {
    Function { deterministic: false, cacheable: false, ..pure(name, min_args, max_args, call) }
}

/// Returns such a function that takes `min_args` arguments or more.
pub(crate) const fn volatile_variadic(name: &'static str, min_args: usize, call: Body) -> Function {
    Function { max_args: None, ..volatile(name, min_args, 0, call) }
}
