//! The backups of the server's data, and the transfers of backups to and from repositories.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use backups::{BackupId, Backups, BucketOptions, Location, Progress, Repository};
use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

/// Transfers whose outcome is remembered. The oldest are forgotten.
const TRANSFERS_MAX: usize = 1_000;

/// A function that checks whether a copy of the data is whole.
#[derive(Clone)]
pub struct Verification(Arc<Check>);

type Check = dyn Fn(&Path) -> Result<()> + Send + Sync;

impl Verification {
    /// Returns the check that a function makes.
    pub fn new(check: impl Fn(&Path) -> Result<()> + Send + Sync + 'static) -> Self {
        Verification(Arc::new(check))
    }

    /// Checks the copy in a folder. Errors: those of the function.
    pub(crate) fn check(&self, folder: &Path) -> Result<()> {
        (self.0)(folder)
    }
}

impl std::fmt::Debug for Verification {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Verification")
    }
}

/// The backups of the server's data.
#[derive(Clone, Debug)]
pub struct BackupOptions {
    /// The backups; `None` if the engine has none.
    pub backups: Option<Arc<Backups>>,
    /// The function that reads all of the store in a folder and finds damage.
    pub verify: Verification,
    /// The folder in which repositories may lie.
    pub path_prefix: PathBuf,
}

/// The direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Upload,
    Download,
}

/// The state of a transfer.
#[derive(Clone, Debug)]
pub(crate) enum TransferState {
    Started,
    Completed,
    Failed(Error),
}

/// A transfer of a backup.
#[derive(Debug)]
pub(crate) struct Transfer {
    pub(crate) direction: Direction,
    pub(crate) backup: BackupId,
    pub(crate) started_seconds: i64,
    pub(crate) progress: Progress,
    state: Mutex<TransferState>,
}

impl Transfer {
    pub(crate) fn state(&self) -> TransferState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn cancel(&self) {
        self.progress.is_cancelled.store(true, Ordering::Relaxed);
    }

    fn end(&self, outcome: Result<()>) {
        if let Err(error) = &outcome {
            tracing::warn!(target: "backup", "the transfer of the backup '{}' failed: {error}", self.backup);
        }
        let state = outcome.map_or_else(TransferState::Failed, |()| TransferState::Completed);
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// The transfers of this server since its start.
#[derive(Debug, Default)]
pub(crate) struct Transfers {
    known: Mutex<BTreeMap<u64, Arc<Transfer>>>,
    last: AtomicU64,
}

impl Transfers {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Transfer>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a transfer on a thread of its own, and returns its number.
    pub(crate) fn begin(
        &self,
        backups: &Arc<Backups>,
        repository: Repository,
        direction: Direction,
        backup: BackupId,
    ) -> Result<u64> {
        let transfer = Arc::new(Transfer {
            direction,
            backup,
            started_seconds: jiff::Timestamp::now().as_second(),
            progress: Progress::default(),
            state: Mutex::new(TransferState::Started),
        });
        let (backups, running) = (Arc::clone(backups), Arc::clone(&transfer));
        let run = move || {
            let (id, progress) = (&running.backup, &running.progress);
            running.end(match direction {
                Direction::Upload => repository.upload(&backups, id, progress),
                Direction::Download => repository.download(&backups, id, progress),
            });
        };
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let mut known = self.lock();
        if known.len() >= TRANSFERS_MAX {
            known.pop_first();
        }
        known.insert(number, transfer);
        drop(known);
        let thread = std::thread::Builder::new().name("backup-transfer".to_owned()).spawn(run);
        thread
            .map_err(|error| Error::internal(format!("cannot start a thread for the transfer: {error}")))?;
        Ok(number)
    }

    /// Returns the transfer with a number, if it has this direction.
    pub(crate) fn find(&self, number: &str, direction: Direction) -> Option<Arc<Transfer>> {
        let transfer = self.lock().get(&number.parse().ok()?).map(Arc::clone)?;
        (transfer.direction == direction).then_some(transfer)
    }
}

/// Returns the place that `name:path` names by the configuration of rclone in `config`.
///
/// Errors: 7008 unless the section of that name is of the type `local` with an absolute path below
/// the prefix, or of the type `s3` with a bucket and a key.
pub(crate) fn location(remote: &str, config: Slice<'_>, prefix: &Path) -> Result<Location> {
    let (section, path) = remote
        .split_once(':')
        .filter(|(section, path)| !section.is_empty() && !section.contains('/') && !path.contains(':'))
        .ok_or_else(|| bad(format!("'remoteRepository' is {remote:?}; it must be NAME:/PATH")))?;
    let settings = config.get(section).filter(|section| section.is_object());
    let kind = settings.and_then(|section| section.get("type")).and_then(|kind| kind.as_str());
    match (settings, kind) {
        (Some(_), Some("local")) => folder(path, prefix).map(Location::Folder),
        (Some(settings), Some("s3")) => {
            let options = BucketOptions::read(path, &texts(settings)?);
            options.map(Location::Bucket).map_err(|error| bad(error.to_string()))
        }
        (_, Some(kind)) => Err(bad(format!(
            "repositories of the type {kind:?} are not supported, only \"local\" and \"s3\""
        ))),
        _ => Err(bad(format!("'config' has no section {section:?} with a 'type'"))),
    }
}

fn bad(message: String) -> Error {
    Error::new(ErrorCode::RemoteRepositoryConfigBad, message)
}

/// Returns the settings of a section. rclone also takes numbers and bools as texts.
fn texts(section: Slice<'_>) -> Result<BTreeMap<String, String>> {
    let entries = section.entries().filter(|(_, value)| !value.is_null());
    let text = |(name, value): (&str, Slice<'_>)| {
        let text = match value.as_str() {
            Some(text) => text.to_owned(),
            None if value.is_number() || value.is_bool() => value.to_json_string(),
            None => return Err(bad(format!("the setting {name:?} of 'config' must be a string"))),
        };
        Ok((name.to_owned(), text))
    };
    entries.map(text).collect()
}

/// Returns an absolute path below the prefix without `.` and `..`.
fn folder(path: &str, prefix: &Path) -> Result<PathBuf> {
    let mut folder = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::ParentDir if folder.parent().is_some() => drop(folder.pop()),
            Component::ParentDir | Component::CurDir => {}
            other => folder.push(other),
        }
    }
    // A link below the prefix may lead elsewhere.
    let is_below = folder.starts_with(prefix) && resolved(&folder).starts_with(resolved(prefix));
    if !folder.is_absolute() || !is_below {
        let message = format!(
            "the repository {} must be an absolute path below {} (--backup.local-path-prefix)",
            folder.display(),
            prefix.display()
        );
        return Err(bad(message));
    }
    Ok(folder)
}

