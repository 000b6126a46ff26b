//! Reading and trimming the change log.

mod retention;
mod scan;
mod thinning;

use std::time::Duration;

use errors::Result;

use crate::encoding::change::all_logs;
use crate::{ChangeLogOptions, LogStart, Snapshot, Store};

pub use scan::{ChangeBlock, ChangeScan, ChangeScope, Commit};

impl Store {
    /// Returns the beginning of the change log; `None` if it is not written.
    pub fn change_log(&self) -> Option<LogStart> {
        self.core.change_log.start()
    }

    /// Makes the change log begin, if it has not begun. Waits at most `timeout` for transactions
    /// that began before.
    ///
    /// Errors: 18 if such a transaction is still open, 9 if the log is turned off or several
    /// servers share the store.
    pub fn begin_change_log(&self, timeout: Duration) -> Result<LogStart> {
        if let Some(start) = self.change_log() {
            return Ok(start);
        }
        // Without a log, clients get numbers of this sequence as their positions.
        let least = self.core.ids.next()?;
        self.core.change_log.begin(self.core.engine.as_ref(), least, timeout)
    }

    /// Ends the change log, and removes it.
    ///
    /// Errors: those of the engine.
    pub fn end_change_log(&self) -> Result<()> {
        self.core.change_log.end(self.core.engine.as_ref())
    }

    /// Returns the options of the change log.
    pub fn change_log_options(&self) -> &ChangeLogOptions {
        &self.core.change_log.options
    }

    /// Estimates the bytes of all logs on disk.
    ///
    /// Errors: those of the engine.
    pub fn change_log_bytes(&self) -> Result<u64> {
        Ok(self.core.engine.approximate_size_bytes(&all_logs())?)
    }

    /// Returns true if a reader that has everything up to a position has read commits that this
    /// store has lost, in a crash of its machine.
    pub fn has_lost_changes(&self, position: u64) -> bool {
        self.change_log().is_some() && self.core.change_log.holes.has(position)
    }

    /// Returns the position of the change log below which all commits have ended. Scans that begin
    /// afterwards show all of them.
    pub fn resolved_position(&self) -> u64 {
        self.core.change_log.positions.resolved()
    }

    /// Returns the last position that a commit of the log took, or the one before the log's first.
    /// A start skips positions, which no commit takes.
    ///
    /// Errors: those of the engine, 1102 for damage.
    pub fn last_position(&self) -> Result<u64> {
        self.core.change_log.last_position(self.core.engine.as_ref())
    }

    /// Returns the position that the next commit takes. All commits that have begun to write
    /// themselves are below it.
    pub fn next_position(&self) -> u64 {
        self.core.change_log.positions.next()
    }

    /// Returns the first positions of the commits from `first` on that the store has.
    ///
    /// Errors: those of the engine.
    pub fn commits_from(&self, scope: ChangeScope, first: u64) -> Result<Vec<u64>> {
        scan::commits_from(self.snapshot()?.engine().as_ref(), scope, first)
    }

    /// Takes a snapshot, and returns what it shows of a log: all commits below a position, and the
    /// listed commits from there on, by their first positions.
    ///
    /// Errors: those of the engine.
    pub fn snapshot_with_changes(&self, scope: ChangeScope) -> Result<(Snapshot, u64, Vec<u64>)> {
        let below = self.resolved_position();
        let snapshot = self.snapshot()?;
        let beyond = scan::commits_from(snapshot.engine().as_ref(), scope, below)?;
        Ok((snapshot, below, beyond))
    }

    /// Waits until [`Store::resolved_position`] is greater than `known`, or for `timeout`, and
    /// returns it.
    pub fn wait_for_changes(&self, known: u64, timeout: Duration) -> u64 {
        self.core.change_log.positions.wait(known, timeout)
    }
}
