//! The file below redb: sectors of 4,096 bytes, each encrypted by AES-256-XTS.
//!
//! The file begins with a sector for the header of [`encryption::SectorKey`] and zeros. The sectors
//! behind it have the numbers 0, 1, and so on, and are redb's pages. redb writes whole pages,
//! except the first 320 bytes of its first one: that page is read, changed and written as a whole.
//! A sector of zeros in the file was never written, and stands for zeros.
//!
//! redb repairs a file when it opens it after a failure. If the file cannot be written then, it
//! could not be read either. So a file that is opened again holds its writes back, in memory, until
//! they can be written.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use encryption::{HEADER_BYTES, MasterKey, SECTOR_BYTES, SectorKey};
use redb::StorageBackend;

/// The length of a sector as an offset.
const SECTOR: u64 = SECTOR_BYTES as u64;

/// The sectors that are encrypted and written at once.
const SECTORS_AT_ONCE: usize = 16;

/// An open file.
#[derive(Debug)]
pub(super) struct SectorFile {
    file: Arc<File>,
    key: SectorKey,
    /// True after an operation has failed: redb refuses all later ones.
    has_failed: Arc<AtomicBool>,
    held_back: Arc<HeldBack>,
    #[cfg(test)]
    path: std::path::PathBuf,
}

/// The writes of a file that are not in it yet.
#[derive(Debug, Default)]
pub(super) struct HeldBack {
    /// True while writes are held back.
    is_on: AtomicBool,
    changes: Mutex<Changes>,
}

#[derive(Debug, Default)]
struct Changes {
    /// Encrypted sectors by number.
    sectors: BTreeMap<u64, Vec<u8>>,
    /// The length of the file, if it has changed.
    length: Option<u64>,
}

/// A part of a file: its first sector, the number of sectors, and the place of the wanted bytes in
/// them.
struct Part {
    first: u64,
    sectors: usize,
    begin: usize,
}

impl SectorFile {
    /// Creates a file without sectors. Errors: no random bytes, those of the operating system.
    pub(super) fn create(path: &Path, master: &MasterKey) -> io::Result<Self> {
        let key = SectorKey::new(master).map_err(io::Error::other)?;
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        let mut first = [0; SECTOR_BYTES];
        first[..HEADER_BYTES].copy_from_slice(key.header());
        file.write_all_at(&first, 0)?;
        Ok(Self::new(file, key, path))
    }

