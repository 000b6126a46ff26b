//! The thread of a server that follows what the other servers of its store announce.
//!
//! It brings the catalog up to date, gives collections to servers that need them alone, begins to
//! write the change log, and acknowledges all of that. `docs/architecture/cluster.md` has the
//! rules.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use catalog::CollectionId;
use errors::Result;
use kv::background::{BackgroundThread, Pauses, Task};

use crate::change_log::read_start;
use crate::locks::collection_lock::{CollectionLock, CollectionLockGuard, LockMode, LockTicket};
use crate::sharing::{self, LockRecord, Members, Owner, read_locks};
use crate::store_core::StoreCore;
use crate::store_core::deletion;

/// The time between two rounds.
const INTERVAL: Duration = Duration::from_millis(50);

/// The same, for [`EAGER_TIME`] after an announcement. Restores and programs that set up a database
/// make many changes, one after another. Each waits for the others' rounds.
const INTERVAL_EAGER: Duration = Duration::from_millis(5);
const EAGER_TIME: Duration = Duration::from_secs(1);

/// The same, while a collection waits for its running writers.
const INTERVAL_WAITING: Duration = Duration::from_millis(5);

/// The time between two checks of the owners of collections that other servers have.
const OWNERS_INTERVAL: Duration = Duration::from_secs(1);

/// The greatest time between two checks of the living members.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// The time between two deletions of what dead servers have left.
const DELETION_INTERVAL: Duration = Duration::from_secs(60);

/// A collection that another server has, or waits for.
struct Given {
    record: LockRecord,
    lock: Arc<CollectionLock>,
    ticket: Option<LockTicket>,
    guard: Option<CollectionLockGuard>,
}

/// The state of the follower.
#[derive(Default)]
struct State {
    /// The last announcement whose locks were read.
    seen: u64,
    given: HashMap<CollectionId, Given>,
    /// The number of a change log that begins, while transactions without entries may be open.
    beginning: Option<u64>,
    /// The last acknowledgement: the announcement, and the locks that were pending.
    acknowledged: Option<(u64, Vec<u64>)>,
    /// The time of the last look at the announcements, of the last one that was new, and of the
    /// last look at the living members.
    read: Option<Instant>,
    moved: Option<Instant>,
    looked: Option<Instant>,
    owners_checked: Option<Instant>,
    deleted: Option<Instant>,
}

/// The work of the thread.
struct Follower {
    core: Weak<StoreCore>,
    members: Arc<Members>,
    state: Mutex<State>,
    pauses: Pauses,
}

/// Follows the other servers, if there are some, until the thread is dropped. The first round has
/// ended when this returns.
///
/// Errors: those of the first round, and of the operating system.
pub(crate) fn start(core: &Arc<StoreCore>) -> Result<Option<BackgroundThread>> {
    let Some(members) = core.coordination.members() else { return Ok(None) };
    let follower = Follower {
        core: Arc::downgrade(core),
        members: Arc::clone(members),
        state: Mutex::default(),
        pauses: Pauses::default(),
    };
    follower.round(core)?;
    Ok(Some(BackgroundThread::start("follower", Arc::new(follower))?))
}

impl Task for Follower {
    fn run(&self) {
        while self.pauses.wait(self.pause()) {
            let Some(core) = self.core.upgrade() else { return };
            // The next round repeats the failed parts. Until then other servers wait for this one,
            // which writes with definitions that are valid.
            self.members.note_followed(self.round(&core));
            self.delete_left_behind(&core);
        }
    }

    fn stop(&self) {
        self.pauses.stop();
    }
}

impl Follower {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time until the next round.
    fn pause(&self) -> Duration {
        let state = self.state();
        let is_waiting = state.beginning.is_some() || state.given.values().any(|given| given.guard.is_none());
        if is_waiting { INTERVAL_WAITING } else { state.interval() }
    }

    fn round(&self, core: &Arc<StoreCore>) -> Result<()> {
        let mut state = self.state();
        // In between, only running writers may have ended.
        if state.read.is_none_or(|read| read.elapsed() >= state.interval()) {
            state.read = Some(Instant::now());
            self.read(core, &mut state)?;
        }
        state.give();
        if !core.change_log.has_unlogged() {
            state.beginning = None;
        }
        self.acknowledge(&mut state)?;
        self.forget_dead_owners(core, &mut state)?;
        core.remove_leftover_locks();
        Ok(())
    }

