//! The header of an encrypted file, and the key that it names.
//!
//! A header has 64 bytes, then zeros where a format needs more: 8 bytes of magic, 1 byte for the
//! kind, 7 zeros, 32 random bytes (the salt), and 16 bytes of a keyed digest of all before it.

use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::master_key::MasterKey;
use crate::sector_cipher::{KEYS_BYTES, SectorCipher};
use crate::stream::{CtrStream, IV_BYTES};

/// The length of a header.
pub const HEADER_BYTES: usize = 64;

const MAGIC: &[u8; 8] = b"PERSEAE1";
const SALT_AT: usize = 16;
const TAG_AT: usize = 48;

/// The kinds of files, with their numbers in headers. A file of one kind cannot stand for one of
/// another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FileKind {
    /// Files of the key-value engine: tables, logs, manifests.
    Engine = 1,
    /// Files of text indexes.
    TextIndex = 2,
    /// Segments of archived change logs.
    LogArchive = 4,
    /// Files of sectors that are overwritten in place ([`SectorKey`]).
    Sectors = 5,
    /// Writes that only a former leader of a group had.
    SetAside = 6,
}

/// The key of one file that is written once or appended to.
#[derive(Clone, Debug)]
pub struct FileKey {
    header: [u8; HEADER_BYTES],
    stream: CtrStream,
}

/// The key of one file whose sectors are overwritten in place.
#[derive(Clone, Debug)]
pub struct SectorKey {
    header: [u8; HEADER_BYTES],
    cipher: SectorCipher,
}

impl FileKey {
    /// Makes the key of a new file. Errors: no random bytes.
    pub fn new(master: &MasterKey, kind: FileKind) -> Result<Self> {
        let header = new_header(master, kind)?;
        Ok(FileKey { stream: stream_of(master, &header)?, header })
    }

    /// Finds the key of a file by its header, which is at the beginning of `header`.
    ///
    /// Errors: a header that is too short, of another kind or version, damaged, or of another
    /// master key.
    pub fn of_header(master: &MasterKey, kind: FileKind, header: &[u8]) -> Result<Self> {
        let header = checked_header(master, kind, header)?;
        Ok(FileKey { stream: stream_of(master, header)?, header: *header })
    }

    /// Returns the header that the file begins with.
    pub fn header(&self) -> &[u8; HEADER_BYTES] {
        &self.header
    }

    /// Returns the key stream. The format of the file says which of its bytes has offset 0.
    pub fn stream(&self) -> &CtrStream {
        &self.stream
    }
}

impl SectorKey {
    /// Makes the key of a new file. Errors: no random bytes.
    pub fn new(master: &MasterKey) -> Result<Self> {
        let header = new_header(master, FileKind::Sectors)?;
        Ok(SectorKey { cipher: cipher_of(master, &header)?, header })
    }

    /// Finds the key of a file by its header. Errors: those of [`FileKey::of_header`].
    pub fn of_header(master: &MasterKey, header: &[u8]) -> Result<Self> {
        let header = checked_header(master, FileKind::Sectors, header)?;
        Ok(SectorKey { cipher: cipher_of(master, header)?, header: *header })
    }

    /// Returns the header that the file begins with.
    pub fn header(&self) -> &[u8; HEADER_BYTES] {
        &self.header
    }

    /// Returns the cipher. The format of the file says which of its sectors has the number 0.
    pub fn cipher(&self) -> &SectorCipher {
        &self.cipher
    }
}

fn new_header(master: &MasterKey, kind: FileKind) -> Result<[u8; HEADER_BYTES]> {
    let mut header = [0; HEADER_BYTES];
    let (magic, rest) = header.split_at_mut(MAGIC.len());
    magic.copy_from_slice(MAGIC);
    if let Some(byte) = rest.first_mut() {
        *byte = kind as u8;
    }
    if let Some(salt) = header.get_mut(SALT_AT..TAG_AT) {
        getrandom::fill(salt).map_err(|error| Error::Random(error.to_string()))?;
    }
    let tag = master.tag(header.get(..TAG_AT).unwrap_or_default())?;
    if let Some(place) = header.get_mut(TAG_AT..) {
        place.copy_from_slice(&tag);
    }
    Ok(header)
}

