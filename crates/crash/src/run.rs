//! A run from the first start of the server to the last check.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use client::{Client, Request};
use fastrand::Rng;
use serde_json::json;
use server_process::{Launch, Server};

use crate::arguments::Arguments;
use crate::failing;
use crate::index::{self, INDEXES};
use crate::observe::{self, ask};
use crate::state::{Place, SHARED_COLLECTION, SHARED_DATABASE};
use crate::writer::Writer;

/// Longest wait for a reply.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Longest time of a start that is killed as well.
const UNFINISHED_START: Duration = Duration::from_millis(60);

/// Bytes that the log may still grow by at most before writes of files fail.
const FAILING_ROOM: u64 = 20_000;

/// Kills between two messages about the progress.
const REPORTED: u32 = 50;

/// The figures of a run.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) kills: u32,
    /// Kills of a server whose writes failed before.
    pub(crate) failing: u32,
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
    let data = folder.join("data");
    let failing = failing::limit(server.process(), &data, None).map_or_else(
        |reason| {
            println!("failed writes are not tested: {reason}");
            0.0
        },
        |()| arguments.failing,
    );
    let mut summary = Summary { kills: 0, failing: 0, acknowledged: 0, longest_start: Duration::ZERO };
    while summary.kills < arguments.kills && arguments.time.is_none_or(|time| begin.elapsed() < time) {
        // Short lives are more frequent, so that beginnings are tested too.
        let life = arguments.life.mul_f64(rng.f64().powi(2));
        if rng.f64() < failing {
            let room = rng.u64(..FAILING_ROOM);
            write_and_fail(&client, &mut writers, &mut server, life, (&data, room))?;
            summary.failing += 1;
        } else {
            write_and_kill(&client, &mut writers, &mut server, life)?;
        }
        if rng.u8(..4) == 0 {
            launch.start_and_kill(UNFINISHED_START.mul_f64(rng.f64()))?;
        }
        let start = Instant::now();
        server = launch.start()?;
        summary.longest_start = summary.longest_start.max(start.elapsed());
        summary.kills += 1;
        check(&client, &mut writers).map_err(|text| format!("after kill {}: {text}", summary.kills))?;
        writers.iter_mut().for_each(Writer::decide);
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
    write_until(client, writers, life, |_| {
        server.kill();
        Ok(())
    })
}

/// Lets the writers write for some time, then lets writes of files fail, and kills the server after
/// checks of what it still reads.
fn write_and_fail(
    client: &Client,
    writers: &mut [Writer],
    server: &mut Server,
    life: Duration,
    (data, room): (&Path, u64),
) -> Result<(), String> {
    let process = server.process();
    write_until(client, writers, life, |is_failing| {
        is_failing.store(true, Ordering::Release);
        let limited = failing::limit(process, data, Some(room));
        if limited.is_err() {
            server.kill();
        }
        limited
    })?;
    if !server.is_alive() {
        return Err("the server has ended because a write failed".to_owned());
    }
    check(client, writers).map_err(|text| format!("while writes fail: {text}"))?;
    failing::limit(process, data, None)?;
    check(client, writers).map_err(|text| format!("after writes failed: {text}"))?;
    server.kill();
    Ok(())
}

/// Lets the writers write, and `end` it after some time. `end` sets the flag if writes then fail.
fn write_until(
    client: &Client,
    writers: &mut [Writer],
    life: Duration,
    end: impl FnOnce(&AtomicBool) -> Result<(), String>,
) -> Result<(), String> {
    let is_failing = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        let threads = writers.iter_mut().map(|writer| scope.spawn(move || writer.write(client, is_failing)));
        let threads: Vec<_> = threads.collect();
        std::thread::sleep(life);
        let ended = end(is_failing);
        join(threads)?;
        ended
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
