//! JSON built from its parts, without a VelocyPack value in between.

use super::{write, write_f64, write_str, write_u64};
use crate::{Result, Slice, ValueWriter};

/// A writer of one JSON value, as [`crate::Builder`] is one of VelocyPack.
///
/// The caller must close everything that it opens and name each value in an object; names may occur
/// twice. It never fails.
#[derive(Debug, Default)]
pub struct JsonBuilder {
    out: Vec<u8>,
}

impl JsonBuilder {
    /// Creates a builder with room for `bytes` bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        JsonBuilder { out: Vec::with_capacity(bytes) }
    }

    /// Returns the written bytes.
    pub fn into_vec(self) -> Vec<u8> {
        self.out
    }

    /// Returns the buffer for the next value or name, after a comma unless it is the first of its
    /// array or object.
    ///
    /// No value ends with one of the bytes that precede a first one.
    fn next(&mut self) -> &mut Vec<u8> {
        if !matches!(self.out.last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(b',');
        }
        &mut self.out
    }
}

impl ValueWriter for JsonBuilder {
    fn open_object(&mut self) -> Result<()> {
        self.next().push(b'{');
        Ok(())
    }

    fn close_object(&mut self) -> Result<()> {
        self.out.push(b'}');
        Ok(())
    }

    fn open_array(&mut self) -> Result<()> {
        self.next().push(b'[');
        Ok(())
    }

    fn close_array(&mut self) -> Result<()> {
        self.out.push(b']');
        Ok(())
    }

    fn plain_key(&mut self, name: &'static str) -> Result<()> {
        let out = self.next();
        out.push(b'"');
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        Ok(())
    }

    fn add_u64(&mut self, value: u64) -> Result<()> {
        write_u64(value, self.next());
        Ok(())
    }

    fn add_f64(&mut self, value: f64) -> Result<()> {
        write_f64(value, self.next());
        Ok(())
    }

    fn add_str(&mut self, value: &str) -> Result<()> {
        write_str(value, self.next());
        Ok(())
    }

    fn add_slice(&mut self, value: Slice<'_>) -> Result<()> {
        write(value, None, self.next());
        Ok(())
    }
}
