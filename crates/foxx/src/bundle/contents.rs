//! The files of a bundle while they are collected: each path is checked, and all are counted.

use std::collections::BTreeMap;
use std::io::Read;

use errors::{Error, ErrorCode, Result};

use super::Limits;
use crate::manifest::MANIFEST_NAME;
use crate::path::has_drive;

/// Maximum length of a part of a path in bytes, as file systems have it.
const PART_MAX_BYTES: usize = 255;
/// The file in a service's folder that says of which bundle the folder is. No bundle has it.
pub(super) const MARKER: &str = ".persea-bundle";

/// Returns an error for a source of a bundle that cannot be used.
pub(super) fn refused(message: String) -> Error {
    Error::new(ErrorCode::ServiceSourceError, message)
}

/// Returns a name's path: relative, with one slash between its parts. Backslashes count as slashes,
/// and a slash at its end is dropped.
///
/// Errors: 3015 for a path that leads out of the folder, or means something else elsewhere.
pub(super) fn checked_path(name: &str, limits: &Limits) -> Result<String> {
    let fault = |fault: &str| {
        let name: String = name.chars().take(100).flat_map(char::escape_debug).collect();
        let right = "paths must be relative, with slashes, and stay in the bundle";
        Err(refused(format!("the bundle has the path '{name}', which {fault}; {right}")))
    };
    // Programs of Windows write backslashes into archives.
    let name = name.replace('\\', "/");
    if name.starts_with('/') {
        return fault("is absolute");
    }
    if name.chars().any(char::is_control) {
        return fault("has a control character");
    }
    if name.len() > limits.path_bytes {
        return fault(&format!("has {} bytes, more than {}", name.len(), limits.path_bytes));
    }
    let parts: Vec<&str> = name.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.contains(&"..") {
        return fault("has the part '..'");
    }
    if parts.is_empty() {
        return fault("is empty");
    }
    if parts.iter().any(|part| part.len() > PART_MAX_BYTES) {
        return fault(&format!("has a part of more than {PART_MAX_BYTES} bytes"));
    }
    if parts.len() > limits.depth {
        return fault(&format!("has {} parts, more than {}", parts.len(), limits.depth));
    }
    let path = parts.join("/");
    if has_drive(&path) {
        return fault("has the letter of a drive");
    }
    Ok(path)
}

/// Returns the beginning of all paths of the service: that of the manifest with the fewest parts,
/// empty or with a slash at its end.
///
/// Archives of a repository have one folder around it, and packages have manifests of their own.
///
/// Errors: 3012 without a manifest, 3015 if two have equally few parts.
pub(super) fn root_of<'p>(paths: impl Iterator<Item = &'p str>) -> Result<String> {
    let depth = |path: &str| path.bytes().filter(|byte| *byte == b'/').count();
    let mut best: Option<(usize, &str)> = None;
    let mut second = None;
    for path in paths {
        let is_manifest = path.strip_suffix(MANIFEST_NAME).is_some_and(|s| s.is_empty() || s.ends_with('/'));
        if !is_manifest {
            continue;
        }
        match best {
            Some((least, _)) if least < depth(path) => {}
            Some((least, _)) if least == depth(path) => second = Some(path),
            _ => (best, second) = (Some((depth(path), path)), None),
        }
    }
    let Some((_, path)) = best else {
        let message = format!("the bundle has no {MANIFEST_NAME}; a service has it beside its files");
        return Err(Error::new(ErrorCode::ServiceManifestNotFound, message));
    };
    if let Some(second) = second {
        return Err(refused(format!(
            "the bundle has the manifests '{path}' and '{second}'; only one service may be in it"
        )));
    }
    Ok(path.strip_suffix(MANIFEST_NAME).unwrap_or_default().to_owned())
}

/// Files that were collected so far.
pub(super) struct Contents<'l> {
    limits: &'l Limits,
    files: BTreeMap<String, Vec<u8>>,
    bytes_left: usize,
    entries_left: usize,
}

impl<'l> Contents<'l> {
    pub(super) fn new(limits: &'l Limits) -> Self {
        Contents {
            limits,
            files: BTreeMap::new(),
            bytes_left: limits.unpacked_bytes,
            entries_left: limits.entries,
        }
    }

    /// Counts a file or folder. Errors: 3015 if there are too many.
    pub(super) fn count_entry(&mut self) -> Result<()> {
        let too_many = || {
            let entries = self.limits.entries;
            refused(format!("the bundle has more than {entries} files and folders, which is the maximum"))
        };
        self.entries_left = self.entries_left.checked_sub(1).ok_or_else(too_many)?;
        Ok(())
    }

    /// Reads a file to its end. `path` is a checked one.
    ///
    /// Errors: 3015 if it cannot be read, or all files together become too large.
    pub(super) fn read(&mut self, path: String, file: &mut dyn Read) -> Result<()> {
        let mut bytes = Vec::new();
        let bound = (self.bytes_left as u64).saturating_add(1);
        let read = file.take(bound).read_to_end(&mut bytes);
        read.map_err(|error| refused(format!("the file '{path}' of the bundle cannot be read: {error}")))?;
        bytes.shrink_to_fit();
        self.add(path, bytes)
    }

    /// Adds a file. `path` is a checked one.
    pub(super) fn add(&mut self, path: String, bytes: Vec<u8>) -> Result<()> {
        let too_large = || {
            let limit = self.limits.unpacked_bytes;
            refused(format!("the files of the bundle have more than {limit} bytes, which is the maximum"))
        };
        self.bytes_left = self.bytes_left.checked_sub(bytes.len()).ok_or_else(too_large)?;
        if self.files.contains_key(&path) {
            return Err(twice(&path));
        }
        self.files.insert(path, bytes);
        Ok(())
    }

    /// Returns all files. Errors: 3015 if a file is in the place of another one's folder.
    pub(super) fn finish(mut self) -> Result<BTreeMap<String, Vec<u8>>> {
        self.files.remove(MARKER);
        for path in self.files.keys() {
            let mut folders = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
            if let Some(folder) = folders.find(|folder| self.files.contains_key(*folder)) {
                let message =
                    format!("the bundle has the file '{folder}' and, as if it were a folder, '{path}'");
                return Err(refused(message));
            }
        }
        Ok(self.files)
    }
}

/// Returns the error of two files with the same path.
pub(super) fn twice(path: &str) -> Error {
    refused(format!("the bundle has the path '{path}' twice; each may be there once"))
}
