//! Where the bytes of a journal are: a file, or memory in tests.

use std::future::Future;
use std::io;
use std::pin::Pin;

/// The end of a write.
pub(crate) type DiskFuture<'a> = Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>>;

/// The bytes of one journal. A write has ended when its bytes survive a loss of power.
pub(crate) trait Disk: Send + Sync + 'static {
    /// Returns all bytes, or none if no journal was ever begun.
    fn read(&self) -> io::Result<Option<Vec<u8>>>;

    /// Removes all bytes beyond this length, before anything is appended.
    fn cut(&self, length: u64) -> io::Result<()>;

    /// Appends bytes.
    fn append(&self, bytes: Vec<u8>) -> DiskFuture<'_>;

    /// Replaces all bytes at once: after a failure either the old or the new ones are there.
    fn replace(&self, bytes: Vec<u8>) -> DiskFuture<'_>;
}
