//! Requests per second of a server.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use harness::{Process, Server};

use crate::Failure;
use crate::http::Connection;

/// The time of one turn. Persea and its limit take turns, so that both see the same machine.
pub(crate) const TURN: Duration = Duration::from_secs(2);
/// Turns of each of them; the median counts.
pub(crate) const TURNS: usize = 3;

/// Requests per second, and CPU microseconds of server and client per request.
#[derive(Clone, Copy)]
pub(crate) struct Rate {
    pub(crate) per_second: f64,
    pub(crate) server_us: f64,
    pub(crate) client_us: f64,
}

/// A function that makes the n-th request.
///
/// Connections count from different starts, so no two requests are the same.
pub(crate) type Make<'a> = &'a (dyn Fn(u64) -> Vec<u8> + Sync);

/// Returns the median rate; `None` for an empty list.
pub(crate) fn median(mut rates: Vec<Rate>) -> Option<Rate> {
    rates.sort_by(|a, b| a.per_second.total_cmp(&b.per_second));
    rates.get(rates.len() / 2).copied()
}

/// The number of the next run. It makes the request numbers of runs disjoint.
static RUNS: AtomicU64 = AtomicU64::new(1);

/// Drives a server over `connections` connections for one turn.
pub(crate) fn measure(server: &Server, connections: u64, make: Make<'_>) -> Result<Rate, Failure> {
    let first = RUNS.fetch_add(1, Ordering::Relaxed) << 40;
    let (server_before, client_before) = (server.process().cpu_time(), Process::this().cpu_time());
    let started = Instant::now();
    let outcomes: Vec<Result<u64, String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..connections)
            .map(|number| {
                scope.spawn(move || {
                    drive(server.port(), first + (number << 32), make).map_err(|e| e.to_string())
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
        server_us: per_request(server.process().cpu_time(), server_before),
        client_us: per_request(Process::this().cpu_time(), client_before),
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
