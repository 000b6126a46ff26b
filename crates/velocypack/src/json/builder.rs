//! JSON from its parts, for what never was a VelocyPack value.

use super::{write, write_f64, write_str, write_u64};
use crate::Slice;

/// Writes one value of JSON, part by part, as [`crate::Builder`] does in VelocyPack. Who calls it sees to it that what
/// is opened is closed, and that each value in an object has a name; names may occur twice.
#[derive(Debug, Default)]
pub struct JsonBuilder {
    out: Vec<u8>,
}

impl JsonBuilder {
    /// A builder with room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        JsonBuilder { out: Vec::with_capacity(bytes) }
    }

    /// Opens an object.
    pub fn open_object(&mut self) {
        self.separate();
        self.out.push(b'{');
    }

    /// Closes the object.
    pub fn close_object(&mut self) {
        self.out.push(b'}');
    }

    /// Opens an array.
    pub fn open_array(&mut self) {
        self.separate();
        self.out.push(b'[');
    }

    /// Closes the array.
    pub fn close_array(&mut self) {
        self.out.push(b']');
    }

    /// The name of the value that follows. It has nothing that JSON escapes.
    pub fn plain_key(&mut self, name: &'static str) {
        self.separate();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    /// Adds a whole number.
    pub fn add_u64(&mut self, value: u64) {
        self.separate();
        write_u64(value, &mut self.out);
    }

    /// Adds a double, as [`write_f64`] does.
    pub fn add_f64(&mut self, value: f64) {
        self.separate();
        write_f64(value, &mut self.out);
    }

    /// Adds a text.
    pub fn add_str(&mut self, value: &str) {
        self.separate();
        write_str(value, &mut self.out);
    }

    /// Adds a value, as [`write()`] does without a collection.
    pub fn add_slice(&mut self, value: Slice<'_>) {
        self.separate();
        write(value, None, &mut self.out);
    }

    /// What was written.
    pub fn into_vec(self) -> Vec<u8> {
        self.out
    }

    /// A comma, unless nothing stands before the next value or name in its array or object: a value ends with none of
    /// these bytes.
    fn separate(&mut self) {
        if !matches!(self.out.last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(b',');
        }
    }
}
