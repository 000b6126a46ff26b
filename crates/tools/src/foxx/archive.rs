//! Archives of services: a folder as a ZIP archive, and an archive as a folder.

use std::fs::{self, OpenOptions};
use std::io::{self, Cursor, Read, Write};
use std::path::{Component, Path, PathBuf};

use velocypack::Slice;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::folder::{BOUNDS, Bounds, MANIFEST, ServiceFile, files};
use super::value::{parse, read_file};
use crate::Failure;

/// Maximum size in bytes of an archive.
pub(super) const PACKED_BYTES_MAX: u64 = 64 << 20;

/// The first bytes of a ZIP archive.
const MAGIC: &[u8] = b"PK\x03\x04";

/// Returns true if bytes begin as a ZIP archive does.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Returns the archive of a folder. The same files make the same archive.
///
/// Errors: there is no usable `manifest.json` and `is_sloppy` is false, or the files exceed a
/// bound.
pub(super) fn pack(folder: &Path, is_sloppy: bool) -> Result<Vec<u8>, Failure> {
    let files = files(folder, &BOUNDS)?;
    if !is_sloppy {
        check_manifest(folder, &files)?;
    }
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(format!("the archive of {} cannot be made: {error}", folder.display()))
    };
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut left = BOUNDS.bytes;
    for ServiceFile { name, path } in &files {
        let bytes = read_file(path, left)?;
        left -= bytes.len() as u64;
        let options = SimpleFileOptions::default().unix_permissions(0o644);
        writer.start_file(name.as_str(), options).map_err(|error| failed(&error))?;
        writer.write_all(&bytes).map_err(|error| failed(&error))?;
    }
    let archive = writer.finish().map_err(|error| failed(&error))?.into_inner();
    match archive.len() as u64 > PACKED_BYTES_MAX {
        true => Err(failed(&format!("it has more than {PACKED_BYTES_MAX} bytes"))),
        false => Ok(archive),
    }
}

fn check_manifest(folder: &Path, files: &[ServiceFile]) -> Result<(), Failure> {
    let path = folder.join(MANIFEST);
    if !files.iter().any(|file| file.name == MANIFEST) {
        return Err(Failure::new(format!(
            "{} is missing or left out; a service needs it, and `persea foxx init` makes one",
            path.display()
        )));
    }
    let manifest = parse(&read_file(&path, BOUNDS.bytes)?, &path.display().to_string())?;
    match Slice::new(&manifest).is_object() {
        true => Ok(()),
        false => Err(Failure::new(format!("{} must have a JSON object", path.display()))),
    }
}

/// Unpacks an archive into a folder, and returns the number of files.
///
/// Errors: a file exists and `overwrites` is false, an entry is a link or outside of the folder,
/// the files exceed a bound. Names are checked before any file is written.
pub(super) fn unpack(
    bytes: &[u8],
    folder: &Path,
    overwrites: bool,
    bounds: &Bounds,
) -> Result<usize, Failure> {
    let damaged = |error: &ZipError| Failure::new(format!("the archive cannot be unpacked: {error}"));
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    if archive.len() > bounds.files {
        return Err(Failure::new(format!("the archive has more than {} entries", bounds.files)));
    }
    let mut targets: Vec<Option<PathBuf>> = Vec::new();
    for number in 0..archive.len() {
        let entry = archive.by_index(number).map_err(|error| damaged(&error))?;
        let name = entry.name().map_err(|error| damaged(&error))?.into_owned();
        if entry.is_symlink() {
            return Err(Failure::new(format!(
                "the archive has the symbolic link {name:?}; links are not unpacked"
            )));
        }
        let target = target(folder, &name)?;
        if !entry.is_dir() && !overwrites && target.exists() {
            return Err(exists(&target));
        }
        targets.push((!entry.is_dir()).then_some(target));
    }
    let mut left = bounds.bytes;
    let mut count = 0;
    for (number, target) in targets.iter().enumerate() {
        let Some(target) = target else { continue };
        let entry = archive.by_index(number).map_err(|error| damaged(&error))?;
        let mut content = Vec::new();
        let read = entry.take(left + 1).read_to_end(&mut content);
        read.map_err(|error| damaged(&ZipError::Io(error)))?;
        if content.len() as u64 > left {
            return Err(Failure::new(format!("the archive unpacks to more than {} bytes", bounds.bytes)));
        }
        left -= content.len() as u64;
        write(target, &content, overwrites)?;
        count += 1;
    }
    Ok(count)
}

fn target(folder: &Path, name: &str) -> Result<PathBuf, Failure> {
    let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    match !name.contains(['\0', '\\']) && Path::new(name).components().all(is_inside) {
        true => Ok(folder.join(name)),
        false => Err(Failure::new(format!("the archive has an entry outside of the folder: {name:?}"))),
    }
}

/// Writes a file and the folders above it. Errors: it exists and `overwrites` is false.
pub(super) fn write(path: &Path, bytes: &[u8], overwrites: bool) -> Result<(), Failure> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(path),
        _ => Failure::new(format!("{} cannot be written: {error}", path.display())),
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).create_new(!overwrites);
    options.open(path).and_then(|mut file| file.write_all(bytes)).map_err(failed)
}

fn exists(path: &Path) -> Failure {
    Failure::new(format!("{} exists already; --force overwrites it", path.display()))
}
