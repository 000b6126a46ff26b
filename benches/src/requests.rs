//! Small requests on keep-alive connections, against a bare HTTP server that echoes a body of the same size.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::http::{Connection, request};
use crate::process::{Server, own_cpu};
use crate::report::{Report, Target};
use crate::{Failure, Setup};

/// How long one rate is measured. Persea and its limit take turns, so that both see the same machine.
const TURN: Duration = Duration::from_secs(2);
const TURNS: usize = 3;
const JSON: &str = "Content-Type: application/json\r\n";

/// Requests per second, and CPU microseconds of server and client per request.
#[derive(Clone, Copy)]
struct Rate {
    per_second: f64,
    server_us: f64,
    client_us: f64,
}

/// Makes the n-th request. Connections count from different starts, so no two requests are the same.
type Make<'a> = &'a (dyn Fn(u64) -> Vec<u8> + Sync);

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let server = Server::persea(&setup.server, folder.path(), &[])?;
    let limit = setup.http_limit.as_deref().map(Server::http_limit).transpose()?;
    let mut connection = Connection::open(server.port)?;
    connection.expect_success(&request("POST", "/_api/collection", JSON, br#"{"name":"docs"}"#))?;

    let query = br#"{"query":"RETURN 1"}"#;
    let make_query = |_: u64| request("POST", "/_api/cursor", JSON, query);
    let document =
        |n: u64| format!(r#"{{"_key":"k{n}","name":"amber birch cedar delta","n":{n},"group":{}}}"#, n % 100);
    let make_insert = |n: u64| request("POST", "/_api/document/docs", JSON, document(n).as_bytes());
    let make_read = |n: u64| request("GET", &format!("/_api/document/docs/r{}", n % 10_000), "", b"");
    let keys: Vec<String> = (0..10_000).map(|n| document(n).replace("\"k", "\"r")).collect();
    connection.expect_success(&request(
        "POST",
        "/_api/import?collection=docs&type=documents",
        JSON,
        keys.join("\n").as_bytes(),
    ))?;

    for connections in [1, 16] {
        let echo_query = |_: u64| request("POST", "/echo", JSON, query);
        let echo_insert = |n: u64| request("POST", "/echo", JSON, document(n).as_bytes());
        let kinds: [(&str, Make<'_>, Make<'_>, f64); 3] = [
            ("`RETURN 1`", &make_query, &echo_query, 0.6),
            ("single insert", &make_insert, &echo_insert, 0.4),
            ("read by key", &make_read, &echo_insert, 0.5),
        ];
        for (name, ours, theirs, target) in kinds {
            let (mut our_rates, mut limit_rates) = (Vec::new(), Vec::new());
            for _ in 0..TURNS {
                our_rates.push(measure(&server, connections, ours)?);
                if let Some(limit) = &limit {
                    limit_rates.push(measure(limit, connections, theirs)?);
                }
            }
            let (ours, theirs) = (median(our_rates), median(limit_rates));
            let what = format!("{name}, {connections} connections");
            let target = Target::AtLeast(target);
            report.ratio(
                &what,
                (or_zero(ours, |rate| rate.per_second), "requests/s"),
                theirs.map(|rate| rate.per_second),
                &target,
            );
            let cpu = |rate: Rate| rate.server_us;
            report.ratio(
                &format!("{what}: server CPU"),
                (or_zero(ours, cpu), "µs"),
                theirs.map(cpu),
                &Target::None,
            );
            report.figure(
                &format!("{what}: client CPU"),
                or_zero(ours, |rate| rate.client_us),
                "µs",
                &Target::None,
            );
        }
    }
    Ok(())
}

fn or_zero(rate: Option<Rate>, of: impl Fn(Rate) -> f64) -> f64 {
    rate.map_or(0.0, of)
}

fn median(mut rates: Vec<Rate>) -> Option<Rate> {
    rates.sort_by(|a, b| a.per_second.total_cmp(&b.per_second));
    rates.get(rates.len() / 2).copied()
}

/// Every run starts its numbers where no run before has been.
static RUNS: AtomicU64 = AtomicU64::new(1);

fn measure(server: &Server, connections: u64, make: Make<'_>) -> Result<Rate, Failure> {
    let first = RUNS.fetch_add(1, Ordering::Relaxed) << 40;
    let (server_before, client_before) = (server.cpu(), own_cpu());
    let started = Instant::now();
    let outcomes: Vec<Result<u64, String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..connections)
            .map(|number| {
                scope.spawn(move || {
                    drive(server.port, first + (number << 32), make).map_err(|e| e.to_string())
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err("a client thread panicked".into())))
            .collect()
    });
    let elapsed = started.elapsed().as_secs_f64();
    let mut requests = 0;
    for outcome in outcomes {
        requests += outcome?;
    }
    let per_request =
        |after: Duration, before: Duration| (after - before).as_secs_f64() * 1e6 / requests as f64;
    Ok(Rate {
        per_second: requests as f64 / elapsed,
        server_us: per_request(server.cpu(), server_before),
        client_us: per_request(own_cpu(), client_before),
    })
}

fn drive(port: u16, first: u64, make: Make<'_>) -> Result<u64, Failure> {
    let mut connection = Connection::open(port)?;
    let started = Instant::now();
    let mut done = 0;
    while started.elapsed() < TURN {
        connection.expect_success(&make(first + done))?;
        done += 1;
    }
    Ok(done)
}
