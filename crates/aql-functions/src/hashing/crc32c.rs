//! `CRC32()`, which is CRC-32C (Castagnoli).

use aql_value::{EvaluationContext, Value};
use crc32c::crc32c;
use errors::Result;

use crate::argument::text;

/// `CRC32(text)`: the checksum in upper-case hexadecimal digits, without leading zeros.
pub(crate) fn crc32(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_str(&format!("{:X}", crc32c(text(arguments, 0, context)?.as_bytes()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_values() {
        // The check value of the catalogue of CRC algorithms.
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(b""), 0);
        assert_eq!(crc32c(b"foobar"), 0x0d5f_5c7f);
    }
}
