//! Views and inverted indexes while their documents are written: nothing is lost, nothing is found
//! twice, and nothing is found that does not satisfy the condition.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use database::{Identity, Session};
use proptest::prelude::*;
use serde_json::{Value, json};
use velocypack::Slice;

use crate::common::{create, query, rows, session, value};

const DOCUMENTS: usize = 60;
const GROUPS: usize = 5;
const TIME: Duration = Duration::from_millis(1000);

/// Returns a session with a view and an inverted index over documents that all threads will change.
fn prepared() -> Session {
    let session = session();
    create(&session, r#"{"name": "c"}"#);
    let view = r#"{"name": "v", "type": "arangosearch", "commitIntervalMsec": 1, "consolidationIntervalMsec": 1,
        "primarySort": [{"field": "n", "direction": "desc"}], "storedValues": ["g", "n"],
        "links": {"c": {"includeAllFields": true}}}"#;
    session.create_view(Slice::new(&value(view))).unwrap();
    let index = r#"{"name": "inv", "type": "inverted", "fields": ["g", "here"], "storedValues": ["n"], "commitIntervalMsec": 1,
        "primarySort": {"fields": [{"field": "n", "direction": "asc"}]}}"#;
    session.create_index("c", Slice::new(&value(index))).unwrap();
    let insert = format!(
        "FOR i IN 0..{} INSERT {{_key: TO_STRING(i), g: i % {GROUPS}, n: i, here: true}} INTO c",
        DOCUMENTS - 1
    );
    query(&session, &insert).unwrap();
    wait_for_index(&session);
    session
}

fn wait_for_index(session: &Session) {
    rows(session, "FOR d IN v OPTIONS {waitForSync: true} LIMIT 1 RETURN 1");
    let by_index =
        "OPTIONS {indexHint: 'inv', forceIndexHint: true, waitForSync: true} FILTER d.here == true";
    rows(session, &format!("FOR d IN c {by_index} LIMIT 1 RETURN 1"));
}

fn number_of(value: &Value) -> i64 {
    value.as_f64().unwrap() as i64
}

/// Changes documents until the time is over. Some changes are rolled back, and some fail.
fn write(session: &Session, seed: usize, is_over: &AtomicBool) {
    let mut state = seed;
    while !is_over.load(Ordering::Relaxed) {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let (key, group, number) = ((state >> 33) % DOCUMENTS, (state >> 20) % GROUPS, (state >> 40) % 1000);
        let changes = match state >> 61 {
            0 => format!("REPLACE '{key}' WITH {{g: {group}, n: {number}, here: true}} IN c"),
            1 => format!("FOR d IN c FILTER d.g == {group} UPDATE d WITH {{n: d.n + 1}} IN c"),
            2 => format!(
                "FOR d IN v SEARCH d.g == {group} LIMIT 3 UPDATE d WITH {{g: {}}} IN c",
                (group + 1) % GROUPS
            ),
            3 => format!("UPDATE '{key}' WITH {{g: {group}}} IN c RETURN ASSERT(false, 'rolled back')"),
            _ => format!("UPDATE '{key}' WITH {{g: {group}, n: {number}}} IN c"),
        };
        // Threads conflict with each other.
        let _ = query(session, &changes);
    }
}

/// Checks the results of searches at one moment.
fn check(session: &Session, round: usize) {
    let group = round % GROUPS;
    for (found, is_sorted) in [
        (format!("FOR d IN v SEARCH d.g == {group} RETURN [d._key, d.g, d.n]"), 0),
        (format!("FOR d IN v SEARCH d.g == {group} RETURN [d._key, d.g, d.n, d.here]"), 0),
        (format!("FOR d IN v SEARCH d.g == {group} SORT d.n DESC RETURN [d._key, d.g, d.n]"), -1),
        (
            format!(
                "FOR d IN c OPTIONS {{indexHint: 'inv', forceIndexHint: true}} FILTER d.g == {group} SORT d.n RETURN [d._key, d.g, d.n]"
            ),
            1,
        ),
    ] {
        let found = rows(session, &found);
        let found = found.as_array().unwrap();
        let keys: BTreeSet<&str> = found.iter().map(|row| row[0].as_str().unwrap()).collect();
        assert_eq!(keys.len(), found.len(), "a document twice: {found:?}");
        assert!(found.iter().all(|row| row[1] == json!(group)), "{found:?}");
        let numbers: Vec<i64> = found.iter().map(|row| number_of(&row[2]) * is_sorted).collect();
        assert!(is_sorted == 0 || numbers.is_sorted(), "{numbers:?}");
    }
    // Each document is there all the time, in some version.
    let all = "RETURN [LENGTH(FOR d IN v SEARCH d.here == true RETURN d), LENGTH(FOR d IN v RETURN 1),
        FIRST(FOR d IN v SEARCH d.g IN 0..9 COLLECT WITH COUNT INTO n RETURN n),
        LENGTH(FOR d IN v SEARCH d.here == true SORT d.n DESC LIMIT 1000 RETURN d.n),
        LENGTH(FOR d IN c OPTIONS {indexHint: 'inv', forceIndexHint: true} FILTER d.here == true RETURN d._id)]";
    assert_eq!(rows(session, all), json!([[DOCUMENTS, DOCUMENTS, DOCUMENTS, DOCUMENTS, DOCUMENTS]]));
}

