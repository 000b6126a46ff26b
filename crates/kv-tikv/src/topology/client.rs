//! The client of a cluster: messages to the leaders of regions.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use kv::{Error, Result};
use prost::Message;

use crate::codec;
use crate::network::{Counted, Fault, Network};
use crate::options::TikvOptions;
use crate::outcomes::Outcomes;
use crate::protocol::kv::Context;
use crate::protocol::pd::{
    GetPrevRegionRequest, GetRegionRequest, GetRegionResponse, GetStoreRequest, ScanRegionsRequest,
};
use crate::protocol::region::Peer;
use crate::protocol::{RegionReply, RegionRequest, region};
use crate::topology::fence::Fence;
use crate::topology::pd::{Pd, Timestamps};
use crate::topology::region_errors::{self, RegionErrors, Remedy};
use crate::topology::regions::{Region, Regions};
use crate::topology::replicas::Replicas;
use crate::topology::retry::Retry;

/// The least pause while a region elects its leader.
const ELECTION_PAUSE: Duration = Duration::from_millis(20);

/// Maximum number of regions of one message.
const REGIONS_MAX: usize = 256;

/// The client of a cluster.
pub(crate) struct Client {
    network: Arc<Counted>,
    pub(crate) pd: Arc<Pd>,
    pub(crate) timestamps: Timestamps,
    regions: Regions,
    region_errors: RegionErrors,
    addresses: RwLock<HashMap<u64, String>>,
    /// The replicas other than leaders, as dirty reads have found them.
    pub(crate) replicas: Replicas,
    /// The outcomes of transactions whose locks were met.
    pub(crate) outcomes: Outcomes,
    pub(crate) timeout: Duration,
    /// A transaction may commit in one phase.
    pub(crate) one_phase: bool,
    /// The end of the server's lease.
    pub(crate) fence: Fence,
}

/// The reason why a message to a region has no usable reply.
#[derive(Debug)]
pub(crate) struct Miss {
    pub(crate) reason: String,
    /// The least pause before another attempt.
    least_pause: Duration,
    /// The store may have acted on the message.
    pub(crate) may_have_acted: bool,
    /// The failure that every other attempt would meet as well.
    pub(crate) failure: Option<Error>,
    /// The region seems to have no leader now.
    pub(crate) is_leaderless: bool,
}

/// The reason why one replica has given no usable reply to a message.
#[derive(Debug)]
pub(crate) enum Trouble {
    NoAddress(Error),
    Silence { address: String, fault: Fault },
    Broken { address: String, error: prost::DecodeError },
    Refusal { error: region::Error, message_bytes: usize },
}

impl Miss {
    pub(crate) fn new(reason: String) -> Self {
        Miss {
            reason,
            least_pause: Duration::ZERO,
            may_have_acted: false,
            failure: None,
            is_leaderless: false,
        }
    }

    /// Waits before the next attempt.
    ///
    /// Errors: the failure that every attempt meets; [`Error::Unavailable`] once the time is over.
    pub(crate) async fn pause(&self, retry: &mut Retry) -> Result<()> {
        match &self.failure {
            Some(failure) => Err(failure.clone()),
            None => retry.pause_at_least(self.least_pause, self).await,
        }
    }
}

impl std::fmt::Display for Miss {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl Client {
    /// Connects to a cluster.
    pub(crate) async fn connect(network: Arc<dyn Network>, options: &TikvOptions) -> Result<Arc<Client>> {
        let timeout = options.timeout;
        let network = Counted::new(network);
        let pd = Arc::new(Pd::connect(Arc::clone(&network) as _, &options.pd, timeout).await?);
        Ok(Arc::new(Client {
            network,
            timestamps: Timestamps::start(Arc::clone(&pd)),
            pd,
            regions: Regions::default(),
            region_errors: RegionErrors::default(),
            addresses: RwLock::default(),
            replicas: Replicas::default(),
            outcomes: Outcomes::default(),
            timeout,
            one_phase: options.one_phase,
            fence: Fence::default(),
        }))
    }

    /// Returns the connections to the cluster, with their statistics.
    pub(crate) fn network(&self) -> &Counted {
        &self.network
    }

    /// Returns the counters of regions and of messages that missed them, by name.
    pub(crate) fn counters(&self) -> Vec<(String, u64)> {
        let known = [("tikv.regions".to_owned(), self.regions.len() as u64)];
        known.into_iter().chain(self.replicas.counters()).chain(self.region_errors.counters()).collect()
    }

    /// Begins attempts within the limit of one operation.
    pub(crate) fn retry(&self) -> Retry {
        Retry::within(self.timeout)
    }

    /// Returns the region of a key.
    pub(crate) async fn region_of(&self, key: &[u8]) -> Result<Arc<Region>> {
        if let Some(region) = self.regions.of(key) {
            return Ok(region);
        }
        let mut retry = self.retry();
        loop {
            let request = GetRegionRequest { header: None, region_key: codec::encode(key) };
            match self.add(self.pd.call(request).await?) {
                Some(region) if region.contains(key) => return Ok(region),
                _ => retry.pause(&"PD knows no region of a key").await?,
            }
        }
    }

