//! Dump and restore of many collections and of a social network, by number of threads.

use std::path::Path;
use std::time::Instant;

use chart::{Chart, Panel, Series};
use harness::Server;

use crate::http::{Connection, request};
use crate::markdown::{count, figure, header, row};
use crate::servers::settle;
use crate::{Failure, Setup};

/// The full sizes. Collections and the documents in each shrink alike; a social network loses
/// people.
const COLLECTIONS: f64 = 200.0;
const DOCUMENTS: f64 = 200_000.0;
const PEOPLE: f64 = 1_600_000.0;

const THREADS: [u64; 4] = [1, 2, 4, 16];

pub(super) fn run(setup: &Setup) -> Result<Chart, Failure> {
    header(&[
        "data",
        "threads",
        "dump, s",
        "restore, s",
        "dump: times one thread",
        "restore: times one thread",
        "restore to dump",
    ]);
    let side = setup.scale.sqrt();
    let (collections, documents) =
        ((COLLECTIONS * side).max(1.0) as u64, (DOCUMENTS * side).max(100.0) as u64);
    let many = |server: &Server| -> Result<String, Failure> {
        let mut count_of_each = 0;
        for number in 0..collections {
            count_of_each =
                super::seed(setup, server, "seed-documents", &format!("docs{number}"), documents)?;
        }
        Ok(format!("{} collections of {} documents", count(collections), count(count_of_each)))
    };
    let network = |server: &Server| -> Result<String, Failure> {
        let people = (PEOPLE * setup.scale).max(100.0) as u64;
        let people = super::seed(setup, server, "seed-vertices", "people", people)?;
        super::seed(setup, server, "seed-edges", "people", people)?;
        let path = "/_api/collection/people_edges/count";
        let mut connection = Connection::open(server.port())?;
        let reply: serde_json::Value =
            serde_json::from_slice(connection.expect_success(&request("GET", path, "", b""))?)?;
        let edges = reply["count"].as_u64().unwrap_or(0);
        Ok(format!("social network of {} people, {} edges", count(people), count(edges)))
    };
    let panels = vec![panel(setup, &many)?, panel(setup, &network)?];
    Ok(Chart { title: "Dump and restore".to_owned(), panels })
}

fn panel(setup: &Setup, fill: &dyn Fn(&Server) -> Result<String, Failure>) -> Result<Panel, Failure> {
    let folder = tempfile::tempdir()?;
    let server = setup.persea(&folder.path().join("data"), &[])?;
    let title = fill(&server)?;
    let mut times = Vec::new();
    for threads in THREADS {
        let (dump, restore) = round_trip(setup, &server, &folder.path().join("dump"), threads)?;
        times.push((dump, restore));
        let (first_dump, first_restore) = times.first().copied().unwrap_or((dump, restore));
        row(&[
            title.clone(),
            threads.to_string(),
            figure(dump),
            figure(restore),
            figure(first_dump / dump),
            figure(first_restore / restore),
            figure(restore / dump),
        ]);
    }
    let (dumps, restores) = times.iter().map(|(dump, restore)| (Some(*dump), Some(*restore))).unzip();
    Ok(Panel {
        title,
        x_title: "threads".to_owned(),
        y_title: "seconds".to_owned(),
        places: THREADS.iter().map(u64::to_string).collect(),
        series: vec![
            Series { name: "dump".to_owned(), values: dumps },
            Series { name: "restore".to_owned(), values: restores },
        ],
        is_logarithmic: false,
    })
}

/// Returns the seconds of a dump, and of its restore into an empty database, which is dropped
/// afterwards.
fn round_trip(setup: &Setup, server: &Server, dump: &Path, threads: u64) -> Result<(f64, f64), Failure> {
    let (folder, threads) =
        (dump.to_str().ok_or("the temporary folder has a strange name")?, threads.to_string());
    settle(server);
    let start = Instant::now();
    let options = ["--output-directory", folder, "--overwrite", "true", "--threads", &threads];
    crate::tools::tool(setup, server, "dump", &options)?;
    let dumped = start.elapsed();
    settle(server);
    let start = Instant::now();
    let mut options = vec!["--input-directory", folder, "--threads", &threads];
    options.extend(["--server.database", "restored", "--create-database", "true"]);
    crate::tools::tool(setup, server, "restore", &options)?;
    let restored = start.elapsed();
    let drop = request("DELETE", "/_api/database/restored", "", b"");
    Connection::open(server.port())?.expect_success(&drop)?;
    std::fs::remove_dir_all(dump)?;
    Ok((dumped.as_secs_f64(), restored.as_secs_f64()))
}
