//! The replicas other than leaders, as dirty reads have found them: those that do not answer now,
//! and the state that replicas still have while a region has no leader.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::protocol::region::Peer;
use crate::topology::regions::Region;

/// The time for which a store gets no dirty reads after it lacked commits.
const PAUSE_BEHIND: Duration = Duration::from_secs(1);

/// The time for which a store gets no dirty reads after it did not answer.
const PAUSE_SILENT: Duration = Duration::from_secs(5);

/// The age of a region's description from which on dirty reads ask for its present replicas.
const DESCRIPTION_LIFE_MS: u64 = 60_000;

/// Maximum number of regions that wait for a new description.
const OLD_MAX: usize = 256;

/// `Peer::role` of a replica that votes. Others may keep the data in another form.
const ROLE_VOTER: i32 = 0;

/// A replica is near if its replies take at most this many times as long as those of the nearest,
/// plus the seconds of [`NEAR_SECONDS`].
const NEAR_TIMES: f64 = 2.0;
const NEAR_SECONDS: f64 = 0.000_2;

/// The knowledge about replicas.
#[derive(Default)]
pub(crate) struct Replicas {
    /// The number of choices so far: near replicas take turns.
    turn: AtomicUsize,
    /// The stores that get no dirty reads until a moment.
    paused: Mutex<HashMap<u64, Instant>>,
    ceiling: Mutex<Option<Ceiling>>,
    /// The regions with old descriptions that dirty reads have met, by number, with their first
    /// keys.
    old: Mutex<BTreeMap<u64, Vec<u8>>>,
    answered: AtomicU64,
    missed: AtomicU64,
}

/// The greatest timestamp of dirty reads, because a region has no leader that could answer later
/// ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ceiling {
    pub(crate) at: u64,
    /// A key of the region.
    pub(crate) key: Vec<u8>,
}

impl Replicas {
    /// Chooses the replica of a region for a dirty read. It may be the leader, and is the leader if
    /// no other replica answers now. `seconds` returns the time that a replica takes for its
    /// replies, if it is known.
    pub(crate) fn choose(&self, region: &Region, seconds: impl Fn(&Peer) -> Option<f64>) -> Peer {
        let now = Instant::now();
        let usable: Vec<(&Peer, f64)> = {
            let paused = self.paused();
            let is_usable = |peer: &&Peer| {
                let is_paused = paused.get(&peer.store_id).is_some_and(|until| *until > now);
                peer.role == ROLE_VOTER && !is_paused
            };
            let usable = region.peers.iter().filter(is_usable);
            usable.map(|peer| (peer, seconds(peer).unwrap_or(0.0))).collect()
        };
        let times = usable.iter().map(|(_, time)| *time).filter(|time| *time > 0.0);
        let limit = times.fold(f64::INFINITY, f64::min) * NEAR_TIMES + NEAR_SECONDS;
        let near: Vec<&Peer> =
            usable.iter().filter(|(_, time)| *time <= limit).map(|(peer, _)| *peer).collect();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let chosen = turn.checked_rem(near.len()).and_then(|at| near.get(at));
        chosen.map_or(region.leader, |peer| **peer)
    }

    /// Notes that a dirty read has met a region, whose replicas may be others by now.
    pub(crate) fn note_met(&self, region: &Region, now_ms: u64) {
        if now_ms.saturating_sub(region.described_ms) < DESCRIPTION_LIFE_MS {
            return;
        }
        let mut old = self.old.lock().unwrap_or_else(PoisonError::into_inner);
        if old.len() < OLD_MAX {
            old.entry(region.id).or_insert_with(|| region.start.clone());
        }
    }

