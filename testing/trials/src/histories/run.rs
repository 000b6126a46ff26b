//! A run from the start of the server to the verdict.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use client::Client;
use fastrand::Rng;
use harness::cluster::{Cluster, Fault, Outage};
use harness::requests::Failure;
use harness::{Follower, Servers};

use crate::histories::arguments::Arguments;
use crate::histories::database::Database;
use crate::histories::history::{Key, Operation, Outcome, Transaction};
use crate::histories::reader::Reader;
use crate::histories::worker::{Shared, Worker};

/// Maximum wait for a reply.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The clients that read at each follower.
const READERS: usize = 2;

/// The history of a run, and the failures of the server.
pub(crate) struct Run {
    pub(crate) history: Vec<Transaction>,
    pub(crate) failures: Vec<String>,
}

/// Runs transactions. Errors: text for the user, if the server does not start or cannot be read.
pub(crate) fn run(arguments: &Arguments) -> Result<Run, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
    let cluster = start_cluster(arguments, folder.path())?;
    let options = options(arguments, cluster.as_ref());
    let mut servers = Servers::start(&arguments.common.server, folder.path(), arguments.servers, &options)?;
    let clients = servers.clients(TIMEOUT)?;
    let first = clients.first().ok_or("there is no server")?;
    Database::new(first).create().map_err(|failure| failure.to_string())?;
    let mut followers = start_followers(arguments, &servers, folder.path(), &options)?;
    // Collections are complete from now on: a first copy shows them one after another.
    followers.iter().try_for_each(|follower| follower.wait(first))?;
    let shared = Shared::new(arguments.kills + arguments.outages > 0);
    let mut rng = Rng::with_seed(arguments.common.seed);
    let mut processes =
        Processes { cluster: cluster.as_ref(), servers: &mut servers, followers: &mut followers };
    let mut history = work(arguments, &mut processes, &clients, &shared, &mut rng)?;
    if shared.has_faults {
        (0..processes.len()).try_for_each(|number| processes.restart(number))?;
    }
    let number = arguments.clients + READERS * followers.len();
    history.push(last_read(first, &shared, number)?);
    for follower in &followers {
        follower.wait(first)?;
        history.push(last_read(follower.client(), &shared, number)?);
    }
    let mut failures = shared.failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    let crashes = servers.crashes().into_iter().chain(followers.iter().flat_map(Follower::crashes));
    failures.extend(crashes.map(|crash| format!("the log: {crash}")));
    Ok(Run { history, failures })
}

/// The processes of a run.
struct Processes<'a> {
    cluster: Option<&'a Cluster>,
    servers: &'a mut Servers,
    followers: &'a mut [Follower],
}

impl Processes<'_> {
    /// Returns the number of servers and followers.
    fn len(&self) -> usize {
        self.servers.len() + self.followers.len()
    }

    /// Kills a server or follower and starts it again. Errors: text for the user.
    fn restart(&mut self, number: usize) -> Result<(), String> {
        match number.checked_sub(self.servers.len()).and_then(|number| self.followers.get_mut(number)) {
            None => self.servers.restart(number),
            Some(follower) => {
                follower.kill();
                follower.begin()
            }
        }
    }
}

fn start_followers(
    arguments: &Arguments,
    servers: &Servers,
    folder: &Path,
    options: &[String],
) -> Result<Vec<Follower>, String> {
    let leader = *servers.addresses().first().ok_or("there is no server")?;
    let start = |number| {
        let folder = folder.join(format!("follower-{number}"));
        Follower::start(&arguments.common.server, &folder, (leader, TIMEOUT), options)
    };
    (0..arguments.followers).map(start).collect()
}

fn start_cluster(arguments: &Arguments, folder: &Path) -> Result<Option<Cluster>, String> {
    let start = |stores| Cluster::start(&folder.join("cluster"), arguments.port, stores);
    arguments.stores.map(start).transpose()
}

