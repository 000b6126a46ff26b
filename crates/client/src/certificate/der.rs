//! Distinguished Encoding Rules (X.690): values with a tag and a length, as far as certificates
//! need them.

/// The tags of values in certificates.
pub(super) const INTEGER: u8 = 0x02;
pub(super) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const UTC_TIME: u8 = 0x17;
pub(super) const GENERALIZED_TIME: u8 = 0x18;

/// A value: its tag and its content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value<'a> {
    pub(super) tag: u8,
    pub(super) content: &'a [u8],
}

impl<'a> Value<'a> {
    /// Returns the values within this one.
    pub(super) fn values(self) -> Values<'a> {
        Values(self.content)
    }
}

/// Values that stand behind each other. It ends at the first one that is broken off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Values<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, mut rest) = rest.split_first()?;
        let length = match first {
            0..=0x7f => usize::from(first),
            // At most four bytes of a length follow.
            0x81..=0x84 => {
                let (bytes, behind) = rest.split_at_checked(usize::from(first & 0x0f))?;
                rest = behind;
                bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte))
            }
            _ => return None,
        };
        let (content, behind) = rest.split_at_checked(length)?;
        self.0 = behind;
        Some(Value { tag, content })
    }
}

impl<'a> Values<'a> {
    /// Returns the content of the next value if it has this tag.
    pub(super) fn tagged(&mut self, tag: u8) -> Option<Value<'a>> {
        self.next().filter(|value| value.tag == tag)
    }
}
