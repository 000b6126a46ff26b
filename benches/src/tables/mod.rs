//! The tables of the posts that Persea began from: each prints one Markdown table and writes one
//! chart.
//!
//! They run only by name. `persea bench` makes data and requests, so that anyone can repeat a part
//! by hand.

mod batch;
mod cursor;
mod dump;
mod export;
mod scale;

use harness::Server;
use serde_json::Value;

use crate::tools::tool;
use crate::{Failure, Setup};

/// A name on the command line, which is also the chart's, and the function that it runs.
pub(crate) type Table = (&'static str, fn(&Setup) -> Result<chart::Chart, Failure>);

pub(crate) const TABLES: &[Table] = &[
    ("table-export", export::run),
    ("table-batch", batch::run),
    ("table-cursor", cursor::run),
    ("table-dump", dump::run),
    ("table-scale", scale::run),
];

/// Prints a table and writes its chart.
pub(crate) fn run((name, table): &Table, setup: &Setup) -> Result<(), Failure> {
    let path = setup.charts.join(format!("{name}.svg"));
    // Tried before hours of measuring, not after them.
    std::fs::write(&path, "").map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    let chart = table(setup)?;
    Ok(std::fs::write(path, chart.svg())?)
}

/// Documents that one import creates.
const IMPORTED: u64 = 1_000;

/// Fills a collection with about `documents` documents by a test case, `IMPORTED` at a time.
///
/// Returns their exact number.
fn seed(
    setup: &Setup,
    server: &Server,
    case: &str,
    collection: &str,
    documents: u64,
) -> Result<u64, Failure> {
    let size = IMPORTED.min(documents.max(1));
    let requests = documents.div_ceil(size);
    let (complexity, count) = (size.to_string(), requests.to_string());
    bench(
        setup,
        server,
        &["--test-case", case, "--collection", collection, "--complexity", &complexity, "--requests", &count],
    )?;
    Ok(requests * size)
}

/// Runs `persea bench` and returns its report.
fn bench(setup: &Setup, server: &Server, options: &[&str]) -> Result<Value, Failure> {
    let report = tempfile::NamedTempFile::new()?;
    let mut all = options.to_vec();
    let path = report.path().to_str().ok_or("the folder for temporary files has a strange name")?;
    all.extend(["--json-report-file", path, "--quiet", "true"]);
    tool(setup, server, "bench", &all)?;
    Ok(serde_json::from_slice(&std::fs::read(path)?)?)
}
