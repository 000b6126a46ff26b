//! `STATE`: how far an archive has come, a JSON object.
//!
//! ```text
//! {"format": 1, "owner": "...", "position": 4294967297, "time": 1795629600000000}
//! ```
//! `owner` is random for each start of the server that writes the archive. The archive has all
//! commits up to `time`, in microseconds since 1970. It covers the positions up to `position`.

use errors::Result;
use velocypack::{Builder, Limits, Slice, json};

const FORMAT: u64 = 1;

/// How far an archive has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArchiveState {
    /// A text that is random for each start of the server that writes the archive.
    pub owner: String,
    /// The last position that the archive covers.
    pub position: u64,
    /// Microseconds since 1970: the archive has all commits up to here.
    pub time: u64,
}

impl ArchiveState {
    /// Parses a state; `None` for damage and newer formats.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let mut value = Builder::new();
        json::parse(text, &Limits::default(), &mut value).ok()?;
        let value = value.as_slice();
        let number = |name: &str| value.get(name).and_then(Slice::as_u64);
        if number("format")? != FORMAT {
            return None;
        }
        Some(ArchiveState {
            owner: value.get("owner")?.as_str()?.to_owned(),
            position: number("position")?,
            time: number("time")?,
        })
    }

    /// Returns the state as JSON.
    pub(super) fn print(&self) -> Result<String> {
        let mut out = Builder::new();
        out.open_object()?;
        out.key("format")?;
        out.add_u64(FORMAT)?;
        out.key("owner")?;
        out.add_str(&self.owner)?;
        out.key("position")?;
        out.add_u64(self.position)?;
        out.key("time")?;
        out.add_u64(self.time)?;
        out.close()?;
        Ok(out.as_slice().to_json_string() + "\n")
    }
}
