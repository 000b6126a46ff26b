//! Temporary files without names, which only the process that made them can read.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::secret::SECRET_BYTES;
use crate::stream::{CtrStream, IV_BYTES};

/// The number of bytes that are encrypted at once.
const PIECE_BYTES: usize = 64 << 10;

/// A folder of temporary files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemporaryFolder {
    /// The folder.
    pub path: PathBuf,
    /// True if the files are encrypted, each with a random key that stays in memory.
    pub is_encrypted: bool,
}

/// A temporary file, which is gone when it is dropped or the process ends.
///
/// Every place in it must be written once at most: a second write would be encrypted with the same
/// part of the key stream.
#[derive(Debug)]
pub struct TemporaryFile {
    file: File,
    stream: Option<CtrStream>,
}

impl From<PathBuf> for TemporaryFolder {
    /// Returns a folder of plain files.
    fn from(path: PathBuf) -> Self {
        TemporaryFolder { path, is_encrypted: false }
    }
}

impl From<&Path> for TemporaryFolder {
    /// Returns a folder of plain files.
    fn from(path: &Path) -> Self {
        path.to_owned().into()
    }
}

impl TemporaryFolder {
    /// Creates an empty file.
    pub fn create(&self) -> io::Result<TemporaryFile> {
        let stream = self.is_encrypted.then(random_stream).transpose()?;
        Ok(TemporaryFile { file: tempfile::tempfile_in(&self.path)?, stream })
    }
}

impl TemporaryFile {
    /// Writes bytes at an offset that has none yet.
    pub fn write_all_at(&self, bytes: &[u8], mut offset: u64) -> io::Result<()> {
        let Some(stream) = &self.stream else { return self.file.write_all_at(bytes, offset) };
        let mut encrypted = Vec::with_capacity(bytes.len().min(PIECE_BYTES));
        for piece in bytes.chunks(PIECE_BYTES) {
            encrypted.clear();
            encrypted.extend_from_slice(piece);
            stream.apply(offset, &mut encrypted);
            self.file.write_all_at(&encrypted, offset)?;
            offset += piece.len() as u64;
        }
        Ok(())
    }

    /// Reads bytes from an offset on. Returns how many there were.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let read = self.file.read_at(buffer, offset)?;
        if let (Some(stream), Some(bytes)) = (&self.stream, buffer.get_mut(..read)) {
            stream.apply(offset, bytes);
        }
        Ok(read)
    }

    /// Reads as many bytes as the buffer has, from an offset on.
    pub fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)?;
        if let Some(stream) = &self.stream {
            stream.apply(offset, buffer);
        }
        Ok(())
    }
}

/// Returns a key stream that nobody else has.
fn random_stream() -> io::Result<CtrStream> {
    let mut key = Zeroizing::new([0; SECRET_BYTES]);
    getrandom::fill(key.as_mut()).map_err(io::Error::other)?;
    Ok(CtrStream::new(&key, &[0; IV_BYTES]))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn what_was_written_is_read_and_only_encrypted_files_hide_it() {
        let folder = tempfile::tempdir().unwrap();
        for is_encrypted in [false, true] {
            let file = TemporaryFolder { path: folder.path().into(), is_encrypted }.create().unwrap();
            let text = "plain text ".repeat(20_000).into_bytes();
            let (first, second) = text.split_at(70_001);
            file.write_all_at(second, first.len() as u64).unwrap();
            file.write_all_at(first, 0).unwrap();
            let mut all = vec![0; text.len() + 10];
            assert_eq!(file.read_at(&mut all, 0).unwrap(), text.len());
            assert_eq!(all[..text.len()], text);
            let mut part = [0; 4];
            file.read_exact_at(&mut part, 11 * 8_000 + 6).unwrap();
            assert_eq!(&part, b"text");
            assert!(file.read_exact_at(&mut part, text.len() as u64 - 2).is_err());
            let mut stored = Vec::new();
            (&file.file).read_to_end(&mut stored).unwrap();
            assert_eq!(stored.windows(5).any(|window| window == b"plain"), !is_encrypted);
        }
    }
}
