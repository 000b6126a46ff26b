//! Rates of bare RocksDB, read from the output of `kv-limit`.

use std::collections::HashMap;
use std::process::Command;

use crate::{Failure, Setup};

/// Reads rows per second by the name of the test, such as `scan-read-all` or `load-1000`.
///
/// The result is empty without the program.
pub(crate) fn rocksdb(setup: &Setup, rows: u64, only: &str) -> Result<HashMap<String, f64>, Failure> {
    let Some(program) = &setup.kv_limit else { return Ok(HashMap::new()) };
    let folder = tempfile::tempdir()?;
    let output = Command::new(program)
        .args([
            "rocks",
            "--rows",
            &rows.to_string(),
            "--value",
            "150",
            "--secs",
            "2",
            "--only",
            only,
            "--dir",
        ])
        .arg(folder.path())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut rates: HashMap<String, f64> = HashMap::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        // engine, test, threads, batch, rows/s, ...; one thread only, and the best of the
        // repetitions.
        if let [_, test, "1", batch, rate, ..] = fields[..] {
            let rate = rate.parse().unwrap_or(0.0);
            for name in [test.to_owned(), format!("{test}/{batch}")] {
                let best = rates.entry(name).or_insert(rate);
                *best = best.max(rate);
            }
        }
    }
    if rates.is_empty() {
        return Err(format!("kv-limit printed no rates: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(rates)
}
