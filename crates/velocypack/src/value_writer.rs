//! Values written part by part, in VelocyPack or in JSON.

use crate::{Builder, Result, Slice};

/// A writer of one value, part by part. In an object each value follows its name.
pub trait ValueWriter {
    /// Opens an object.
    fn open_object(&mut self) -> Result<()>;

    /// Closes the object.
    fn close_object(&mut self) -> Result<()>;

    /// Opens an array.
    fn open_array(&mut self) -> Result<()>;

    /// Closes the array.
    fn close_array(&mut self) -> Result<()>;

    /// Adds the name of the value that follows. It has nothing that JSON escapes.
    fn plain_key(&mut self, name: &'static str) -> Result<()>;

    /// Adds a whole number.
    fn add_u64(&mut self, value: u64) -> Result<()>;

    /// Adds a double.
    fn add_f64(&mut self, value: f64) -> Result<()>;

    /// Adds a text.
    fn add_str(&mut self, value: &str) -> Result<()>;

    /// Adds any value without an `_id` marker.
    fn add_slice(&mut self, value: Slice<'_>) -> Result<()>;
}

impl ValueWriter for Builder {
    fn open_object(&mut self) -> Result<()> {
        self.open_object()
    }

    fn close_object(&mut self) -> Result<()> {
        self.close()
    }

    fn open_array(&mut self) -> Result<()> {
        self.open_array()
    }

    fn close_array(&mut self) -> Result<()> {
        self.close()
    }

    fn plain_key(&mut self, name: &'static str) -> Result<()> {
        self.key(name)
    }

    fn add_u64(&mut self, value: u64) -> Result<()> {
        self.add_u64(value)
    }

    fn add_f64(&mut self, value: f64) -> Result<()> {
        self.add_f64(value)
    }

    fn add_str(&mut self, value: &str) -> Result<()> {
        self.add_str(value)
    }

    fn add_slice(&mut self, value: Slice<'_>) -> Result<()> {
        self.add_slice(value)
    }
}
