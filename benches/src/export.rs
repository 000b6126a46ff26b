//! Exports and streamed cursors of many documents, against a bare RocksDB scan of rows of the same
//! size.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::http::{Connection, JSON, request};
use crate::import::load;
use crate::report::{Report, Target};
use crate::servers::settle;
use crate::{Failure, Setup, limits};

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    first_batch(setup, report)?;
    whole_collection(setup, report)
}

/// Measures that the first 1,000 documents arrive equally fast from any size.
fn first_batch(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let server = setup.persea(folder.path(), &[])?;
    let (small, large) = (10_000, setup.documents(2_000_000));
    load(&server, "small", small)?;
    settle(&server);
    load(&server, "large", large)?;
    settle(&server);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..21 {
        for (times, name) in times.iter_mut().zip(["small", "large"]) {
            let mut connection = Connection::open(server.port())?;
            let start = Instant::now();
            let body = connection.expect_success(&request(
                "POST",
                &format!("/_api/export?collection={name}"),
                JSON,
                br#"{"batchSize":1000}"#,
            ))?;
            times.push(start.elapsed());
            let reply: Value = serde_json::from_slice(body)?;
            let id = reply["id"].as_str().ok_or("the export has no id")?;
            connection.expect_success(&request("DELETE", &format!("/_api/export/{id}"), "", b""))?;
        }
    }
    let [small_ms, large_ms] = times.map(median_ms);
    let what = format!("first 1,000 documents of an export: from {large} against from {small}");
    report.ratio(&what, (large_ms, "ms"), Some(small_ms), &Target::AtMost(1.3));
    Ok(())
}

fn median_ms(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

/// A way to read a whole collection.
struct Way {
    name: &'static str,
    run: fn(u16) -> Result<(), Failure>,
}

const WAYS: &[Way] = &[
    Way { name: "export as NDJSON", run: |port| stream(port, "") },
    Way { name: "export as NDJSON, zstd", run: |port| stream(port, "Accept-Encoding: zstd\r\n") },
    Way {
        name: "export by batches of 1,000",
        run: |port| batches(port, "/_api/export?collection=docs", br#"{"batchSize":1000}"#, "/_api/export/"),
    },
    Way { name: "`FOR d IN docs RETURN d`, streamed", run: |port| cursor(port, "FOR d IN docs RETURN d") },
    Way {
        name: "`FOR d IN docs RETURN d._key`, streamed",
        run: |port| cursor(port, "FOR d IN docs RETURN d._key"),
    },
];

fn whole_collection(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let documents = setup.documents(1_000_000);
    let folder = tempfile::tempdir()?;
    let server = setup.persea(folder.path(), &[])?;
    load(&server, "docs", documents)?;
    settle(&server);
    let rates = limits::rocksdb(setup, documents, "load,scan")?;
    let scan = rates.get("scan-read-all").copied();
    let mut measured = Vec::new();
    for way in WAYS {
        (way.run)(server.port())?;
        let before = server.process().memory().unwrap_or_default().resident;
        let (cpu, start) = (server.process().cpu_time(), Instant::now());
        (way.run)(server.port())?;
        let per_second = documents as f64 / start.elapsed().as_secs_f64();
        let cpu_ns = (server.process().cpu_time() - cpu).as_secs_f64() * 1e9 / documents as f64;
        measured.push(per_second);
        let target = if way.name.starts_with("export") && !way.name.contains("zstd") {
            Target::AtLeast(0.25)
        } else {
            Target::None
        };
        report.ratio(way.name, (per_second, "documents/s"), scan, &target);
        report.figure(&format!("{}: server CPU per document", way.name), cpu_ns, "ns", &Target::None);
        let grown = server.process().memory().unwrap_or_default().peak.saturating_sub(before) as f64
            / f64::from(1 << 20);
        report.figure(&format!("{}: growth of the server", way.name), grown, "MiB", &Target::AtMost(50.0));
    }
    report.ratio(
        "streamed cursor against export by batches",
        (measured[3], "documents/s"),
        Some(measured[2]),
        &Target::AtLeast(0.8),
    );
    report.ratio(
        "keys against documents, streamed",
        (measured[4], "documents/s"),
        Some(measured[3]),
        &Target::AtLeast(1.0),
    );
    Ok(())
}

/// Reads the collection `docs` as NDJSON.
pub(crate) fn stream(port: u16, headers: &str) -> Result<(), Failure> {
    let headers = format!("Accept: application/x-ndjson\r\n{headers}");
    let counted = Connection::open(port)?.count_stream(&request(
        "POST",
        "/_api/export?collection=docs",
        &headers,
        b"",
    ))?;
    if counted.bytes < 1_000 || (headers.len() < 40 && counted.lines < 1_000) {
        return Err("the export has too few bytes to be whole".into());
    }
    let _ = counted.first_byte;
    Ok(())
}

fn cursor(port: u16, query: &str) -> Result<(), Failure> {
    let body = format!(r#"{{"query":"{query}","batchSize":1000,"options":{{"stream":true}}}}"#);
    batches(port, "/_api/cursor", body.as_bytes(), "/_api/cursor/")
}

fn batches(port: u16, path: &str, body: &[u8], next: &str) -> Result<(), Failure> {
    let mut connection = Connection::open(port)?;
    let mut reply = request("POST", path, JSON, body);
    loop {
        let body = connection.expect_success(&reply)?;
        // Reads only the attributes after the documents, so that the client costs next to nothing.
        let tail = String::from_utf8_lossy(&body[body.len().saturating_sub(400)..]).into_owned();
        if !tail.contains(r#""hasMore":true"#) {
            return if tail.contains(r#""hasMore":false"#) {
                Ok(())
            } else {
                Err("a batch has no hasMore".into())
            };
        }
        let (_, id) = tail.rsplit_once(r#""id":""#).ok_or("a batch has no id")?;
        let id = id.split('"').next().unwrap_or_default();
        reply = request("PUT", &format!("{next}{id}"), "", b"");
    }
}
