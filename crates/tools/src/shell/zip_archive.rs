//! ZIP archives: `fs.zipFile` and `fs.unzipFile`.
//!
//! Archives of any size stream through a buffer, but the list of their entries is in memory. So an
//! archive has at most [`ENTRIES_MAX`] entries. [`UNPACKED_BYTES_MAX`] bounds the files that it
//! unpacks to, because a small archive may unpack to a large one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Component, Path, PathBuf};

use errors::{Error, ErrorCode, Result};
use javascript::{Packing, Unpacking};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{AesMode, ZipArchive, ZipWriter};

use super::file_errors::{reading, writing};

/// Maximum number of entries of an archive.
const ENTRIES_MAX: usize = 100_000;
/// Maximum size in bytes of all files of an archive together.
const UNPACKED_BYTES_MAX: u64 = 64 << 30;

/// Packs files into a new archive, encrypted with AES-256 if there is a password.
///
/// Errors: 15 if the archive exists or cannot be written, 14 for a file that is not there.
pub(super) fn pack(packing: &Packing<'_>) -> Result<()> {
    let path = packing.archive;
    if packing.files.len() > ENTRIES_MAX {
        let message = format!("an archive has at most {ENTRIES_MAX} files, not {}", packing.files.len());
        return Err(Error::bad_parameter(message));
    }
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let file = file.map_err(|error| writing(path, &error))?;
    let packed = write_entries(file, packing);
    if packed.is_err() {
        // A half of an archive is of no use. The first error is the one to report.
        let _ = fs::remove_file(path);
    }
    packed
}

fn write_entries(file: File, packing: &Packing<'_>) -> Result<()> {
    let mut writer = ZipWriter::new(BufWriter::new(file));
    for name in packing.files {
        let failed = |error: &io::Error| reading(name, error);
        let path = Path::new(packing.folder).join(name);
        let mut source = File::open(&path).map_err(|error| failed(&error))?;
        let bytes = source.metadata().map_err(|error| failed(&error))?.len();
        let mut options = SimpleFileOptions::default().large_file(bytes >= u64::from(u32::MAX));
        if let Some(password) = packing.password {
            options = options.with_aes_encryption(AesMode::Aes256, password);
        }
        let written = writer.start_file(entry_name(packing.folder, name), options);
        written.map_err(|error| unwritable(packing.archive, &error))?;
        io::copy(&mut source, &mut writer).map_err(|error| writing(packing.archive, &error))?;
    }
    let buffer = writer.finish().map_err(|error| unwritable(packing.archive, &error))?;
    let file = buffer.into_inner().map_err(io::IntoInnerError::into_error);
    file.and_then(|file| file.sync_all()).map_err(|error| writing(packing.archive, &error))
}

/// Returns the name of a file in the archive: relative to the folder, if it is in the folder.
fn entry_name<'a>(folder: &str, name: &'a str) -> &'a str {
    let folder = folder.trim_end_matches('/');
    let inner = name.strip_prefix(folder).filter(|inner| !folder.is_empty() && inner.starts_with('/'));
    inner.unwrap_or(name).trim_start_matches('/')
}

/// Unpacks an archive into a folder.
///
/// Errors: 15 for a file that exists and is not overwritten, 10 for a damaged archive, a wrong
/// password, an entry outside of the folder, and more entries or bytes than the bounds allow.
pub(super) fn unpack(unpacking: &Unpacking<'_>) -> Result<()> {
    let path = unpacking.archive;
    let file = File::open(path).map_err(|error| reading(path, &error))?;
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| unreadable(path, &error))?;
    if archive.len() > ENTRIES_MAX {
        return Err(Error::bad_parameter(format!("{path} has more than {ENTRIES_MAX} entries")));
    }
    let mut left = UNPACKED_BYTES_MAX;
    for number in 0..archive.len() {
        let entry = match unpacking.password {
            Some(password) => archive.by_index_decrypt(number, password.as_bytes()),
            None => archive.by_index(number),
        };
        let mut entry = entry.map_err(|error| unreadable(path, &error))?;
        let name = entry.name().map_err(|error| unreadable(path, &error))?.into_owned();
        let target = target(unpacking, &name)?;
        if entry.is_dir() {
            if !unpacking.skips_paths {
                fs::create_dir_all(&target).map_err(|error| writing(&name, &error))?;
            }
            continue;
        }
        left -= write_entry(&mut entry, &target, left, unpacking)?;
    }
    Ok(())
}

/// Returns the path of an entry. Errors: 10 if it is not in the folder.
fn target(unpacking: &Unpacking<'_>, name: &str) -> Result<PathBuf> {
    let inner = Path::new(name.trim_start_matches('/'));
    let is_inside = inner.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let inner = if unpacking.skips_paths { inner.file_name().map(Path::new) } else { Some(inner) };
    let outside = || {
        let message = format!("{} has an entry outside of the folder: '{name}'", unpacking.archive);
        Error::bad_parameter(message)
    };
    let inner = inner.filter(|_| is_inside && !name.contains('\0')).ok_or_else(outside)?;
    Ok(Path::new(unpacking.folder).join(inner))
}

/// Writes the file of an entry, and returns its size. Errors: 10 if it has more than `left` bytes.
fn write_entry(entry: &mut dyn Read, target: &Path, left: u64, unpacking: &Unpacking<'_>) -> Result<u64> {
    let failed = |error: io::Error| writing(&target.to_string_lossy(), &error);
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).truncate(true).create(true).create_new(!unpacking.overwrites);
    let mut file = options.open(target).map_err(failed)?;
    let mut buffer = vec![0; 64 << 10];
    let mut written = 0;
    loop {
        let read = entry.read(&mut buffer).map_err(|error| unreadable(unpacking.archive, &error.into()))?;
        let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else { return Ok(written) };
        written += read as u64;
        if written > left {
            let message = format!("{} unpacks to more than {UNPACKED_BYTES_MAX} bytes", unpacking.archive);
            return Err(Error::bad_parameter(message));
        }
        file.write_all(part).map_err(failed)?;
    }
}

fn unwritable(path: &str, error: &ZipError) -> Error {
    Error::new(ErrorCode::CannotWriteFile, format!("{path} cannot be written: {error}"))
}

fn unreadable(path: &str, error: &ZipError) -> Error {
    Error::bad_parameter(format!("{path} cannot be unpacked: {error}"))
}
