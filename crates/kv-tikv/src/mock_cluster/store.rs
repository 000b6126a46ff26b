//! The mock of a store.

use prost::DecodeError;

use super::garbage::scan_locks;
use super::{State, reply};
use crate::codec;
use crate::protocol::garbage::{ScanLockRequest, ScanLockResponse};
use crate::protocol::kv::{
    BatchGetRequest, BatchGetResponse, BatchRollbackRequest, BatchRollbackResponse, CheckTxnStatusRequest,
    CheckTxnStatusResponse, CommitRequest, CommitResponse, Context, GetRequest, GetResponse, KeyError,
    KvPair, PrewriteRequest, PrewriteResponse, ResolveLockRequest, ResolveLockResponse, ScanRequest,
    ScanResponse, TxnHeartBeatRequest, TxnHeartBeatResponse,
};
use crate::protocol::region::{DataIsNotReady, DiskFull, Error, Nothing};
use crate::topology::pd::from_milliseconds;

/// The default of `storage.max-key-size`, for keys in their encoded form.
const MAX_KEY_SIZE: usize = 8192;

/// The bounds of the region of a message.
type Bounds = (Vec<u8>, Vec<u8>);

/// Answers a message to a region, or with the error of its address.
macro_rules! at_region {
    ($state:ident, $store:ident, $message:ident, $request:ident, $response:ident, $handle:expr) => {
        reply($message, |request: $request| match $state.check($store, request.context.as_ref()) {
            Err(error) => $response { region_error: Some(error), ..Default::default() },
            Ok(bounds) => {
                let handle: fn(&mut State, &$request, &Bounds) -> $response = $handle;
                handle($state, &request, &bounds)
            }
        })
    };
}

fn passable(context: Option<&Context>) -> &[u64] {
    context.map_or(&[], |context| context.resolved_locks.as_slice())
}

/// Checks that a key is in the region.
fn check((start, end): &Bounds, key: &[u8]) -> Option<Error> {
    let is_inside = key >= start.as_slice() && (end.is_empty() || key < end.as_slice());
    (!is_inside).then(|| Error { key_not_in_region: Some(Nothing {}), ..Error::default() })
}

/// Checks that a replica may answer a read at a timestamp, and counts the read.
fn check_replica(state: &mut State, context: Option<&Context>, bounds: &Bounds, at: u64) -> Option<Error> {
    let context = context?;
    let store = context.peer.map_or(0, |peer| peer.store_id);
    if context.stale_read {
        let told_ms = state.map.told_ms(context.region_id, state.now_ms());
        let told = from_milliseconds(told_ms.saturating_sub(state.replicas_behind_ms));
        let locked = state.pairs.oldest_lock((&bounds.0, &bounds.1));
        let safe_ts = locked.map_or(told, |start| told.min(start.saturating_sub(1)));
        if at > safe_ts {
            let behind = Some(DataIsNotReady { safe_ts });
            return Some(Error { data_is_not_ready: behind, ..Error::default() });
        }
    }
    *state.reads.entry(store).or_default() += 1;
    None
}

pub(super) fn answer(
    state: &mut State,
    store: &str,
    method: &str,
    message: &[u8],
) -> Result<Vec<u8>, DecodeError> {
    match method.trim_start_matches("/tikvpb.Tikv/") {
        "KvGet" => at_region!(state, store, message, GetRequest, GetResponse, get),
        "KvBatchGet" => at_region!(state, store, message, BatchGetRequest, BatchGetResponse, batch_get),
        "KvScan" => at_region!(state, store, message, ScanRequest, ScanResponse, scan),
        "KvPrewrite" => at_region!(state, store, message, PrewriteRequest, PrewriteResponse, prewrite),
        "KvCommit" => at_region!(state, store, message, CommitRequest, CommitResponse, commit),
        "KvBatchRollback" => {
            at_region!(state, store, message, BatchRollbackRequest, BatchRollbackResponse, roll_back)
        }
        "KvTxnHeartBeat" => {
            at_region!(state, store, message, TxnHeartBeatRequest, TxnHeartBeatResponse, prolong)
        }
        "KvScanLock" => at_region!(state, store, message, ScanLockRequest, ScanLockResponse, scan_locks),
        "KvCheckTxnStatus" => {
            at_region!(state, store, message, CheckTxnStatusRequest, CheckTxnStatusResponse, status)
        }
        _ => at_region!(state, store, message, ResolveLockRequest, ResolveLockResponse, resolve),
    }
}

fn get(state: &mut State, request: &GetRequest, bounds: &Bounds) -> GetResponse {
    let error = check(bounds, &request.key);
    let behind = || check_replica(state, request.context.as_ref(), bounds, request.version);
    if let Some(error) = error.or_else(behind) {
        return GetResponse { region_error: Some(error), ..Default::default() };
    }
    match state.pairs.get(&request.key, request.version, passable(request.context.as_ref())) {
        Err(error) => GetResponse { error: Some(error), ..Default::default() },
        Ok(None) => GetResponse { not_found: true, ..Default::default() },
        Ok(Some(value)) => GetResponse { value, ..Default::default() },
    }
}

fn batch_get(state: &mut State, request: &BatchGetRequest, bounds: &Bounds) -> BatchGetResponse {
    if let Some(error) = check_replica(state, request.context.as_ref(), bounds, request.version) {
        return BatchGetResponse { region_error: Some(error), ..Default::default() };
    }
    let mut reply = BatchGetResponse::default();
    for key in &request.keys {
        if let Some(error) = check(bounds, key) {
            return BatchGetResponse { region_error: Some(error), ..Default::default() };
        }
        match state.pairs.get(key, request.version, passable(request.context.as_ref())) {
            Err(error) => {
                reply.pairs.push(KvPair { error: Some(error), key: key.clone(), value: Vec::new() })
            }
            Ok(None) => {}
            Ok(Some(value)) => reply.pairs.push(KvPair { error: None, key: key.clone(), value }),
        }
    }
    reply
}

