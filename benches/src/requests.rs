//! Small requests on keep-alive connections, against a bare HTTP server that echoes a body of the
//! same size.

use crate::http::{Connection, JSON, request};
use crate::rate::{Make, Rate, TURNS, measure, median};
use crate::report::{Report, Target};
use crate::{Failure, Setup, servers};

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let server = setup.persea(folder.path(), &[])?;
    let limit = setup.http_limit.as_deref().map(servers::http_limit).transpose()?;
    let mut connection = Connection::open(server.port())?;
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
