//! `LIKE()` as a function call. The expression program compiles the operator.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{flag, text};
use crate::memory::room_for_bytes;

/// The bytes of a prepared pattern for a byte of its text.
const BYTES_OF_PATTERN: usize = 12;
/// The bytes of a text in lower case while it grows, for a byte of the text.
const BYTES_OF_FOLDED: usize = 2;

/// `LIKE(text, search, caseInsensitive)`
pub(crate) fn like(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (text, pattern) = (text(arguments, 0, context)?, text(arguments, 1, context)?);
    let ignores_case = flag(arguments, 2);
    let folded = if ignores_case { BYTES_OF_FOLDED * text.len() } else { 0 };
    let _room = room_for_bytes(BYTES_OF_PATTERN * pattern.len() + folded, context)?;
    let pattern = context.state.patterns.like(&pattern, ignores_case, context.interrupt)?;
    Ok(Value::Bool(pattern.matches(&text, context.interrupt)?))
}
