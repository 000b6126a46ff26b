//! The regions of the mock cluster.

use super::{Elections, STORES, address_of};
use crate::codec;
use crate::protocol::kv::Context;
use crate::protocol::region::{EpochNotMatch, Error, NotLeader, Nothing, Peer, Region, RegionEpoch};

/// All regions in order.
pub(super) struct Map {
    regions: Vec<Placed>,
    last_id: u64,
    /// The number of replicas that each region has.
    pub(super) replicas: u64,
}

#[derive(Clone)]
pub(super) struct Placed {
    id: u64,
    version: u64,
    /// The first key; the next region's is the end.
    start: Vec<u8>,
    leader: u64,
    /// The election of the next leader, if the last one has stopped.
    election: Option<Election>,
}

/// An election, with moments in milliseconds of the cluster's time.
#[derive(Clone, Copy)]
struct Election {
    begin_ms: u64,
    /// The other replicas have noticed. Before it, they name the leader that has stopped.
    noticed_ms: u64,
    end_ms: u64,
    winner: u64,
}

impl Default for Map {
    fn default() -> Self {
        Map {
            regions: vec![Placed { id: 1, version: 1, start: Vec::new(), leader: 1, election: None }],
            last_id: 1,
            replicas: STORES,
        }
    }
}

/// The replica of a region on a store.
fn peer(region: u64, store: u64) -> Peer {
    Peer { id: region * 10 + store, store_id: store, role: 0 }
}

impl Map {
    pub(super) fn split(&mut self, key: &[u8]) {
        let at = self.regions.partition_point(|region| region.start.as_slice() <= key);
        let Some(left) = at.checked_sub(1).and_then(|at| self.regions.get_mut(at)) else { return };
        if left.start == key {
            return;
        }
        left.version += 1;
        self.last_id += 1;
        let leader = self.last_id % STORES + 1;
        let (version, start) = (left.version, key.to_vec());
        let right = Placed { id: self.last_id, version, start, leader, election: None };
        self.regions.insert(at, right);
    }

    /// Merges a region with the next one, which vanishes.
    pub(super) fn merge(&mut self, at: usize) {
        if at + 1 < self.regions.len() {
            let gone = self.regions.remove(at + 1);
            if let Some(left) = self.regions.get_mut(at) {
                left.version = left.version.max(gone.version) + 1;
            }
        }
    }

    pub(super) fn move_leaders(&mut self) {
        self.regions.iter_mut().for_each(|region| region.leader = region.leader % STORES + 1);
    }

    /// Begins the elections of the regions that a store leads.
    pub(super) fn leave(&mut self, store: u64, now_ms: u64, elections: Elections) {
        let end_ms = now_ms + elections.store_ms();
        let noticed_ms = now_ms + elections.store_ms() / 2;
        for region in self.regions.iter_mut().filter(|region| region.leader == store) {
            region.election =
                Some(Election { begin_ms: now_ms, noticed_ms, end_ms, winner: store % STORES + 1 });
        }
    }

    /// Ends the elections that are over.
    pub(super) fn elect(&mut self, now_ms: u64) {
        for region in &mut self.regions {
            if let Some(election) = region.election.filter(|election| election.end_ms <= now_ms) {
                region.leader = election.winner;
                region.election = None;
            }
        }
    }

    /// Returns the place of the region of a key.
    pub(super) fn find(&self, key: &[u8]) -> usize {
        self.regions.partition_point(|region| region.start.as_slice() <= key).saturating_sub(1)
    }

    /// Returns the first key after a region; empty if there is no end.
    pub(super) fn end(&self, at: usize) -> &[u8] {
        self.regions.get(at + 1).map_or(&[], |next| next.start.as_slice())
    }

    /// Returns the description of a region and its leader.
    pub(super) fn describe(&self, at: usize) -> Option<(Region, Peer)> {
        let placed = self.regions.get(at)?;
        let region = Region {
            id: placed.id,
            start_key: codec::encode_end(&placed.start),
            end_key: codec::encode_end(self.end(at)),
            region_epoch: Some(RegionEpoch { conf_ver: 1, version: placed.version }),
            peers: (1..=self.replicas).map(|store| peer(placed.id, store)).collect(),
        };
        Some((region, peer(placed.id, placed.leader)))
    }

    pub(super) fn len(&self) -> usize {
        self.regions.len()
    }

    /// Returns the moment up to which a leader has told the other replicas of a region about its
    /// commits, in milliseconds of the cluster's time.
    pub(super) fn told_ms(&self, id: u64, now_ms: u64) -> u64 {
        let region = self.regions.iter().find(|region| region.id == id);
        region.and_then(|region| region.election).map_or(now_ms, |election| election.begin_ms)
    }

    /// Returns the bounds of the region to which a message is addressed, or the error that says
    /// that it is not there.
    pub(super) fn check(
        &self,
        store: &str,
        context: Option<&Context>,
        now_ms: u64,
    ) -> Result<(Vec<u8>, Vec<u8>), Error> {
        let error = Error { message: "a test".to_owned(), ..Error::default() };
        let Some(context) = context else { return Err(error) };
        let Some(at) = self.regions.iter().position(|region| region.id == context.region_id) else {
            return Err(Error { region_not_found: Some(Nothing {}), ..error });
        };
        let Some((region, leader)) = self.describe(at) else { return Err(error) };
        let election = self.regions.get(at).and_then(|region| region.election);
        let is_follower = store != address_of(leader.store_id);
        if is_follower && context.replica_read && election.is_some() {
            return Err(Error { read_index_not_ready: Some(Nothing {}), ..error });
        }
        if is_follower && !context.replica_read && !context.stale_read {
            let is_electing = election.is_some_and(|election| election.noticed_ms <= now_ms);
            let not_leader = NotLeader { region_id: region.id, leader: (!is_electing).then_some(leader) };
            return Err(Error { not_leader: Some(not_leader), ..error });
        }
        if context.region_epoch != region.region_epoch {
            let current_regions =
                (at..self.len()).take(2).filter_map(|at| self.describe(at)).map(|found| found.0);
            let changed = EpochNotMatch { current_regions: current_regions.collect() };
            return Err(Error { epoch_not_match: Some(changed), ..error });
        }
        let start = self.regions.get(at).map(|placed| placed.start.clone()).unwrap_or_default();
        Ok((start, self.end(at).to_vec()))
    }
}
