//! The manifest of a backup: the file `BACKUP` in its folder, a JSON object.

use std::fs;
use std::path::Path;

use errors::{Error, ErrorCode, Result};
use jiff::Timestamp;
use velocypack::{Builder, Limits, Slice, json};

use crate::files::{digest, failed, has_checksums, write_whole};
use crate::id::BackupId;
use crate::log_position::LogPosition;

/// The version of the form that this crate writes, which is also the newest that it reads.
const FORMAT: u64 = 1;

/// The name of the manifest in a backup's folder.
pub(crate) const MANIFEST: &str = "BACKUP";

/// The versions of the server that makes a backup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// The version of ArangoDB that it replaces.
    pub compatible: String,
    /// Its own version.
    pub own: String,
}

/// The description of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The backup's id.
    pub id: BackupId,
    /// The moment of its creation, in seconds since 1970.
    pub seconds: i64,
    /// The versions of the server that made it.
    pub versions: Versions,
    /// True if it may hold a part of a transaction.
    pub is_inconsistent: bool,
    /// Its place in the change log; `None` if the server wrote no log.
    pub log: Option<LogPosition>,
    /// Its files, by name.
    pub files: Vec<FileEntry>,
}

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// The name in the backup's folder.
    pub name: String,
    /// The size in bytes.
    pub size_bytes: u64,
    /// The SHA-256 of the content in hexadecimal digits: in manifests of repositories, and of files
    /// without checksums of their own.
    pub sha256: Option<String>,
}

impl Manifest {
    /// Describes the files that lie in `folder` now.
    pub(crate) fn of_folder(folder: &Path, id: BackupId, versions: &Versions, seconds: i64) -> Result<Self> {
        let code = ErrorCode::HotBackupInternal;
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed(code, "reading", folder))? {
            let entry = entry.map_err(failed(code, "reading", folder))?;
            let metadata = entry.metadata().map_err(failed(code, "reading", &entry.path()))?;
            let name = entry.file_name().into_string();
            let name =
                name.map_err(|_| Error::new(code, format!("an unexpected file in {}", folder.display())))?;
            if metadata.is_file() && name != MANIFEST {
                let sha256 = (!has_checksums(&name)).then(|| digest(&entry.path(), &mut |_| Ok(())));
                let sha256 = sha256.transpose().map_err(failed(code, "reading", &entry.path()))?;
                files.push(FileEntry { name, size_bytes: metadata.len(), sha256 });
            }
        }
        files.sort_by(|first, second| first.name.cmp(&second.name));
        Ok(Manifest { id, seconds, versions: versions.clone(), is_inconsistent: false, log: None, files })
    }

    /// Returns the number of bytes of all files.
    pub fn size_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size_bytes).sum()
    }

    /// Returns the moment of the creation as ISO 8601.
    pub fn time(&self) -> String {
        Timestamp::from_second(self.seconds).unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// Reads the manifest in a backup's folder.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let text = fs::read(&path).map_err(failed(ErrorCode::HotBackupInternal, "reading", &path))?;
        Self::parse(&text, &path)
    }

    /// Writes the manifest into a backup's folder.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(MANIFEST);
        let written = write_whole(&path, self.print()?.as_bytes());
        written.map_err(failed(ErrorCode::HotBackupInternal, "writing", &path))
    }

    /// Parses a manifest. `path` is for messages.
    ///
    /// Errors: 35 for a newer format, 7001 for a text that is not a manifest.
    pub(crate) fn parse(text: &[u8], path: &Path) -> Result<Self> {
        let mut value = Builder::new();
        let parsed = json::parse(text, &Limits::default(), &mut value).is_ok();
        let value = value.as_slice();
        let damaged = || {
            let message = format!("{} is damaged: it is not the manifest of a backup", path.display());
            Error::new(ErrorCode::HotBackupInternal, message)
        };
        if !parsed || !value.is_object() {
            return Err(damaged());
        }
        match value.get("format").and_then(Slice::as_u64).ok_or_else(damaged)? {
            1..=FORMAT => Self::from_value(value).ok_or_else(damaged),
            newer => {
                let message = format!(
                    "{} has format {newer}, this version reads formats up to {FORMAT}; use a newer version",
                    path.display()
                );
                Err(Error::new(ErrorCode::IncompatibleVersion, message))
            }
        }
    }

    fn from_value(value: Slice<'_>) -> Option<Self> {
        let text = |value: Slice<'_>, name: &str| value.get(name)?.as_str().map(str::to_owned);
        let file = |file: Slice<'_>| {
            let name = text(file, "name").filter(|name| !name.contains('/') && !name.starts_with('.'))?;
            let size_bytes = file.get("size")?.as_u64()?;
            Some(FileEntry { name, size_bytes, sha256: text(file, "sha256") })
        };
        Some(Manifest {
            id: BackupId::parse(&text(value, "id")?).ok()?,
            seconds: value.get("time")?.as_i64()?,
            versions: Versions { compatible: text(value, "version")?, own: text(value, "perseaVersion")? },
            is_inconsistent: value.get("potentiallyInconsistent")?.as_bool()?,
            log: match value.get("log") {
                Some(log) => Some(LogPosition::from_value(log)?),
                None => None,
            },
            files: value.get("files")?.elements().map(file).collect::<Option<_>>()?,
        })
    }

    /// Returns the manifest as JSON, a file a line.
    pub(crate) fn print(&self) -> Result<String> {
        let mut head = Builder::new();
        head.open_object()?;
        head.key("format")?;
        head.add_u64(FORMAT)?;
        for (name, text) in [
            ("id", self.id.as_str()),
            ("version", &self.versions.compatible),
            ("perseaVersion", &self.versions.own),
        ] {
            head.key(name)?;
            head.add_str(text)?;
        }
        head.key("time")?;
        head.add_i64(self.seconds)?;
        head.key("potentiallyInconsistent")?;
        head.add_bool(self.is_inconsistent)?;
        if let Some(log) = &self.log {
            head.key("log")?;
            head.open_object()?;
            log.print(&mut head)?;
            head.close()?;
        }
        head.key("files")?;
        head.open_array()?;
        for file in &self.files {
            head.open_object()?;
            head.key("name")?;
            head.add_str(&file.name)?;
            head.key("size")?;
            head.add_u64(file.size_bytes)?;
            if let Some(sha256) = &file.sha256 {
                head.key("sha256")?;
                head.add_str(sha256)?;
            }
            head.close()?;
        }
        head.close()?;
        head.close()?;
        Ok(head.as_slice().to_json_string().replace("},{", "},\n{") + "\n")
    }

    /// Checks that all files lie in `folder` with their sizes. Compares the content of files that
    /// have no checksums of their own.
    ///
    /// Errors: 7002, which names the file.
    pub(crate) fn check_files(&self, folder: &Path) -> Result<()> {
        for file in &self.files {
            let path = folder.join(&file.name);
            let size = fs::metadata(&path).map(|metadata| metadata.len());
            let found = match size {
                Ok(size) if size == file.size_bytes => match file.content_in(folder) {
                    Ok(true) => continue,
                    Ok(false) => "has a different digest".to_owned(),
                    Err(error) => format!("cannot be read: {error}"),
                },
                Ok(size) => format!("has {size} bytes instead of {}", file.size_bytes),
                Err(error) => format!("cannot be read: {error}"),
            };
            let message = format!("the backup '{}' is damaged: {} {found}", self.id, path.display());
            return Err(Error::new(ErrorCode::HotRestoreInternal, message));
        }
        Ok(())
    }
}

