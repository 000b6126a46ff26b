//! Files that are written from their beginning to their end behind the header of their key, and
//! read so.

use std::io::{self, ErrorKind, Read, Write};

use crate::file_key::{FileKey, FileKind, HEADER_BYTES};
use crate::master_key::MasterKey;

/// The bytes that are encrypted at once.
const PIECE_BYTES: usize = 64 << 10;

/// A writer of an encrypted file.
#[derive(Debug)]
pub struct EncryptedWriter<W> {
    inner: W,
    key: FileKey,
    /// The place in the text. The key stream begins behind the header.
    offset: u64,
    piece: Vec<u8>,
}

/// A reader of an encrypted file.
#[derive(Debug)]
pub struct EncryptedReader<R> {
    inner: R,
    key: FileKey,
    offset: u64,
}

impl<W: Write> EncryptedWriter<W> {
    /// Writes the header of a new key. Errors: no random bytes, those of `inner`.
    pub fn new(mut inner: W, master: &MasterKey, kind: FileKind) -> io::Result<Self> {
        let key = FileKey::new(master, kind).map_err(io::Error::other)?;
        inner.write_all(key.header())?;
        Ok(EncryptedWriter { inner, key, offset: 0, piece: Vec::new() })
    }
}

impl<W: Write> Write for EncryptedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.clear();
        self.piece.extend_from_slice(bytes.get(..PIECE_BYTES).unwrap_or(bytes));
        self.key.stream().apply(self.offset, &mut self.piece);
        // The rest of a piece has the same bytes in the next attempt.
        let written = self.inner.write(&self.piece)?;
        self.offset += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> EncryptedReader<R> {
    /// Reads the header. Errors: [`ErrorKind::InvalidData`] if it is not one of this key and kind,
    /// those of `inner`.
    pub fn new(mut inner: R, master: &MasterKey, kind: FileKind) -> io::Result<Self> {
        let mut header = Vec::new();
        (&mut inner).take(HEADER_BYTES as u64).read_to_end(&mut header)?;
        let key = FileKey::of_header(master, kind, &header);
        let key = key.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
        Ok(EncryptedReader { inner, key, offset: 0 })
    }
}

impl<R: Read> Read for EncryptedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if let Some(bytes) = buffer.get_mut(..read) {
            self.key.stream().apply(self.offset, bytes);
        }
        self.offset += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_read_as_it_was_written() {
        let master = MasterKey::random().unwrap();
        let text: Vec<u8> = "plain text ".repeat(20_000).into_bytes();
        let mut stored = Vec::new();
        let mut writer = EncryptedWriter::new(&mut stored, &master, FileKind::SetAside).unwrap();
        writer.write_all(&text[..7]).unwrap();
        writer.write_all(&text[7..]).unwrap();
        assert_eq!(stored.len(), HEADER_BYTES + text.len());
        assert!(!stored.windows(5).any(|window| window == b"plain"));
        let mut reader = EncryptedReader::new(stored.as_slice(), &master, FileKind::SetAside).unwrap();
        let mut read = vec![0; 5];
        reader.read_exact(&mut read).unwrap();
        reader.read_to_end(&mut read).unwrap();
        assert!(read == text);
    }

    #[test]
    fn a_file_of_another_key_or_kind_is_refused() {
        let (master, other) = (MasterKey::random().unwrap(), MasterKey::random().unwrap());
        let mut stored = Vec::new();
        EncryptedWriter::new(&mut stored, &master, FileKind::SetAside).unwrap();
        for (master, kind, bytes) in [
            (&other, FileKind::SetAside, stored.as_slice()),
            (&master, FileKind::Engine, stored.as_slice()),
            (&master, FileKind::SetAside, &stored[..40]),
            (&master, FileKind::SetAside, b"{}".as_slice()),
        ] {
            let refused = EncryptedReader::new(bytes, master, kind).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::InvalidData);
        }
    }
}
