//! The memory-mapped engine compared with RocksDB: two servers with the same data take turns.

use std::time::{Duration, Instant};

use harness::Server;

use crate::graph::{self, Random};
use crate::http::{Connection, JSON, request};
use crate::rate::{Make, TURNS, measure, median};
use crate::report::{Report, Target};
use crate::servers::{self, settle};
use crate::{Failure, Setup, export, import};

/// The engine that is measured, and the one that it is compared with.
pub(crate) const OURS: &str = "mmfiles";
pub(crate) const THEIRS: &str = "rocksdb";

/// One measure of both servers, ours first.
type Pair<T> = [T; 2];

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let folders = [tempfile::tempdir()?, tempfile::tempdir()?];
    let start = |engine: &str, at: usize| {
        let folder = folders.get(at).ok_or("a folder is missing")?;
        servers::persea(&setup.server, Some(engine), &folder.path().join("data"), &[])
    };
    let servers = [start(OURS, 0)?, start(THEIRS, 1)?];
    let (documents, vertices) = (setup.documents(1_000_000), setup.documents(100_000));
    imports(&servers, documents, report)?;
    for server in &servers {
        let index = br#"{"type":"persistent","fields":["name"]}"#;
        let create = request("POST", "/_api/index?collection=docs", JSON, index);
        Connection::open(server.port())?.expect_success(&create)?;
        graph::load(server, vertices, vertices * 18)?;
        settle(server);
    }
    requests(&servers, documents, vertices, report)?;
    scans(&servers, documents, report)?;
    // Starts are measured on folders that were closed, as after an upgrade.
    let [mut ours, mut theirs] = servers;
    ours.stop()?;
    theirs.stop()?;
    let [ours, theirs] = [start(OURS, 0)?, start(THEIRS, 1)?];
    let ms = |server: &Server| server.start_time().as_secs_f64() * 1e3;
    report.ratio("start on this data", (ms(&ours), "ms"), Some(ms(&theirs)), &Target::None);
    report.figure("start on this data", ms(&ours), "ms", &Target::AtMost(100.0));
    Ok(())
}

/// Imports into a new collection of each server in turn. The last one, `docs`, stays.
fn imports(servers: &Pair<Server>, documents: u64, report: &mut Report) -> Result<(), Failure> {
    let bodies = import::bodies(documents);
    let mut times: Pair<Vec<Duration>> = Default::default();
    for collection in ["first", "second", "docs"] {
        for (server, times) in servers.iter().zip(&mut times) {
            import::create(server, collection)?;
            times.push(import::import_all(server, collection, &bodies, import::CONNECTIONS)?);
            settle(server);
        }
        if collection != "docs" {
            for server in servers {
                let drop = request("DELETE", &format!("/_api/collection/{collection}"), "", b"");
                Connection::open(server.port())?.expect_success(&drop)?;
            }
        }
    }
    let [ours, theirs] = times.map(|times| documents as f64 / median_seconds(times));
    report.ratio("bulk import", (ours, "documents/s"), Some(theirs), &Target::AtLeast(0.5));
    Ok(())
}

