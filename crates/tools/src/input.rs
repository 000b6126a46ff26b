//! Files to read, compressed or not.

use std::fs;
use std::io::{self, Cursor, Read};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;

use crate::encrypted::Files;
use crate::{Failure, Progress};

/// The first bytes of a gzip file (RFC 1952).
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

/// The first bytes of a Zstandard file (RFC 8878).
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The name of the standard input.
pub(crate) const STDIN: &str = "-";

/// Opens a file, or the standard input for `-`.
///
/// Files compressed with gzip or Zstandard are recognized by their first bytes and decompressed.
/// `progress` counts bytes of the file.
///
/// Errors: a file that cannot be read, encrypted standard input.
pub(crate) fn open(
    path: &str,
    files: &Files,
    progress: &Arc<Progress>,
) -> Result<Box<dyn Read + Send>, Failure> {
    let unreadable = |error: io::Error| Failure::new(format!("{path} cannot be read: {error}"));
    let raw: Box<dyn Read + Send> = if path == STDIN {
        if files.are_encrypted() {
            return Err(Failure::option(
                "standard input is not decrypted; name a file, or leave the key out",
            ));
        }
        Box::new(io::stdin())
    } else {
        let metadata = fs::metadata(path).map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(Failure::new(format!("{path} is a folder, not a file")));
        }
        progress.add_total(metadata.len());
        Box::new(files.open(path.as_ref()).map_err(unreadable)?)
    };
    decompressed(Counted { raw, progress: Arc::clone(progress) }).map_err(unreadable)
}

/// Returns a reader that decompresses compressed input.
pub(crate) fn decompressed(mut raw: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut begin = Vec::new();
    raw.by_ref().take(ZSTD_MAGIC.len() as u64).read_to_end(&mut begin)?;
    let is_gzip = begin.starts_with(GZIP_MAGIC);
    let is_zstd = begin.starts_with(ZSTD_MAGIC);
    let whole = Cursor::new(begin).chain(raw);
    Ok(match (is_gzip, is_zstd) {
        (true, _) => Box::new(MultiGzDecoder::new(whole)),
        (_, true) => Box::new(zstd::stream::read::Decoder::new(whole)?),
        _ => Box::new(whole),
    })
}

struct Counted {
    raw: Box<dyn Read + Send>,
    progress: Arc<Progress>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.raw.read(buffer)?;
        self.progress.add(count as u64);
        Ok(count)
    }
}
