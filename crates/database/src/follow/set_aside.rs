//! Writes that only a former leader had, kept in a file before they are removed here.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use encryption::{EncryptedWriter, FileKind, MasterKey};
use errors::{Error, Result};

use crate::changes::TailRequest;
use crate::instance::Instance;
use crate::session::{Identity, Session};

/// Bytes of the log that are read at once.
const PART_BYTES: usize = 1 << 20;

/// A file that is being written.
struct Kept {
    file: File,
    text: Box<dyn Write>,
}

impl Kept {
    fn create(path: &Path, encryption: Option<&MasterKey>) -> io::Result<Self> {
        let file = File::create(path)?;
        let written = file.try_clone()?;
        let text: Box<dyn Write> = match encryption {
            None => Box::new(written),
            Some(master) => Box::new(EncryptedWriter::new(written, master, FileKind::SetAside)?),
        };
        Ok(Kept { file, text })
    }
}

/// Writes the entries of this server's log after a position into a file of the folder, one JSON
/// object a line, as `/_api/wal/tail` prints them. With a key, the file is encrypted. Returns the
/// file and the number of entries; `None` without any.
///
/// Errors: 4 if the file cannot be written, those of the log.
pub(super) fn set_aside(
    instance: &Arc<Instance>,
    (folder, encryption): (&Path, Option<&MasterKey>),
    epoch: u64,
    after: u64,
) -> Result<Option<(PathBuf, usize)>> {
    let session = Session::open(Arc::clone(instance), catalog::SYSTEM_DATABASE, Identity::Superuser)?;
    let suffix = if encryption.is_some() { ".encrypted" } else { "" };
    let file = folder.join(format!("epoch-{epoch}-after-{after}.jsonl{suffix}"));
    let failed = |error: std::io::Error| Error::internal(format!("cannot write {}: {error}", file.display()));
    let (mut out, mut from, mut entries) = (None, after, 0);
    loop {
        let tail = session.tail(&TailRequest {
            from,
            to: u64::MAX,
            global: true,
            chunk_bytes: PART_BYTES,
            is_old_form: false,
            include_system: true,
            velocypack: false,
        })?;
        if !tail.entries.is_empty() {
            let out = match &mut out {
                Some(out) => out,
                None => {
                    fs::create_dir_all(folder).map_err(failed)?;
                    out.insert(Kept::create(&file, encryption).map_err(failed)?)
                }
            };
            entries += tail.entries.iter().filter(|byte| **byte == b'\n').count();
            out.text.write_all(&tail.entries).map_err(failed)?;
        }
        from = from.max(tail.last_scanned);
        if !tail.check_more {
            break;
        }
    }
    let Some(out) = out else { return Ok(None) };
    out.file.sync_all().map_err(failed)?;
    Ok(Some((file, entries)))
}
