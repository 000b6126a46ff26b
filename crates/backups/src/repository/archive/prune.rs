//! The removal of segments that lead to no backup.

use errors::{ErrorCode, Result};

use super::{LOGS, SEGMENT_EXTENSION, SegmentName, place_of};
use crate::manifest::Manifest;
use crate::repository::Repository;

/// Microseconds of a second.
const MICROS: u64 = 1_000_000;

impl Repository {
    /// Removes the segments that end before the oldest backup of their log, and returns their
    /// bytes. Of a log without backups, those that end before the oldest backup at all.
    ///
    /// The caller owns the repository. Errors: 7001.
    pub(in super::super) fn prune_logs(&self, kept: &[Manifest]) -> Result<u64> {
        let oldest_seconds = kept.iter().map(|manifest| manifest.seconds).min().unwrap_or_default();
        let oldest_time = u64::try_from(oldest_seconds).unwrap_or_default().saturating_mul(MICROS);
        let mut freed_bytes = 0;
        for piece in self.pieces_of(LOGS)? {
            let Some((log, name)) = place_of(&piece.name) else { continue };
            let segment = name.strip_suffix(SEGMENT_EXTENSION).and_then(SegmentName::parse);
            let Some(segment) = segment else { continue };
            let positions = kept.iter().filter_map(|manifest| manifest.log.filter(|at| at.id == log));
            let is_needed = match positions.map(|at| at.complete).min() {
                Some(first) => segment.last >= first,
                None => segment.time >= oldest_time,
            };
            if !is_needed {
                let removed = self.place.remove(&piece.name);
                removed.map_err(self.fault(ErrorCode::HotBackupInternal, "removing", &piece.name))?;
                freed_bytes += piece.size_bytes;
            }
        }
        Ok(freed_bytes)
    }
}
