//! Single failures, and what must follow.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::world::{Weather, World, group, run};
use crate::error::Error;
use crate::member::Position;
use crate::timing::LEASE;

const SHORT: Duration = Duration::from_secs(5);

/// Waits until another member than this one may write.
async fn successor_of(world: &World, old: u64, most: Duration) -> Option<(u64, u64)> {
    let end = Instant::now() + most;
    while Instant::now() < end {
        if let Some(writer) = world.writer().filter(|(id, _)| *id != old) {
            return Some(writer);
        }
        sleep(Duration::from_millis(5)).await;
    }
    None
}

fn others(world: &World, id: u64) -> Vec<u64> {
    world.ids().into_iter().filter(|other| *other != id).collect()
}

#[test]
fn a_killed_leader_is_replaced_in_less_than_five_seconds() {
    let mut slowest = Duration::ZERO;
    for seed in 0..40 {
        slowest = slowest.max(run(async {
            let world = group(World::new(seed, &[1, 2, 3])).await;
            sleep(Duration::from_millis(seed * 70)).await;
            let (leader, epoch) = world.wait_for_writer(SHORT).await.unwrap();
            world.kill(leader);
            let killed = Instant::now();
            let (_, next) = successor_of(&world, leader, SHORT).await.expect("a successor");
            assert!(next > epoch);
            assert_eq!(world.violation(), None);
            killed.elapsed()
        }));
    }
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
}

#[test]
fn a_minority_never_elects_and_its_leader_stops_with_its_lease() {
    run(async {
        let world = group(World::new(1, &[1, 2, 3])).await;
        let (leader, _) = world.wait_for_writer(SHORT).await.unwrap();
        world.part(&[leader], &others(&world, leader));
        sleep(LEASE).await;
        assert_eq!(world.leadership(leader).valid_until, None, "its lease has ended");
        let (next, _) = successor_of(&world, leader, SHORT).await.expect("the majority elects");
        world.kill(next);
        world.kill(others(&world, leader).into_iter().find(|id| *id != next).unwrap());
        for _ in 0..600 {
            sleep(Duration::from_millis(100)).await;
            assert_eq!(world.writer(), None, "one of three elects nobody");
        }
    });
}

#[test]
fn a_leader_that_comes_back_follows_the_new_one() {
    run(async {
        let world = group(World::new(2, &[1, 2, 3])).await;
        let (leader, epoch) = world.wait_for_writer(SHORT).await.unwrap();
        world.part(&[leader], &others(&world, leader));
        let (next, _) = successor_of(&world, leader, SHORT).await.unwrap();
        world.heal();
        sleep(Duration::from_secs(2)).await;
        let known = world.leadership(leader);
        assert_eq!((known.is_self, known.leader.map(|member| member.id)), (false, Some(next)));
        let previous = known.previous.unwrap();
        assert_eq!((previous.leader, previous.epoch), (leader, epoch));
    });
}

#[test]
fn a_leader_that_starts_again_begins_as_no_leader_and_in_a_new_epoch() {
    run(async {
        let world = group(World::new(3, &[1, 2, 3])).await;
        let (leader, epoch) = world.wait_for_writer(SHORT).await.unwrap();
        world.kill(leader);
        world.start(leader).await.unwrap();
        let end = Instant::now() + LEASE * 9 / 10;
        while Instant::now() < end {
            assert!(!world.leadership(leader).is_self, "the old lease is of another run");
            sleep(Duration::from_millis(10)).await;
        }
        let (_, next) = world.wait_for_writer(SHORT).await.unwrap();
        assert_eq!(next, epoch + 1);
    });
}

#[test]
fn the_whole_group_starts_again_from_its_folders() {
    run(async {
        let world = group(World::new(4, &[1, 2, 3])).await;
        // Past several snapshots.
        sleep(Duration::from_secs(1500)).await;
        let (_, epoch) = world.wait_for_writer(SHORT).await.unwrap();
        for id in world.ids() {
            assert!(world.disk(id).bytes().len() < 256 * 1024, "the journal is compacted");
            world.kill(id);
        }
        for id in world.ids() {
            world.start(id).await.unwrap();
            assert!(!world.leadership(id).is_self);
        }
        let (_, next) = world.wait_for_writer(2 * SHORT).await.unwrap();
        assert_eq!(next, epoch + 1, "the appointments before were not forgotten");
    });
}

#[test]
fn a_member_that_was_away_for_long_learns_from_a_snapshot() {
    run(async {
        let world = group(World::new(5, &[1, 2, 3])).await;
        let (leader, epoch) = world.wait_for_writer(SHORT).await.unwrap();
        let away = others(&world, leader)[0];
        world.kill(away);
        sleep(Duration::from_secs(1500)).await;
        world.start(away).await.unwrap();
        sleep(SHORT).await;
        let known = world.leadership(away);
        assert_eq!((known.epoch, known.leader.map(|member| member.id)), (epoch, Some(leader)));
    });
}

