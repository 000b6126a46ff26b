//! Sets of vectors, and searches in them.

use std::fmt::Write;

use harness::Server;
use serde_json::Value;

use crate::Failure;
use crate::http::{Connection, JSON, request};

const DOCUMENTS_PER_REQUEST: u64 = 1_000;
const QUERIES: u64 = 100;
const NEAREST: usize = 10;

/// A set of vectors.
pub(super) struct Set {
    pub(super) documents: u64,
    pub(super) dimension: usize,
    /// The centers; none for uniform vectors.
    pub(super) centers: Vec<Vec<f32>>,
}

pub(super) fn load(set: &Set, connection: &mut Connection) -> Result<(), Failure> {
    connection.expect_success(&request("POST", "/_api/collection", JSON, br#"{"name":"v"}"#))?;
    for first in (0..set.documents).step_by(DOCUMENTS_PER_REQUEST as usize) {
        let mut body = String::new();
        for number in first..set.documents.min(first + DOCUMENTS_PER_REQUEST) {
            let vector = set.vector(number);
            writeln!(body, r#"{{"_key":"k{number}","n":{},"v":{vector}}}"#, number % 100)?;
        }
        connection.expect_success(&request(
            "POST",
            "/_api/import?collection=v&type=documents",
            JSON,
            body.as_bytes(),
        ))?;
    }
    Ok(())
}

/// The keys that each search has found, the median of the server's times, and its mean CPU time.
pub(super) struct Found {
    keys: Vec<Vec<Value>>,
    pub(super) milliseconds: f64,
    pub(super) cpu_milliseconds: f64,
}

impl Found {
    pub(super) fn recall(&self, exact: &Found) -> f64 {
        let pairs = self.keys.iter().zip(&exact.keys);
        let hits = pairs.map(|(own, exact)| exact.iter().filter(|key| own.contains(key)).count());
        let wanted: usize = exact.keys.iter().map(Vec::len).sum();
        hits.sum::<usize>() as f64 / wanted as f64
    }
}

pub(super) fn searches(
    set: &Set,
    server: &Server,
    connection: &mut Connection,
    filter: &str,
    n_probe: u64,
) -> Result<Found, Failure> {
    let (mut keys, mut seconds) = (Vec::new(), Vec::new());
    let cpu = server.process().cpu_time_of_threads();
    for number in 0..QUERIES {
        // Vectors of the same distribution that are not in the collection.
        let vector = set.vector(set.documents + number);
        let query = format!(
            "FOR d IN v {filter}SORT APPROX_NEAR_L2(d.v, @q, {{nProbe: {n_probe}}}) LIMIT {NEAREST} RETURN d._key"
        );
        let body = format!(r#"{{"query":"{query}","bindVars":{{"q":{vector}}}}}"#);
        let body = connection.expect_success(&request("POST", "/_api/cursor", JSON, body.as_bytes()))?;
        let mut reply: Value = serde_json::from_slice(body)?;
        seconds.push(reply["extra"]["stats"]["executionTime"].as_f64().ok_or("no time")?);
        keys.push(reply["result"].take().as_array().cloned().unwrap_or_default());
    }
    let cpu = server.process().cpu_time_of_threads().saturating_sub(cpu);
    seconds.sort_by(f64::total_cmp);
    let milliseconds = seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN) * 1000.0;
    Ok(Found { keys, milliseconds, cpu_milliseconds: cpu.as_secs_f64() * 1000.0 / QUERIES as f64 })
}

impl Set {
    /// Returns vectors around so many centers; uniform ones without centers.
    pub(super) fn new(documents: u64, dimension: usize, clusters: u64) -> Self {
        let mut random = Random(clusters ^ documents);
        let centers = (0..clusters).map(|_| (0..dimension).map(|_| random.normal()).collect()).collect();
        Set { documents, dimension, centers }
    }

    /// Returns a vector as JSON; the same number gives the same vector.
    fn vector(&self, number: u64) -> String {
        let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let center = match self.centers.len() as u64 {
            0 => None,
            clusters => self.centers.get(random.below(clusters) as usize),
        };
        let mut text = String::from("[");
        for position in 0..self.dimension {
            let float = match center.and_then(|center| center.get(position)) {
                Some(center) => center + 0.5 * random.normal(),
                None => random.float(),
            };
            let _ = write!(text, "{}{float:.5}", if position == 0 { "" } else { "," });
        }
        text + "]"
    }
}

/// A generator of numbers with a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns a number from 0 to 1.
    fn float(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Returns a number of about a normal distribution: the sum of uniform ones.
    fn normal(&mut self) -> f32 {
        (0..4).map(|_| self.float() - 0.5).sum::<f32>() * 1.73
    }
}
