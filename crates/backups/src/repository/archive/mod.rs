//! Archives of change logs in a repository, next to the backups.
//!
//! ```text
//! logs/SERVER-LOG/STATE                      how far the archive has come ([`state`])
//! logs/SERVER-LOG/FIRST-LAST-TIME.segment    a segment ([`segment`])
//! ```
//! `SERVER` and `LOG` have 16 hexadecimal digits, the numbers in the names of segments 20 decimal
//! ones. Each segment covers all positions from `FIRST` to `LAST`, and begins where the one before
//! it ends. A hole between two segments is a gap: the server removed that part of its log before it
//! was archived. A segment is complete as soon as it is visible, and never changes.

mod chain;
mod name;
mod prune;
mod segment;
mod state;

use std::collections::BTreeMap;

use encryption::MasterKey;
use errors::{Error, ErrorCode, Result};

use super::Repository;
use super::place::Piece;
use crate::log_position::LogId;

pub use chain::{LogChain, RestorableSpan};
pub use name::SegmentName;
pub use segment::{LogRecord, Segment, SegmentWriter};
pub use state::ArchiveState;

/// The folder of all logs.
const LOGS: &str = "logs";
const SEGMENT_EXTENSION: &str = ".segment";
const STATE: &str = "STATE";

/// The archive of one log.
#[derive(Clone, Debug, Default)]
pub struct ArchivedLog {
    /// The segments, in order.
    pub segments: Vec<SegmentName>,
    /// How far the archive has come; `None` before the first segment is complete.
    pub state: Option<ArchiveState>,
}

impl Repository {
    /// Returns the archives of all logs.
    ///
    /// Errors: 7008 if the repository cannot be read.
    pub fn logs(&self) -> Result<BTreeMap<LogId, ArchivedLog>> {
        let mut logs: BTreeMap<LogId, ArchivedLog> = BTreeMap::new();
        for piece in self.pieces_of(LOGS)? {
            let Some((log, name)) = place_of(&piece.name) else { continue };
            let archived = logs.entry(log).or_default();
            match name.strip_suffix(SEGMENT_EXTENSION).and_then(SegmentName::parse) {
                Some(segment) => archived.segments.push(segment),
                None if name == STATE => archived.state = self.archive_state(log)?,
                None => {}
            }
        }
        logs.values_mut().for_each(|archived| archived.segments.sort());
        Ok(logs)
    }

    /// Returns the segments of one log, in order.
    ///
    /// Errors: 7008 if the repository cannot be read.
    pub fn segments(&self, log: LogId) -> Result<Vec<SegmentName>> {
        let pieces = self.pieces_of(&folder_of(log))?;
        let names = pieces.iter().filter_map(|piece| place_of(&piece.name));
        let segments =
            names.filter_map(|(_, name)| SegmentName::parse(name.strip_suffix(SEGMENT_EXTENSION)?));
        let mut segments: Vec<SegmentName> = segments.collect();
        segments.sort();
        Ok(segments)
    }

    /// Returns how far the archive of a log has come.
    ///
    /// Errors: 7008 if the repository cannot be read, or if the state is damaged.
    pub fn archive_state(&self, log: LogId) -> Result<Option<ArchiveState>> {
        let code = ErrorCode::RemoteRepositoryConfigBad;
        let name = format!("{}/{STATE}", folder_of(log));
        let text = self.place.read(&name).map_err(self.fault(code, "reading", &name))?;
        let damaged = || {
            let address = self.place.address(&name);
            Error::new(code, format!("{address} is damaged, or written by a newer version"))
        };
        text.map(|text| ArchiveState::parse(&text).ok_or_else(damaged)).transpose()
    }

    /// Writes how far the archive of a log has come.
    ///
    /// Errors: 7005 if it cannot be written.
    pub fn put_archive_state(&self, log: LogId, state: &ArchiveState) -> Result<()> {
        let name = format!("{}/{STATE}", folder_of(log));
        let written = self.place.write(&name, state.print()?.as_bytes());
        written.map_err(self.fault(ErrorCode::FailedToUploadBackup, "writing", &name))
    }

    /// Writes a segment that covers the positions from `first` to `last`, encrypted if there is a
    /// key. Returns its name and its bytes.
    ///
    /// Errors: 7005 if it cannot be written, 7004 if the disk is full.
    pub fn put_segment(
        &self,
        log: LogId,
        (first, last): (u64, u64),
        writer: &SegmentWriter,
        encryption: Option<&MasterKey>,
    ) -> Result<(SegmentName, u64)> {
        let segment = SegmentName { first, last, time: writer.time() };
        let content = writer.finish(log, (first, last), encryption)?;
        let name = segment_path(log, &segment);
        let written = self.place.write(&name, &content);
        written.map_err(self.fault(ErrorCode::FailedToUploadBackup, "writing", &name))?;
        Ok((segment, content.len() as u64))
    }

    /// Reads and checks a segment, by a key if it is encrypted.
    ///
    /// Errors: 7006 if it is damaged, missing or cannot be read.
    pub fn segment(
        &self,
        log: LogId,
        segment: &SegmentName,
        encryption: Option<&MasterKey>,
    ) -> Result<Segment> {
        self.read_segment(log, segment, |content| Segment::read(content, log, segment, encryption))
    }

    /// Checks a segment, as far as that is possible without a key.
    ///
    /// Errors: 7006 if it is damaged, missing or cannot be read.
    pub(super) fn check_segment(&self, log: LogId, segment: &SegmentName) -> Result<()> {
        self.read_segment(log, segment, |content| Segment::check(content, log, segment))
    }

    fn read_segment<T>(
        &self,
        log: LogId,
        segment: &SegmentName,
        read: impl FnOnce(&[u8]) -> std::result::Result<T, String>,
    ) -> Result<T> {
        let code = ErrorCode::FailedToDownloadBackup;
        let name = segment_path(log, segment);
        let content = self.place.read(&name).map_err(self.fault(code, "reading", &name))?;
        let content = content.ok_or_else(|| "is damaged: it is missing".to_owned());
        let read = content.and_then(|content| read(&content));
        read.map_err(|fault| Error::new(code, format!("{} {fault}", self.place.address(&name))))
    }

    /// Returns the pieces below a folder, which need not exist.
    fn pieces_of(&self, folder: &str) -> Result<Vec<Piece>> {
        match self.place.list(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            pieces => {
                let code = ErrorCode::RemoteRepositoryConfigBad;
                pieces.map_err(self.fault(code, "reading", folder))
            }
        }
    }
}

/// Returns the log and the name within its folder of a piece below [`LOGS`].
fn place_of(piece: &str) -> Option<(LogId, &str)> {
    let (log, name) = piece.strip_prefix(LOGS)?.strip_prefix('/')?.split_once('/')?;
    Some((LogId::parse(log)?, name))
}

fn folder_of(log: LogId) -> String {
    format!("{LOGS}/{log}")
}

fn segment_path(log: LogId, segment: &SegmentName) -> String {
    format!("{}/{segment}{SEGMENT_EXTENSION}", folder_of(log))
}

#[cfg(test)]
mod tests;
