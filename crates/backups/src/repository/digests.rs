//! The digests of files that never change, remembered so that each is read once.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::files::write_whole;

/// The file in the folder of the backups.
const FILE: &str = "HASHES";

/// The identity of a file: device, inode, size, and the time of its last change in nanoseconds.
type FileKey = (u64, u64, u64, i128);

/// The digests of files by their identity.
#[derive(Debug, Default)]
pub(super) struct Digests {
    known: HashMap<FileKey, String>,
    used: HashMap<FileKey, String>,
}

fn key(metadata: &Metadata) -> FileKey {
    let nanoseconds = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
    (metadata.dev(), metadata.ino(), metadata.len(), nanoseconds)
}

impl Digests {
    /// Reads the remembered digests. Lines that are damaged count as unknown files.
    pub(super) fn read(backups: &Path) -> Self {
        let text = fs::read_to_string(backups.join(FILE)).unwrap_or_default();
        let line = |line: &str| {
            let mut words = line.split(' ');
            let mut number = || words.next()?.parse::<u64>().ok();
            let (device, inode, size) = (number()?, number()?, number()?);
            let time = words.next()?.parse().ok()?;
            let digest = words.next().filter(|digest| super::is_digest(digest))?;
            Some(((device, inode, size, time), digest.to_owned()))
        };
        Digests { known: text.lines().filter_map(line).collect(), used: HashMap::new() }
    }

    /// Returns the digest of a file, if it is known.
    pub(super) fn get(&mut self, metadata: &Metadata) -> Option<String> {
        let key = key(metadata);
        let digest = self.known.get(&key).or_else(|| self.used.get(&key))?.clone();
        self.used.insert(key, digest.clone());
        Some(digest)
    }

    /// Remembers the digest of a file.
    pub(super) fn add(&mut self, metadata: &Metadata, digest: &str) {
        self.used.insert(key(metadata), digest.to_owned());
    }

    /// Writes the digests that were asked for or added. A failure costs time only: the files are
    /// read again.
    pub(super) fn write(&self, backups: &Path) {
        let line = |((device, inode, size, time), digest): (&FileKey, &String)| {
            format!("{device} {inode} {size} {time} {digest}\n")
        };
        let text: String = self.used.iter().map(line).collect();
        let _ = write_whole(&backups.join(FILE), text.as_bytes());
    }
}
