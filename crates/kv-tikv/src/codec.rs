//! The form in which PD and the stores know the bounds of regions.
//!
//! A key is cut into groups of eight bytes, the last one padded with zeros. Each group is followed
//! by 255 minus the number of padding zeros. So no encoded key is a prefix of another, and they
//! keep the order of the keys.

const GROUP_BYTES: usize = 8;

/// Encodes a key.
pub(crate) fn encode(key: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity((key.len() / GROUP_BYTES + 1) * (GROUP_BYTES + 1));
    let mut rest = key;
    loop {
        let taken = rest.len().min(GROUP_BYTES);
        let (group, behind) = rest.split_at(taken);
        encoded.extend_from_slice(group);
        encoded.resize(encoded.len() + GROUP_BYTES - taken, 0);
        encoded.push(u8::MAX - (GROUP_BYTES - taken) as u8);
        if taken < GROUP_BYTES {
            return encoded;
        }
        rest = behind;
    }
}

/// Returns the length of the longest key whose encoded form has at most so many bytes.
pub(crate) fn decoded_bytes_max(encoded_bytes_max: usize) -> usize {
    // The last group is not full.
    (encoded_bytes_max / (GROUP_BYTES + 1) * GROUP_BYTES).saturating_sub(1)
}

/// Encodes the end of a range, where no bytes mean that there is none.
pub(crate) fn encode_end(end: &[u8]) -> Vec<u8> {
    if end.is_empty() { Vec::new() } else { encode(end) }
}

/// Decodes a bound of a region. A bound that is not an encoded key is truncated where the encoding
/// ends, so that no key between two encoded ones is lost.
pub(crate) fn decode(encoded: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(encoded.len());
    for chunk in encoded.chunks(GROUP_BYTES + 1) {
        let Some((marker, group)) = chunk.split_last().filter(|_| chunk.len() == GROUP_BYTES + 1) else {
            key.extend_from_slice(chunk);
            return key;
        };
        let filling = usize::from(u8::MAX - *marker).min(GROUP_BYTES);
        key.extend_from_slice(group.get(..GROUP_BYTES - filling).unwrap_or_default());
        if filling > 0 {
            return key;
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_come_back() {
        let keys: [&[u8]; 9] = [
            b"",
            b"\0",
            b"a",
            b"a\0",
            b"abcdefg",
            b"abcdefgh",
            b"abcdefgh\0",
            b"abcdefghi",
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        ];
        let encoded: Vec<Vec<u8>> = keys.iter().map(|key| encode(key)).collect();
        assert!(encoded.is_sorted());
        assert_eq!(encode(b"t"), b"t\0\0\0\0\0\0\0\xf8");
        for (key, encoded) in keys.iter().zip(&encoded) {
            assert_eq!(decode(encoded), *key);
        }
        assert_eq!(decode(b""), b"");
    }

    #[test]
    fn the_longest_key_fits() {
        for limit in [9, 17, 18, 8192] {
            let longest = decoded_bytes_max(limit);
            let encoded = |bytes: usize| encode(&vec![b'a'; bytes]).len();
            assert!(encoded(longest) <= limit && encoded(longest + 1) > limit, "{limit}");
        }
    }
}
