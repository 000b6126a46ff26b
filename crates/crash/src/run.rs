//! A run from the first start of the server to the last check.

use std::path::Path;
use std::time::{Duration, Instant};

use client::{Client, Request};
use fastrand::Rng;
use serde_json::json;
use server_process::{Launch, Server};

use crate::arguments::Arguments;
use crate::index::{self, INDEXES};
use crate::observe::{self, ask};
use crate::state::{Place, SHARED_COLLECTION, SHARED_DATABASE};
use crate::writer::Writer;

/// Longest wait for a reply.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Longest time of a start that is killed as well.
const UNFINISHED_START: Duration = Duration::from_millis(60);

/// Kills between two messages about the progress.
const REPORTED: u32 = 50;

/// The figures of a run.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) kills: u32,
    pub(crate) acknowledged: u64,
    /// The longest start after a kill.
    pub(crate) longest_start: Duration,
}

/// Kills the server again and again. Errors: text for the user.
pub(crate) fn run(arguments: &Arguments, folder: &Path) -> Result<Summary, String> {
    let begin = Instant::now();
    let launch = Launch::new(&arguments.server, folder, Vec::new())?;
    let client = launch.client(TIMEOUT)?;
    let mut rng = Rng::with_seed(arguments.seed);
    let mut server = launch.start()?;
    create_shared(&client)?;
    let writers = (0..arguments.writers).map(|number| Writer::create(&client, number, rng.fork()));
    let mut writers = writers.collect::<Result<Vec<_>, _>>()?;
    let mut summary = Summary { kills: 0, acknowledged: 0, longest_start: Duration::ZERO };
    while summary.kills < arguments.kills && arguments.time.is_none_or(|time| begin.elapsed() < time) {
        // Short lives are more frequent, so that beginnings are tested too.
        let life = arguments.life.mul_f64(rng.f64().powi(2));
        write_and_kill(&client, &mut writers, &mut server, life)?;
        if rng.u8(..4) == 0 {
            launch.start_and_kill(UNFINISHED_START.mul_f64(rng.f64()))?;
        }
        let start = Instant::now();
        server = launch.start()?;
        summary.longest_start = summary.longest_start.max(start.elapsed());
        summary.kills += 1;
        check(&client, &mut writers).map_err(|text| format!("after kill {}: {text}", summary.kills))?;
        summary.acknowledged = writers.iter().map(|writer| writer.acknowledged).sum();
        if summary.kills.is_multiple_of(REPORTED) {
            println!("  {} kills, {} writes", summary.kills, summary.acknowledged);
        }
    }
    match launch.crashes().first() {
        Some(crash) => Err(format!("the log: {crash}")),
        None => Ok(summary),
    }
}

/// Creates the collection that all writers share, with every index.
fn create_shared(client: &Client) -> Result<(), String> {
    ask(client, &Request::post("/_api/database").json(json!({"name": SHARED_DATABASE}).to_string()))?;
    let post = |path| Request::post(path).database(SHARED_DATABASE);
    ask(client, &post("/_api/collection").json(json!({"name": SHARED_COLLECTION}).to_string()))?;
    for index in INDEXES {
        let request = post("/_api/index").query("collection", SHARED_COLLECTION);
        ask(client, &request.json(index.definition().to_string()))?;
    }
    Ok(())
}

/// Lets the writers write for some time, and kills the server under them.
fn write_and_kill(
    client: &Client,
    writers: &mut [Writer],
    server: &mut Server,
    life: Duration,
) -> Result<(), String> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = writers.iter_mut().map(|writer| scope.spawn(|| writer.write(client))).collect();
        std::thread::sleep(life);
        server.kill();
        join(threads)
    })
}

/// Checks the states of all writers, and the collection that they share.
fn check(client: &Client, writers: &mut [Writer]) -> Result<(), String> {
    std::thread::scope(|scope| {
        join(writers.iter_mut().map(|writer| scope.spawn(|| writer.check(client))).collect())
    })?;
    let shared = observe::read_collection(client, &Place::shared(), None)?;
    index::check(client, &Place::shared(), &shared)
}

fn join(threads: Vec<std::thread::ScopedJoinHandle<'_, Result<(), String>>>) -> Result<(), String> {
    let results =
        threads.into_iter().map(|thread| thread.join().map_err(|_| "a writer panicked".to_owned())?);
    results.collect()
}
