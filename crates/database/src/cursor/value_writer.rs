//! Values behind the rows of a reply, written at once in the reply's form.

use velocypack::json::JsonBuilder;
use velocypack::{Builder, Result, Slice};

use crate::cursor::encoder::Format;

/// Writes one value, part by part.
pub(crate) trait ValueWriter {
    fn open_object(&mut self) -> Result<()>;
    fn close_object(&mut self) -> Result<()>;
    fn open_array(&mut self) -> Result<()>;
    fn close_array(&mut self) -> Result<()>;
    /// The name of the value that follows. It has nothing that JSON escapes.
    fn key(&mut self, name: &'static str) -> Result<()>;
    fn add_u64(&mut self, value: u64) -> Result<()>;
    fn add_f64(&mut self, value: f64) -> Result<()>;
    fn add_str(&mut self, value: &str) -> Result<()>;
    /// Any value without an `_id` marker.
    fn add_slice(&mut self, value: Slice<'_>) -> Result<()>;
}

/// Something that can be written as a value.
pub(crate) trait WriteValue {
    fn write(&self, out: &mut impl ValueWriter) -> Result<()>;

    /// The value in the form of a reply; it takes about `room` bytes.
    fn to_bytes(&self, format: Format, room: usize) -> Result<Vec<u8>> {
        match format {
            Format::Json => {
                let mut out = JsonBuilder::with_capacity(room);
                self.write(&mut out)?;
                Ok(out.into_vec())
            }
            Format::VelocyPack => {
                let mut out = Builder::with_capacity(room);
                self.write(&mut out)?;
                Ok(out.into_vec())
            }
        }
    }
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

    fn key(&mut self, name: &'static str) -> Result<()> {
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

impl ValueWriter for JsonBuilder {
    fn open_object(&mut self) -> Result<()> {
        self.open_object();
        Ok(())
    }

    fn close_object(&mut self) -> Result<()> {
        self.close_object();
        Ok(())
    }

    fn open_array(&mut self) -> Result<()> {
        self.open_array();
        Ok(())
    }

    fn close_array(&mut self) -> Result<()> {
        self.close_array();
        Ok(())
    }

    fn key(&mut self, name: &'static str) -> Result<()> {
        self.plain_key(name);
        Ok(())
    }

    fn add_u64(&mut self, value: u64) -> Result<()> {
        self.add_u64(value);
        Ok(())
    }

    fn add_f64(&mut self, value: f64) -> Result<()> {
        self.add_f64(value);
        Ok(())
    }

    fn add_str(&mut self, value: &str) -> Result<()> {
        self.add_str(value);
        Ok(())
    }

    fn add_slice(&mut self, value: Slice<'_>) -> Result<()> {
        self.add_slice(value);
        Ok(())
    }
}
