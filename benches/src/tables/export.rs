//! The latency of the first 1,000 documents of a whole collection: by a cursor, a streamed cursor
//! and an export.

use std::time::{Duration, Instant};

use chart::{Chart, Panel, Series};
use harness::Server;
use serde_json::Value;

use crate::http::{Connection, JSON, request};
use crate::markdown::{count, figure, header, row};
use crate::servers::settle;
use crate::{Failure, Setup};

const SIZES: &[u64] = &[100_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000];

/// Measurements of each way; the median counts.
const TURNS: usize = 5;

/// The ways to read documents: a name, the path of the first request, its body, and the path that
/// ends it.
const WAYS: &[(&str, &str, &str, &str)] = &[
    ("cursor", "/_api/cursor", r#"{"query":"FOR d IN docs RETURN d","batchSize":1000}"#, "/_api/cursor/"),
    (
        "streamed cursor",
        "/_api/cursor",
        r#"{"query":"FOR d IN docs RETURN d","batchSize":1000,"options":{"stream":true}}"#,
        "/_api/cursor/",
    ),
    ("export", "/_api/export?collection=docs", r#"{"batchSize":1000}"#, "/_api/export/"),
];

pub(super) fn run(setup: &Setup) -> Result<Chart, Failure> {
    header(&[
        "documents",
        "cursor, ms",
        "streamed cursor, ms",
        "export, ms",
        "cursor to export",
        "streamed to export",
    ]);
    let most = setup.documents_max.unwrap_or(u64::MAX);
    let sizes: Vec<u64> =
        SIZES.iter().map(|full| setup.documents(*full)).filter(|size| *size <= most).collect();
    let mut panel = Panel {
        x_title: "documents in the collection".to_owned(),
        y_title: "ms to the first 1,000 documents".to_owned(),
        places: sizes.iter().map(|size| count(*size)).collect(),
        series: WAYS.iter().map(|way| Series { name: way.0.to_owned(), values: Vec::new() }).collect(),
        is_logarithmic: true,
        ..Panel::default()
    };
    for size in sizes {
        let folder = tempfile::tempdir()?;
        let server = setup.persea(folder.path(), &[])?;
        let size = super::seed(setup, &server, "seed-documents", "docs", size)?;
        settle(&server);
        let mut times = Vec::new();
        for (way, series) in WAYS.iter().zip(&mut panel.series) {
            let time = median(&server, way)?;
            series.values.push(time.as_ref().ok().copied());
            times.push(time);
        }
        let export = times.last().and_then(|time| time.as_ref().ok().copied()).unwrap_or(f64::NAN);
        let mut cells = vec![count(size)];
        cells.extend(times.iter().map(|time| match time {
            Ok(ms) => figure(*ms),
            Err(refused) => refused.clone(),
        }));
        cells.extend(times.iter().take(2).map(|time| match time {
            Ok(ms) => figure(ms / export),
            Err(_) => String::new(),
        }));
        row(&cells);
    }
    Ok(Chart { title: "First 1,000 documents of a collection".to_owned(), panels: vec![panel] })
}

/// Returns milliseconds, or the server's error, for example if a result does not fit its memory.
fn median(
    server: &Server,
    (_, path, body, end): &(&str, &str, &str, &str),
) -> Result<Result<f64, String>, Failure> {
    let mut times = Vec::new();
    let first = request("POST", path, JSON, body.as_bytes());
    for _ in 0..TURNS {
        let mut connection = Connection::open(server.port())?;
        let start = Instant::now();
        let reply = connection.send(&first)?;
        let time = start.elapsed();
        let value: Value = serde_json::from_slice(reply.body)?;
        if reply.status >= 400 {
            return Ok(Err(format!("error {}", value["errorNum"])));
        }
        let received = value["result"].as_array().map_or(0, Vec::len);
        if received != 1_000 {
            return Err(format!("{path} answers with {received} documents instead of 1,000").into());
        }
        times.push(time);
        if let Some(id) = value["id"].as_str() {
            connection.expect_success(&request("DELETE", &format!("{end}{id}"), "", b""))?;
        }
    }
    times.sort();
    Ok(Ok(times.get(TURNS / 2).map_or(0.0, Duration::as_secs_f64) * 1e3))
}
