//! Crash dumps: folders with the diagnosis of a crash, which `/_admin/crashes` shows.
//!
//! Each is a folder of text files below the data folder, `crashes/{uuid}`. A file `RUNNING` beside
//! them exists while the server runs. A server that finds it at its start writes a dump for the
//! process that did not remove it.
//!
//! Source: ArangoDB 3.12 documentation, "Crash dumps" and "Crash dump management".

mod uuid;

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The folder of dumps in the data folder.
pub const FOLDER: &str = "crashes";

/// Number of dumps that are kept; older ones are removed at the start.
pub const KEPT: usize = 10;

/// The file that exists while the server runs.
const RUNNING: &str = "RUNNING";

/// Maximum number of files of a dump that are read.
const FILES_MAX: usize = 32;

/// Maximum size in bytes of a file of a dump; what follows is not read.
const FILE_MAX_BYTES: u64 = 8 << 20;

/// A file of a dump: its name and its contents.
pub type DumpFile = (String, String);

/// The crash dumps of a server.
#[derive(Debug)]
pub struct CrashDumps {
    folder: PathBuf,
}

impl CrashDumps {
    /// Returns the dumps in a data folder. The folder of dumps appears with the first one.
    pub fn in_data_folder(data: &Path) -> Self {
        CrashDumps { folder: data.join(FOLDER) }
    }

    /// Returns the names of the dumps, oldest first.
    ///
    /// Errors: those of the file system. There are no dumps without the folder.
    pub fn list(&self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut dumps: Vec<(SystemTime, String)> = Vec::new();
        for entry in entries {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            // Another process may have removed it.
            let Ok(metadata) = entry.metadata() else { continue };
            if uuid::is_one(&name) && metadata.is_dir() {
                dumps.push((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), name));
            }
        }
        dumps.sort();
        Ok(dumps.into_iter().map(|(_, name)| name).collect())
    }

    /// Returns the files of a dump by name; `None` if there is no such dump.
    pub fn read(&self, name: &str) -> io::Result<Option<Vec<DumpFile>>> {
        let Some(folder) = self.find(name) else { return Ok(None) };
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)?.take(FILES_MAX) {
            let entry = entry?;
            if !entry.file_type()?.is_file() {
                continue;
            }
            let mut bytes = Vec::new();
            File::open(entry.path())?.take(FILE_MAX_BYTES).read_to_end(&mut bytes)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            files.push((name, String::from_utf8_lossy(&bytes).into_owned()));
        }
        files.sort();
        Ok(Some(files))
    }

    /// Removes a dump. Returns false if there is no such dump.
    pub fn remove(&self, name: &str) -> io::Result<bool> {
        match self.find(name) {
            Some(folder) => fs::remove_dir_all(folder).map(|()| true),
            None => Ok(false),
        }
    }

    /// Writes a dump, and returns its name.
    ///
    /// It is written under another name first, so that a listed dump is complete.
    pub fn write(&self, files: &[DumpFile]) -> io::Result<String> {
        let name = uuid::random()?;
        let unfinished = self.folder.join(format!("{name}.unfinished"));
        fs::create_dir_all(&unfinished)?;
        for (file, contents) in files {
            fs::write(unfinished.join(file), contents)?;
        }
        fs::rename(unfinished, self.folder.join(&name))?;
        Ok(name)
    }

    /// Removes all but the newest [`KEPT`] dumps.
    pub fn shorten(&self) -> io::Result<()> {
        let dumps = self.list()?;
        let old = dumps.len().saturating_sub(KEPT);
        for name in dumps.iter().take(old) {
            self.remove(name)?;
        }
        Ok(())
    }

    /// Notes that the server runs, with a text about it, until the value is dropped.
    ///
    /// Returns also the text of an earlier process that did not end in order.
    pub fn begin(&self, text: &str) -> io::Result<(Running, Option<String>)> {
        let path = self.folder.join(RUNNING);
        let earlier = match fs::read(&path) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        fs::create_dir_all(&self.folder)?;
        fs::write(&path, text)?;
        Ok((Running { path }, earlier))
    }

    /// Returns the folder of a dump. Other names cannot leave the folder of dumps.
    fn find(&self, name: &str) -> Option<PathBuf> {
        let folder = self.folder.join(name);
        (uuid::is_one(name) && folder.is_dir()).then_some(folder)
    }
}

/// The note that the server runs; it ends on drop.
#[derive(Debug)]
pub struct Running {
    path: PathBuf,
}

impl Drop for Running {
    fn drop(&mut self) {
        // Without the folder there is nothing to remove.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, contents: &str) -> DumpFile {
        (name.to_owned(), contents.to_owned())
    }

    #[test]
    fn a_dump_is_written_read_and_removed() {
        let data = tempfile::tempdir().unwrap();
        let dumps = CrashDumps::in_data_folder(data.path());
        assert!(dumps.list().unwrap().is_empty());
        let files = [file("backtrace.txt", "here"), file("system_info.txt", "there")];
        let name = dumps.write(&files).unwrap();
        assert_eq!(dumps.list().unwrap(), [name.as_str()]);
        assert_eq!(dumps.read(&name).unwrap().unwrap(), files);
        assert!(dumps.remove(&name).unwrap());
        assert!(!dumps.remove(&name).unwrap());
        assert!(dumps.list().unwrap().is_empty());
        assert!(dumps.read(&name).unwrap().is_none());
    }

    #[test]
    fn only_names_of_dumps_are_found() {
        let data = tempfile::tempdir().unwrap();
        let dumps = CrashDumps::in_data_folder(data.path());
        let name = dumps.write(&[file("a", "b")]).unwrap();
        for other in ["", ".", "..", "../crashes", "RUNNING", &format!("{name}/"), &format!("./{name}")] {
            assert!(dumps.read(other).unwrap().is_none(), "{other}");
            assert!(!dumps.remove(other).unwrap(), "{other}");
        }
        assert_eq!(dumps.list().unwrap(), [name]);
    }

    #[test]
    fn the_newest_dumps_are_kept() {
        let data = tempfile::tempdir().unwrap();
        let dumps = CrashDumps::in_data_folder(data.path());
        let named: Vec<String> = (0..KEPT + 2).map(|_| dumps.write(&[]).unwrap()).collect();
        for (age, name) in named.iter().rev().enumerate() {
            let time = SystemTime::now() - std::time::Duration::from_secs(age as u64);
            File::open(data.path().join(FOLDER).join(name)).unwrap().set_modified(time).unwrap();
        }
        dumps.shorten().unwrap();
        assert_eq!(dumps.list().unwrap(), named[2..]);
    }

    #[test]
    fn a_process_that_does_not_end_in_order_leaves_its_note() {
        let data = tempfile::tempdir().unwrap();
        let dumps = CrashDumps::in_data_folder(data.path());
        let (running, earlier) = dumps.begin("first").unwrap();
        assert_eq!(earlier, None);
        std::mem::forget(running);
        let (running, earlier) = dumps.begin("second").unwrap();
        assert_eq!(earlier.as_deref(), Some("first"));
        drop(running);
        assert_eq!(dumps.begin("third").unwrap().1, None);
    }
}
