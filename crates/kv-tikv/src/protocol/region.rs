//! Regions, their peers, and the errors of a message that did not reach the right leader.

/// A region: a range of encoded keys with its replicas.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Region {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) start_key: Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) end_key: Vec<u8>,
    #[prost(message, optional, tag = "4")]
    pub(crate) region_epoch: Option<RegionEpoch>,
    #[prost(message, repeated, tag = "5")]
    pub(crate) peers: Vec<Peer>,
}

/// The version of a region, which grows with its splits and with changes of its replicas.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub(crate) struct RegionEpoch {
    #[prost(uint64, tag = "1")]
    pub(crate) conf_ver: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) version: u64,
}

/// A replica of a region.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub(crate) struct Peer {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) store_id: u64,
    #[prost(int32, tag = "3")]
    pub(crate) role: i32,
}

/// A store of the cluster.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Store {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(string, tag = "2")]
    pub(crate) address: String,
    /// 0: up, 1: offline, 2: removed.
    #[prost(int32, tag = "3")]
    pub(crate) state: i32,
    #[prost(string, tag = "5")]
    pub(crate) version: String,
    /// Nanoseconds since 1970, by PD's clock.
    #[prost(int64, tag = "11")]
    pub(crate) last_heartbeat: i64,
}

/// The error of a message that did not reach the right leader of the right region, or that the
/// leader cannot handle now. Some errors only have a message.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Error {
    #[prost(string, tag = "1")]
    pub(crate) message: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) not_leader: Option<NotLeader>,
    #[prost(message, optional, tag = "3")]
    pub(crate) region_not_found: Option<Nothing>,
    #[prost(message, optional, tag = "4")]
    pub(crate) key_not_in_region: Option<Nothing>,
    #[prost(message, optional, tag = "5")]
    pub(crate) epoch_not_match: Option<EpochNotMatch>,
    #[prost(message, optional, tag = "6")]
    pub(crate) server_is_busy: Option<ServerIsBusy>,
    #[prost(message, optional, tag = "7")]
    pub(crate) stale_command: Option<Nothing>,
    #[prost(message, optional, tag = "8")]
    pub(crate) store_not_match: Option<Nothing>,
    #[prost(message, optional, tag = "9")]
    pub(crate) raft_entry_too_large: Option<Nothing>,
    #[prost(message, optional, tag = "10")]
    pub(crate) max_timestamp_not_synced: Option<Nothing>,
    #[prost(message, optional, tag = "11")]
    pub(crate) read_index_not_ready: Option<Nothing>,
    #[prost(message, optional, tag = "12")]
    pub(crate) proposal_in_merging_mode: Option<Nothing>,
    #[prost(message, optional, tag = "13")]
    pub(crate) data_is_not_ready: Option<DataIsNotReady>,
    #[prost(message, optional, tag = "14")]
    pub(crate) region_not_initialized: Option<Nothing>,
    #[prost(message, optional, tag = "15")]
    pub(crate) disk_full: Option<DiskFull>,
    #[prost(message, optional, tag = "16")]
    pub(crate) recovery_in_progress: Option<Nothing>,
    #[prost(message, optional, tag = "17")]
    pub(crate) flashback_in_progress: Option<Nothing>,
    #[prost(message, optional, tag = "18")]
    pub(crate) flashback_not_prepared: Option<Nothing>,
    #[prost(message, optional, tag = "19")]
    pub(crate) is_witness: Option<Nothing>,
    #[prost(message, optional, tag = "20")]
    pub(crate) mismatch_peer_id: Option<Nothing>,
    #[prost(message, optional, tag = "21")]
    pub(crate) bucket_version_not_match: Option<Nothing>,
    #[prost(message, optional, tag = "22")]
    pub(crate) undetermined_result: Option<Nothing>,
}

/// The disk of a store is full, or almost full.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct DiskFull {
    #[prost(string, tag = "2")]
    pub(crate) reason: String,
}

/// The replica does not have all commits up to the timestamp of a read.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct DataIsNotReady {
    /// The timestamp up to which it has all commits.
    #[prost(uint64, tag = "3")]
    pub(crate) safe_ts: u64,
}

/// The peer is not the leader.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct NotLeader {
    #[prost(uint64, tag = "1")]
    pub(crate) region_id: u64,
    #[prost(message, optional, tag = "2")]
    pub(crate) leader: Option<Peer>,
}

/// The region has changed. Includes the regions that now cover its range if the store knows them.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct EpochNotMatch {
    #[prost(message, repeated, tag = "1")]
    pub(crate) current_regions: Vec<Region>,
}

/// The store has too much to do.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ServerIsBusy {
    #[prost(string, tag = "1")]
    pub(crate) reason: String,
    #[prost(uint64, tag = "2")]
    pub(crate) backoff_ms: u64,
}

/// A message whose presence is all that matters.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub(crate) struct Nothing {}
