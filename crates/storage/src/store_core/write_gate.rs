//! The threads that may write to an open store.
//!
//! A store refuses writes in three cases: an administrator made it read-only, it is a copy that
//! follows another server, or it is a member of a group and does not lead it. A copy is written by
//! the threads that apply the other server's log, and by nobody else.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, ThreadId};

use errors::{Error, ErrorCode, Result};

/// The membership of a store in a group of servers, one of which leads.
pub trait Membership: Send + Sync {
    /// Returns true if this server leads at this moment. It takes less than a microsecond.
    fn leads(&self) -> bool;

    /// Waits until so many other members have the log up to a position as the group requires.
    ///
    /// Errors: 1429 if they do not have it in time, 1496 if this server does not lead any more.
    fn wait_for_members(&self, position: u64) -> Result<()>;
}

/// The gate that all writers pass.
#[derive(Default)]
pub(crate) struct WriteGate {
    is_read_only: AtomicBool,
    is_following: AtomicBool,
    membership: OnceLock<Arc<dyn Membership>>,
    /// The threads that may write anyway, and how many permits each has.
    permitted: Mutex<HashMap<ThreadId, usize>>,
}

/// Lets the thread that took it write to a store that refuses writes, until it is dropped.
pub struct WritePermit {
    gate: Arc<WriteGate>,
    thread: ThreadId,
}

impl WriteGate {
    pub(crate) fn set_read_only(&self, is_read_only: bool) {
        self.is_read_only.store(is_read_only, Ordering::Relaxed);
    }

    pub(crate) fn set_following(&self, is_following: bool) {
        self.is_following.store(is_following, Ordering::SeqCst);
    }

    pub(crate) fn is_following(&self) -> bool {
        self.is_following.load(Ordering::SeqCst)
    }

    /// Makes the store a member of a group. Only the first call has an effect.
    pub(crate) fn join(&self, membership: Arc<dyn Membership>) {
        // A store belongs to one group until it is opened again.
        let _ = self.membership.set(membership);
    }

    /// Returns true if writes are refused to threads without a permit.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_read_only.load(Ordering::Relaxed) || self.is_following()
    }

    /// Lets this thread write.
    pub(crate) fn permit(self: &Arc<Self>) -> WritePermit {
        let thread = thread::current().id();
        *self.lock().entry(thread).or_default() += 1;
        WritePermit { gate: Arc::clone(self), thread }
    }

    /// Checks that this thread may begin to write.
    ///
    /// Errors: 1496 on a copy, 1004 in read-only mode.
    pub(crate) fn check(&self) -> Result<()> {
        self.check_leading()?;
        if self.is_read_only.load(Ordering::Relaxed) && !self.is_permitted() {
            return Err(Error::new(ErrorCode::ReadOnly, "read only: the server does not accept writes"));
        }
        Ok(())
    }

    /// Checks that this thread may commit what it has begun to write.
    ///
    /// Errors: 1496 if the store has become a copy, or does not lead its group at this moment.
    pub(crate) fn check_leading(&self) -> Result<()> {
        let leads = || self.membership.get().is_none_or(|membership| membership.leads());
        if (self.is_following() || !leads()) && !self.is_permitted() {
            let message = "not a leader: this server follows another one, which accepts the writes";
            return Err(Error::new(ErrorCode::ClusterNotLeader, message));
        }
        Ok(())
    }

    /// Waits until the members of the group have what this thread has committed.
    ///
    /// Errors: those of [`Membership::wait_for_members`]. The commit stays.
    pub(crate) fn wait_for_members(&self, position: u64) -> Result<()> {
        match self.membership.get() {
            Some(membership) if !self.is_permitted() => membership.wait_for_members(position),
            _ => Ok(()),
        }
    }

    fn is_permitted(&self) -> bool {
        self.lock().contains_key(&thread::current().id())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ThreadId, usize>> {
        self.permitted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for WritePermit {
    fn drop(&mut self) {
        let mut permitted = self.gate.lock();
        if let Some(count) = permitted.get_mut(&self.thread) {
            *count -= 1;
            if *count == 0 {
                permitted.remove(&self.thread);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_threads_with_a_permit_write_to_a_copy() {
        let gate = Arc::new(WriteGate::default());
        gate.check().unwrap();
        gate.set_following(true);
        assert_eq!(gate.check().unwrap_err().number(), 1496);
        assert_eq!(gate.check_leading().unwrap_err().number(), 1496);
        let (outer, inner) = (gate.permit(), gate.permit());
        drop(outer);
        gate.check().unwrap();
        let elsewhere = thread::scope(|threads| threads.spawn(|| gate.check().is_ok()).join().unwrap());
        assert!(!elsewhere);
        drop(inner);
        assert_eq!(gate.check().unwrap_err().number(), 1496);
        gate.set_following(false);
        gate.set_read_only(true);
        assert_eq!(gate.check().unwrap_err().number(), 1004);
        gate.check_leading().unwrap();
    }

    /// A member that leads while the flag is set, and has no other members.
    struct Alone(AtomicBool);

    impl Membership for Alone {
        fn leads(&self) -> bool {
            self.0.load(Ordering::SeqCst)
        }

        fn wait_for_members(&self, position: u64) -> Result<()> {
            Err(Error::new(ErrorCode::ReplicationWriteConcernNotFulfilled, position.to_string()))
        }
    }

    #[test]
    fn a_member_of_a_group_writes_while_it_leads() {
        let gate = Arc::new(WriteGate::default());
        gate.wait_for_members(7).unwrap();
        let membership = Arc::new(Alone(AtomicBool::new(false)));
        gate.join(Arc::clone(&membership) as Arc<dyn Membership>);
        assert_eq!(gate.check().unwrap_err().number(), 1496);
        membership.0.store(true, Ordering::SeqCst);
        gate.check().unwrap();
        assert_eq!(gate.wait_for_members(7).unwrap_err().number(), 1429);
        membership.0.store(false, Ordering::SeqCst);
        // The thread that applies the leader's log writes, and waits for nobody.
        let _permit = gate.permit();
        gate.check_leading().unwrap();
        gate.wait_for_members(7).unwrap();
    }
}
