//! Bundles: all files of a service, from a ZIP archive, a folder or one script.

mod limits;
mod contents;
mod archive;
mod folder;
mod unpack;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use errors::{Error, ErrorCode, Result};
use sha2::{Digest, Sha256};

pub(crate) use archive::ARCHIVE_SIGNATURE;
use contents::{Contents, refused};
pub use limits::Limits;

use crate::glob::Pattern;
use crate::manifest::{MAIN_DEFAULT, MANIFEST_NAME, Manifest};

/// The ends that a module's path may lack, as `require` has them.
const MODULE_ENDS: [&str; 4] = ["", ".js", ".json", "/index.js"];
/// The names of texts for readers, the preferred one first. Case does not matter.
const README_NAMES: [&str; 2] = ["readme.md", "readme"];

/// The files of a service. Their paths are relative, with slashes, and stay in its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    files: BTreeMap<String, Vec<u8>>,
}

impl Bundle {
    /// Reads a ZIP archive. The service's folder is that of the manifest nearest to the root.
    ///
    /// Empty folders, modes and times are dropped.
    ///
    /// Errors: 3012 without a manifest. 3015 for all that is not a harmless archive: damage, more
    /// than the limits allow, paths out of the folder, links, special files, encryption, a name
    /// twice, two manifests equally near to the root.
    pub fn of_zip(bytes: &[u8], limits: &Limits) -> Result<Bundle> {
        Ok(Bundle { files: archive::read(bytes, limits)? })
    }

    /// Makes the bundle of a service that is one script.
    ///
    /// Errors: 3015 if the script is not UTF-8 or too large.
    pub fn of_script(script: &[u8], limits: &Limits) -> Result<Bundle> {
        if std::str::from_utf8(script).is_err() {
            return Err(refused("the script is not UTF-8; scripts must be".to_owned()));
        }
        let mut contents = Contents::new(limits);
        contents.add(MAIN_DEFAULT.to_owned(), script.to_vec())?;
        contents.add(MANIFEST_NAME.to_owned(), format!("{{\"main\":\"{MAIN_DEFAULT}\"}}\n").into_bytes())?;
        Ok(Bundle { files: contents.finish()? })
    }

    /// Reads a folder. The service's folder is that of the manifest nearest to the root.
    ///
    /// Errors: 3014 if the folder cannot be opened, 3012 without a manifest, 3015 for links,
    /// special files, what cannot be read and more than the limits allow.
    pub fn of_folder(folder: &Path, limits: &Limits) -> Result<Bundle> {
        Ok(Bundle { files: folder::read(folder, limits)? })
    }

    /// Reads the manifest. Without `main`, it is `index.js` if there is that file.
    ///
    /// Errors: 3012 if there is none, 3000 and 3001 as [`Manifest::parse`] says.
    pub fn manifest(&self) -> Result<Manifest> {
        let text = self.file(MANIFEST_NAME).ok_or_else(|| Error::of(ErrorCode::ServiceManifestNotFound))?;
        let mut manifest = Manifest::parse(text)?;
        manifest.complete(|path| self.file(path).is_some());
        Ok(manifest)
    }

    /// Returns the text for readers, if it has one: `README.md` or `README`, in any case.
    pub fn readme(&self) -> Option<&[u8]> {
        let find = |name: &str| self.files.iter().find(|(path, _)| path.eq_ignore_ascii_case(name));
        README_NAMES.into_iter().find_map(find).map(|(_, text)| text.as_slice())
    }

    /// Returns the size of all files together in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.values().map(|file| file.len() as u64).sum()
    }

    /// Returns the paths of all files, in their order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Returns the contents of a file.
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// Returns the path of a module's file: that path, or with `.js`, `.json` or `/index.js`.
    pub fn module(&self, path: &str) -> Option<&str> {
        MODULE_ENDS.iter().find_map(|end| {
            let (path, _) = self.files.get_key_value(&format!("{path}{end}"))?;
            Some(path.as_str())
        })
    }

    /// Returns the paths that any of the patterns matches, in their order.
    ///
    /// The patterns are those of a manifest. One that is none matches nothing.
    pub fn matching(&self, patterns: &[String]) -> Vec<&str> {
        let mut matching = BTreeSet::new();
        // A compiled pattern takes far more memory than its text, so there is one at a time.
        for pattern in patterns.iter().filter_map(|text| Pattern::parse(text).ok()) {
            matching.extend(self.paths().filter(|path| pattern.matches(path)));
        }
        matching.into_iter().collect()
    }

    /// Packs the files into a ZIP archive, the same one for the same files.
    pub fn zip(&self) -> Result<Vec<u8>> {
        archive::write(&self.files)
    }

    /// Returns a text of 64 characters that is the same for the same files.
    ///
    /// It is the SHA-256, in hexadecimal, of all files in the order of their paths' bytes. Each
    /// file is the length of its path and the path, the length of its contents and the contents.
    /// Lengths have eight bytes, the lowest first. So it does not depend on how archives are
    /// packed. ArangoDB has other checksums.
    pub fn checksum(&self) -> String {
        let mut hasher = Sha256::new();
        for (path, bytes) in &self.files {
            for part in [path.as_bytes(), bytes] {
                hasher.update((part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
        }
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Writes the files into a folder, in the place of those that are there.
    ///
    /// The folder changes at once, and is on disk before the function returns. If the server stops
    /// in the meantime, [`Bundle::is_complete`] is true for the old checksum, or for none, or for
    /// the new one. `checksum` is usually that of [`Bundle::checksum`]; records of ArangoDB have
    /// others. Only one thread at a time may write the folder of a service.
    ///
    /// Errors: 15 if the file system refuses, 10 for a checksum of no or more than 256 bytes.
    pub fn unpack(&self, folder: &Path, checksum: &str) -> Result<()> {
        unpack::unpack(&self.files, folder, checksum)
    }

    /// Returns true if a folder has all files of the bundle that was unpacked with this checksum.
    pub fn is_complete(folder: &Path, checksum: &str) -> bool {
        unpack::is_complete(folder, checksum)
    }

    /// Removes the folder of a service. A folder that is not there is no error.
    ///
    /// Errors: 15 if the file system refuses.
    pub fn remove(folder: &Path) -> Result<()> {
        unpack::remove(folder)
    }
}

#[cfg(test)]
mod tests;