    /// Takes the first keys of the regions whose descriptions are old.
    pub(crate) fn take_old(&self) -> Vec<Vec<u8>> {
        let mut old = self.old.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *old).into_values().collect()
    }

    /// Notes that a replica has answered a dirty read.
    pub(crate) fn note_answer(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a store lacks commits, or is in no state to answer.
    pub(crate) fn note_behind(&self, store: u64) {
        self.pause(store, PAUSE_BEHIND);
    }

    /// Notes that a store does not answer.
    pub(crate) fn note_silent(&self, store: u64) {
        self.pause(store, PAUSE_SILENT);
    }

    fn pause(&self, store: u64, time: Duration) {
        self.missed.fetch_add(1, Ordering::Relaxed);
        self.paused().insert(store, Instant::now() + time);
    }

    /// Notes that a region, of which `key` is a key, has no leader, and that its replicas have all
    /// commits up to a timestamp.
    pub(crate) fn lower_ceiling(&self, at: u64, key: &[u8]) {
        // Stores that lacked commits have those of this timestamp. The ones that are silent are
        // found out again.
        self.paused().clear();
        let mut ceiling = self.ceiling.lock().unwrap_or_else(PoisonError::into_inner);
        if ceiling.as_ref().is_none_or(|ceiling| at < ceiling.at) {
            *ceiling = Some(Ceiling { at, key: key.to_vec() });
        }
    }

    /// Returns the greatest timestamp of dirty reads, if there is one.
    pub(crate) fn ceiling(&self) -> Option<Ceiling> {
        self.ceiling.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends a ceiling, whose region has a leader again.
    pub(crate) fn lift_ceiling(&self, lifted: &Ceiling) {
        let mut ceiling = self.ceiling.lock().unwrap_or_else(PoisonError::into_inner);
        if ceiling.as_ref() == Some(lifted) {
            *ceiling = None;
        }
    }

    /// Returns the counts of dirty reads by name: those that a replica other than the leader has
    /// answered, and those that it has not.
    pub(crate) fn counters(&self) -> [(String, u64); 2] {
        let count = |name: &str, count: &AtomicU64| (name.to_owned(), count.load(Ordering::Relaxed));
        [count("tikv.replica-reads", &self.answered), count("tikv.replica-reads-missed", &self.missed)]
    }

    fn paused(&self) -> MutexGuard<'_, HashMap<u64, Instant>> {
        self.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::protocol::region::RegionEpoch;

    fn region() -> Region {
        let peers: Vec<Peer> = (1..=4)
            .map(|store| Peer { id: store * 10, store_id: store, role: (store == 4).into() })
            .collect();
        Region {
            id: 1,
            epoch: RegionEpoch::default(),
            start: Vec::new(),
            end: Vec::new(),
            leader: peers[0],
            peers,
            described_ms: 0,
        }
    }

    /// Chooses twelve times, and returns the stores.
    fn chosen(replicas: &Replicas, seconds: [f64; 4]) -> BTreeSet<u64> {
        let of = |peer: &Peer| Some(seconds[peer.store_id as usize - 1]).filter(|time| *time > 0.0);
        (0..12).map(|_| replicas.choose(&region(), of).store_id).collect()
    }

    /// Near replicas take turns, and one whose time is not known is tried. A learner is not.
    #[test]
    fn near_replicas_take_turns() {
        let replicas = Replicas::default();
        assert_eq!(chosen(&replicas, [0.001, 0.001, 0.001, 0.001]), [1, 2, 3].into());
        assert_eq!(chosen(&replicas, [0.001, 0.001, 0.010, 0.001]), [1, 2].into());
        assert_eq!(chosen(&replicas, [0.050, 0.001, 0.0, 0.0]), [2, 3].into());
        replicas.note_behind(2);
        assert_eq!(chosen(&replicas, [0.050, 0.001, 0.050, 0.0]), [1, 3].into());
        replicas.note_silent(3);
        assert_eq!(chosen(&replicas, [0.050, 0.001, 0.050, 0.0]), [1].into());
    }

    /// The lowest state that some region has is the one of all dirty reads.
    #[test]
    fn the_lowest_ceiling_counts() {
        let replicas = Replicas::default();
        assert_eq!(replicas.ceiling(), None);
        for at in [7, 5, 6] {
            replicas.lower_ceiling(at, b"k");
        }
        let ceiling = replicas.ceiling().unwrap();
        assert_eq!(ceiling.at, 5);
        replicas.lower_ceiling(4, b"k");
        replicas.lift_ceiling(&ceiling);
        assert_eq!(replicas.ceiling().unwrap().at, 4);
        replicas.lift_ceiling(&Ceiling { at: 4, key: b"k".to_vec() });
        assert_eq!(replicas.ceiling(), None);
    }
}