    /// Asks PD for the region of a key as it is now. Errors: those of PD.
    pub(crate) async fn describe(&self, key: &[u8]) -> Result<()> {
        let request = GetRegionRequest { header: None, region_key: codec::encode(key) };
        self.add(self.pd.call(request).await?);
        Ok(())
    }

    /// Returns the region of the last keys below `end`, which is not empty.
    pub(crate) async fn region_before(&self, end: &[u8]) -> Result<Arc<Region>> {
        if let Some(region) = self.regions.before(end) {
            return Ok(region);
        }
        let mut retry = self.retry();
        loop {
            let region = self.region_of(end).await?;
            if region.start.as_slice() < end {
                return Ok(region);
            }
            let request = GetPrevRegionRequest { header: None, region_key: codec::encode(end) };
            let found = self.add(self.pd.call(request).await?);
            let is_before = |found: &Region| {
                found.start.as_slice() < end && (found.end.is_empty() || found.end.as_slice() >= end)
            };
            if let Some(found) = found.filter(|found| is_before(found)) {
                return Ok(found);
            }
            // The region that began at the key has merged with the one before.
            self.regions.forget(&region);
            retry.pause(&"PD knows no region before a key").await?;
        }
    }

    /// Returns the first `most` regions of a range in order, as PD knows them now.
    pub(crate) async fn regions_in(&self, start: &[u8], end: &[u8], most: usize) -> Result<Vec<Arc<Region>>> {
        let mut found: Vec<Arc<Region>> = Vec::new();
        let mut next = start.to_vec();
        loop {
            let request = ScanRegionsRequest {
                header: None,
                start_key: codec::encode(&next),
                limit: most.saturating_sub(found.len()).clamp(1, REGIONS_MAX) as i32,
                end_key: codec::encode_end(end),
            };
            let placed = self.pd.call(request).await?.regions;
            let now_ms = self.timestamps.milliseconds_now();
            let regions =
                placed.into_iter().filter_map(|placed| Region::new(placed.region?, placed.leader, now_ms));
            let regions: Vec<_> = regions.map(|region| self.regions.add(region)).collect();
            let Some(last) = regions.last().map(|last| last.end.clone()) else { return Ok(found) };
            found.extend(regions);
            if found.len() >= most
                || last.is_empty()
                || (!end.is_empty() && last.as_slice() >= end)
                || last <= next
            {
                return Ok(found);
            }
            next = last;
        }
    }

    fn add(&self, reply: GetRegionResponse) -> Option<Arc<Region>> {
        Some(self.regions.add(Region::new(reply.region?, reply.leader, self.timestamps.milliseconds_now())?))
    }

    async fn address_of(&self, store_id: u64) -> Result<String> {
        let known = self.addresses.read().unwrap_or_else(PoisonError::into_inner).get(&store_id).cloned();
        if let Some(address) = known {
            return Ok(address);
        }
        let reply = self.pd.call(GetStoreRequest { header: None, store_id }).await?;
        let address = reply.store.map(|store| store.address).filter(|address| !address.is_empty());
        let address = address.ok_or_else(|| Error::Unavailable {
            reason: format!("PD knows no address of store {store_id}"),
        })?;
        let address = crate::topology::pd::without_scheme(&address).to_owned();
        self.addresses.write().unwrap_or_else(PoisonError::into_inner).insert(store_id, address.clone());
        Ok(address)
    }

    /// Sends a message to the region's leader once. On a miss, the client corrects its data about
    /// the region, so that another attempt may find it.
    pub(crate) async fn send<Q: RegionRequest>(
        &self,
        region: &Region,
        request: &Q,
        context: Context,
    ) -> std::result::Result<Q::Reply, Miss> {
        match self.exchange(region, region.leader, request, context).await {
            Ok(reply) => Ok(reply),
            Err(Trouble::NoAddress(error)) => {
                self.regions.forget(region);
                Err(Miss::new(error.to_string()))
            }
            Err(Trouble::Silence { address, fault }) => {
                self.suspect(region);
                let may_have_acted = matches!(fault, Fault::Lost(_));
                let reason = format!("the store at {address} is {fault}");
                Err(Miss { may_have_acted, is_leaderless: true, ..Miss::new(reason) })
            }
            Err(Trouble::Broken { address, error }) => Err(Miss {
                may_have_acted: true,
                ..Miss::new(format!("the store at {address} sent a broken reply: {error}"))
            }),
            Err(Trouble::Refusal { error, message_bytes }) => Err(self.learn(region, error, message_bytes)),
        }
    }

