//! Rows of a function as one array, for calls that are no loop.

use aql_value::{BoundedBlock, EvaluationContext, Rows, Value};
use errors::Result;

use crate::memory::{MAX_ELEMENTS, too_many_elements};

/// Rows that are read in one step.
const STEP: usize = 1_000;

/// Reads all rows into an array.
///
/// Errors: 1504 for more rows than an array may have, 32 beyond the limit of memory, those of the
/// rows.
pub(super) fn array_of(mut rows: Box<dyn Rows>, context: &mut EvaluationContext<'_>) -> Result<Value> {
    let mut block = BoundedBlock::new(1, context.memory, context.interrupt);
    block.builder().open_array()?;
    let (mut step, mut count) = (Vec::new(), 0);
    loop {
        context.interrupt.check()?;
        rows.next_rows(STEP, &mut step)?;
        if step.is_empty() {
            break;
        }
        count += step.len();
        if count > MAX_ELEMENTS {
            return Err(too_many_elements());
        }
        for row in step.drain(..) {
            block.append(&row)?;
        }
    }
    block.close_array()?;
    block.end_value();
    Ok(block.into_value())
}
