//! A copy of another server: definitions and documents, database by database.
//!
//! The log is applied from the tick before the copy on ([`super::CopiedState`]), so a database may
//! be copied at another moment than the one before. A copy that was interrupted goes on with the
//! collections that it did not copy whole. A repeated copy, after a gap in the log, keeps the
//! collections that are equal.

mod documents;
mod leftovers;
mod database;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use catalog::SYSTEM_DATABASE;
use errors::{Error, ErrorCode, Result};

use super::failure::of_source;
use super::kept::Kept;
use super::work::Work;

/// The time between two writes of the list of copied collections. After a crash, all that are not
/// in it are copied again.
const SAVE_EVERY: Duration = Duration::from_secs(2);

/// The part of a copy that its threads share.
struct Copy<'a> {
    work: &'a Work,
    kept: Mutex<&'a mut Kept>,
    saved: Mutex<Instant>,
    threads: usize,
    is_repeated: bool,
    /// True if an earlier attempt or copy may have left what the other server has no more.
    has_leftovers: bool,
}

/// Copies everything, and notes the ticks between which the copy was made.
///
/// Errors: 1412 for an order that waits, 1404 if another server answers, those of requests and
/// writes. The copy can go on after any of them.
pub(super) fn copy(work: &Work, kept: &mut Kept) -> Result<()> {
    let since = Instant::now();
    let (server_id, last) = work.last_tick()?;
    let has_leftovers = kept.is_repeated || kept.begin.is_some();
    if kept.begin.is_none() {
        kept.server_id.clone_from(&server_id);
        kept.begin = Some(last);
        kept.store(work.instance.store())?;
    }
    check_server(kept, &server_id)?;
    let begin = kept.begin.unwrap_or(last);
    work.source.keep_log(kept.reader, begin).map_err(|error| of_source(&error))?;
    let mut names = work.source.databases().map_err(|error| of_source(&error))?;
    names.retain(|name| kept.source.includes(name));
    // Its users and Analyzers come first.
    names.sort_by_key(|name| name != SYSTEM_DATABASE);
    work.following().update(|view| view.copy.databases = names.len() as u64);
    if has_leftovers {
        leftovers::drop_databases(work, kept, &names)?;
    }
    let copy = Copy {
        work,
        threads: kept.source.copy_threads(),
        is_repeated: kept.is_repeated,
        has_leftovers,
        kept: Mutex::new(kept),
        saved: Mutex::new(Instant::now()),
    };
    for name in &names {
        copy.database(name)?;
        let kept = copy.kept();
        work.source.keep_log(kept.reader, begin).map_err(|error| of_source(&error))?;
        work.following().update(|view| {
            view.copy.databases_done += 1;
            view.copy.took = since.elapsed();
        });
    }
    let (server_id, last) = work.last_tick()?;
    let mut kept = copy.kept();
    check_server(&kept, &server_id)?;
    kept.complete = last;
    Ok(())
}

/// Checks that the server is the one from which the copy began. Ticks of another one mean nothing.
///
/// Errors: 1404.
pub(super) fn check_server(kept: &Kept, server_id: &str) -> Result<()> {
    if kept.server_id == server_id {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::ReplicationLeaderChange,
        format!("the server that answers now is {server_id}, not {}", kept.server_id),
    ))
}

impl<'a> Copy<'a> {
    fn kept(&self) -> std::sync::MutexGuard<'_, &'a mut Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_copied(&self, database: &str, collection: &str) -> bool {
        self.kept().copied.contains(&(database.to_owned(), collection.to_owned()))
    }

    /// Notes that a collection is copied whole.
    fn note_copied(&self, database: &str, collection: &str) -> Result<()> {
        let mut kept = self.kept();
        kept.copied.insert((database.to_owned(), collection.to_owned()));
        self.work.following().update(|view| view.copy.collections_done += 1);
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        if saved.elapsed() >= SAVE_EVERY {
            *saved = Instant::now();
            kept.store(self.work.instance.store())?;
        }
        Ok(())
    }
}
