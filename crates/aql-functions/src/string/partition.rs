//! `PARTITION()`, documented from ArangoDB 4 on.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{given, invalid, value};
use crate::memory::ArrayBuffer;

/// `PARTITION(value, separator, occurrence)`: the text before the n-th occurrence of the separator,
/// the separator, and the text after it.
///
/// A negative `occurrence` counts from the end.
pub(crate) fn partition(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let occurrence = given(arguments, 2).map_or(Some(1.0), |occurrence| {
        Some(occurrence).filter(|occurrence| occurrence.is_number()).map(Value::to_f64)
    });
    let (Some(text), Some(separator), Some(occurrence)) =
        (value(arguments, 0).as_str(), value(arguments, 1).as_str(), occurrence)
    else {
        return invalid(context, "PARTITION");
    };
    if separator.is_empty() || occurrence == 0.0 || occurrence.fract() != 0.0 {
        return invalid(context, "PARTITION");
    }
    // Casts saturate; there are never that many occurrences.
    let skipped = occurrence.abs() as usize - 1;
    let found = if occurrence > 0.0 {
        text.match_indices(separator).nth(skipped)
    } else {
        text.rmatch_indices(separator).nth(skipped)
    };
    let parts = match found {
        Some((byte, separator)) => {
            let after = text.get(byte + separator.len()..).unwrap_or_default();
            [text.get(..byte).unwrap_or_default(), separator, after]
        }
        None if occurrence > 0.0 => [text, "", ""],
        None => ["", "", text],
    };
    let mut all = ArrayBuffer::new(context);
    parts.iter().try_for_each(|part| all.push_text(part))?;
    all.into_array()
}
