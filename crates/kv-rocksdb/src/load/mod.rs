//! Bulk loads and the choice between table files and the log.

pub(crate) mod logged;
pub(crate) mod tables;

use kv::{LoadHint, LoadKind};

use crate::options::MERGED_FROM_TABLES;
use crate::store::Store;

/// The number of tables in the first level from which loads go through the log.
///
/// RocksDB slows all writers down to kilobytes per second from 20 tables on. A load through the log
/// costs more, and small writes wait for the whole of it. Tables of loads rarely overlap, so they
/// slow readers down little.
const PILED_UP_FROM_TABLES: u32 = 3 * MERGED_FROM_TABLES;

/// The number of pairs from which a load writes tables instead of the log. With fewer, creating and
/// moving files costs more than it saves.
const TABLE_PAIRS_MIN: usize = 2_000;

/// The path of a load's pairs into RocksDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoadPath {
    /// Sorted tables that bypass the log, moved into the store at the end.
    Tables,
    /// One batch through the log.
    Log,
}

impl Store {
    /// Chooses the path of a load.
    ///
    /// Measured with 1,000,000 documents of 150 bytes, in processor time until the last compaction
    /// has ended. If batches follow each other in order, tables take 0.65 of the log's time. If
    /// keys are scattered, tables take 1.4 times the log's time, because they are merged again
    /// immediately.
    pub(crate) fn load_path(&self, kind: LoadKind, hint: LoadHint) -> LoadPath {
        match (kind, hint) {
            (LoadKind::Private, _) => LoadPath::Tables,
            (LoadKind::Visible, LoadHint::Sorted { pairs })
                if pairs >= TABLE_PAIRS_MIN && !self.tables_would_pile_up() =>
            {
                LoadPath::Tables
            }
            (LoadKind::Visible, _) => LoadPath::Log,
        }
    }

    /// Returns true if many tables of the first level wait to be merged.
    ///
    /// RocksDB puts tables that are loaded during a merge on top of them, whatever their keys.
    fn tables_would_pile_up(&self) -> bool {
        let tables = self.db.property_value("rocksdb.num-files-at-level0").ok().flatten();
        tables
            .and_then(|tables| tables.parse::<u32>().ok())
            .is_some_and(|tables| tables >= PILED_UP_FROM_TABLES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::RocksOptions;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &RocksOptions::default()).unwrap();
        (folder, store)
    }

    #[test]
    fn long_runs_become_tables_and_all_else_goes_through_the_log() {
        let (_folder, store) = store();
        let path = |hint| store.load_path(LoadKind::Visible, hint);
        assert_eq!(path(LoadHint::Sorted { pairs: TABLE_PAIRS_MIN }), LoadPath::Tables);
        assert_eq!(path(LoadHint::Sorted { pairs: TABLE_PAIRS_MIN - 1 }), LoadPath::Log);
        assert_eq!(path(LoadHint::Scattered), LoadPath::Log);
        assert_eq!(store.load_path(LoadKind::Private, LoadHint::Scattered), LoadPath::Tables);
    }

    #[test]
    fn no_tables_are_loaded_onto_many_that_wait_to_be_merged() {
        let (_folder, store) = store();
        let path = || store.load_path(LoadKind::Visible, LoadHint::Sorted { pairs: TABLE_PAIRS_MIN });
        store.db.set_options(&[("disable_auto_compactions", "true")]).unwrap();
        for tables in 0..PILED_UP_FROM_TABLES {
            assert_eq!(path(), LoadPath::Tables, "{tables}");
            store.db.put(b"key", tables.to_be_bytes()).unwrap();
            store.db.flush().unwrap();
        }
        assert_eq!(path(), LoadPath::Log);
        store.db.compact_range::<&[u8], &[u8]>(None, None);
        assert_eq!(path(), LoadPath::Tables);
    }
}
