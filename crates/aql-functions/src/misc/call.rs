//! Calls of functions by name, and of functions that users write, which the environment runs.

use aql_value::{Column, EvaluationContext, Function, FunctionBody, Value};
use errors::{Error, ErrorCode, Result};
use velocypack::Builder;

use crate::argument::{check_round, invalid, quoted, value};
use crate::memory::ArrayBuffer;

/// The bytes of arguments from which a user's function is called before there are more rows.
const PORTION_BYTES: usize = 1 << 20;

/// `CALL(funcName, arg1, arg2, ...)`
pub(crate) fn call(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    call_by_name(value(arguments, 0), arguments.get(1..).unwrap_or_default(), context)
}

/// `APPLY(functionName, arguments)`
pub(crate) fn apply(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (name, list) = (value(arguments, 0), value(arguments, 1));
    if !name.is_string() || !(list.is_array() || list.is_null()) {
        return invalid(context, "APPLY");
    }
    let mut arguments = ArrayBuffer::collect(context, list.elements())?;
    call_by_name(name, arguments.elements(), context)
}

/// `CALL()` for many rows. The rows of a user's function enter JavaScript together.
pub(crate) fn call_batch(
    columns: &[&Column],
    lanes: usize,
    context: &mut EvaluationContext<'_>,
) -> Result<Vec<Value>> {
    let Some((name, arguments)) = users_name(columns) else { return each(call, columns, lanes, context) };
    call_user_function(name, lanes, context, |builder, lane| {
        add_arguments(builder, arguments.iter().map(|column| column.get(lane)))
    })
}

/// `APPLY()` for many rows.
pub(crate) fn apply_batch(
    columns: &[&Column],
    lanes: usize,
    context: &mut EvaluationContext<'_>,
) -> Result<Vec<Value>> {
    match users_name(columns) {
        Some((name, [lists])) if (0..lanes).all(|lane| lists.get(lane).is_array()) => {
            call_user_function(name, lanes, context, |builder, lane| lists.get(lane).append_to(builder))
        }
        _ => each(apply, columns, lanes, context),
    }
}

/// Returns the name of a user's function, if all rows call the same one, and the other columns.
fn users_name<'c, 'v>(columns: &'c [&'v Column]) -> Option<(&'v str, &'c [&'v Column])> {
    let (name, arguments) = columns.split_first()?;
    let name = name.as_constant()?.as_str().filter(|name| is_users(name))?;
    Some((name, arguments))
}

fn is_users(name: &str) -> bool {
    name.contains("::")
}

/// Calls a function for each row by itself.
fn each(
    call: FunctionBody,
    columns: &[&Column],
    lanes: usize,
    context: &mut EvaluationContext<'_>,
) -> Result<Vec<Value>> {
    let row = |lane| columns.iter().map(|column| column.get(lane).clone()).collect::<Vec<_>>();
    (0..lanes)
        .map(|lane| {
            context.interrupt.check()?;
            call(&row(lane), context)
        })
        .collect()
}

fn add_arguments<'v>(builder: &mut Builder, arguments: impl IntoIterator<Item = &'v Value>) -> Result<()> {
    builder.open_array()?;
    arguments.into_iter().try_for_each(|argument| argument.append_to(builder))?;
    Ok(builder.close()?)
}

/// Calls a user's function for rows, whose arguments `add` adds as an array.
fn call_user_function(
    name: &str,
    lanes: usize,
    context: &mut EvaluationContext<'_>,
    add: impl Fn(&mut Builder, usize) -> Result<()>,
) -> Result<Vec<Value>> {
    let Some(functions) = context.environment.user_functions() else {
        let message = format!("user function '{}()' not found", quoted(name));
        return Err(Error::new(ErrorCode::QueryFunctionNotFound, message));
    };
    let mut results = Vec::with_capacity(lanes);
    let mut lane = 0;
    while lane < lanes {
        let mut rows = Builder::new();
        rows.open_array()?;
        while lane < lanes && rows.len_bytes() < PORTION_BYTES {
            add(&mut rows, lane)?;
            lane += 1;
        }
        rows.close()?;
        context.memory.check_room(rows.len_bytes() as u64)?;
        let calls = functions.call(name, rows)?;
        for warning in calls.warnings {
            context.warnings.register(warning.code, warning.message)?;
        }
        results.extend(calls.values);
    }
    results.resize(lanes, Value::Null);
    Ok(results)
}

/// Calls a function by name.
///
/// `CALL` of `CALL` is a loop here, since as many of them as there are arguments may follow each
/// other. `APPLY` of `APPLY` recurses, and each needs a list within the list of the one before:
/// the nesting of values bounds that.
fn call_by_name<'v>(
    mut name: &'v Value,
    mut arguments: &'v [Value],
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    for round in 0.. {
        check_round(context, round)?;
        let Some(text) = name.as_str() else { break };
        if is_users(text) {
            let results =
                call_user_function(text, 1, context, |builder, _| add_arguments(builder, arguments))?;
            return Ok(results.into_iter().next().unwrap_or_default());
        }
        let Some(function) = crate::lookup(text) else {
            let message = format!("usage of unknown function '{}()'", quoted(text));
            return Err(Error::new(ErrorCode::QueryFunctionNameUnknown, message));
        };
        check_argument_count(function, arguments.len())?;
        match arguments {
            [first, rest @ ..] if function.name == "CALL" => (name, arguments) = (first, rest),
            _ => return (function.call)(arguments, context),
        }
    }
    invalid(context, "CALL")
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
