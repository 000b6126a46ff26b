//! Leaders that come, go and come back, over threads, folders and real time.

use std::thread;
use std::time::{Duration, Instant};

use elections::{Error, Member, Position};

use super::group::{Group, wait};

#[test]
fn a_leader_that_stops_is_followed_by_another_and_comes_back_as_a_follower() {
    let mut group = Group::start(3);
    let (leader, epoch) = group.wait_for_writer();
    let follower = leader % 3 + 1;
    let before = wait("the follower knows the leader", || {
        let known = group.running[&follower].leadership();
        known.leader.as_ref().is_some_and(|member| member.id == leader).then_some(known)
    });
    assert!(!before.is_self && !before.may_write(Instant::now()));
    assert_eq!(group.running[&follower].members().len(), 3);

    group.stop_member(leader, false);
    let after = wait("the follower hears of a new leader", || {
        let known = group.running[&follower].wait_for_change(before.version, Duration::from_secs(1));
        (known.epoch > epoch && known.leader.is_some()).then_some(known)
    });
    assert_eq!(after.previous.unwrap().leader, leader);
    let (next, _) = group.wait_for_writer();
    group.start_member(leader);
    wait("the old leader follows", || {
        let known = group.running[&leader].leadership();
        known.leader.is_some_and(|member| member.id == next).then_some(())
    });
}

#[test]
fn all_members_start_again_from_their_folders() {
    let mut group = Group::start(3);
    let (_, epoch) = group.wait_for_writer();
    for id in 1..=3 {
        group.stop_member(id, true);
    }
    for id in 1..=3 {
        group.start_member(id);
        assert_eq!(group.running[&id].leadership().valid_until, None);
    }
    let (_, next) = group.wait_for_writer();
    assert!(next > epoch);
}

#[test]
fn a_handover_stops_writes_catches_up_and_appoints() {
    let group = Group::start(3);
    let (leader, epoch) = group.wait_for_writer();
    let chosen = leader % 3 + 1;
    let asked = chosen % 3 + 1;
    *group.data[&leader].position.lock().unwrap() = Some(Position { epoch, tick: 42 });
    let limit = Duration::from_secs(20);
    wait("the handover works", || {
        // A lease may end on a busy machine, and another member may have been appointed.
        let done = group.running[&asked].appoint(chosen, limit);
        (done.is_ok() || group.running[&chosen].leadership().is_self).then_some(())
    });
    wait("the chosen member leads", || group.running[&chosen].leadership().valid_until);
    assert_eq!(group.data[&chosen].calls.lock().unwrap().first(), Some(&"catch up"));
    let calls = group.data[&leader].calls.lock().unwrap().clone();
    assert!(calls.contains(&"stop") && calls.contains(&"resume"), "{calls:?}");
}

#[test]
fn a_member_that_is_cut_off_loses_its_lease_in_time() {
    let group = Group::start(3);
    let (leader, _) = group.wait_for_writer();
    group.lines.cut(leader);
    let known = wait("a lease ends", || {
        let known = group.running[&leader].wait_for_change(0, Duration::ZERO);
        known.valid_until.is_none().then_some(known)
    });
    assert!(!known.may_write(Instant::now()));
    wait("another member leads", || {
        let mut others = group.running.iter().filter(|(id, _)| **id != leader);
        others.any(|(_, member)| member.leadership().valid_until.is_some()).then_some(())
    });
}

#[test]
fn members_are_added_and_removed() {
    let mut group = Group::start(3);
    group.wait_for_writer();
    let limit = Duration::from_secs(20);
    group.admit(4);
    group.start_member(4);
    let member = Member { id: 4, endpoint: String::from("member4") };
    wait("the member is added", || {
        let added = group.running[&1].add_member(member.clone(), limit);
        let count = group.running[&1].members().len();
        assert!(added.is_err() || count == 4, "the member that was asked knows the change");
        (added.is_ok() || count == 4).then_some(())
    });
    wait("the new member knows the leader", || group.running[&4].leadership().leader);
    wait("the member is removed", || {
        let removed = group.running[&2].remove_member(4, limit);
        let count = group.running[&2].members().len();
        assert!(removed.is_err() || count == 3, "the member that was asked knows the change");
        (removed.is_ok() || count == 3).then_some(())
    });
}

#[test]
fn a_stopped_member_answers_nothing() {
    let group = Group::start(1);
    group.wait_for_writer();
    let member = &group.running[&1];
    let version = member.leadership().version;
    let waiting = thread::spawn({
        let member = std::sync::Arc::clone(member);
        move || member.wait_for_change(version, Duration::from_secs(60))
    });
    member.stop();
    assert!(waiting.join().unwrap().valid_until.is_none(), "those who wait hear of the stop");
    assert!(matches!(member.receive(b"x"), Err(Error::Stopped(_) | Error::Message(_))));
    assert!(member.failure().is_some());
    assert!(!member.leadership().is_self);
    member.stop();
}
