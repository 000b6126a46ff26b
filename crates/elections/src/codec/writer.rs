//! Writes numbers and texts as bytes.

/// Bytes to which values are appended.
#[derive(Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Appends a byte.
    pub(crate) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Appends a number of four bytes.
    pub(crate) fn small(&mut self, number: u32) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// Appends a number of eight bytes.
    pub(crate) fn number(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// Appends a byte that is 0 or 1.
    pub(crate) fn flag(&mut self, flag: bool) {
        self.byte(u8::from(flag));
    }

    /// Appends a flag, and a value if there is one.
    pub(crate) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }

    /// Appends the number of values and the values.
    pub(crate) fn list<T>(
        &mut self,
        values: impl ExactSizeIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.length(values.len());
        for value in values {
            write(self, value);
        }
    }

    /// Appends the length of a text and the text.
    pub(crate) fn text(&mut self, text: &str) {
        self.length(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Returns all bytes.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Appends a length. All lists and texts are bounded far below four bytes.
    fn length(&mut self, length: usize) {
        self.small(u32::try_from(length).unwrap_or(u32::MAX));
    }
}
