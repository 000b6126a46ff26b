//! Locks of files, which keep other processes out of a folder.
//!
//! The operating system ends a lock with its process, or once all descriptors of the opened file
//! are closed. A child process has a copy of each descriptor from its start until it runs its
//! program. So closing the file is not enough to end the lock: this type ends it explicitly.

use std::fs::{File, TryLockError};
use std::io;

/// A locked file. Dropping it unlocks.
#[derive(Debug)]
pub struct FileLock(File);

impl FileLock {
    /// Locks a file for this owner alone. Returns `None` if another has locked it.
    pub fn exclusive(file: File) -> io::Result<Option<FileLock>> {
        let locked = file.try_lock();
        Self::of(file, locked)
    }

    /// Locks a file for all that share it. Returns `None` if another has it alone.
    pub fn shared(file: File) -> io::Result<Option<FileLock>> {
        let locked = file.try_lock_shared();
        Self::of(file, locked)
    }

    fn of(file: File, locked: Result<(), TryLockError>) -> io::Result<Option<FileLock>> {
        match locked {
            Ok(()) => Ok(Some(FileLock(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // After a failure, the lock ends with the last descriptor.
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_owner_or_many_that_share() {
        let folder = tempfile::tempdir().unwrap();
        let open = || File::create(folder.path().join("lock")).unwrap();
        let first = FileLock::shared(open()).unwrap().unwrap();
        let second = FileLock::shared(open()).unwrap().unwrap();
        assert!(FileLock::exclusive(open()).unwrap().is_none());
        drop((first, second));
        let _alone = FileLock::exclusive(open()).unwrap().unwrap();
        assert!(FileLock::exclusive(open()).unwrap().is_none());
        assert!(FileLock::shared(open()).unwrap().is_none());
    }

    #[test]
    fn a_copy_of_the_descriptor_does_not_keep_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let open = || File::create(folder.path().join("lock")).unwrap();
        let lock = FileLock::exclusive(open()).unwrap().unwrap();
        // As in a child process that has not begun its program.
        let _copy = lock.0.try_clone().unwrap();
        drop(lock);
        assert!(FileLock::exclusive(open()).unwrap().is_some());
    }
}
