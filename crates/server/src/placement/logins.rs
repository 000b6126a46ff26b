//! Admission of password checks.
//!
//! A check takes 20 ms of a processor and 19 MiB on purpose, so a client that guesses passwords
//! could delay all others. Two rules prevent that:
//!
//! - Checks wait in two lanes, each of which runs one check at a time. Addresses with
//!   several failures or checks in progress wait in the second lane, so they do not delay others.
//! - A user name that has failed from an address waits before its next check from that address,
//!   each time for twice as long. The same user name is not delayed at other addresses, so no
//!   client can lock another user out.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, SemaphorePermit};
use tracing::field::display;

use super::pool::Rejected;

/// The delay after the first failure; each further failure doubles it.
const FIRST_DELAY: Duration = Duration::from_millis(100);

/// The maximum delay, unless an option sets another.
///
/// Programs that try a wrong password again and again, such as tests of drivers, still end in time.
pub const DEFAULT_MAX_DELAY: Duration = Duration::from_secs(1);

/// The failures of one address, with any user names, that send its checks to the second lane.
const SUSPECT_AFTER: u32 = 5;

/// The delay between two checks of such an address by a caller that cannot wait in a lane.
const SUSPECT_DELAY: Duration = Duration::from_secs(1);

/// Failures are forgotten after this time without another one.
const FORGET_AFTER: Duration = Duration::from_secs(600);

/// The maximum number of addresses, and of names with addresses, whose failures are remembered.
const REMEMBERED_MAX: usize = 10_000;

/// The maximum number of checks that wait in each lane, delayed ones included.
const WAITING_MAX: usize = 256;

/// The attempt to log in as a user from an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Attempt {
    /// The name that the client gives.
    pub(crate) user: Box<str>,
    /// The address of the client; none for a socket in the file system.
    pub(crate) address: Option<IpAddr>,
}

/// The admission of one check. The lane is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Admission<'a> {
    _turn: SemaphorePermit<'a>,
    _waiting: Waiting<'a>,
    _in_progress: InProgress<'a>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Logins {
    max_delay: Duration,
    trusted: Lane,
    suspects: Lane,
    failures: Mutex<Failures>,
}

#[derive(Debug)]
struct Lane {
    turn: Semaphore,
    waiting: AtomicUsize,
}

/// Counts a check that waits or runs.
#[derive(Debug)]
struct Waiting<'a>(&'a AtomicUsize);

/// Counts a check of an address that waits or runs.
#[derive(Debug)]
struct InProgress<'a> {
    logins: &'a Logins,
    address: Option<IpAddr>,
}

impl Drop for InProgress<'_> {
    fn drop(&mut self) {
        let mut failures = self.logins.lock();
        if let Some(count) = failures.in_progress.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                failures.in_progress.remove(&self.address);
            }
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lane {
    fn new() -> Self {
        Lane { turn: Semaphore::new(1), waiting: AtomicUsize::new(0) }
    }

    fn enter(&self) -> Result<Waiting<'_>, Rejected> {
        let waiting = Waiting(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= WAITING_MAX { Err(Rejected) } else { Ok(waiting) }
    }
}

/// The recent failures.
#[derive(Debug, Default)]
struct Failures {
    by_attempt: HashMap<Attempt, Count>,
    by_address: HashMap<Option<IpAddr>, Count>,
    /// The checks of each address that wait or run.
    in_progress: HashMap<Option<IpAddr>, u32>,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    failures: u32,
    last: Instant,
}

impl Count {
    fn failures(count: Option<&Count>, now: Instant) -> u32 {
        count.filter(|count| now.duration_since(count.last) < FORGET_AFTER).map_or(0, |count| count.failures)
    }
}

impl Logins {
    /// Returns an admission that delays repeated failures by at most `max_delay`.
    pub(crate) fn new(max_delay: Duration) -> Self {
        Logins { max_delay, trusted: Lane::new(), suspects: Lane::new(), failures: Mutex::default() }
    }