fn scan(state: &mut State, request: &ScanRequest, bounds: &Bounds) -> ScanResponse {
    if let Some(error) = check_replica(state, request.context.as_ref(), bounds, request.version) {
        return ScanResponse { region_error: Some(error), ..Default::default() };
    }
    let (start, end) = bounds;
    let (low, high) = match request.reverse {
        true => (&request.end_key, &request.start_key),
        false => (&request.start_key, &request.end_key),
    };
    let low = low.max(start);
    let high = if end.is_empty() || (!high.is_empty() && high < end) { high } else { end };
    if !high.is_empty() && low >= high {
        return ScanResponse::default();
    }
    let passable = passable(request.context.as_ref());
    let found = state.pairs.scan((low, high), request.version, passable);
    let pair = |(key, value): (&Vec<u8>, Result<&Vec<u8>, KeyError>)| match value {
        Err(error) => KvPair { error: Some(error), key: key.clone(), value: Vec::new() },
        Ok(_) if request.key_only => KvPair { error: None, key: key.clone(), value: Vec::new() },
        Ok(value) => KvPair { error: None, key: key.clone(), value: value.clone() },
    };
    let limit = request.limit as usize;
    let pairs = match request.reverse {
        true => found.rev().take(limit).map(pair).collect(),
        false => found.take(limit).map(pair).collect(),
    };
    ScanResponse { pairs, ..Default::default() }
}

/// Checks that the disk has room for a message.
fn check_room(state: &State, context: Option<&Context>) -> Option<Error> {
    let is_allowed = context.is_some_and(|context| context.disk_full_opt > 0);
    let disk_full = Some(DiskFull { reason: "almost full".to_owned() });
    (state.is_almost_full && !is_allowed).then(|| Error { disk_full, ..Error::default() })
}

fn prewrite(state: &mut State, request: &PrewriteRequest, bounds: &Bounds) -> PrewriteResponse {
    let misplaced = request.mutations.iter().find_map(|mutation| check(bounds, &mutation.key));
    if let Some(error) = misplaced.or_else(|| check_room(state, request.context.as_ref())) {
        return PrewriteResponse { region_error: Some(error), ..Default::default() };
    }
    // A store checks the keys before anything else, and says so by a text.
    if request.mutations.iter().any(|mutation| codec::encode(&mutation.key).len() > MAX_KEY_SIZE) {
        let error = KeyError { abort: "KeyTooLarge".to_owned(), ..KeyError::default() };
        return PrewriteResponse { errors: vec![error], ..Default::default() };
    }
    match state.pairs.prewrite(request) {
        Ok(one_pc_commit_ts) => PrewriteResponse { one_pc_commit_ts, ..Default::default() },
        Err(errors) => PrewriteResponse { errors, ..Default::default() },
    }
}

fn commit(state: &mut State, request: &CommitRequest, bounds: &Bounds) -> CommitResponse {
    let misplaced = request.keys.iter().find_map(|key| check(bounds, key));
    if let Some(error) = misplaced.or_else(|| check_room(state, request.context.as_ref())) {
        return CommitResponse { region_error: Some(error), ..Default::default() };
    }
    let mut commit = |key: &Vec<u8>| state.pairs.commit(key, request.start_version, request.commit_version);
    CommitResponse { error: request.keys.iter().find_map(|key| commit(key).err()), ..Default::default() }
}

fn roll_back(state: &mut State, request: &BatchRollbackRequest, bounds: &Bounds) -> BatchRollbackResponse {
    if let Some(error) = request.keys.iter().find_map(|key| check(bounds, key)) {
        return BatchRollbackResponse { region_error: Some(error), ..Default::default() };
    }
    request.keys.iter().for_each(|key| state.pairs.roll_back(key, request.start_version));
    BatchRollbackResponse::default()
}

fn prolong(state: &mut State, request: &TxnHeartBeatRequest, _: &Bounds) -> TxnHeartBeatResponse {
    let is_there = state.pairs.prolong(&request.primary_lock, request.start_version, request.advise_lock_ttl);
    let error = KeyError { txn_not_found: Some(Nothing {}), ..KeyError::default() };
    TxnHeartBeatResponse { error: (!is_there).then_some(error), ..Default::default() }
}

fn status(state: &mut State, request: &CheckTxnStatusRequest, bounds: &Bounds) -> CheckTxnStatusResponse {
    if let Some(error) = check(bounds, &request.primary_key) {
        return CheckTxnStatusResponse { region_error: Some(error), ..Default::default() };
    }
    let times = (request.caller_start_ts, request.current_ts);
    match state.pairs.status(&request.primary_key, request.lock_ts, times, request.rollback_if_not_exist) {
        Some(status) => CheckTxnStatusResponse {
            lock_ttl: status.ttl,
            commit_version: status.commit,
            action: status.action as i32,
            ..Default::default()
        },
        None => CheckTxnStatusResponse {
            error: Some(KeyError { txn_not_found: Some(Nothing {}), ..KeyError::default() }),
            ..Default::default()
        },
    }
}

fn resolve(state: &mut State, request: &ResolveLockRequest, (start, end): &Bounds) -> ResolveLockResponse {
    let range = (start.as_slice(), end.as_slice());
    state.pairs.resolve(&request.keys, range, request.start_version, request.commit_version);
    ResolveLockResponse::default()
}
