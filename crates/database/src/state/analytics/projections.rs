//! The projections of all databases.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use errors::{Error, ErrorCode, Result};

use super::projection::Projection;

/// The projections by their numbers.
#[derive(Debug)]
pub(crate) struct Projections {
    max: usize,
    all: Mutex<BTreeMap<u64, Arc<Projection>>>,
}

impl Projections {
    pub(super) fn new(max: usize) -> Self {
        Projections { max, all: Mutex::default() }
    }

    /// Checks that there is room for one more, so that nobody loads in vain.
    ///
    /// Errors: 32 if there are too many.
    pub(crate) fn check_room(&self) -> Result<()> {
        if self.lock().len() < self.max {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::ResourceLimit,
            format!("there are {} projections; at most {} are accepted", self.max, self.max),
        ))
    }

    /// Adds a projection.
    ///
    /// Errors: 32 if there are too many, 1207 if the database has one with its name.
    pub(crate) fn add(&self, projection: Arc<Projection>) -> Result<()> {
        self.check_room()?;
        let mut all = self.lock();
        let is_same = |other: &Arc<Projection>| {
            other.name == projection.name && other.owner.database == projection.owner.database
        };
        if all.values().any(is_same) {
            return Err(Error::new(
                ErrorCode::DuplicateName,
                format!("a projection with the name '{}' exists already", projection.name),
            ));
        }
        all.insert(projection.id, projection);
        Ok(())
    }

    /// Returns the projection with a name or a number.
    pub(crate) fn find(&self, database: &str, name: &str) -> Option<Arc<Projection>> {
        let all = self.lock();
        let mut of_database = all.values().filter(|projection| *projection.owner.database == *database);
        let number = name.parse::<u64>().ok();
        of_database.find(|projection| projection.name == name || Some(projection.id) == number).cloned()
    }

    /// Returns the projections of all databases, in the order in which they were made.
    pub(crate) fn all(&self) -> Vec<Arc<Projection>> {
        self.lock().values().cloned().collect()
    }

    /// Returns the projections of a database, in the order in which they were made.
    pub(crate) fn of(&self, database: &str) -> Vec<Arc<Projection>> {
        let all = self.lock();
        all.values().filter(|projection| *projection.owner.database == *database).cloned().collect()
    }

    /// Returns the number of projections, and the bytes that they take.
    pub(super) fn size(&self) -> (u64, u64) {
        let all: Vec<_> = self.lock().values().cloned().collect();
        (all.len() as u64, all.iter().map(|projection| projection.info().bytes).sum())
    }

    /// Removes a projection. Work that uses it continues.
    pub(crate) fn remove(&self, id: u64) -> Option<Arc<Projection>> {
        self.lock().remove(&id)
    }

    /// Removes the projections of a database that is dropped.
    pub(crate) fn remove_database(&self, database: &str) {
        self.lock().retain(|_, projection| *projection.owner.database != *database);
    }

    pub(super) fn expire(&self) {
        let expired: Vec<_> = {
            let mut all = self.lock();
            let ids: Vec<u64> =
                all.iter().filter(|(_, projection)| projection.is_expired()).map(|(id, _)| *id).collect();
            ids.iter().filter_map(|id| all.remove(id)).collect()
        };
        // Outside of the lock, because it may free much memory.
        drop(expired);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Projection>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
