//! `CONCAT()` and `CONCAT_SEPARATOR()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{check_round, text, text_of};
use crate::memory::TextBuffer;

/// `CONCAT(value1, value2, ...)` or `CONCAT(array)`; nulls are skipped.
pub(crate) fn concat(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    join("", arguments, context)
}

/// `CONCAT_SEPARATOR(separator, value1, value2, ...)` or `CONCAT_SEPARATOR(separator, array)`;
/// nulls are skipped.
pub(crate) fn concat_separator(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    join(&text(arguments, 0, context)?, arguments.get(1..).unwrap_or_default(), context)
}

/// Joins the values, or the elements of a sole array.
fn join(separator: &str, values: &[Value], context: &EvaluationContext<'_>) -> Result<Value> {
    let mut joined = TextBuffer::new(context);
    let mut is_first = true;
    let mut append = |round: usize, value: &Value| {
        check_round(context, round)?;
        if value.is_null() {
            return Ok(());
        }
        if !std::mem::take(&mut is_first) {
            joined.push_str(separator)?;
        }
        joined.push_str(&text_of(value, context)?)
    };
    match values {
        [array] if array.is_array() => {
            array.elements().enumerate().try_for_each(|(round, element)| append(round, &element))?;
        }
        _ => values.iter().enumerate().try_for_each(|(round, value)| append(round, value))?,
    }
    joined.into_value()
}
