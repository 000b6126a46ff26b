//! The memory that the bodies of long requests share.
//!
//! A body is charged for memory as its bytes arrive, so an announced length alone takes nothing
//! from others. The server stops reading a body that gets no more memory: its bytes stay with the
//! client. Bodies that each hold a part and wait for the rest could wait for each other forever.
//! The banker's algorithm (Dijkstra, EWD 108) prevents that: memory is granted only if all bodies
//! could still be completed one after another, each with its declared length.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use errors::Result;
use tokio::sync::oneshot;

use crate::placement::pool::Rejected;

/// The bytes that a request takes for each byte of its body: the body itself and its VelocyPack.
///
/// Writes and replies are charged to accounts of their own.
pub(crate) const BYTES_PER_BODY_BYTE: usize = 2;

/// The length up to which bodies are not counted: there are at most as many as requests that run or
/// wait for a thread.
const FREE_BYTES: usize = 4 << 10;

/// The length up to which bodies use a separate part of the memory, as long as there is some. They
/// neither wait nor take a lock then.
pub(crate) const SHORT_BYTES: usize = 64 << 10;

/// The share of short bodies in all memory for bodies.
const SHORT_SHARE: usize = 9;

/// The time that a request waits for memory. Its client may pause as long in the middle of its
/// body.
const MEMORY_TIMEOUT: Duration = BODY_TIMEOUT;

/// The time that a client may pause in the middle of its request's body; ArangoDB's "about 90
/// seconds".
pub(crate) const BODY_TIMEOUT: Duration = Duration::from_secs(90);

/// See the module.
#[derive(Debug)]
pub(crate) struct BodyMemory {
    /// The memory of long bodies.
    capacity_bytes: usize,
    /// The memory of short ones, and what they have of it.
    short_capacity_bytes: usize,
    short_bytes: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free_bytes: usize,
    next: u64,
    /// The bodies that hold memory or wait for it, by their order of arrival.
    bodies: BTreeMap<u64, Body>,
    /// The bodies that wait, in the order in which they began to wait.
    waiting: VecDeque<Waiting>,
}

#[derive(Clone, Copy, Debug)]
struct Body {
    held_bytes: usize,
    /// The length that the body may reach.
    claim_bytes: usize,
}

#[derive(Debug)]
struct Waiting {
    body: u64,
    /// The bytes that the body is to hold.
    wanted_bytes: usize,
    granted: oneshot::Sender<()>,
}

/// The memory of one body, released on drop.
#[derive(Debug)]
pub(crate) struct BodyPermit {
    memory: Arc<BodyMemory>,
    /// The bytes that the body has of the memory of short ones.
    short_bytes: usize,
    /// None as long as the body has no memory of long ones.
    body: Option<u64>,
    claim_bytes: usize,
    held_bytes: usize,
}

impl BodyMemory {
    /// Returns the memory for bodies that together with their requests may take this many bytes.
    pub(crate) fn new(bytes: usize) -> Arc<Self> {
        let all_bytes = bytes / BYTES_PER_BODY_BYTE;
        let short_capacity_bytes = all_bytes / SHORT_SHARE;
        let capacity_bytes = (all_bytes - short_capacity_bytes).max(SHORT_BYTES);
        let state =
            State { free_bytes: capacity_bytes, next: 0, bodies: BTreeMap::new(), waiting: VecDeque::new() };
        let short_bytes = AtomicUsize::new(0);
        Arc::new(BodyMemory { capacity_bytes, short_capacity_bytes, short_bytes, state: Mutex::new(state) })
    }

    /// Returns the length of the longest body that there is memory for.
    pub(crate) fn capacity_bytes(&self) -> usize {
        self.capacity_bytes
    }

    /// Returns a permit for a body of at most `claim_bytes`, which holds nothing yet.
    pub(crate) fn permit(self: &Arc<Self>, claim_bytes: usize) -> BodyPermit {
        let claim_bytes = claim_bytes.min(self.capacity_bytes);
        BodyPermit { memory: Arc::clone(self), short_bytes: 0, body: None, claim_bytes, held_bytes: 0 }
    }

