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

/// The options of the change log.
#[derive(Clone, Debug)]
pub struct ChangeLogOptions {
    /// When it is written.
    pub mode: ChangeLogMode,
    /// Entries older than this are removed.
    pub retain: Duration,
    /// Bytes on disk beyond which the oldest entries are removed.
    pub max_bytes: u64,
    /// True if entries have the previous version of the document.
    pub old_documents: bool,
    /// The file that has the identity of the log. Backups do not contain it, so a log that comes
    /// from a backup is known by it, and is ended. `None` without a data folder.
    pub identity_file: Option<PathBuf>,
}

impl Default for ChangeLogOptions {
    fn default() -> Self {
        ChangeLogOptions {
            mode: ChangeLogMode::OnDemand,
            retain: Duration::from_secs(24 * 60 * 60),
            max_bytes: 4 << 30,
            old_documents: false,
            identity_file: None,
        }
    }
}
