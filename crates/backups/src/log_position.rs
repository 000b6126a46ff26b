//! Change logs, and the place of a backup in one.

use std::fmt;

use velocypack::{Builder, Slice};

/// The identity of a change log: the server that writes it, and the random number of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogId {
    /// The number of the server.
    pub server: u64,
    /// The number of the log, which no other log has.
    pub log: u64,
}

/// The place of a backup in the change log of its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPosition {
    /// The log.
    pub id: LogId,
    /// The backup has all commits below this position.
    pub complete: u64,
    /// The backup has no commit from this position on.
    pub end: u64,
    /// The time in microseconds since 1970. The backup has no later commit.
    pub time: u64,
}

impl LogId {
    /// Reads a name as it is printed.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (server, log) = text.split_once('-').filter(|_| text.len() == 33)?;
        let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
        Some(LogId { server: number(server)?, log: number(log)? })
    }
}

impl fmt::Display for LogId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}-{:016x}", self.server, self.log)
    }
}

impl LogPosition {
    /// Reads the attribute `log` of a manifest; `None` for damage.
    pub(crate) fn from_value(value: Slice<'_>) -> Option<Self> {
        let number = |name: &str| value.get(name)?.as_u64();
        Some(LogPosition {
            id: LogId::parse(value.get("id")?.as_str()?)?,
            complete: number("complete")?,
            end: number("end")?,
            time: number("time")?,
        })
    }

    /// Appends the attributes to an object.
    pub(crate) fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("id")?;
        out.add_str(&self.id.to_string())?;
        for (name, number) in [("complete", self.complete), ("end", self.end), ("time", self.time)] {
            out.key(name)?;
            out.add_u64(number)?;
        }
        Ok(())
    }
}
