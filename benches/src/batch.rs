//! Inserts of documents with one attribute in batches, against the same inserts as single requests.

use crate::http::{Connection, JSON, request};
use crate::rate::{Make, Rate, TURNS, measure, median};
use crate::report::{Report, Target};
use crate::{Failure, Setup};

const MULTIPART: &str = "Content-Type: multipart/form-data; boundary=XXXsubpartXXX\r\n";

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let server = setup.persea(folder.path(), &[])?;
    let mut connection = Connection::open(server.port())?;
    connection.expect_success(&request("POST", "/_api/collection", JSON, br#"{"name":"docs"}"#))?;

    let single = |n: u64| request("POST", "/_api/document?collection=docs", JSON, document(n).as_bytes());
    let one = |n: u64| batch(n, 1);
    let many = |n: u64| batch(n, 64);
    for (connections, target) in [(1, 5.0), (16, 3.0)] {
        let kinds: [(Make<'_>, f64); 3] = [(&single, 1.0), (&one, 1.0), (&many, 64.0)];
        let mut rates: [Vec<Rate>; 3] = Default::default();
        for _ in 0..TURNS {
            for ((make, _), rates) in kinds.iter().zip(&mut rates) {
                rates.push(measure(&server, connections, *make)?);
            }
        }
        let documents = rates.map(|rates| median(rates).map_or(0.0, |rate| rate.per_second));
        let per_second = |kind: usize| documents[kind] * kinds[kind].1;
        let compare = |report: &mut Report, size: usize, kind: usize, target: f64| {
            let what = format!("batches of {size} inserts against single ones, {connections} connections");
            let ours = (per_second(kind), "documents/s");
            report.ratio(&what, ours, Some(per_second(0)), &Target::AtLeast(target));
        };
        compare(report, 1, 1, 0.9);
        compare(report, 64, 2, target);
    }
    Ok(())
}

fn document(n: u64) -> String {
    format!(r#"{{"value":{n}}}"#)
}

fn batch(n: u64, size: u64) -> Vec<u8> {
    let mut body = String::new();
    for position in 0..size {
        body.push_str("--XXXsubpartXXX\r\nContent-Type: application/x-arango-batchpart\r\n\r\n");
        body.push_str("POST /_api/document?collection=docs HTTP/1.1\r\n\r\n");
        body.push_str(&document(n * size + position));
        body.push_str("\r\n");
    }
    body.push_str("--XXXsubpartXXX--\r\n");
    request("POST", "/_api/batch", MULTIPART, body.as_bytes())
}
