//! Start-up time and memory: idle, and while loading and exporting under a small memory limit.

use std::time::Duration;

use crate::http::{Connection, request};
use crate::import::load;
use crate::report::{Report, Target};
use crate::{Failure, Setup};

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let server = setup.persea(folder.path(), &[])?;
    report.figure(
        "start on an empty folder",
        server.start_time().as_secs_f64() * 1e3,
        "ms",
        &Target::AtMost(100.0),
    );
    // The server has come to rest after this time.
    std::thread::sleep(Duration::from_secs(2));
    report.figure(
        "idle, resident",
        server.process().memory().unwrap_or_default().resident as f64 / 1e6,
        "MB",
        &Target::AtMost(40.0),
    );
    drop(server);

    let documents = setup.documents(5_000_000);
    let folder = tempfile::tempdir()?;
    let server = setup.persea(folder.path(), &["--memory-limit", "512MB"])?;
    load(&server, "docs", documents)?;
    let export = request("POST", "/_api/export?collection=docs", "Accept: application/x-ndjson\r\n", b"");
    Connection::open(server.port())?.count_stream(&export)?;
    let what = format!("--memory-limit 512MB, loading and exporting {documents} documents: most resident");
    report.figure(
        &what,
        server.process().memory().unwrap_or_default().peak as f64 / 1e6,
        "MB",
        &Target::AtMost(600.0),
    );
    Ok(())
}