/// Returns a path without links. Its end, of which nothing exists yet, stays as it is.
fn resolved(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)));
    match existing {
        Some((ancestor, real)) => match path.strip_prefix(ancestor) {
            Ok(rest) if rest.as_os_str().is_empty() => real,
            Ok(rest) => real.join(rest),
            Err(_) => path.to_owned(),
        },
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use velocypack::{Builder, Limits, json};

    use super::*;

    fn config() -> Builder {
        let mut config = Builder::new();
        let text = br#"{"here": {"type": "local"}, "there": {"type": "ftp"},
            "S3": {"type": "s3", "access_key_id": "key", "secret_access_key": "secret", "env_auth": false},
            "open": {"type": "s3"}, "odd": {"type": "s3", "region": []}}"#;
        json::parse(text, &Limits::default(), &mut config).unwrap();
        config
    }

    fn place(remote: &str, prefix: &str) -> std::result::Result<String, ErrorCode> {
        let config = config();
        let location = location(remote, config.as_slice(), Path::new(prefix));
        location.map(|location| location.to_string()).map_err(|error| error.code())
    }

    #[test]
    fn a_folder_is_absolute_and_below_the_prefix() {
        assert_eq!(place("here://srv//backups/./a/../b/", "/").unwrap(), "/srv/backups/b");
        assert_eq!(place("here:/srv/backups", "/srv").unwrap(), "/srv/backups");
        for remote in ["here:/srv/../etc", "here:srv", "there:/srv", "none:/srv", "/srv", "here:/a:b", ":/a"]
        {
            assert_eq!(place(remote, "/srv"), Err(ErrorCode::RemoteRepositoryConfigBad), "{remote}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_below_the_prefix_does_not_lead_outside() {
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let prefix = root.path().join("repositories");
        std::fs::create_dir_all(prefix.join("real")).unwrap();
        std::os::unix::fs::symlink(outside.path(), prefix.join("link")).unwrap();
        std::os::unix::fs::symlink(prefix.join("real"), prefix.join("alias")).unwrap();
        let of = |name: &str| place(&format!("here:{}/{name}", prefix.display()), &prefix.to_string_lossy());
        for name in ["link", "link/new", "link/../../link"] {
            assert_eq!(of(name), Err(ErrorCode::RemoteRepositoryConfigBad), "{name}");
        }
        for name in ["real", "alias/new", "new/deeper"] {
            assert!(of(name).is_ok(), "{name}");
        }
        // The prefix itself may be a link.
        let alias = root.path().join("alias");
        std::os::unix::fs::symlink(&prefix, &alias).unwrap();
        let remote = format!("here:{}/new", alias.display());
        assert!(place(&remote, &alias.to_string_lossy()).is_ok());
    }

    #[test]
    fn a_bucket_needs_a_name_and_a_key() {
        assert_eq!(place("S3://bucket/some/folder", "/srv").unwrap(), "s3://bucket/some/folder");
        for remote in ["S3:", "S3:/a", "open://bucket", "odd://bucket"] {
            assert_eq!(place(remote, "/"), Err(ErrorCode::RemoteRepositoryConfigBad), "{remote}");
        }
    }
}
