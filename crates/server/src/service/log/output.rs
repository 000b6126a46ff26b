//! Where the log is written.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A place for lines.
#[derive(Debug)]
pub enum Output {
    /// The standard output (`-`).
    Stdout,
    /// The standard error output (`+`).
    Stderr,
    /// A file, appended to.
    File {
        /// Its path, to be opened again.
        path: PathBuf,
        /// Open.
        file: File,
        /// Its mode when the log began, which it keeps when it is opened again.
        permissions: Permissions,
    },
}

impl Output {
    /// Opens a file for appending, and makes it if need be.
    pub fn file(path: &Path) -> io::Result<Self> {
        let file = open(path)?;
        let permissions = file.metadata()?.permissions();
        Ok(Output::File { path: path.to_owned(), file, permissions })
    }

    /// The name in ArangoDB's configuration.
    pub fn name(&self) -> String {
        match self {
            Output::Stdout => "-".to_owned(),
            Output::Stderr => "+".to_owned(),
            Output::File { path, .. } => format!("file://{}", path.display()),
        }
    }

    pub(super) fn write(&mut self, line: &str) -> io::Result<()> {
        match self {
            Output::Stdout => io::stdout().lock().write_all(line.as_bytes()),
            Output::Stderr => io::stderr().lock().write_all(line.as_bytes()),
            Output::File { file, .. } => file.write_all(line.as_bytes()),
        }
    }

    pub(super) fn reopen(&mut self) -> io::Result<()> {
        if let Output::File { path, file, permissions } = self {
            let is_new = !path.exists();
            *file = open(path)?;
            // By now the process makes files for their owner alone, which data need and logs do not.
            if is_new && file.metadata().is_ok_and(|metadata| metadata.is_file()) {
                file.set_permissions(permissions.clone())?;
            }
        }
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}
