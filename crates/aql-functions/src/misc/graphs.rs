//! `GRAPH_ALGORITHM()` and `PREGEL_RESULT()`: results of algorithms over whole graphs.

use aql_value::{EvaluationContext, GraphQuery, Rows, Value};
use errors::Result;

use super::array_of_rows::array_of;
use crate::argument::{flag, invalid, text, value};

/// Maximum length of an algorithm's name.
const NAME_MAX_BYTES: usize = 256;
/// Maximum length of a job's number.
const ID_MAX_BYTES: usize = 32;

/// `GRAPH_ALGORITHM(algorithm, graph, parameters, options)`: the rows of a result, as an array.
///
/// Errors: those of [`aql_value::Environment::graph_rows`], 1504 for too many rows.
pub(crate) fn graph_algorithm(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let Some(rows) = algorithm_rows(arguments, context)? else { return Ok(Value::Null) };
    array_of(rows, context)
}

/// The same, one row after the other.
pub(crate) fn algorithm_rows(
    arguments: &[Value],
    context: &mut EvaluationContext<'_>,
) -> Result<Option<Box<dyn Rows>>> {
    let Some(name) = value(arguments, 0).as_str().filter(|name| name.len() <= NAME_MAX_BYTES) else {
        return invalid(context, "GRAPH_ALGORITHM").map(|_| None);
    };
    let (graph, parameters, options) = (value(arguments, 1), value(arguments, 2), value(arguments, 3));
    context.environment.graph_rows(GraphQuery::Algorithm { name, graph, parameters, options }).map(Some)
}

/// `PREGEL_RESULT(job, withId)`: the result that a job has kept, as an array.
///
/// Errors: those of [`aql_value::Environment::graph_rows`], 1504 for too many rows.
pub(crate) fn pregel_result(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let Some(rows) = job_rows(arguments, context)? else { return Ok(Value::Null) };
    array_of(rows, context)
}

/// The same, one row after the other.
pub(crate) fn job_rows(
    arguments: &[Value],
    context: &mut EvaluationContext<'_>,
) -> Result<Option<Box<dyn Rows>>> {
    let id = match value(arguments, 0) {
        id if id.as_str().is_some_and(|id| id.len() <= ID_MAX_BYTES) || id.as_i64().is_some() => {
            text(arguments, 0, context)?
        }
        _ => return invalid(context, "PREGEL_RESULT").map(|_| None),
    };
    let query = GraphQuery::Job { id: &id, with_id: flag(arguments, 1) };
    context.environment.graph_rows(query).map(Some)
}
