//! A cluster in memory, which answers the same messages: PD, some stores, and regions over them.
//!
//! Tests split regions, move leaders, let time pass, and make messages fail. It is written from the
//! protocol's description and shares no code with the client but the messages.

#![allow(clippy::result_large_err, reason = "the errors are messages, of a cluster for tests")]

mod elections;
mod faults;
mod garbage;
mod mvcc;
mod pd;
mod regions;
mod store;
mod traffic;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use prost::Message;

use crate::network::{Exchange, Fault, Network, Pending};
use crate::protocol::kv::Context;
use crate::protocol::region::Error as RegionError;
use crate::topology::pd::{from_milliseconds, milliseconds};
use elections::Elections;
use faults::{Effect, Faults};
use mvcc::Pairs;
use regions::Map;
use traffic::Traffic;

pub(crate) use faults::Failure;
pub(crate) use traffic::TrafficFigures;

/// The number of stores.
const STORES: u64 = 3;

/// The address of PD.
pub(crate) const PD_ADDRESS: &str = "pd:1";

/// A cluster in memory.
#[derive(Default)]
pub(crate) struct MockCluster {
    state: Mutex<State>,
    faults: Faults,
    traffic: Traffic,
}

#[derive(Default)]
struct State {
    pairs: Pairs,
    map: Map,
    /// The last timestamp.
    clock: u64,
    /// Milliseconds by which the clock is ahead of the machine's.
    ahead: u64,
    /// The oldest readable state.
    safe_point: u64,
    /// The locks whose transactions the stores may have forgotten.
    forgotten: usize,
    /// The states that services have asked for.
    services: Vec<Service>,
    /// The stores that have stopped, with the timestamp of their end.
    stopped: BTreeMap<u64, u64>,
    elections: Elections,
    /// The messages for timestamps since the last look, and their timestamps.
    given: (u64, u64),
    /// The disks of all stores are almost full.
    is_almost_full: bool,
    /// PD has no barriers yet.
    is_pd_old: bool,
    /// The messages to PD that it does not know, and those that it calls deprecated.
    unknown_messages: usize,
    deprecated_messages: usize,
    /// The moment when PD has its next leader.
    pd_leads_from_ms: u64,
    /// The time after which replicas learn that they have all commits.
    replicas_behind_ms: u64,
    /// The reads since the last look, by the store that has answered them.
    reads: BTreeMap<u64, usize>,
}

/// A state that PD keeps for a service.
struct Service {
    id: Vec<u8>,
    oldest: u64,
    /// The end of its life in milliseconds of the cluster's time.
    until_ms: u64,
}

impl MockCluster {
    /// Makes a cluster with one region.
    pub(crate) fn new() -> Arc<MockCluster> {
        Arc::default()
    }

    /// Makes a cluster whose elections take the `divisor`th part of the longest real ones.
    pub(crate) fn with_elections(divisor: u64) -> Arc<MockCluster> {
        let cluster = MockCluster::new();
        cluster.lock().elections = Elections::divided_by(divisor);
        cluster
    }

    /// Splits the region of a key at the key.
    pub(crate) fn split(&self, key: &[u8]) {
        self.lock().map.split(key);
    }

    /// Merges a region, by its place, with the next one, if there is one.
    pub(crate) fn merge_at(&self, place: usize) {
        self.lock().map.merge(place);
    }

    /// Moves the leader of every region to another store.
    pub(crate) fn move_leaders(&self) {
        self.lock().map.move_leaders();
    }

    /// Stops a store. Other stores lead its regions after an election.
    pub(crate) fn stop_store(&self, store: u64) {
        let mut state = self.lock();
        let now = state.timestamps(1);
        state.stopped.insert(store, now);
        let (now_ms, elections) = (state.now_ms(), state.elections);
        state.map.leave(store, now_ms, elections);
    }

    /// Stops the leader of PD. Another one answers after an election.
    pub(crate) fn stop_leader_of_pd(&self) {
        let mut state = self.lock();
        state.pd_leads_from_ms = state.now_ms() + state.elections.pd_ms();
    }

    /// Lets time pass.
    pub(crate) fn pass(&self, milliseconds: u64) {
        self.lock().ahead += milliseconds;
    }

