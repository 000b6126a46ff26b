//! A run from the start of the members to the verdict.

use std::path::Path;
use std::time::Duration;

use client::{Client, Request};
use fastrand::Rng;
use harness::requests::ask;
use serde_json::json;

use crate::failover::arguments::Arguments;
use crate::failover::disturb;
use crate::failover::members::Members;
use crate::failover::verify;
use crate::failover::writer::{COLLECTION, Unit, Writer};
use crate::gaps::{self, Disturbance};
use crate::journal::Journal;
use crate::verdict;

/// Maximum wait for a reply of a member that may stand still.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum wait for the replies at the end.
const LAST_TIMEOUT: Duration = Duration::from_secs(60);

/// Lets clients write, injects faults concurrently, and checks the end. Errors: text for the user.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    verdict::in_folder(|folder| run_in(arguments, folder))
}

fn run_in(arguments: &Arguments, folder: &Path) -> Result<(), String> {
    let synchronous = arguments.is_synchronous.to_string();
    let options = [
        "--storage-engine",
        &arguments.engine,
        "--group.synchronous",
        &synchronous,
        "--group.acknowledgement-timeout",
        "3",
        "--log.level",
        "replication=info",
    ];
    let options = options.map(str::to_owned);
    let mut members = Members::start(&arguments.common.server, folder, arguments.members, &options)?;
    let leader = members.wait_for_leader(&[])?;
    let clients = members.clients(TIMEOUT)?;
    let first = clients.get(leader).ok_or("there is no member")?;
    ask(first, Request::post("/_api/collection"), &json!({"name": COLLECTION}))
        .map_err(|failure| failure.to_string())?;
    members.wait_until_level()?;
    let journal = Journal::new();
    let mut rng = Rng::with_seed(arguments.common.seed);
    let (made, units) = work(arguments, &mut members, &clients, &journal, &mut rng)?;
    members.wait_until_level()?;
    let (acknowledged, mut wrong) = journal.into_parts();
    println!("{} faults, {} acknowledged writes", made.len(), acknowledged.len());
    gaps::print(&made, &acknowledged);
    wrong.extend(judge(arguments, &members, &units)?);
    wrong.extend(members.crashes().into_iter().map(|crash| format!("the log: {crash}")));
    verdict::of(made.len(), acknowledged.len(), wrong)
}

/// Lets the clients write, and injects faults concurrently.
fn work(
    arguments: &Arguments,
    members: &mut Members,
    clients: &[Client],
    journal: &Journal,
    rng: &mut Rng,
) -> Result<(Vec<Disturbance>, Vec<Unit>), String> {
    std::thread::scope(|scope| {
        let start = |number| {
            let writer = Writer { number, clients, journal, rng: rng.fork() };
            scope.spawn(move || writer.run())
        };
        let writers: Vec<_> = (0..arguments.writers).map(start).collect();
        let made = disturb::disturb(arguments.time, members, rng);
        journal.end();
        let units: Result<Vec<_>, _> = writers.into_iter().map(|writer| writer.join()).collect();
        Ok((made?, units.map_err(|_| "a writer panicked".to_owned())?.concat()))
    })
}

/// Compares the members with each other and with what was written. Returns what must not be.
fn judge(arguments: &Arguments, members: &Members, units: &[Unit]) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    let all: Vec<_> =
        members.clients(LAST_TIMEOUT)?.iter().map(verify::documents).collect::<Result<_, _>>()?;
    let first = all.first().ok_or("there is no member")?;
    for (number, other) in all.iter().enumerate().skip(1) {
        wrong.extend(verify::difference(first, other).map(|text| format!("members 0 and {number}: {text}")));
    }
    let files = members.files_set_aside();
    let set_aside = verify::read_set_aside(&files)?;
    let lost = verify::compare(units, first, &set_aside);
    println!(
        "  {} documents of {} attempts; {} acknowledged writes were lost, {} files have {} writes",
        first.len(),
        units.len(),
        lost.count,
        files.len(),
        set_aside.len()
    );
    wrong.extend(lost.wrong);
    wrong.extend(lost.in_silence.into_iter().map(|text| format!("lost in silence: {text}")));
    if arguments.is_synchronous && lost.count > 0 {
        wrong.push(format!("{} acknowledged writes were lost in synchronous mode", lost.count));
    }
    Ok(wrong)
}
