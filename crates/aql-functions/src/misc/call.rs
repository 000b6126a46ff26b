//! Calls of functions by name. User-defined functions are unknown here.

use crate::argument::{invalid, quoted, value};
use crate::memory::ArrayBuffer;
use aql_value::{EvaluationContext, Function, Value};
use errors::{Error, ErrorCode, Result};

/// `CALL(funcName, arg1, arg2, ...)`
pub(crate) fn call(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    match value(arguments, 0).as_str() {
        Some(name) => call_by_name(name, arguments.get(1..).unwrap_or_default(), context),
        None => invalid(context, "CALL"),
    }
}

/// `APPLY(functionName, arguments)`
pub(crate) fn apply(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let list = value(arguments, 1);
    match value(arguments, 0).as_str() {
        Some(name) if list.is_array() || list.is_null() => {
            let mut arguments = ArrayBuffer::collect(context, list.elements())?;
            call_by_name(name, arguments.elements(), context)
        }
        _ => invalid(context, "APPLY"),
    }
}

fn call_by_name(name: &str, arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    if name.contains("::") {
        return Err(Error::new(
            ErrorCode::QueryFunctionNotFound,
            format!("user function '{}()' not found", quoted(name)),
        ));
    }
    let Some(function) = crate::lookup(name) else {
        let message = format!("usage of unknown function '{}()'", quoted(name));
        return Err(Error::new(ErrorCode::QueryFunctionNameUnknown, message));
    };
    // Calls by name within calls by name could recurse without a bound.
    if matches!(function.name, "CALL" | "APPLY") {
        let message = format!("disallowed dynamic call to '{}'", function.name);
        return Err(Error::new(ErrorCode::QueryDisallowedDynamicCall, message));
    }
    check_argument_count(function, arguments.len())?;
    (function.call)(arguments, context)
}

fn check_argument_count(function: &Function, count: usize) -> Result<()> {
    let fits = count >= function.min_args && function.max_args.is_none_or(|most| count <= most);
    if fits {
        return Ok(());
    }
    let message = format!(
        "invalid number of arguments for function '{}()', expected number of arguments: minimum: {}, maximum: {}",
        function.name,
        function.min_args,
        function.max_args.map_or("unbounded".to_owned(), |most| most.to_string())
    );
    Err(Error::new(ErrorCode::QueryFunctionArgumentNumberMismatch, message))
}
