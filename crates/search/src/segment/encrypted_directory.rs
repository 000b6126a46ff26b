//! A directory of tantivy whose files are encrypted.
//!
//! Each file is the header of [`FileKey`] and the encrypted content, whose first byte has offset 0
//! in the key stream. Tantivy's checksums are within the content.

use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use encryption::{FileKey, FileKind, HEADER_BYTES, MasterKey};
use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, FileHandle, FileSlice, MmapDirectory, OwnedBytes, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

/// A folder of encrypted files.
#[derive(Clone, Debug)]
pub(super) struct EncryptedDirectory {
    files: MmapDirectory,
    master: Arc<MasterKey>,
}

/// An open file. Each read decrypts what it returns.
#[derive(Debug)]
struct EncryptedFile {
    content: FileSlice,
    key: FileKey,
}

/// A writer of a file.
struct EncryptedWriter {
    target: WritePtr,
    key: FileKey,
    offset: u64,
    piece: Vec<u8>,
}

impl EncryptedDirectory {
    pub(super) fn new(files: MmapDirectory, master: Arc<MasterKey>) -> Self {
        EncryptedDirectory { files, master }
    }

    fn new_key(&self) -> io::Result<FileKey> {
        FileKey::new(&self.master, FileKind::TextIndex).map_err(io::Error::other)
    }

    fn key_of(&self, header: &[u8]) -> io::Result<FileKey> {
        FileKey::of_header(&self.master, FileKind::TextIndex, header)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    fn open(&self, path: &Path) -> Result<EncryptedFile, OpenReadError> {
        let file = self.files.open_read(path)?;
        let failed = |error| OpenReadError::wrap_io_error(error, path.to_owned());
        let header = file.slice(0..file.len().min(HEADER_BYTES)).read_bytes().map_err(failed)?;
        let key = self.key_of(&header).map_err(failed)?;
        Ok(EncryptedFile { content: file.slice_from(HEADER_BYTES), key })
    }
}

impl Directory for EncryptedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        Ok(Arc::new(self.open(path)?))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let failed = |error| OpenWriteError::wrap_io_error(error, path.to_owned());
        let key = self.new_key().map_err(failed)?;
        let mut target = self.files.open_write(path)?;
        target.write_all(key.header()).map_err(failed)?;
        let writer = EncryptedWriter { target, key, offset: 0, piece: Vec::new() };
        Ok(BufWriter::new(Box::new(writer)))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let mut bytes = self.files.atomic_read(path)?;
        let key =
            self.key_of(&bytes).map_err(|error| OpenReadError::wrap_io_error(error, path.to_owned()))?;
        let mut content = bytes.split_off(HEADER_BYTES);
        key.stream().apply(0, &mut content);
        Ok(content)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let key = self.new_key()?;
        let mut content = data.to_vec();
        key.stream().apply(0, &mut content);
        self.files.atomic_write(path, &[key.header().as_slice(), &content].concat())
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}

impl FileHandle for EncryptedFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let start = range.start as u64;
        let mut bytes = self.content.read_bytes_slice(range)?.as_slice().to_vec();
        self.key.stream().apply(start, &mut bytes);
        Ok(OwnedBytes::new(bytes))
    }
}

impl HasLen for EncryptedFile {
    fn len(&self) -> usize {
        self.content.len()
    }
}

impl Write for EncryptedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.clear();
        self.piece.extend_from_slice(bytes);
        self.key.stream().apply(self.offset, &mut self.piece);
        self.target.write_all(&self.piece)?;
        self.offset += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target.flush()
    }
}

impl TerminatingWrite for EncryptedWriter {
    fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
        self.target.terminate_ref(token)
    }
}
