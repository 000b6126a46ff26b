//! The check of a repository: every file of every backup is read.

use std::collections::HashMap;

use errors::{Error, ErrorCode, Result};

use super::{Repository, digest_of, file_name};

/// The extent of a check without faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// The number of backups.
    pub backups: u64,
    /// The number of different files.
    pub files: u64,
    /// The number of segments of change logs.
    pub segments: u64,
    /// The bytes of the files.
    pub bytes: u64,
}

impl Repository {
    /// Reads all files of all backups and all segments of logs, and compares their digests.
    ///
    /// Errors: 7001, which names every damaged or missing file and a backup that needs it.
    pub fn verify(&self) -> Result<Verified> {
        let _shared = self.share()?;
        let manifests = self.list()?;
        let mut verified = Verified { backups: manifests.len() as u64, ..Verified::default() };
        let mut outcomes: HashMap<String, bool> = HashMap::new();
        let mut faults = Vec::new();
        for manifest in &manifests {
            for file in &manifest.files {
                let sha256 = digest_of(file);
                if outcomes.contains_key(sha256) {
                    continue;
                }
                let name = file_name(sha256);
                let found = self.place.digest(&name, &mut |bytes| {
                    verified.bytes += bytes;
                    Ok(())
                });
                let fault = match found {
                    Ok(found) if found == sha256 => None,
                    Ok(_) => Some("its content has a different digest".to_owned()),
                    Err(error) => Some(error.to_string()),
                };
                outcomes.insert(sha256.to_owned(), fault.is_none());
                faults.extend(fault.map(|fault| {
                    let address = self.place.address(&name);
                    format!("{address} ({} of the backup '{}'): {fault}", file.name, manifest.id)
                }));
            }
        }
        verified.files = outcomes.len() as u64;
        for (log, archived) in self.logs()? {
            for segment in &archived.segments {
                verified.segments += 1;
                faults.extend(self.check_segment(log, segment).err().map(|error| error.message().to_owned()));
            }
        }
        match faults.is_empty() {
            true => Ok(verified),
            false => {
                let message = format!("{} files are damaged:\n{}", faults.len(), faults.join("\n"));
                Err(Error::new(ErrorCode::HotBackupInternal, message))
            }
        }
    }
}
