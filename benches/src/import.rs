//! Loading documents of about 150 bytes through `/_api/import`, against bare RocksDB's WriteBatch of 1,000 rows.

use std::fmt::Write;
use std::time::Instant;

use crate::http::{Connection, request};
use crate::process::Server;
use crate::report::{Report, Target};
use crate::{Failure, Setup, limits};

/// Documents in one request, as import tools send them.
const DOCUMENTS_PER_REQUEST: u64 = 10_000;

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let documents = setup.documents(1_000_000);
    let folder = tempfile::tempdir()?;
    let server = Server::persea(&setup.server, folder.path(), &[])?;
    let (cpu, start) = (server.cpu(), Instant::now());
    load(&server, "docs", documents)?;
    let per_second = documents as f64 / start.elapsed().as_secs_f64();
    let cpu_ns = (server.cpu() - cpu).as_secs_f64() * 1e9 / documents as f64;
    let rates = limits::rocksdb(setup, documents, "load")?;
    let limit =
        rates.iter().filter(|(name, _)| name.contains("load")).map(|(_, rate)| *rate).reduce(f64::max);
    report.ratio("import of JSONL", (per_second, "documents/s"), limit, &Target::AtLeast(0.35));
    report.figure("import of JSONL: server CPU per document", cpu_ns, "ns", &Target::None);
    Ok(())
}

/// Creates a collection with documents whose keys ascend, 150 bytes of JSON each.
pub(crate) fn load(server: &Server, collection: &str, documents: u64) -> Result<(), Failure> {
    let mut connection = Connection::open(server.port)?;
    let body = format!(r#"{{"name":"{collection}"}}"#);
    connection.expect_success(&request("POST", "/_api/collection", "", body.as_bytes()))?;
    let path = format!("/_api/import?collection={collection}&type=documents");
    let mut lines = String::new();
    for first in (0..documents).step_by(DOCUMENTS_PER_REQUEST as usize) {
        lines.clear();
        for n in first..(first + DOCUMENTS_PER_REQUEST).min(documents) {
            let hash = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            writeln!(
                lines,
                r#"{{"_key":"{n:010}","name":"amber{:06}","city":"grove{:04}","age":{},"score":{}.5,"active":{},"tags":["birch","{:04}"]}}"#,
                hash >> 44,
                (hash >> 30) & 0xfff,
                (hash >> 20) % 100,
                (hash >> 10) % 1_000,
                hash & 1 == 1,
                hash & 0xfff
            )?;
        }
        let reply = connection.expect_success(&request("POST", &path, "", lines.as_bytes()))?;
        if !String::from_utf8_lossy(reply).contains(r#""errors":0"#) {
            return Err(format!("import failed: {}", String::from_utf8_lossy(reply)).into());
        }
    }
    Ok(())
}
