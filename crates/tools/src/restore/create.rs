//! The creation of the collections of a dump.
//!
//! Servers that share a store tell each other about each definition, and wait for the answers.
//! Requests that are in flight together share that wait.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use replication_client::schedule::lock;
use velocypack::Slice;

use super::folder::Collection;
use super::server;
use super::work::Work;
use crate::{Console, Failure};

/// Maximum number of requests in flight. More of them would only wait for each other in a server,
/// which changes its definitions one after another.
const REQUESTS_MAX: usize = 16;

/// Creates the collections that the restore has not created before, in the order of their kinds.
/// Returns those that can be filled now.
///
/// Errors: the first failure. With `force`, failures are printed, and their collections left out.
pub(super) fn create_all(
    work: &Work<'_>,
    collections: &[Collection],
    console: &Console,
) -> Result<Vec<Collection>, Failure> {
    let mut usable = Vec::with_capacity(collections.len());
    for group in collections.chunk_by(may_be_created_together) {
        for (collection, created) in group.iter().zip(create_group(work, group)) {
            match created {
                Some(Ok(())) => usable.push(collection.clone()),
                Some(Err(failure)) if work.settings.force => console.error(failure.text()),
                Some(Err(failure)) => return Err(failure),
                // Another one has failed before.
                None => {}
            }
        }
    }
    Ok(usable)
}

/// Returns true if neither collection must exist before the other: both are ordinary ones of the
/// same kind. A collection that distributes its documents like another one needs that.
fn may_be_created_together(left: &Collection, right: &Collection) -> bool {
    let is_ordinary = |collection: &Collection| {
        let like = Slice::new(&collection.structure).get_path(&["parameters", "distributeShardsLike"]);
        let is_alone = like.and_then(Slice::as_str).is_none_or(str::is_empty);
        is_alone && !collection.name.starts_with('_')
    };
    left.is_edge == right.is_edge && is_ordinary(left) && is_ordinary(right)
}

/// Creates collections concurrently. A collection has no result if another one failed before.
fn create_group(work: &Work<'_>, group: &[Collection]) -> Vec<Option<Result<(), Failure>>> {
    let results: Vec<Mutex<Option<Result<(), Failure>>>> = group.iter().map(|_| Mutex::default()).collect();
    let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let create_next = || {
        while !has_failed.load(Ordering::Relaxed) {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let (Some(collection), Some(result)) = (group.get(position), results.get(position)) else {
                return;
            };
            let created = create(work, collection);
            has_failed.fetch_or(created.is_err() && !work.settings.force, Ordering::Relaxed);
            *lock(result) = Some(created);
        }
    };
    let requests = if work.settings.threads > 1 { group.len().min(REQUESTS_MAX) } else { 1 };
    std::thread::scope(|scope| {
        for _ in 1..requests {
            scope.spawn(create_next);
        }
        create_next();
    });
    results.iter().map(|result| lock(result).take()).collect()
}

fn create(work: &Work<'_>, collection: &Collection) -> Result<(), Failure> {
    let Work { server, settings, state, .. } = work;
    if !settings.creates() || state.is_created(&collection.name) {
        return Ok(());
    }
    let was_there = server::create_collection(&server.client, collection, settings);
    match was_there.map_err(|failure| failure.during(&collection.file.display().to_string()))? {
        true => state.found(&collection.name),
        false => state.created(&collection.name),
    }
    Ok(())
}
