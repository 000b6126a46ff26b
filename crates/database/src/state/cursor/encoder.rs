//! Encoding of rows into the body of a reply, once: these bytes go to the socket.
//!
//! A body is opened (`{"result":[`), takes rows, and is closed with the attributes that are known
//! only at the end. In between it may wait in memory or in a file ([`EncodedRows`]). It is never
//! parsed again, and never copied in JSON. Closing a VelocyPack body copies it once, because the
//! length of the array of rows precedes it.

use std::sync::Arc;

use aql_value::{Charge, MemoryAccount};
use errors::Result;
use velocypack::{Builder, Slice, json};

/// The format in which a client wants its replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `application/json`.
    Json,
    /// `application/x-velocypack`.
    VelocyPack,
}

/// One reply being written. See the module's documentation.
#[derive(Debug)]
pub struct RowEncoder {
    body: Body,
    rows: usize,
    bytes_max: usize,
    memory: Charge,
}

/// The bounds of one batch of rows.
#[derive(Clone, Debug)]
pub struct BatchLimits {
    /// The bytes after which a batch takes no further row.
    pub bytes_max: usize,
    /// The account to which the bytes of a batch are charged. If it is exhausted, a batch takes no
    /// further row.
    pub memory: Arc<MemoryAccount>,
}

/// The minimum number of bytes in one charge of a batch. A shorter batch is not counted.
const CHARGE_STEP_BYTES: u64 = 64 << 10;

#[derive(Debug)]
enum Body {
    /// The reply up to its last row.
    Json(Vec<u8>),
    /// The open array of rows.
    VelocyPack(Builder),
}

/// Rows that wait for their reply, in the form in which they are sent.
#[derive(Debug)]
pub struct EncodedRows {
    /// JSON: the reply up to its last row. VelocyPack: the array of rows.
    pub bytes: Vec<u8>,
    /// The format of `bytes`.
    pub format: Format,
    /// The number of rows in `bytes`.
    pub rows: usize,
    /// The memory of `bytes`, until something else accounts for them.
    pub memory: Option<Charge>,
}

