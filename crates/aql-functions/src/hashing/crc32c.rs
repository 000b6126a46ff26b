//! CRC-32C (Castagnoli): polynomial 0x1EDC6F41 reflected, start and final XOR 0xFFFFFFFF.

use crate::argument::text;
use aql_value::{EvaluationContext, Result, Value};

/// Remainders of all bytes.
const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut remainder = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            remainder = if remainder & 1 == 1 { (remainder >> 1) ^ 0x82f6_3b78 } else { remainder >> 1 };
            bit += 1;
        }
        table[byte] = remainder;
        byte += 1;
    }
    table
}

fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| (crc >> 8) ^ TABLE[usize::from(crc as u8 ^ byte)])
}

/// `CRC32(text)`: the checksum in upper-case hexadecimal digits, without leading zeros.
pub(crate) fn crc32(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_str(&format!("{:X}", crc32c(text(arguments, 0).as_bytes()))))
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
