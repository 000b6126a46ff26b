//! The mock of PD.

use prost::DecodeError;

use super::garbage::end_reads_before;
use super::{PD_ADDRESS, STORES, Service, State, address_of, reply};
use crate::codec;
use crate::protocol::garbage::{
    AdvanceGcSafePointRequest, AdvanceGcSafePointResponse, AdvanceTxnSafePointRequest,
    AdvanceTxnSafePointResponse, UpdateGcSafePointRequest, UpdateGcSafePointResponse,
};
use crate::protocol::pd::{
    GcState, GetAllStoresRequest, GetAllStoresResponse, GetGcSafePointRequest, GetGcSafePointResponse,
    GetGcStateRequest, GetGcStateResponse, GetMembersRequest, GetMembersResponse, GetPrevRegionRequest,
    GetRegionRequest, GetRegionResponse, GetStoreRequest, GetStoreResponse, HeaderError, Member,
    PlacedRegion, ResponseHeader, ScanRegionsRequest, ScanRegionsResponse, SetGcBarrierRequest,
    SetGcBarrierResponse, StoreStats, Timestamp, TsoRequest, TsoResponse, UpdateServiceGcSafePointRequest,
    UpdateServiceGcSafePointResponse,
};
use crate::protocol::region::Store;
use crate::topology::pd::{from_milliseconds, milliseconds};

/// The number of the cluster.
const CLUSTER: u64 = 42;

/// The version of the stores.
const VERSION: &str = "8.5.0";

/// The bytes of the disk of a store.
const DISK_BYTES: u64 = 1 << 40;

fn header() -> Option<ResponseHeader> {
    Some(ResponseHeader { cluster_id: CLUSTER, error: None })
}

/// Returns true if a PD of this version does not know the method. Notes the ones that it calls
/// deprecated.
pub(super) fn is_unknown(state: &mut State, method: &str) -> bool {
    match method.trim_start_matches("/pdpb.PD/") {
        "SetGCBarrier" | "GetGCState" | "AdvanceTxnSafePoint" | "AdvanceGCSafePoint" if state.is_pd_old => {
            state.unknown_messages += 1;
            true
        }
        "UpdateServiceGCSafePoint" | "GetGCSafePoint" | "UpdateGCSafePoint" if !state.is_pd_old => {
            state.deprecated_messages += 1;
            false
        }
        _ => false,
    }
}

