//! Files that a tool writes and reads, encrypted or as they are.
//!
//! An encrypted file has ArangoDB's form: 16 random bytes, the initialization vector, and then the
//! text under AES-256 in counter mode. Positions are those of the text. Each file has a vector of
//! its own, also when it is written again, so no two texts share a key stream.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::path::Path;

use encryption::{CtrStream, IV_BYTES, Secret};

/// The bytes that are encrypted at once.
const CHUNK_BYTES: usize = 256 << 10;

/// The form of a tool's files: under a secret, or as they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    secret: Option<Secret>,
}

impl Files {
    /// Returns the form of files under a secret, or without one.
    pub(crate) fn new(secret: Option<Secret>) -> Self {
        Files { secret }
    }

    /// Returns true if the files are encrypted.
    pub(crate) fn are_encrypted(&self) -> bool {
        self.secret.is_some()
    }

    /// Returns the bytes of a file before its text.
    pub(crate) fn header_bytes(&self) -> u64 {
        if self.are_encrypted() { IV_BYTES as u64 } else { 0 }
    }

    /// Creates a file, or empties one.
    pub(crate) fn create(&self, path: &Path) -> Result<Output> {
        let mut file = File::create(path)?;
        let cipher = match &self.secret {
            None => None,
            Some(secret) => {
                let mut iv = [0; IV_BYTES];
                getrandom::fill(&mut iv).map_err(Error::other)?;
                file.write_all(&iv)?;
                Some(CtrStream::new(secret.bytes(), &iv))
            }
        };
        Ok(Output { file, cipher, position: 0, chunk: Vec::new() })
    }

    /// Opens a file at the beginning of its text. Errors: an encrypted file without its vector.
    pub(crate) fn open(&self, path: &Path) -> Result<Input> {
        let mut file = File::open(path)?;
        let cipher = match &self.secret {
            None => None,
            Some(secret) => {
                let mut iv = [0; IV_BYTES];
                file.read_exact(&mut iv).map_err(|error| match error.kind() {
                    ErrorKind::UnexpectedEof => {
                        Error::other("it has fewer bytes than an encrypted file begins with")
                    }
                    _ => error,
                })?;
                Some(CtrStream::new(secret.bytes(), &iv))
            }
        };
        Ok(Input { file, cipher, header_bytes: self.header_bytes(), position: 0 })
    }

    /// Writes a whole file.
    pub(crate) fn write(&self, path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
        self.create(path)?.write_all(text.as_ref())
    }

    /// Reads a whole file.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        self.open(path)?.read_to_end(&mut text)?;
        Ok(text)
    }
}

/// A file that is written from its beginning to its end.
#[derive(Debug)]
pub(crate) struct Output {
    file: File,
    cipher: Option<CtrStream>,
    position: u64,
    /// The bytes that are encrypted next.
    chunk: Vec<u8>,
}

impl Output {
    /// Returns true if nothing of the text is written yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.position == 0
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let Some(cipher) = &self.cipher else {
            let written = self.file.write(bytes)?;
            self.position += written as u64;
            return Ok(written);
        };
        let bytes = bytes.get(..bytes.len().min(CHUNK_BYTES)).unwrap_or_default();
        self.chunk.clear();
        self.chunk.extend_from_slice(bytes);
        cipher.apply(self.position, &mut self.chunk);
        // A part of the chunk has the same bytes in the next attempt.
        let written = self.file.write(&self.chunk)?;
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
}

/// A file that is read from any position.
#[derive(Debug)]
pub(crate) struct Input {
    file: File,
    cipher: Option<CtrStream>,
    header_bytes: u64,
    position: u64,
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let count = self.file.read(buffer)?;
        if let (Some(cipher), Some(read)) = (&self.cipher, buffer.get_mut(..count)) {
            cipher.apply(self.position, read);
        }
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => {
                let text_bytes = self.file.metadata()?.len().saturating_sub(self.header_bytes);
                text_bytes.checked_add_signed(by)
            }
        };
        let outside = || Error::new(ErrorKind::InvalidInput, "the position is outside of the file");
        let position = position.ok_or_else(outside)?;
        let in_file = position.checked_add(self.header_bytes).ok_or_else(outside)?;
        self.file.seek(SeekFrom::Start(in_file))?;
        self.position = position;
        Ok(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret() -> Files {
        Files::new(Some(Secret::of_bytes(*b"01234567890123456789012345678901")))
    }

    #[test]
    fn texts_are_read_from_any_position() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let text: Vec<u8> = (0..700_000_u32).map(|number| (number % 251) as u8).collect();
        for files in [Files::default(), secret()] {
            let mut output = files.create(&path).unwrap();
            assert!(output.is_empty());
            output.write_all(&text[..1_000]).unwrap();
            output.write_all(&text[1_000..]).unwrap();
            assert!(!output.is_empty());
            assert_eq!(path.metadata().unwrap().len(), files.header_bytes() + text.len() as u64);
            assert!(files.read(&path).unwrap() == text);
            let mut input = files.open(&path).unwrap();
            let mut buffer = [0; 100];
            for (to, position) in [
                (SeekFrom::Start(5_003), 5_003),
                (SeekFrom::Current(-200), 4_903),
                (SeekFrom::End(-150), text.len() - 150),
            ] {
                assert_eq!(input.seek(to).unwrap(), position as u64);
                input.read_exact(&mut buffer).unwrap();
                assert_eq!(buffer[..], text[position..position + 100], "{to:?}");
            }
            assert!(input.seek(SeekFrom::Current(-10_000_000)).is_err());
        }
    }

    #[test]
    fn no_two_files_have_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes = || {
            secret().write(&path, "the same text").unwrap();
            std::fs::read(&path).unwrap()
        };
        let (first, second) = (bytes(), bytes());
        assert_ne!(first[..IV_BYTES], second[..IV_BYTES]);
        assert_ne!(first[IV_BYTES..], second[IV_BYTES..]);
    }

    #[test]
    fn a_file_without_its_vector_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, [0; IV_BYTES - 1]).unwrap();
        assert!(secret().open(&path).unwrap_err().to_string().contains("fewer bytes"));
        std::fs::write(&path, [0; IV_BYTES]).unwrap();
        assert!(secret().read(&path).unwrap().is_empty());
    }
}
