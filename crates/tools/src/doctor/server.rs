//! The server: its metrics, its clock, and the password of `root`.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use client::{Client, ClientOptions, Credentials, Request};
use velocypack::Slice;

use super::{Finding, size};

/// Seconds by which two clocks may differ: tokens of the one are then still valid at the other.
const CLOCK_TOLERANCE_SECONDS: f64 = 5.0;

/// Seconds after which a snapshot keeps much of what was deleted.
const SNAPSHOT_SECONDS_MAX: f64 = 3_600.0;

/// Bytes of pending compaction from which reads and writes slow down.
const PENDING_BYTES_MAX: f64 = 64.0 * (1_u64 << 30) as f64;

/// The share of memory or descriptors in use that leaves too little.
const USE_MAX: f64 = 0.9;

/// Asks a server for its metrics.
pub(super) fn look(client: &Client) -> Vec<Finding> {
    let mut findings = vec![clock(client), password(client)];
    match metrics(client) {
        Ok(metrics) => findings.extend(figures(&metrics)),
        Err(error) => findings.push(Finding::doubtful(format!("metrics: {error}"))),
    }
    findings
}

fn clock(client: &Client) -> Finding {
    let ask = || {
        let reply = client.call(&Request::get("/_admin/time")).ok()?.value().ok()?;
        Slice::new(&reply).get("time")?.as_f64()
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    match ask() {
        None => Finding::doubtful("server clock: it cannot be read"),
        Some(time) if (time - now).abs() > CLOCK_TOLERANCE_SECONDS => Finding::bad(format!(
            "server clock: it differs by {:.0} s from this machine's; set both",
            (time - now).abs()
        )),
        Some(_) => Finding::good("server clock: it agrees with this machine's"),
    }
}

/// Tries the empty password.
fn password(client: &Client) -> Finding {
    let credentials = Credentials::Basic { user: "root".to_owned(), password: String::new() };
    let given = client.options();
    if matches!(&given.credentials, Credentials::Basic { user, password } if user == "root" && !password.is_empty())
    {
        return Finding::good("password of root: it is not empty");
    }
    let anonymous = ClientOptions { credentials: Credentials::None, ..given.clone() };
    let empty = ClientOptions { credentials, ..given.clone() };
    let answers = |options| {
        let reply = Client::new(options).and_then(|client| client.call(&Request::get("/_api/version")));
        reply.is_ok()
    };
    if answers(anonymous) {
        return Finding::doubtful("authentication: it is off; every client can read and write everything");
    }
    match answers(empty) {
        true => Finding::bad(
            "password of root: it is empty; set one (`persea shell`, then `require('@arangodb/users')`)",
        ),
        false => Finding::good("password of root: it is not empty"),
    }
}

/// Reads the metrics without labels.
fn metrics(client: &Client) -> client::Result<HashMap<String, f64>> {
    let reply = client.call(&Request::get("/_admin/metrics/v2"))?;
    let text = String::from_utf8_lossy(reply.body()).into_owned();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let values = lines.filter_map(|line| {
        let (name, value) = line.split_once(' ')?;
        Some((name.to_owned(), value.trim().parse().ok()?))
    });
    Ok(values.collect())
}

fn figures(metrics: &HashMap<String, f64>) -> Vec<Finding> {
    let value = |name: &str| metrics.get(name).copied().unwrap_or(0.0);
    let share = |part: &str, whole: &str| value(part) / value(whole).max(1.0);
    let (resident, limit) =
        (value("arangodb_process_statistics_resident_set_size"), value("persea_memory_limit_bytes"));
    let memory = format!("server memory: {} of {}", size(resident as u64), size(limit as u64));
    let mut findings = vec![match resident > limit * USE_MAX {
        true => Finding::doubtful(format!("{memory}; queries may be refused soon: raise --memory-limit")),
        false => Finding::good(memory),
    }];
    let mut check = |is_well: bool, name: &str, advice: &str| {
        findings.push(match is_well {
            true => Finding::good(format!("{name}: none")),
            false => Finding::bad(format!("{name}: {advice}")),
        });
    };
    check(
        value("rocksdb_background_errors") == 0.0,
        "background errors of the store",
        "see the file LOG in the data folder; writes may be rejected",
    );
    check(
        value("rocksdb_dropped_log_bytes") + value("mmfiles_dropped_log_bytes") == 0.0,
        "bytes of the write-ahead log dropped by the last start",
        "the server's log names the file; restore a backup if you need the data",
    );
    check(
        value("rocksdb_estimate_pending_compaction_bytes") < PENDING_BYTES_MAX,
        "pending compactions",
        "writes arrive faster than the disk can handle; use a faster disk or raise --rocksdb.max-background-jobs",
    );
    check(
        value("persea_oldest_snapshot_seconds") < SNAPSHOT_SECONDS_MAX,
        "snapshots older than an hour",
        "a cursor, dump or transaction keeps deleted data: find it in /_api/query/current or /_api/transaction",
    );
    check(
        share("arangodb_file_descriptors_current", "arangodb_file_descriptors_limit") < USE_MAX,
        "file descriptor shortage",
        "connections will be refused; raise the limit (LimitNOFILE=)",
    );
    check(
        value("arangodb_scheduler_queue_full_failures_total") == 0.0,
        "requests rejected because the queue was full",
        "the load exceeds the capacity of the server",
    );
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn bad_metrics_are_found() {
        let metrics =
            |pairs: &[(&str, f64)]| pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let bad = |pairs: &[(&str, f64)]| {
            let findings = figures(&metrics(pairs));
            findings
                .into_iter()
                .filter(|finding| finding.state != State::Good)
                .map(|finding| finding.text)
                .collect::<Vec<_>>()
        };
        let limit = ("persea_memory_limit_bytes", 1e9);
        assert!(bad(&[limit]).is_empty());
        assert!(bad(&[limit, ("rocksdb_background_errors", 1.0)])[0].starts_with("background errors"));
        assert!(
            bad(&[limit, ("arangodb_process_statistics_resident_set_size", 1e9)])[0]
                .starts_with("server memory")
        );
        assert!(bad(&[limit, ("persea_oldest_snapshot_seconds", 1e4)])[0].starts_with("snapshots"));
    }
}
