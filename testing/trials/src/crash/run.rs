//! A run from the first start of the server to the last check.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use client::{Client, Request};
use fastrand::Rng;
use harness::{Launch, Server};
use serde_json::json;

use crate::crash::arguments::Arguments;
use crate::crash::copy::Copy;
use crate::crash::failing;
use crate::crash::follower::Follower;
use crate::crash::index::{self, INDEXES};
use crate::crash::observe::{self, ask};
use crate::crash::state::{Place, SHARED_COLLECTION, SHARED_DATABASE, State};
use crate::crash::torn;
use crate::crash::view;
use crate::crash::writer::Writer;

/// Maximum wait for a reply.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum time of a start that is killed as well.
const UNFINISHED_START: Duration = Duration::from_millis(60);

/// Bytes that the log may still grow by at most before writes of files fail.
const FAILING_ROOM: u64 = 20_000;

/// Kills between two messages about the progress.
const REPORTED: u32 = 50;

/// The statistics of a run.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) kills: u32,
    /// Kills of a server whose writes failed before.
    pub(crate) failing: u32,
    /// Kills after which the log lost its unsynced end.
    pub(crate) torn: u32,
    pub(crate) acknowledged: u64,
    /// Entries of the change log that were followed.
    pub(crate) changes: u64,
    /// The longest start after a kill.
    pub(crate) longest_start: Duration,
    /// Kills of the copy, if there is one.
    pub(crate) copy_kills: Option<u32>,
}

/// Kills the server again and again. Errors: text for the user.
pub(crate) fn run(arguments: &Arguments, folder: &Path) -> Result<Summary, String> {
    let begin = Instant::now();
    let mut run = Run::start(arguments, folder)?;
    let mut summary = Summary::default();
    while summary.kills < arguments.kills && arguments.time.is_none_or(|time| begin.elapsed() < time) {
        summary.kills += 1;
        run.round(&mut summary).map_err(|text| format!("at kill {}: {text}", summary.kills))?;
        summary.acknowledged = run.writers.iter().map(|writer| writer.acknowledged).sum();
        summary.changes = run.follower.changes();
        summary.copy_kills = run.copy.as_ref().map(|copy| copy.kills);
        if summary.kills.is_multiple_of(REPORTED) {
            println!("  {} kills, {} writes", summary.kills, summary.acknowledged);
        }
    }
    match run.launch.crashes().first() {
        Some(crash) => Err(format!("the log: {crash}")),
        None => Ok(summary),
    }
}

/// The server and its writers.
struct Run {
    launch: Launch,
    client: Client,
    server: Server,
    writers: Vec<Writer>,
    follower: Follower,
    /// A second server, which follows the first one.
    copy: Option<Copy>,
    /// The folder of the data.
    data: PathBuf,
    /// The maximum time from the first write to the kill.
    life: Duration,
    /// The shares of rounds with failing writes and with a torn log.
    shares: [f64; 2],
    rng: Rng,
}

impl Run {
    fn start(arguments: &Arguments, folder: &Path) -> Result<Self, String> {
        let options = ["--changes.log", "always", "--storage-engine", &arguments.engine].map(str::to_owned);
        let mut options = options.to_vec();
        if arguments.encrypted {
            let secret = folder.join("secret");
            std::fs::write(&secret, [7; 32]).map_err(|error| format!("{}: {error}", secret.display()))?;
            options.extend(["--rocksdb.encryption-keyfile".to_owned(), secret.display().to_string()]);
        }
        let launch = Launch::for_root(&arguments.common.server, folder, &options)?;
        let (client, server) = (launch.client(TIMEOUT)?, launch.start()?);
        let mut rng = Rng::with_seed(arguments.common.seed);
        create_shared(&client)?;
        let writers = (0..arguments.writers).map(|number| Writer::create(&client, number, rng.fork()));
        let writers = writers.collect::<Result<Vec<_>, _>>()?;
        let data = launch.data().to_owned();
        let mut shares = [arguments.failing, arguments.torn];
        if let Err(reason) = failing::limit(server.process(), &data, None) {
            println!("failed writes are not tested: {reason}");
            shares[0] = 0.0;
        }
        let follower = Follower::new();
        let copy = |killed| Copy::start(&arguments.common.server, folder, &launch, (killed, rng.fork()));
        let copy = arguments.copy.map(copy).transpose()?;
        Ok(Run { launch, client, server, writers, follower, copy, data, life: arguments.life, shares, rng })
    }

