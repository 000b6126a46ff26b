//! The intervals at which a text index is kept up to date, and the bounds of its writers.

use errors::{Error, Result};

use super::Consolidation;
use crate::properties::{Printer, Properties};

/// The options of the upkeep of a text index. They can change at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maintenance {
    /// Commits between two removals of unused files; 0 for never. Kept and printed only: files are
    /// removed when nobody reads them.
    pub cleanup_interval_step: u64,
    /// Milliseconds until committed documents become visible; 0 for only on demand.
    pub commit_interval_ms: u64,
    /// Milliseconds between two merges of segments; 0 for no merges.
    pub consolidation_interval_ms: u64,
    /// The choice of the segments to merge.
    pub consolidation: Consolidation,
}

impl Default for Maintenance {
    fn default() -> Self {
        Maintenance {
            cleanup_interval_step: 2,
            commit_interval_ms: 1000,
            consolidation_interval_ms: 5000,
            consolidation: Consolidation::default(),
        }
    }
}

impl Maintenance {
    /// Returns these options with those that `properties` sets. Errors: 10.
    pub(crate) fn with(self, properties: Properties<'_>) -> Result<Self> {
        let policy = properties.object("consolidationPolicy")?.map(Consolidation::parse).transpose()?;
        let number = |name: &str, present| Ok::<u64, Error>(properties.unsigned(name)?.unwrap_or(present));
        Ok(Maintenance {
            cleanup_interval_step: number("cleanupIntervalStep", self.cleanup_interval_step)?,
            commit_interval_ms: number("commitIntervalMsec", self.commit_interval_ms)?,
            consolidation_interval_ms: number("consolidationIntervalMsec", self.consolidation_interval_ms)?,
            consolidation: policy.unwrap_or(self.consolidation),
        })
    }

    pub(crate) fn print(&self, printer: &mut Printer<'_>) {
        printer.unsigned("cleanupIntervalStep", self.cleanup_interval_step);
        printer.unsigned("commitIntervalMsec", self.commit_interval_ms);
        printer.unsigned("consolidationIntervalMsec", self.consolidation_interval_ms);
        printer.object("consolidationPolicy", |printer| self.consolidation.print(printer));
    }
}

/// The bounds of the writers of a text index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteBuffers {
    /// Writers that are kept without work. Kept and printed only: a writer lives for one segment.
    pub idle: u64,
    /// Maximum number of concurrent writers; 0 for no bound. Kept and printed only: an index has
    /// one.
    pub active: u64,
    /// Bytes of a writer from which on its segment ends; 0 for the server's own bound.
    pub size_max: u64,
}

impl Default for WriteBuffers {
    fn default() -> Self {
        WriteBuffers { idle: 64, active: 0, size_max: 32 << 20 }
    }
}

impl WriteBuffers {
    /// Reads the options; those that are missing have their defaults. Errors: 10.
    pub(crate) fn parse(properties: Properties<'_>) -> Result<Self> {
        let default = WriteBuffers::default();
        Ok(WriteBuffers {
            idle: properties.unsigned("writebufferIdle")?.unwrap_or(default.idle),
            active: properties.unsigned("writebufferActive")?.unwrap_or(default.active),
            size_max: properties.unsigned("writebufferSizeMax")?.unwrap_or(default.size_max),
        })
    }

    pub(crate) fn print(&self, printer: &mut Printer<'_>) {
        printer.unsigned("writebufferActive", self.active);
        printer.unsigned("writebufferIdle", self.idle);
        printer.unsigned("writebufferSizeMax", self.size_max);
    }
}
