//! The messages of transactions: reads, the two phases of a commit, locks.

use super::region::{self, Peer, RegionEpoch};
use super::region_requests;

/// The address of a message: a region, its version and its leader.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Context {
    #[prost(uint64, tag = "1")]
    pub(crate) region_id: u64,
    #[prost(message, optional, tag = "2")]
    pub(crate) region_epoch: Option<RegionEpoch>,
    #[prost(message, optional, tag = "3")]
    pub(crate) peer: Option<Peer>,
    #[prost(bool, tag = "8")]
    pub(crate) not_fill_cache: bool,
    /// A follower may answer, once it has asked the leader how far the log was.
    #[prost(bool, tag = "12")]
    pub(crate) replica_read: bool,
    /// Transactions whose locks the reader may pass by.
    #[prost(uint64, repeated, tag = "13")]
    pub(crate) resolved_locks: Vec<u64>,
    #[prost(uint64, tag = "14")]
    pub(crate) max_execution_duration_ms: u64,
    /// Any replica may answer that has all commits up to the timestamp, without the leader.
    #[prost(bool, tag = "17")]
    pub(crate) stale_read: bool,
    /// The use of a disk that is full: 0 for none, 1 for one that is almost full.
    #[prost(int32, tag = "19")]
    pub(crate) disk_full_opt: i32,
    #[prost(bool, tag = "20")]
    pub(crate) is_retry_request: bool,
}

impl Context {
    /// Returns the context of a message that ends what is on the disk already, even if the disk is
    /// almost full.
    pub(crate) fn finishing() -> Self {
        Context { disk_full_opt: 1, ..Context::default() }
    }
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) context: Option<Context>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) key: Vec<u8>,
    #[prost(uint64, tag = "3")]
    pub(crate) version: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) region_error: Option<region::Error>,
    #[prost(message, optional, tag = "2")]
    pub(crate) error: Option<KeyError>,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) value: Vec<u8>,
    #[prost(bool, tag = "4")]
    pub(crate) not_found: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct BatchGetRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) context: Option<Context>,
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub(crate) keys: Vec<Vec<u8>>,
    #[prost(uint64, tag = "3")]
    pub(crate) version: u64,
}

/// The pairs of the keys that are present.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct BatchGetResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) region_error: Option<region::Error>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) pairs: Vec<KvPair>,
    #[prost(message, optional, tag = "5")]
    pub(crate) error: Option<KeyError>,
}

/// A pair, or the error of a key.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct KvPair {
    #[prost(message, optional, tag = "1")]
    pub(crate) error: Option<KeyError>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) key: Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) value: Vec<u8>,
}

/// A scan within one region. A reverse scan begins below `start_key` and ends at `end_key`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ScanRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) context: Option<Context>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) start_key: Vec<u8>,
    #[prost(uint32, tag = "3")]
    pub(crate) limit: u32,
    #[prost(uint64, tag = "4")]
    pub(crate) version: u64,
    #[prost(bool, tag = "5")]
    pub(crate) key_only: bool,
    #[prost(bool, tag = "6")]
    pub(crate) reverse: bool,
    #[prost(bytes = "vec", tag = "7")]
    pub(crate) end_key: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ScanResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) region_error: Option<region::Error>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) pairs: Vec<KvPair>,
    #[prost(message, optional, tag = "3")]
    pub(crate) error: Option<KeyError>,
}

/// The kinds of mutations and locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum Op {
    Put = 0,
    Del = 1,
    Lock = 2,
    Rollback = 3,
    Insert = 4,
    PessimisticLock = 5,
    CheckNotExists = 6,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Mutation {
    #[prost(enumeration = "Op", tag = "1")]
    pub(crate) op: i32,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) key: Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) value: Vec<u8>,
}

/// The first phase of a commit.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct PrewriteRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) context: Option<Context>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) mutations: Vec<Mutation>,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) primary_lock: Vec<u8>,
    #[prost(uint64, tag = "4")]
    pub(crate) start_version: u64,
    /// Milliseconds from the start timestamp on.
    #[prost(uint64, tag = "5")]
    pub(crate) lock_ttl: u64,
    /// The store looks neither for newer commits of the keys nor for a rollback.
    #[prost(bool, tag = "6")]
    pub(crate) skip_constraint_check: bool,
    /// The number of keys of the transaction, if it is not large.
    #[prost(uint64, tag = "8")]
    pub(crate) txn_size: u64,
    #[prost(uint64, tag = "10")]
    pub(crate) min_commit_ts: u64,
    #[prost(bool, tag = "13")]
    pub(crate) try_one_pc: bool,
    /// The greatest timestamp of a commit in one phase; 0 for none. If it has passed, the store
    /// only locks the keys.
    #[prost(uint64, tag = "14")]
    pub(crate) max_commit_ts: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct PrewriteResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) region_error: Option<region::Error>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) errors: Vec<KeyError>,
    /// The commit's timestamp, if it took place in this one phase.
    #[prost(uint64, tag = "4")]
    pub(crate) one_pc_commit_ts: u64,
}

/// The second phase of a commit.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CommitRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) context: Option<Context>,
    #[prost(uint64, tag = "2")]
    pub(crate) start_version: u64,
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub(crate) keys: Vec<Vec<u8>>,
    #[prost(uint64, tag = "4")]
    pub(crate) commit_version: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CommitResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) region_error: Option<region::Error>,
    #[prost(message, optional, tag = "2")]
    pub(crate) error: Option<KeyError>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct BatchRollbackRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) context: Option<Context>,
    #[prost(uint64, tag = "2")]
    pub(crate) start_version: u64,
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub(crate) keys: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct BatchRollbackResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) region_error: Option<region::Error>,
    #[prost(message, optional, tag = "2")]
    pub(crate) error: Option<KeyError>,
}

