//! The files of the secrets that sign tokens.

use std::io;
use std::path::{Path, PathBuf};

/// The source of the secrets, which is read at the start and on each reload.
#[derive(Clone, Debug)]
pub enum SecretFiles {
    /// One file with one secret.
    Keyfile(PathBuf),
    /// A folder with one secret per file. The first by name signs tokens, and all are accepted.
    /// Hidden files are skipped.
    Folder(PathBuf),
}

impl SecretFiles {
    /// Returns the secrets, at least one. The error names the file and the problem.
    pub fn read(&self) -> Result<Vec<Vec<u8>>, String> {
        let folder = match self {
            SecretFiles::Keyfile(path) => return Ok(vec![secret_in(path)?]),
            SecretFiles::Folder(folder) => folder,
        };
        let files = files_in(folder)
            .map_err(|error| format!("the folder of secrets {} cannot be read: {error}", folder.display()))?;
        if files.is_empty() {
            return Err(format!("there is no secret in the folder {}", folder.display()));
        }
        files.iter().map(|file| secret_in(file)).collect()
    }
}

/// Returns the files of a folder in the order of their names.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the secret in a file, without surrounding white space.
fn secret_in(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(path)
        .map_err(|error| format!("the secret file {} cannot be read: {error}", path.display()))?;
    match bytes.trim_ascii() {
        [] => Err(format!("the secret file {} is empty", path.display())),
        secret => Ok(secret.to_vec()),
    }
}
