//! The thread that tells other servers how far the commits of this one have come, and reads how far
//! theirs have. `docs/architecture/cluster.md`, "The change log", has the argument.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use errors::Result;
use kv::background::{BackgroundThread, Pauses, Task};
use kv::{Durability, SnapshotAt, TransactionOptions};

use crate::change_log::{MemberProgress, SharedPositions};
use crate::sharing::{Members, Owner};
use crate::store_core::StoreCore;

/// The time between two rounds while the log is written.
const INTERVAL: Duration = Duration::from_millis(100);

/// The work of the thread.
struct LogProgress {
    core: Weak<StoreCore>,
    members: Arc<Members>,
    /// The living servers of the last round.
    known: Mutex<Vec<Owner>>,
    pauses: Pauses,
}

/// Follows the commits of other servers, if there are some, until the thread is dropped. The first
/// round has ended when this returns.
///
/// Errors: those of the operating system.
pub(crate) fn start(core: &Arc<StoreCore>) -> Result<Option<BackgroundThread>> {
    let Some(members) = core.coordination.members() else { return Ok(None) };
    let progress = LogProgress {
        core: Arc::downgrade(core),
        members: Arc::clone(members),
        known: Mutex::default(),
        pauses: Pauses::default(),
    };
    // The next round repeats what failed.
    let _ = progress.round(core);
    Ok(Some(BackgroundThread::start("log-progress", Arc::new(progress))?))
}

impl Task for LogProgress {
    fn run(&self) {
        while self.pauses.wait(INTERVAL) {
            let Some(core) = self.core.upgrade() else { return };
            // Until the next round succeeds, the readers of all servers wait for this one.
            let _ = self.round(&core);
        }
    }

    fn stop(&self) {
        self.pauses.stop();
    }
}

impl LogProgress {
    fn round(&self, core: &StoreCore) -> Result<()> {
        let log = &core.change_log;
        let Some(positions) = log.positions.shared() else { return Ok(()) };
        if !log.is_written() && !log.has_doubts() {
            return Ok(());
        }
        // It comes before everything else: see the argument.
        let timestamp = self.members.sharing().timestamps(1)?;
        log.settle_doubts(timestamp);
        if log.is_written() {
            self.publish(core, positions, timestamp)?;
            self.follow(core, positions)?;
        }
        Ok(())
    }

    fn publish(&self, core: &StoreCore, positions: &SharedPositions, timestamp: u64) -> Result<()> {
        let Owner { number, identity } = self.members.own();
        let (held_from, idle) = core.log_use();
        let progress = positions.progress(timestamp);
        let record = MemberProgress { number, identity, progress, held_from, idle };
        let options = TransactionOptions { snapshot: SnapshotAt::FirstRead, ..TransactionOptions::default() };
        let mut transaction = core.engine.begin(options)?;
        record.write(transaction.as_mut())?;
        Ok(transaction.commit(Durability::Buffered)?)
    }

    /// Reads how far all servers have come.
    fn follow(&self, core: &StoreCore, positions: &SharedPositions) -> Result<()> {
        let living = self.members.sharing().members()?;
        let living: Vec<Owner> = living.iter().map(Owner::of).collect();
        let records = MemberProgress::read_all(core.engine.snapshot()?.as_ref())?;
        let settled = |owner: &Owner| {
            let is_own =
                |record: &&MemberProgress| record.number == owner.number && record.identity == owner.identity;
            records.iter().find(is_own).map(|record| record.progress.settled)
        };
        // This server's own record bounds the others by the timestamp of this round.
        if !living.contains(&self.members.own()) {
            return Ok(());
        }
        let Some(settled) = living.iter().map(settled).min().flatten() else { return Ok(()) };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let end = match *known == living {
            true => records.iter().map(|record| record.progress.end).max().unwrap_or_default(),
            // The last commits of a server that is gone may be in no record.
            false => settled,
        };
        *known = living;
        positions.advance(settled, end);
        Ok(())
    }
}
