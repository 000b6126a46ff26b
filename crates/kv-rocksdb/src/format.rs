//! The `FORMAT` file: the program that wrote a store's folder, and the version of its format.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use encryption::{FileKey, FileKind, HEADER_BYTES, MasterKey};
use kv::{Error, Result};

use crate::error::map_open_io;

/// The version of a plain store.
const PLAIN_VERSION: u32 = 1;

/// The version of a store with encrypted files, which is the newest that this crate reads. Programs
/// that do not know it must not take the files for damaged ones.
const ENCRYPTED_VERSION: u32 = 2;

/// RocksDB's file that every database has.
const CURRENT: &str = "CURRENT";

const FILE_NAME: &str = "FORMAT";
const TEMPORARY_FILE_NAME: &str = "FORMAT.new";
const PREFIX: &str = "persea rocksdb ";

/// Checks the format of the store in `folder`, or writes the format of a new one. Creates the
/// folder if it does not exist.
///
/// Errors: [`Error::CannotOpen`] if the store is encrypted and the caller has no key, or the other
/// way around.
pub(crate) fn check_or_create(folder: &Path, is_encrypted: bool) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| map_open_io("creating", folder, &error))?;
    let path = folder.join(FILE_NAME);
    match fs::read_to_string(&path) {
        Ok(text) => check(&text, &path, is_encrypted),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // The store belongs to another program, or has lost its FORMAT.
            if is_store(folder) {
                let reason = format!("{} is missing next to a RocksDB database", path.display());
                return Err(Error::Corrupt { reason });
            }
            write(folder, is_encrypted)
        }
        Err(error) => Err(map_open_io("reading", &path, &error)),
    }
}

/// Checks that `master` is the key of the encrypted store in `folder`, if there is a store. Changes
/// nothing, so nobody takes files of another key for damaged ones.
pub(crate) fn check_key(folder: &Path, master: &MasterKey) -> Result<()> {
    let path = folder.join(CURRENT);
    let mut header = Vec::new();
    match File::open(&path).and_then(|file| file.take(HEADER_BYTES as u64).read_to_end(&mut header)) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(map_open_io("reading", &path, &error)),
    }
    match FileKey::of_header(master, FileKind::Engine, &header) {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::CannotOpen {
            store: format!("the store in {}", folder.display()),
            reason: format!("{}: {error}", path.display()),
        }),
    }
}

/// Returns true if the folder holds a RocksDB database, whose file `CURRENT` always exists.
pub fn is_store(folder: &Path) -> bool {
    folder.join(CURRENT).exists()
}

/// Writes the file into `folder` atomically.
pub(crate) fn write(folder: &Path, is_encrypted: bool) -> Result<()> {
    let version = if is_encrypted { ENCRYPTED_VERSION } else { PLAIN_VERSION };
    let temporary = folder.join(TEMPORARY_FILE_NAME);
    let written = File::create(&temporary)
        .and_then(|mut file| {
            writeln!(file, "{PREFIX}{version}")?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, folder.join(FILE_NAME)))
        .and_then(|()| File::open(folder)?.sync_all());
    written.map_err(|error| map_open_io("writing", &folder.join(FILE_NAME), &error))
}

fn check(text: &str, path: &Path, is_encrypted: bool) -> Result<()> {
    let version = text.trim_end().strip_prefix(PREFIX).and_then(|version| version.parse::<u32>().ok());
    let mismatch = |reason: &str| {
        let store = format!("the store of {}", path.display());
        Err(Error::CannotOpen { store, reason: reason.to_owned() })
    };
    match version {
        Some(PLAIN_VERSION) if is_encrypted => mismatch(
            "it is not encrypted, and only a new one can be; dump it, and restore the dump into an empty folder",
        ),
        Some(ENCRYPTED_VERSION) if !is_encrypted => mismatch("it is encrypted, and no key was given"),
        Some(PLAIN_VERSION | ENCRYPTED_VERSION) => Ok(()),
        Some(found) if found > ENCRYPTED_VERSION => {
            Err(Error::NewerFormat { found, supported: ENCRYPTED_VERSION })
        }
        _ => Err(Error::Corrupt {
            reason: format!(
                "{} should say `{PREFIX}{PLAIN_VERSION}` or `{PREFIX}{ENCRYPTED_VERSION}`, not `{}`",
                path.display(),
                text.trim_end()
            ),
        }),
    }
}
