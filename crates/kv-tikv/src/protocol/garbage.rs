//! The messages that collect old versions.
//!
//! PD has separate messages for the oldest readable state and for the oldest kept one since 2025.

use super::kv::{Context, KeyError, LockInfo};
use super::pd::{RequestHeader, ResponseHeader};
use super::{pd_requests, region, region_requests};

/// Asks a region for its locks of transactions that began up to `max_version`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ScanLockRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) context: Option<Context>,
    #[prost(uint64, tag = "2")]
    pub(crate) max_version: u64,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) start_key: Vec<u8>,
    #[prost(uint32, tag = "4")]
    pub(crate) limit: u32,
    #[prost(bytes = "vec", tag = "5")]
    pub(crate) end_key: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ScanLockResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) region_error: Option<region::Error>,
    #[prost(message, optional, tag = "2")]
    pub(crate) error: Option<KeyError>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) locks: Vec<LockInfo>,
}

/// Makes `target` the oldest readable state, as far as the barriers allow.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct AdvanceTxnSafePointRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
    #[prost(uint64, tag = "3")]
    pub(crate) target: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct AdvanceTxnSafePointResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(uint64, tag = "3")]
    pub(crate) new_txn_safe_point: u64,
}

/// Lets the stores remove the versions that no state from `target` on needs. It is at most the
/// oldest readable state.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct AdvanceGcSafePointRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
    #[prost(uint64, tag = "3")]
    pub(crate) target: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct AdvanceGcSafePointResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(uint64, tag = "3")]
    pub(crate) new_gc_safe_point: u64,
}

/// The older message for [`AdvanceGcSafePointRequest`].
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct UpdateGcSafePointRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<RequestHeader>,
    #[prost(uint64, tag = "2")]
    pub(crate) safe_point: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct UpdateGcSafePointResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(uint64, tag = "2")]
    pub(crate) new_safe_point: u64,
}

region_requests! {
    ScanLockRequest => ScanLockResponse, "KvScanLock";
}

pd_requests! {
    AdvanceTxnSafePointRequest => AdvanceTxnSafePointResponse, "AdvanceTxnSafePoint";
    AdvanceGcSafePointRequest => AdvanceGcSafePointResponse, "AdvanceGCSafePoint";
    UpdateGcSafePointRequest => UpdateGcSafePointResponse, "UpdateGCSafePoint";
}