/// Measures requests on one document or a few.
fn requests(
    servers: &Pair<Server>,
    documents: u64,
    vertices: u64,
    report: &mut Report,
) -> Result<(), Failure> {
    let query = |text: &str, bind: &str| {
        let body = format!(r#"{{"query":"{text}","bindVars":{bind},"batchSize":100000}}"#);
        request("POST", "/_api/cursor", JSON, body.as_bytes())
    };
    let any = |n: u64| Random(n).below(documents);
    let read = |n: u64| request("GET", &format!("/_api/document/docs/{:010}", any(n)), "", b"");
    let look_up = |n: u64| {
        let name = any(n).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44;
        let bind = format!(r#"{{"name":"amber{name:06}"}}"#);
        query("FOR d IN docs FILTER d.name == @name RETURN d", &bind)
    };
    let two_hops = |n: u64| {
        let bind = format!(r#"{{"s":"P/p{:06}"}}"#, Random(n).below(vertices));
        let once = "OPTIONS {order: 'bfs', uniqueVertices: 'global'}";
        query(&format!("FOR v IN 1..2 OUTBOUND @s F {once} RETURN v._key"), &bind)
    };
    let insert = |n: u64| {
        let body = format!(r#"{{"name":"amber birch cedar delta","n":{n},"group":{}}}"#, n % 100);
        request("POST", "/_api/document/inserted", JSON, body.as_bytes())
    };
    for server in servers {
        import::create(server, "inserted")?;
    }
    let kinds: [(&str, Make<'_>, f64); 4] = [
        ("read by key", &read, 1.0),
        ("lookup in an index", &look_up, 1.0),
        ("two-hop traversal", &two_hops, 1.1),
        ("single insert", &insert, 0.8),
    ];
    for (name, make, target) in kinds {
        for connections in [1, 16] {
            let mut rates: Pair<Vec<_>> = Default::default();
            // The first turn of each warms its caches up and does not count.
            for turn in 0..=TURNS {
                for (server, rates) in servers.iter().zip(&mut rates) {
                    let rate = measure(server, connections, make)?;
                    if turn > 0 {
                        rates.push(rate);
                    }
                }
            }
            let [Some(ours), Some(theirs)] = rates.map(median) else { continue };
            let what = format!("{name}, {connections} connections");
            let rate = (ours.per_second, "requests/s");
            report.ratio(&what, rate, Some(theirs.per_second), &Target::AtLeast(target));
            let cpu = format!("{what}: server CPU");
            report.ratio(&cpu, (ours.server_us, "µs"), Some(theirs.server_us), &Target::None);
        }
    }
    Ok(())
}

/// Measures requests that read all documents.
fn scans(servers: &Pair<Server>, documents: u64, report: &mut Report) -> Result<(), Failure> {
    let filter = |port: u16| -> Result<(), Failure> {
        let body = br#"{"query":"FOR d IN docs FILTER d.age == 200 RETURN d"}"#;
        Connection::open(port)?.expect_success(&request("POST", "/_api/cursor", JSON, body))?;
        Ok(())
    };
    let group = |port: u16| -> Result<(), Failure> {
        let body =
            br#"{"query":"FOR d IN docs COLLECT age = d.age AGGREGATE s = SUM(d.score) RETURN [age, s]"}"#;
        Connection::open(port)?.expect_success(&request("POST", "/_api/cursor", JSON, body))?;
        Ok(())
    };
    let whole = |port: u16| export::stream(port, "");
    type Read<'a> = &'a dyn Fn(u16) -> Result<(), Failure>;
    let kinds: [(&str, Read<'_>, Target); 3] = [
        ("full scan with a filter", &filter, Target::AtLeast(1.3)),
        ("grouping of all documents", &group, Target::None),
        ("export as NDJSON", &whole, Target::AtLeast(1.3)),
    ];
    for (name, read, target) in kinds {
        let mut times: Pair<Vec<Duration>> = Default::default();
        let mut cpu: Pair<Duration> = Default::default();
        for turn in 0..=2 * TURNS {
            for ((server, times), cpu) in servers.iter().zip(&mut times).zip(&mut cpu) {
                let (start, before) = (Instant::now(), server.process().cpu_time());
                read(server.port())?;
                if turn > 0 {
                    times.push(start.elapsed());
                    *cpu += server.process().cpu_time() - before;
                }
            }
        }
        let [ours, theirs] = times.map(|times| documents as f64 / median_seconds(times));
        report.ratio(name, (ours, "documents/s"), Some(theirs), &target);
        let per_document = documents as f64 * 2.0 * TURNS as f64;
        let [ours, theirs] = cpu.map(|cpu| cpu.as_secs_f64() * 1e9 / per_document);
        let what = format!("{name}: server CPU per document");
        report.ratio(&what, (ours, "ns"), Some(theirs), &Target::None);
    }
    Ok(())
}

fn median_seconds(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(f64::NAN, Duration::as_secs_f64)
}
