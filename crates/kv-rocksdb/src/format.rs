//! The `FORMAT` file: the program that wrote a store's folder, and the version of its format.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

use kv::{Error, Result};

use crate::error::map_open_io;

/// The version that this crate writes, which is also the newest that it reads.
pub(crate) const FORMAT_VERSION: u32 = 1;

const FILE_NAME: &str = "FORMAT";
const TEMPORARY_FILE_NAME: &str = "FORMAT.new";
const PREFIX: &str = "persea rocksdb ";

/// Checks the format of the store in `folder`, or writes the format of a new one. Creates the
/// folder if it does not exist.
pub(crate) fn check_or_create(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| map_open_io("creating", folder, &error))?;
    let path = folder.join(FILE_NAME);
    match fs::read_to_string(&path) {
        Ok(text) => check(&text, &path),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // The store belongs to another program, or has lost its FORMAT.
            if is_store(folder) {
                let reason = format!("{} is missing next to a RocksDB database", path.display());
                return Err(Error::Corrupt { reason });
            }
            write(folder)
        }
        Err(error) => Err(map_open_io("reading", &path, &error)),
    }
}

/// Returns true if the folder holds a RocksDB database, whose file `CURRENT` always exists.
pub fn is_store(folder: &Path) -> bool {
    folder.join("CURRENT").exists()
}

/// Writes the file into `folder` atomically.
pub(crate) fn write(folder: &Path) -> Result<()> {
    let temporary = folder.join(TEMPORARY_FILE_NAME);
    let written = File::create(&temporary)
        .and_then(|mut file| {
            writeln!(file, "{PREFIX}{FORMAT_VERSION}")?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, folder.join(FILE_NAME)))
        .and_then(|()| File::open(folder)?.sync_all());
    written.map_err(|error| map_open_io("writing", &folder.join(FILE_NAME), &error))
}

fn check(text: &str, path: &Path) -> Result<()> {
    let version = text.trim_end().strip_prefix(PREFIX).and_then(|version| version.parse::<u32>().ok());
    match version {
        Some(version) if (1..=FORMAT_VERSION).contains(&version) => Ok(()),
        Some(found) if found > FORMAT_VERSION => Err(Error::NewerFormat { found, supported: FORMAT_VERSION }),
        _ => Err(Error::Corrupt {
            reason: format!(
                "{} should say `{PREFIX}{FORMAT_VERSION}`, not `{}`",
                path.display(),
                text.trim_end()
            ),
        }),
    }
}
