//! A disk in memory whose machine can lose power.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::sleep;

use crate::journal::{Disk, DiskFuture};

/// The bytes of one journal.
#[derive(Clone, Default)]
pub(super) struct MemoryDisk {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    /// The bytes that survive, or none before the first write.
    bytes: Option<Vec<u8>>,
    /// The write that is in progress.
    pending: Option<Pending>,
    /// The time that a write takes.
    delay: Duration,
    /// True after the power was lost: nothing reaches the disk.
    dead: bool,
    /// True if all writes fail.
    failing: bool,
}

enum Pending {
    Append(Vec<u8>),
    Replace(Vec<u8>),
}

impl MemoryDisk {
    /// Sets the time that each write takes.
    pub(super) fn slow_down(&self, delay: Duration) {
        self.inner.lock().unwrap().delay = delay;
    }

    /// Makes all writes fail.
    pub(super) fn fail(&self) {
        self.inner.lock().unwrap().failing = true;
    }

    /// Loses power. A write in progress reaches the disk in part: nothing, some bytes, or all of it
    /// without an acknowledgement. Returns the disk as the next start finds it.
    pub(super) fn lose_power(&self, rng: &mut fastrand::Rng) -> MemoryDisk {
        let mut inner = self.inner.lock().unwrap();
        inner.dead = true;
        let mut bytes = inner.bytes.clone();
        match inner.pending.take() {
            Some(Pending::Append(write)) => {
                let some = rng.usize(0..=write.len());
                let kept = *rng.choice(&[0, some, write.len()]).unwrap();
                bytes.as_mut().unwrap().extend_from_slice(&write[..kept]);
            }
            Some(Pending::Replace(write)) if rng.bool() => bytes = Some(write),
            Some(Pending::Replace(_)) | None => {}
        }
        let inner = Inner { bytes, ..Inner::default() };
        MemoryDisk { inner: Arc::new(Mutex::new(inner)) }
    }

    /// Returns the bytes that would survive.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.inner.lock().unwrap().bytes.clone().unwrap_or_default()
    }

    async fn write(&self, pending: Pending) -> io::Result<()> {
        let delay = {
            let mut inner = self.inner.lock().unwrap();
            if inner.dead || inner.failing {
                return Err(io::Error::other("the disk fails"));
            }
            inner.pending = Some(pending);
            inner.delay
        };
        if !delay.is_zero() {
            sleep(delay).await;
        }
        let mut inner = self.inner.lock().unwrap();
        if inner.dead {
            return Err(io::Error::other("the power was lost"));
        }
        match inner.pending.take().unwrap() {
            Pending::Append(write) => inner.bytes.as_mut().unwrap().extend_from_slice(&write),
            Pending::Replace(write) => inner.bytes = Some(write),
        }
        Ok(())
    }
}

impl Disk for MemoryDisk {
    fn read(&self) -> io::Result<Option<Vec<u8>>> {
        Ok(self.inner.lock().unwrap().bytes.clone())
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        let mut inner = self.inner.lock().unwrap();
        inner.bytes.as_mut().unwrap().truncate(usize::try_from(length).unwrap());
        Ok(())
    }

    fn append(&self, bytes: Vec<u8>) -> DiskFuture<'_> {
        Box::pin(self.write(Pending::Append(bytes)))
    }

    fn replace(&self, bytes: Vec<u8>) -> DiskFuture<'_> {
        Box::pin(self.write(Pending::Replace(bytes)))
    }
}
