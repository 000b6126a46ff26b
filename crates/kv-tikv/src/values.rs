//! The form of values in the cluster.
//!
//! Some implementations of the protocol do not distinguish an empty value from an absent one, and
//! clients of TiDB never write one. So a value without bytes, or of zeros only, has one more zero.

/// Returns the stored form of a value.
pub(crate) fn encode(value: &[u8]) -> Vec<u8> {
    let mut stored = Vec::with_capacity(value.len() + 1);
    stored.extend_from_slice(value);
    if is_zeros(value) {
        stored.push(0);
    }
    stored
}

/// Returns the value of a stored form.
pub(crate) fn decode(stored: &[u8]) -> &[u8] {
    match stored.split_last() {
        Some((_, value)) if is_zeros(stored) => value,
        _ => stored,
    }
}

fn is_zeros(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_and_none_is_empty() {
        for value in [&b""[..], b"\0", b"\0\0", b"\0a", b"a\0", b"abc"] {
            let stored = encode(value);
            assert!(!stored.is_empty());
            assert_eq!(decode(&stored), value);
        }
    }
}
