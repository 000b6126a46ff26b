//! A version of the tables: the state after one transaction.

use std::sync::Arc;

use kv::{ClosedFlag, Result};

use crate::encrypted::SharedView;
use crate::environment::{Environment, Reader};
use crate::format::FolderLock;
use crate::mapped::Readers;

/// A state of the tables that does not change.
pub(crate) enum Version {
    Mapped(Readers),
    Encrypted(SharedView),
}

/// A version, and the things that it needs to be open.
#[derive(Clone)]
pub(crate) struct VersionHandle {
    pub(crate) version: Arc<Version>,
    pub(crate) closed: ClosedFlag,
    /// The store cannot be opened again before its last reader is gone.
    pub(crate) _folder_lock: Arc<FolderLock>,
}

impl Version {
    /// Opens the current state of the tables.
    pub(crate) fn open(environment: &Environment) -> Result<Self> {
        match environment {
            Environment::Mapped(mapped) => Readers::open(mapped).map(Version::Mapped),
            Environment::Encrypted(encrypted) => SharedView::open(encrypted).map(Version::Encrypted),
        }
    }

    /// Returns the bytes of the file that hold no data of this state.
    pub(crate) fn free_bytes(&self) -> u64 {
        match self {
            Version::Mapped(readers) => readers.free_bytes(),
            Version::Encrypted(view) => view.free_bytes(),
        }
    }

    /// Returns the size of the file in bytes.
    pub(crate) fn file_bytes(&self) -> u64 {
        match self {
            Version::Mapped(readers) => readers.file_bytes(),
            Version::Encrypted(view) => view.file_bytes(),
        }
    }

    /// Returns the bytes of decrypted pages in memory.
    pub(crate) fn cached_bytes(&self) -> u64 {
        match self {
            Version::Mapped(_) => 0,
            Version::Encrypted(view) => view.cached_bytes(),
        }
    }

    /// Returns true if the file must be opened anew, see [`Environment::is_broken`].
    pub(crate) fn is_broken(&self) -> bool {
        match self {
            Version::Mapped(_) => false,
            Version::Encrypted(view) => view.is_broken(),
        }
    }

    /// Reads the state. Errors: [`kv::Error::SnapshotExpired`].
    pub(crate) fn read<T>(&self, read: impl FnOnce(Reader<'_>) -> Result<T>) -> Result<T> {
        match self {
            Version::Mapped(readers) => readers.read(|reader| read(Reader::Mapped(reader))),
            Version::Encrypted(view) => view.read(|view| read(Reader::Encrypted(view))),
        }
    }

    /// Prepares for readers that come when the state has ceased to be the current one.
    pub(crate) fn prepare_for_successor(&self) {
        match self {
            Version::Mapped(readers) => readers.prepare_for_successor(),
            Version::Encrypted(_) => {}
        }
    }

    /// Makes every later read fail with [`kv::Error::SnapshotExpired`], so that the pages of the
    /// state can be used again.
    pub(crate) fn expire(&self) {
        match self {
            Version::Mapped(readers) => readers.expire(),
            Version::Encrypted(view) => view.expire(),
        }
    }
}
