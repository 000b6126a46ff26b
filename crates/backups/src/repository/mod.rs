//! Backups elsewhere, in a folder or in object storage, with each file stored once.
//!
//! ```text
//! REPOSITORY                    one line: `persea backups 1`
//! files/ab/abcd...              a file, under the SHA-256 of its content
//! backups/2026-..._label.json   a manifest: the names, sizes and digests of a backup's files
//! logs/...                      change logs of servers ([`archive`])
//! ```
//! A manifest is written last, and removed first. So a manifest whose files are missing is damage,
//! and a file that no manifest names is waste, which `prune` removes. [`place`] has what differs
//! between a folder and object storage.

mod archive;
mod digests;
mod download;
mod place;
mod prune;
mod upload;
mod verify;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use errors::{Error, ErrorCode, Result};

use crate::backups::conflict;
use crate::files::failed_at;
use crate::id::BackupId;
use crate::location::{Location, bad_location};
use crate::manifest::{FileEntry, Manifest};
use place::{BucketPlace, FolderPlace, Guard, Place};

pub use archive::{
    ArchiveState, ArchivedLog, LogChain, LogRecord, RestorableSpan, Segment, SegmentName, SegmentWriter,
};
pub use prune::Age;
pub use verify::Verified;

/// The file that marks a repository, and its content.
const MARK: &str = "REPOSITORY";
const MARK_PREFIX: &str = "persea backups ";
const FORMAT: u32 = 1;

const FILES: &str = "files";
const MANIFESTS: &str = "backups";
const MANIFEST_EXTENSION: &str = ".json";

/// The backups of any number of servers.
#[derive(Debug)]
pub struct Repository {
    place: Box<dyn Place>,
}

/// The progress of a transfer, which others may watch and end.
#[derive(Debug, Default)]
pub struct Progress {
    /// The number of files of the backup.
    pub total_files: AtomicU64,
    /// The number of files that are in place.
    pub done_files: AtomicU64,
    /// The bytes that were copied, because the target had no such file.
    pub copied_bytes: AtomicU64,
    /// True to end the transfer.
    pub is_cancelled: AtomicBool,
}

impl Progress {
    fn begin(&self, manifest: &Manifest) {
        self.total_files.store(manifest.files.len() as u64, Ordering::Relaxed);
    }

    /// Ends a transfer that was cancelled.
    fn check(&self) -> std::io::Result<()> {
        match self.is_cancelled.load(Ordering::Relaxed) {
            true => Err(std::io::Error::new(std::io::ErrorKind::Interrupted, "it was cancelled")),
            false => Ok(()),
        }
    }

    fn end_file(&self) {
        self.done_files.fetch_add(1, Ordering::Relaxed);
    }
}

impl Repository {
    /// Opens a repository, or makes one of a place that is empty or does not exist.
    ///
    /// Errors: 7008 for a place of another use, and one that cannot be reached; 35 for a newer
    /// format.
    pub fn create(location: &Location) -> Result<Self> {
        let place = place(location)?;
        let fault = |action: &str, name: &str| {
            failed_at(ErrorCode::RemoteRepositoryConfigBad, action, &place.address(name))
        };
        // A repository may have many pieces, so the mark is looked for first.
        let is_new = place.read(MARK).map_err(fault("reading", MARK))?.is_none();
        if is_new && place.prepare().map_err(fault("preparing", ""))? {
            let mark = format!("{MARK_PREFIX}{FORMAT}\n");
            place.write(MARK, mark.as_bytes()).map_err(fault("writing", MARK))?;
        }
        Self::of(place)
    }

    /// Opens a repository. Errors: 7008 if the place is none, 35 for a newer format.
    pub fn open(location: &Location) -> Result<Self> {
        Self::of(place(location)?)
    }

    fn of(place: Box<dyn Place>) -> Result<Self> {
        let bad = ErrorCode::RemoteRepositoryConfigBad;
        let mark = place.read(MARK).map_err(failed_at(bad, "reading", &place.address(MARK)))?;
        let mark = String::from_utf8_lossy(&mark.unwrap_or_default()).into_owned();
        let address = place.address("");
        match mark.trim_end().strip_prefix(MARK_PREFIX).map(str::parse::<u32>) {
            Some(Ok(1..=FORMAT)) => Ok(Repository { place }),
            Some(Ok(newer)) => {
                let message = format!(
                    "the repository {address} has format {newer}, this version reads formats up to {FORMAT}; \
                     use a newer version"
                );
                Err(Error::new(ErrorCode::IncompatibleVersion, message))
            }
            _ => {
                let message = format!(
                    "{address} is not a repository of backups; name one, or an empty folder for an upload"
                );
                Err(Error::new(bad, message))
            }
        }
    }

