//! Cursors: their owners, lifetimes and number, and the writes of queries that found no room.

use std::thread::sleep;
use std::time::Duration;

use database::Format;
use database::query::request::QueryRequest;
use database::{InstanceOptions, Reply, Session};
use errors::ErrorCode;
use serde_json::Value;
use test_engine::wait_until;

use crate::common::{as_user, body, count, create, session, session_with};

fn open(session: &Session, text: &str, stream: bool) -> errors::Result<Reply> {
    let mut request = QueryRequest::new(text);
    request.batch_size = 1;
    request.options.stream = stream;
    session.query(&request, Format::Json)
}

fn open_with_ttl(session: &Session, ttl_ms: u64) -> u64 {
    let mut request = QueryRequest::new("FOR i IN 1..1000 RETURN i");
    request.batch_size = 1;
    request.ttl = Some(Duration::from_millis(ttl_ms));
    session.query(&request, Format::Json).unwrap().cursor.unwrap()
}

fn error_of<T: std::fmt::Debug>(result: errors::Result<T>) -> ErrorCode {
    result.unwrap_err().code()
}

#[test]
fn batches_are_cut_off_where_results_have_little_memory() {
    let session =
        session_with(InstanceOptions { result_memory_bytes: 16 << 20, ..InstanceOptions::default() });
    for stream in [false, true] {
        let mut request = QueryRequest::new("FOR i IN 1..9000 RETURN REPEAT('x', 1000)");
        request.batch_size = 1_000_000;
        request.options.stream = stream;
        let mut reply = session.query(&request, Format::Json).unwrap();
        let mut rows = vec![body(&reply)["result"].as_array().unwrap().len()];
        while body(&reply)["hasMore"] == true {
            reply = session.fetch(reply.cursor.unwrap(), None, Format::Json).unwrap();
            rows.push(body(&reply)["result"].as_array().unwrap().len());
        }
        // A batch ends with the row that exceeds a quarter of the memory.
        let most = (4 << 20) / 1_003 + 1;
        assert_eq!(rows, [most, most, 9_000 - 2 * most]);
    }
}

/// Returns the bodies of all replies to a query, without the parts that differ between runs.
fn bodies(session: &Session, request: &QueryRequest, format: Format) -> Vec<Value> {
    let mut bodies = Vec::new();
    let mut reply = session.query(request, format).unwrap();
    loop {
        let mut body = body(&reply);
        let has_more = body["hasMore"] == true;
        for name in ["/id", "/extra/stats/executionTime", "/extra/stats/peakMemoryUsage", "/extra/profile"] {
            if let Some(value) = body.pointer_mut(name) {
                assert!(value.is_number() || value.is_string() || value.is_object(), "{name}: {value}");
                *value = Value::Null;
            }
        }
        let nodes = body.pointer_mut("/extra/stats/nodes").and_then(Value::as_array_mut);
        for time in
            nodes.into_iter().flatten().flat_map(|node| ["runtime", "fetching"].map(|name| node[name].take()))
        {
            assert!(time.is_number(), "{time}");
        }
        bodies.push(body);
        if !has_more {
            return bodies;
        }
        reply = session.fetch(reply.cursor.unwrap(), None, format).unwrap();
    }
}

#[test]
fn replies_say_the_same_in_both_formats() {
    let session = session();
    for (profile, stream) in [(0, false), (1, false), (2, false), (0, true), (2, true)] {
        let mut request =
            QueryRequest::new("FOR i IN 1..5 FILTER i != 2 LIMIT 4 RETURN {i, half: i / 0, text: '\"}'}");
        request.batch_size = 3;
        request.count = true;
        request.options.profile = profile;
        request.options.stream = stream;
        request.options.full_count = true;
        let [json, velocypack] =
            [Format::Json, Format::VelocyPack].map(|format| bodies(&session, &request, format));
        assert_eq!(json, velocypack, "{profile} {stream}");
        let last = if stream { 1 } else { 0 };
        assert_eq!(json[last]["extra"]["warnings"][0]["code"], 1562, "{json:?}");
        assert_eq!(json[last]["extra"]["stats"]["filtered"], 1);
        assert_eq!(json[last]["extra"]["plan"].is_object(), profile == 2);
    }
}

/// While rows are added to a reply, another thread computes the next ones if one is available.
#[test]
fn long_results_are_complete_and_ordered_for_concurrent_clients() {
    let session = session();
    let check = |batch_size: usize, stream: bool| {
        let mut request = QueryRequest::new("FOR i IN 1..20000 FILTER i % 7 > 0 RETURN i");
        request.batch_size = batch_size;
        request.options.stream = stream;
        let mut reply = session.query(&request, Format::Json).unwrap();
        let mut rows = Vec::new();
        loop {
            rows.extend(
                body(&reply)["result"].as_array().unwrap().iter().filter_map(serde_json::Value::as_u64),
            );
            if body(&reply)["hasMore"] == false {
                break;
            }
            reply = session.fetch(reply.cursor.unwrap(), None, Format::Json).unwrap();
        }
        assert!(rows.iter().copied().eq((1..=20_000).filter(|i| i % 7 > 0)), "{batch_size} {stream}");
        assert_eq!(body(&reply)["extra"]["stats"]["filtered"], 2857);
    };
    std::thread::scope(|scope| {
        for (batch_size, stream) in [(1_000_000, false), (1_000, false), (777, false), (5_000, true)] {
            scope.spawn(move || check(batch_size, stream));
        }
    });
}

