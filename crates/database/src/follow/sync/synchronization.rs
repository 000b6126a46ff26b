//! A synchronization that is under way, as its threads see it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use errors::{Error, ErrorCode, Result};
use replication_client::Source;

use super::options::SyncOptions;
use crate::session::Session;
use crate::state::following::Problem;

/// A synchronization that is under way.
pub(super) struct Synchronization<'a> {
    /// The session of the administrator.
    pub(super) session: &'a Session,
    pub(super) options: &'a SyncOptions,
    pub(super) source: Source,
    /// True once it must end. It also ends requests to the other server.
    pub(super) is_over: &'a AtomicBool,
    pub(super) threads: usize,
    /// The work that was done so far.
    pub(super) done: Mutex<Done>,
}

/// The outcome of a synchronization.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// The collections that are as at the other server now.
    pub(super) collections: Vec<SyncedCollection>,
    /// Everything that did not come over.
    pub(super) problems: Vec<Problem>,
}

/// A collection that is as at the other server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncedCollection {
    /// The database here.
    pub database: String,
    /// The number here.
    pub id: String,
    /// The name.
    pub name: String,
}

impl Synchronization<'_> {
    /// Checks that the work may go on.
    ///
    /// Errors: 30 while this server stops, 1500 if the request was ended, 1412 if the other server
    /// is silent.
    pub(super) fn check(&self) -> Result<()> {
        self.session.check_running()?;
        if let Some(interrupt) = self.session.interrupt() {
            interrupt.check()?;
        }
        match self.is_over.load(Ordering::Relaxed) {
            true => Err(Error::of(ErrorCode::ReplicationApplierStopped)),
            false => Ok(()),
        }
    }

    /// Notes something that does not come over, and tells the log.
    pub(super) fn report(&self, problem: Problem) {
        let Problem { what, place, effect } = &problem;
        tracing::warn!(target: "replication", "{what} in {place}: {effect}");
        self.done.lock().unwrap_or_else(PoisonError::into_inner).problems.push(problem);
    }

    /// Notes that a collection is as at the other server.
    pub(super) fn note(&self, collection: SyncedCollection) {
        if self.options.is_verbose {
            let SyncedCollection { database, name, .. } = &collection;
            tracing::info!(target: "replication", "collection '{name}' of '{database}' is synchronized");
        }
        self.done.lock().unwrap_or_else(PoisonError::into_inner).collections.push(collection);
    }
}
