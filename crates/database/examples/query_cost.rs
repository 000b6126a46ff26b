//! Measures one small query with a cached plan on the memory engine:
//! `cargo run --example query_cost`.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program to look at with a profiler")]

use std::sync::Arc;
use std::time::Instant;

use database::cursor::encoder::Format;
use database::query::request::QueryRequest;
use database::{Identity, Instance, InstanceOptions, Session};
use velocypack::{Builder, Limits, Slice};

fn pack(text: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    velocypack::json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}

fn measure(session: &Session, name: &str, bodies: &[Vec<u8>]) {
    let run = |body: &[u8]| {
        let request = QueryRequest::from_body(Slice::new(body)).unwrap();
        session.prepare_query(request).unwrap().run(Format::Json).unwrap().body.len()
    };
    bodies.iter().take(1000).for_each(|body| assert!(run(body) > 0));
    let rounds = 200_000;
    let start = Instant::now();
    let bytes: usize = (0..rounds).map(|round| run(&bodies[round % bodies.len()])).sum();
    let nanoseconds = start.elapsed().as_nanos() / rounds as u128;
    println!("{name}: {nanoseconds} ns a query, {} bytes", bytes / rounds);
}

fn main() {
    let engine: Arc<dyn kv::Engine> = kv::MemoryEngine::new();
    let instance = Instance::open(engine, InstanceOptions::default()).unwrap();
    let session = Session::open(instance, "_system", Identity::Superuser).unwrap();
    session.create_collection(Slice::new(&pack(r#"{"name": "c"}"#))).unwrap();
    let insert =
        pack(r#"{"query": "FOR i IN 0..999 INSERT {_key: TO_STRING(i), n: i, text: 'some text'} INTO c"}"#);
    session.query(&QueryRequest::from_body(Slice::new(&insert)).unwrap(), Format::Json).unwrap();
    measure(&session, "RETURN 1", &[pack(r#"{"query": "RETURN 1"}"#)]);
    let by_key = |key: usize| {
        pack(&format!(
            r#"{{"query": "FOR d IN c FILTER d._key == @k RETURN d", "bindVars": {{"k": "{key}"}}}}"#
        ))
    };
    measure(&session, "by key", &(0..1000).map(by_key).collect::<Vec<_>>());
}