/// The value of an attribute that follows the rows.
#[derive(Clone, Copy, Debug)]
pub enum Field<'a> {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Number(u64),
    /// A whole number as text.
    NumberText(u64),
    /// Text.
    Text(&'a str),
    /// A value that is already encoded in the reply's format.
    Written(&'a [u8]),
}

const JSON_OPEN: &[u8] = b"{\"result\":[";

impl RowEncoder {
    /// Opens a body in the memory `reuse`, whose contents are discarded.
    pub fn new(format: Format, mut reuse: Vec<u8>, limits: &BatchLimits) -> Result<Self> {
        reuse.clear();
        let body = match format {
            Format::Json => {
                reuse.extend_from_slice(JSON_OPEN);
                Body::Json(reuse)
            }
            Format::VelocyPack => {
                let mut builder = Builder::from_vec(reuse);
                builder.open_array()?;
                Body::VelocyPack(builder)
            }
        };
        let memory = Charge::new(Arc::clone(&limits.memory));
        Ok(RowEncoder { body, rows: 0, bytes_max: limits.bytes_max, memory })
    }

    /// Appends a row in VelocyPack; `collection` resolves its `_id` marker.
    pub fn push(&mut self, row: Slice<'_>, collection: Option<&str>) -> Result<()> {
        match &mut self.body {
            Body::Json(out) => {
                if self.rows > 0 {
                    out.push(b',');
                }
                json::write(row, collection, out);
            }
            Body::VelocyPack(builder) => builder.add_resolved(row, collection)?,
        }
        self.rows += 1;
        Ok(())
    }

    /// Appends a row that is an AQL value.
    pub fn push_value(&mut self, row: &aql_value::Value) -> Result<()> {
        match &mut self.body {
            Body::Json(out) => {
                if self.rows > 0 {
                    out.push(b',');
                }
                row.write_json(out);
                self.rows += 1;
                Ok(())
            }
            Body::VelocyPack(_) => row.with_slice(|slice, collection| self.push(slice, collection)),
        }
    }

    /// Returns true if the batch may take another row. Each batch takes at least one.
    pub fn has_room(&mut self) -> bool {
        let bytes = self.size_bytes();
        if self.rows == 0 {
            return true;
        }
        if bytes >= self.bytes_max {
            return false;
        }
        // A buffer doubles when it is full.
        let missing = (2 * bytes as u64).saturating_sub(self.memory.bytes());
        missing <= CHARGE_STEP_BYTES || self.memory.grow(missing).is_ok()
    }

    /// Returns the number of rows so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of bytes so far.
    pub fn size_bytes(&self) -> usize {
        match &self.body {
            Body::Json(out) => out.len(),
            Body::VelocyPack(builder) => builder.len_bytes(),
        }
    }

    /// Returns the rows without the attributes that follow them, to be kept until they are fetched.
    pub fn into_rows(self) -> Result<EncodedRows> {
        let (format, bytes) = match self.body {
            Body::Json(out) => (Format::Json, out),
            Body::VelocyPack(mut builder) => {
                builder.close()?;
                (Format::VelocyPack, builder.into_vec())
            }
        };
        Ok(EncodedRows { bytes, format, rows: self.rows, memory: Some(self.memory) })
    }
}

impl EncodedRows {
    /// Closes the reply with the attributes that follow the rows, and returns its bytes.
    pub fn finish(self, fields: &[(&str, Field<'_>)]) -> Result<Vec<u8>> {
        match self.format {
            Format::Json => {
                let mut out = self.bytes;
                close_json(&mut out, fields);
                Ok(out)
            }
            Format::VelocyPack => close_velocypack(Slice::new(&self.bytes), fields),
        }
    }
}

fn close_json(out: &mut Vec<u8>, fields: &[(&str, Field<'_>)]) {
    out.push(b']');
    for (name, field) in fields {
        out.extend_from_slice(b",\"");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        match *field {
            Field::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
            Field::Number(value) => json::write_u64(value, out),
            Field::NumberText(value) => {
                out.push(b'"');
                json::write_u64(value, out);
                out.push(b'"');
            }
            Field::Text(value) => json::write_str(value, out),
            Field::Written(value) => out.extend_from_slice(value),
        }
    }
    out.push(b'}');
}

fn close_velocypack(rows: Slice<'_>, fields: &[(&str, Field<'_>)]) -> Result<Vec<u8>> {
    let mut builder = Builder::with_capacity(rows.byte_len() + 1_024);
    builder.open_object()?;
    builder.key("result")?;
    builder.add_slice(rows)?;
    for (name, field) in fields {
        builder.key(name)?;
        match *field {
            Field::Bool(value) => builder.add_bool(value),
            Field::Number(value) => builder.add_u64(value),
            Field::NumberText(value) => builder.add_str(&value.to_string()),
            Field::Text(value) => builder.add_str(value),
            Field::Written(value) => builder.add_slice(Slice::new(value)),
        }?;
    }
    builder.close()?;
    Ok(builder.into_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoder(bytes_max: usize, memory: u64) -> (RowEncoder, Arc<MemoryAccount>) {
        let memory = Arc::new(MemoryAccount::new(Some(memory), None));
        let limits = BatchLimits { bytes_max, memory: Arc::clone(&memory) };
        (RowEncoder::new(Format::Json, Vec::new(), &limits).unwrap(), memory)
    }

    fn rows_until_full(encoder: &mut RowEncoder) -> usize {
        let row = aql_value::Value::from_str(&"x".repeat(100_000));
        while encoder.has_room() {
            encoder.push_value(&row).unwrap();
        }
        encoder.rows()
    }

    #[test]
    fn a_batch_ends_when_it_is_long_or_has_no_memory() {
        assert_eq!(rows_until_full(&mut encoder(250_000, 1 << 30).0), 3);
        assert_eq!(rows_until_full(&mut encoder(1 << 30, 450_000).0), 3);
        assert_eq!(rows_until_full(&mut encoder(0, 0).0), 1, "each batch has a row");
    }

    #[test]
    fn memory_is_charged_as_long_as_the_rows_are_there() {
        let (mut encoder, memory) = encoder(1 << 20, 1 << 30);
        rows_until_full(&mut encoder);
        let rows = encoder.into_rows().unwrap();
        assert!(memory.used_bytes() > 1 << 20);
        drop(rows);
        assert_eq!(memory.used_bytes(), 0);
    }
}
