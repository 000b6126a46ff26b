//! `INTERLEAVE()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{check_round, invalid};
use crate::memory::ArrayBuffer;

/// `INTERLEAVE(array1, array2, ...)`: the first elements of all arrays, then the second ones, and
/// so on.
pub(crate) fn interleave(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    if !arguments.iter().all(Value::is_array) {
        return invalid(context, "INTERLEAVE");
    }
    let mut iterators: Vec<_> = arguments.iter().map(Value::elements).collect();
    let mut interleaved = ArrayBuffer::new(context);
    for round in 0.. {
        check_round(context, round)?;
        let before = interleaved.len();
        for elements in &mut iterators {
            if let Some(element) = elements.next() {
                interleaved.push(element)?;
            }
        }
        if interleaved.len() == before {
            break;
        }
        // An exhausted array is not read again.
        iterators.retain(|elements| elements.size_hint().1 != Some(0));
    }
    interleaved.into_array()
}
