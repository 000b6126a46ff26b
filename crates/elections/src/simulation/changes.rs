//! Members that come and go.

use std::time::Duration;

use tokio::time::sleep;

use super::world::{World, group, run};
use crate::member::Member;

const LIMIT: Duration = Duration::from_secs(3);
const SHORT: Duration = Duration::from_secs(5);

fn member(id: u64) -> Member {
    Member { id, endpoint: format!("tcp://m{id}") }
}

fn ids(world: &World, asked: u64) -> Vec<u64> {
    world.node(asked).unwrap().members().iter().map(|member| member.id).collect()
}

#[test]
fn a_member_is_added_counts_for_majorities_and_is_removed() {
    run(async {
        let world = group(World::new(1, &[1, 2, 3])).await;
        let (leader, _) = world.wait_for_writer(SHORT).await.unwrap();
        world.admit(member(4));
        world.start(4).await.unwrap();
        let asked = if leader == 1 { 2 } else { 1 };
        world.node(asked).unwrap().add(member(4), LIMIT).await.unwrap();
        sleep(SHORT).await;
        assert_eq!(ids(&world, 4), [1, 2, 3, 4]);
        assert_eq!(world.leadership(4).leader.map(|member| member.id), Some(leader));

        let follower = [1, 2, 3].into_iter().find(|id| *id != leader).unwrap();
        world.kill(follower);
        world.kill(leader);
        sleep(2 * SHORT).await;
        assert_eq!(world.writer(), None, "two of four elect nobody");
        world.start(leader).await.unwrap();
        let (next, _) = world.wait_for_writer(2 * SHORT).await.unwrap();
        world.node(next).unwrap().remove(follower, LIMIT).await.unwrap();
        sleep(SHORT).await;
        assert!(!ids(&world, next).contains(&follower), "a member that is down is removed");
        assert_eq!(world.violation(), None);
    });
}

#[test]
fn a_member_with_a_lost_folder_comes_back_after_it_was_removed() {
    run(async {
        let world = group(World::new(2, &[1, 2, 3])).await;
        let (leader, _) = world.wait_for_writer(SHORT).await.unwrap();
        let lost = [1, 2, 3].into_iter().find(|id| *id != leader).unwrap();
        world.kill(lost);
        world.lose_disk(lost);
        world.start(lost).await.unwrap();
        let node = world.node(leader).unwrap();
        let error = node.add(member(lost), LIMIT).await.unwrap_err();
        assert!(error.to_string().contains("already"), "{error}");
        node.remove(lost, LIMIT).await.unwrap();
        node.add(member(lost), LIMIT).await.unwrap();
        sleep(SHORT).await;
        assert_eq!(world.leadership(lost).leader.map(|member| member.id), Some(leader));
        let third = [1, 2, 3].into_iter().find(|id| *id != leader && *id != lost).unwrap();
        world.kill(third);
        sleep(SHORT).await;
        assert!(world.writer().is_some(), "it counts for the majority");
    });
}

#[test]
fn changes_that_cannot_work_are_refused() {
    run(async {
        let world = group(World::new(3, &[1, 2, 3])).await;
        let (leader, epoch) = world.wait_for_writer(SHORT).await.unwrap();
        let node = world.node(leader).unwrap();
        let refusals = [
            (node.remove(leader, LIMIT).await, "leads; appoint another one first"),
            (node.remove(9, LIMIT).await, "has no member 9"),
            (node.add(member(4), LIMIT).await, "member 4 does not answer"),
            (node.add(Member { id: 0, endpoint: String::from("x") }, LIMIT).await, "between 1 and 2^60"),
            (node.add(Member { id: 5, endpoint: String::new() }, LIMIT).await, "has 0 bytes"),
        ];
        for (result, reason) in refusals {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        assert_eq!(world.writer(), Some((leader, epoch)));
        assert_eq!(ids(&world, leader), [1, 2, 3]);
    });
}

#[test]
fn a_removed_member_that_still_runs_disturbs_nobody() {
    run(async {
        let world = group(World::new(4, &[1, 2, 3, 4])).await;
        let (leader, epoch) = world.wait_for_writer(SHORT).await.unwrap();
        let gone = [1, 2, 3, 4].into_iter().find(|id| *id != leader).unwrap();
        world.node(leader).unwrap().remove(gone, LIMIT).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        assert_eq!(world.writer(), Some((leader, epoch)));
        assert_eq!(world.violation(), None);
    });
}
