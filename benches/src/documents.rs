//! Documents of about 130 bytes of JSON, made while they are sent: a load of any size needs neither
//! a file nor memory.

use std::fmt::Write;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use harness::Server;

use crate::Failure;
use crate::http::{Connection, joined, request};

/// Documents in one request, as import tools send them.
const DOCUMENTS_PER_REQUEST: u64 = 10_000;

/// Number of concurrent connections of a load.
const CONNECTIONS: usize = 2;

/// Number of different words in texts.
const WORDS: usize = 64;

/// The values of `val` are from 0 to this, with two digits after the point.
pub(crate) const VALUES: u64 = 100_000;

/// The documents of a load that the server has acknowledged, counted while it runs.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// The requests of each connection. Connections take turns in the order of keys.
    requests: [AtomicU64; CONNECTIONS],
}

impl Progress {
    /// Returns a number of documents: all with smaller numbers are there.
    pub(crate) fn documents(&self) -> u64 {
        let least = self.requests.iter().map(|requests| requests.load(Ordering::Acquire)).min();
        least.unwrap_or(0) * CONNECTIONS as u64 * DOCUMENTS_PER_REQUEST
    }
}

/// Returns the key of a document.
pub(crate) fn key(number: u64) -> String {
    format!("k{number:09}")
}

/// Sends documents over [`CONNECTIONS`] connections to a collection, and returns the time that it
/// takes.
pub(crate) fn load(
    server: &Server,
    collection: &str,
    documents: u64,
    progress: &Progress,
) -> Result<Duration, Failure> {
    let words = words();
    let begin = Instant::now();
    let outcomes: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..)
            .zip(&progress.requests)
            .map(|(first, done)| {
                let words = &words;
                scope.spawn(move || {
                    let step = DOCUMENTS_PER_REQUEST * CONNECTIONS as u64;
                    let mut firsts = (first * DOCUMENTS_PER_REQUEST..documents).step_by(step as usize);
                    send(server, collection, &mut firsts, documents, words, done)
                        .map_err(|failure| failure.to_string())
                })
            })
            .collect();
        joined(threads)
    });
    outcomes.into_iter().collect::<Result<(), String>>()?;
    Ok(begin.elapsed())
}

/// Sends the requests of one connection, and counts those that the server acknowledges.
fn send(
    server: &Server,
    collection: &str,
    firsts: &mut dyn Iterator<Item = u64>,
    documents: u64,
    words: &[String],
    done: &AtomicU64,
) -> Result<(), Failure> {
    let mut connection = Connection::open(server.port())?;
    let path = format!("/_api/import?collection={collection}&type=documents");
    let mut body = String::new();
    for first in firsts {
        body.clear();
        write_lines(&mut body, first..(first + DOCUMENTS_PER_REQUEST).min(documents), words);
        let reply = connection.expect_success(&request("POST", &path, "", body.as_bytes()))?;
        if !String::from_utf8_lossy(reply).contains(r#""errors":0"#) {
            return Err(format!("import failed: {}", String::from_utf8_lossy(reply)).into());
        }
        done.fetch_add(1, Ordering::Release);
    }
    Ok(())
}

/// Returns the words of texts, the same in each run.
fn words() -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(7);
    (0..WORDS).map(|_| (0..random.usize(4..10)).map(|_| random.lowercase()).collect()).collect()
}

/// Appends documents, a line each.
fn write_lines(lines: &mut String, numbers: Range<u64>, words: &[String]) {
    for number in numbers {
        let mut random = fastrand::Rng::with_seed(number);
        let (value, cents) = (random.u64(0..VALUES), random.u64(0..100));
        let _ = write!(
            lines,
            r#"{{"_key":"k{number:09}","id":{number},"grp":{},"val":{value}.{cents:02},"city":""#,
            number % 100
        );
        write_words(lines, 2, words, &mut random);
        lines.push_str(r#"","note":""#);
        write_words(lines, 5, words, &mut random);
        lines.push_str("\"}\n");
    }
}

fn write_words(lines: &mut String, count: usize, words: &[String], random: &mut fastrand::Rng) {
    for position in 0..count {
        if position > 0 {
            lines.push(' ');
        }
        lines.push_str(random.choice(words).map_or("", String::as_str));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_the_same_in_each_run_and_have_the_stated_size() {
        let make = || {
            let mut lines = String::new();
            write_lines(&mut lines, 0..1_000, &words());
            lines
        };
        let lines = make();
        assert_eq!(lines, make());
        assert_eq!(lines.lines().count(), 1_000);
        assert!((120_000..140_000).contains(&lines.len()), "{}", lines.len());
        let document: serde_json::Value = serde_json::from_str(lines.lines().nth(321).unwrap()).unwrap();
        assert_eq!((document["_key"].as_str(), document["grp"].as_u64()), (Some("k000000321"), Some(21)));
        assert_eq!(key(321), "k000000321");
    }

    #[test]
    fn progress_counts_documents_without_gaps() {
        let progress = Progress::default();
        progress.requests[0].store(5, Ordering::Release);
        progress.requests[1].store(3, Ordering::Release);
        assert_eq!(progress.documents(), 60_000);
    }
}
