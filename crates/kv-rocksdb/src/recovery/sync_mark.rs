//! The file `SYNCED`: how much of the write-ahead log was synced.
//!
//! RocksDB's manifest has the sizes of full and synced log files. This mark has the same for the
//! file that is being written. It is written after each sync, and not synced itself. After a crash
//! of the machine it may be an older one, which promises less, but it never promises too much.
//!
//! It is one line of fixed length: `persea synced 1`, the number of the file, its synced bytes, and
//! the crc32c of everything before.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use file_lock::FileLock;
use kv::{Error, Result};
use rust_rocksdb::DB;

use crate::error::map_open_io;

const FILE_NAME: &str = "SYNCED";
const PREFIX: &str = "persea synced 1";
const LINE_BYTES_MAX: usize = 128;

/// A position in the log. It covers all bytes before it in the same file, and all earlier files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WalPosition {
    /// The file's number.
    pub(crate) number: u64,
    pub(crate) bytes: u64,
}

/// The open file, which is locked while it is open.
pub(crate) struct SyncMark {
    file: File,
    /// `None` on a file system without locks. RocksDB's own lock remains.
    _lock: Option<FileLock>,
}

impl WalPosition {
    /// Returns the end of the log of an open database. Everything that was handed to the operating
    /// system lies before it.
    ///
    /// `None` if the file is replaced and removed at this very moment.
    pub(crate) fn end(db: &DB) -> Option<WalPosition> {
        let file = db.get_current_wal_file().ok()?;
        Some(WalPosition { number: file.log_number(), bytes: file.size_file_bytes() })
    }

    fn line(self) -> String {
        let text = format!("{PREFIX} {:020} {:020}", self.number, self.bytes);
        format!("{text} {:08x}\n", crc32c::crc32c(text.as_bytes()))
    }

    /// Parses a line; `None` if it is incomplete or damaged.
    fn parse(line: &str) -> Option<WalPosition> {
        let (text, crc) = line.strip_suffix('\n')?.rsplit_once(' ')?;
        if u32::from_str_radix(crc, 16).ok()? != crc32c::crc32c(text.as_bytes()) {
            return None;
        }
        let (number, bytes) = text.strip_prefix(PREFIX)?.trim_start().split_once(' ')?;
        Some(WalPosition { number: number.parse().ok()?, bytes: bytes.parse().ok()? })
    }
}

impl SyncMark {
    /// Opens the mark of the store in `folder`, or creates an empty one.
    ///
    /// Errors: [`Error::Locked`] if the store is open elsewhere, so that nobody judges a log that
    /// is being written.
    pub(crate) fn open(folder: &Path) -> Result<SyncMark> {
        let path = folder.join(FILE_NAME);
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = opened.map_err(|error| map_open_io("opening", &path, &error))?;
        match file.try_clone().and_then(FileLock::exclusive) {
            Ok(None) => Err(Error::Locked { path: folder.to_owned() }),
            locked => Ok(SyncMark { file, _lock: locked.ok().flatten() }),
        }
    }

    /// Returns the position that was written last, if there is one.
    pub(crate) fn read(&self) -> Option<WalPosition> {
        let mut line = [0; LINE_BYTES_MAX];
        let length = self.file.read_at(&mut line, 0).ok()?;
        WalPosition::parse(std::str::from_utf8(line.get(..length)?).ok()?)
    }

    /// Records that the log up to `end` is synced.
    ///
    /// A failure leaves the older mark, or one whose checksum is wrong.
    pub(crate) fn write(&self, end: Option<WalPosition>) {
        if let Some(end) = end {
            let _ = self.file.write_all_at(end.line().as_bytes(), 0);
        }
    }

    /// Records that everything in the log so far is in tables.
    pub(crate) fn write_all_flushed(&self, db: &DB) {
        self.write(WalPosition::end(db).map(|end| WalPosition { bytes: 0, ..end }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_again_and_damage_to_it_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let mark = SyncMark::open(folder.path()).unwrap();
        assert_eq!(mark.read(), None);
        for position in
            [WalPosition { number: 7, bytes: 1 << 40 }, WalPosition { number: u64::MAX, bytes: 0 }]
        {
            mark.write(Some(position));
            assert_eq!(mark.read(), Some(position));
        }
        assert!(matches!(SyncMark::open(folder.path()), Err(Error::Locked { .. })));
        drop(mark);
        let path = folder.path().join(FILE_NAME);
        let line = std::fs::read(&path).unwrap();
        for at in 0..line.len() {
            let mut changed = line.clone();
            changed[at] ^= 1;
            std::fs::write(&path, &changed).unwrap();
            assert_eq!(SyncMark::open(folder.path()).unwrap().read(), None, "byte {at}");
            std::fs::write(&path, &line[..at]).unwrap();
            assert_eq!(SyncMark::open(folder.path()).unwrap().read(), None, "cut at {at}");
        }
    }
}