    /// Lets the cluster forget old versions: all before now.
    pub(crate) fn forget_old_versions(&self) {
        let mut state = self.lock();
        state.safe_point = state.timestamps(1);
    }

    /// Returns the number of versions that the stores keep, and the number of locks whose
    /// transactions they may have forgotten.
    pub(crate) fn kept(&self) -> (usize, usize) {
        let state = self.lock();
        (state.pairs.versions(), state.forgotten)
    }

    /// Fills the disks of all stores almost, or makes room on them.
    pub(crate) fn set_almost_full(&self, is_almost_full: bool) {
        self.lock().is_almost_full = is_almost_full;
    }

    /// Makes PD one of a version without barriers, or one with them.
    pub(crate) fn set_old_pd(&self, is_old: bool) {
        self.lock().is_pd_old = is_old;
    }

    /// Returns the number of messages that PD did not know, and of those that it calls deprecated.
    pub(crate) fn odd_messages_to_pd(&self) -> (usize, usize) {
        let state = self.lock();
        (state.unknown_messages, state.deprecated_messages)
    }

    /// Returns the messages for timestamps since the last call, and the number of their timestamps.
    pub(crate) fn timestamps(&self) -> (u64, u64) {
        std::mem::take(&mut self.lock().given)
    }

    /// Returns the oldest state that a service has asked PD to keep.
    pub(crate) fn oldest_kept(&self) -> Option<u64> {
        self.lock().oldest_kept()
    }

    /// Returns the number of locks in the cluster.
    pub(crate) fn locks(&self) -> usize {
        self.lock().pairs.locks()
    }

    /// Lets replicas learn after a time only that they have all commits.
    pub(crate) fn set_replicas_behind(&self, milliseconds: u64) {
        self.lock().replicas_behind_ms = milliseconds;
    }

    /// Says how many replicas each region has, on the first stores.
    pub(crate) fn set_replicas(&self, replicas: u64) {
        self.lock().map.replicas = replicas;
    }

    /// Returns the number of reads that each store has answered since the last call.
    pub(crate) fn reads(&self) -> BTreeMap<u64, usize> {
        std::mem::take(&mut self.lock().reads)
    }

    /// Makes the next `count` messages of a method fail.
    pub(crate) fn fail(&self, method: &'static str, failure: Failure, count: usize) {
        self.faults.add(method, failure, count);
    }

    /// Makes every message to a store fail with a chance of one in `one_in`; 0 ends that.
    pub(crate) fn fail_at_random(&self, one_in: u32) {
        self.faults.at_random(one_in);
    }

    /// Makes every message to a store take a time.
    pub(crate) fn delay(&self, time: Duration) {
        self.traffic.delay(time);
    }

    /// Returns the statistics of the messages to stores since the last call.
    pub(crate) fn traffic(&self) -> TrafficFigures {
        self.traffic.take()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, address: &str, method: &str, message: &[u8]) -> Result<Bytes, Fault> {
        let mut state = self.lock();
        let now_ms = state.now_ms();
        let is_stopped = match address {
            PD_ADDRESS => now_ms < state.pd_leads_from_ms,
            store => state.stopped.keys().any(|stopped| store == address_of(*stopped)),
        };
        if is_stopped {
            return Err(Fault::Unreachable("a test has stopped the process".to_owned()));
        }
        state.map.elect(now_ms);
        if address == PD_ADDRESS && pd::is_unknown(&mut state, method) {
            return Err(Fault::Unimplemented(method.to_owned()));
        }
        let reply = match address {
            PD_ADDRESS => pd::answer(&mut state, method, message),
            store => store::answer(&mut state, store, method, message),
        };
        reply.map(Bytes::from).map_err(|error| Fault::Lost(error.to_string()))
    }
}

impl State {
    /// Returns the milliseconds of the cluster's time.
    fn now_ms(&self) -> u64 {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        time + self.ahead
    }

    /// Returns the oldest state that a service has asked PD to keep.
    fn oldest_kept(&self) -> Option<u64> {
        let now_ms = self.now_ms();
        let living = self.services.iter().filter(|service| now_ms < service.until_ms);
        living.map(|service| service.oldest).min()
    }

