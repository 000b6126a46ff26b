//! The parts of literals with `...`.

use aql_value::{EvaluationContext, Value};
use errors::{Error, ErrorCode, Result};

use super::merge::merge_all;
use crate::argument::check_round;
use crate::memory::ArrayBuffer;

/// Returns the elements of all arguments that are arrays. Every other argument is skipped with a
/// warning.
pub(crate) fn arrays(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    warn_unless(arguments, Value::is_array, ErrorCode::QueryArrayExpected, context)?;
    let arrays = arguments.iter().filter(|argument| argument.is_array());
    let mut all = ArrayBuffer::new(context);
    for (round, element) in arrays.flat_map(Value::elements).enumerate() {
        check_round(context, round)?;
        all.push(element)?;
    }
    all.into_array()
}

/// Returns the attributes of all arguments that are objects; the last of the same name counts.
/// Every other argument is skipped with a warning.
pub(crate) fn objects(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    warn_unless(arguments, Value::is_object, ErrorCode::QueryObjectExpected, context)?;
    let objects: Vec<Value> = arguments.iter().filter(|argument| argument.is_object()).cloned().collect();
    merge_all(&objects, context)
}

fn warn_unless(
    arguments: &[Value],
    is_expected: fn(&Value) -> bool,
    code: ErrorCode,
    context: &mut EvaluationContext<'_>,
) -> Result<()> {
    let others = arguments.iter().filter(|argument| !is_expected(argument)).count();
    (0..others).try_for_each(|_| context.warn(code, Error::of(code).to_string()))
}
