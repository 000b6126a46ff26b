//! Readers of the change log that registered, so that it is kept for them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use errors::{Error, ErrorCode, Result};
use storage::LogUse;

/// Maximum number of readers.
const READERS_MAX: usize = 1_000;
/// The time after which a reader that asks for nothing is forgotten.
const READER_TTL: Duration = Duration::from_secs(300);

/// Readers of the change log.
pub(crate) struct LogReaders {
    readers: Mutex<HashMap<String, Reader>>,
    last_read: Mutex<Instant>,
}

/// A reader that registered.
#[derive(Clone, Debug)]
pub struct LogReader {
    /// Its name: `syncer:NUMBER` or `server:NUMBER`.
    pub name: String,
    /// Its own description.
    pub client: String,
    /// The position up to which it has the log.
    pub position: u64,
    /// The time of its last request.
    pub seen: SystemTime,
    /// The time after which it is forgotten.
    pub expires: SystemTime,
}

struct Reader {
    client: String,
    position: u64,
    asked: Instant,
    seen: SystemTime,
}

impl Default for LogReaders {
    fn default() -> Self {
        LogReaders { readers: Mutex::default(), last_read: Mutex::new(Instant::now()) }
    }
}

impl LogReaders {
    /// Notes that somebody reads the log.
    pub(crate) fn note_read(&self) {
        *self.last_read.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Notes that a reader has the log up to a position.
    ///
    /// Errors: 32 if there are too many readers.
    pub(crate) fn register(&self, name: &str, client: &str, position: u64) -> Result<()> {
        let mut readers = self.lock();
        readers.retain(|_, reader| reader.asked.elapsed() < READER_TTL);
        if readers.len() >= READERS_MAX && !readers.contains_key(name) {
            let message = format!("more than {READERS_MAX} readers of the log are registered");
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        let client = client.chars().take(256).collect();
        let reader = Reader { client, position, asked: Instant::now(), seen: SystemTime::now() };
        readers.insert(name.to_owned(), reader);
        Ok(())
    }

    /// Forgets a reader.
    pub(crate) fn forget(&self, name: &str) {
        self.lock().remove(name);
    }

    /// Returns all readers, by name.
    pub(crate) fn list(&self) -> Vec<LogReader> {
        let readers = self.lock();
        let mut list: Vec<LogReader> = readers
            .iter()
            .filter(|(_, reader)| reader.asked.elapsed() < READER_TTL)
            .map(|(name, reader)| LogReader {
                name: name.clone(),
                client: reader.client.clone(),
                position: reader.position,
                seen: reader.seen,
                expires: reader.seen + READER_TTL,
            })
            .collect();
        list.sort_by(|one, other| one.name.cmp(&other.name));
        list
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Reader>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogUse for LogReaders {
    fn held_from(&self) -> u64 {
        let mut readers = self.lock();
        readers.retain(|_, reader| reader.asked.elapsed() < READER_TTL);
        readers.values().map(|reader| reader.position.saturating_add(1)).min().unwrap_or(u64::MAX)
    }

    fn idle(&self) -> Duration {
        self.last_read.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }
}
