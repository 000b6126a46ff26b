//! One and two servers on a TiKV cluster, against the engine that they use, without a server.
//!
//! The engine's client writes and reads pairs of its own, with another prefix in the same cluster.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use harness::Server;
use kv::{BlockLimits, Durability, Engine, KeyRange, ScanSpec, TransactionOptions};
use kv_tikv::{TikvEngine, TikvOptions};

use crate::graph::Random;
use crate::http::{Connection, JSON, request};
use crate::import::{self, DOCUMENT_BYTES};
use crate::rate::{Make, TURN, TURNS, measure};
use crate::report::{Report, Target};
use crate::{Failure, Setup, export, servers};

const CONNECTIONS: u64 = 16;

/// Pairs that are written by one transaction when the data are made.
const PAIRS_PER_COMMIT: u64 = 5_000;

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let pd = setup.pd.as_deref().ok_or("--tikv is missing: the addresses of PD")?;
    let documents = setup.documents(200_000);
    let run = format!("bench-{}", std::process::id());
    let folders = [tempfile::tempdir()?, tempfile::tempdir()?];
    let options = ["--tikv.pd", pd, "--tikv.prefix", &run];
    let start = |at: usize| {
        let folder = folders.get(at).ok_or("a folder is missing")?;
        servers::persea(&setup.server, Some("tikv"), &folder.path().join("data"), &options)
    };
    let one_phase = std::env::var("PERSEA_TIKV_ONE_PHASE_COMMIT").map_or(true, |value| value != "false");
    let engine = TikvEngine::open(&TikvOptions {
        pd: pd.split(',').map(str::to_owned).collect(),
        prefix: format!("{run}-bare"),
        one_phase,
        ..TikvOptions::default()
    })?;
    let first = start(0)?;
    import::load(&first, "docs", documents)?;
    import::create(&first, "inserted")?;
    fill(&*engine, documents)?;
    let one_server = requests(&first, &*engine, documents, report)?;
    scans(&first, &*engine, documents, report)?;
    let second = start(1)?;
    two_servers(&[first, second], documents, one_server, report)
}

/// Returns the key of a document, and that of the engine's pair.
fn key(n: u64) -> String {
    format!("{n:010}")
}

/// Writes as many pairs as there are documents, of their size.
fn fill(engine: &dyn Engine, documents: u64) -> Result<(), Failure> {
    for first in (0..documents).step_by(PAIRS_PER_COMMIT as usize) {
        let mut transaction = engine.begin(TransactionOptions::default())?;
        for n in first..documents.min(first + PAIRS_PER_COMMIT) {
            transaction.put_unguarded(key(n).as_bytes(), &[b'x'; DOCUMENT_BYTES])?;
        }
        transaction.commit(Durability::Synced)?;
    }
    Ok(())
}

/// Measures reads by key and inserts. Returns the server's rates.
fn requests(
    server: &Server,
    engine: &dyn Engine,
    documents: u64,
    report: &mut Report,
) -> Result<[f64; 2], Failure> {
    let read = |n: u64| -> Result<(), Failure> {
        let key = key(Random(n).below(documents));
        let found = engine.snapshot()?.get_many(&[key.as_bytes()])?;
        if found.iter().flatten().count() == 1 { Ok(()) } else { Err(format!("{key} is missing").into()) }
    };
    let insert = |n: u64| -> Result<(), Failure> {
        let mut transaction = engine.begin(TransactionOptions::default())?;
        transaction.insert_unique(format!("inserted{n:020}").as_bytes(), &[b'x'; DOCUMENT_BYTES])?;
        Ok(transaction.commit(Durability::Synced)?)
    };
    let mut rates = [0.0; 2];
    for connections in [1, CONNECTIONS] {
        let kinds: [(&str, Make<'_>, Work<'_>, f64); 2] = [
            ("read by key", &|n| read_request(n, documents), &read, 0.6),
            ("single insert", &insert_request, &insert, 0.5),
        ];
        for ((name, ours, theirs, target), rate) in kinds.into_iter().zip(&mut rates) {
            let (mut with_server, mut bare) = (Vec::new(), Vec::new());
            for _ in 0..TURNS {
                with_server.push(measure(server, connections, ours)?.per_second);
                bare.push(measure_bare(connections, theirs)?);
            }
            *rate = median(with_server);
            let what = format!("{name}, {connections} connections");
            report.ratio(&what, (*rate, "requests/s"), Some(median(bare)), &Target::AtLeast(target));
        }
    }
    Ok(rates)
}

