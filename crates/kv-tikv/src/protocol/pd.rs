//! The messages of PD: members, timestamps, places of regions and stores, safe points.

use super::pd_requests;
use super::region::{Peer, Region, Store};

#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub(crate) struct RequestHeader {
    #[prost(uint64, tag = "1")]
    pub(crate) cluster_id: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ResponseHeader {
    #[prost(uint64, tag = "1")]
    pub(crate) cluster_id: u64,
    #[prost(message, optional, tag = "2")]
    pub(crate) error: Option<HeaderError>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct HeaderError {
    #[prost(int32, tag = "1")]
    pub(crate) kind: i32,
    #[prost(string, tag = "2")]
    pub(crate) message: String,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct GetMembersRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetMembersResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) members: Vec<Member>,
    #[prost(message, optional, tag = "3")]
    pub(crate) leader: Option<Member>,
}

/// A process of PD.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Member {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(uint64, tag = "2")]
    pub(crate) member_id: u64,
    #[prost(string, repeated, tag = "4")]
    pub(crate) client_urls: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct TsoRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
    #[prost(uint32, tag = "2")]
    pub(crate) count: u32,
}

/// `count` timestamps; `timestamp` is the last.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TsoResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(uint32, tag = "2")]
    pub(crate) count: u32,
    #[prost(message, optional, tag = "3")]
    pub(crate) timestamp: Option<Timestamp>,
}

#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub(crate) struct Timestamp {
    /// Milliseconds since 1970.
    #[prost(int64, tag = "1")]
    pub(crate) physical: i64,
    #[prost(int64, tag = "2")]
    pub(crate) logical: i64,
}

/// Asks for the region of a key.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetRegionRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) region_key: Vec<u8>,
}

/// Asks for the region before that of a key.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetPrevRegionRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) region_key: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetRegionResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(message, optional, tag = "2")]
    pub(crate) region: Option<Region>,
    #[prost(message, optional, tag = "3")]
    pub(crate) leader: Option<Peer>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ScanRegionsRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) start_key: Vec<u8>,
    #[prost(int32, tag = "3")]
    pub(crate) limit: i32,
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) end_key: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ScanRegionsResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) regions: Vec<PlacedRegion>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct PlacedRegion {
    #[prost(message, optional, tag = "1")]
    pub(crate) region: Option<Region>,
    #[prost(message, optional, tag = "2")]
    pub(crate) leader: Option<Peer>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct GetStoreRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
    #[prost(uint64, tag = "2")]
    pub(crate) store_id: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetStoreResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(message, optional, tag = "2")]
    pub(crate) store: Option<Store>,
    #[prost(message, optional, tag = "3")]
    pub(crate) stats: Option<StoreStats>,
}

/// The statistics of a store, as of its last heartbeat.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct StoreStats {
    /// Bytes of its disk.
    #[prost(uint64, tag = "2")]
    pub(crate) capacity: u64,
    /// Free bytes of its disk.
    #[prost(uint64, tag = "3")]
    pub(crate) available: u64,
    #[prost(uint32, tag = "4")]
    pub(crate) region_count: u32,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct GetAllStoresRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
    /// Leaves out those that were removed.
    #[prost(bool, tag = "2")]
    pub(crate) exclude_tombstone_stores: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetAllStoresResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) stores: Vec<Store>,
}

/// Asks that versions from `safe_point` on are kept for `ttl` seconds. Newer PDs have barriers.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct UpdateServiceGcSafePointRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) service_id: Vec<u8>,
    #[prost(int64, tag = "3")]
    pub(crate) ttl: i64,
    #[prost(uint64, tag = "4")]
    pub(crate) safe_point: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct UpdateServiceGcSafePointResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(uint64, tag = "4")]
    pub(crate) min_safe_point: u64,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct GetGcSafePointRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetGcSafePointResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(uint64, tag = "2")]
    pub(crate) safe_point: u64,
}

/// Asks that states from `barrier_ts` on are kept for `ttl_seconds`. PD refuses one before its
/// transaction safe point.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SetGcBarrierRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
    #[prost(string, tag = "3")]
    pub(crate) barrier_id: String,
    #[prost(uint64, tag = "4")]
    pub(crate) barrier_ts: u64,
    #[prost(int64, tag = "5")]
    pub(crate) ttl_seconds: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SetGcBarrierResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct GetGcStateRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
    #[prost(bool, tag = "3")]
    pub(crate) exclude_gc_barriers: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetGcStateResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(message, optional, tag = "2")]
    pub(crate) gc_state: Option<GcState>,
}

/// The state of the collection of old versions. Reads before `txn_safe_point` are not allowed.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct GcState {
    #[prost(uint64, tag = "3")]
    pub(crate) txn_safe_point: u64,
}

pd_requests! {
    GetMembersRequest => GetMembersResponse, "GetMembers";
    TsoRequest => TsoResponse, "Tso";
    GetRegionRequest => GetRegionResponse, "GetRegion";
    ScanRegionsRequest => ScanRegionsResponse, "ScanRegions";
    GetStoreRequest => GetStoreResponse, "GetStore";
    GetAllStoresRequest => GetAllStoresResponse, "GetAllStores";
    UpdateServiceGcSafePointRequest => UpdateServiceGcSafePointResponse, "UpdateServiceGCSafePoint";
    GetGcSafePointRequest => GetGcSafePointResponse, "GetGCSafePoint";
    SetGcBarrierRequest => SetGcBarrierResponse, "SetGCBarrier";
    GetGcStateRequest => GetGcStateResponse, "GetGCState";
}

impl super::PdRequest for GetPrevRegionRequest {
    const METHOD: &'static str = "/pdpb.PD/GetPrevRegion";
    type Reply = GetRegionResponse;

    fn set_header(&mut self, header: RequestHeader) {
        self.header = Some(header);
    }
}
