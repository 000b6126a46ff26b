//! Any JSON or VelocyPack as the body of a client's request.
//!
//! The request concerns a query, a collection, an index, a document or an import. The first byte
//! selects the request, the second the format.

use std::time::Duration;

use database::query::request::QueryRequest;
use database::{Format, WriteMode, WriteOperation};
use storage::{DOCUMENT_WAIT, Durability, WriteOptions};
use velocypack::{Builder, Limits, Slice, json, normalize, validate};

use super::aql_query::SESSION;

pub(crate) fn run(bytes: &[u8]) {
    let [kind, format, body @ ..] = bytes else { return };
    let Some(body) = value(*format, body) else { return };
    let body = Slice::new(&body);
    let mode = WriteMode { durability: Durability::Buffered, wait: DOCUMENT_WAIT };
    let write = |operation, key| {
        let written = SESSION.write_document("d", operation, key, body, &WriteOptions::default(), mode);
        assert!(written.is_ok() || written.is_err_and(|error| error.number() != 4));
    };
    match kind % 7 {
        0 => {
            let Ok(mut request) = QueryRequest::from_body(body) else { return };
            request.options.max_runtime = Some(Duration::from_millis(200));
            request.memory_limit_bytes = 16 << 20;
            if let Ok(reply) = SESSION.query(&request, Format::VelocyPack) {
                validate(&reply.body, &Limits { max_depth: 1_000, ..Limits::default() })
                    .expect("a reply is valid");
            }
        }
        1 => {
            if SESSION.create_collection(body).is_ok() {
                let name = body.get("name").and_then(Slice::as_str).expect("a collection has a name");
                SESSION.drop_collection(name, false).expect("what was made can be dropped");
            }
        }
        2 => drop(SESSION.create_index("d", body)),
        3 => write(WriteOperation::Insert, ""),
        4 => write(WriteOperation::Update, "k1"),
        5 => write(WriteOperation::Replace, "k1"),
        _ => drop(
            SESSION.explain(&QueryRequest::from_body(body).unwrap_or_else(|_| QueryRequest::new("RETURN 1"))),
        ),
    }
}

/// Returns the value as the server takes it from a client.
fn value(format: u8, body: &[u8]) -> Option<Vec<u8>> {
    if format.is_multiple_of(2) {
        let mut builder = Builder::new();
        json::parse(body, &Limits::default(), &mut builder).ok()?;
        return Some(builder.into_vec());
    }
    let mut normal = Vec::new();
    normalize(validate(body, &Limits::default()).ok()?, &mut normal).ok()?;
    Some(normal)
}
