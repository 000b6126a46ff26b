//! `REPEAT()`.

use aql_value::{EvaluationContext, Value};
use errors::{ErrorCode, Result};

use crate::argument::{check_round, integer, invalid, text, warned};
use crate::memory::TextBuffer;

/// The longest result (ArangoDB's documented limit).
const MAX_BYTES: usize = 16 << 20;

/// `REPEAT(value, count, separator)`: null with a warning if the result would be longer than 16
/// MiB.
pub(crate) fn repeat(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (value, separator) = (text(arguments, 0, context)?, text(arguments, 2, context)?);
    let Ok(count) = usize::try_from(integer(arguments, 1)) else {
        return invalid(context, "REPEAT");
    };
    let bytes = (value.len() + separator.len()).saturating_mul(count);
    if bytes.saturating_sub(separator.len()) > MAX_BYTES {
        return warned(context, "REPEAT", ErrorCode::ResourceLimit, "resource limit exceeded");
    }
    if bytes == 0 {
        // An empty text stays empty, whatever the count.
        return Ok(Value::from_str(""));
    }
    let mut repeated = TextBuffer::new(context);
    for round in 0..count {
        check_round(context, round)?;
        if round > 0 {
            repeated.push_str(&separator)?;
        }
        repeated.push_str(&value)?;
    }
    repeated.into_value()
}
