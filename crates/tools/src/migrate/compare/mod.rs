//! `compare`: two servers, collection by collection, by keys and revisions.
//!
//! Servers order keys differently, so the documents come in any order. Each side sums hashes of its
//! keys and revisions in [`buckets`]. Equal sums mean equal documents; where sums differ, a second
//! pass reads the documents of these buckets only.

mod buckets;
mod definitions;
mod difference;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use client::Client;
use replication_client::for_each_revision;

use self::buckets::Buckets;
use self::definitions::{collections, databases};
use self::difference::{Differences, find};
use super::options::Settings;
use crate::{Console, Failure, Progress, Server, Unit};

/// The exit code if the servers differ.
const EXIT_DIFFERENT: u8 = 2;

/// The things that a comparison by keys and revisions cannot show.
const BLIND: &str = "not compared: attributes of documents with the same _rev, system collections, users and their rights; \
     writes during the comparison appear as differences";

/// The servers on both sides.
struct Pair<'a> {
    source: &'a Client,
    here: &'a Client,
}

/// Compares the servers, and prints a line for each collection.
///
/// Errors: exit code 2 if they differ, those of requests.
pub(super) fn run(here: &Client, settings: &Settings, console: &Console) -> Result<(), Failure> {
    let Server { client: source, .. } = settings.source.connect(here, console)?;
    let pair = Pair { source: &source, here };
    let names: BTreeSet<String> = match settings.source.databases.is_empty() {
        true => databases(&source)?,
        false => settings.source.databases.iter().cloned().collect(),
    };
    let present = databases(here)?;
    let progress = Progress::new(console, settings.progress, "compare", Unit::Items("documents"), None);
    let (mut compared, mut different) = (0_u64, 0_u64);
    for database in &names {
        if !present.contains(database) {
            console.print(&format!("DIFFERS {database}: the database is not here"));
            different += 1;
            continue;
        }
        let outcome = compare_database(&pair, database, settings, &progress, console)?;
        compared += outcome.0;
        different += outcome.1;
    }
    drop(progress);
    console.info(BLIND);
    match different {
        0 => {
            console.print(&format!("{compared} collections are equal"));
            Ok(())
        }
        _ => {
            console.print(&format!("{different} differences in {compared} collections"));
            Err(Failure::silent(EXIT_DIFFERENT))
        }
    }
}

/// Returns the numbers of compared collections and of differences.
fn compare_database(
    pair: &Pair<'_>,
    database: &str,
    settings: &Settings,
    progress: &Progress,
    console: &Console,
) -> Result<(u64, u64), Failure> {
    let (source, here) = (pair.source.with_database(database)?, pair.here.with_database(database)?);
    let inner = Pair { source: &source, here: &here };
    let (left, right) = (collections(&source)?, collections(&here)?);
    let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let (mut compared, mut different) = (0, 0);
    for name in names {
        let lines = match (left.get(name), right.get(name)) {
            (Some(left), Some(right)) => {
                compared += 1;
                let mut lines = left.differences(right);
                lines.extend(compare_documents(&inner, name, settings, progress)?);
                lines
            }
            (Some(_), None) => vec!["the collection is not here".to_owned()],
            _ => vec!["the collection is not at the source".to_owned()],
        };
        match lines.is_empty() {
            true => console.print(&format!("equal   {database}/{name}")),
            false => different += 1,
        }
        lines.iter().for_each(|line| console.print(&format!("DIFFERS {database}/{name}: {line}")));
    }
    Ok((compared, different))
}

/// Compares the documents of one collection, and returns lines about differences.
fn compare_documents(
    pair: &Pair<'_>,
    name: &str,
    settings: &Settings,
    progress: &Progress,
) -> Result<Vec<String>, Failure> {
    let sums = |client: &Client| {
        let mut buckets = Buckets::default();
        for_each_revision(client, name, &mut |key, revision| {
            buckets.add(key, revision);
            progress.add(1);
        })?;
        Ok(buckets)
    };
    let (left, right): (Buckets, Buckets) = both(pair, &sums)?;
    let differing = left.differing(&right);
    if differing.is_empty() {
        return Ok(Vec::new());
    }
    let mut lines = vec![format!("{} documents at the source, {} here", left.count(), right.count())];
    let Differences { lines: shown, is_cut } =
        find(pair.source, pair.here, name, &differing, settings.differences)?;
    lines.extend(shown);
    if is_cut {
        lines.push("there are more differences".to_owned());
    }
    Ok(lines)
}

/// Asks both servers concurrently.
fn both<T: Send>(
    pair: &Pair<'_>,
    ask: &(impl Fn(&Client) -> Result<T, Failure> + Sync),
) -> Result<(T, T), Failure> {
    std::thread::scope(|threads| {
        let source = threads.spawn(|| ask(pair.source).map_err(|failure| failure.during("at the source")));
        let here = ask(pair.here);
        let source = source.join().map_err(|_| Failure::new("a thread of the comparison has failed"))?;
        Ok((source?, here?))
    })
}
