//! Another server, copied to this one once and not followed, as ArangoDB 3.11 has it
//! (`PUT /_api/replication/sync`).
//!
//! Collections with the name of one there are replaced, or made equal to it where `incremental` is
//! asked for. Others stay. This server accepts writes meanwhile. If it has nothing else afterwards,
//! the applier can be started from there on.

mod options;
mod synchronization;
mod differences;
mod collections;
mod databases;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aql_value::Waiting;
use errors::{Error, ErrorCode, Result};

use super::copy::check_server;
use super::failure::of_source;
use super::kept::Kept;
use super::options::REQUEST_TIMEOUT;
use super::position::AppliedPosition;
use super::probe::probe;
use super::watch::watched;
use crate::session::Session;
use crate::state::following::{FollowKind, FollowPhase, Problem};

pub use options::{Restriction, SyncOptions};
pub use synchronization::SyncedCollection;
use synchronization::{Done, Synchronization};

/// The time between two looks at the request, which its client may end.
const INTERVAL: Duration = Duration::from_millis(20);

/// The outcome of a synchronization.
#[derive(Debug)]
pub struct Synchronized {
    /// The collections that were copied or compared.
    pub collections: Vec<SyncedCollection>,
    /// The last tick of the other server's log before the copy began.
    pub tick: u64,
    /// Everything that did not come over.
    pub problems: Vec<Problem>,
}

impl Session {
    /// Copies another server once.
    ///
    /// Errors: 11; 1407 if this server is a member of a group; 1411 if it follows a server, or if
    /// another synchronization is under way; those of [`Session::probe_source`], and the obstacle
    /// that it has found; 1203 for a collection that was asked for and does not exist; 18 for a
    /// collection that somebody else holds; those of requests and writes; 1500 if the session's
    /// interrupt was set, 30 while this server stops. After any of the last ones some collections
    /// may be replaced, and one may have a part of its documents.
    pub fn synchronize(&self, options: &SyncOptions) -> Result<Synchronized> {
        self.require_choice()?;
        let store = self.instance().store();
        let claim = self.instance().following().claim();
        let _claim = claim.ok_or_else(|| Error::of(ErrorCode::ReplicationRunning))?;
        let probe = probe(&options.source, self.server_id())?;
        if let Some(obstacle) = probe.obstacle {
            return Err(obstacle);
        }
        let is_over = Arc::new(AtomicBool::new(false));
        let wait = options.wait.unwrap_or(REQUEST_TIMEOUT);
        let source = options.source.connect_for(wait, Some(Arc::clone(&is_over)))?;
        let (server_id, tick) = source.last_tick().map_err(|error| of_source(&error))?;
        let mut kept = Kept {
            phase: FollowPhase::Ended,
            is_copying: false,
            server_id,
            begin: Some(tick),
            ..Kept::begin(FollowKind::Follower, options.source.clone())
        };
        let may_follow = options.is_whole();
        if may_follow {
            source.keep_log(kept.reader, tick).map_err(|error| of_source(&error))?;
        }
        self.forget_copy()?;
        let threads = options.source.copy_threads();
        let done = Mutex::new(Done::default());
        let work = Synchronization { session: self, options, source, is_over: &is_over, threads, done };
        let is_equal = self.wait_for(&work)?;
        let (server_id, last) = work.source.last_tick().map_err(|error| of_source(&error))?;
        check_server(&kept, &server_id)?;
        if may_follow && is_equal {
            kept.complete = last;
            kept.store(store)?;
        }
        let Done { collections, problems } = work.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Synchronized { collections, tick, problems })
    }

    /// Runs the synchronization on other threads, and ends it when this request ends.
    fn wait_for(&self, work: &Synchronization<'_>) -> Result<bool> {
        let end = || work.is_over.store(true, Ordering::Relaxed);
        std::thread::scope(|scope| {
            let running = scope.spawn(|| watched(&work.source, &end, || work.run()));
            let _waiting = Waiting::begin();
            let mut ended = Ok(());
            while !running.is_finished() {
                if ended.is_ok() {
                    ended = work.check();
                    if ended.is_err() {
                        end();
                    }
                }
                std::thread::sleep(INTERVAL);
            }
            let outcome = running.join().unwrap_or_else(|_| Err(Error::internal("a panic; see the log")));
            match (outcome, ended) {
                // The end of the request says more than what it has ended.
                (Err(_), Err(ended)) if ended.code() != ErrorCode::ReplicationApplierStopped => Err(ended),
                (outcome, _) => outcome,
            }
        })
    }

    /// Forgets from where on the log of a server could be applied that was copied earlier. That
    /// this server accepts writes stays.
    fn forget_copy(&self) -> Result<()> {
        let store = self.instance().store();
        let Some(kept) = Kept::read(store)? else { return Ok(()) };
        AppliedPosition::remove(store, &kept.server_id)?;
        Kept { begin: None, complete: 0, server_id: String::new(), ..kept }.store(store)
    }
}