#[test]
fn an_error_far_after_the_first_rows_is_the_answer() {
    let session = session();
    for fails_at in [600, 1_700, 19_999] {
        let mut request =
            QueryRequest::new(format!("FOR i IN 1..20000 RETURN i == {fails_at} ? FAIL('here') : i"));
        request.batch_size = 1_000_000;
        let error = session.query(&request, Format::Json).unwrap_err();
        assert_eq!(error.number(), 1569);
        assert!(error.message().contains("here"), "{error:?}");
    }
    assert!(session.instance().cursors().is_empty());
}

#[test]
fn a_cursor_is_its_owners_alone() {
    let session = session();
    let other = as_user(&session, "other");
    for stream in [false, true] {
        let cursor = open(&session, "FOR i IN 1..3 RETURN i", stream).unwrap().cursor.unwrap();
        assert_eq!(error_of(other.fetch(cursor, None, Format::Json)), ErrorCode::CursorNotFound);
        assert_eq!(error_of(other.remove_cursor(cursor)), ErrorCode::CursorNotFound);
        assert_eq!(body(&session.fetch(cursor, None, Format::Json).unwrap())["result"][0], 2);
        session.remove_cursor(cursor).unwrap();
        assert_eq!(error_of(session.remove_cursor(cursor)), ErrorCode::CursorNotFound);
    }
    assert!(session.instance().cursors().is_empty());
}

#[test]
fn only_idle_time_counts() {
    let session = session();
    // Time is what is tested. The pauses are short against the time of the cursor that is read.
    let (read, idle) = (open_with_ttl(&session, 2_000), open_with_ttl(&session, 300));
    for _ in 0..25 {
        sleep(Duration::from_millis(100));
        session.fetch(read, None, Format::Json).unwrap();
    }
    assert_eq!(error_of(session.fetch(idle, None, Format::Json)), ErrorCode::CursorNotFound);
    session.fetch(read, None, Format::Json).unwrap();
    // The housekeeping thread frees cursors that are no longer used.
    wait_until("the cursors are freed", || session.instance().cursors().is_empty());
}

#[test]
fn a_batch_can_be_had_again_where_that_was_asked_for() {
    let session = session();
    let mut request = QueryRequest::new("FOR i IN 1..3 RETURN i");
    request.batch_size = 2;
    let plain = session.query(&request, Format::Json).unwrap().cursor.unwrap();
    assert_eq!(error_of(session.fetch(plain, Some(1), Format::Json)), ErrorCode::HttpBadParameter);
    assert_eq!(body(&session.fetch(plain, Some(2), Format::Json).unwrap())["result"][0], 3);
    request.options.allow_retry = true;
    for stream in [false, true] {
        request.options.stream = stream;
        let cursor = session.query(&request, Format::Json).unwrap().cursor.unwrap();
        for _ in 0..3 {
            assert_eq!(body(&session.fetch(cursor, Some(2), Format::Json).unwrap())["result"][0], 3);
        }
        assert_eq!(error_of(session.fetch(cursor, Some(1), Format::Json)), ErrorCode::CursorNotFound);
        assert_eq!(error_of(session.fetch(cursor, Some(3), Format::Json)), ErrorCode::CursorNotFound);
        session.remove_cursor(cursor).unwrap();
    }
}

#[test]
fn without_room_for_a_cursor_nothing_is_written() {
    let session = session_with(InstanceOptions { max_cursors: 2, ..InstanceOptions::default() });
    create(&session, r#"{"name": "docs"}"#);
    let first = open(&session, "FOR i IN 1..3 RETURN i", false).unwrap().cursor.unwrap();
    open(&session, "FOR i IN 1..3 RETURN i", true).unwrap();
    let insert = "FOR i IN 1..3 INSERT {n: i} INTO docs RETURN NEW";
    assert_eq!(error_of(open(&session, insert, false)), ErrorCode::ResourceLimit);
    assert_eq!(count(&session, "docs"), 0);
    // A result that fits into one batch needs no cursor.
    assert_eq!(body(&open(&session, "RETURN 1", false).unwrap())["result"][0], 1);
    session.remove_cursor(first).unwrap();
    open(&session, insert, false).unwrap();
    assert_eq!(count(&session, "docs"), 3);
}

#[test]
fn a_result_larger_than_its_memory_waits_in_a_file() {
    let options = InstanceOptions { result_memory_per_cursor_bytes: 10_000, ..InstanceOptions::default() };
    let session = session_with(options);
    let mut request = QueryRequest::new("FOR i IN 1..20000 RETURN CONCAT('row ', i)");
    request.count = true;
    let mut reply = session.query(&request, Format::Json).unwrap();
    let mut rows = Vec::new();
    loop {
        let batch = body(&reply);
        assert_eq!(batch["count"], 20_000);
        rows.extend(batch["result"].as_array().unwrap().iter().cloned());
        let Some(cursor) = reply.cursor else { break };
        reply = session.fetch(cursor, None, Format::Json).unwrap();
    }
    assert_eq!(rows.len(), 20_000);
    assert!(rows.iter().zip(1..).all(|(row, n)| *row == format!("row {n}")));
}

#[test]
fn a_stream_may_change_its_format_between_two_batches() {
    let session = session();
    let mut request = QueryRequest::new("FOR i IN 1..3 RETURN {i, text: 'ä', list: [null, true, 1.5]}");
    request.batch_size = 2;
    request.options.stream = true;
    let reply = session.query(&request, Format::VelocyPack).unwrap();
    let first = body(&reply);
    assert_eq!(first["result"][1], serde_json::json!({"i": 2, "text": "ä", "list": [null, true, 1.5]}));
    assert_eq!((first["hasMore"].as_bool(), first["code"].as_u64()), (Some(true), Some(201)));
    let second = body(&session.fetch(reply.cursor.unwrap(), None, Format::Json).unwrap());
    assert_eq!(second["result"][0]["i"], 3);
    assert!(second["extra"]["stats"].is_object());
}