    /// Opens a file. Errors: [`io::ErrorKind::InvalidData`] for the header of another key, those of
    /// the operating system.
    pub(super) fn open(path: &Path, master: &MasterKey) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(path)?;
        let key = read_key(&file, master)?;
        Ok(Self::new(file, key, path))
    }

    fn new(file: File, key: SectorKey, #[cfg_attr(not(test), expect(unused))] path: &Path) -> Self {
        SectorFile {
            file: Arc::new(file),
            key,
            has_failed: Arc::default(),
            held_back: Arc::default(),
            #[cfg(test)]
            path: path.to_owned(),
        }
    }

    /// Returns the file itself.
    pub(super) fn file(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }

    /// Returns the mark that is set once an operation has failed.
    pub(super) fn failure(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.has_failed)
    }

    /// Holds all writes back from now on. Returns those that are held back.
    pub(super) fn hold_back(&self) -> Arc<HeldBack> {
        self.held_back.is_on.store(true, Ordering::Release);
        Arc::clone(&self.held_back)
    }

    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if result.is_err() {
            self.has_failed.store(true, Ordering::Release);
        }
        result
    }

    fn read_sectors(&self, first: u64, bytes: &mut [u8]) -> io::Result<()> {
        match self.held_back.changes() {
            None => self.file.read_exact_at(bytes, (first + 1) * SECTOR)?,
            Some(changes) => changes.read(&self.file, first, bytes)?,
        }
        for (number, sector) in (first..).zip(bytes.as_chunks_mut::<SECTOR_BYTES>().0) {
            if sector.iter().any(|byte| *byte != 0) {
                self.key.cipher().decrypt(number, sector);
            }
        }
        Ok(())
    }

    fn write_sectors(&self, first: u64, bytes: &[u8]) -> io::Result<()> {
        #[cfg(test)]
        if self.held_back.changes().is_none() {
            super::faults::check(&self.path)?;
        }
        let mut encrypted = Vec::with_capacity(bytes.len().min(SECTORS_AT_ONCE * SECTOR_BYTES));
        let mut number = first;
        for piece in bytes.chunks(SECTORS_AT_ONCE * SECTOR_BYTES) {
            let begin = (number + 1) * SECTOR;
            encrypted.clear();
            encrypted.extend_from_slice(piece);
            for sector in encrypted.as_chunks_mut::<SECTOR_BYTES>().0 {
                self.key.cipher().encrypt(number, sector);
                number += 1;
            }
            match self.held_back.changes() {
                None => self.file.write_all_at(&encrypted, begin)?,
                Some(mut changes) => changes.write(begin / SECTOR - 1, &encrypted),
            }
        }
        Ok(())
    }

    fn read_any(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let part = Part::of(offset, out.len());
        if part.is_whole(out.len()) {
            return self.read_sectors(part.first, out);
        }
        let mut sectors = vec![0; part.sectors * SECTOR_BYTES];
        self.read_sectors(part.first, &mut sectors)?;
        let wanted = sectors.get(part.begin..part.begin + out.len());
        out.copy_from_slice(wanted.unwrap_or_default());
        Ok(())
    }

    fn write_any(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let part = Part::of(offset, bytes.len());
        if part.is_whole(bytes.len()) {
            return self.write_sectors(part.first, bytes);
        }
        let mut sectors = vec![0; part.sectors * SECTOR_BYTES];
        self.read_sectors(part.first, &mut sectors)?;
        if let Some(changed) = sectors.get_mut(part.begin..part.begin + bytes.len()) {
            changed.copy_from_slice(bytes);
        }
        self.write_sectors(part.first, &sectors)
    }
}

impl HeldBack {
    /// Returns the changes while writes are held back.
    fn changes(&self) -> Option<MutexGuard<'_, Changes>> {
        let is_on = self.is_on.load(Ordering::Acquire);
        is_on.then(|| self.changes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes everything that is held back, and lets later writes through.
    ///
    /// Errors: those of the operating system. Writes are still held back then.
    pub(super) fn write_to(&self, file: &File) -> io::Result<()> {
        let Some(mut changes) = self.changes() else { return Ok(()) };
        if let Some(length) = changes.length {
            file.set_len(length + SECTOR)?;
        }
        // The first sector says which others count, so they are on disk before it.
        for (number, sector) in changes.sectors.iter().rev() {
            if *number == 0 {
                file.sync_data()?;
            }
            file.write_all_at(sector, (number + 1) * SECTOR)?;
        }
        file.sync_data()?;
        *changes = Changes::default();
        self.is_on.store(false, Ordering::Release);
        Ok(())
    }
}

impl Changes {
    fn read(&self, file: &File, first: u64, bytes: &mut [u8]) -> io::Result<()> {
        for (number, sector) in (first..).zip(bytes.chunks_mut(SECTOR_BYTES)) {
            match self.sectors.get(&number) {
                Some(changed) => sector.copy_from_slice(changed),
                None => match file.read_exact_at(sector, (number + 1) * SECTOR) {
                    // The file has not grown yet.
                    Err(error)
                        if error.kind() == io::ErrorKind::UnexpectedEof
                            && self.length.is_some_and(|length| number < length / SECTOR) =>
                    {
                        sector.fill(0);
                    }
                    read => read?,
                },
            }
        }
        Ok(())
    }

    fn write(&mut self, first: u64, encrypted: &[u8]) {
        for (number, sector) in (first..).zip(encrypted.chunks(SECTOR_BYTES)) {
            self.sectors.insert(number, sector.to_vec());
        }
    }