    /// Returns the manifests of all backups, the oldest first. An unreadable one is an error.
    pub fn list(&self) -> Result<Vec<Manifest>> {
        let code = ErrorCode::RemoteRepositoryConfigBad;
        let pieces = self.place.list(MANIFESTS).map_err(self.fault(code, "reading", MANIFESTS))?;
        let mut manifests = Vec::new();
        for piece in pieces {
            if piece.name.ends_with(MANIFEST_EXTENSION) {
                manifests.extend(self.read_manifest(&piece.name)?);
            }
        }
        manifests.sort_by(|first, second| (first.seconds, &first.id).cmp(&(second.seconds, &second.id)));
        Ok(manifests)
    }

    /// Returns the manifest of one backup. Errors: 7007.
    pub fn get(&self, id: &BackupId) -> Result<Manifest> {
        self.find(id)?.ok_or_else(|| self.lacks(id))
    }

    /// Returns the manifest of one backup, if it exists.
    fn find(&self, id: &BackupId) -> Result<Option<Manifest>> {
        self.read_manifest(&manifest_name(id))
    }

    fn read_manifest(&self, name: &str) -> Result<Option<Manifest>> {
        let text =
            self.place.read(name).map_err(self.fault(ErrorCode::HotBackupInternal, "reading", name))?;
        let Some(text) = text else { return Ok(None) };
        let address = self.place.address(name);
        let manifest = Manifest::parse(&text, address.as_ref())?;
        match manifest.files.iter().all(|file| file.sha256.as_deref().is_some_and(is_digest)) {
            true => Ok(Some(manifest)),
            false => {
                let message = format!("{address} is damaged: a file has no digest");
                Err(Error::new(ErrorCode::HotBackupInternal, message))
            }
        }
    }

    fn fault(&self, code: ErrorCode, action: &str, name: &str) -> impl Fn(std::io::Error) -> Error + use<> {
        failed_at(code, action, &self.place.address(name))
    }

    /// Protects the files until the result is dropped, for those who read or add some.
    fn share(&self) -> Result<Box<dyn Guard>> {
        self.guarded(self.place.share())
    }

    /// Keeps all others out until the result is dropped, for one who removes files.
    fn own(&self) -> Result<Box<dyn Guard>> {
        self.guarded(self.place.own())
    }

    fn guarded(&self, guard: std::io::Result<Option<Box<dyn Guard>>>) -> Result<Box<dyn Guard>> {
        let guard = guard.map_err(self.fault(ErrorCode::RemoteRepositoryConfigBad, "locking", MARK))?;
        guard.ok_or_else(|| {
            conflict(format!("the repository {} is in use; try again later", self.place.address("")))
        })
    }

    fn lacks(&self, id: &BackupId) -> Error {
        let address = self.place.address("");
        let message = format!("no such hot backup set can be found: '{id}' in the repository {address}");
        Error::new(ErrorCode::NoSuchHotBackup, message)
    }
}

fn place(location: &Location) -> Result<Box<dyn Place>> {
    Ok(match location {
        Location::Folder(folder) => Box::new(FolderPlace::new(folder)),
        Location::Bucket(options) => {
            Box::new(BucketPlace::new(options.clone()).map_err(|error| bad_location(&error))?)
        }
    })
}

/// Returns the name of a backup's manifest.
fn manifest_name(id: &BackupId) -> String {
    format!("{MANIFESTS}/{id}{MANIFEST_EXTENSION}")
}

/// Returns the name of the file with this digest.
fn file_name(sha256: &str) -> String {
    format!("{FILES}/{}/{sha256}", sha256.get(..2).unwrap_or_default())
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the digest of a file of a repository's manifest, which always has one.
fn digest_of(file: &FileEntry) -> &str {
    file.sha256.as_deref().unwrap_or_default()
}

#[cfg(test)]
mod tests;