#[test]
fn searches_see_each_document_once_while_others_write() {
    let session = prepared();
    let is_over = AtomicBool::new(false);
    let open = || Session::open(Arc::clone(session.instance()), "_system", Identity::Superuser).unwrap();
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let (writer, is_over) = (open(), &is_over);
            scope.spawn(move || write(&writer, seed, is_over));
        }
        let step = open();
        let is_over = &is_over;
        scope.spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                wait_for_index(&step);
            }
        });
        let (reader, began) = (open(), Instant::now());
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for round in 0.. {
                check(&reader, round);
                if began.elapsed() > TIME {
                    break;
                }
            }
        }));
        is_over.store(true, Ordering::Relaxed);
        checked.unwrap();
    });
    wait_for_index(&session);
    for group in 0..GROUPS {
        let by_scan =
            rows(&session, &format!("FOR d IN c FILTER d.g == {group} SORT d._key RETURN [d._key, d.n]"));
        let by_view =
            rows(&session, &format!("FOR d IN v SEARCH d.g == {group} SORT d._key RETURN [d._key, d.n]"));
        assert_eq!(by_view, by_scan);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    /// Searches with stored values and primary sort orders give what a scan and a SORT give,
    /// whatever part of the writes the indexes have.
    #[test]
    fn stored_values_and_sort_orders_agree_with_documents(
        before in prop::collection::vec((0u8..20, 0u8..4, value_of()), 0..30),
        after in prop::collection::vec((0u8..20, 0u8..4, value_of()), 0..8),
        limit in 1u8..12,
    ) {
        let session = session();
        create(&session, r#"{"name": "c"}"#);
        let view = r#"{"name": "v", "type": "arangosearch", "commitIntervalMsec": 0,
            "primarySort": [{"field": "n", "direction": "desc"}, {"field": "_key", "direction": "asc"}],
            "storedValues": [["g"], {"fields": ["n.x"]}], "links": {"c": {"includeAllFields": true}}}"#;
        session.create_view(Slice::new(&value(view))).unwrap();
        for (part, waits) in [(before, true), (after, false)] {
            for (key, group, number) in part {
                let text = match group {
                    0 => format!("REMOVE '{key}' IN c OPTIONS {{ignoreErrors: true}}"),
                    _ => format!("INSERT {{_key: '{key}', g: {group}, n: {number}}} INTO c OPTIONS {{overwriteMode: 'replace'}}"),
                };
                query(&session, &text).unwrap();
            }
            if waits {
                rows(&session, "FOR d IN v OPTIONS {waitForSync: true} LIMIT 1 RETURN 1");
            }
            // Without a step, the view lacks documents that satisfy the condition only now. It has
            // no others.
            let known: Vec<String> = rows(&session, "FOR d IN v SEARCH d.g > 1 RETURN d._key").as_array().unwrap().iter()
                .map(|key| key.to_string()).collect();
            let known = known.join(", ");
            for tail in [
                "SORT d.n DESC, d._key RETURN [d._key, d.n]".to_owned(),
                format!("SORT d.n DESC, d._key LIMIT {limit} RETURN [d._key, d.n.x, d.g]"),
                format!("SORT d.g, d._key LIMIT {limit} RETURN d.m"),
                format!("SORT d.g DESC, d._key LIMIT 1, {limit} RETURN [d.n, d.m, d]"),
                "SORT d._key RETURN [d.g, d.n.x, d._id]".to_owned(),
                "COLLECT WITH COUNT INTO n RETURN n".to_owned(),
            ] {
                let by_view = rows(&session, &format!("FOR d IN v SEARCH d.g > 1 {tail}"));
                let by_scan = rows(&session, &format!("FOR d IN c FILTER d.g > 1 AND d._key IN [{known}] {tail}"));
                prop_assert_eq!(by_view, by_scan, "{}", tail);
            }
        }
    }
}

fn value_of() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => (-3i32..3).prop_map(|number| number.to_string()),
        1 => prop::sample::select(vec!["'a'", "'B'", "'ä'", "true", "null", "[1, 2]", "[]"]).prop_map(str::to_owned),
        1 => (0i32..3).prop_map(|number| format!("{{x: {number}}}")),
    ]
}