    fn set_length(&mut self, length: u64) {
        self.sectors.split_off(&(length / SECTOR));
        self.length = Some(length);
    }
}

impl Part {
    fn of(offset: u64, length: usize) -> Self {
        let begin = (offset % SECTOR) as usize;
        Part { first: offset / SECTOR, sectors: (begin + length).div_ceil(SECTOR_BYTES), begin }
    }

    fn is_whole(&self, length: usize) -> bool {
        self.begin == 0 && length == self.sectors * SECTOR_BYTES
    }
}

/// Reads the header of a file. Errors: [`io::ErrorKind::InvalidData`] if it is that of another key.
pub(super) fn read_key(file: &File, master: &MasterKey) -> io::Result<SectorKey> {
    let mut header = [0; HEADER_BYTES];
    match file.read_exact_at(&mut header, 0) {
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
        _ => {}
    }
    SectorKey::of_header(master, &header).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Returns the bytes that a file takes on the disk.
pub(super) fn disk_bytes(file: &File) -> u64 {
    // The system counts blocks of 512 bytes, whatever the file system has.
    file.metadata().map_or(0, |file| file.blocks() * 512)
}

impl StorageBackend for SectorFile {
    fn len(&self) -> io::Result<u64> {
        let changed = self.held_back.changes().and_then(|changes| changes.length);
        let length = || Ok(self.file.metadata()?.len().saturating_sub(SECTOR));
        self.note(changed.map_or_else(length, Ok))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.note(self.read_any(offset, out))
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        if !length.is_multiple_of(SECTOR) {
            return self.note(Err(io::Error::other("the tables must have whole sectors")));
        }
        if let Some(mut changes) = self.held_back.changes() {
            changes.set_length(length);
            return Ok(());
        }
        self.note(self.file.set_len(length + SECTOR))
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.held_back.changes().is_some() {
            return Ok(());
        }
        self.note(self.file.sync_data())
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.note(self.write_any(offset, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_any_place_and_length_are_read_as_they_were_written() {
        let (folder, master) = (tempfile::tempdir().unwrap(), MasterKey::random().unwrap());
        let path = folder.path().join("file");
        let file = SectorFile::create(&path, &master).unwrap();
        file.set_len(40 * SECTOR).unwrap();
        let mut expected = vec![0; 40 * SECTOR_BYTES];
        let mut rng = fastrand::Rng::with_seed(1);
        for round in 0..300 {
            let begin = rng.usize(..expected.len());
            let begin = if rng.bool() { begin / SECTOR_BYTES * SECTOR_BYTES } else { begin };
            let length = rng.usize(..=(expected.len() - begin).min(20 * SECTOR_BYTES));
            if rng.bool() {
                let bytes = [round as u8; 20 * SECTOR_BYTES];
                file.write(begin as u64, &bytes[..length]).unwrap();
                expected[begin..begin + length].fill(round as u8);
            }
            let mut read = vec![7; length];
            file.read(begin as u64, &mut read).unwrap();
            assert_eq!(read, expected[begin..begin + length], "{round}: {length} at {begin}");
        }
        let again = SectorFile::open(&path, &master).unwrap();
        let mut all = vec![7; expected.len()];
        again.read(0, &mut all).unwrap();
        assert_eq!((all, again.len().unwrap()), (expected, 40 * SECTOR));
        assert!(!again.failure().load(Ordering::Acquire));
        assert!(again.read(40 * SECTOR, &mut [0]).is_err() && again.failure().load(Ordering::Acquire));
    }

    #[test]
    fn a_file_that_shrinks_and_grows_has_zeros() {
        let (folder, master) = (tempfile::tempdir().unwrap(), MasterKey::random().unwrap());
        let file = SectorFile::create(&folder.path().join("file"), &master).unwrap();
        file.set_len(2 * SECTOR).unwrap();
        file.write(SECTOR, &[1; SECTOR_BYTES]).unwrap();
        file.set_len(SECTOR).unwrap();
        file.set_len(2 * SECTOR).unwrap();
        let mut sector = [7; SECTOR_BYTES];
        file.read(SECTOR, &mut sector).unwrap();
        assert_eq!(sector, [0; SECTOR_BYTES]);
    }
}
