//! The file with the tables of a store, in one of two forms: mapped by LMDB, or encrypted below
//! redb.

use std::path::Path;

use kv::{KeyRange, Result};

use crate::options::MmapOptions;
use crate::samples::Sample;
use crate::{encrypted, mapped};

/// An open file.
#[derive(Clone)]
pub(crate) enum Environment {
    Mapped(mapped::Environment),
    Encrypted(encrypted::Environment),
}

/// The tables in a transaction that writes them.
pub(crate) enum TableWriter<'w, 't> {
    Mapped(&'w mut mapped::Writer<'t>),
    Encrypted(&'w mut encrypted::Writer<'t>),
}

/// The reading of one state of the tables.
pub(crate) enum Reader<'a> {
    Mapped(mapped::Reader<'a>),
    Encrypted(&'a encrypted::View),
}

impl Environment {
    /// Opens the newest file in `folder`, or creates one. Removes what compactions left.
    pub(crate) fn open(folder: &Path, options: &MmapOptions) -> Result<Self> {
        match &options.encryption {
            None => mapped::Environment::open(folder, options.map_size()).map(Environment::Mapped),
            Some(master) => {
                let opened = encrypted::Environment::open(folder, master, options.page_cache_bytes());
                opened.map(Environment::Encrypted)
            }
        }
    }

    /// Returns the sequence number of the last record of the log that is in the tables.
    pub(crate) fn applied(&self) -> Result<u64> {
        match self {
            Environment::Mapped(mapped) => mapped.applied(),
            Environment::Encrypted(encrypted) => encrypted.applied(),
        }
    }

    /// Runs a function on the tables, then commits what it wrote and syncs that.
    ///
    /// On an error nothing was written, or the same writes may be repeated.
    pub(crate) fn write(&self, write: impl FnOnce(&mut TableWriter<'_, '_>) -> Result<()>) -> Result<()> {
        match self {
            Environment::Mapped(mapped) => {
                let mut writer = mapped::Writer::begin(mapped)?;
                write(&mut TableWriter::Mapped(&mut writer))?;
                writer.commit()
            }
            Environment::Encrypted(encrypted) => {
                encrypted.write(|writer| write(&mut TableWriter::Encrypted(writer)))
            }
        }
    }

    /// Returns true if the file must be opened anew after an error: see [`Environment::reopen`].
    pub(crate) fn is_broken(&self) -> bool {
        match self {
            Environment::Mapped(_) => false,
            Environment::Encrypted(encrypted) => encrypted.is_broken(),
        }
    }

    /// Opens the file anew, in the state of the last commit. No earlier version can be read then.
    pub(crate) fn reopen(&mut self, folder: &Path) -> Result<()> {
        match self {
            Environment::Mapped(_) => Ok(()),
            Environment::Encrypted(encrypted) => encrypted.reopen(folder),
        }
    }

    /// Returns the bytes of the file.
    pub(crate) fn total_bytes(&self) -> u64 {
        match self {
            Environment::Mapped(mapped) => mapped.total_bytes(),
            Environment::Encrypted(encrypted) => encrypted.total_bytes(),
        }
    }

    /// Writes a copy without free pages into another folder.
    pub(crate) fn copy_into(&self, folder: &Path) -> Result<()> {
        match self {
            Environment::Mapped(mapped) => mapped.copy_into(folder),
            Environment::Encrypted(encrypted) => encrypted.copy_into(folder),
        }
    }

    /// Writes a copy without free pages, replaces this file by it, and opens it.
    ///
    /// Existing snapshots keep reading this file. Its space is free when the last of them is gone.
    pub(crate) fn replace(&self, folder: &Path, options: &MmapOptions) -> Result<Environment> {
        match self {
            Environment::Mapped(mapped) => {
                mapped.replace(folder, options.map_size()).map(Environment::Mapped)
            }
            Environment::Encrypted(encrypted) => encrypted.replace(folder).map(Environment::Encrypted),
        }
    }
}

impl TableWriter<'_, '_> {
    /// Begins a run of keys in ascending order.
    pub(crate) fn begin_ascending(&mut self, first: &[u8]) -> Result<()> {
        match self {
            TableWriter::Mapped(mapped) => mapped.begin_ascending(first),
            // redb finds the end of the tree by itself.
            TableWriter::Encrypted(_) => Ok(()),
        }
    }

    pub(crate) fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        match self {
            TableWriter::Mapped(mapped) => mapped.put(key, value),
            TableWriter::Encrypted(encrypted) => encrypted.put(key, value),
        }
    }

    pub(crate) fn delete(&mut self, key: &[u8]) -> Result<()> {
        match self {
            TableWriter::Mapped(mapped) => mapped.delete(key),
            TableWriter::Encrypted(encrypted) => encrypted.delete(key),
        }
    }

    /// Deletes all pairs of a range.
    pub(crate) fn delete_range(&mut self, range: &KeyRange) -> Result<()> {
        match self {
            TableWriter::Mapped(mapped) => mapped.delete_range(range),
            TableWriter::Encrypted(encrypted) => encrypted.delete_range(range),
        }
    }

    /// Notes the last record of the log whose writes are in the tables.
    pub(crate) fn set_applied(&mut self, sequence: u64) -> Result<()> {
        match self {
            TableWriter::Mapped(mapped) => mapped.set_applied(sequence),
            TableWriter::Encrypted(encrypted) => encrypted.set_applied(sequence),
        }
    }
}

impl Reader<'_> {
    /// Passes the value of a key to `read`.
    pub(crate) fn get<T>(&self, key: &[u8], read: impl FnOnce(Option<&[u8]>) -> T) -> Result<T> {
        match self {
            Reader::Mapped(mapped) => mapped.get(key).map(read),
            Reader::Encrypted(encrypted) => encrypted.get(key, read),
        }
    }

    /// Passes the pairs of a range to `visit`, ascending or descending, until it returns false.
    ///
    /// Returns false if `visit` did.
    pub(crate) fn walk(
        &self,
        range: &KeyRange,
        reverse: bool,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<bool> {
        match self {
            Reader::Mapped(mapped) => mapped.walk(range, reverse, visit),
            Reader::Encrypted(encrypted) => encrypted.walk(range, reverse, visit),
        }
    }

    /// Returns samples of a range in ascending order: those of the thinnest set that has enough.
    pub(crate) fn samples(&self, range: &KeyRange) -> Result<Vec<Sample>> {
        match self {
            Reader::Mapped(mapped) => mapped.samples(range),
            Reader::Encrypted(encrypted) => encrypted.samples(range),
        }
    }
}
