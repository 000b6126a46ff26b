//! RocksDB's snapshots, iterators and table writers without lifetimes: each keeps alive what it
//! borrows.
//!
//! This is the only file of the crate with `unsafe` code. The wrapped objects borrow the database
//! or the options. Rust cannot express the lifetime of such a borrow in an object that also owns
//! the borrowed value. Here the borrowed value is in an `Arc`, whose content never moves, in the
//! same struct as the borrowing object. Rust drops the fields of a struct in the order of their
//! declaration, so the borrowing field is declared first. No function returns the wrapped object,
//! so nobody can keep it or swap it with one that borrows another value.

#![allow(unsafe_code)]

use std::path::Path;
use std::sync::Arc;

use rust_rocksdb::{DB, DBRawIterator, Options, ReadOptions, Snapshot, SstFileWriter};

/// A snapshot that keeps its database open.
pub(crate) struct OwnedSnapshot {
    // This is declared before `db`, so it is dropped first.
    snapshot: Snapshot<'static>,
    db: Arc<DB>,
}

impl OwnedSnapshot {
    pub(crate) fn new(db: &Arc<DB>) -> Self {
        let db = Arc::clone(db);
        // SAFETY: the snapshot borrows the `DB` inside the `Arc`, and nothing else. The `DB` does
        // not move while `self.db`, an `Arc` to it, lives, and `self.db` is dropped after the
        // snapshot.
        let snapshot = unsafe { std::mem::transmute::<Snapshot<'_>, Snapshot<'static>>(db.snapshot()) };
        OwnedSnapshot { snapshot, db }
    }

    pub(crate) fn db(&self) -> &DB {
        &self.db
    }

    /// Makes reads with `options` see this snapshot. The options must not be used after the
    /// snapshot is gone.
    pub(crate) fn apply_to(&self, options: &mut ReadOptions) {
        options.set_snapshot(&self.snapshot);
    }
}

/// An iterator that keeps its snapshot alive.
pub(crate) struct OwnedIterator {
    // This is declared before `_snapshot`, so it is dropped first.
    iterator: DBRawIterator<'static>,
    _snapshot: Arc<OwnedSnapshot>,
}

impl OwnedIterator {
    pub(crate) fn new(snapshot: &Arc<OwnedSnapshot>, options: ReadOptions) -> Self {
        let snapshot = Arc::clone(snapshot);
        let iterator = snapshot.snapshot.raw_iterator_opt(options);
        // SAFETY: the iterator borrows the snapshot inside the `Arc`. The snapshot does not move
        // while `self._snapshot` lives, and `self._snapshot` is dropped after the iterator. The
        // snapshot keeps the database open. The iterator owns its options.
        let iterator = unsafe { std::mem::transmute::<DBRawIterator<'_>, DBRawIterator<'static>>(iterator) };
        OwnedIterator { iterator, _snapshot: snapshot }
    }

    /// Moves to the first key that is not less than `key`.
    pub(crate) fn seek(&mut self, key: &[u8]) {
        self.iterator.seek(key);
    }

    /// Moves to the last key within the iterator's bounds.
    pub(crate) fn seek_to_last(&mut self) {
        self.iterator.seek_to_last();
    }

    /// Returns the current pair; `None` after the last one, or after an error.
    #[inline]
    pub(crate) fn item(&self) -> Option<(&[u8], &[u8])> {
        self.iterator.item()
    }

    #[inline]
    pub(crate) fn next(&mut self) {
        self.iterator.next();
    }

    #[inline]
    pub(crate) fn prev(&mut self) {
        self.iterator.prev();
    }

    /// Returns the error that ended the iteration, if there was one.
    pub(crate) fn status(&self) -> Result<(), rust_rocksdb::Error> {
        self.iterator.status()
    }
}

/// A writer of a table file that keeps its options alive.
pub(crate) struct OwnedTableWriter {
    // This is declared before `_options`, so it is dropped first.
    writer: SstFileWriter<'static>,
    _options: Arc<Options>,
}

impl OwnedTableWriter {
    pub(crate) fn new(options: &Arc<Options>) -> Self {
        let options = Arc::clone(options);
        // SAFETY: the writer borrows the options inside the `Arc`. They do not move while
        // `self._options` lives, and `self._options` is dropped after the writer.
        let writer = unsafe {
            std::mem::transmute::<SstFileWriter<'_>, SstFileWriter<'static>>(SstFileWriter::create(&options))
        };
        OwnedTableWriter { writer, _options: options }
    }

    pub(crate) fn open(&mut self, path: &Path) -> Result<(), rust_rocksdb::Error> {
        self.writer.open(path)
    }

    pub(crate) fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), rust_rocksdb::Error> {
        self.writer.put(key, value)
    }

    /// Writes the rest of the file and syncs it.
    pub(crate) fn finish(&mut self) -> Result<(), rust_rocksdb::Error> {
        self.writer.finish()
    }

    /// Returns the number of bytes written to the file so far.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.writer.file_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> (tempfile::TempDir, Arc<DB>) {
        let folder = tempfile::tempdir().unwrap();
        let mut options = Options::default();
        options.create_if_missing(true);
        let db = Arc::new(DB::open(&options, folder.path()).unwrap());
        db.put(b"a", b"1").unwrap();
        (folder, db)
    }

    #[test]
    fn a_snapshot_keeps_its_database_open() {
        let (folder, db) = open();
        let snapshot = OwnedSnapshot::new(&db);
        db.put(b"a", b"2").unwrap();
        drop(db);
        let mut options = ReadOptions::default();
        snapshot.apply_to(&mut options);
        assert_eq!(snapshot.db().get_opt(b"a", &options).unwrap().as_deref(), Some(&b"1"[..]));
        assert!(
            DB::open(&Options::default(), folder.path()).is_err(),
            "the snapshot must keep the database open"
        );
        drop(snapshot);
        assert!(
            DB::open(&Options::default(), folder.path()).is_ok(),
            "the last handle must close the database"
        );
    }

    #[test]
    fn an_iterator_keeps_its_snapshot() {
        let (folder, db) = open();
        let snapshot = Arc::new(OwnedSnapshot::new(&db));
        let mut iterator = OwnedIterator::new(&snapshot, ReadOptions::default());
        db.put(b"a", b"2").unwrap();
        db.put(b"b", b"2").unwrap();
        drop((db, snapshot));
        iterator.seek(b"");
        assert_eq!(iterator.item(), Some((&b"a"[..], &b"1"[..])));
        iterator.next();
        assert_eq!(iterator.item(), None);
        let iterator = std::thread::spawn(move || iterator).join().unwrap();
        drop(iterator);
        assert!(
            DB::open(&Options::default(), folder.path()).is_ok(),
            "the last handle must close the database"
        );
    }

    #[test]
    fn a_table_writer_keeps_its_options() {
        let folder = tempfile::tempdir().unwrap();
        let options = Arc::new(Options::default());
        let mut writer = OwnedTableWriter::new(&options);
        drop(options);
        let path = folder.path().join("table");
        writer.open(&path).unwrap();
        writer.put(b"a", b"1").unwrap();
        writer.finish().unwrap();
        drop(writer);
        assert!(path.metadata().unwrap().len() > 0);
    }
}
