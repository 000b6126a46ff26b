//! The content of an encrypted file of the log.

use std::fs::File;
use std::io::{self, BufReader, Read};

use encryption::{FileKey, FileKind, MasterKey};

use crate::encrypted_env::PREFIX_BYTES;

/// The bytes that a disk writes at once. One that consists of zeros was never written.
const SECTOR_BYTES: usize = 512;

/// The number of bytes in one read.
const READ_BYTES: usize = 1 << 20;

/// A reader of the decrypted content. Sectors that never reached the disk stay zeros, so that they
/// are known from damage.
pub(super) struct LogContent<'f> {
    file: BufReader<&'f File>,
    key: FileKey,
    offset: u64,
    sector: Vec<u8>,
    /// The bytes of the sector that were read already.
    taken: usize,
}

/// A file of the log whose header was read.
pub(super) enum Opened<'f> {
    /// The file has no bytes.
    Empty,
    Content(LogContent<'f>),
    /// The header is cut short, was never written, or is not that of this store.
    WithoutHeader {
        bytes: u64,
    },
}

impl<'f> LogContent<'f> {
    /// Reads the header of a file.
    pub(super) fn open(file: &'f File, master: &MasterKey) -> io::Result<Opened<'f>> {
        let mut header = Vec::with_capacity(PREFIX_BYTES);
        file.take(PREFIX_BYTES as u64).read_to_end(&mut header)?;
        if header.is_empty() {
            return Ok(Opened::Empty);
        }
        let key = FileKey::of_header(master, FileKind::Engine, &header);
        match key.ok().filter(|_| header.len() == PREFIX_BYTES) {
            Some(key) => {
                let offset = PREFIX_BYTES as u64;
                let file = BufReader::with_capacity(READ_BYTES, file);
                Ok(Opened::Content(LogContent { file, key, offset, sector: Vec::new(), taken: 0 }))
            }
            None => Ok(Opened::WithoutHeader { bytes: file.metadata()?.len() }),
        }
    }

    fn next_sector(&mut self) -> io::Result<()> {
        self.sector.clear();
        self.taken = 0;
        (&mut self.file).take(SECTOR_BYTES as u64).read_to_end(&mut self.sector)?;
        if self.sector.iter().any(|byte| *byte != 0) {
            self.key.stream().apply(self.offset, &mut self.sector);
        }
        self.offset += self.sector.len() as u64;
        Ok(())
    }
}

impl Read for LogContent<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.sector.len() {
            self.next_sector()?;
        }
        let rest = self.sector.get(self.taken..).unwrap_or_default();
        let read = rest.len().min(buffer.len());
        let (Some(target), Some(source)) = (buffer.get_mut(..read), rest.get(..read)) else { return Ok(0) };
        target.copy_from_slice(source);
        self.taken += read;
        Ok(read)
    }
}
