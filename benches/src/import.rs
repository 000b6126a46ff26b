//! Imports of documents of about 150 bytes through `/_api/import`, against RocksDB's WriteBatch of
//! 1,000 rows.

use std::fmt::Write;
use std::time::{Duration, Instant};

use harness::Server;

use crate::http::{Connection, joined, request};
use crate::report::{Report, Target};
use crate::{Failure, Setup, limits};

/// Documents in one request, as import tools send them.
const DOCUMENTS_PER_REQUEST: u64 = 10_000;

/// The bytes of a document of [`load`] in JSON.
pub(crate) const DOCUMENT_BYTES: usize = 150;

/// Number of concurrent connections, as import tools use.
pub(crate) const CONNECTIONS: usize = 2;

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let documents = setup.documents(1_000_000);
    let rates = limits::rocksdb(setup, documents, "load")?;
    let limit = rates.get("load/1000").copied();
    let bodies = bodies(documents);
    for (connections, target) in [(1, Target::None), (CONNECTIONS, Target::AtLeast(0.35))] {
        let folder = tempfile::tempdir()?;
        let server = setup.persea(folder.path(), &[])?;
        create(&server, "docs")?;
        let cpu = server.process().cpu_time();
        let per_second = documents as f64 / import_all(&server, "docs", &bodies, connections)?.as_secs_f64();
        let cpu_ns = (server.process().cpu_time() - cpu).as_secs_f64() * 1e9 / documents as f64;
        let what = format!("import of JSONL, {connections} connections");
        report.ratio(&what, (per_second, "documents/s"), limit, &target);
        report.figure(&format!("{what}: server CPU per document"), cpu_ns, "ns", &Target::None);
    }
    Ok(())
}

/// Returns the bodies of requests that import this many documents.
///
/// They are made before the clock starts: the benchmark measures the server, not the client.
pub(crate) fn bodies(documents: u64) -> Vec<String> {
    (0..documents).step_by(DOCUMENTS_PER_REQUEST as usize).map(|first| lines(first, documents)).collect()
}

/// Sends all bodies over this many connections, and returns the time that it takes.
pub(crate) fn import_all(
    server: &Server,
    collection: &str,
    bodies: &[String],
    connections: usize,
) -> Result<Duration, Failure> {
    let start = Instant::now();
    let outcomes: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let threads = (0..connections).map(|number| {
            let mut own = bodies.iter().skip(number).step_by(connections);
            scope.spawn(move || import(server, collection, &mut own).map_err(|failure| failure.to_string()))
        });
        joined(threads.collect())
    });
    outcomes.into_iter().collect::<Result<(), String>>()?;
    Ok(start.elapsed())
}

/// Creates a collection of documents with ascending keys, 150 bytes of JSON each.
pub(crate) fn load(server: &Server, collection: &str, documents: u64) -> Result<(), Failure> {
    create(server, collection)?;
    for first in (0..documents).step_by(DOCUMENTS_PER_REQUEST as usize) {
        import(server, collection, &mut std::iter::once(&lines(first, documents)))?;
    }
    Ok(())
}

pub(crate) fn create(server: &Server, collection: &str) -> Result<(), Failure> {
    let body = format!(r#"{{"name":"{collection}"}}"#);
    Connection::open(server.port())?.expect_success(&request(
        "POST",
        "/_api/collection",
        "",
        body.as_bytes(),
    ))?;
    Ok(())
}

fn import(
    server: &Server,
    collection: &str,
    bodies: &mut dyn Iterator<Item = &String>,
) -> Result<(), Failure> {
    let mut connection = Connection::open(server.port())?;
    let path = format!("/_api/import?collection={collection}&type=documents");
    for body in bodies {
        let reply = connection.expect_success(&request("POST", &path, "", body.as_bytes()))?;
        if !String::from_utf8_lossy(reply).contains(r#""errors":0"#) {
            return Err(format!("import failed: {}", String::from_utf8_lossy(reply)).into());
        }
    }
    Ok(())
}

/// Returns the documents of one request, a line each.
fn lines(first: u64, documents: u64) -> String {
    let mut lines = String::new();
    for n in first..(first + DOCUMENTS_PER_REQUEST).min(documents) {
        let hash = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let _ = writeln!(
            lines,
            r#"{{"_key":"{n:010}","name":"amber{:06}","city":"grove{:04}","age":{},"score":{}.5,"active":{},"tags":["birch","{:04}"]}}"#,
            hash >> 44,
            (hash >> 30) & 0xfff,
            (hash >> 20) % 100,
            (hash >> 10) % 1_000,
            hash & 1 == 1,
            hash & 0xfff
        );
    }
    lines
}
