//! The waits of a small client while the server does large work for others.
//!
//! The client reads documents by key, inserts single ones, asks `RETURN 1` and counts a large
//! collection. A clock without requests shows the waits that the machine itself causes.

mod client;
mod work;

use std::time::Instant;

use harness::Server;

use client::{KINDS, watch};
use work::{Scene, WORKS};

use crate::documents::{self, Progress};
use crate::http::{Connection, JSON, request};
use crate::markdown::{figure, header, row};
use crate::{Failure, Setup, import};

/// The 99th percentile that no request of the client may exceed, in milliseconds.
const P99_MS: f64 = 10.0;

/// Documents that are there before the large work begins.
const SMALL: u64 = 20_000;

pub(crate) fn run(setup: &Setup) -> Result<(), Failure> {
    let documents = setup.documents(10_000_000);
    let folder = tempfile::tempdir()?;
    let server = setup.persea(&folder.path().join("data"), &["--memory-limit", "2GiB"])?;
    prepare(&server)?;
    let progress = Progress::default();
    let scene = Scene { setup, server: &server, folder: folder.path(), documents, progress: &progress };
    let mut columns = vec!["work", "s"];
    columns.extend(KINDS.iter().map(|kind| kind.title()));
    columns.extend(["p99 to reach", ""]);
    header(&columns);
    for (name, prepare, work) in WORKS {
        prepare(&scene)?;
        let begin = Instant::now();
        let waits = watch(&scene, || work(&scene))?;
        let mut cells = vec![(*name).to_owned(), figure(begin.elapsed().as_secs_f64())];
        cells.extend(waits.iter().map(|waits| format!("{} / {}", figure(waits.p99), figure(waits.most))));
        let is_reached = waits.iter().skip(1).all(|waits| waits.p99 <= P99_MS);
        cells.push(format!("≤ {P99_MS} ms"));
        cells.push(if is_reached { "reached" } else { "**missed**" }.to_owned());
        row(&cells);
    }
    Ok(())
}

/// Makes the collections, so that no request of the client fails before the load.
fn prepare(server: &Server) -> Result<(), Failure> {
    import::create(server, "docs")?;
    import::create(server, "written")?;
    import::create(server, "small")?;
    documents::load(server, "small", SMALL, &Progress::default())?;
    let database = br#"{"name":"restored"}"#;
    Connection::open(server.port())?.expect_success(&request("POST", "/_api/database", JSON, database))?;
    Ok(())
}
