//! Files and folders of backups: durable writes, links, digests, and the errors of all of them.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use errors::{Error, ErrorCode};
use sha2::{Digest, Sha256};

/// The size in bytes of the pieces in which files are copied.
const PIECE_BYTES: usize = 1 << 20;

/// Returns a function that turns an error of the operating system into one with `code`.
///
/// A full disk has error 7004 in any case.
pub(crate) fn failed(code: ErrorCode, action: &str, path: &Path) -> impl Fn(io::Error) -> Error + use<> {
    failed_at(code, action, &path.display().to_string())
}

/// Does the same for an address, of which only the text is needed.
pub(crate) fn failed_at(code: ErrorCode, action: &str, address: &str) -> impl Fn(io::Error) -> Error + use<> {
    let what = format!("{action} {address}");
    move |error| {
        let is_full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
        let code = if is_full { ErrorCode::NoSpaceLeftOnDevice } else { code };
        Error::new(code, format!("{}: {what}: {error}", code.message()))
    }
}

/// Returns true if no program changes a file of this name after it was written.
pub(crate) fn never_changes(name: &str) -> bool {
    name.ends_with(".sst")
}

/// Returns true if the store compares checksums while it reads a file of this name. LMDB's mapped
/// files have none, and those of redb are compared only after a crash.
pub(crate) fn has_checksums(name: &str) -> bool {
    ![".mdb", ".redb"].iter().any(|suffix| name.ends_with(suffix))
}

/// Syncs the entries of a folder.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Writes a file so that it exists as a whole or not at all, even after a crash of the machine.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("new");
    let mut file = File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&temporary, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Removes a folder with its content, if it exists.
pub(crate) fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}

/// Gives a file a second name, or copies it where links are not possible or not safe.
pub(crate) fn link_or_copy(from: &Path, to: &Path, links: bool) -> io::Result<()> {
    if links && fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    copy(from, to, &mut |_| Ok(())).map(drop)
}

/// Copies a file, syncs the copy, and returns the digest of its content in hexadecimal digits.
///
/// `note` hears of every piece and may end the copy.
pub(crate) fn copy(
    from: &Path,
    to: &Path,
    note: &mut dyn FnMut(u64) -> io::Result<()>,
) -> io::Result<String> {
    let mut target = File::create(to)?;
    let digest = read_all(from, &mut |piece| {
        note(piece.len() as u64)?;
        target.write_all(piece)
    })?;
    target.sync_all()?;
    Ok(digest)
}

/// Returns the SHA-256 of a file's content in hexadecimal digits.
pub(crate) fn digest(path: &Path, note: &mut dyn FnMut(u64) -> io::Result<()>) -> io::Result<String> {
    read_all(path, &mut |piece| note(piece.len() as u64))
}

fn read_all(path: &Path, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<String> {
    let mut source = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; PIECE_BYTES];
    loop {
        let count = source.read(&mut buffer)?;
        let piece = buffer.get(..count).unwrap_or_default();
        if piece.is_empty() {
            break;
        }
        hash.update(piece);
        take(piece)?;
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