pub(super) fn answer(state: &mut State, method: &str, message: &[u8]) -> Result<Vec<u8>, DecodeError> {
    match method.trim_start_matches("/pdpb.PD/") {
        "SetGCBarrier" => reply(message, |request: SetGcBarrierRequest| {
            if request.barrier_ts < state.safe_point || request.ttl_seconds <= 0 {
                let message = "the barrier is before the transaction safe point".to_owned();
                let error = Some(HeaderError { kind: 1, message });
                return SetGcBarrierResponse { header: Some(ResponseHeader { cluster_id: CLUSTER, error }) };
            }
            keep(state, request.barrier_id.into_bytes(), Some(request.barrier_ts), request.ttl_seconds);
            SetGcBarrierResponse { header: header() }
        }),
        "GetGCState" => reply(message, |_: GetGcStateRequest| {
            let gc_state = Some(GcState { txn_safe_point: state.safe_point });
            GetGcStateResponse { header: header(), gc_state }
        }),
        "GetMembers" => reply(message, |_: GetMembersRequest| {
            let member = Member {
                name: "pd".to_owned(),
                member_id: 7,
                client_urls: vec![format!("http://{PD_ADDRESS}")],
            };
            GetMembersResponse { header: header(), members: vec![member.clone()], leader: Some(member) }
        }),
        "Tso" => reply(message, |request: TsoRequest| {
            state.given.0 += 1;
            state.given.1 += u64::from(request.count);
            let last = state.timestamps(request.count);
            let physical = milliseconds(last);
            let logical = last - from_milliseconds(physical);
            let timestamp = Timestamp { physical: physical as i64, logical: logical as i64 };
            TsoResponse { header: header(), count: request.count, timestamp: Some(timestamp) }
        }),
        "GetRegion" => reply(message, |request: GetRegionRequest| {
            region(state, Some(state.map.find(&codec::decode(&request.region_key))))
        }),
        "GetPrevRegion" => reply(message, |request: GetPrevRegionRequest| {
            region(state, state.map.find(&codec::decode(&request.region_key)).checked_sub(1))
        }),
        "ScanRegions" => reply(message, |request: ScanRegionsRequest| {
            let first = state.map.find(&codec::decode(&request.start_key));
            let end = codec::decode(&request.end_key);
            let in_range = |found: &(crate::protocol::region::Region, _)| {
                end.is_empty() || codec::decode(&found.0.start_key) < end
            };
            let found = (first..state.map.len()).filter_map(|at| state.map.describe(at)).take_while(in_range);
            let placed = |(region, leader)| PlacedRegion { region: Some(region), leader: Some(leader) };
            let regions = found.take(request.limit.max(1) as usize).map(placed).collect();
            ScanRegionsResponse { header: header(), regions }
        }),
        "GetStore" => reply(message, |request: GetStoreRequest| {
            let store = Some(store(state, request.store_id));
            let region_count = state.map.len() as u32;
            let stats = StoreStats { capacity: DISK_BYTES, available: DISK_BYTES / 2, region_count };
            GetStoreResponse { header: header(), store, stats: Some(stats) }
        }),
        "GetAllStores" => reply(message, |_: GetAllStoresRequest| {
            let stores = (1..=STORES).map(|id| store(state, id)).collect();
            GetAllStoresResponse { header: header(), stores }
        }),
        "UpdateServiceGCSafePoint" => reply(message, |request: UpdateServiceGcSafePointRequest| {
            let is_collector = request.service_id == b"gc_worker";
            let oldest = (request.ttl > 0).then_some(request.safe_point);
            keep(state, request.service_id, oldest, request.ttl);
            if is_collector {
                end_reads_before(state, request.safe_point);
            }
            UpdateServiceGcSafePointResponse { header: header(), min_safe_point: state.safe_point }
        }),
        "AdvanceTxnSafePoint" => reply(message, |request: AdvanceTxnSafePointRequest| {
            let new_txn_safe_point = end_reads_before(state, request.target);
            AdvanceTxnSafePointResponse { header: header(), new_txn_safe_point }
        }),
        "AdvanceGCSafePoint" => reply(message, |request: AdvanceGcSafePointRequest| {
            state.forgotten += state.pairs.let_go_before(request.target);
            AdvanceGcSafePointResponse { header: header(), new_gc_safe_point: request.target }
        }),
        "UpdateGCSafePoint" => reply(message, |request: UpdateGcSafePointRequest| {
            state.forgotten += state.pairs.let_go_before(request.safe_point);
            UpdateGcSafePointResponse { header: header(), new_safe_point: request.safe_point }
        }),
        _ => reply(message, |_: GetGcSafePointRequest| GetGcSafePointResponse {
            header: header(),
            safe_point: state.safe_point,
        }),
    }
}

/// Notes the oldest state that a service asks for.
fn keep(state: &mut State, id: Vec<u8>, oldest: Option<u64>, life_seconds: i64) {
    let life_ms = u64::try_from(life_seconds).unwrap_or(0).saturating_mul(1000);
    let until_ms = state.now_ms().saturating_add(life_ms);
    state.services.retain(|service| service.id != id);
    state.services.extend(oldest.map(|oldest| Service { id, oldest, until_ms }));
}

/// Describes a store. One that has not stopped has just sent a heartbeat.
fn store(state: &mut State, id: u64) -> Store {
    let seen = state.stopped.get(&id).copied().unwrap_or_else(|| state.timestamps(1));
    let last_heartbeat = milliseconds(seen) as i64 * 1_000_000;
    Store { id, address: address_of(id), state: 0, version: VERSION.to_owned(), last_heartbeat }
}

fn region(state: &State, at: Option<usize>) -> GetRegionResponse {
    let found = at.and_then(|at| state.map.describe(at));
    let (region, leader) = found.unzip();
    GetRegionResponse { header: header(), region, leader }
}
