//! Queries of growing results by one client in sequence, each result fetched in full.
//!
//! They repeat the post on cursors. The first and the last are the post's. Those in between grow by
//! the number of rows, then by the size of a row.

use std::time::Instant;

use chart::{Chart, Panel, Series};

use crate::http::{Connection, JSON, request};
use crate::markdown::{count, figure, header, row};
use crate::servers::settle;
use crate::{Failure, Setup};

/// Number of documents in `docs`.
const DOCUMENTS: u64 = 10_000;

/// The queries; each with the number of its runs and of its rows.
const QUERIES: [(&str, u64, u64); 8] = [
    ("RETURN 1", 10_000, 1),
    ("FOR i IN 1..10 RETURN i", 10_000, 10),
    ("FOR i IN 1..100 RETURN i", 10_000, 100),
    ("FOR i IN 1..1000 RETURN i", 10_000, 1_000),
    ("FOR i IN 1..10000 RETURN i", 1_000, 10_000),
    ("FOR i IN 1..10000 RETURN { value: i }", 1_000, 10_000),
    ("FOR i IN docs RETURN i", 1_000, DOCUMENTS),
    ("FOR i IN docs RETURN i._key", 1_000, DOCUMENTS),
];

pub(super) fn run(setup: &Setup) -> Result<Chart, Failure> {
    header(&["query", "times", "total, s", "each, ms", "rows a second", "to RETURN 1"]);
    let folder = tempfile::tempdir()?;
    let server = setup.persea(folder.path(), &[])?;
    super::seed(setup, &server, "seed-small", "docs", DOCUMENTS)?;
    settle(&server);
    let mut connection = Connection::open(server.port())?;
    let mut values = Vec::new();
    let mut first = None;
    for (query, full, rows) in QUERIES {
        let times = ((full as f64 * setup.scale) as u64).max(20);
        fetch(&mut connection, query)?;
        let start = Instant::now();
        for _ in 0..times {
            fetch(&mut connection, query)?;
        }
        let total = start.elapsed().as_secs_f64();
        let each = total / times as f64;
        let first = *first.get_or_insert(each);
        let rate = count((rows as f64 / each) as u64);
        row(&[
            format!("`{query}`"),
            count(times),
            figure(total),
            figure(each * 1e3),
            rate,
            figure(each / first),
        ]);
        values.push(Some(each * 1e3));
    }
    let panel = Panel {
        x_title: "query, in the order of the table".to_owned(),
        y_title: "ms each".to_owned(),
        places: (1..=QUERIES.len()).map(|number| number.to_string()).collect(),
        series: vec![Series { name: "one client".to_owned(), values }],
        is_logarithmic: true,
        ..Panel::default()
    };
    Ok(Chart { title: "Queries by one client".to_owned(), panels: vec![panel] })
}

/// Runs a query and fetches its whole result.
fn fetch(connection: &mut Connection, query: &str) -> Result<(), Failure> {
    let body = format!(r#"{{"query":"{query}","batchSize":1000}}"#);
    let mut next = request("POST", "/_api/cursor", JSON, body.as_bytes());
    loop {
        let body = connection.expect_success(&next)?;
        // Reads only the attributes after the result, so that the client costs next to nothing.
        let tail = String::from_utf8_lossy(body.get(body.len().saturating_sub(600)..).unwrap_or_default());
        if !tail.contains(r#""hasMore":true"#) {
            return match tail.contains(r#""hasMore":false"#) {
                true => Ok(()),
                false => Err(format!("a reply to {query} has no hasMore").into()),
            };
        }
        let (_, id) = tail.rsplit_once(r#""id":""#).ok_or("a reply has no id")?;
        let id = id.split('"').next().unwrap_or_default();
        next = request("POST", &format!("/_api/cursor/{id}"), "", b"");
    }
}
