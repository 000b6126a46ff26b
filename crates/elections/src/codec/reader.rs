//! Reads numbers and texts from bytes.

use crate::member::NUMBER_MAX;

/// The reason why bytes cannot be decoded.
pub(crate) type Reason = &'static str;

/// A position in bytes.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Reason> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or("it ends too early")?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Reason> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or("it ends too early")?;
        self.rest = rest;
        Ok(*taken)
    }

    /// Reads a byte.
    pub(crate) fn byte(&mut self) -> Result<u8, Reason> {
        Ok(self.array::<1>()?[0])
    }

    /// Reads a number of four bytes.
    pub(crate) fn small(&mut self) -> Result<u32, Reason> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Reads any eight bytes.
    pub(crate) fn random(&mut self) -> Result<u64, Reason> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Reads a number of eight bytes. Errors: it is beyond [`NUMBER_MAX`].
    pub(crate) fn number(&mut self) -> Result<u64, Reason> {
        let number = self.random()?;
        if number > NUMBER_MAX { Err("a number is too large") } else { Ok(number) }
    }

    /// Reads a byte that is 0 or 1.
    pub(crate) fn flag(&mut self) -> Result<bool, Reason> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err("a flag is neither 0 nor 1"),
        }
    }

    /// Reads a flag, and a value if it is set.
    pub(crate) fn option<T>(
        &mut self,
        value: impl FnOnce(&mut Self) -> Result<T, Reason>,
    ) -> Result<Option<T>, Reason> {
        if self.flag()? { value(self).map(Some) } else { Ok(None) }
    }

    /// Reads a number of at most this size, as many values, and returns them.
    pub(crate) fn list<T>(
        &mut self,
        most: usize,
        mut value: impl FnMut(&mut Self) -> Result<T, Reason>,
    ) -> Result<Vec<T>, Reason> {
        let length = self.small()? as usize;
        if length > most {
            return Err("a list is too long");
        }
        (0..length).map(|_| value(self)).collect()
    }

    /// Reads a text of at most this many bytes.
    pub(crate) fn text(&mut self, most: usize) -> Result<&'a str, Reason> {
        let length = self.small()? as usize;
        if length > most {
            return Err("a text is too long");
        }
        std::str::from_utf8(self.take(length)?).map_err(|_| "a text is not UTF-8")
    }

    /// Errors: some bytes were not read.
    pub(crate) fn end(self) -> Result<(), Reason> {
        if self.rest.is_empty() { Ok(()) } else { Err("bytes follow its end") }
    }
}
