//! The mapped file: an LMDB environment with the tables of a store.

use std::fs;
use std::path::Path;

use heed::types::Bytes;
use heed::{CommitOrAbort, CompactionOption, Env, EnvFlags, EnvOpenOptions, RoTxn, WithoutTls};
use kv::{Error, Result};

use crate::data_files::{self, MAPPED_SUFFIX, path_of};
use crate::error::{map, map_open};

/// A table of LMDB with keys and values of bytes.
pub(super) type Table = heed::Database<'static, Bytes, Bytes>;

/// A read transaction that threads may hand to each other.
pub(super) type ReadTransaction = RoTxn<'static, WithoutTls>;

/// Maximum number of concurrent read transactions, a slot of 64 bytes each.
const READERS_MAX: u32 = 16_384;

/// The tables of a store.
#[derive(Clone, Copy)]
pub(super) struct Tables {
    /// The pairs by key; long keys begin here (module `keys`).
    pub(super) pairs: Table,
    /// The further parts of long keys.
    pub(super) long: Table,
    /// Samples of the keys (module `samples`).
    pub(super) samples: Table,
    /// The state of the store (module `writer`).
    pub(super) state: Table,
}

/// An open mapped file.
#[derive(Clone)]
pub(crate) struct Environment {
    env: Env<WithoutTls>,
    pub(super) tables: Tables,
    number: u64,
}

impl Environment {
    /// Opens the newest mapped file in `folder`, or creates one. Removes what compactions left.
    pub(crate) fn open(folder: &Path, map_bytes: u64) -> Result<Self> {
        let number = data_files::newest(folder)?.unwrap_or(1);
        data_files::remove_others(folder, number)?;
        Self::open_file(folder, number, map_bytes)
    }

    fn open_file(folder: &Path, number: u64, map_bytes: u64) -> Result<Self> {
        let path = path_of(folder, number, MAPPED_SUFFIX);
        let length = fs::metadata(&path).map_or(0, |file| file.len());
        if length > map_bytes {
            return Err(Error::Full {
                reason: format!(
                    "{} has {length} bytes, but the map only {map_bytes}; raise --mmfiles.max-map-size or \
                     the limit of the address space",
                    path.display()
                ),
            });
        }
        let env = unsafe_open::open(&path, map_bytes).map_err(|error| map_open(&path, error))?;
        env.clear_stale_readers().map_err(map("clearing the readers"))?;
        let tables = create_tables(&env).map_err(|error| map_open(&path, error))?;
        Ok(Environment { env, tables, number })
    }

    pub(super) fn begin_read(&self) -> heed::Result<ReadTransaction> {
        self.env.clone().static_read_txn()
    }

    pub(super) fn begin_write(&self) -> Result<heed::RwTxn<'_>> {
        self.env.write_txn().map_err(map("beginning to write the tables"))
    }

    /// Returns the bytes of all pages of the file, used or free.
    pub(crate) fn total_bytes(&self) -> u64 {
        (self.env.info().last_page_number as u64 + 1) * page_bytes()
    }

    /// Returns the bytes of the pages of the file that hold data.
    pub(super) fn used_bytes(&self, transaction: &RoTxn<'_>) -> Result<u64> {
        let Tables { pairs, long, samples, state } = self.tables;
        let mut pages = 0;
        for table in [pairs, long, samples, state] {
            let stat = table.stat(transaction).map_err(map("reading the statistics of a table"))?;
            pages += stat.branch_pages + stat.leaf_pages + stat.overflow_pages;
        }
        Ok(pages as u64 * page_bytes())
    }

    /// Returns the size of the file in bytes.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.env.real_disk_size().unwrap_or_default()
    }

    /// Writes a copy without free pages to `path` and syncs it.
    fn copy(&self, path: &Path) -> Result<()> {
        let file =
            self.env.copy_to_path(path, CompactionOption::Enabled).map_err(map("copying the tables"))?;
        file.sync_all().map_err(|error| Error::io(format!("syncing {}", path.display()), &error))
    }

    /// Writes a copy without free pages into another folder.
    pub(crate) fn copy_into(&self, folder: &Path) -> Result<()> {
        self.copy(&path_of(folder, 1, MAPPED_SUFFIX))
    }

    /// Writes a copy without free pages, replaces this file by it, and opens it.
    ///
    /// Existing snapshots keep reading this file. Its space is free when the last of them is gone.
    pub(crate) fn replace(&self, folder: &Path, map_bytes: u64) -> Result<Environment> {
        let (number, temporary) = (self.number + 1, data_files::new_path(folder));
        let path = path_of(folder, number, MAPPED_SUFFIX);
        if let Err(error) = self.copy(&temporary) {
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
        data_files::rename_new(folder, &path)?;
        let opened = Self::open_file(folder, number, map_bytes);
        let (obsolete, result) = match opened {
            Ok(environment) => (self.number, Ok(environment)),
            Err(error) => (number, Err(error)),
        };
        let path = path_of(folder, obsolete, MAPPED_SUFFIX);
        // The next start removes what is left.
        let _ = fs::remove_file(&path);
        let _ = fs::remove_file(data_files::lock_path(&path));
        result
    }
}

/// Returns the size of LMDB's pages, which are those of the machine.
fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}

fn create_tables(env: &Env<WithoutTls>) -> heed::Result<Tables> {
    let transaction = env.write_txn()?;
    let created = env.create_databases_and_commit(transaction, |opener, transaction| {
        let create = |name, transaction: &mut heed::RwTxn<'_>| {
            opener.database_options().types::<Bytes, Bytes>().name(name).create(transaction)
        };
        let tables = (
            create("pairs", transaction)?,
            create("long", transaction)?,
            create("samples", transaction)?,
            create("state", transaction)?,
        );
        Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(tables))
    })?;
    let (pairs, long, samples, state) = created.unwrap_commit();
    Ok(Tables { pairs, long, samples, state })
}

/// The only unsafe call of this crate.
mod unsafe_open {
    #![allow(unsafe_code)]

    use super::*;

    /// Opens or creates a mapped file.
    pub(super) fn open(path: &Path, map_bytes: u64) -> heed::Result<Env<WithoutTls>> {
        let mut options = EnvOpenOptions::new().read_txn_without_tls();
        options.map_size(usize::try_from(map_bytes).unwrap_or(usize::MAX));
        options.max_readers(READERS_MAX).max_dbs(8);
        // SAFETY: reading a mapped file is undefined behaviour if another program changes the file
        // at the same time. The lock of the folder keeps other servers out, and the folder is
        // private to its user. The map is never resized. The flag says that the path is a file
        // instead of a folder. Neither NO_SYNC, NO_LOCK nor WRITE_MAP is set.
        unsafe {
            options.flags(EnvFlags::NO_SUB_DIR);
            options.open(path)
        }
    }
}
