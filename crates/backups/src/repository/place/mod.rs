//! The places of repositories: named pieces of bytes in a folder or in object storage.

mod bucket;
mod folder;

use std::fmt::Debug;
use std::io;
use std::path::Path;

pub(super) use bucket::BucketPlace;
pub(super) use folder::FolderPlace;

/// A function that hears of the bytes of each piece, and may end the transfer.
pub(super) type Note<'a> = &'a mut dyn FnMut(u64) -> io::Result<()>;

/// The protection of a repository from others, until it is dropped.
pub(super) trait Guard: Debug {}

/// A piece in a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The name, with slashes between folders.
    pub(super) name: String,
    pub(super) size_bytes: u64,
}

/// A place of named pieces. Each exists as a whole or not at all.
pub(super) trait Place: Debug + Send {
    /// Returns the address of a piece, or of the place for an empty name, for messages.
    fn address(&self, name: &str) -> String;

    /// Makes the place if it does not exist. Returns true if nothing is in it.
    fn prepare(&self) -> io::Result<bool>;

    /// Returns the content of a piece, or `None` if there is none.
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>>;

    /// Makes or replaces a piece, durably.
    fn write(&self, name: &str, content: &[u8]) -> io::Result<()>;

    /// Removes a piece, durably.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Returns all pieces below a folder, by name. Pieces whose transfer was broken off are among
    /// them.
    fn list(&self, folder: &str) -> io::Result<Vec<Piece>>;

    /// Copies a file with this SHA-256 into the place.
    fn store(&self, name: &str, from: &Path, sha256: &str, note: Note<'_>) -> io::Result<()>;

    /// Copies a piece into a file, and returns the SHA-256 of its content.
    fn fetch(&self, name: &str, to: &Path, note: Note<'_>) -> io::Result<String>;

    /// Returns the SHA-256 of a piece.
    fn digest(&self, name: &str, note: Note<'_>) -> io::Result<String>;

    /// Protects pieces from being removed; `None` while others remove some.
    fn share(&self) -> io::Result<Option<Box<dyn Guard>>>;

    /// Keeps all others out; `None` while there are others.
    fn own(&self) -> io::Result<Option<Box<dyn Guard>>>;

    /// Removes what interrupted transfers have left next to the pieces. The caller owns the place.
    fn clean(&self) -> io::Result<()>;
}

/// Returns the error for a file that changed while it was copied, or is damaged.
fn changed(from: &Path) -> io::Error {
    io::Error::other(format!("{} changed while it was read, or is damaged", from.display()))
}
