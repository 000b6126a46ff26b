//! Bundles as ZIP archives.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};

use errors::{Error, Result};
use memchr::memmem;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::Limits;
use super::contents::{Contents, checked_path, refused, root_of, twice};

/// The beginning of each entry of the list at an archive's end.
const ENTRY_SIGNATURE: &[u8] = b"PK\x01\x02";
/// The beginning of an archive that has a file.
pub(crate) const ARCHIVE_SIGNATURE: &[u8] = b"PK\x03\x04";
/// The bits of a Unix mode that tell files, folders and links apart, and their values.
const TYPE_BITS: u32 = 0o170_000;
const TYPE_FOLDER: u32 = 0o040_000;
const TYPE_FILE: u32 = 0o100_000;

/// Reads the files of an archive that are in the folder of its manifest.
pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<BTreeMap<String, Vec<u8>>> {
    if bytes.len() > limits.packed_bytes {
        let limit = limits.packed_bytes;
        return Err(refused(format!("the archive has {} bytes; at most {limit} are allowed", bytes.len())));
    }
    // The reader keeps every entry of the list in memory, so they are counted before.
    let signatures = memmem::find_iter(bytes, ENTRY_SIGNATURE).take(limits.entries.saturating_add(1));
    if signatures.count() > limits.entries {
        let limit = limits.entries;
        return Err(refused(format!("the archive has more than {limit} entries, which is the maximum")));
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| unreadable(&error))?;
    if archive.has_duplicate_names() {
        return Err(refused("the archive has a name twice; each may be there once".to_owned()));
    }
    let files = files(&archive, limits)?;
    let root = root_of(files.keys().map(String::as_str))?;
    let mut contents = Contents::new(limits);
    for (path, number) in files {
        let Some(path) = path.strip_prefix(&root) else { continue };
        let mut entry = archive.by_index(number).map_err(|error| unreadable(&error))?;
        contents.read(path.to_owned(), &mut entry)?;
    }
    contents.finish()
}

/// Returns the paths of all files, each with the number of its entry.
fn files(archive: &ZipArchive<Cursor<&[u8]>>, limits: &Limits) -> Result<BTreeMap<String, usize>> {
    let mut files = BTreeMap::new();
    for number in 0..archive.len() {
        let entry = archive.by_index_data(number).map_err(|error| unreadable(&error))?;
        let name = entry.name().map_err(|error| unreadable(&error))?;
        let path = checked_path(&name, limits)?;
        if entry.encrypted() {
            let message = format!("the file '{path}' of the bundle is encrypted; bundles must not be");
            return Err(refused(message));
        }
        let kind = entry.unix_mode().unwrap_or_default() & TYPE_BITS;
        if !matches!(kind, 0 | TYPE_FILE | TYPE_FOLDER) {
            let message = format!("'{path}' of the bundle is a link or a special file; files must be plain");
            return Err(refused(message));
        }
        let is_folder = name.ends_with('/');
        if !is_folder && files.insert(path.clone(), number).is_some() {
            return Err(twice(&path));
        }
    }
    Ok(files)
}

/// Writes files into an archive. The same files make the same archive, at any time.
pub(super) fn write(files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>> {
    let failed = |error: &dyn std::fmt::Display| Error::internal(format!("a bundle is not packed: {error}"));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in files {
        let options = options.large_file(bytes.len() >= u32::MAX as usize);
        writer.start_file(path.as_str(), options).map_err(|error| failed(&error))?;
        writer.write_all(bytes).map_err(|error| failed(&error))?;
    }
    Ok(writer.finish().map_err(|error| failed(&error))?.into_inner())
}

fn unreadable(error: &ZipError) -> Error {
    refused(format!("the bundle is not a ZIP archive that can be read: {error}"))
}
