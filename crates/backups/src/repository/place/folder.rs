//! A place in the file system. `files/ab/.new-...` is a piece that is being written.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use file_lock::FileLock;

use super::super::{FILES, MANIFESTS, MARK};
use super::{Guard, Note, Piece, Place, changed};
use crate::files::{copy, digest, sync_folder, write_whole};
use crate::id::random_label;

/// The name before a random one of a file that is being written.
const NEW_PREFIX: &str = ".new-";

/// A folder, with locks on the file that marks it.
#[derive(Debug)]
pub(in super::super) struct FolderPlace {
    folder: PathBuf,
}

impl Guard for FileLock {}

impl FolderPlace {
    pub(in super::super) fn new(folder: &Path) -> Self {
        FolderPlace { folder: folder.to_owned() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn open_mark(&self) -> io::Result<File> {
        let path = self.path(MARK);
        OpenOptions::new().read(true).write(true).open(&path).or_else(|_| File::open(&path))
    }
}

impl Place for FolderPlace {
    fn address(&self, name: &str) -> String {
        let path = if name.is_empty() { self.folder.clone() } else { self.path(name) };
        path.display().to_string()
    }

    fn prepare(&self) -> io::Result<bool> {
        fs::create_dir_all(&self.folder)?;
        let is_empty = fs::read_dir(&self.folder)?.next().is_none();
        if is_empty {
            for folder in [FILES, MANIFESTS] {
                fs::create_dir_all(self.path(folder))?;
            }
        }
        Ok(is_empty)
    }

    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.path(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            content => content.map(Some),
        }
    }

    fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let path = self.path(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        write_whole(&path, content)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let path = self.path(name);
        fs::remove_file(&path)?;
        path.parent().map_or(Ok(()), sync_folder)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            // A folder that is gone is not an empty one: pruning would remove all files.
            for entry in fs::read_dir(self.path(&folder))? {
                let entry = entry?;
                let metadata = entry.metadata()?;
                let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
                match metadata.is_dir() {
                    true => folders.push(name),
                    false => pieces.push(Piece { name, size_bytes: metadata.len() }),
                }
            }
        }
        pieces.sort_by(|first, second| first.name.cmp(&second.name));
        Ok(pieces)
    }

    fn store(&self, name: &str, from: &Path, sha256: &str, note: Note<'_>) -> io::Result<()> {
        let target = self.path(name);
        let label = random_label().map_err(|error| io::Error::other(error.to_string()))?;
        let temporary = target.with_file_name(format!("{NEW_PREFIX}{label}"));
        target.parent().map_or(Ok(()), fs::create_dir_all)?;
        let stored = copy(from, &temporary, note).and_then(|digest| {
            if digest != sha256 {
                return Err(changed(from));
            }
            fs::rename(&temporary, &target)?;
            target.parent().map_or(Ok(()), sync_folder)
        });
        if stored.is_err() {
            // Pruning removes it otherwise.
            let _ = fs::remove_file(&temporary);
        }
        stored
    }

    fn fetch(&self, name: &str, to: &Path, note: Note<'_>) -> io::Result<String> {
        copy(&self.path(name), to, note)
    }

    fn digest(&self, name: &str, note: Note<'_>) -> io::Result<String> {
        digest(&self.path(name), note)
    }

    fn share(&self) -> io::Result<Option<Box<dyn Guard>>> {
        Ok(FileLock::shared(self.open_mark()?)?.map(|lock| Box::new(lock) as Box<dyn Guard>))
    }

    fn own(&self) -> io::Result<Option<Box<dyn Guard>>> {
        Ok(FileLock::exclusive(self.open_mark()?)?.map(|lock| Box::new(lock) as Box<dyn Guard>))
    }

    fn clean(&self) -> io::Result<()> {
        // A broken-off piece is listed, and no backup needs it.
        Ok(())
    }
}
