//! Short forms for the families' lists.

use aql_value::{EvaluationContext, Function, Result, Value};

/// What computes a function: its arguments and the context to its value.
pub(crate) type Body = fn(&[Value], &mut EvaluationContext<'_>) -> Result<Value>;

/// A function of its arguments alone.
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
    }
}

/// A function of its arguments alone that takes any number of them from `min_args` on.
pub(crate) const fn pure_variadic(name: &'static str, min_args: usize, call: Body) -> Function {
    Function { max_args: None, ..pure(name, min_args, 0, call) }
}

/// A function whose result is the same during one query, but not in another query.
pub(crate) const fn per_query(name: &'static str, min_args: usize, max_args: usize, call: Body) -> Function {
    Function { cacheable: false, ..pure(name, min_args, max_args, call) }
}

/// A function that may answer differently each time, or acts on the query.
pub(crate) const fn volatile(name: &'static str, min_args: usize, max_args: usize, call: Body) -> Function {
    Function { deterministic: false, cacheable: false, ..pure(name, min_args, max_args, call) }
}

/// The same for any number of arguments from `min_args` on.
pub(crate) const fn volatile_variadic(name: &'static str, min_args: usize, call: Body) -> Function {
    Function { max_args: None, ..volatile(name, min_args, 0, call) }
}
