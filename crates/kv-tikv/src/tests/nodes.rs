//! The processes of the cluster, and the statistics of the messages to them.

use kv::{Engine, NodeHealth, NodeRole, NodeStatistics};

use super::{get, open, put, split};
use crate::TikvEngine;
use crate::mock_cluster::{Failure, MockCluster, PD_ADDRESS};

fn figures(engine: &TikvEngine, address: &str) -> Option<NodeStatistics> {
    engine.statistics().nodes.into_iter().find(|node| node.address == address)
}

fn counter(engine: &TikvEngine, name: &str) -> u64 {
    let counters = engine.statistics().counters;
    counters.into_iter().find(|(other, _)| other == name).expect(name).1
}

/// Messages, failures and bytes count for the process that they were sent to.
#[test]
fn messages_are_counted_by_process() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    put(&engine, "k", &"x".repeat(10_000)).unwrap();
    let before = figures(&engine, "store:1").unwrap();
    assert_eq!((before.role, before.failures, before.in_flight), (NodeRole::Data, 0, 0));
    assert!(before.sent_bytes > 10_000 && before.received_bytes < 10_000, "{before:?}");
    cluster.fail("KvGet", Failure::LostReply, 1);
    assert!(get(&engine, "k").is_some());
    let all: u64 = engine.statistics().nodes.iter().map(|node| node.received_bytes).sum();
    let failures: u64 = engine.statistics().nodes.iter().map(|node| node.failures).sum();
    assert!(all > 10_000);
    assert_eq!(failures, 1);
    let pd = figures(&engine, PD_ADDRESS).unwrap();
    assert!(pd.role == NodeRole::Placement && pd.replies.count() > 2 && pd.replies.sum > 0.0, "{pd:?}");
}

/// Regions that have moved are counted by the reason why a message missed them.
#[test]
fn missed_regions_are_counted_by_kind() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    put(&engine, "k", "1").unwrap();
    assert_eq!(counter(&engine, "tikv.region-errors-not-leader"), 0);
    cluster.move_leaders();
    get(&engine, "k").unwrap();
    assert!(counter(&engine, "tikv.region-errors-not-leader") > 0);
    let regions = counter(&engine, "tikv.regions");
    split(&cluster);
    for key in ["a", "c", "k", "z"] {
        get(&engine, key);
    }
    assert!(counter(&engine, "tikv.region-errors-epoch-not-match") > 0);
    assert!(counter(&engine, "tikv.regions") > regions);
}

/// A store that has stopped is suspected once a message to it fails, or after two heartbeats, and
/// down after six.
#[test]
fn stores_that_stop_are_seen() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    let sharing = engine.sharing().unwrap();
    let health = || sharing.nodes().unwrap().data.iter().map(|node| node.health).collect::<Vec<_>>();
    let nodes = sharing.nodes().unwrap();
    assert_eq!(health(), [NodeHealth::Up; 3]);
    let first = &nodes.data[0];
    assert_eq!((first.id, first.address.as_str(), first.is_leaving), (1, "store:1", false));
    assert!(first.seen_ms.is_some() && first.capacity_bytes > first.available_bytes && first.ranges == 1);
    let [pd] = &nodes.placement[..] else { panic!("{nodes:?}") };
    assert_eq!((pd.address.as_str(), pd.health, pd.is_leader), (PD_ADDRESS, NodeHealth::Up, true));
    cluster.stop_store(1);
    // It led the only region.
    put(&engine, "k", "1").unwrap();
    assert_eq!(health(), [NodeHealth::Suspect, NodeHealth::Up, NodeHealth::Up]);
    cluster.stop_store(3);
    cluster.pass(30_000);
    assert_eq!(health(), [NodeHealth::Suspect, NodeHealth::Up, NodeHealth::Suspect]);
    cluster.pass(60_000);
    assert_eq!(health(), [NodeHealth::Down, NodeHealth::Up, NodeHealth::Down]);
}
