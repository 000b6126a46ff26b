//! Data files. The threads that fetched batches pack them, and then append them.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::inventory::Collection;
use super::options::Settings;
use crate::Failure;
use crate::archive::names;
use crate::encrypted::{Files, Output};

/// The data files of one collection.
pub(super) struct DataFiles {
    folder: PathBuf,
    stem: String,
    velocypack: bool,
    compress: bool,
    split: bool,
    files: Files,
    open: Mutex<Vec<Option<Output>>>,
}

/// A file that one thread writes to, until it gives the file back.
pub(super) struct Lent {
    file: Output,
    part: usize,
}

impl DataFiles {
    /// Creates the first file, which exists even if it stays empty.
    ///
    /// Removes files of the collection from an earlier dump.
    pub(super) fn create(
        folder: &Path,
        collection: &Collection,
        settings: &Settings,
    ) -> Result<Self, Failure> {
        let files = DataFiles {
            folder: folder.to_owned(),
            stem: collection.stem.clone(),
            velocypack: settings.velocypack,
            compress: settings.compress,
            split: settings.split,
            files: settings.files.clone(),
            open: Mutex::default(),
        };
        files.remove_old()?;
        let first = files.create_part(0)?;
        files.lock().push(Some(first));
        Ok(files)
    }

    fn remove_old(&self) -> Result<(), Failure> {
        let entries = self.folder.read_dir().map_err(|error| failure(&self.folder, &error))?;
        for entry in entries.flatten() {
            let name = entry.file_name();
            let parsed = name.to_str().and_then(names::parse_data_file);
            if parsed.is_some_and(|(stem, _)| stem == self.stem) {
                let path = entry.path();
                std::fs::remove_file(&path).map_err(|error| failure(&path, &error))?;
            }
        }
        Ok(())
    }

    fn path(&self, part: usize) -> PathBuf {
        let part = self.split.then_some(part);
        self.folder.join(names::data_file(&self.stem, part, self.velocypack, self.compress))
    }

    fn create_part(&self, part: usize) -> Result<Output, Failure> {
        let path = self.path(part);
        self.files.create(&path).map_err(|error| failure(&path, &error))
    }

    /// Returns the bytes to write for a batch.
    pub(super) fn pack<'a>(
        &self,
        batch: &'a [u8],
        packer: &'a mut gzip_members::Packer,
    ) -> Result<&'a [u8], Failure> {
        if self.compress { packer.pack(batch).map_err(Failure::from) } else { Ok(batch) }
    }

    /// Writes a batch: to the one file, or to one that no other thread writes to.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        if !self.split {
            let mut open = self.lock();
            let Some(Some(file)) = open.first_mut() else {
                return Err(Failure::new("a data file disappeared"));
            };
            return file.write_all(bytes).map_err(|error| failure(&self.path(0), &error));
        }
        let Lent { mut file, part } = self.lend()?;
        let written = file.write_all(bytes).map_err(|error| failure(&self.path(part), &error));
        if let Some(place) = self.lock().get_mut(part) {
            *place = Some(file);
        }
        written
    }

    /// Returns a file that no thread writes to, a new one if need be.
    fn lend(&self) -> Result<Lent, Failure> {
        let mut open = self.lock();
        let free =
            open.iter_mut().enumerate().find_map(|(part, file)| Some(Lent { file: file.take()?, part }));
        match free {
            Some(lent) => Ok(lent),
            None => {
                let part = open.len();
                let file = self.create_part(part)?;
                open.push(None);
                Ok(Lent { file, part })
            }
        }
    }

    /// Completes the files and returns their paths. They are not synced yet.
    pub(super) fn finish(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut open = self.lock();
        let mut paths = Vec::with_capacity(open.len());
        for (part, file) in open.drain(..).enumerate() {
            let path = self.path(part);
            if let Some(mut file) = file.filter(|_| self.compress)
                && file.is_empty()
            {
                // gzip does not allow an empty file.
                let mut packer = gzip_members::Packer::default();
                let empty = packer.pack(&[])?;
                file.write_all(empty).map_err(|error| failure(&path, &error))?;
            }
            paths.push(path);
        }
        Ok(paths)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Option<Output>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Syncs a file to disk.
pub(super) fn sync(path: &Path) -> Result<(), Failure> {
    File::open(path).and_then(|file| file.sync_data()).map_err(|error| failure(path, &error))
}

/// Writes a small file as a whole.
pub(super) fn write_file(files: &Files, path: &Path, text: &str) -> Result<(), Failure> {
    files.write(path, text).map_err(|error| failure(path, &error))
}

fn failure(path: &Path, error: &std::io::Error) -> Failure {
    let full = error.kind() == ErrorKind::StorageFull || error.kind() == ErrorKind::QuotaExceeded;
    let hint = if full { "; the dump is incomplete" } else { "" };
    Failure::new(format!("{} cannot be written: {error}{hint}", path.display()))
}
