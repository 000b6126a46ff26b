//! Pregel as ArangoDB 3.11 has it: runs of algorithms that load their graph themselves.
//!
//! - `request`: the body of a start, and the algorithm and parameters that it means. `status`: a
//!   run as clients see it. `history`: the records of runs that have ended.
//!
//! Source: documentation of ArangoDB 3.11, "Pregel HTTP API" and "Pregel Algorithms".

mod request;
mod status;
mod history;

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use crate::session::Session;
use crate::state::analytics::{Job, JobOrigin};

impl Session {
    /// Starts a run, and returns its number.
    ///
    /// Errors: 404 for an unknown algorithm, 10 for a wrong member, 1924, 1203, 11, 1004, 9 for an
    /// algorithm that is left out, 32 if too many run.
    pub fn start_pregel(&self, body: Slice<'_>) -> Result<u64> {
        self.start_analytics(request::parse(body)?).map(|job| job.id())
    }

    /// Writes the runs that the user may see, the oldest first, as elements of an open array.
    pub fn write_pregel_runs(&self, out: &mut Builder) -> Result<()> {
        let threads = self.instance().analytics().pool.threads();
        self.pregel_jobs().iter().try_for_each(|job| status::write(&job.status(), threads, out))
    }

    /// Writes a run as an object. Errors: 1600 for an unknown one.
    pub fn write_pregel_run(&self, id: &str, out: &mut Builder) -> Result<()> {
        let job = self.pregel_job(id)?;
        status::write(&job.status(), self.instance().analytics().pool.threads(), out)
    }

    /// Ends a run, or forgets one that has ended, with its result. Errors: 1600 for an unknown one.
    pub fn cancel_pregel(&self, id: &str) -> Result<()> {
        let job = self.pregel_job(id)?;
        if job.is_final() {
            self.instance().analytics().jobs.remove(self.database_name(), job.id());
        } else {
            job.cancel();
        }
        Ok(())
    }

    fn pregel_jobs(&self) -> Vec<Arc<Job>> {
        let jobs = self.analytics_jobs();
        jobs.into_iter().filter(|job| job.origin() == JobOrigin::Pregel).collect()
    }

    fn pregel_job(&self, id: &str) -> Result<Arc<Job>> {
        self.find_pregel_job(id).ok_or_else(|| unknown(id))
    }

    fn find_pregel_job(&self, id: &str) -> Option<Arc<Job>> {
        let job = self.analytics_job(id.parse().ok()?).ok()?;
        (job.origin() == JobOrigin::Pregel).then_some(job)
    }
}

/// Returns the error for a run that does not exist, with ArangoDB's number.
fn unknown(id: &str) -> Error {
    Error::new(ErrorCode::CursorNotFound, format!("there is no Pregel run '{id}'"))
}
