//! The two servers of the work.

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use replication_client::Source;

use super::failure::of_source;
use crate::instance::Instance;
use crate::session::{Identity, Session};
use crate::state::following::{Following, Problem};
use crate::transfer::restore::SkippedIndex;

/// This server, and the one that it follows.
pub(super) struct Work {
    pub(super) instance: Arc<Instance>,
    pub(super) source: Source,
}

impl Work {
    pub(super) fn following(&self) -> &Following {
        self.instance.following()
    }

    /// Returns a session of this server's own.
    ///
    /// Errors: 1228.
    pub(super) fn session(&self, database: &str) -> Result<Session> {
        Session::open(Arc::clone(&self.instance), database, Identity::Superuser)
    }

    /// Checks that the work may go on.
    ///
    /// Errors: 1412 if an order waits or the server stops.
    pub(super) fn check(&self) -> Result<()> {
        match self.following().is_interrupted() {
            true => Err(Error::of(ErrorCode::ReplicationApplierStopped)),
            false => Ok(()),
        }
    }

    /// Returns the number of the other server, and the last tick of its log.
    ///
    /// Errors: those of the request.
    pub(super) fn last_tick(&self) -> Result<(String, u64)> {
        self.source.last_tick().map_err(|error| of_source(&error))
    }

    /// Tells the operator of something that does not come over, once.
    pub(super) fn report(&self, problem: Problem) {
        report(self.following(), problem);
    }
}

/// Tells the operator of something that does not come over, once.
pub(super) fn report(following: &Following, problem: Problem) {
    following.update(|view| {
        if !view.problems.contains(&problem) {
            let Problem { what, place, effect } = &problem;
            tracing::warn!(target: "replication", "{what} in {place}: {effect}");
            view.problems.push(problem);
        }
    });
}

impl Problem {
    /// Returns the problem of an index that was passed over. `place` is the database and the
    /// collection.
    pub(super) fn of_skipped(index: &SkippedIndex, place: &str) -> Self {
        Problem {
            what: format!("index '{}'", index.name),
            place: place.to_owned(),
            effect: format!("it is not here: this version has no indexes of type '{}'", index.kind),
        }
    }
}
