//! A place in object storage.
//!
//! Object storage has no locks. A user of the place writes an object `locks/KIND-ID` first and then
//! looks at all locks. Since listings show every object that was written before, at least one of
//! two users sees the other. A user renews its lock every few minutes; an older lock belongs to a
//! program that was killed. All times are of the storage's clock.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use s3::{Bucket, BucketOptions};
use sha2::{Digest, Sha256};

use super::{Guard, Note, Piece, Place, changed};
use crate::id::random_label;

const LOCKS: &str = "locks/";
const SHARED: &str = "shared-";
const OWN: &str = "own-";

/// The age of a lock in seconds from which its program is taken for dead.
const LOCK_SECONDS: i64 = 900;

/// The time after which a lock is written anew. A request with all its retries takes less than the
/// rest.
const LOCK_RENEWAL: Duration = Duration::from_secs(120);

/// The objects of a bucket below one prefix.
#[derive(Debug)]
pub(in super::super) struct BucketPlace {
    bucket: Bucket,
    /// The lock of this place, and the time when it was written.
    lock: Mutex<Option<(String, Instant)>>,
}

/// A lock, which is removed at the end.
#[derive(Debug)]
struct Lock {
    bucket: Bucket,
    key: String,
}

impl Guard for Lock {}

impl Drop for Lock {
    fn drop(&mut self) {
        // Otherwise it counts until it is too old.
        let _ = self.bucket.delete(&self.key);
    }
}

impl BucketPlace {
    pub(in super::super) fn new(options: BucketOptions) -> s3::Result<Self> {
        Ok(BucketPlace { bucket: Bucket::new(options)?, lock: Mutex::default() })
    }

    /// Writes the lock anew before it is taken for a dead program's.
    fn renew(&self) -> io::Result<()> {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((key, written)) = lock.as_mut()
            && written.elapsed() > LOCK_RENEWAL
        {
            self.bucket.put(key, "")?;
            *written = Instant::now();
        }
        Ok(())
    }

    /// Takes a lock, unless one of another kind is in its way.
    fn take(&self, kind: &str, is_hindered_by: fn(&str) -> bool) -> io::Result<Option<Box<dyn Guard>>> {
        let label = random_label().map_err(|error| io::Error::other(error.to_string()))?;
        let key = format!("{LOCKS}{kind}{label}");
        let lock = Lock { bucket: self.bucket.clone(), key: key.clone() };
        self.bucket.put(&key, "")?;
        let listing = self.bucket.list(LOCKS)?;
        for object in listing.objects.iter().filter(|object| object.key != key) {
            if listing.now_seconds - object.modified_seconds > LOCK_SECONDS {
                self.bucket.delete(&object.key)?;
            } else if object.key.strip_prefix(LOCKS).is_some_and(is_hindered_by) {
                return Ok(None);
            }
        }
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = Some((key, Instant::now()));
        Ok(Some(Box::new(lock)))
    }

    /// Reads an object, and returns the SHA-256 of its content.
    fn pass(
        &self,
        name: &str,
        note: Note<'_>,
        take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<String> {
        let mut hash = Sha256::new();
        self.bucket.read(name, &mut |piece| {
            self.renew()?;
            note(piece.len() as u64)?;
            hash.update(piece);
            take(piece)
        })?;
        Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl Place for BucketPlace {
    fn address(&self, name: &str) -> String {
        format!("{}/{name}", self.bucket.name().trim_end_matches('/')).trim_end_matches('/').to_owned()
    }

    fn prepare(&self) -> io::Result<bool> {
        Ok(self.bucket.list("")?.objects.is_empty())
    }

    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        Ok(self.bucket.get(name)?.map(|content| content.to_vec()))
    }

    fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        self.renew()?;
        Ok(self.bucket.put(name, content.to_vec())?)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.renew()?;
        Ok(self.bucket.delete(name)?)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<Piece>> {
        let objects = self.bucket.list(&format!("{folder}/"))?.objects;
        let piece = |object: s3::Object| Piece { name: object.key, size_bytes: object.size_bytes };
        Ok(objects.into_iter().map(piece).collect())
    }

    fn store(&self, name: &str, from: &Path, sha256: &str, note: Note<'_>) -> io::Result<()> {
        let stored = self.bucket.put_file(name, from, sha256, &mut |bytes| {
            self.renew()?;
            note(bytes)
        });
        stored.map_err(|error| match error {
            s3::Error::Changed { .. } => changed(from),
            other => other.into(),
        })
    }

    fn fetch(&self, name: &str, to: &Path, note: Note<'_>) -> io::Result<String> {
        let mut file = File::create(to)?;
        let digest = self.pass(name, note, &mut |piece| file.write_all(piece))?;
        file.sync_all()?;
        Ok(digest)
    }

    fn digest(&self, name: &str, note: Note<'_>) -> io::Result<String> {
        self.pass(name, note, &mut |_| Ok(()))
    }

    fn share(&self) -> io::Result<Option<Box<dyn Guard>>> {
        self.take(SHARED, |other| other.starts_with(OWN))
    }

    fn own(&self) -> io::Result<Option<Box<dyn Guard>>> {
        self.take(OWN, |_| true)
    }

    fn clean(&self) -> io::Result<()> {
        Ok(self.bucket.abort_uploads()?)
    }
}
