//! Random names: UUIDs of version 4 (RFC 9562, section 5.4).

use std::io;

/// The lengths of the groups of digits.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// Returns a random UUID.
pub(super) fn random() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    let number = u128::from_be_bytes(bytes);
    // The version and the variant have places of their own.
    let number = number & !(0xf << 76) | 4 << 76;
    let number = number & !(0b11 << 62) | 0b10 << 62;
    let digits = format!("{number:032x}");
    let mut rest = digits.as_str();
    let mut groups = Vec::with_capacity(GROUPS.len());
    for length in GROUPS {
        let (group, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        groups.push(group);
        rest = after;
    }
    Ok(groups.join("-"))
}

/// Returns true for a UUID in lower case.
pub(super) fn is_one(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.split('-').map(str::len).eq(GROUPS) && text.bytes().all(|byte| byte == b'-' || is_digit(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_names_differ_and_have_the_form() {
        let (one, other) = (random().unwrap(), random().unwrap());
        assert_ne!(one, other);
        for name in [&one, &other] {
            assert!(is_one(name), "{name}");
            assert_eq!(name.as_bytes()[14], b'4', "{name}");
            assert!(b"89ab".contains(&name.as_bytes()[19]), "{name}");
        }
    }

    #[test]
    fn other_texts_are_no_names() {
        assert!(is_one("281ac6d7-2e13-4554-b1ac-4ce619c9c03e"));
        for text in
            ["", "281AC6D7-2e13-4554-b1ac-4ce619c9c03e", "281ac6d72e134554b1ac4ce619c9c03e", "../../../a"]
        {
            assert!(!is_one(text), "{text}");
        }
    }
}