/// Prolongs the lock of a transaction's primary key.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TxnHeartBeatRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) context: Option<Context>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) primary_lock: Vec<u8>,
    #[prost(uint64, tag = "3")]
    pub(crate) start_version: u64,
    #[prost(uint64, tag = "4")]
    pub(crate) advise_lock_ttl: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TxnHeartBeatResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) region_error: Option<region::Error>,
    #[prost(message, optional, tag = "2")]
    pub(crate) error: Option<KeyError>,
}

/// Asks the primary key for the state of its transaction.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CheckTxnStatusRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) context: Option<Context>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) primary_key: Vec<u8>,
    #[prost(uint64, tag = "3")]
    pub(crate) lock_ts: u64,
    /// The reader's timestamp: the transaction will commit after it.
    #[prost(uint64, tag = "4")]
    pub(crate) caller_start_ts: u64,
    #[prost(uint64, tag = "5")]
    pub(crate) current_ts: u64,
    #[prost(bool, tag = "6")]
    pub(crate) rollback_if_not_exist: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CheckTxnStatusResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) region_error: Option<region::Error>,
    #[prost(message, optional, tag = "2")]
    pub(crate) error: Option<KeyError>,
    /// The life of the lock in milliseconds; 0 if there is none.
    #[prost(uint64, tag = "3")]
    pub(crate) lock_ttl: u64,
    /// The commit's timestamp; 0 if there is none.
    #[prost(uint64, tag = "4")]
    pub(crate) commit_version: u64,
    #[prost(enumeration = "Action", tag = "5")]
    pub(crate) action: i32,
}

/// The effect of a request for the state of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum Action {
    Nothing = 0,
    TtlExpireRollback = 1,
    LockNotExistRollback = 2,
    MinCommitTsPushed = 3,
    TtlExpirePessimisticRollback = 4,
    LockNotExistDoNothing = 5,
}

/// Commits or rolls back the locks of a transaction: those of `keys`, or all in the region.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ResolveLockRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) context: Option<Context>,
    #[prost(uint64, tag = "2")]
    pub(crate) start_version: u64,
    /// 0 for a rollback.
    #[prost(uint64, tag = "3")]
    pub(crate) commit_version: u64,
    #[prost(bytes = "vec", repeated, tag = "5")]
    pub(crate) keys: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ResolveLockResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) region_error: Option<region::Error>,
    #[prost(message, optional, tag = "2")]
    pub(crate) error: Option<KeyError>,
}

/// The error of a key. At most one field is set.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct KeyError {
    #[prost(message, optional, tag = "1")]
    pub(crate) locked: Option<LockInfo>,
    #[prost(string, tag = "2")]
    pub(crate) retryable: String,
    #[prost(string, tag = "3")]
    pub(crate) abort: String,
    #[prost(message, optional, tag = "4")]
    pub(crate) conflict: Option<WriteConflict>,
    #[prost(message, optional, tag = "5")]
    pub(crate) already_exist: Option<region::Nothing>,
    #[prost(message, optional, tag = "6")]
    pub(crate) deadlock: Option<region::Nothing>,
    #[prost(message, optional, tag = "7")]
    pub(crate) commit_ts_expired: Option<CommitTsExpired>,
    #[prost(message, optional, tag = "8")]
    pub(crate) txn_not_found: Option<region::Nothing>,
    #[prost(message, optional, tag = "9")]
    pub(crate) commit_ts_too_large: Option<region::Nothing>,
    #[prost(message, optional, tag = "10")]
    pub(crate) assertion_failed: Option<region::Nothing>,
    #[prost(message, optional, tag = "11")]
    pub(crate) primary_mismatch: Option<region::Nothing>,
    #[prost(message, optional, tag = "12")]
    pub(crate) txn_lock_not_found: Option<region::Nothing>,
    #[prost(message, optional, tag = "13")]
    pub(crate) lock_upgrade_conflict: Option<region::Nothing>,
    #[prost(message, optional, tag = "14")]
    pub(crate) shared_lock_lost: Option<region::Nothing>,
}

/// A lock of a transaction that has not ended.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct LockInfo {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) primary_lock: Vec<u8>,
    /// The start timestamp of its transaction.
    #[prost(uint64, tag = "2")]
    pub(crate) lock_version: u64,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) key: Vec<u8>,
    #[prost(uint64, tag = "4")]
    pub(crate) lock_ttl: u64,
    #[prost(uint64, tag = "5")]
    pub(crate) txn_size: u64,
    #[prost(uint64, tag = "9")]
    pub(crate) min_commit_ts: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct WriteConflict {
    #[prost(uint64, tag = "1")]
    pub(crate) start_ts: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) conflict_ts: u64,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) key: Vec<u8>,
}

/// A reader has seen the state before this commit's timestamp, so the commit needs a later one.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CommitTsExpired {
    #[prost(uint64, tag = "4")]
    pub(crate) min_commit_ts: u64,
}

region_requests! {
    GetRequest => GetResponse, "KvGet";
    BatchGetRequest => BatchGetResponse, "KvBatchGet";
    ScanRequest => ScanResponse, "KvScan";
    PrewriteRequest => PrewriteResponse, "KvPrewrite";
    CommitRequest => CommitResponse, "KvCommit";
    BatchRollbackRequest => BatchRollbackResponse, "KvBatchRollback";
    TxnHeartBeatRequest => TxnHeartBeatResponse, "KvTxnHeartBeat";
    CheckTxnStatusRequest => CheckTxnStatusResponse, "KvCheckTxnStatus";
    ResolveLockRequest => ResolveLockResponse, "KvResolveLock";
}
