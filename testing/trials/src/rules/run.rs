//! A run: rounds of random rules, until the time is over.

use std::path::Path;
use std::time::{Duration, Instant};

use client::{Client, ClientOptions, Credentials};
use fastrand::Rng;
use harness::Launch;

use super::arguments::Arguments;
use super::compare::{compare, leaks, send};
use super::condition::{self, USER};
use super::world::{self, KNOWS, PEOPLE, RULED};
use super::{reads, writes};
use crate::verdict;

/// Maximum wait for a reply.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Writes of each round.
const WRITES: usize = 12;

/// Runs rounds. Errors: text for the user: what was wrong.
pub(crate) fn run(arguments: &Arguments, folder: &Path) -> Result<(), String> {
    let options = ["--storage-engine".to_owned(), arguments.engine.clone()];
    let launch = Launch::for_root(&arguments.common.server, folder, &options)?;
    let mut server = launch.start()?;
    let root = launch.client(TIMEOUT)?;
    let user = client_of(&root)?;
    world::create(&root).map_err(|failure| failure.to_string())?;
    let mut rng = Rng::with_seed(arguments.common.seed);
    let (mut rounds, mut requests, mut changes, mut wrong) = (0, 0, 0, Vec::new());
    let began = Instant::now();
    while began.elapsed() < arguments.time && wrong.is_empty() {
        rounds += 1;
        let rules = [(PEOPLE, condition::rules(&mut rng)), (KNOWS, condition::rules(&mut rng))];
        let filled = world::fill(&root, &mut rng, arguments.documents, &rules);
        filled.map_err(|failure| format!("{failure}\nwith {rules:?}"))?;
        let secrets = writes::secrets(&root, &rules)?;
        for read in reads::all(&mut rng, arguments.documents) {
            wrong.extend(compare(&user, &read, &secrets)?);
            requests += 1;
        }
        world::look_for(&root, &secrets).map_err(|failure| failure.to_string())?;
        let before = writes::states(&root)?;
        for read in reads::unequal(arguments.documents) {
            wrong.extend(leaks(&read, &send(&user, &read, RULED)?, &secrets));
            requests += 1;
        }
        if writes::states(&root)? != before {
            wrong.push("a request that must be refused has changed documents".to_owned());
        }
        let attacked = writes::attack((&root, &user), &mut rng, &rules, arguments.documents, WRITES)?;
        wrong.extend(attacked.0);
        changes += attacked.1;
        if !wrong.is_empty() {
            wrong.push(format!("with {rules:?}"));
        }
    }
    wrong.extend(launch.crashes().into_iter().map(|crash| format!("the log: {crash}")));
    server.stop()?;
    println!("{rounds} rounds, {requests} requests compared, {changes} documents changed");
    verdict::of(rounds, changes, wrong)
}

/// Returns a client of the user whom the rules restrict.
fn client_of(root: &Client) -> Result<Client, String> {
    let credentials = Credentials::Basic { user: USER.to_owned(), password: USER.to_owned() };
    let options = ClientOptions { credentials, ..root.options().clone() };
    Client::new(options).map_err(|error| error.to_string())
}
