//! A program of its own, because it replaces the allocator.
//!
//! Cursors that wait for their clients are charged for the memory that they keep.

#![allow(clippy::unwrap_used)]

#[path = "it/common.rs"]
#[allow(dead_code, reason = "shared with the tests of sessions")]
mod common;

use allocation_meter::{CountingAllocator, thread_bytes};
use database::export::ExportRequest;
use database::query::request::QueryRequest;
use database::{Format, InstanceOptions, Reply, Session};

use crate::common::{body, create, query, session_with};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The memory of all queries.
const MEMORY_BYTES: u64 = 16 << 20;

/// Concurrent cursors of each kind that wait.
const CURSORS: usize = 200;

/// Maximum size in bytes of a cursor without the documents that it keeps.
const CURSOR_BYTES: i64 = 64 << 10;

fn export(session: &Session) -> Reply {
    let request = ExportRequest { batch_size: 1, ..ExportRequest::default() };
    session.export("c", request, Format::Json).unwrap()
}

fn stream(session: &Session) -> Reply {
    let mut request = QueryRequest::new("FOR d IN c RETURN d");
    (request.batch_size, request.options.stream) = (40, true);
    session.query(&request, Format::Json).unwrap()
}

#[test]
fn cursors_that_wait_leave_room_for_each_other() {
    let session =
        session_with(InstanceOptions { query_memory_bytes: MEMORY_BYTES, ..InstanceOptions::default() });
    create(&session, r#"{"name": "c"}"#);
    query(&session, "FOR i IN 1..4000 INSERT {text: REPEAT('a', 1000)} INTO c").unwrap();
    for open in [export, stream] {
        let before = thread_bytes();
        let replies: Vec<Reply> = (0..CURSORS).map(|_| open(&session)).collect();
        let charged_bytes = session.instance().query_memory_used_bytes();
        assert!(charged_bytes > 2 << 20 && charged_bytes <= MEMORY_BYTES, "{charged_bytes}");
        let grown = thread_bytes() - before;
        let bound = charged_bytes as i64 + CURSORS as i64 * CURSOR_BYTES;
        assert!(grown <= bound, "{grown} bytes, but {charged_bytes} were charged");
        for reply in replies {
            let cursor = reply.cursor.unwrap();
            let next = session.fetch(cursor, None, Format::Json).unwrap();
            assert_eq!(body(&next)["hasMore"], true);
            session.remove_cursor(cursor).unwrap();
        }
        assert_eq!(session.instance().query_memory_used_bytes(), 0);
    }
}