    /// Follows what was announced.
    fn read(&self, core: &Arc<StoreCore>, state: &mut State) -> Result<()> {
        let snapshot = core.engine.snapshot()?;
        let announced = sharing::announced(snapshot.as_ref())?;
        let is_due = state.looked.is_none_or(|looked| looked.elapsed() >= LOOK_INTERVAL);
        if announced.number > state.seen || is_due {
            // A server that waits for this one to give a collection away is among them.
            self.members.look()?;
            state.looked = Some(Instant::now());
        }
        if announced.number > state.seen {
            {
                let _definitions = core.definitions();
                core.catch_up(snapshot.as_ref())?;
            }
            // The server has the definitions of the snapshot now, so it may take back collections
            // that nobody has any more.
            state.follow_locks(core, &read_locks(snapshot.as_ref())?, self.members.own());
            let record = read_start(snapshot.as_ref())?;
            core.change_log.follow(announced.number, record);
            state.beginning = record.filter(|start| start.first == 0).map(|start| start.id);
            state.seen = announced.number;
            state.moved = Some(Instant::now());
        }
        Ok(())
    }

    /// Acknowledges what was announced, if that has changed.
    fn acknowledge(&self, state: &mut State) -> Result<()> {
        let waiting = state.given.values().filter(|given| given.guard.is_none());
        let mut pending: Vec<u64> = waiting.map(|given| given.record.id).chain(state.beginning).collect();
        pending.sort_unstable();
        let now = (state.seen, pending);
        debug_assert!(
            now.0 <= self.members.installed(),
            "announcement {} is acknowledged without its definitions",
            now.0
        );
        if state.acknowledged.as_ref() != Some(&now) {
            self.members.sharing().acknowledge(now.0, &now.1)?;
            state.acknowledged = Some(now);
        }
        Ok(())
    }

    /// Removes the lock records of servers that are gone. The next round sees that they are gone,
    /// in a state that has everything that those servers have committed.
    fn forget_dead_owners(&self, core: &StoreCore, state: &mut State) -> Result<()> {
        let is_due = state.owners_checked.is_none_or(|checked| checked.elapsed() >= OWNERS_INTERVAL);
        if state.given.is_empty() || !is_due {
            return Ok(());
        }
        state.owners_checked = Some(Instant::now());
        for given in state.given.values() {
            if !self.members.is_living(given.record.owner)? {
                core.remove_lock(given.record)?;
            }
        }
        Ok(())
    }

    /// Deletes what dead servers have left, from time to time, if this server has the lowest
    /// number.
    fn delete_left_behind(&self, core: &StoreCore) {
        let mut state = self.state();
        if state.deleted.is_some_and(|deleted| deleted.elapsed() < DELETION_INTERVAL) {
            return;
        }
        let Ok(living) = self.members.sharing().members() else { return };
        if living.first().is_none_or(|first| first.number != self.members.own().number) {
            return;
        }
        // All that was announced before must be known to everyone, as before every deletion.
        let number = self.members.installed();
        if living.iter().all(|member| member.has_acknowledged(number)) {
            state.deleted = Some(Instant::now());
            // The next time tries again.
            let _ = deletion::finish_abandoned(core.engine.as_ref(), &living);
        }
    }
}

impl State {
    /// Returns the time between two checks of the announcements.
    fn interval(&self) -> Duration {
        let is_eager = self.moved.is_some_and(|moved| moved.elapsed() < EAGER_TIME);
        if is_eager { INTERVAL_EAGER } else { INTERVAL }
    }

    /// Follows the locks of a state of the store.
    fn follow_locks(&mut self, core: &StoreCore, records: &[LockRecord], own: Owner) {
        let catalog = core.catalog();
        let records = records.iter().filter(|record| record.owner != own);
        let records: HashMap<CollectionId, LockRecord> =
            records.map(|record| (record.collection, *record)).collect();
        self.given.retain(|collection, _| records.contains_key(collection));
        for (id, record) in records {
            if let Some(given) = self.given.get_mut(&id) {
                given.record = record;
            } else if let Some(collection) = catalog.collection_by_id(id) {
                let lock = Arc::clone(&collection.lock);
                self.given.insert(id, Given { record, lock, ticket: None, guard: None });
            }
        }
    }

    /// Takes the server's own locks of collections whose writers have ended. Later writers wait
    /// after those that are not free yet.
    fn give(&mut self) {
        for given in self.given.values_mut().filter(|given| given.guard.is_none()) {
            given.guard = given.lock.try_acquire(LockMode::Exclusive, &mut given.ticket);
        }
    }
}
