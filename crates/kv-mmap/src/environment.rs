//! The mapped file: an LMDB environment with the tables of a store.
//!
//! A store has one mapped file, `pairs.N.mdb`. A compaction writes the next one, and the file with
//! the greatest number counts.

use std::fs;
use std::path::{Path, PathBuf};

use heed::types::Bytes;
use heed::{CommitOrAbort, CompactionOption, Env, EnvFlags, EnvOpenOptions, RoTxn, WithoutTls};
use kv::{Error, Result};

use crate::error::{map, map_open, map_open_io};

/// A table of LMDB with keys and values of bytes.
pub(crate) type Table = heed::Database<'static, Bytes, Bytes>;

/// A read transaction that threads may hand to each other.
pub(crate) type ReadTransaction = RoTxn<'static, WithoutTls>;

/// Maximum number of concurrent read transactions, a slot of 64 bytes each.
const READERS_MAX: u32 = 16_384;

const PREFIX: &str = "pairs.";
const SUFFIX: &str = ".mdb";
const LOCK_SUFFIX: &str = "-lock";

/// The tables of a store.
#[derive(Clone, Copy)]
pub(crate) struct Tables {
    /// The pairs by key; long keys begin here (module `keys`).
    pub(crate) pairs: Table,
    /// The further parts of long keys.
    pub(crate) long: Table,
    /// Samples of the keys (module `samples`).
    pub(crate) samples: Table,
    /// The state of the store (module `tables`).
    pub(crate) state: Table,
}

/// An open mapped file.
#[derive(Clone)]
pub(crate) struct Environment {
    env: Env<WithoutTls>,
    pub(crate) tables: Tables,
    number: u64,
}

impl Environment {
    /// Opens the newest mapped file in `folder`, or creates one. Removes what compactions left.
    pub(crate) fn open(folder: &Path, map_bytes: u64) -> Result<Self> {
        let number = newest_file(folder)?.unwrap_or(1);
        for (path, found) in files(folder)? {
            if found != Some(number) {
                fs::remove_file(&path).map_err(|error| map_open_io("removing", &path, &error))?;
            }
        }
        Self::open_file(folder, number, map_bytes)
    }

    fn open_file(folder: &Path, number: u64, map_bytes: u64) -> Result<Self> {
        let path = path_of(folder, number);
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

    pub(crate) fn begin_read(&self) -> heed::Result<ReadTransaction> {
        self.env.clone().static_read_txn()
    }

    pub(crate) fn begin_write(&self) -> Result<heed::RwTxn<'_>> {
        self.env.write_txn().map_err(map("beginning to write the tables"))
    }

    /// Returns the number of pages that the file has, used or free.
    pub(crate) fn pages(&self) -> u64 {
        self.env.info().last_page_number as u64 + 1
    }

    /// Returns the number of pages of the file that hold data.
    pub(crate) fn used_pages(&self, transaction: &RoTxn<'_>) -> Result<u64> {
        let Tables { pairs, long, samples, state } = self.tables;
        let mut pages = 0;
        for table in [pairs, long, samples, state] {
            let stat = table.stat(transaction).map_err(map("reading the statistics of a table"))?;
            pages += stat.branch_pages + stat.leaf_pages + stat.overflow_pages;
        }
        Ok(pages as u64)
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
        self.copy(&path_of(folder, 1))
    }

    /// Writes a copy without free pages, replaces this file by it, and opens it.
    ///
    /// Existing snapshots keep reading this file. Its space is free when the last of them is gone.
    pub(crate) fn replace(&self, folder: &Path, map_bytes: u64) -> Result<Environment> {
        let (number, temporary) = (self.number + 1, folder.join(format!("{PREFIX}new")));
        let path = path_of(folder, number);
        let renamed = self.copy(&temporary).and_then(|()| {
            fs::rename(&temporary, &path)
                .and_then(|()| fs::File::open(folder)?.sync_all())
                .map_err(|error| Error::io(format!("renaming {}", path.display()), &error))
        });
        if let Err(error) = renamed {
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
        let opened = Self::open_file(folder, number, map_bytes);
        let (obsolete, result) = match opened {
            Ok(environment) => (self.number, Ok(environment)),
            Err(error) => (number, Err(error)),
        };
        let path = path_of(folder, obsolete);
        // The next start removes what is left.
        let _ = fs::remove_file(&path);
        let _ = fs::remove_file(lock_path(&path));
        result
    }
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

/// Returns the number of the current mapped file, or `None` if there is none.
pub(crate) fn newest_file(folder: &Path) -> Result<Option<u64>> {
    Ok(files(folder)?.into_iter().filter_map(|(_, number)| number).max())
}

/// Returns the mapped files and their numbers, and the leftovers of compactions without a number.
fn files(folder: &Path) -> Result<Vec<(PathBuf, Option<u64>)>> {
    let failed = |error| map_open_io("reading", folder, &error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        if !rest.ends_with(LOCK_SUFFIX) {
            files.push((entry.path(), number_in(rest)));
        }
    }
    Ok(files)
}

/// Returns the number of a mapped file from the rest of its name, after the prefix.
fn number_in(rest: &str) -> Option<u64> {
    rest.strip_suffix(SUFFIX)?.parse().ok()
}

/// Returns true if a mapped file has this name.
pub(crate) fn is_mapped_file(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|rest| number_in(rest).is_some())
}

/// Removes LMDB's lists of readers. No environment in the folder is open.
pub(crate) fn remove_lock_files(folder: &Path) -> Result<()> {
    for (path, _) in files(folder)? {
        let path = lock_path(&path);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(map_open_io("removing", &path, &error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn path_of(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{PREFIX}{number}{SUFFIX}"))
}

fn lock_path(path: &Path) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(LOCK_SUFFIX);
    path.into()
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
