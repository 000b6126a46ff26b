//! The entries of a tail, in JSON lines or as VelocyPack objects one after another.

use errors::Result;
use velocypack::{Builder, Slice, json};

/// The entries that a tail has so far.
pub(super) enum TailEntries {
    /// One JSON object a line.
    Lines(Vec<u8>),
    /// VelocyPack objects, and the one that is open.
    VelocyPack(Vec<u8>, Builder),
}

impl TailEntries {
    pub(super) fn new(velocypack: bool) -> Self {
        match velocypack {
            true => TailEntries::VelocyPack(Vec::new(), Builder::new()),
            false => TailEntries::Lines(Vec::new()),
        }
    }

    /// Returns the bytes of the entries that have ended.
    pub(super) fn len(&self) -> usize {
        match self {
            TailEntries::Lines(bytes) | TailEntries::VelocyPack(bytes, _) => bytes.len(),
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        match self {
            TailEntries::Lines(bytes) | TailEntries::VelocyPack(bytes, _) => bytes,
        }
    }

    /// Begins an entry. Its other attributes follow, then [`TailEntries::end`].
    pub(super) fn begin(&mut self, tick: u64, kind: u64) -> Result<()> {
        match self {
            TailEntries::Lines(lines) => {
                lines.extend_from_slice(format!("{{\"tick\":\"{tick}\",\"type\":{kind}").as_bytes());
            }
            TailEntries::VelocyPack(_, builder) => {
                builder.open_object()?;
                builder.key("tick")?;
                builder.add_str(&tick.to_string())?;
                builder.key("type")?;
                builder.add_u64(kind)?;
            }
        }
        Ok(())
    }

    pub(super) fn text(&mut self, name: &str, value: &str) -> Result<()> {
        match self {
            TailEntries::Lines(lines) => {
                lines.extend_from_slice(format!(",\"{name}\":").as_bytes());
                json::write_str(value, lines);
            }
            TailEntries::VelocyPack(_, builder) => {
                builder.key(name)?;
                builder.add_str(value)?;
            }
        }
        Ok(())
    }

    /// Adds `data`. `collection` resolves the `_id` of a document.
    pub(super) fn data(&mut self, data: Slice<'_>, collection: Option<&str>) -> Result<()> {
        match self {
            TailEntries::Lines(lines) => {
                lines.extend_from_slice(b",\"data\":");
                json::write(data, collection, lines);
            }
            TailEntries::VelocyPack(_, builder) => {
                builder.key("data")?;
                builder.add_resolved(data, collection)?;
            }
        }
        Ok(())
    }

    pub(super) fn end(&mut self) -> Result<()> {
        match self {
            TailEntries::Lines(lines) => lines.extend_from_slice(b"}\n"),
            TailEntries::VelocyPack(bytes, builder) => {
                builder.close()?;
                bytes.extend_from_slice(std::mem::take(builder).as_slice().bytes());
            }
        }
        Ok(())
    }
}
