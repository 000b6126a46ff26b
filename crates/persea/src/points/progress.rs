//! The progress of a replay, record by record.

use std::collections::HashSet;
use std::fmt;

use backups::LogRecord;

use super::moment::{Moment, iso};

/// The extent of a replay.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Replayed {
    /// The number of commits that were applied.
    pub(super) commits: u64,
    /// The time of the last one, in microseconds since 1970; 0 without one.
    pub(super) time: u64,
}

impl fmt::Display for Replayed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.time {
            0 => formatter.write_str("no time"),
            time => formatter.write_str(&iso(time)),
        }
    }
}

/// The records of the log that the replay has come to.
pub(super) struct Progress<'a> {
    pub(super) moment: &'a Moment,
    /// The commits behind the place of the backup that the backup has nevertheless.
    present: HashSet<u64>,
    /// The position after the last record.
    pub(super) next: u64,
    /// The last included commit has parts left.
    pub(super) is_open: bool,
    /// The log has come to a commit behind the moment.
    pub(super) is_over: bool,
    /// The commits that were applied.
    pub(super) replayed: Replayed,
}

impl<'a> Progress<'a> {
    /// Begins behind a position. `present` has the commits behind it that are there already.
    pub(super) fn new(moment: &'a Moment, next: u64, present: HashSet<u64>) -> Self {
        Progress { moment, present, next, is_open: false, is_over: false, replayed: Replayed::default() }
    }

    /// Appends the entries of a record, if the moment includes its commit and the backup does not
    /// have it.
    pub(super) fn take(&mut self, record: &LogRecord<'_>, entries: &mut Vec<u8>) {
        // Segments may overlap if a write was repeated whose success was not known.
        if self.is_over || record.end <= self.next {
            return;
        }
        if !self.moment.includes(record.first, record.time) {
            self.is_over = true;
            return;
        }
        self.next = record.end;
        self.is_open = !record.is_last_part;
        if self.present.contains(&record.first) {
            return;
        }
        entries.extend_from_slice(record.entries);
        if record.is_last_part {
            self.replayed.commits += 1;
            self.replayed.time = self.replayed.time.max(record.time);
        }
    }
}
