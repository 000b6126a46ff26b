//! The leader as this member knows it, and the lease under which this member may write.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::member::Member;
use crate::state::Past;

/// The leadership at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leadership {
    /// A number that grows with every change of the other fields, except that a lease which holds
    /// is prolonged without it.
    pub version: u64,
    /// The number of appointments so far. A later leader has a greater one.
    pub epoch: u64,
    /// The leader of this epoch. A member that is cut off may name one of the past.
    pub leader: Option<Member>,
    /// The leader before.
    pub previous: Option<Past>,
    /// True if the leader is this run of this member.
    pub is_self: bool,
    /// The end of this member's lease. It may write before this moment, and only then.
    pub valid_until: Option<Instant>,
    /// True while this member hands its leadership over, and keeps its lease without writes.
    pub is_handing_over: bool,
}

impl Leadership {
    /// Returns true if this member may write at this moment.
    pub fn may_write(&self, now: Instant) -> bool {
        self.valid_until.is_some_and(|until| now < until)
    }
}

/// The place where the tasks of a member note the leadership, and others read it.
pub(crate) struct Board {
    noted: Mutex<Noted>,
    changed: Condvar,
}

struct Noted {
    leadership: Leadership,
    /// True during a handover: the lease is kept and not shown.
    paused: bool,
    /// The epoch in which this member has given up its lease, and never takes it again.
    given_up: Option<u64>,
    /// The reason why the elections do not run.
    stopped: Option<String>,
}

impl Board {
    pub(crate) fn new() -> Board {
        let leadership = Leadership {
            version: 1,
            epoch: 0,
            leader: None,
            previous: None,
            is_self: false,
            valid_until: None,
            is_handing_over: false,
        };
        let noted = Noted { leadership, paused: false, given_up: None, stopped: None };
        Board { noted: Mutex::new(noted), changed: Condvar::new() }
    }

    /// Returns the leadership at this moment.
    pub(crate) fn look(&self, now: Instant) -> Leadership {
        self.seen(&mut self.lock(), now)
    }

    /// Returns true if this member may write at this moment.
    pub(crate) fn may_write(&self, now: Instant) -> bool {
        let noted = self.lock();
        !noted.paused && noted.leadership.may_write(now)
    }

    /// Waits until the version is another one, or for the timeout, and returns the leadership.
    pub(crate) fn wait(&self, version: u64, timeout: Duration) -> Leadership {
        let end = Instant::now().checked_add(timeout);
        let mut noted = self.lock();
        loop {
            let now = Instant::now();
            let seen = self.seen(&mut noted, now);
            if seen.version != version || end.is_some_and(|end| now >= end) || noted.stopped.is_some() {
                return seen;
            }
            let next = [end, seen.valid_until].into_iter().flatten().min();
            let pause = next.map_or(Duration::from_secs(1), |next| next.saturating_duration_since(now));
            let woken = self.changed.wait_timeout(noted, pause);
            noted = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Notes the applied state.
    pub(crate) fn note(&self, epoch: u64, leader: Option<Member>, previous: Option<Past>, is_self: bool) {
        let mut noted = self.lock();
        let is_self = is_self && noted.stopped.is_none();
        let old = &noted.leadership;
        if (old.epoch, &old.leader, old.previous, old.is_self) == (epoch, &leader, previous, is_self) {
            return;
        }
        let keeps_lease = is_self && old.is_self && old.epoch == epoch;
        let valid_until = old.valid_until.filter(|_| keeps_lease);
        let version = old.version;
        let is_handing_over = false;
        noted.leadership =
            Leadership { version, epoch, leader, previous, is_self, valid_until, is_handing_over };
        if !keeps_lease {
            noted.paused = false;
        }
        self.change(&mut noted);
    }

    /// Prolongs the lease of this epoch.
    pub(crate) fn grant(&self, epoch: u64, until: Instant) {
        let mut noted = self.lock();
        if !noted.leadership.is_self || noted.leadership.epoch != epoch || noted.gave_up(epoch) {
            return;
        }
        let before = noted.leadership.valid_until;
        noted.leadership.valid_until = before.max(Some(until));
        if before.is_none() {
            self.change(&mut noted);
        }
    }

    /// Hides the lease of this epoch during a handover, or shows it again.
    pub(crate) fn pause(&self, epoch: u64, paused: bool) {
        let mut noted = self.lock();
        if noted.leadership.epoch == epoch && noted.paused != paused {
            noted.paused = paused;
            self.change(&mut noted);
        }
    }

    /// Gives the lease of this epoch up for ever.
    pub(crate) fn give_up(&self, epoch: u64) {
        let mut noted = self.lock();
        noted.given_up = noted.given_up.max(Some(epoch));
        if noted.leadership.epoch == epoch {
            noted.leadership.valid_until = None;
            self.change(&mut noted);
        }
    }

    /// Returns the epoch in which this member leads and renews its lease.
    pub(crate) fn led_epoch(&self) -> Option<u64> {
        let noted = self.lock();
        let epoch = noted.leadership.epoch;
        (noted.leadership.is_self && !noted.gave_up(epoch)).then_some(epoch)
    }

    /// Notes that the elections do not run any more. The lease ends.
    pub(crate) fn stop(&self, reason: String) {
        let mut noted = self.lock();
        let epoch = noted.leadership.epoch;
        noted.given_up = noted.given_up.max(Some(epoch));
        noted.leadership.valid_until = None;
        noted.leadership.is_self = false;
        noted.paused = false;
        noted.stopped.get_or_insert(reason);
        self.change(&mut noted);
    }

    /// Returns the reason why the elections do not run.
    pub(crate) fn stopped(&self) -> Option<String> {
        self.lock().stopped.clone()
    }

    /// Returns the leadership, and drops a lease that has run out.
    fn seen(&self, noted: &mut Noted, now: Instant) -> Leadership {
        if noted.leadership.valid_until.is_some_and(|until| until <= now) {
            noted.leadership.valid_until = None;
            self.change(noted);
        }
        let mut seen = noted.leadership.clone();
        if noted.paused {
            seen.is_handing_over = seen.valid_until.take().is_some();
        }
        seen
    }

    fn change(&self, noted: &mut Noted) {
        noted.leadership.version += 1;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Noted {
    fn gave_up(&self, epoch: u64) -> bool {
        self.given_up.is_some_and(|given_up| given_up >= epoch)
    }
}
