//! Messages that no member sent.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::world::{World, group, run};
use crate::codec::message::{
    MESSAGE_MAX, Request, decode_reply, decode_request, encode_reply, encode_request,
};
use crate::error::Error;
use crate::member::Member;

/// Returns a group, and one of its followers.
async fn target(seed: u64) -> (Arc<World>, u64) {
    let world = World::new(seed, &[1, 2, 3]);
    world.record();
    let world = group(world).await;
    // Votes, entries, positions, renewals, a handover, and changes of the members.
    let (leader, _) = world.wait_for_writer(Duration::from_secs(5)).await.unwrap();
    let other = leader % 3 + 1;
    world.node(other).unwrap().appoint(other, Duration::from_secs(3)).await.unwrap();
    world.admit(Member { id: 4, endpoint: String::from("tcp://m4") });
    world.start(4).await.unwrap();
    for asked in [leader, other] {
        let member = Member { id: 4, endpoint: String::from("tcp://m4") };
        let _ = world.node(asked).unwrap().add(member, Duration::from_secs(3)).await;
    }
    for asked in [leader, other] {
        let _ = world.node(asked).unwrap().remove(4, Duration::from_secs(3)).await;
    }
    // Long enough for a snapshot.
    let third = [1, 2, 3].into_iter().find(|id| *id != leader && *id != other).unwrap();
    world.kill(third);
    sleep(Duration::from_secs(900)).await;
    world.start(third).await.unwrap();
    sleep(Duration::from_secs(10)).await;
    (world, leader)
}

fn resealed(mut message: Vec<u8>) -> Vec<u8> {
    let at = message.len() - 4;
    let sum = crc32c::crc32c(&message[..at]);
    message[at..].copy_from_slice(&sum.to_le_bytes());
    message
}

fn changed(rng: &mut fastrand::Rng, message: &[u8]) -> Vec<u8> {
    let mut changed = message.to_vec();
    for _ in 0..rng.usize(1..4) {
        // Not the head: a message to or from a stranger is refused before it is looked at.
        let at = rng.usize(34..changed.len().max(35)).min(changed.len() - 1);
        match rng.u8(0..4) {
            0 => changed[at] = rng.u8(..),
            1 => changed[at] ^= 1 << rng.u8(0..8),
            2 => changed[at] = *rng.choice(&[0, 1, 0x7f, 0xff]).unwrap(),
            _ => {
                let end = rng.usize(at..changed.len());
                changed.drain(at..end);
            }
        }
    }
    changed
}

#[test]
fn messages_are_read_as_they_were_written() {
    run(async {
        let (world, _) = target(1).await;
        let mut kinds = std::collections::BTreeSet::new();
        for (message, reply) in world.recorded() {
            let (head, request) = decode_request(&message).unwrap();
            assert_eq!(encode_request(head, &request), message);
            assert_eq!(encode_reply(&decode_reply(&reply).unwrap()), reply);
            kinds.insert(message[1]);
        }
        assert_eq!(kinds.into_iter().collect::<Vec<u8>>(), (1..=10).collect::<Vec<u8>>());
    });
}

#[test]
fn bytes_that_no_member_sent_are_refused() {
    run(async {
        let (world, follower) = target(2).await;
        let node = world.node(follower).unwrap();
        let mut rng = fastrand::Rng::with_seed(1);
        let recorded = world.recorded();
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..rng.usize(0..200)).map(|_| rng.u8(..)).collect();
            assert!(node.receive(&bytes).await.is_err());
            let (message, reply) = rng.choice(&recorded).unwrap();
            let other = changed(&mut rng, message);
            assert!(other == *message || node.receive(&other).await.is_err());
            let _ = decode_reply(&resealed(
                changed(&mut rng, &[&[0; 30], reply.as_slice()].concat())[30..].to_vec(),
            ));
        }
        let long = resealed(vec![1; MESSAGE_MAX + 1]);
        assert!(matches!(node.receive(&long).await, Err(Error::Message(_))));
        assert_eq!(node.board().stopped(), None);
    });
}

#[test]
fn strange_messages_of_a_member_do_not_end_raft() {
    for seed in 0..4 {
        run(async {
            let (world, follower) = target(10 + seed).await;
            let node = world.node(follower).unwrap();
            let mut rng = fastrand::Rng::with_seed(seed);
            let recorded: Vec<Vec<u8>> = world.recorded().into_iter().map(|(message, _)| message).collect();
            for _ in 0..3_000 {
                let known = &recorded[rng.usize(0..recorded.len())];
                let message = resealed(changed(&mut rng, known));
                if matches!(decode_request(&message), Ok((_, Request::CatchUp(..) | Request::Add(_)))) {
                    // These wait for a clock that goes on.
                    continue;
                }
                let _ = node.receive(&message).await;
            }
            assert_eq!(node.board().stopped(), None, "seed {seed}");
        });
    }
}

#[test]
fn a_message_for_another_member_or_folder_is_refused() {
    run(async {
        let (world, follower) = target(3).await;
        let node = world.node(follower).unwrap();
        let recorded = world.recorded();
        let (message, _) = recorded.iter().find(|(message, _)| message[1] == 6).unwrap();
        let (mut head, request) = decode_request(message).unwrap();
        head.to = follower % 3 + 1;
        let error = node.receive(&encode_request(head, &request)).await.unwrap_err().to_string();
        assert!(error.contains("it is for member"), "{error}");
        head.to = follower;
        head.to_folder = 12345;
        let error = node.receive(&encode_request(head, &request)).await.unwrap_err().to_string();
        assert!(error.contains("with another folder"), "{error}");
    });
}
