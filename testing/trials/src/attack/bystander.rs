//! The bystander: a client with modest wishes, who must not notice the attack.
//!
//! It reads one document and writes one every 20 ms, on a connection of its own. A stall of a
//! second counts as the fifty requests that a patient client would have begun in it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use harness::http1::{Connection, Reply, Request};

/// Time between two rounds of a read and a write.
const PERIOD: Duration = Duration::from_millis(20);

/// A reply that takes longer counts as an error.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The collection of the bystander.
pub(crate) const COLLECTION: &str = "bystander";

/// The document that it reads.
pub(crate) const FIXED_KEY: &str = "fixed";

/// The bystander. [`Bystander::run`] is its thread.
#[derive(Debug)]
pub(crate) struct Bystander {
    address: SocketAddr,
    token: String,
    is_over: AtomicBool,
    /// The server is down by our own doing: errors do not count.
    is_excused: AtomicBool,
    seen: Mutex<Seen>,
}

/// The observations of the bystander.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The time of each read and each write since the last [`Bystander::take_times`].
    pub(crate) times: Vec<Duration>,
    /// Keys of the documents whose writes were acknowledged.
    pub(crate) acknowledged: Vec<String>,
    /// The number of documented refusals, such as 503.
    pub(crate) refusals: usize,
    /// The number of all other replies that are not success.
    pub(crate) errors: usize,
    /// The first of them.
    pub(crate) first_error: Option<String>,
}

impl Bystander {
    pub(crate) fn new(address: SocketAddr, token: &str) -> Self {
        Bystander {
            address,
            token: token.to_owned(),
            is_over: AtomicBool::new(false),
            is_excused: AtomicBool::new(false),
            seen: Mutex::default(),
        }
    }

    /// Reads and writes until [`Bystander::end`].
    pub(crate) fn run(&self) {
        let mut connection = None;
        let mut number = 0_u64;
        while !self.is_over.load(Ordering::Relaxed) {
            let begin = Instant::now();
            self.round(&mut connection, number);
            number += 1;
            // A round begins every so often.
            std::thread::sleep(PERIOD.saturating_sub(begin.elapsed()));
        }
    }

    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Overlooks errors while the server is down by our own doing.
    pub(crate) fn excuse(&self, is_excused: bool) {
        self.is_excused.store(is_excused, Ordering::Relaxed);
    }

    /// Returns the times since the last call.
    pub(crate) fn take_times(&self) -> Vec<Duration> {
        std::mem::take(&mut self.seen().times)
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn round(&self, connection: &mut Option<Connection>, number: u64) {
        let path = format!("/_api/document/{COLLECTION}");
        let read = Request::new("GET", &format!("{path}/{FIXED_KEY}"));
        self.ask(connection, &read, None);
        let key = format!("k{number}");
        let write = Request::new("POST", &path).body(format!("{{\"_key\":\"{key}\",\"n\":{number}}}"));
        self.ask(connection, &write, Some(key));
    }

    fn ask(&self, connection: &mut Option<Connection>, request: &Request, key: Option<String>) {
        let request = request.clone().header("authorization", &format!("bearer {}", self.token));
        let begin = Instant::now();
        let reply = ask_again(connection, self.address, &request);
        if self.is_excused.load(Ordering::Relaxed) {
            *connection = None;
            return;
        }
        let mut seen = self.seen();
        seen.add_time(begin.elapsed());
        match reply {
            Ok(reply) if reply.status < 300 => seen.acknowledged.extend(key),
            Ok(reply) if reply.is_refusal() => seen.refusals += 1,
            Ok(reply) => seen.add_error(format!("{} {}", reply.status, reply.text())),
            Err(error) => {
                *connection = None;
                seen.add_error(format!("no reply after {:?}: {error}", begin.elapsed()));
            }
        }
    }
}

fn ask_again(
    connection: &mut Option<Connection>,
    address: SocketAddr,
    request: &Request,
) -> std::io::Result<Reply> {
    if connection.is_none() {
        *connection = Some(Connection::open(address, TIMEOUT)?);
    }
    match connection {
        Some(connection) => connection.ask(request),
        None => Err(std::io::ErrorKind::NotConnected.into()),
    }
}

impl Seen {
    /// Adds a time, and those of the requests that would have begun in it.
    fn add_time(&mut self, time: Duration) {
        let mut left = Some(time);
        while let Some(time) = left {
            self.times.push(time);
            left = time.checked_sub(PERIOD).filter(|left| !left.is_zero());
        }
    }

    fn add_error(&mut self, error: String) {
        self.errors += 1;
        self.first_error.get_or_insert(error);
    }
}

/// Returns the time that `share` of the times are at most.
pub(crate) fn percentile(times: &[Duration], share: f64) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort();
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_counts_as_all_requests_that_would_have_begun_in_it() {
        let mut seen = Seen::default();
        seen.add_time(Duration::from_millis(50));
        assert_eq!(seen.times, [50, 30, 10].map(Duration::from_millis));
    }

    #[test]
    fn percentiles_are_times_that_were_seen() {
        let times: Vec<Duration> = (1..=100).map(Duration::from_millis).collect();
        assert_eq!(percentile(&times, 0.99), Duration::from_millis(99));
        assert_eq!(percentile(&times, 0.5), Duration::from_millis(50));
        assert_eq!(percentile(&[], 0.5), Duration::ZERO);
    }
}
