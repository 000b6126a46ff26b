//! The servers that share a store, and what they announce to each other.
//!
//! `docs/architecture/cluster.md` has the rules. The record of announcements holds the number of
//! the last one, and that of the last one that changed definitions. A transaction that announces
//! something writes the record, so it conflicts with those of all other servers.

mod locks;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use errors::{Error, ErrorCode, Result};
use kv::{Engine, Member, MemberNumber, Sharing, Snapshot, WriteTransaction};

use crate::encoding::metadata::announcement_key;
use crate::encoding::pack;

pub(crate) use locks::{LockRecord, read_locks};

/// The time between two checks of the other members, which usually acknowledge within some
/// hundredths of a second, and the same for one that takes longer than [`LOOK_OFTEN_TIME`].
const LOOK_OFTEN: Duration = Duration::from_millis(4);
const LOOK_OFTEN_TIME: Duration = Duration::from_millis(200);
const LOOK_RARELY: Duration = Duration::from_millis(40);

/// The last announcements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Announced {
    /// The number of the last one.
    pub(crate) number: u64,
    /// The number of the last one that changed definitions.
    pub(crate) definitions: u64,
}

/// One opening of the store by one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) number: MemberNumber,
    pub(crate) identity: u64,
}

impl Owner {
    /// Returns the opening of a member.
    pub(crate) fn of(member: &Member) -> Self {
        Owner { number: member.number, identity: member.identity }
    }

    fn is(self, member: &Member) -> bool {
        self.number == member.number && self.identity == member.identity
    }
}

/// The members of a shared store, seen by one of them.
pub(crate) struct Members {
    engine: Arc<dyn Engine>,
    sharing: Arc<dyn Sharing>,
    /// The last announcement whose definitions this server has.
    installed: AtomicU64,
    /// The numbers of the living members as of the last look, this server's among them.
    living: RwLock<Arc<[MemberNumber]>>,
    /// The last look at the members for threads that wait for them, and the time when it began.
    looked: Mutex<Option<(Instant, Arc<[Member]>)>>,
    /// The error of the last attempt to follow the others; `None` after a success.
    failure: Mutex<Option<Error>>,
    /// True once the lease of this server has ended.
    has_lost_lease: AtomicBool,
    /// Lock records of this server that could not be removed.
    leftover: Mutex<Vec<LockRecord>>,
}

impl std::fmt::Debug for Members {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Members").field("own", &self.own()).finish_non_exhaustive()
    }
}

impl Members {
    /// Returns the members of a store; `None` if only this process can use it.
    pub(crate) fn of(engine: &Arc<dyn Engine>) -> Option<Arc<Members>> {
        let sharing = engine.sharing()?;
        let (engine, installed) = (Arc::clone(engine), AtomicU64::new(0));
        let living = RwLock::new(Arc::from([sharing.member()]));
        Some(Arc::new(Members {
            engine,
            sharing,
            installed,
            living,
            looked: Mutex::default(),
            failure: Mutex::default(),
            has_lost_lease: AtomicBool::new(false),
            leftover: Mutex::default(),
        }))
    }

    pub(crate) fn engine(&self) -> &Arc<dyn Engine> {
        &self.engine
    }

    pub(crate) fn sharing(&self) -> &Arc<dyn Sharing> {
        &self.sharing
    }

    /// Returns this server.
    pub(crate) fn own(&self) -> Owner {
        Owner { number: self.sharing.member(), identity: self.sharing.identity() }
    }

    /// Returns the last announcement whose definitions this server has.
    pub(crate) fn installed(&self) -> u64 {
        self.installed.load(Ordering::Acquire)
    }

    /// Notes that this server has the definitions of an announcement.
    pub(crate) fn install(&self, announcement: u64) {
        self.installed.fetch_max(announcement, Ordering::AcqRel);
    }

    /// Announces something by a transaction. Returns the announcements as they are once it has
    /// committed.
    pub(crate) fn announce(transaction: &mut dyn WriteTransaction, defines: bool) -> Result<Announced> {
        let values = transaction.get_many(&[&announcement_key()])?;
        let present = read_announced(values.iter().next().flatten())?;
        let number = present.number + 1;
        let definitions = if defines { number } else { present.definitions };
        transaction.put(&announcement_key(), &pack::numbers(&[number, definitions]))?;
        Ok(Announced { number, definitions })
    }

