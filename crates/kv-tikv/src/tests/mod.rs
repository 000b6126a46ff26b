//! The engine on a cluster in memory.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod conformance;
mod failures;
mod formats;
mod garbage;
mod loads;
mod members;
mod nodes;
mod prefixes;
mod pulse;
mod replica_reads;
mod scans;
mod servers;
mod timestamps;
mod tls;

use std::sync::Arc;
use std::time::Duration;

use kv::{Durability, Engine, Error, Snapshot, TransactionOptions, WriteTransaction};

use crate::mock_cluster::{Failure, MockCluster, PD_ADDRESS, Route, TrafficFigures};
use crate::{TikvEngine, TikvOptions};

/// A lease that outlives the time that tests let pass.
const LONG_LEASE: Duration = Duration::from_secs(3600);

/// Options whose limits suit tests.
fn options() -> TikvOptions {
    TikvOptions {
        pd: vec![PD_ADDRESS.to_owned()],
        timeout: Duration::from_secs(5),
        message_timeout: Duration::from_secs(1),
        ..TikvOptions::default()
    }
}

/// Opens the store of a cluster, which other engines may also open.
fn open(cluster: &Arc<MockCluster>) -> Arc<TikvEngine> {
    open_with(cluster, &TikvOptions { lease: LONG_LEASE, ..options() })
}

fn open_with(cluster: &Arc<MockCluster>, options: &TikvOptions) -> Arc<TikvEngine> {
    TikvEngine::over(Route::to(cluster), options).expect("open")
}

/// Messages of the background that may be in flight: it renews the lease.
const OTHERS: usize = 2;

/// Returns the messages of `work`: the least of several runs, because the background sends some as
/// well.
fn least_traffic(cluster: &MockCluster, work: impl Fn()) -> TrafficFigures {
    let runs = (0..4).map(|_| {
        cluster.traffic();
        work();
        cluster.traffic()
    });
    runs.min_by_key(|traffic| traffic.messages).unwrap()
}

/// Splits the keys of the store at some of those that tests use.
fn split(cluster: &MockCluster) {
    for key in ["b", "k", "k0500", "key00100", "m", "p001000"] {
        split_at(cluster, key);
    }
}

/// Splits the keys of the store at a key.
fn split_at(cluster: &MockCluster, key: &str) {
    cluster.split(&[b"persea/d", key.as_bytes()].concat());
}

fn begin(engine: &TikvEngine) -> Box<dyn WriteTransaction> {
    engine.begin(TransactionOptions::default()).expect("begin")
}

fn put(engine: &TikvEngine, key: &str, value: &str) -> kv::Result<()> {
    let mut transaction = engine.begin(TransactionOptions::default())?;
    transaction.put(key.as_bytes(), value.as_bytes())?;
    transaction.commit(Durability::Buffered)
}

fn get_in(snapshot: &dyn Snapshot, key: &str) -> kv::Result<Option<String>> {
    let values = snapshot.get_many(&[key.as_bytes()])?;
    Ok(values.get(0).map(|value| String::from_utf8(value.to_vec()).expect("text")))
}

fn get(engine: &TikvEngine, key: &str) -> Option<String> {
    get_in(&*engine.snapshot().expect("snapshot"), key).expect("get")
}

/// Commits a transaction over two regions. The reply to the decisive message is lost, and nobody
/// answers questions about its outcome.
fn commit_in_doubt(cluster: &MockCluster, engine: &TikvEngine) {
    cluster.fail("KvCommit", Failure::LostReply, 1);
    cluster.fail("KvCommit", Failure::Unreachable, usize::MAX);
    cluster.fail("KvCheckTxnStatus", Failure::Unreachable, usize::MAX);
    let mut transaction = begin(engine);
    transaction.put(b"a", b"2").expect("put");
    transaction.put(b"k", b"2").expect("put");
    assert!(matches!(transaction.commit(Durability::Buffered), Err(Error::Undetermined { .. })));
}
