//! Attribute names: the translation of the system attributes, and how names are read and searched.
//!
//! ArangoDB writes the five system attributes as small integers: `_key` 1, `_rev` 2, `_id` 3,
//! `_from` 4, `_to` 5. The sorted index table orders them by their text.

use crate::format::{
    LONG_STRING, LONG_STRING_HEADER, SHORT_STRING, SHORT_STRING_LAST, SHORT_STRING_MAX, SMALL_INT, UINT,
    UINT_LAST, read_unsigned,
};

pub(crate) const KEY: u8 = SMALL_INT + 1;
pub(crate) const REV: u8 = SMALL_INT + 2;
pub(crate) const ID: u8 = SMALL_INT + 3;
pub(crate) const FROM: u8 = SMALL_INT + 4;
pub(crate) const TO: u8 = SMALL_INT + 5;

/// Returns the type byte that stands for a system attribute's name, or `None` for other names.
#[inline]
pub(crate) fn translate(name: &[u8]) -> Option<u8> {
    if name.first() != Some(&b'_') {
        return None;
    }
    match name {
        b"_key" => Some(KEY),
        b"_rev" => Some(REV),
        b"_id" => Some(ID),
        b"_from" => Some(FROM),
        b"_to" => Some(TO),
        _ => None,
    }
}

/// Returns the name that a type byte stands for.
#[inline]
pub(crate) const fn translated(byte: u8) -> Option<&'static str> {
    match byte {
        KEY => Some("_key"),
        REV => Some("_rev"),
        ID => Some("_id"),
        FROM => Some("_from"),
        TO => Some("_to"),
        _ => None,
    }
}

/// Returns the attribute name that `bytes` start with, and the length of its encoding.
#[inline]
pub(crate) fn read_name(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let head = *bytes.first()?;
    match head {
        SHORT_STRING..=SHORT_STRING_LAST => {
            let end = usize::from(head - SHORT_STRING) + 1;
            Some((bytes.get(1..end)?, end))
        }
        KEY..=TO => Some((translated(head)?.as_bytes(), 1)),
        LONG_STRING => {
            let length = usize::try_from(read_unsigned(bytes, 1, 8)?).ok()?;
            let end = length.checked_add(LONG_STRING_HEADER)?;
            Some((bytes.get(LONG_STRING_HEADER..end)?, end))
        }
        UINT..=UINT_LAST => {
            let width = usize::from(head - UINT) + 1;
            let number = read_unsigned(bytes, 1, width)?;
            let name = translated(u8::try_from(number).ok()?.checked_add(SMALL_INT)?)?;
            Some((name.as_bytes(), 1 + width))
        }
        _ => None,
    }
}

/// A name to search for, prepared so that one byte tells most others apart.
#[derive(Clone, Copy)]
pub(crate) struct Probe<'n> {
    name: &'n [u8],
    /// First byte of the name as a short string; 0 when it is too long for one.
    short: u8,
    /// First byte of the translated name; 0 when it has none.
    translated: u8,
}

impl<'n> Probe<'n> {
    #[inline]
    pub(crate) fn new(name: &'n [u8]) -> Self {
        let short = if name.len() <= SHORT_STRING_MAX { SHORT_STRING + name.len() as u8 } else { 0 };
        Probe { name, short, translated: translate(name).unwrap_or(0) }
    }

    pub(crate) fn name(&self) -> &'n [u8] {
        self.name
    }

    /// Returns false if no encoding of this name has the first byte `head`.
    #[inline]
    pub(crate) fn may_start_with(&self, head: u8) -> bool {
        head == self.short || head == self.translated || !(SMALL_INT..LONG_STRING).contains(&head)
    }

    /// Returns the length of the encoded name when `bytes` start with this name.
    #[inline]
    pub(crate) fn matches(&self, bytes: &[u8]) -> Option<usize> {
        let head = *bytes.first()?;
        if head == self.short {
            let end = 1 + self.name.len();
            // Names of the same length tend to differ in their last byte ("street1", "street2").
            let agrees =
                bytes.get(end - 1) == self.name.last().or(Some(&head)) && bytes.get(1..end)? == self.name;
            return agrees.then_some(end);
        }
        if head == self.translated {
            return Some(1);
        }
        if head == LONG_STRING || (UINT..=UINT_LAST).contains(&head) {
            let (name, length) = read_name(bytes)?;
            return (name == self.name).then_some(length);
        }
        None
    }
}