/// Measures reads of everything.
fn scans(server: &Server, engine: &dyn Engine, documents: u64, report: &mut Report) -> Result<(), Failure> {
    let (mut with_server, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let start = Instant::now();
        export::stream(server.port(), "")?;
        with_server.push(documents as f64 / start.elapsed().as_secs_f64());
        let start = Instant::now();
        let rows = scan(engine)?;
        if rows < documents {
            return Err(format!("the scan found {rows} of {documents} pairs").into());
        }
        bare.push(rows as f64 / start.elapsed().as_secs_f64());
    }
    let rate = (median(with_server), "documents/s");
    report.ratio("export as NDJSON", rate, Some(median(bare)), &Target::AtLeast(0.5));
    Ok(())
}

fn scan(engine: &dyn Engine) -> Result<u64, Failure> {
    let range = KeyRange::prefix(b"0");
    let mut scan = engine.snapshot()?.scan(ScanSpec::forward(range).sequential())?;
    let mut rows = 0;
    while let Some(block) = scan.next_block(BlockLimits { rows: 1024, bytes: 1 << 20 })? {
        rows += block.len() as u64;
    }
    Ok(rows)
}

/// Measures two concurrent servers, each with half of the connections.
fn two_servers(
    servers: &[Server; 2],
    documents: u64,
    one_server: [f64; 2],
    report: &mut Report,
) -> Result<(), Failure> {
    // The second server has to find the places of the regions first.
    let [_, second] = servers;
    for n in 0..100 {
        Connection::open(second.port())?.expect_success(&read_request(n, documents))?;
    }
    let kinds: [(&str, Make<'_>); 2] =
        [("read by key", &|n| read_request(n, documents)), ("single insert", &insert_request)];
    for ((name, make), one) in kinds.into_iter().zip(one_server) {
        let mut rates = Vec::new();
        for _ in 0..TURNS {
            let halves: Vec<Result<f64, String>> = std::thread::scope(|scope| {
                let half = |server| {
                    let rate =
                        measure(server, CONNECTIONS / 2, make).map_err(|failure| failure.to_string())?;
                    Ok(rate.per_second)
                };
                let threads: Vec<_> =
                    servers.iter().map(|server| scope.spawn(move || half(server))).collect();
                threads.into_iter().map(joined).collect()
            });
            rates.push(halves.into_iter().sum::<Result<f64, String>>()?);
        }
        let what = format!("{name}, two servers beside one, {CONNECTIONS} connections");
        report.ratio(&what, (median(rates), "requests/s"), Some(one), &Target::AtLeast(1.5));
    }
    Ok(())
}

fn read_request(n: u64, documents: u64) -> Vec<u8> {
    let key = key(Random(n).below(documents));
    request("GET", &format!("/_api/document/docs/{key}"), "", b"")
}

fn insert_request(n: u64) -> Vec<u8> {
    let body = format!(r#"{{"name":"amber birch cedar delta","n":{n},"group":{}}}"#, n % 100);
    request("POST", "/_api/document/inserted", JSON, body.as_bytes())
}

/// A piece of work with the engine alone, the n-th one.
type Work<'a> = &'a (dyn Fn(u64) -> Result<(), Failure> + Sync);

/// The number of the next turn. It makes the numbers of turns disjoint.
static NEXT_TURN: AtomicU64 = AtomicU64::new(1);

/// Runs work on this many threads for one turn, and returns its rate per second.
fn measure_bare(threads: u64, work: Work<'_>) -> Result<f64, Failure> {
    let first = NEXT_TURN.fetch_add(1, Ordering::Relaxed) << 40;
    let start = Instant::now();
    let counts: Vec<Result<u64, String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|number| {
                scope.spawn(move || {
                    let mut done = 0;
                    while start.elapsed() < TURN {
                        work(first + (number << 32) + done).map_err(|failure| failure.to_string())?;
                        done += 1;
                    }
                    Ok(done)
                })
            })
            .collect();
        threads.into_iter().map(joined).collect()
    });
    let done = counts.into_iter().sum::<Result<u64, String>>()?;
    Ok(done as f64 / start.elapsed().as_secs_f64())
}

fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, Result<T, String>>) -> Result<T, String> {
    thread.join().unwrap_or_else(|_| Err("a client thread panicked".to_owned()))
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or(f64::NAN)
}