    /// Writes, makes a fault, kills the server, starts it again and checks it.
    fn round(&mut self, summary: &mut Summary) -> Result<(), String> {
        // Short lives are more frequent, so that beginnings are tested too.
        let life = self.life.mul_f64(self.rng.f64().powi(2));
        let chosen = self.rng.f64();
        let [failing, torn] = self.shares;
        if chosen < failing {
            self.write_and_fail(life)?;
            summary.failing += 1;
        } else {
            self.write_and_kill(life)?;
            if chosen < failing + torn {
                torn::tear(&self.data, &mut self.rng)?;
                self.writers.iter_mut().for_each(Writer::lose_unsynced);
                summary.torn += 1;
            }
        }
        if self.rng.u8(..4) == 0 {
            self.launch.start_and_kill(UNFINISHED_START.mul_f64(self.rng.f64()))?;
        }
        let start = Instant::now();
        self.server = self.launch.start()?;
        summary.longest_start = summary.longest_start.max(start.elapsed());
        self.check()?;
        self.follower.check(&self.client)?;
        if let Some(copy) = &mut self.copy {
            copy.check(&self.client, self.writers.len())?;
        }
        self.writers.iter_mut().for_each(Writer::decide);
        Ok(())
    }

    /// Lets the writers write for some time, and kills the server under them.
    fn write_and_kill(&mut self, life: Duration) -> Result<(), String> {
        let server = &mut self.server;
        let copy = &mut self.copy;
        write_until(&self.client, &mut self.writers, life, |_| {
            if let Some(copy) = copy {
                copy.disturb(life);
            }
            server.kill();
            Ok(())
        })
    }

    /// Lets the writers write for some time, then makes file writes fail, checks the reads that
    /// still work, and kills the server.
    fn write_and_fail(&mut self, life: Duration) -> Result<(), String> {
        let (server, room) = (&mut self.server, self.rng.u64(..FAILING_ROOM));
        write_until(&self.client, &mut self.writers, life, |is_failing| {
            is_failing.store(true, Ordering::Release);
            let limited = failing::limit(server.process(), &self.data, Some(room));
            if limited.is_err() {
                server.kill();
            }
            limited
        })?;
        if !self.server.is_alive() {
            return Err("the server has ended because a write failed".to_owned());
        }
        self.check().map_err(|text| format!("while writes fail: {text}"))?;
        failing::limit(self.server.process(), &self.data, None)?;
        self.check().map_err(|text| format!("after writes failed: {text}"))?;
        self.server.kill();
        Ok(())
    }

    /// Checks the states of all writers, and the collection that they share.
    fn check(&mut self) -> Result<(), String> {
        let client = &self.client;
        std::thread::scope(|scope| {
            join(self.writers.iter_mut().map(|writer| scope.spawn(|| writer.check(client))).collect())
        })?;
        let shared = observe::read_collection(client, &Place::shared(), None)?;
        index::check(client, &Place::shared(), &shared)?;
        let mut state = State::default();
        state.collections.insert(Place::shared(), Arc::new(shared));
        observe::read_views(client, SHARED_DATABASE, &mut state)?;
        view::check(client, SHARED_DATABASE, &state)
    }
}

/// Creates the collection that all writers share, with every index and a view.
fn create_shared(client: &Client) -> Result<(), String> {
    ask(client, &Request::post("/_api/database").json(json!({"name": SHARED_DATABASE}).to_string()))?;
    let post = |path| Request::post(path).database(SHARED_DATABASE);
    ask(client, &post("/_api/collection").json(json!({"name": SHARED_COLLECTION}).to_string()))?;
    for index in INDEXES {
        let request = post("/_api/index").query("collection", SHARED_COLLECTION);
        ask(client, &request.json(index.definition().to_string()))?;
    }
    let mut definition = view::definition("all");
    definition["links"][SHARED_COLLECTION] = view::link();
    ask(client, &post("/_api/view").json(definition.to_string()))?;
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
        // The moment of the end is random.
        std::thread::sleep(life);
        let ended = end(is_failing);
        join(threads)?;
        ended
    })
}

fn join(threads: Vec<std::thread::ScopedJoinHandle<'_, Result<(), String>>>) -> Result<(), String> {
    let results =
        threads.into_iter().map(|thread| thread.join().map_err(|_| "a writer panicked".to_owned())?);
    results.collect()
}
