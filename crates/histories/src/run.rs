//! A run from the start of the server to the verdict.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use client::Client;
use fastrand::Rng;

use crate::arguments::Arguments;
use crate::database::Database;
use crate::history::{Key, Operation, Outcome, Transaction};
use crate::servers::Servers;
use crate::worker::{Shared, Worker};

/// The history of a run, and the failures of the server besides.
pub(crate) struct Run {
    pub(crate) history: Vec<Transaction>,
    pub(crate) failures: Vec<String>,
}

/// Runs transactions. Errors: text for the user, if the server does not start or cannot be read.
pub(crate) fn run(arguments: &Arguments) -> Result<Run, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
    let mut servers = Servers::start(arguments, folder.path())?;
    let clients = servers.clients()?;
    let first = clients.first().ok_or("there is no server")?;
    Database::new(first).create().map_err(|failure| failure.to_string())?;
    let shared = Shared::new(arguments.kills > 0);
    let mut rng = Rng::with_seed(arguments.seed);
    let mut history = work(arguments, &mut servers, &clients, &shared, &mut rng)?;
    if arguments.kills > 0 {
        (0..servers.len()).try_for_each(|number| servers.restart(number))?;
    }
    history.push(last_read(first, &shared, arguments.clients)?);
    let mut failures = shared.failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    failures.extend(servers.crashes().into_iter().map(|crash| format!("the log: {crash}")));
    Ok(Run { history, failures })
}

/// Lets the clients work, and kills servers meanwhile.
fn work(
    arguments: &Arguments,
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
        let killed = kill_again_and_again(arguments, servers, rng);
        shared.is_over.store(true, Ordering::Relaxed);
        let histories = workers.into_iter().map(|worker| worker.join());
        let histories: Result<Vec<_>, _> = histories.collect();
        killed?;
        histories.map(|histories| histories.concat()).map_err(|_| "a client panicked".to_owned())
    })
}

/// Waits until the time is over. Kills a server at random moments.
fn kill_again_and_again(arguments: &Arguments, servers: &mut Servers, rng: &mut Rng) -> Result<(), String> {
    let part = arguments.time / (arguments.kills + 1);
    for _ in 0..arguments.kills {
        let share = rng.f64();
        std::thread::sleep(part.mul_f64(share));
        servers.restart(rng.usize(..servers.len()))?;
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
    let found = read().map_err(|failure: crate::database::Failure| format!("the last read: {failure}"))?;
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