impl FileEntry {
    /// Returns true if the file in `folder` has its content, as far as only the manifest can tell.
    fn content_in(&self, folder: &Path) -> std::io::Result<bool> {
        match &self.sha256 {
            Some(expected) if !has_checksums(&self.name) => {
                Ok(digest(&folder.join(&self.name), &mut |_| Ok(()))? == *expected)
            }
            _ => Ok(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LogId;

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let file = |name: &str, sha256| FileEntry { name: name.to_owned(), size_bytes: 7, sha256 };
        let manifest = Manifest {
            id: BackupId::parse("2026-11-25T18.00.00Z_a").unwrap(),
            seconds: 1_795_629_600,
            versions: Versions { compatible: "3.12.5".to_owned(), own: "0.1.0".to_owned() },
            is_inconsistent: true,
            log: Some(LogPosition { id: LogId { server: u64::MAX, log: 7 }, complete: 5, end: 9, time: 12 }),
            files: vec![file("000001.sst", None), file("CURRENT", Some("00ff".to_owned()))],
        };
        let text = manifest.print().unwrap();
        assert_eq!(Manifest::parse(text.as_bytes(), Path::new("BACKUP")).unwrap(), manifest);
        assert_eq!((manifest.time().as_str(), manifest.size_bytes()), ("2026-11-25T18:00:00Z", 14));
    }

    #[test]
    fn damaged_and_newer_manifests_are_refused() {
        let parse = |text: &str| Manifest::parse(text.as_bytes(), Path::new("BACKUP")).unwrap_err();
        for text in ["", "[]", "{}", "{\"format\":1}", "{\"format\":\"1\"}"] {
            assert_eq!(parse(text).code(), ErrorCode::HotBackupInternal, "{text}");
        }
        assert_eq!(parse("{\"format\":2}").code(), ErrorCode::IncompatibleVersion);
        let outside = r#"{"format":1,"id":"2026","version":"","perseaVersion":"","time":1,
            "potentiallyInconsistent":false,"files":[{"name":"../x","size":1}]}"#;
        assert_eq!(parse(outside).code(), ErrorCode::HotBackupInternal);
    }
}
