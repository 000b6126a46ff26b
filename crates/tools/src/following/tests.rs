//! Tests of the state as it is read, printed and waited for.

use velocypack::{Builder, Limits, json};

use super::wait::outcome;
use super::{Goal, Phase, Status};

fn status(text: &str) -> Status {
    let mut builder = Builder::new();
    json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
    Status::of(builder.into_vec())
}

#[test]
fn a_state_is_printed_in_lines() {
    assert_eq!(status(r#"{"phase": "none"}"#).lines(), ["phase:       none"]);
    let text = r#"{"phase": "following", "kind": "migration",
        "source": {"endpoint": "http://a:8529", "product": "arangodb", "version": "3.11.1"},
        "copy": {"databasesDone": 2, "databases": 2, "collectionsDone": 7, "collections": 7, "documents": 90},
        "log": {"applied": "120", "last": "130", "lagEntries": 4, "lagSeconds": 0.25, "entries": 11, "transactions": 3},
        "error": {"errorNum": 1210, "errorMessage": "unique constraint violated"},
        "problems": [{"what": "index", "where": "shop/a", "effect": "left out"}],
        "comparison": [{"database": "shop", "collection": "a", "equal": false, "source": 3, "here": 2},
                       {"database": "shop", "collection": "b", "equal": true, "source": 3, "here": 3}]}"#;
    let status = status(text);
    assert_eq!((status.phase, status.has_caught_up(), status.lag_entries()), (Phase::Following, false, 4));
    let lines = status.lines();
    for line in [
        "source:      http://a:8529 arangodb 3.11.1",
        "copied:      2 of 2 databases, 7 of 7 collections, 90 documents",
        "log:         11 entries and 3 transactions applied, up to 120 of 130",
        "lag:         4 entries, 0.2 s",
        "error 1210: unique constraint violated",
        "problem:     index in shop/a: left out",
        "differs:     shop/a: 3 documents at the source, 2 here",
    ] {
        assert!(lines.iter().any(|found| found == line), "{line} in {lines:?}");
    }
}

#[test]
fn a_wait_ends_with_its_goal_or_with_a_failure() {
    let of = |phase: &str, lag: u64, goal| {
        let text = format!(
            r#"{{"phase": "{phase}", "log": {{"lagEntries": {lag}}}, "error": {{"errorNum": 4, "errorMessage": "E"}}}}"#
        );
        outcome(&status(&text), goal, false)
            .map(|outcome| outcome.map_err(|failure| failure.text().to_owned()))
    };
    for phase in ["copying", "cutting-over", "a later phase"] {
        assert_eq!((of(phase, 0, Goal::CaughtUp), of(phase, 0, Goal::Ended)), (None, None), "{phase}");
    }
    assert_eq!(
        (of("following", 1, Goal::CaughtUp), of("following", 0, Goal::CaughtUp)),
        (None, Some(Ok(())))
    );
    assert_eq!(of("ended", 0, Goal::Ended), Some(Ok(())));
    for (phase, goal) in [("failed", Goal::CaughtUp), ("failed", Goal::Ended), ("following", Goal::Ended)] {
        assert!(of(phase, 0, goal).unwrap().unwrap_err().contains("error 4: E"), "{phase}");
    }
    let still = status(r#"{"phase": "following", "error": null}"#);
    assert!(outcome(&still, Goal::Ended, false).is_none());
    assert!(outcome(&still, Goal::Ended, true).is_some_and(|outcome| outcome.is_err()));
    for phase in ["none", "paused", "ended"] {
        assert!(of(phase, 0, Goal::CaughtUp).unwrap().is_err(), "{phase}");
    }
}
