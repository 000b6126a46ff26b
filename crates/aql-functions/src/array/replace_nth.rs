//! `REPLACE_NTH()`.

use crate::argument::{
    MAX_ELEMENTS, Scratch, build_array, integer, invalid, invalid_error, too_many_elements, value,
};
use aql_value::{EvaluationContext, Result, Value};

/// `REPLACE_NTH(anyArray, position, replaceValue, defaultPaddingValue)`: negative positions count from the end and
/// reach at most to the start. A position beyond the end appends, after padding; where padding is needed and not
/// given the query ends with error 1542.
pub(crate) fn replace_nth(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (array, replacement, padding) = (value(arguments, 0), value(arguments, 2), arguments.get(3));
    if !array.is_array() || !value(arguments, 1).is_number() {
        return invalid(context, "REPLACE_NTH");
    }
    let length = array.len();
    let position = integer(arguments, 1);
    let position = if position < 0 { position.saturating_add(length as i64).max(0) } else { position };
    let position = usize::try_from(position).unwrap_or(usize::MAX);
    if position < length {
        let elements = array.elements().enumerate();
        let replaced =
            elements.map(|(index, element)| if index == position { replacement.clone() } else { element });
        return build_array(context, &replaced.collect::<Vec<_>>());
    }
    if position >= MAX_ELEMENTS {
        return Err(too_many_elements());
    }
    let mut elements: Vec<Value> = array.elements().collect();
    if position > length {
        let padding = padding.ok_or_else(|| invalid_error("REPLACE_NTH"))?;
        let mut scratch = Scratch::new(context.memory);
        scratch.grow((position - length) * size_of::<Value>())?;
        elements.resize(position, padding.clone());
    }
    elements.push(replacement.clone());
    build_array(context, &elements)
}
