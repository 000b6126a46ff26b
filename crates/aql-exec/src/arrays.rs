//! Arrays that may have millions of elements.

use aql_value::{BlockBuilder, Interrupt, ThreadMeter, Value};
use errors::Result;
use velocypack::Builder;

/// The bytes of an array that are harmless.
const UNCHECKED_BYTES: usize = 64 << 10;

/// Elements between two checks of the interrupt.
const ELEMENTS_PER_CHECK: usize = 1 << 16;

/// Creates an array of the values.
///
/// Errors: 1500 if the query is killed during this, 32 if the array would be 4 GiB or longer.
pub(crate) fn array_of(values: &[Value], interrupt: &Interrupt) -> Result<Value> {
    if values.is_empty() {
        return Ok(Value::empty_array());
    }
    let bytes = values.iter().map(Value::memory_bytes).sum();
    ThreadMeter::check_room(bytes)?;
    let mut block = BlockBuilder::new(1);
    block.builder().reserve(bytes);
    block.builder().open_array()?;
    for chunk in values.chunks(ELEMENTS_PER_CHECK) {
        interrupt.check()?;
        chunk.iter().try_for_each(|value| value.append_to(block.builder()))?;
    }
    block.builder().close()?;
    block.end_value();
    Ok(block.finish().pop().unwrap_or_default())
}

/// Appends an array of the values to `out`. Errors: 32 if there is no room for it.
pub(crate) fn append_array(values: &[Value], out: &mut Builder) -> Result<()> {
    let bytes = values.iter().map(Value::memory_bytes).sum::<usize>();
    if bytes > UNCHECKED_BYTES {
        ThreadMeter::check_room(bytes)?;
        out.reserve(bytes);
    }
    out.open_array()?;
    values.iter().try_for_each(|value| value.append_to(out))?;
    Ok(out.close()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_all_elements_in_order() {
        for count in [0, 1, ELEMENTS_PER_CHECK + 1] {
            let values: Vec<Value> = (0..count as i64).map(Value::Int).collect();
            assert_eq!(array_of(&values, &Interrupt::new()).unwrap(), Value::array(&values));
        }
    }

    #[test]
    fn ends_when_the_query_does() {
        let interrupt = Interrupt::new();
        interrupt.kill();
        assert_eq!(array_of(&[Value::Null], &interrupt).unwrap_err().number(), 1500);
    }
}