    /// Waits until a password may be checked. Errors: [`Rejected`] if too many wait already.
    pub(crate) async fn admit(&self, attempt: &Attempt) -> Result<Admission<'_>, Rejected> {
        let (by_attempt, by_address, before) = {
            let mut failures = self.lock();
            let (by_attempt, by_address) = failures.of(attempt, Instant::now());
            let in_progress = failures.in_progress.entry(attempt.address).or_default();
            *in_progress += 1;
            (by_attempt, by_address, *in_progress - 1)
        };
        let in_progress = InProgress { logins: self, address: attempt.address };
        // A burst of checks has not failed yet, and may all fail.
        let is_suspect = by_attempt > 0 || by_address.saturating_add(before) >= SUSPECT_AFTER;
        let lane = if is_suspect { &self.suspects } else { &self.trusted };
        let waiting = lane.enter()?;
        let delay = self.delay(by_attempt);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        // The semaphore is never closed.
        let turn = lane.turn.acquire().await.map_err(|_| Rejected)?;
        Ok(Admission { _turn: turn, _waiting: waiting, _in_progress: in_progress })
    }

    /// Returns true if a password may be checked immediately, by a caller that cannot wait.
    pub(crate) fn admits_now(&self, attempt: &Attempt) -> bool {
        let now = Instant::now();
        let failures = self.lock();
        let is_over = |count: Option<&Count>, delay: Duration| {
            count.is_none_or(|count| now.saturating_duration_since(count.last) >= delay)
        };
        let (by_attempt, by_address) = failures.of(attempt, now);
        let of_address = if by_address >= SUSPECT_AFTER { SUSPECT_DELAY } else { Duration::ZERO };
        is_over(failures.by_attempt.get(attempt), self.delay(by_attempt))
            && is_over(failures.by_address.get(&attempt.address), of_address)
    }

    /// Records the result of a check, and logs a failure.
    pub(crate) fn record(&self, attempt: &Attempt, succeeded: bool) {
        let mut failures = self.lock();
        let (user, address) = (shown_name(&attempt.user), attempt.address.map(display));
        if succeeded {
            failures.by_attempt.remove(attempt);
            drop(failures);
            tracing::info!(target: "audit-authentication", user, address, "logged in");
            return;
        }
        let now = Instant::now();
        count(&mut failures.by_address, attempt.address, now);
        let in_a_row = count(&mut failures.by_attempt, attempt.clone(), now);
        drop(failures);
        tracing::info!(target: "audit-authentication", user, address, in_a_row, "login failed");
        tracing::warn!(target: "authentication", user, address, in_a_row, "login failed");
    }

    fn delay(&self, failures: u32) -> Duration {
        match failures.checked_sub(1) {
            None => Duration::ZERO,
            Some(doublings) => FIRST_DELAY
                .saturating_mul(1_u32.checked_shl(doublings).unwrap_or(u32::MAX))
                .min(self.max_delay),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Failures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Failures {
    /// Returns the failures of the attempt's user and address together, and of its address.
    fn of(&self, attempt: &Attempt, now: Instant) -> (u32, u32) {
        (
            Count::failures(self.by_attempt.get(attempt), now),
            Count::failures(self.by_address.get(&attempt.address), now),
        )
    }
}

/// Returns the beginning of a user's name that the log shows: a client may send any text.
fn shown_name(name: &str) -> &str {
    const MAX_BYTES: usize = 64;
    name.get(..name.floor_char_boundary(MAX_BYTES)).unwrap_or(name)
}

/// Counts a failure and returns the number of failures. A full table drops its old entries, or all.
fn count<K: std::hash::Hash + Eq>(table: &mut HashMap<K, Count>, key: K, now: Instant) -> u32 {
    if table.len() >= REMEMBERED_MAX && !table.contains_key(&key) {
        table.retain(|_, count| now.duration_since(count.last) < FORGET_AFTER);
        if table.len() >= REMEMBERED_MAX {
            table.clear();
        }
    }
    let failures = Count::failures(table.get(&key), now).saturating_add(1);
    table.insert(key, Count { failures, last: now });
    failures
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_paused_time(test: impl Future<Output = ()>) {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().start_paused(true).build().unwrap().block_on(test);
    }

    fn attempt(user: &str, last: u8) -> Attempt {
        Attempt { user: user.into(), address: Some(IpAddr::from([10, 0, 0, last])) }
    }

    #[test]
    fn each_failure_doubles_the_delay_of_its_user_at_its_address() {
        in_paused_time(async {
            let logins = Logins::new(Duration::from_secs(5));
            let mut delays = Vec::new();
            for failures in 1..=8 {
                let before = tokio::time::Instant::now();
                drop(logins.admit(&attempt("root", 1)).await.unwrap());
                delays.push(before.elapsed().as_millis());
                logins.record(&attempt("root", 1), false);
                assert_eq!(logins.lock().of(&attempt("root", 1), Instant::now()).0, failures);
            }
            assert_eq!(
                delays.iter().map(|delay| delay / 100).collect::<Vec<_>>(),
                [0, 1, 2, 4, 8, 16, 32, 50]
            );
            // The user elsewhere, and another user there, are not delayed.
            for other in [attempt("root", 2), attempt("admin", 1)] {
                let before = tokio::time::Instant::now();
                drop(logins.admit(&other).await.unwrap());
                assert_eq!(before.elapsed().as_millis(), 0);
            }
            logins.record(&attempt("root", 1), true);
            assert_eq!(logins.lock().of(&attempt("root", 1), Instant::now()).0, 0);
        });
    }

    #[test]
    fn guesses_under_many_names_leave_the_first_lane_to_others() {
        in_paused_time(async {
            let logins = Logins::new(Duration::ZERO);
            for name in 0..SUSPECT_AFTER {
                logins.record(&attempt(&name.to_string(), 1), false);
            }
            let guess = logins.admit(&attempt("new", 1)).await.unwrap();
            let other = logins.admit(&attempt("new", 2)).await.unwrap();
            drop((guess, other));
        });
    }

    #[test]
    fn a_burst_from_one_address_leaves_the_first_lane_to_others() {
        in_paused_time(async {
            let logins = Logins::new(Duration::ZERO);
            let names: Vec<Attempt> = (0..20).map(|name| attempt(&name.to_string(), 1)).collect();
            let mut burst: Vec<_> = names.iter().map(|name| Box::pin(logins.admit(name))).collect();
            for waiting in &mut burst {
                let _ = tokio::time::timeout(Duration::from_millis(1), waiting).await;
            }
            assert!(logins.trusted.waiting.load(Ordering::Relaxed) <= SUSPECT_AFTER as usize);
            drop(burst);
            assert!(logins.lock().in_progress.is_empty());
        });
    }

    #[test]
    fn a_caller_that_cannot_wait_is_refused_after_a_failure() {
        let logins = Logins::new(DEFAULT_MAX_DELAY);
        assert!(logins.admits_now(&attempt("root", 1)));
        logins.record(&attempt("root", 1), false);
        assert!(!logins.admits_now(&attempt("root", 1)) && logins.admits_now(&attempt("admin", 1)));
        (0..SUSPECT_AFTER).for_each(|name| logins.record(&attempt(&name.to_string(), 1), false));
        assert!(!logins.admits_now(&attempt("admin", 1)) && logins.admits_now(&attempt("root", 2)));
    }

    #[test]
    fn a_full_lane_refuses() {
        in_paused_time(async {
            let logins = Logins::new(Duration::ZERO);
            let mut waiting = Vec::new();
            for _ in 0..WAITING_MAX {
                waiting.push(logins.trusted.enter().unwrap());
            }
            assert!(logins.admit(&attempt("root", 1)).await.is_err());
            drop(waiting);
            assert!(logins.admit(&attempt("root", 1)).await.is_ok());
        });
    }

    #[test]
    fn the_tables_are_bounded() {
        let logins = Logins::new(Duration::ZERO);
        for user in 0..REMEMBERED_MAX + 5 {
            logins.record(&attempt(&user.to_string(), 1), false);
        }
        assert!(logins.lock().by_attempt.len() <= REMEMBERED_MAX);
        assert!(logins.lock().of(&attempt("x", 1), Instant::now()).1 > REMEMBERED_MAX as u32);
    }
}