    /// Returns the bounds of the region to which a message is addressed, or the error that says
    /// that it is not there.
    fn check(&self, store: &str, context: Option<&Context>) -> Result<(Vec<u8>, Vec<u8>), RegionError> {
        self.map.check(store, context, self.now_ms())
    }

    /// Takes `count` timestamps and returns the last of them.
    fn timestamps(&mut self, count: u32) -> u64 {
        let now = from_milliseconds(self.now_ms());
        self.clock = self.clock.max(now) + u64::from(count);
        self.clock
    }
}

impl MockCluster {
    async fn handle(&self, address: &str, method: &'static str, message: Bytes) -> Result<Bytes, Fault> {
        let on_its_way = self.traffic.begin(method).await;
        let reply = self.handle_now(address, method, message).await;
        if let (Some(on_its_way), Ok(reply)) = (on_its_way, &reply) {
            on_its_way.reply(reply.len());
        }
        reply
    }

    async fn handle_now(&self, address: &str, method: &'static str, message: Bytes) -> Result<Bytes, Fault> {
        match self.faults.next(method) {
            None => self.answer(address, method, &message),
            Some(Effect::Before(fault)) => Err(fault),
            Some(Effect::After(fault)) => {
                self.answer(address, method, &message)?;
                Err(fault)
            }
            Some(Effect::Wait(time)) => {
                tokio::time::sleep(time).await;
                self.answer(address, method, &message)
            }
            Some(Effect::Reply(reply)) => Ok(reply),
        }
    }
}

/// The way of a client to a mock cluster, which several clients may share.
pub(crate) struct Route {
    cluster: Arc<MockCluster>,
    /// True once the client is cut off from the cluster.
    is_cut: AtomicBool,
}

impl Route {
    pub(crate) fn to(cluster: &Arc<MockCluster>) -> Arc<Route> {
        Arc::new(Route { cluster: Arc::clone(cluster), is_cut: AtomicBool::new(false) })
    }

    /// Cuts the client off from the cluster.
    pub(crate) fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
    }

    /// Connects the client with the cluster again.
    pub(crate) fn mend(&self) {
        self.is_cut.store(false, Ordering::Relaxed);
    }

    fn check(&self) -> Result<(), Fault> {
        match self.is_cut.load(Ordering::Relaxed) {
            true => Err(Fault::Unreachable("the network of a test is cut".to_owned())),
            false => Ok(()),
        }
    }
}

impl Network for Route {
    fn call<'a>(
        &'a self,
        address: &'a str,
        method: &'static str,
        message: Bytes,
    ) -> Pending<'a, Result<Bytes, Fault>> {
        Box::pin(async move {
            self.check()?;
            self.cluster.handle(address, method, message).await
        })
    }

    fn open<'a>(
        &'a self,
        address: &'a str,
        method: &'static str,
    ) -> Pending<'a, Result<Box<dyn Exchange>, Fault>> {
        let (cluster, address) = (Arc::clone(&self.cluster), address.to_owned());
        Box::pin(async move {
            self.check()?;
            Ok(Box::new(Stream { cluster, address, method }) as Box<dyn Exchange>)
        })
    }
}

struct Stream {
    cluster: Arc<MockCluster>,
    address: String,
    method: &'static str,
}

impl Exchange for Stream {
    fn exchange(&mut self, message: Bytes) -> Pending<'_, Result<Bytes, Fault>> {
        Box::pin(self.cluster.handle(&self.address, self.method, message))
    }
}

/// Returns the address of a store.
fn address_of(store: u64) -> String {
    format!("store:{store}")
}

/// Encodes the reply to a message that `handle` answers.
fn reply<Q: Message + Default, R: Message>(
    message: &[u8],
    handle: impl FnOnce(Q) -> R,
) -> Result<Vec<u8>, prost::DecodeError> {
    Ok(handle(Q::decode(message)?).encode_to_vec())
}

/// Returns true if a lock that lives `ttl` milliseconds from `start` on is dead at `now`.
fn is_expired(start: u64, ttl: u64, now: u64) -> bool {
    milliseconds(now) >= milliseconds(start).saturating_add(ttl)
}
