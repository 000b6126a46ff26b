//! Graph queries on a graph of 100,000 vertices and 1,800,000 edges with the degrees of a social
//! network.
//!
//! There is no physical limit to compare with. The figures are rates and the server's CPU time per
//! query, for comparison with other databases on the same machine.

use std::fmt::Write;

use harness::Server;

use crate::http::{Connection, JSON, request};
use crate::rate::{Make, TURNS, measure, median};
use crate::report::{Report, Target};
use crate::{Failure, Setup};

const ROWS_PER_REQUEST: usize = 20_000;

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let server = setup.persea(folder.path(), &[])?;
    let vertices = setup.documents(100_000);
    load(&server, vertices, vertices * 18)?;

    let once = "OPTIONS {order: 'bfs', uniqueVertices: 'global'}";
    let one_hop = "FOR v IN 1..1 OUTBOUND @s F RETURN v._key".to_owned();
    let two_hops = format!("FOR v IN 1..2 OUTBOUND @s F {once} RETURN v._key");
    let count = format!("RETURN LENGTH(FOR v IN 1..3 OUTBOUND @s F {once} RETURN 1)");
    let walks = "FOR v IN 3 OUTBOUND @s F COLLECT WITH COUNT INTO n RETURN n".to_owned();
    let shortest = "FOR v IN OUTBOUND SHORTEST_PATH @s TO @t F RETURN v._key".to_owned();
    let queries = [
        ("neighbours", one_hop, false),
        ("distinct vertices 1 and 2 steps away", two_hops, false),
        ("number of vertices within 3 steps", count, false),
        ("number of paths of 3 edges", walks, false),
        ("shortest path", shortest, true),
    ];
    for (name, query, has_target) in &queries {
        let make = |number: u64| {
            let mut random = Random(number);
            let mut bind = format!(r#"{{"s":"P/p{:06}""#, random.below(vertices));
            if *has_target {
                let _ = write!(bind, r#","t":"P/p{:06}""#, random.below(vertices));
            }
            let body = format!(r#"{{"query":"{query}","bindVars":{bind}}},"batchSize":100000}}"#);
            request("POST", "/_api/cursor", JSON, body.as_bytes())
        };
        let make: Make<'_> = &make;
        let mut rates = Vec::new();
        for _ in 0..TURNS {
            rates.push(measure(&server, 1, make)?);
        }
        let Some(rate) = median(rates) else { continue };
        report.ratio(name, (rate.per_second, "queries/s"), None, &Target::None);
        report.figure(&format!("{name}: server CPU"), rate.server_us, "µs", &Target::None);
    }
    Ok(())
}

/// A generator of pseudorandom numbers, the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns a number from 0 to below 1.
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Returns a vertex of a power law: the one of rank `r` is drawn with weight `(r + 10)^-0.75`.
///
/// Ranks are spread over all keys.
fn endpoint(random: &mut Random, vertices: u64) -> u64 {
    let integral = |rank: f64| (rank + 10.0).powf(0.25);
    let (low, high) = (integral(0.0), integral(vertices as f64));
    let rank = (low + random.fraction() * (high - low)).powi(4) - 10.0;
    (rank as u64).min(vertices - 1) * 48_271 % vertices
}

/// Creates the graph: people `P` and their friendships `F`.
pub(crate) fn load(server: &Server, vertices: u64, edges: u64) -> Result<(), Failure> {
    let mut connection = Connection::open(server.port())?;
    for body in [r#"{"name":"P"}"#, r#"{"name":"F","type":3}"#] {
        connection.expect_success(&request("POST", "/_api/collection", JSON, body.as_bytes()))?;
    }
    let people = (0..vertices).map(|n| {
        format!(
            r#"{{"_key":"p{n:06}","id":{n},"name":"Katomiren","age":{},"region":"Lenoribre"}}"#,
            15 + n % 60
        )
    });
    import(&mut connection, "P", people)?;
    let mut random = Random(2);
    let friends = (0..edges).map(|_| {
        let (from, to) = (endpoint(&mut random, vertices), endpoint(&mut random, vertices));
        format!(r#"{{"_from":"P/p{from:06}","_to":"P/p{to:06}"}}"#)
    });
    import(&mut connection, "F", friends)
}

fn import(
    connection: &mut Connection,
    collection: &str,
    rows: impl Iterator<Item = String>,
) -> Result<(), Failure> {
    let path = format!("/_api/import?collection={collection}&type=documents");
    let mut rows = rows.peekable();
    while rows.peek().is_some() {
        let body: Vec<String> = rows.by_ref().take(ROWS_PER_REQUEST).collect();
        let reply = connection.expect_success(&request("POST", &path, "", body.join("\n").as_bytes()))?;
        if !String::from_utf8_lossy(reply).contains(r#""errors":0"#) {
            return Err(format!("import failed: {}", String::from_utf8_lossy(reply)).into());
        }
    }
    Ok(())
}