    /// Charges the memory of short bodies. Returns false if there is too little.
    fn charge_short(&self, bytes: usize) -> bool {
        let before = self.short_bytes.fetch_add(bytes, Ordering::Relaxed);
        let is_charged = before.saturating_add(bytes) <= self.short_capacity_bytes;
        if !is_charged {
            self.short_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
        is_charged
    }

    /// Returns true if bodies wait for memory.
    pub(crate) fn is_contended(&self) -> bool {
        !self.lock().waiting.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BodyPermit {
    /// Returns true if the body has memory of long ones, for which others may wait.
    pub(crate) fn is_long(&self) -> bool {
        self.body.is_some()
    }

    /// Returns the permit if its body has memory.
    pub(crate) fn if_counted(self) -> Option<Self> {
        (self.is_long() || self.short_bytes > 0).then_some(self)
    }

    /// Returns the bytes that the body may have now.
    pub(crate) fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    /// Waits until the body may have this many bytes; at most its claim count.
    ///
    /// Errors: 503 with 21003 if there is no memory for [`MEMORY_TIMEOUT`].
    pub(crate) async fn reach(&mut self, bytes: usize) -> Result<()> {
        let wanted_bytes = bytes.min(self.claim_bytes);
        if wanted_bytes <= self.held_bytes.max(FREE_BYTES) || self.reach_as_short(wanted_bytes) {
            return Ok(());
        }
        self.give_back_short();
        // Twice as much each time, so that this is asked for seldom.
        let wanted_bytes = (2 * wanted_bytes).min(self.claim_bytes);
        if let Some(granted) = self.ask(wanted_bytes) {
            // Boxed, so that the state of the usual request stays small.
            let granted = Box::pin(tokio::time::timeout(MEMORY_TIMEOUT, granted)).await;
            if !matches!(granted, Ok(Ok(()))) {
                self.give_up_waiting();
                return Err(Rejected.into());
            }
        }
        self.held_bytes = wanted_bytes;
        Ok(())
    }

    /// Charges the memory of short bodies. Returns false if the body is long or there is too
    /// little.
    fn reach_as_short(&mut self, wanted_bytes: usize) -> bool {
        if self.is_long() || wanted_bytes > SHORT_BYTES {
            return false;
        }
        let missing_bytes = wanted_bytes.saturating_sub(self.short_bytes);
        let is_charged = self.memory.charge_short(missing_bytes);
        if is_charged {
            self.short_bytes += missing_bytes;
        }
        is_charged
    }

    fn give_back_short(&mut self) {
        self.memory.short_bytes.fetch_sub(std::mem::take(&mut self.short_bytes), Ordering::Relaxed);
    }

    /// Returns `None` if the memory is granted immediately, and otherwise the message that grants
    /// it.
    fn ask(&mut self, wanted_bytes: usize) -> Option<oneshot::Receiver<()>> {
        let mut state = self.memory.lock();
        let body = *self.body.get_or_insert_with(|| {
            let body = state.next;
            state.next += 1;
            state.bodies.insert(body, Body { held_bytes: 0, claim_bytes: self.claim_bytes });
            body
        });
        let (granted, message) = oneshot::channel();
        state.waiting.push_back(Waiting { body, wanted_bytes, granted });
        state.grant();
        let waits = state.waiting.iter().any(|waiting| waiting.body == body);
        waits.then_some(message)
    }

    fn give_up_waiting(&self) {
        let mut state = self.memory.lock();
        state.waiting.retain(|waiting| Some(waiting.body) != self.body);
        state.grant();
    }

    /// Gives back what the body does not need: it is complete.
    pub(crate) fn complete(&mut self, bytes: usize) {
        let Some(body) = self.body else { return };
        let mut state = self.memory.lock();
        let kept = if bytes <= FREE_BYTES { 0 } else { bytes.min(self.held_bytes) };
        if let Some(body) = state.bodies.get_mut(&body) {
            (body.held_bytes, body.claim_bytes) = (kept, kept);
        }
        state.free_bytes += self.held_bytes - kept;
        (self.held_bytes, self.claim_bytes) = (kept, kept);
        state.grant();
    }
}

impl Drop for BodyPermit {
    fn drop(&mut self) {
        self.give_back_short();
        let Some(body) = self.body else { return };
        let mut state = self.memory.lock();
        state.waiting.retain(|waiting| waiting.body != body);
        // The state records memory that was granted to a request that is already gone.
        let held = state.bodies.remove(&body).map_or(0, |body| body.held_bytes);
        state.free_bytes += held;
        state.grant();
    }
}

impl State {
    /// Grants memory first to bodies that hold a part, since their memory comes back soonest, then
    /// to new ones in their order.
    fn grant(&mut self) {
        let mut position = 0;
        while let Some(waiting) = self.waiting.get(position) {
            if self.holds(waiting.body) && self.can_grant(waiting.body, waiting.wanted_bytes) {
                self.grant_at(position);
                // The order of the others may have changed what is safe.
                position = 0;
            } else {
                position += 1;
            }
        }
        if self.waiting.iter().any(|waiting| self.holds(waiting.body)) {
            return;
        }
        while let Some(waiting) = self.waiting.front() {
            if !self.can_grant(waiting.body, waiting.wanted_bytes) {
                return;
            }
            self.grant_at(0);
        }
    }

    fn holds(&self, body: u64) -> bool {
        self.bodies.get(&body).is_some_and(|body| body.held_bytes > 0)
    }

    fn grant_at(&mut self, position: usize) {
        let Some(waiting) = self.waiting.remove(position) else { return };
        if let Some(body) = self.bodies.get_mut(&waiting.body) {
            self.free_bytes -= waiting.wanted_bytes - body.held_bytes;
            body.held_bytes = waiting.wanted_bytes;
        }
        // A request that is gone gives its memory back by itself.
        let _ = waiting.granted.send(());
    }

    /// Returns true if all bodies could still be completed, one after another, once this one
    /// holds `wanted_bytes`.
    fn can_grant(&self, body: u64, wanted_bytes: usize) -> bool {
        let held = self.bodies.get(&body).map_or(0, |body| body.held_bytes);
        let Some(mut free) = self.free_bytes.checked_sub(wanted_bytes.saturating_sub(held)) else {
            return false;
        };
        let mut bodies: Vec<Body> = self
            .bodies
            .iter()
            .map(
                |(number, other)| {
                    if *number == body { Body { held_bytes: wanted_bytes, ..*other } } else { *other }
                },
            )
            .filter(|other| other.held_bytes > 0)
            .collect();
        bodies.sort_unstable_by_key(Body::missing_bytes);
        bodies.iter().all(|body| {
            let is_completed = body.missing_bytes() <= free;
            free += body.held_bytes;
            is_completed
        })
    }
}

impl Body {
    fn missing_bytes(&self) -> usize {
        self.claim_bytes - self.held_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1 << 10;

    fn memory(kib: usize) -> Arc<BodyMemory> {
        // A ninth is for short bodies.
        BodyMemory::new(kib * KIB * BYTES_PER_BODY_BYTE * SHORT_SHARE / (SHORT_SHARE - 1))
    }

    fn in_paused_time(test: impl Future<Output = ()>) {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().start_paused(true).build().unwrap().block_on(test);
    }

    fn is_granted(permit: &mut BodyPermit, bytes: usize) -> bool {
        let granted = permit.ask(bytes).is_none();
        if granted {
            permit.held_bytes = bytes;
        } else {
            permit.give_up_waiting();
        }
        granted
    }

    #[test]
    fn an_announced_length_takes_nothing() {
        let memory = memory(1_000);
        let announced: Vec<_> = (0..60).map(|_| memory.permit(1_000 * KIB)).collect();
        assert!(is_granted(&mut memory.permit(1_000 * KIB), 1_000 * KIB));
        drop(announced);
        assert_eq!(memory.lock().free_bytes, 1_000 * KIB);
    }

    #[test]
    fn memory_is_given_only_if_all_can_be_completed() {
        let memory = memory(1_000);
        let (mut one, mut two) = (memory.permit(800 * KIB), memory.permit(800 * KIB));
        assert!(is_granted(&mut one, 500 * KIB));
        assert!(is_granted(&mut two, 200 * KIB), "one can be completed, then two");
        assert!(!is_granted(&mut two, 300 * KIB), "none could be completed");
        assert!(is_granted(&mut one, 800 * KIB));
        one.complete(100 * KIB);
        assert!(is_granted(&mut two, 800 * KIB));
    }

    #[test]
    fn all_bodies_are_completed_in_any_order() {
        for seed in 0..200 {
            in_paused_time(async {
                let mut random = fastrand::Rng::with_seed(seed);
                let memory = memory(1_000);
                let bodies: Vec<_> = (0..random.usize(2..20))
                    .map(|_| {
                        let (memory, bytes) = (Arc::clone(&memory), random.usize(1..1_500 * KIB));
                        let claim = if random.bool() { bytes } else { usize::MAX };
                        let mut random = fastrand::Rng::with_seed(random.u64(..));
                        async move {
                            let mut permit = memory.permit(claim);
                            let bytes = bytes.min(memory.capacity_bytes());
                            let mut has = 0;
                            while has < bytes {
                                has = bytes.min(has + random.usize(1..300 * KIB));
                                permit.reach(has).await.unwrap();
                                assert!(permit.held_bytes.max(permit.short_bytes).max(FREE_BYTES) >= has);
                                tokio::time::sleep(Duration::from_millis(random.u64(0..3))).await;
                            }
                            permit.complete(bytes);
                            tokio::time::sleep(Duration::from_millis(random.u64(0..3))).await;
                        }
                    })
                    .collect();
                let tasks = tokio::task::LocalSet::new();
                for body in bodies {
                    tasks.spawn_local(body);
                }
                tasks.await;
                let state = memory.lock();
                assert_eq!((state.free_bytes, state.bodies.len(), state.waiting.len()), (1_000 * KIB, 0, 0));
            });
        }
    }

    #[test]
    fn short_bodies_have_a_part_of_their_own_and_then_wait_as_long_ones_do() {
        in_paused_time(async {
            let memory = memory(1_000);
            let mut long = memory.permit(1_000 * KIB);
            long.reach(1_000 * KIB).await.unwrap();
            let mut shorts = Vec::new();
            loop {
                let mut short = memory.permit(60 * KIB);
                if let Err(error) = short.reach(60 * KIB).await {
                    assert_eq!(error.number(), 21_003);
                    break;
                }
                shorts.push(short);
            }
            assert_eq!(shorts.len(), 125 / 60);
            let mut free = memory.permit(4 * KIB);
            free.reach(4 * KIB).await.unwrap();
            assert!(free.if_counted().is_none());
            drop(long);
            let mut another = memory.permit(60 * KIB);
            another.reach(60 * KIB).await.unwrap();
            assert!(another.is_long());
            drop((another, shorts));
            assert_eq!(memory.short_bytes.load(Ordering::Relaxed), 0);
            assert_eq!(memory.lock().free_bytes, 1_000 * KIB);
        });
    }

    #[test]
    fn a_body_that_waits_too_long_is_refused_and_leaves_nothing() {
        in_paused_time(async {
            let memory = memory(1_000);
            let mut one = memory.permit(1_000 * KIB);
            one.reach(1_000 * KIB).await.unwrap();
            let mut two = memory.permit(500 * KIB);
            assert_eq!(two.reach(500 * KIB).await.unwrap_err().number(), 21_003);
            drop(two);
            drop(one);
            assert_eq!(memory.lock().free_bytes, 1_000 * KIB);
        });
    }
}
