//! Vector indexes that store whole vectors, and those that store codes: size, memory, recall and
//! time over the same documents.
//!
//! Each index is built alone. Exact neighbours are those of a search of all lists of whole vectors.

use std::path::Path;
use std::time::{Duration, Instant};

use harness::Server;
use serde_json::Value;

use super::set::{Found, Set, load, searches};
use crate::folder::bytes_below;
use crate::http::{Connection, JSON, request};
use crate::report::{Report, Target};
use crate::{Failure, Setup};

const ENCODINGS: [&str; 4] = ["Flat", "SQ8", "PQ32", "PQ16"];
const DOCUMENTS: u64 = 1_000_000;
const DIMENSION: usize = 128;
const CLUSTERS: u64 = 10_000;
const LISTS: u64 = 1_000;
const PROBES: [u64; 4] = [1, 4, 16, 64];
const RECALL_MIN: f64 = 0.9;
const MB: f64 = 1e6;

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let server = setup.persea(folder.path(), &[])?;
    let mut connection = Connection::open(server.port())?;
    let set = Set::new(setup.documents(DOCUMENTS), DIMENSION, CLUSTERS);
    load(&set, &mut connection)?;
    let mut exact: Option<Found> = None;
    let mut flat: Vec<f64> = Vec::new();
    for encoding in ENCODINGS {
        let before = settled_bytes(folder.path())?;
        let id = build(&set, encoding, &server, &mut connection, report)?;
        let bytes = settled_bytes(folder.path())?.saturating_sub(before);
        report.figure(&format!("{encoding}: index on disk"), bytes as f64 / MB, "MB", &Target::None);
        let exact = match &exact {
            Some(exact) => exact,
            None => exact.insert(searches(&set, &server, &mut connection, "", LISTS)?),
        };
        for (position, n_probe) in PROBES.into_iter().enumerate() {
            let found = searches(&set, &server, &mut connection, "", n_probe)?;
            let recall = found.recall(exact);
            if encoding == ENCODINGS[0] {
                flat.push(found.recall(exact));
            }
            let bound = flat.get(position).map_or(RECALL_MIN, |flat| flat * RECALL_MIN);
            let what = format!("{encoding}: nProbe {n_probe}");
            report.figure(&format!("{what}, recall"), recall, "", &Target::AtLeast(bound));
            report.figure(&format!("{what}, time"), found.milliseconds, "ms", &Target::None);
            report.figure(&format!("{what}, CPU"), found.cpu_milliseconds, "ms", &Target::None);
        }
        connection.expect_success(&request("DELETE", &format!("/_api/index/{id}"), JSON, b""))?;
    }
    Ok(())
}

/// Builds an index, and returns its identifier.
fn build(
    set: &Set,
    encoding: &str,
    server: &Server,
    connection: &mut Connection,
    report: &mut Report,
) -> Result<String, Failure> {
    let definition = format!(
        r#"{{"type":"vector","fields":["v"],"params":{{"metric":"l2","dimension":{},"nLists":{LISTS},"factory":"IVF{LISTS},{encoding}"}}}}"#,
        set.dimension
    );
    let create = request("POST", "/_api/index?collection=v", JSON, definition.as_bytes());
    let (started, cpu) = (Instant::now(), server.process().cpu_time());
    let reply: Value = serde_json::from_slice(connection.expect_success(&create)?)?;
    report.figure(&format!("{encoding}: build"), started.elapsed().as_secs_f64(), "s", &Target::None);
    let cpu = (server.process().cpu_time() - cpu).as_secs_f64();
    report.figure(&format!("{encoding}: build, CPU"), cpu, "s", &Target::None);
    Ok(reply["id"].as_str().ok_or("an index without an id")?.to_owned())
}

/// Returns the size of a folder once it has stayed the same for some seconds.
fn settled_bytes(folder: &Path) -> Result<u64, Failure> {
    let mut last = bytes_below(folder)?;
    for _ in 0..60 {
        std::thread::sleep(Duration::from_secs(3));
        let now = bytes_below(folder)?;
        if now == last {
            return Ok(now);
        }
        last = now;
    }
    Ok(last)
}
