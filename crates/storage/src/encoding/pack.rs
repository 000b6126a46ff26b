//! Small records of fixed-size numbers after a format byte.

use errors::{Error, ErrorCode, Result};

/// The format of all data in the engine. The store refuses data of a later format.
pub(crate) const STORE_FORMAT: u8 = 1;

/// Encodes a format byte and numbers, little-endian.
pub(crate) fn numbers(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1 + numbers.len() * 8);
    bytes.push(STORE_FORMAT);
    for number in numbers {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes
}

/// Reads exactly `N` numbers.
///
/// Errors: 35 for a newer format, 1102 for another length.
pub(crate) fn read_numbers<const N: usize>(bytes: &[u8], what: &str) -> Result<[u64; N]> {
    let mut numbers = [0; N];
    let chunks = chunks(bytes)?;
    if chunks.len() != N {
        return Err(Error::corrupt(format!("the {what} record has {} bytes", bytes.len())));
    }
    for (number, chunk) in numbers.iter_mut().zip(chunks) {
        *number = u64::from_le_bytes(*chunk);
    }
    Ok(numbers)
}

/// Reads all numbers of a record.
///
/// Errors: 35 for a newer format, 1102 for a length that is not a multiple of a number's.
pub(crate) fn read_all_numbers(bytes: &[u8]) -> Result<Vec<u64>> {
    Ok(chunks(bytes)?.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect())
}

fn chunks(bytes: &[u8]) -> Result<&[[u8; 8]]> {
    let Some((format, rest)) = bytes.split_first() else {
        return Err(Error::corrupt("a record of numbers is empty"));
    };
    check_format(*format)?;
    match rest.as_chunks::<8>() {
        (chunks, []) => Ok(chunks),
        _ => Err(Error::corrupt(format!("a record of numbers has {} bytes", bytes.len()))),
    }
}

/// Checks that this version reads the format.
///
/// Errors: 35 otherwise.
pub(crate) fn check_format(format: u8) -> Result<()> {
    if format == STORE_FORMAT {
        return Ok(());
    }
    let message = format!(
        "incompatible server version: the data have format {format}, this version reads format {STORE_FORMAT}; \
         start the version that wrote them, or dump and restore"
    );
    Err(Error::new(ErrorCode::IncompatibleVersion, message))
}
