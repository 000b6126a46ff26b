//! `REPLACE_NTH()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{array_expected, integer, invalid, invalid_error, value};
use crate::memory::{ArrayBuffer, MAX_ELEMENTS, too_many_elements};

/// `REPLACE_NTH(anyArray, position, replaceValue, defaultPaddingValue)`: the array with one element
/// replaced.
///
/// Negative positions count from the end and reach at most to the start. A position beyond the end
/// appends, after padding. Without a padding value that is needed, the query ends with error 1542.
pub(crate) fn replace_nth(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (array, replacement, padding) = (value(arguments, 0), value(arguments, 2), arguments.get(3));
    if !array.is_array() {
        return array_expected(context, "REPLACE_NTH");
    }
    if !value(arguments, 1).is_number() {
        return invalid(context, "REPLACE_NTH");
    }
    let length = array.len();
    let position = integer(arguments, 1);
    let position = if position < 0 { position.saturating_add(length as i64).max(0) } else { position };
    let position = usize::try_from(position).unwrap_or(usize::MAX);
    if position >= MAX_ELEMENTS.max(length) {
        return Err(too_many_elements());
    }
    let at = |index: usize, element: Value| if index == position { replacement.clone() } else { element };
    let kept = array.elements().enumerate().map(|(index, element)| at(index, element));
    let mut elements = ArrayBuffer::collect(context, kept)?;
    if position > length {
        let padding = padding.ok_or_else(|| invalid_error("REPLACE_NTH"))?;
        elements.extend(context, std::iter::repeat_n(padding.clone(), position - length))?;
    }
    if position >= length {
        elements.push(replacement.clone())?;
    }
    elements.into_array()
}