    /// Waits until every other living member has acknowledged an announcement and finished a part
    /// of it. Returns false if that takes longer than until `deadline`.
    ///
    /// Errors: that of `check`, which is called from time to time; those of the engine that do not
    /// pass.
    pub(crate) fn wait(
        &self,
        announcement: u64,
        part: Option<u64>,
        deadline: Instant,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<bool> {
        let own = self.own();
        let has_done = |member: &Member| match part {
            Some(part) => member.has_finished(announcement, part),
            None => member.has_acknowledged(announcement),
        };
        let begun = Instant::now();
        loop {
            match self.members_since(Instant::now()) {
                Ok(members) if members.iter().all(|member| own.is(member) || has_done(member)) => {
                    return Ok(true);
                }
                Ok(_) | Err(kv::Error::Transient { .. } | kv::Error::Unavailable { .. }) => {}
                Err(error) => return Err(error.into()),
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
            check()?;
            let is_usual = begun.elapsed() < LOOK_OFTEN_TIME;
            std::thread::sleep(if is_usual { LOOK_OFTEN } else { LOOK_RARELY });
        }
    }

    /// Returns the members as of a moment that is not before `moment`. Threads that ask while
    /// another one reads share the next message.
    fn members_since(&self, moment: Instant) -> kv::Result<Arc<[Member]>> {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, members)) = looked.as_ref().filter(|(begun, _)| *begun >= moment) {
            return Ok(Arc::clone(members));
        }
        let begun = Instant::now();
        let members: Arc<[Member]> = self.sharing.members()?.into();
        *looked = Some((begun, Arc::clone(&members)));
        Ok(members)
    }

    /// Returns the numbers of the living members as of the last look, this server's among them.
    pub(crate) fn living(&self) -> Arc<[MemberNumber]> {
        Arc::clone(&self.living.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks for the living members.
    pub(crate) fn look(&self) -> Result<()> {
        let living: Arc<[MemberNumber]> =
            self.sharing.members()?.iter().map(|member| member.number).collect();
        *self.living.write().unwrap_or_else(PoisonError::into_inner) = living;
        Ok(())
    }

    /// Returns true if a server still has the store open.
    pub(crate) fn is_living(&self, owner: Owner) -> Result<bool> {
        Ok(self.sharing.members()?.iter().any(|member| owner.is(member)))
    }

    /// Notes the outcome of an attempt to follow the other servers.
    pub(crate) fn note_followed(&self, outcome: Result<()>) {
        // Several errors of the engine have this number.
        let may_be_lost = outcome.as_ref().is_err_and(|error| error.code() == ErrorCode::ShuttingDown);
        if may_be_lost && matches!(self.sharing.members(), Err(kv::Error::LeaseEnded)) {
            self.has_lost_lease.store(true, Ordering::Release);
        }
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = outcome.err();
    }

    /// Returns the error of the last attempt to follow the other servers; `None` after a success.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns true once the lease of this server has ended.
    pub(crate) fn has_lost_lease(&self) -> bool {
        self.has_lost_lease.load(Ordering::Acquire)
    }

    /// Returns true if this server has the lowest number of the living ones, as of the last look.
    /// One that does not reach the store cannot say so.
    pub(crate) fn is_first(&self) -> bool {
        self.failure().is_none() && self.living().first() == Some(&self.own().number)
    }

    /// Keeps a lock record of this server that could not be removed.
    pub(crate) fn leave(&self, record: LockRecord) {
        self.leftover.lock().unwrap_or_else(PoisonError::into_inner).push(record);
    }

    /// Returns the lock records that could not be removed before, for another attempt.
    pub(crate) fn take_leftover(&self) -> Vec<LockRecord> {
        std::mem::take(&mut *self.leftover.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Reads the announcements in a snapshot.
///
/// Errors: 1102 for a damaged record, those of the engine.
pub(crate) fn announced(snapshot: &dyn Snapshot) -> Result<Announced> {
    let values = snapshot.get_many(&[&announcement_key()])?;
    read_announced(values.iter().next().flatten())
}

fn read_announced(record: Option<&[u8]>) -> Result<Announced> {
    let Some(record) = record else { return Ok(Announced::default()) };
    let [number, definitions] = pack::read_numbers::<2>(record, "announcement")?;
    Ok(Announced { number, definitions })
}
