//! Graph analytics engines, as clients of ArangoDB's interface start and stop them.
//!
//! They all are this server. An engine groups the graphs and jobs of one client.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use errors::{Error, ErrorCode, Result};

/// Maximum number of engines of all users.
const ENGINES_MAX: usize = 4_096;
/// Maximum number of engines of a user.
const ENGINES_OF_USER_MAX: usize = 256;
/// The time after its last use at which an engine is forgotten.
const TIME_TO_LIVE: Duration = Duration::from_secs(24 * 3_600);

/// An engine.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Its number.
    pub id: u64,
    /// The user that started it; `None` without authentication.
    pub user: Option<Arc<str>>,
    /// The size that its client named.
    pub size: String,
    /// The time at which it was started.
    pub created: SystemTime,
    last_used: Instant,
}

impl Engine {
    pub(crate) fn new(id: u64, user: Option<Arc<str>>, size: String) -> Self {
        Engine { id, user, size, created: SystemTime::now(), last_used: Instant::now() }
    }
}

/// The engines by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Engines(Mutex<BTreeMap<u64, Engine>>);

impl Engines {
    /// Adds an engine. Errors: 32 if there are too many.
    pub(crate) fn add(&self, engine: Engine) -> Result<()> {
        let mut all = self.lock();
        let of_user = all.values().filter(|other| other.user == engine.user).count();
        if of_user >= ENGINES_OF_USER_MAX || all.len() >= ENGINES_MAX {
            return Err(Error::new(
                ErrorCode::ResourceLimit,
                format!(
                    "there are {of_user} engines of the user and {} in total; at most {ENGINES_OF_USER_MAX} and \
                     {ENGINES_MAX} are accepted",
                    all.len()
                ),
            ));
        }
        all.insert(engine.id, engine);
        Ok(())
    }

    /// Returns an engine, and notes its use.
    pub(crate) fn find(&self, id: u64) -> Option<Engine> {
        let mut all = self.lock();
        let engine = all.get_mut(&id)?;
        engine.last_used = Instant::now();
        Some(engine.clone())
    }

    /// Returns all engines, in the order in which they were started.
    pub(crate) fn all(&self) -> Vec<Engine> {
        self.lock().values().cloned().collect()
    }

    /// Removes an engine.
    pub(crate) fn remove(&self, id: u64) {
        self.lock().remove(&id);
    }

    pub(super) fn expire(&self) {
        self.lock().retain(|_, engine| engine.last_used.elapsed() <= TIME_TO_LIVE);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Engine>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_of_one_user_are_bounded() {
        let engines = Engines::default();
        let start = |id: u64, user: &str| engines.add(Engine::new(id, Some(user.into()), String::new()));
        for id in 0..ENGINES_OF_USER_MAX as u64 {
            start(id, "ann").unwrap();
        }
        assert_eq!(start(1_000, "ann").unwrap_err().number(), 32);
        start(1_000, "bob").unwrap();
        engines.remove(0);
        start(0, "ann").unwrap();
        assert!(engines.find(0).is_some() && engines.find(2_000).is_none());
    }
}
