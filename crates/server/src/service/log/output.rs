//! The outputs of the log.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A destination of lines.
#[derive(Debug)]
pub enum Output {
    /// The standard output (`-`).
    Stdout,
    /// The standard error output (`+`).
    Stderr,
    /// A file that lines are appended to.
    File {
        /// The path, to reopen the file.
        path: PathBuf,
        /// The open file.
        file: File,
        /// The mode of the file when the log began, which it keeps when it is reopened.
        permissions: Permissions,
    },
}

impl Output {
    /// Opens a file for appending, and creates it if necessary.
    pub fn file(path: &Path) -> io::Result<Self> {
        let file = open(path)?;
        let permissions = file.metadata()?.permissions();
        Ok(Output::File { path: path.to_owned(), file, permissions })
    }

    /// Returns the name in ArangoDB's configuration.
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
            // The process now creates files for their owner only, which is meant for data and not
            // for logs.
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
