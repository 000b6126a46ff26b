//! Any text as a query on a small store: it is planned, explained and run to a result or an error.

use std::sync::LazyLock;
use std::time::Duration;

use database::query::request::QueryRequest;
use database::{Format, Identity, Instance, InstanceOptions, Session};
use velocypack::{Builder, Limits, Slice, json};

/// The limit of a query's memory and time, so that a large one does not hold up the others.
const MEMORY_BYTES: u64 = 16 << 20;
const RUNTIME: Duration = Duration::from_millis(200);
/// The time within which every query must end, even one that asks for more.
const PATIENCE: Duration = Duration::from_secs(5);

/// Collections `c` and `d` with a few documents and indexes, and edges `e`.
pub(crate) static SESSION: LazyLock<Session> = LazyLock::new(|| {
    let instance = Instance::open(kv::MemoryEngine::new(), InstanceOptions::default()).unwrap();
    let session = Session::open(instance, "_system", Identity::Superuser).unwrap();
    for definition in [r#"{"name": "c"}"#, r#"{"name": "d"}"#, r#"{"name": "e", "type": 3}"#] {
        session.create_collection(Slice::new(&packed(definition))).unwrap();
    }
    for index in
        [r#"{"type": "persistent", "fields": ["a", "b"]}"#, r#"{"type": "persistent", "fields": ["l[*]"]}"#]
    {
        session.create_index("c", Slice::new(&packed(index))).unwrap();
    }
    for text in [
        "FOR i IN 1..8 INSERT {_key: CONCAT('k', i), a: i % 3, b: i % 2 ? 'x' : null, l: [i, 1], o: {x: i}} INTO c",
        "FOR i IN 1..3 INSERT {_key: CONCAT('k', i), a: i} INTO d",
        "FOR i IN 1..5 INSERT {_from: CONCAT('c/k', i), _to: CONCAT('c/k', i % 3 + 1), w: i} INTO e",
    ] {
        session.query(&QueryRequest::new(text), Format::Json).unwrap();
    }
    session
});

pub(crate) fn packed(text: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut request = QueryRequest::new(text);
    request.memory_limit_bytes = MEMORY_BYTES;
    request.options.max_runtime = Some(RUNTIME);
    let start = std::time::Instant::now();
    let explained = SESSION.explain(&request);
    let outcome = SESSION.query(&request, Format::Json);
    assert!(start.elapsed() < PATIENCE, "took {:?}", start.elapsed());
    if let Ok(reply) = &outcome {
        let mut parsed = Builder::new();
        let limits = Limits { max_depth: 1_000, ..Limits::default() };
        json::parse(&reply.body, &limits, &mut parsed).expect("a reply is JSON");
        if let Some(cursor) = reply.cursor {
            drop(SESSION.fetch(cursor, None, Format::Json));
        }
    }
    for error in [explained.err(), outcome.err()].into_iter().flatten() {
        assert_ne!(error.number(), 4, "an internal error: {error}");
    }
}