#[test]
fn the_most_advanced_member_is_appointed() {
    run(async {
        let world = group(World::new(6, &[1, 2, 3, 4, 5])).await;
        let (leader, epoch) = world.wait_for_writer(SHORT).await.unwrap();
        let rest = others(&world, leader);
        let chosen = rest[2];
        world.kill(leader);
        {
            let mut data = world.data.lock().unwrap();
            let tick = data.position(leader).tick;
            data.set(chosen, Position { epoch, tick: tick + 1000 });
            // Further in an older epoch, and unable to lead.
            data.set(rest[0], Position { epoch: epoch - 1, tick: tick + 5000 });
            data.set(rest[1], Position { epoch, tick: tick + 9000 });
            data.unable.insert(rest[1]);
        }
        let next = world.wait_for_writer(SHORT).await;
        assert_eq!(next, Some((chosen, epoch + 1)));
    });
}

#[test]
fn a_group_whose_members_cannot_lead_has_no_leader_until_one_can() {
    run(async {
        let world = group(World::new(7, &[1, 2, 3])).await;
        let (leader, _) = world.wait_for_writer(SHORT).await.unwrap();
        world.data.lock().unwrap().unable.extend([1, 2, 3]);
        sleep(SHORT).await;
        assert_eq!(
            world.writer().map(|(id, _)| id),
            Some(leader),
            "a leader stays while it renews its lease"
        );
        world.kill(leader);
        sleep(2 * SHORT).await;
        assert_eq!(world.writer(), None);
        let able = others(&world, leader)[1];
        world.data.lock().unwrap().unable.remove(&able);
        assert_eq!(world.wait_for_writer(SHORT).await.map(|(id, _)| id), Some(able));
    });
}

#[test]
fn a_leader_whose_disk_fails_is_replaced() {
    run(async {
        let world = group(World::new(8, &[1, 2, 3])).await;
        let (leader, _) = world.wait_for_writer(SHORT).await.unwrap();
        world.disk(leader).fail();
        let next = successor_of(&world, leader, 2 * SHORT).await;
        assert!(next.is_some());
        let node = world.node(leader).unwrap();
        assert!(node.board().stopped().is_some(), "the member says that its elections have ended");
    });
}

#[test]
fn a_slow_network_keeps_its_leader() {
    run(async {
        let world = group(World::new(9, &[1, 2, 3])).await;
        let weather = Weather { loss: 2, duplicates: 5, delay: 60 };
        *world.weather.lock().unwrap() = weather;
        let before = world.wait_for_writer(SHORT).await.unwrap();
        sleep(Duration::from_secs(120)).await;
        assert_eq!(world.wait_for_writer(SHORT).await, Some(before));
    });
}

#[test]
fn a_member_that_lost_its_folder_is_refused() {
    run(async {
        let world = group(World::new(10, &[1, 2, 3])).await;
        let (leader, _) = world.wait_for_writer(SHORT).await.unwrap();
        let lost = others(&world, leader)[0];
        world.kill(lost);
        world.lose_disk(lost);
        world.start(lost).await.unwrap();
        sleep(2 * SHORT).await;
        assert_eq!(world.leadership(lost).epoch, 0, "it takes nothing from the group");
        // Were it to vote, the group would have a majority.
        let third = others(&world, leader).into_iter().find(|id| *id != lost).unwrap();
        world.kill(third);
        sleep(2 * SHORT).await;
        assert_eq!(world.writer(), None, "it does not count for a majority");
    });
}

#[test]
fn a_folder_belongs_to_one_member() {
    run(async {
        let world = group(World::new(11, &[1, 2])).await;
        world.kill(1);
        let disk = world.disk(1);
        world.kill(2);
        world.replace_disk(2, disk);
        let error = world.start(2).await.unwrap_err();
        assert!(matches!(&error, Error::Options(text) if text.contains("belongs to member 1")), "{error}");
    });
}

#[test]
fn a_group_is_founded_when_all_members_answer_and_agree_on_them() {
    run(async {
        let world = Arc::new(World::new(12, &[1, 2, 3]));
        let all = world.configured();
        world.start(1).await.unwrap();
        world.start(2).await.unwrap();
        sleep(2 * SHORT).await;
        assert!(world.node(1).unwrap().members().is_empty(), "two of three do not found a group");
        let less: BTreeMap<_, _> = all.into_iter().filter(|(id, _)| *id != 1).collect();
        world.start_with(3, less).await.unwrap();
        sleep(2 * SHORT).await;
        assert!(world.node(1).unwrap().members().is_empty(), "member 3 names other members");
        world.kill(3);
        world.start(3).await.unwrap();
        assert!(world.wait_for_writer(2 * SHORT).await.is_some());
        assert_eq!(world.node(2).unwrap().members().len(), 3);
    });
}

#[test]
fn a_single_member_leads_itself() {
    run(async {
        let world = group(World::new(13, &[7])).await;
        assert_eq!(world.writer(), Some((7, 1)));
        world.kill(7);
        world.start(7).await.unwrap();
        assert_eq!(world.wait_for_writer(SHORT).await, Some((7, 2)));
    });
}

#[test]
fn an_idle_group_sends_few_messages() {
    run(async {
        let world = group(World::new(14, &[1, 2, 3])).await;
        sleep(SHORT).await;
        let before = world.sent();
        sleep(Duration::from_secs(60)).await;
        let rate = (world.sent() - before) / 60;
        assert!(rate <= 24, "{rate} messages a second");
    });
}
