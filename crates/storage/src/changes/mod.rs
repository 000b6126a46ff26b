//! Reading and trimming the change log.

mod retention;
mod scan;
mod thinning;

use std::sync::Arc;
use std::time::{Duration, Instant};

use aql_value::Waiting;
use errors::{Error, ErrorCode, Result};
use kv::BlockLimits;

use crate::encoding::change::all_logs;
use crate::{ChangeLogOptions, LogStart, LogUse, Snapshot, Store, entries_between};

/// Maximum number of entries that [`Store::lag`] counts where servers share the store.
pub const COUNTED_MAX: u64 = 1_000;
const COUNTED_BLOCK: BlockLimits = BlockLimits { rows: 1_000, bytes: 256 << 10 };
/// The time beyond a lease after which a reader does not wait any more for commits to end.
const SETTLE_WAIT: Duration = Duration::from_secs(5);
/// The time between two checks of a reader that waits for that.
const SETTLE_LOOK: Duration = Duration::from_millis(50);

pub use scan::{ChangeBlock, ChangeScan, ChangeScope, Commit};

impl Store {
    /// Returns the beginning of the change log; `None` if it is not written.
    pub fn change_log(&self) -> Option<LogStart> {
        self.core.change_log.start()
    }

    /// Makes the change log begin, if it has not begun. Waits at most `timeout` for transactions
    /// that began before.
    ///
    /// Errors: 18 if such a transaction is still open, on any server that shares the store. 9 if
    /// the log is turned off.
    pub fn begin_change_log(&self, timeout: Duration) -> Result<LogStart> {
        if let Some(start) = self.change_log() {
            return Ok(start);
        }
        if let Some(members) = self.core.coordination.members() {
            return self.core.begin_shared_log(members, timeout);
        }
        // Without a log, clients get numbers of this sequence as their positions.
        let least = self.core.ids.next()?;
        self.core.change_log.begin(self.core.engine.as_ref(), least, timeout)
    }

    /// Ends the change log, and removes it.
    ///
    /// Errors: those of the engine.
    pub fn end_change_log(&self) -> Result<()> {
        if !self.core.coordination.is_alone() {
            return self.core.end_shared_log();
        }
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

    /// Returns a position that is greater than those of all commits so far, and not greater than
    /// those of commits that begin afterwards. It may be ahead of [`Store::resolved_position`].
    ///
    /// Errors: those of the engine, if servers share the store.
    pub fn present_position(&self) -> Result<u64> {
        match self.core.change_log.positions.shared() {
            None => Ok(self.resolved_position()),
            Some(shared) => shared.now(),
        }
    }

    /// Returns [`Store::resolved_position`] once it is behind all commits that have returned before
    /// the call, on any server that shares the store. That takes some tenths of a second, or the
    /// lease of a server that has died just now. Calls `check` from time to time.
    ///
    /// Errors: that of `check`, 18 if the commits do not end in time, those of the engine.
    pub fn settled_position(&self, check: &dyn Fn() -> Result<()>) -> Result<u64> {
        let positions = &self.core.change_log.positions;
        let Some((shared, members)) = positions.shared().zip(self.core.coordination.members()) else {
            return Ok(positions.resolved());
        };
        let now = shared.now()?;
        let deadline = Instant::now() + members.sharing().lease() + SETTLE_WAIT;
        let _waiting = Waiting::begin();
        while shared.wait_until_settled(now, SETTLE_LOOK) < now {
            check()?;
            if Instant::now() >= deadline {
                return Err(Error::new(
                    ErrorCode::LockTimeout,
                    "commits before the request have not ended yet",
                ));
            }
        }
        Ok(positions.resolved())
    }

    /// Returns true if a position is not greater than the last one that a commit may have by now. A
    /// reader that asked another server may be ahead of [`Store::resolved_position`].
    ///
    /// Errors: those of the engine, if servers share the store.
    pub fn may_be_read(&self, position: u64) -> Result<bool> {
        if position < self.resolved_position() {
            return Ok(true);
        }
        match self.core.change_log.positions.shared() {
            None => Ok(false),
            Some(shared) => Ok(position < shared.now()?),
        }
    }

    /// Returns how far a reader that has everything up to a position is behind: the positions up to
    /// the end of the log. Where servers share the store, positions do not count entries, and the
    /// entries of the scope are counted, up to [`COUNTED_MAX`].
    ///
    /// Errors: those of the engine, 1102 for damage.
    pub fn lag(&self, scope: ChangeScope, position: u64) -> Result<u64> {
        let last = self.resolved_position().saturating_sub(1);
        if self.core.coordination.is_alone() {
            return Ok(entries_between(position, last));
        }
        if position >= last || self.change_log().is_none() {
            return Ok(0);
        }
        let mut scan = self.scan_changes(scope, position)?;
        let mut count = 0;
        while count < COUNTED_MAX
            && let Some(block) = scan.next_block(COUNTED_BLOCK)?
        {
            block.for_each(position, |_, changes| {
                count += changes.len() as u64;
                Ok(())
            })?;
        }
        Ok(count.min(COUNTED_MAX))
    }

    /// Names the readers of the log on this server, which removals of old entries respect. Only the
    /// first call has an effect.
    pub fn respect_log_readers(&self, readers: Arc<dyn LogUse>) {
        // An instance owns its store.
        let _ = self.core.log_readers.set(readers);
    }

    /// Returns the position from which on readers need the log, and the time since one has read it,
    /// on any server that shares the store.
    ///
    /// Errors: those of the engine, 1102 for damage.
    pub fn log_use(&self) -> Result<(u64, Duration)> {
        self.core.log_use_of_all()
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