    /// Sends a message to one replica of a region once.
    pub(crate) async fn exchange<Q: RegionRequest>(
        &self,
        region: &Region,
        peer: Peer,
        request: &Q,
        context: Context,
    ) -> std::result::Result<Q::Reply, Trouble> {
        let address = self.address_of(peer.store_id).await.map_err(Trouble::NoAddress)?;
        let mut request = request.clone();
        request.set_context(Context {
            region_id: region.id,
            region_epoch: Some(region.epoch),
            peer: Some(peer),
            ..context
        });
        let message = bytes::Bytes::from(request.encode_to_vec());
        let message_bytes = message.len();
        let reply = match self.network.call(&address, Q::METHOD, message).await {
            Ok(reply) => reply,
            Err(fault) => return Err(Trouble::Silence { address, fault }),
        };
        let mut reply = Q::Reply::decode(reply).map_err(|error| Trouble::Broken { address, error })?;
        match reply.take_region_error() {
            None => Ok(reply),
            Some(error) => Err(Trouble::Refusal { error, message_bytes }),
        }
    }

    /// Returns the seconds that the store of a replica takes for a reply; `None` before its first
    /// one.
    pub(crate) fn reply_seconds(&self, peer: &Peer) -> Option<f64> {
        let known = self.addresses.read().unwrap_or_else(PoisonError::into_inner);
        self.network.reply_seconds(known.get(&peer.store_id)?)
    }

    /// Counts an error of a region that nothing is learned from.
    pub(crate) fn count_error(&self, error: &region::Error) {
        self.region_errors.count(error);
    }

    pub(crate) fn forget_address(&self, store_id: u64) {
        self.addresses.write().unwrap_or_else(PoisonError::into_inner).remove(&store_id);
    }

    /// Tries the next replica after the leader did not answer.
    fn suspect(&self, region: &Region) {
        self.forget_address(region.leader.store_id);
        // PD may still name the same leader, and another replica knows of a new one first.
        let at = region.peers.iter().position(|peer| peer.id == region.leader.id);
        let next = at.and_then(|at| region.peers.get((at + 1) % region.peers.len()));
        match next {
            Some(next) if next.id != region.leader.id => self.regions.set_leader(region, *next),
            _ => self.regions.forget(region),
        }
    }

    /// Corrects what is known of a region.
    fn learn(&self, region: &Region, error: region::Error, message_bytes: usize) -> Miss {
        let kind = self.region_errors.count(&error);
        let remedy = kind.map_or(Remedy::Find, |kind| kind.remedy);
        let mut miss = Miss::new(format!("region {} answers: {}", region.id, error.message));
        miss.may_have_acted = kind.is_some_and(|kind| kind.may_have_acted);
        if remedy == Remedy::GiveUp {
            miss.failure = Some(region_errors::failure(&error, message_bytes));
            return miss;
        }
        if let Some(not_leader) = error.not_leader {
            match not_leader.leader.filter(|leader| leader.store_id != 0) {
                Some(leader) => self.regions.set_leader(region, leader),
                // An election is in progress.
                None => {
                    self.regions.forget(region);
                    miss.least_pause = ELECTION_PAUSE;
                    miss.is_leaderless = true;
                }
            }
        } else if let Some(changed) = error.epoch_not_match {
            self.regions.forget(region);
            let now_ms = self.timestamps.milliseconds_now();
            for message in changed.current_regions {
                let leader =
                    message.peers.iter().find(|peer| peer.store_id == region.leader.store_id).copied();
                if let Some(region) = Region::new(message, leader, now_ms) {
                    self.regions.add(region);
                }
            }
        } else if let Some(busy) = error.server_is_busy {
            miss.least_pause = Duration::from_millis(busy.backoff_ms.clamp(10, 1000));
            miss.reason = format!("a store is busy: {}", busy.reason);
        } else if remedy == Remedy::Find {
            if error.store_not_match.is_some() {
                self.forget_address(region.leader.store_id);
            }
            self.regions.forget(region);
        }
        miss
    }

    /// Sends a message about one key until its region replies.
    ///
    /// Errors: [`Error::Unavailable`] if no leader replies in time. It does not say whether a
    /// leader has acted on the message.
    pub(crate) async fn send_to_key<Q: RegionRequest>(
        &self,
        key: &[u8],
        request: &Q,
        retry: &mut Retry,
    ) -> Result<Q::Reply> {
        loop {
            let region = self.region_of(key).await?;
            match self.send(&region, request, Context::default()).await {
                Ok(reply) => return Ok(reply),
                Err(miss) => miss.pause(retry).await?,
            }
        }
    }

    /// Divides items, whose keys ascend, by the regions of their keys.
    pub(crate) async fn by_region<T>(
        &self,
        items: impl IntoIterator<Item = T>,
        key: impl Fn(&T) -> &[u8],
    ) -> Result<Vec<(Arc<Region>, Vec<T>)>> {
        let mut groups: Vec<(Arc<Region>, Vec<T>)> = Vec::new();
        for item in items {
            if let Some((region, group)) = groups.last_mut()
                && region.contains(key(&item))
            {
                group.push(item);
                continue;
            }
            let region = self.region_of(key(&item)).await?;
            groups.push((region, vec![item]));
        }
        Ok(groups)
    }
}
