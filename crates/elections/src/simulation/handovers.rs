//! Handovers by an operator's order, and stops.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::world::{World, group, run};

const LIMIT: Duration = Duration::from_secs(3);
const SHORT: Duration = Duration::from_secs(5);

struct Cast {
    world: Arc<World>,
    leader: u64,
    epoch: u64,
    follower: u64,
    third: u64,
}

async fn cast(seed: u64) -> Cast {
    let world = group(World::new(seed, &[1, 2, 3])).await;
    let (leader, epoch) = world.wait_for_writer(SHORT).await.unwrap();
    let rest: Vec<u64> = world.ids().into_iter().filter(|id| *id != leader).collect();
    Cast { world, leader, epoch, follower: rest[0], third: rest[1] }
}

#[test]
fn the_chosen_member_leads_with_all_writes_and_without_a_lease_to_wait_for() {
    run(async {
        let Cast { world, leader, epoch, follower, third } = cast(1).await;
        let end = world.data.lock().unwrap().position(leader);
        let began = Instant::now();
        // Any member can be asked.
        world.node(third).unwrap().appoint(follower, LIMIT).await.unwrap();
        let writer = world.wait_for_writer(SHORT).await;
        assert_eq!(writer, Some((follower, epoch + 1)));
        assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
        assert!(world.data.lock().unwrap().position(follower) >= end, "it has caught up");
        assert!(
            world.data.lock().unwrap().stopped.is_empty(),
            "the old leader's writes are not stopped for ever"
        );
        assert_eq!(world.violation(), None);
    });
}

#[test]
fn a_member_that_does_not_catch_up_or_cannot_lead_changes_nothing() {
    run(async {
        let Cast { world, leader, epoch, follower, third } = cast(2).await;
        world.data.lock().unwrap().lagging.insert(follower);
        world.data.lock().unwrap().unable.insert(third);
        let node = world.node(leader).unwrap();
        let error = node.appoint(follower, LIMIT).await.unwrap_err();
        assert!(error.to_string().contains("it did not catch up"), "{error}");
        assert_eq!(world.writer(), Some((leader, epoch)), "the leader goes on at once");
        let error = node.appoint(third, LIMIT).await.unwrap_err();
        assert!(error.to_string().contains("cannot lead"), "{error}");
        let error = node.appoint(9, LIMIT).await.unwrap_err();
        assert!(error.to_string().contains("no member 9"), "{error}");
        node.appoint(leader, LIMIT).await.expect("the leader leads already");
        assert_eq!(world.writer(), Some((leader, epoch)));
        assert!(world.data.lock().unwrap().stopped.is_empty());
    });
}

#[test]
fn a_leader_that_is_cut_off_during_its_handover_never_leads_in_that_epoch_again() {
    for wait in [0, 1, 5, 10, 15, 20, 21, 22, 23, 24, 25, 30, 40] {
        run(async {
            let Cast { world, leader, epoch, follower, third } = cast(3).await;
            let node = world.node(leader).unwrap();
            let handover = tokio::spawn(async move { node.appoint(follower, LIMIT).await });
            sleep(Duration::from_millis(wait)).await;
            world.part(&[leader], &[follower, third]);
            sleep(2 * SHORT).await;
            let _ = handover.await.unwrap();
            world.heal();
            let (_, next) = world.wait_for_writer(SHORT).await.unwrap();
            assert!(next > epoch);
            assert!(world.data.lock().unwrap().stopped.is_empty());
            assert_eq!(world.violation(), None);
        });
    }
}

/// Returns the member that leads Raft.
fn raft_leader(world: &World) -> Option<u64> {
    let leads = |id: &u64| world.node(*id).is_some_and(|node| node.raft_leader().ok() == Some(*id));
    world.ids().into_iter().find(leads)
}

/// A leader that also leads Raft takes Raft's leader along when it stops. The successor has a lease
/// by then, which lasts until Raft has another one.
#[test]
fn a_handover_before_a_stop_leaves_no_time_without_a_leader() {
    for seed in 10..20 {
        run(async {
            let Cast { world, leader, epoch, .. } = cast(seed).await;
            let first = raft_leader(&world).unwrap();
            if first != leader {
                world.node(leader).unwrap().appoint(first, LIMIT).await.unwrap();
            }
            let epoch = epoch + u64::from(first != leader);
            assert_eq!(world.wait_for_writer(SHORT).await, Some((first, epoch)));
            let successor = world.ids().into_iter().find(|id| *id != first).unwrap();
            world.node(first).unwrap().appoint(successor, LIMIT).await.unwrap();
            // The answer to its renewal is on the way, which takes one message of 1 ms at most.
            sleep(Duration::from_millis(2)).await;
            assert_eq!(world.writer(), Some((successor, epoch + 1)), "seed {seed}");
            world.node(first).unwrap().stop().await;
            world.kill(first);
            let (mut without, step) = (Duration::ZERO, Duration::from_millis(10));
            for _ in 0..500 {
                without += if world.writer().is_none() { step } else { Duration::ZERO };
                sleep(step).await;
            }
            assert!(without < Duration::from_secs(1), "seed {seed}: {without:?} without a leader");
            assert_eq!(world.violation(), None);
        });
    }
}

#[test]
fn a_leader_that_stops_is_replaced_without_a_wait_for_its_lease() {
    run(async {
        let Cast { world, leader, .. } = cast(4).await;
        // A leader that does not lead Raft too, as otherwise Raft needs a new leader first.
        let raft_leader = raft_leader(&world);
        let other = world.ids().into_iter().find(|id| Some(*id) != raft_leader).unwrap();
        if other != leader {
            world.node(leader).unwrap().appoint(other, LIMIT).await.unwrap();
        }
        world.wait_for_writer(SHORT).await.unwrap();
        world.node(other).unwrap().stop().await;
        let stopped = Instant::now();
        let (next, _) = world.wait_for_writer(SHORT).await.unwrap();
        assert_ne!(next, other);
        assert!(stopped.elapsed() < Duration::from_secs(1), "{:?}", stopped.elapsed());
        assert_eq!(world.violation(), None);
    });
}
