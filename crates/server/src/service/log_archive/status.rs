//! The state of the archive of the change log, as metrics show it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use metrics::{Counter, Metric};

/// The state of the archive of the change log.
#[derive(Debug, Default)]
pub struct ArchiveStatus {
    pub(super) position: AtomicU64,
    pub(super) lag: AtomicU64,
    /// Microseconds since 1970; 0 before the first pass.
    pub(super) covered: AtomicU64,
    pub(super) segments: Counter,
    pub(super) bytes: Counter,
    pub(super) failures: Counter,
    pub(super) gaps: Counter,
}

impl ArchiveStatus {
    /// Returns the seconds since the last moment that the archive covers; 0 before the first pass.
    fn age_seconds(&self) -> f64 {
        let covered = self.covered.load(Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        let now = u64::try_from(now).unwrap_or(u64::MAX);
        match covered {
            0 => 0.0,
            covered => now.saturating_sub(covered) as f64 / 1e6,
        }
    }
}

pub(crate) const METRICS: &[Metric<ArchiveStatus>] = &[
    Metric::gauge(
        "persea_log_archive_position",
        "Last position of the change log in the archive; 0 before the first pass.",
        |archive| archive.position.load(Ordering::Relaxed).into(),
    ),
    Metric::gauge(
        "persea_log_archive_lag",
        "Number of positions of the change log that were not in the archive after the last pass.",
        |archive| archive.lag.load(Ordering::Relaxed).into(),
    ),
    Metric::gauge(
        "persea_log_archive_age_seconds",
        "Seconds since the last moment that can be restored from the archive.",
        |archive| archive.age_seconds().into(),
    ),
    Metric::counter(
        "persea_log_archive_segments_total",
        "Total number of segments written to the archive of the change log.",
        |archive| (&archive.segments).into(),
    ),
    Metric::counter(
        "persea_log_archive_bytes_total",
        "Total number of compressed bytes written to the archive of the change log.",
        |archive| (&archive.bytes).into(),
    ),
    Metric::counter(
        "persea_log_archive_failures_total",
        "Total number of failed attempts to write to the archive of the change log.",
        |archive| (&archive.failures).into(),
    ),
    Metric::counter(
        "persea_log_archive_gaps_total",
        "Total number of parts of the change log that were removed before they were archived.",
        |archive| (&archive.gaps).into(),
    ),
];
