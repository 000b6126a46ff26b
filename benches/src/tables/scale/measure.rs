//! All measurements of one collection.

use std::path::Path;
use std::time::Instant;

use harness::{Process, Server};

use crate::documents::{self, Progress, VALUES, key};
use crate::folder::bytes_below;
use crate::http::{Connection, JSON, request};
use crate::quantiles::Quantiles;
use crate::{Failure, Setup, import};

/// A column of the table.
pub(super) struct Measure {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
}

const fn of(name: &'static str, unit: &'static str) -> Measure {
    Measure { name, unit }
}

/// The columns, in the order of [`measure`].
pub(super) const MEASURES: [Measure; 20] = [
    of("load", "M/s"),
    of("server's processor time of a load", "ns a document"),
    of("client's processor time of a load", "ns a document"),
    of("index build", "M/s"),
    of("read by key, median", "ms"),
    of("read by key, p99", "ms"),
    of("10 from an index, median", "ms"),
    of("10 from an index, p99", "ms"),
    of("first 1,000 of an export, median", "ms"),
    of("first 1,000 of an export, p99", "ms"),
    of("count, median", "ms"),
    of("count, p99", "ms"),
    of("group", "M/s"),
    of("time of a group", "s"),
    of("top 10 without index", "M/s"),
    of("insert, median", "ms"),
    of("insert, p99", "ms"),
    of("disk", "MB"),
    of("peak of memory", "MB"),
    of("open after kill -9", "s"),
];

/// Requests of each kind.
const READS: u64 = 3_000;
const RANGES: u64 = 1_000;
const EXPORTS: u64 = 50;
const COUNTS: u64 = 200;
const INSERTS: u64 = 2_000;

/// Runs of a query that reads all documents; the median counts.
const SCANS: u64 = 3;

const GROUP: &str = "FOR x IN docs COLLECT g = x.grp AGGREGATE n = COUNT(1), a = AVG(x.val) RETURN [g, n, a]";
const TOP: &str = "FOR x IN docs SORT x.id DESC LIMIT 10 RETURN x.id";

/// Loads a collection of this size, and returns the values of all columns.
pub(super) fn measure(setup: &Setup, documents: u64) -> Result<Vec<f64>, Failure> {
    let folder = tempfile::tempdir()?;
    let mut server = start(setup, folder.path())?;
    import::create(&server, "docs")?;
    let cpu = (server.process().cpu_time(), Process::this().cpu_time());
    let load = documents::load(&server, "docs", documents, &Progress::default())?.as_secs_f64();
    let per_document =
        |after: std::time::Duration, before| (after - before).as_secs_f64() * 1e9 / documents as f64;
    let load_cpu =
        (per_document(server.process().cpu_time(), cpu.0), per_document(Process::this().cpu_time(), cpu.1));

    let mut connection = Connection::open(server.port())?;
    let begin = Instant::now();
    let index = br#"{"type":"persistent","fields":["val"]}"#;
    connection.expect_success(&request("POST", "/_api/index?collection=docs", JSON, index))?;
    let index = begin.elapsed().as_secs_f64();

    let mut random = fastrand::Rng::with_seed(1);
    let read = Quantiles::measure(READS, |_| {
        let path = format!("/_api/document/docs/{}", key(random.u64(0..documents)));
        connection.expect_success(&request("GET", &path, "", b"")).map(drop)
    })?;
    let range = Quantiles::measure(RANGES, |_| {
        let least = random.u64(0..VALUES - VALUES / 100);
        let body = format!(
            r#"{{"query":"FOR x IN docs FILTER x.val >= @v SORT x.val LIMIT 10 RETURN x","bindVars":{{"v":{least}}}}}"#
        );
        connection.expect_success(&request("POST", "/_api/cursor", JSON, body.as_bytes())).map(drop)
    })?;
    let first = Quantiles::measure(EXPORTS, |_| first_of_export(&mut connection))?;
    let count = Quantiles::measure(COUNTS, |_| query(&mut connection, "RETURN LENGTH(docs)"))?;
    let group = Quantiles::measure(SCANS, |_| query(&mut connection, GROUP))?.median / 1e3;
    let top = Quantiles::measure(SCANS, |_| query(&mut connection, TOP))?.median / 1e3;
    let insert = Quantiles::measure(INSERTS, |number| {
        let body = format!(r#"{{"_key":"z{number}","id":-{number},"grp":{},"val":1.5}}"#, number % 100);
        connection.expect_success(&request("POST", "/_api/document/docs", JSON, body.as_bytes())).map(drop)
    })?;
    let disk = bytes_below(folder.path())? as f64 / 1e6;
    let peak = server.process().memory().unwrap_or_default().peak as f64 / 1e6;
    let opened = reopen(setup, &mut server, folder.path(), documents + INSERTS)?;
    let millions = |seconds: f64| documents as f64 / seconds / 1e6;
    Ok(vec![
        millions(load),
        load_cpu.0,
        load_cpu.1,
        millions(index),
        read.median,
        read.p99,
        range.median,
        range.p99,
        first.median,
        first.p99,
        count.median,
        count.p99,
        millions(group),
        group,
        millions(top),
        insert.median,
        insert.p99,
        disk,
        peak,
        opened,
    ])
}

fn start(setup: &Setup, folder: &Path) -> Result<Server, Failure> {
    setup.persea(folder, &["--memory-limit", "2GiB"])
}

/// Kills the server, starts it again, and returns the seconds until it serves. Errors: it has lost
/// documents.
fn reopen(setup: &Setup, server: &mut Server, folder: &Path, documents: u64) -> Result<f64, Failure> {
    server.kill();
    let again = start(setup, folder)?;
    let body = br#"{"query":"RETURN LENGTH(docs)"}"#;
    let mut connection = Connection::open(again.port())?;
    let reply = connection.expect_success(&request("POST", "/_api/cursor", JSON, body))?;
    let reply: serde_json::Value = serde_json::from_slice(reply)?;
    match reply["result"][0].as_u64() {
        Some(there) if there == documents => Ok(again.start_time().as_secs_f64()),
        there => Err(format!("{there:?} documents after a restart instead of {documents}").into()),
    }
}

fn query(connection: &mut Connection, text: &str) -> Result<(), Failure> {
    let body = serde_json::json!({ "query": text, "batchSize": 1_000 }).to_string();
    connection.expect_success(&request("POST", "/_api/cursor", JSON, body.as_bytes())).map(drop)
}

/// Reads the first 1,000 documents of an export, and ends it.
fn first_of_export(connection: &mut Connection) -> Result<(), Failure> {
    let export = request("POST", "/_api/export?collection=docs", JSON, br#"{"batchSize":1000}"#);
    let reply: serde_json::Value = serde_json::from_slice(connection.expect_success(&export)?)?;
    if let Some(id) = reply["id"].as_str() {
        connection.expect_success(&request("DELETE", &format!("/_api/export/{id}"), "", b""))?;
    }
    Ok(())
}
