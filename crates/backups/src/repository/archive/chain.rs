//! The segments that continue a backup, up to the first gap.

use super::{ArchivedLog, SegmentName};
use crate::id::BackupId;
use crate::log_position::{LogId, LogPosition};
use crate::manifest::Manifest;
use crate::repository::Repository;

/// The archived log behind a backup, without gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogChain {
    /// The segments, in order. The first one may begin before the backup.
    pub segments: Vec<SegmentName>,
    /// The position after the last one that the chain covers.
    pub end: u64,
    /// Microseconds since 1970: all commits up to here are in the chain.
    pub time: u64,
    /// The first and the last position of the part that is missing behind the chain.
    pub gap: Option<(u64, u64)>,
}

/// The moments that can be restored from backups of one log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestorableSpan {
    /// The log.
    pub log: LogId,
    /// The first backup of the span.
    pub backup: BackupId,
    /// The place of that backup.
    pub begin: LogPosition,
    /// The log behind it.
    pub chain: LogChain,
}

impl ArchivedLog {
    /// Returns what the archive has behind a backup.
    pub fn chain(&self, backup: &LogPosition) -> LogChain {
        let mut chain = LogChain { end: backup.complete, time: backup.time, ..LogChain::default() };
        for segment in self.segments.iter().filter(|segment| segment.last >= backup.complete) {
            if segment.first > chain.end {
                chain.gap = Some((chain.end, segment.first - 1));
                return chain;
            }
            chain.end = chain.end.max(segment.last.saturating_add(1));
            chain.time = chain.time.max(segment.time);
            chain.segments.push(*segment);
        }
        if let Some(state) = &self.state {
            if state.position >= chain.end {
                chain.gap = Some((chain.end, state.position));
            } else {
                chain.time = chain.time.max(state.time);
            }
        }
        chain
    }
}

impl Repository {
    /// Returns the moments that can be restored, in the order of their first backups.
    ///
    /// Errors: 7008 if the repository cannot be read, 7001 for damaged manifests.
    pub fn restorable_spans(&self) -> errors::Result<Vec<RestorableSpan>> {
        let logs = self.logs()?;
        let mut spans: Vec<RestorableSpan> = Vec::new();
        for Manifest { id, log, .. } in self.list()? {
            let Some(begin) = log else { continue };
            let chain = logs.get(&begin.id).map(|archived| archived.chain(&begin)).unwrap_or_default();
            let is_within = |span: &RestorableSpan| span.log == begin.id && begin.end <= span.chain.end;
            // Without segments, the backup alone is a moment.
            if chain.end >= begin.end && !spans.iter().any(is_within) {
                spans.push(RestorableSpan { log: begin.id, backup: id, begin, chain });
            }
        }
        Ok(spans)
    }
}
