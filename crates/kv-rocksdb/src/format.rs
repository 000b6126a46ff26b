//! The `FORMAT` file: who wrote a store's folder, and in which version of the format.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

use kv::{Error, Result};

use crate::error::map_open_io;

/// The version that this crate writes, and the newest that it reads.
pub(crate) const FORMAT_VERSION: u32 = 1;

const FILE_NAME: &str = "FORMAT";
const TEMPORARY_FILE_NAME: &str = "FORMAT.new";
const PREFIX: &str = "persea rocksdb ";

/// Checks the format of the store in `folder`, or writes that of a new one. The folder is made if it is not there.
pub(crate) fn check_or_create(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| map_open_io("creating", folder, &error))?;
    let path = folder.join(FILE_NAME);
    match fs::read_to_string(&path) {
        Ok(text) => check(&text, &path),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // RocksDB's own file: somebody else's store, or one whose FORMAT was lost.
            if folder.join("CURRENT").exists() {
                let reason = format!("{} is missing beside a RocksDB database", path.display());
                return Err(Error::Corrupt { reason });
            }
            write(folder)
        }
        Err(error) => Err(map_open_io("reading", &path, &error)),
    }
}

/// Writes the file into `folder`, whole or not at all.
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
