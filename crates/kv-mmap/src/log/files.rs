//! The file operations of the log, as traits, so that tests can make them fail.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use encryption::{FileKey, FileKind, HEADER_BYTES, MasterKey};

const SUFFIX: &str = ".log";

/// The bytes that are encrypted and written at once.
const PIECE_BYTES: usize = 64 << 10;

/// A folder of log files, which are numbered.
pub(crate) trait LogFiles: Send + Sync {
    /// Creates an empty file and makes its name durable.
    fn create(&self, number: u64) -> io::Result<Arc<dyn LogFile>>;

    fn remove(&self, number: u64) -> io::Result<()>;
}

/// A file that is being written.
pub(crate) trait LogFile: Send + Sync {
    /// Writes a part of `bytes`, at least one byte. Returns the number of bytes written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;

    fn truncate(&self, length: u64) -> io::Result<()>;

    /// Makes the content durable.
    fn sync(&self) -> io::Result<()>;

    /// Returns true if other bytes may be written where some have been written and removed.
    fn may_be_rewritten(&self) -> bool {
        true
    }
}

/// The log's folder in the file system.
#[derive(Clone)]
pub(crate) struct Folder {
    path: PathBuf,
    /// The key of encrypted files.
    encryption: Option<Arc<MasterKey>>,
}

impl Folder {
    /// Opens the folder, which is created if it does not exist.
    pub(crate) fn open(path: PathBuf, encryption: Option<Arc<MasterKey>>) -> io::Result<Self> {
        fs::create_dir_all(&path)?;
        Ok(Folder { path, encryption })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn path_of(&self, number: u64) -> PathBuf {
        self.path.join(format!("{number:010}{SUFFIX}"))
    }

    /// Opens a file for reading.
    pub(super) fn open_file(&self, number: u64) -> io::Result<PlainFile> {
        PlainFile::open(&self.path_of(number), self.encryption.as_deref())
    }

    /// Moves a file into another folder, and makes that durable there.
    pub(crate) fn move_to(&self, number: u64, folder: &Path) -> io::Result<()> {
        let path = self.path_of(number);
        fs::rename(&path, folder.join(path.file_name().unwrap_or_default()))?;
        kv::damaged_logs::sync_folder(folder)
    }

    /// Returns the numbers of all files in ascending order.
    pub(crate) fn numbers(&self) -> io::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name();
            let number = name.to_str().and_then(|name| name.strip_suffix(SUFFIX)?.parse::<u64>().ok());
            numbers.extend(number);
        }
        numbers.sort_unstable();
        Ok(numbers)
    }
}

impl LogFiles for Folder {
    fn create(&self, number: u64) -> io::Result<Arc<dyn LogFile>> {
        let file = File::options().write(true).create(true).truncate(true).open(self.path_of(number))?;
        let key = self.encryption.as_ref().map(|master| FileKey::new(master, FileKind::Engine));
        let key = key.transpose().map_err(io::Error::other)?;
        if let Some(key) = &key {
            FileExt::write_all_at(&file, key.header(), 0)?;
            // No record is in a file whose header may be lost.
            file.sync_all()?;
        }
        File::open(&self.path)?.sync_all()?;
        match key {
            None => Ok(Arc::new(file)),
            Some(key) => Ok(Arc::new(EncryptedFile { file, key })),
        }
    }

    fn remove(&self, number: u64) -> io::Result<()> {
        fs::remove_file(self.path_of(number))
    }
}

impl LogFile for File {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        FileExt::write_at(self, bytes, offset)
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}

/// A file of records behind the header of its key. The key stream begins behind the header, too.
struct EncryptedFile {
    file: File,
    key: FileKey,
}

impl LogFile for EncryptedFile {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let mut piece = bytes.get(..PIECE_BYTES).unwrap_or(bytes).to_vec();
        self.key.stream().apply(offset, &mut piece);
        FileExt::write_at(&self.file, &piece, offset + HEADER_BYTES as u64)
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.file.set_len(length + HEADER_BYTES as u64)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// The same part of the key stream would encrypt both, which would tell their difference.
    fn may_be_rewritten(&self) -> bool {
        false
    }
}

/// The content of a file, decrypted.
pub(super) struct PlainFile {
    file: File,
    key: Option<FileKey>,
    length: u64,
    offset: u64,
}

impl PlainFile {
    /// Opens a file; with `encryption`, an encrypted one. A file that was cut within its header has
    /// no content, since it was created just before a crash.
    ///
    /// Errors: [`io::ErrorKind::InvalidData`] if there is content behind a header that is not one
    /// of this key.
    fn open(path: &Path, encryption: Option<&MasterKey>) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let Some(master) = encryption else { return Ok(PlainFile { file, key: None, length, offset: 0 }) };
        let content = length.saturating_sub(HEADER_BYTES as u64);
        let mut header = [0; HEADER_BYTES];
        if content > 0 {
            file.read_exact_at(&mut header, 0)?;
        }
        match FileKey::of_header(master, FileKind::Engine, &header) {
            Ok(key) => Ok(PlainFile { file, key: Some(key), length: content, offset: 0 }),
            Err(_) if content == 0 => Ok(PlainFile { file, key: None, length: 0, offset: 0 }),
            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        }
    }

    /// Returns the length of the content.
    pub(super) fn length(&self) -> u64 {
        self.length
    }
}

impl Read for PlainFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let prefix = if self.key.is_some() { HEADER_BYTES as u64 } else { 0 };
        let read = self.file.read_at(buffer, self.offset + prefix)?;
        if let (Some(key), Some(bytes)) = (&self.key, buffer.get_mut(..read)) {
            key.stream().apply(self.offset, bytes);
        }
        self.offset += read as u64;
        Ok(read)
    }
}

impl Seek for PlainFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let offset = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(by) => self.offset.checked_add_signed(by),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
        };
        self.offset = offset.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.offset)
    }
}
