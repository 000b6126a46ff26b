//! A run from the start of the cluster to the verdict.

use std::path::Path;
use std::time::Duration;

use client::Client;
use fastrand::Rng;
use harness::Servers;
use harness::cluster::Cluster;

use crate::gaps::{self, Disturbance};
use crate::journal::Journal;
use crate::outages::arguments::Arguments;
use crate::outages::disturb;
use crate::outages::load::{self, Load};
use crate::verdict;

/// Maximum wait for a reply.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Runs the loads, injects faults concurrently, and checks the end. Errors: text for the user.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    verdict::in_folder(|folder| run_in(arguments, folder))
}

fn run_in(arguments: &Arguments, folder: &Path) -> Result<(), String> {
    let cluster = Cluster::start(&folder.join("cluster"), arguments.port, arguments.stores)?;
    let options = ["--storage-engine".to_owned(), "tikv".to_owned(), "--tikv.pd".to_owned(), cluster.pd()];
    let lease = ["--tikv.lease".to_owned(), arguments.lease.as_secs().to_string()];
    let options = [&options[..], &lease].concat();
    let mut servers = Servers::start(&arguments.common.server, folder, arguments.servers, &options)?;
    let clients = servers.clients(TIMEOUT)?;
    let first = clients.first().ok_or("there is no server")?;
    let loads = load::all();
    for load in &loads {
        load.create(first).map_err(|failure| format!("{}: {failure}", load.name()))?;
    }
    let journal = Journal::new();
    let mut rng = Rng::with_seed(arguments.common.seed);
    let made = work(arguments, &cluster, &mut servers, &clients, &loads, &journal, &mut rng)?;
    let (acknowledged, mut wrong) = journal.into_parts();
    let lease_ends: usize = servers.lease_ends().iter().sum();
    println!(
        "{} faults, {lease_ends} ends of leases, {} acknowledged writes",
        made.len(),
        acknowledged.len()
    );
    gaps::print(&made, &acknowledged);
    for client in &clients {
        for load in &loads {
            match load.verify(client) {
                Ok(figures) => println!("  {}: {figures}", load.name()),
                Err(text) => wrong.push(format!("{}: {text}", load.name())),
            }
        }
    }
    wrong.extend(servers.crashes().into_iter().map(|crash| format!("the log: {crash}")));
    verdict::of(made.len(), acknowledged.len(), wrong)
}

/// Lets the clients write, and injects faults concurrently.
fn work(
    arguments: &Arguments,
    cluster: &Cluster,
    servers: &mut Servers,
    clients: &[Client],
    loads: &[Box<dyn Load>],
    journal: &Journal,
    rng: &mut Rng,
) -> Result<Vec<Disturbance>, String> {
    std::thread::scope(|scope| {
        for load in loads {
            for _ in 0..arguments.clients {
                let mut rng = rng.fork();
                scope.spawn(move || {
                    while !journal.is_over() {
                        if let Some(client) = rng.choice(clients)
                            && !load.step(client, &mut rng, journal)
                        {
                            // The server may be starting again.
                            std::thread::sleep(Duration::from_millis(20));
                        }
                    }
                });
            }
        }
        let made = disturb::disturb(arguments, cluster, servers, rng);
        journal.end();
        made
    })
}