fn checked_header<'h>(
    master: &MasterKey,
    kind: FileKind,
    header: &'h [u8],
) -> Result<&'h [u8; HEADER_BYTES]> {
    let wrong = |reason: &'static str| Error::Header { reason };
    let header = header.first_chunk::<HEADER_BYTES>().ok_or_else(|| wrong("ends within its header"))?;
    if !header.starts_with(MAGIC) {
        return Err(wrong("is not encrypted, or by a later version"));
    }
    let (head, tag) = header.split_at(TAG_AT);
    if master.tag(head)? != tag {
        return Err(wrong("is encrypted with another key, or its header is damaged"));
    }
    if header.get(MAGIC.len()) != Some(&(kind as u8)) {
        return Err(wrong("is encrypted for another purpose"));
    }
    Ok(header)
}

/// Derives key and initialization vector from the kind and the salt.
fn stream_of(master: &MasterKey, header: &[u8; HEADER_BYTES]) -> Result<CtrStream> {
    let mut derived = Zeroizing::new([0; 32 + IV_BYTES]);
    master.derive(header.get(..TAG_AT).unwrap_or_default(), b"persea file", derived.as_mut())?;
    let key = Zeroizing::new(*derived.first_chunk::<32>().unwrap_or(&[0; 32]));
    let iv = derived.last_chunk::<IV_BYTES>().unwrap_or(&[0; IV_BYTES]);
    Ok(CtrStream::new(&key, iv))
}

/// Derives both keys of XTS from the kind and the salt.
fn cipher_of(master: &MasterKey, header: &[u8; HEADER_BYTES]) -> Result<SectorCipher> {
    let mut keys = Zeroizing::new([0; KEYS_BYTES]);
    master.derive(header.get(..TAG_AT).unwrap_or_default(), b"persea sectors", keys.as_mut())?;
    Ok(SectorCipher::new(&keys))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sector_cipher::SECTOR_BYTES;

    #[test]
    fn a_header_names_the_key_of_its_file_only() {
        let master = MasterKey::random().unwrap();
        let key = FileKey::new(&master, FileKind::Engine).unwrap();
        let other = FileKey::new(&master, FileKind::Engine).unwrap();
        let encrypted = |key: &FileKey| {
            let mut bytes = [0; 40];
            key.stream().apply(5, &mut bytes);
            bytes
        };
        let again = FileKey::of_header(&master, FileKind::Engine, key.header()).unwrap();
        assert_eq!(encrypted(&key), encrypted(&again));
        assert_ne!(encrypted(&key), encrypted(&other));
    }

    #[test]
    fn a_header_names_the_key_of_its_sectors_only() {
        let master = MasterKey::random().unwrap();
        let (key, other) = (SectorKey::new(&master).unwrap(), SectorKey::new(&master).unwrap());
        let encrypted = |key: &SectorKey| {
            let mut sector = [0; SECTOR_BYTES];
            key.cipher().encrypt(5, &mut sector);
            sector
        };
        let again = SectorKey::of_header(&master, key.header()).unwrap();
        assert_eq!(encrypted(&key), encrypted(&again));
        assert_ne!(encrypted(&key), encrypted(&other));
        let appended = FileKey::of_header(&master, FileKind::Engine, key.header()).unwrap_err();
        assert!(appended.to_string().contains("another purpose"), "{appended}");
    }

    #[test]
    fn a_wrong_header_is_refused() {
        let master = MasterKey::random().unwrap();
        let header = *FileKey::new(&master, FileKind::Engine).unwrap().header();
        let read = |master: &MasterKey, kind, header: &[u8]| {
            FileKey::of_header(master, kind, header).unwrap_err().to_string()
        };
        assert!(read(&master, FileKind::Engine, &header[..63]).contains("ends within"));
        assert!(read(&master, FileKind::Engine, &[0; 64]).contains("is not encrypted"));
        assert!(read(&master, FileKind::TextIndex, &header).contains("another purpose"));
        let other = MasterKey::random().unwrap();
        assert!(read(&other, FileKind::Engine, &header).contains("another key"));
        for at in 8..64 {
            let mut damaged = header;
            damaged[at] ^= 1;
            assert!(read(&master, FileKind::Engine, &damaged).contains("damaged"), "{at}");
        }
    }
}
