//! Servers of two versions on one store: an older one never meets a format that it cannot read.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kv::{Engine, Error, Sharing};

use super::{LONG_LEASE, get, open_with, options, put};
use crate::commit::{Commit, PATIENCE_MIN};
use crate::keys::Keys;
use crate::mock_cluster::{MockCluster, Route};
use crate::protocol::kv::{Mutation, Op};
use crate::runtime::Threads;
use crate::topology::client::Client;
use crate::{TikvEngine, TikvOptions};

/// The maximum wait for a format, which is raised within seconds.
const PATIENCE: Duration = Duration::from_secs(30);

fn options_of(format: u32) -> TikvOptions {
    TikvOptions { lease: LONG_LEASE, format, ..options() }
}

fn open(cluster: &Arc<MockCluster>, format: u32) -> Arc<TikvEngine> {
    open_with(cluster, &options_of(format))
}

fn sharing(engine: &TikvEngine) -> Arc<dyn Sharing> {
    engine.sharing().expect("a shared store")
}

/// Waits until a server uses a format.
fn wait_for(engine: &TikvEngine, format: u32) {
    let end = Instant::now() + PATIENCE;
    while sharing(engine).format() != format {
        assert!(Instant::now() < end, "{}", sharing(engine).format());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Servers are replaced one by one. The new format is used once the last old one has ended, and no
/// old one can come back then.
#[test]
fn a_new_format_is_used_when_no_living_server_is_too_old() {
    let cluster = MockCluster::new();
    let old = [open(&cluster, 1), open(&cluster, 1)];
    put(&old[0], "k", "1").unwrap();
    let new = open(&cluster, 2);
    assert_eq!(sharing(&new).format(), 1);
    old[0].close().unwrap();
    // A server of the old version may start again as long as one of them runs.
    let again = open(&cluster, 1);
    assert_eq!(get(&again, "k").as_deref(), Some("1"));
    let second = open(&cluster, 3);
    again.close().unwrap();
    assert_eq!((sharing(&new).format(), sharing(&second).format()), (1, 1));
    old[1].close().unwrap();
    wait_for(&new, 2);
    wait_for(&second, 2);
    let refused = TikvEngine::over(Route::to(&cluster), &options_of(1)).err();
    assert_eq!(refused, Some(Error::NewerFormat { found: 2, supported: 1 }));
    assert_eq!(sharing(&new).members().unwrap().len(), 2);
    assert_eq!(sharing(&open(&cluster, 2)).format(), 2);
}

/// A backup that was restored into another cluster is used only by servers that are told so once.
#[test]
fn a_store_of_another_cluster_is_adopted_on_request() {
    let cluster = MockCluster::new();
    put(&open(&cluster, 1), "k", "1").unwrap();
    let route = Route::to(&cluster);
    let client_options = options();
    let renamed = Threads::start().unwrap().wait(async move {
        let client = Client::connect(route, &client_options).await?;
        let at = client.timestamps.next().await?;
        let key = Keys::new(&client_options.prefix).fact("identity");
        let value = b"persea tikv 1 cluster=7 deployment=00000000000000aa".to_vec();
        let mutation = Mutation { op: Op::Put as i32, key, value };
        Commit::run(client, at, vec![mutation].into(), PATIENCE_MIN).await
    });
    renamed.unwrap();
    let refused = TikvEngine::over(Route::to(&cluster), &options_of(1)).err();
    assert!(matches!(refused, Some(Error::CannotOpen { .. })), "{refused:?}");
    let adopter = open_with(&cluster, &TikvOptions { adopts_restored: true, ..options_of(1) });
    assert_eq!(get(&adopter, "k").as_deref(), Some("1"));
    assert_ne!(adopter.identity().deployment, 0xaa);
    assert_eq!(open(&cluster, 1).identity(), adopter.identity());
}

/// A server of an older version that has opened the store while its format was raised keeps the
/// others from using it until it has ended.
#[test]
fn a_server_that_came_in_between_is_waited_for() {
    let cluster = MockCluster::new();
    let new = open(&cluster, 2);
    assert_eq!(sharing(&new).format(), 2);
    new.close().unwrap();
    // The fact names format 2. The record of an old server is there nevertheless.
    let old = open(&cluster, 2);
    old.claim_to_read(1).unwrap();
    sharing(&old).set_address("old:8529").unwrap();
    let next = open(&cluster, 2);
    assert_eq!(sharing(&next).format(), 1);
    old.close().unwrap();
    wait_for(&next, 2);
}
