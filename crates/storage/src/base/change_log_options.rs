//! The options of the change log.

use std::path::PathBuf;
use std::time::Duration;

/// When the change log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ChangeLogMode {
    /// Never. A log that is there is removed.
    Never,
    /// From the moment on at which somebody first reads it.
    #[default]
    OnDemand,
    /// From the first start on.
    Always,
}

/// The readers of the change log on this server. The server that removes old entries of a log that
/// several servers share asks all of them.
pub trait LogUse: Send + Sync {
    /// Returns the position from which on readers need the log; `u64::MAX` without readers.
    fn held_from(&self) -> u64;

    /// Returns the time since somebody has read the log, or since the start.
    fn idle(&self) -> Duration;
}

/// The options of the change log.
#[derive(Clone, Debug)]
pub struct ChangeLogOptions {
    /// When it is written.
    pub mode: ChangeLogMode,
    /// Entries older than this are removed.
    pub retain: Duration,
    /// Databases and collections whose entries are kept for another time.
    pub exceptions: Vec<RetentionException>,
    /// Bytes on disk beyond which the oldest entries are removed.
    pub max_bytes: u64,
    /// True if entries have the previous version of the document.
    pub old_documents: bool,
    /// The file that has the identity of the log. Backups do not contain it, so a log that comes
    /// from a backup is known by it, and is ended. `None` without a data folder.
    pub identity_file: Option<PathBuf>,
}

/// The time for which the entries of a database are kept, or of one collection in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetentionException {
    /// The database.
    pub database: String,
    /// The collection; `None` for all that have no exception of their own, and for definitions.
    pub collection: Option<String>,
    /// Entries older than this are removed.
    pub retain: Duration,
}

impl ChangeLogOptions {
    /// Returns the time for which a database's entries are kept, but for the exceptions of its
    /// collections.
    pub(crate) fn retention_of(&self, database: &str) -> Duration {
        let of_database = |one: &&RetentionException| one.database == database && one.collection.is_none();
        self.exceptions.iter().rfind(of_database).map_or(self.retain, |one| one.retain)
    }

    /// Returns the collections of a database that have exceptions, with their times.
    pub(crate) fn exceptions_of(&self, database: &str) -> impl Iterator<Item = (&str, Duration)> {
        let of_database = self.exceptions.iter().filter(move |one| one.database == database);
        of_database.filter_map(|one| Some((one.collection.as_deref()?, one.retain)))
    }
}

impl Default for ChangeLogOptions {
    fn default() -> Self {
        ChangeLogOptions {
            mode: ChangeLogMode::OnDemand,
            retain: Duration::from_secs(24 * 60 * 60),
            exceptions: Vec::new(),
            max_bytes: 4 << 30,
            old_documents: false,
            identity_file: None,
        }
    }
}