/// Returns the options of each server.
fn options(arguments: &Arguments, cluster: Option<&Cluster>) -> Vec<String> {
    let pd = cluster.map(Cluster::pd).or_else(|| arguments.pd.clone());
    match &pd {
        None => vec!["--storage-engine".to_owned(), arguments.engine.clone()],
        Some(pd) => {
            // Other runs in the same cluster do not meet this one.
            let prefix = format!("histories-{}-{}", arguments.common.seed, std::process::id());
            let words = ["--storage-engine", "tikv", "--tikv.pd", pd, "--tikv.prefix", &prefix];
            words.map(str::to_owned).to_vec()
        }
    }
}

/// Something that happens during a run.
#[derive(Clone, Copy)]
enum Event {
    Kill,
    Outage,
}

/// Lets the clients work, and injects faults concurrently.
fn work(
    arguments: &Arguments,
    processes: &mut Processes<'_>,
    clients: &[Client],
    shared: &Shared,
    rng: &mut Rng,
) -> Result<Vec<Transaction>, String> {
    let copies: Vec<Client> = processes.followers.iter().map(|follower| follower.client().clone()).collect();
    std::thread::scope(|scope| {
        let mut workers: Vec<_> = (0..arguments.clients)
            .map(|number| {
                let worker = Worker::new(number, clients, shared, rng.fork());
                scope.spawn(move || worker.run())
            })
            .collect();
        workers.extend((0..copies.len() * READERS).map(|place| {
            let (number, follower) = (arguments.clients + place, place / READERS);
            let reader = Reader { number, follower, client: &copies[follower], shared, rng: rng.fork() };
            scope.spawn(move || reader.run())
        }));
        let disturbed = disturb(arguments, processes, rng);
        shared.is_over.store(true, Ordering::Relaxed);
        let histories = workers.into_iter().map(|worker| worker.join());
        let histories: Result<Vec<_>, _> = histories.collect();
        disturbed?;
        histories.map(|histories| histories.concat()).map_err(|_| "a client panicked".to_owned())
    })
}

/// Waits until the time is over. Injects faults at random moments, one after another.
fn disturb(arguments: &Arguments, processes: &mut Processes<'_>, rng: &mut Rng) -> Result<(), String> {
    let mut events = vec![Event::Kill; arguments.kills as usize];
    events.resize(events.len() + arguments.outages as usize, Event::Outage);
    rng.shuffle(&mut events);
    let part = arguments.time / (events.len() as u32 + 1);
    for event in events {
        let share = rng.f64();
        // Faults come at random moments, and the clients work between them.
        std::thread::sleep(part.mul_f64(share));
        match (event, processes.cluster) {
            (Event::Outage, Some(cluster)) => {
                Outage::choose(cluster, &Fault::ALL, rng)?.make(cluster, rng)?;
                cluster.wait_until_healthy()?;
            }
            _ => processes.restart(rng.usize(..processes.len()))?,
        }
        std::thread::sleep(part.mul_f64(1.0 - share));
    }
    std::thread::sleep(part);
    Ok(())
}

/// Reads all objects twice in one transaction: by a scan and by the index.
fn last_read(client: &Client, shared: &Shared, number: usize) -> Result<Transaction, String> {
    let begin = shared.start.elapsed();
    let read = || {
        let database = Database::new(client).begin_reading()?;
        let found = [database.read_all(false)?, database.read_all(true)?];
        database.commit()?;
        Ok(found)
    };
    let found = read().map_err(|failure: Failure| format!("the last read: {failure}"))?;
    let mut operations = Vec::new();
    for objects in found {
        let objects: BTreeMap<Key, Vec<u64>> = objects.into_iter().collect();
        let keys = (0..shared.objects()).flat_map(|number| [Key::List(number), Key::Register(number)]);
        operations.extend(keys.map(|key| {
            let values = objects.get(&key).cloned().unwrap_or_default();
            Operation::Read { key, values }
        }));
    }
    let (outcome, refused, end) = (Outcome::Committed, Vec::new(), shared.start.elapsed());
    Ok(Transaction { client: number, follower: None, begin, end, operations, refused, outcome })
}
