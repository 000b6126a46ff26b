//! The file operations of the log, as traits, so that tests can make them fail.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SUFFIX: &str = ".log";

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
}

/// The log's folder in the file system.
#[derive(Clone)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Opens the folder, which is created if it does not exist.
    pub(crate) fn open(path: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn path_of(&self, number: u64) -> PathBuf {
        self.0.join(format!("{number:010}{SUFFIX}"))
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
        for entry in fs::read_dir(&self.0)? {
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
        File::open(&self.0)?.sync_all()?;
        Ok(Arc::new(file))
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
