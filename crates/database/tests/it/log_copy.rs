//! The copy of the change log for an archive: all databases, with the times of commits, in pieces.

use std::sync::Arc;

use database::follow::{Applier, CopiedState, TailBody};
use database::{Identity, Instance, InstanceOptions, Session};
use serde_json::json;
use storage::{ChangeLogMode, ChangeLogOptions, StoreOptions};

use crate::common::*;

fn logging_session() -> Session {
    let changes = ChangeLogOptions { mode: ChangeLogMode::Always, ..ChangeLogOptions::default() };
    let options = StoreOptions { changes, ..StoreOptions::default() };
    let instance =
        Instance::with_store_options(test_engine::engine(), options, InstanceOptions::default()).unwrap();
    Session::open(instance, "_system", Identity::Superuser).unwrap()
}

/// A part of a commit, as a copy has it.
struct Part {
    first: u64,
    end: u64,
    time: u64,
    entries: Vec<u8>,
}

/// Copies everything behind a position in calls that take this many parts.
fn copy(session: &Session, mut after: u64, parts_a_call: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    let below = session.log_moment().unwrap().resolved;
    while after + 1 < below {
        let mut taken = 0;
        let last = session.copy_log(after, below, &mut |part| {
            assert!(part.first > after && part.is_first && part.is_last);
            taken += 1;
            parts.push(Part {
                first: part.first,
                end: part.end,
                time: part.time,
                entries: part.entries.to_vec(),
            });
            Ok(taken < parts_a_call)
        });
        let last = last.unwrap();
        assert!(last > after, "the copy does not get on");
        after = last;
    }
    parts
}

#[test]
fn a_copy_has_all_commits_once_whatever_its_pieces() {
    let session = logging_session();
    let before = session.log_moment().unwrap();
    let begin = before.resolved - 1;
    create(&session, r#"{"name": "docs"}"#);
    for n in 0..5 {
        query(&session, &format!("FOR i IN 1..3 INSERT {{n: {n}}} INTO docs")).unwrap();
        query(&session, "INSERT {} INTO docs").unwrap();
    }
    let after = session.log_moment().unwrap();
    let whole = copy(&session, begin, usize::MAX);
    assert_eq!(whole.last().unwrap().end, after.resolved);
    assert!(whole.iter().all(|part| (before.time..=after.time).contains(&part.time)));
    assert!(whole.windows(2).all(|pair| pair[0].end <= pair[1].first));
    for parts_a_call in [1, 2, 3] {
        let pieces = copy(&session, begin, parts_a_call);
        assert_eq!(pieces.len(), whole.len());
        assert!(pieces.iter().zip(&whole).all(|(one, other)| one.entries == other.entries));
    }
}

#[test]
fn a_copy_has_what_was_in_a_database_before_it_was_dropped() {
    let session = logging_session();
    let begin = session.log_moment().unwrap().resolved - 1;
    session.create_database("other").unwrap();
    let other = Session::open(Arc::clone(session.instance()), "other", Identity::Superuser).unwrap();
    create(&other, r#"{"name": "theirs"}"#);
    query(&other, "FOR i IN 1..10 INSERT {_key: TO_STRING(i)} INTO theirs").unwrap();
    drop(other);
    let drop_at = session.log_moment().unwrap().resolved;
    session.drop_database("other").unwrap();
    let parts = copy(&session, begin, usize::MAX);
    // A second store has the state before the drop.
    let follower = crate::common::session();
    let state = CopiedState { first: begin, last: begin };
    let mut applier = Applier::open(Arc::clone(follower.instance()), "log", state).unwrap();
    for part in parts.iter().filter(|part| part.first < drop_at) {
        applier.apply(TailBody::VelocyPack(&part.entries)).unwrap();
    }
    let theirs = Session::open(Arc::clone(follower.instance()), "other", Identity::Superuser).unwrap();
    assert_eq!(rows(&theirs, "FOR d IN theirs COLLECT WITH COUNT INTO n RETURN n"), json!([10]));
    drop(theirs);
    for part in parts.iter().filter(|part| part.first >= drop_at) {
        applier.apply(TailBody::VelocyPack(&part.entries)).unwrap();
    }
    assert!(follower.catalog().database("other").is_none());
    applier.forget().unwrap();
}
