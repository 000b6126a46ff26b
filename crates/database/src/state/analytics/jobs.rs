//! The jobs of all databases.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use errors::{Error, ErrorCode, Result};

use super::job::Job;

/// The jobs by their numbers.
#[derive(Debug)]
pub(crate) struct Jobs {
    max: usize,
    all: Mutex<BTreeMap<u64, Arc<Job>>>,
}

impl Jobs {
    pub(super) fn new(max: usize) -> Self {
        Jobs { max, all: Mutex::default() }
    }

    /// Adds a job. The oldest ones that have ended make room.
    ///
    /// Errors: 32 if too many run.
    pub(crate) fn add(&self, job: Arc<Job>) -> Result<()> {
        let mut all = self.lock();
        while all.len() >= self.max {
            let ended = all.iter().find(|(_, job)| job.is_final()).map(|(id, _)| *id);
            let Some(id) = ended else {
                return Err(Error::new(
                    ErrorCode::ResourceLimit,
                    format!("{} jobs of graph analytics run; at most {} are accepted", all.len(), self.max),
                ));
            };
            all.remove(&id);
        }
        all.insert(job.id(), job);
        Ok(())
    }

    /// Returns a job of any database.
    pub(crate) fn get(&self, id: u64) -> Option<Arc<Job>> {
        self.lock().get(&id).cloned()
    }

    /// Returns a job of a database.
    pub(crate) fn find(&self, database: &str, id: u64) -> Option<Arc<Job>> {
        self.lock().get(&id).filter(|job| *job.owner().database == *database).cloned()
    }

    /// Returns the jobs of all databases, in the order in which they began.
    pub(crate) fn all(&self) -> Vec<Arc<Job>> {
        self.lock().values().cloned().collect()
    }

    /// Returns the jobs of a database, in the order in which they began.
    pub(crate) fn of(&self, database: &str) -> Vec<Arc<Job>> {
        self.lock().values().filter(|job| *job.owner().database == *database).cloned().collect()
    }

    /// Removes a job of a database.
    pub(crate) fn remove(&self, database: &str, id: u64) -> Option<Arc<Job>> {
        let mut all = self.lock();
        all.get(&id).filter(|job| *job.owner().database == *database)?;
        all.remove(&id)
    }

    /// Returns the number of jobs that have not ended.
    pub(super) fn running(&self) -> u64 {
        self.lock().values().filter(|job| !job.is_final()).count() as u64
    }

    /// Ends and removes the jobs of a database that is dropped.
    pub(crate) fn remove_database(&self, database: &str) {
        for job in self.of(database) {
            job.forget();
            job.cancel();
            self.lock().remove(&job.id());
        }
    }

    /// Ends all jobs, before the server stops.
    pub(crate) fn stop(&self) {
        self.lock().values().for_each(|job| job.cancel());
    }

    pub(super) fn expire(&self) {
        self.lock().retain(|_, job| !job.is_expired());
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Job>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
