//! A run from the start of the server to the verdict.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use client::Client;
use fastrand::Rng;
use harness::Servers;
use harness::cluster::{Cluster, Fault, Outage};
use harness::requests::Failure;

use crate::histories::arguments::Arguments;
use crate::histories::database::Database;
use crate::histories::history::{Key, Operation, Outcome, Transaction};
use crate::histories::worker::{Shared, Worker};

/// Maximum wait for a reply.
const TIMEOUT: Duration = Duration::from_secs(60);

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
    let shared = Shared::new(arguments.kills + arguments.outages > 0);
    let mut rng = Rng::with_seed(arguments.common.seed);
    let mut history = work(arguments, cluster.as_ref(), &mut servers, &clients, &shared, &mut rng)?;
    if shared.has_faults {
        (0..servers.len()).try_for_each(|number| servers.restart(number))?;
    }
    history.push(last_read(first, &shared, arguments.clients)?);
    let mut failures = shared.failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    failures.extend(servers.crashes().into_iter().map(|crash| format!("the log: {crash}")));
    Ok(Run { history, failures })
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
    cluster: Option<&Cluster>,
    servers: &mut Servers,
    clients: &[Client],
    shared: &Shared,
    rng: &mut Rng,
) -> Result<Vec<Transaction>, String> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..arguments.clients)
            .map(|number| {
                let worker = Worker::new(number, clients, shared, rng.fork());
                scope.spawn(move || worker.run())
            })
            .collect();
        let disturbed = disturb(arguments, cluster, servers, rng);
        shared.is_over.store(true, Ordering::Relaxed);
        let histories = workers.into_iter().map(|worker| worker.join());
        let histories: Result<Vec<_>, _> = histories.collect();
        disturbed?;
        histories.map(|histories| histories.concat()).map_err(|_| "a client panicked".to_owned())
    })
}

/// Waits until the time is over. Injects faults at random moments, one after another.
fn disturb(
    arguments: &Arguments,
    cluster: Option<&Cluster>,
    servers: &mut Servers,
    rng: &mut Rng,
) -> Result<(), String> {
    let mut events = vec![Event::Kill; arguments.kills as usize];
    events.resize(events.len() + arguments.outages as usize, Event::Outage);
    rng.shuffle(&mut events);
    let part = arguments.time / (events.len() as u32 + 1);
    for event in events {
        let share = rng.f64();
        // Faults come at random moments, and the clients work between them.
        std::thread::sleep(part.mul_f64(share));
        match (event, cluster) {
            (Event::Outage, Some(cluster)) => {
                Outage::choose(cluster, &Fault::ALL, rng)?.make(cluster, rng)?;
                cluster.wait_until_healthy()?;
            }
            _ => servers.restart(rng.usize(..servers.len()))?,
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
        let database = Database::new(client).begin(false)?;
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
    Ok(Transaction { client: number, begin, end, operations, refused, outcome })
}
