//! The known regions of the cluster and their leaders.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use crate::codec;
use crate::protocol::region::{Peer, Region as RegionMessage, RegionEpoch};

/// A region with the bounds of its keys as they are before their encoding.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Region {
    pub(crate) id: u64,
    pub(crate) epoch: RegionEpoch,
    /// The first key (inclusive).
    pub(crate) start: Vec<u8>,
    /// The first key after (exclusive); empty if there is no end.
    pub(crate) end: Vec<u8>,
    pub(crate) leader: Peer,
    pub(crate) peers: Vec<Peer>,
    /// The time of the description, in milliseconds of the cluster's clock. Replicas may have been
    /// added since: stores do not say that.
    pub(crate) described_ms: u64,
}

impl Region {
    /// Makes a region of a description of now. Returns `None` if it has no peers.
    pub(crate) fn new(message: RegionMessage, leader: Option<Peer>, now_ms: u64) -> Option<Region> {
        // PD does not know the leader of a region that is electing one.
        let leader = leader.filter(|leader| leader.store_id != 0).or(message.peers.first().copied())?;
        Some(Region {
            id: message.id,
            epoch: message.region_epoch.unwrap_or_default(),
            start: codec::decode(&message.start_key),
            end: codec::decode(&message.end_key),
            leader,
            peers: message.peers,
            described_ms: now_ms,
        })
    }

    /// Returns true if the key is in the region.
    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        key >= self.start.as_slice() && self.is_before_end(key)
    }

    /// Returns true if the key is below the region's end.
    pub(crate) fn is_before_end(&self, key: &[u8]) -> bool {
        self.end.is_empty() || key < self.end.as_slice()
    }
}

/// The known regions, which may be out of date: a store then says so.
#[derive(Default)]
pub(crate) struct Regions {
    by_start: RwLock<BTreeMap<Vec<u8>, Arc<Region>>>,
}

impl Regions {
    /// Returns the known region of a key.
    pub(crate) fn of(&self, key: &[u8]) -> Option<Arc<Region>> {
        let known = self.by_start.read().unwrap_or_else(PoisonError::into_inner);
        let (_, region) = known.range::<[u8], _>((Bound::Unbounded, Bound::Included(key))).next_back()?;
        region.contains(key).then(|| Arc::clone(region))
    }

    /// Returns the known region of the last keys below `end`.
    pub(crate) fn before(&self, end: &[u8]) -> Option<Arc<Region>> {
        let known = self.by_start.read().unwrap_or_else(PoisonError::into_inner);
        let (_, region) = known.range::<[u8], _>((Bound::Unbounded, Bound::Excluded(end))).next_back()?;
        (region.end.is_empty() || region.end.as_slice() >= end).then(|| Arc::clone(region))
    }

    /// Adds a region. It replaces those that it overlaps.
    pub(crate) fn add(&self, region: Region) -> Arc<Region> {
        let region = Arc::new(region);
        let mut known = self.write();
        let overlapping: Vec<Vec<u8>> = known
            .iter()
            .rev()
            .skip_while(|(start, _)| !region.is_before_end(start))
            .take_while(|(_, other)| other.end.is_empty() || other.end > region.start)
            .map(|(start, _)| start.clone())
            .collect();
        for start in overlapping {
            known.remove(&start);
        }
        known.insert(region.start.clone(), Arc::clone(&region));
        region
    }

    /// Returns the number of known regions.
    pub(crate) fn len(&self) -> usize {
        self.by_start.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Forgets a region, so that PD is asked again.
    pub(crate) fn forget(&self, region: &Region) {
        let mut known = self.write();
        if known.get(&region.start).is_some_and(|other| other.id == region.id) {
            known.remove(&region.start);
        }
    }

    /// Notes another leader of a region.
    pub(crate) fn set_leader(&self, region: &Region, leader: Peer) {
        let mut known = self.write();
        if let Some(other) = known.get_mut(&region.start)
            && other.id == region.id
        {
            *other = Arc::new(Region { leader, ..Region::clone(other) });
        }
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<Vec<u8>, Arc<Region>>> {
        self.by_start.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(id: u64, start: &str, end: &str) -> Region {
        let leader = Peer { id, store_id: 1, role: 0 };
        Region {
            id,
            epoch: RegionEpoch::default(),
            start: start.into(),
            end: end.into(),
            leader,
            peers: vec![leader],
            described_ms: 0,
        }
    }

    #[test]
    fn regions_are_found_from_both_sides() {
        let regions = Regions::default();
        for (id, start, end) in [(1, "", "c"), (2, "c", "m"), (3, "m", "")] {
            regions.add(region(id, start, end));
        }
        let of = |key: &str| regions.of(key.as_bytes()).map(|region| region.id);
        let before = |key: &str| regions.before(key.as_bytes()).map(|region| region.id);
        assert_eq!((of("a"), of("c"), of("lz"), of("m")), (Some(1), Some(2), Some(2), Some(3)));
        assert_eq!(
            (before("a"), before("c"), before("d"), before("z")),
            (Some(1), Some(1), Some(2), Some(3))
        );
        regions.add(region(4, "c", "f"));
        assert_eq!((of("d"), of("g"), of("z")), (Some(4), None, Some(3)));
        regions.add(region(5, "b", ""));
        assert_eq!((of("a"), of("d"), of("z")), (None, Some(5), Some(5)));
    }
}
