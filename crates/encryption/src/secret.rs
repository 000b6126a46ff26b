//! Secrets of operators: 32 bytes from a file or from a program.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use ring::digest;
use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// The length of a secret.
pub const SECRET_BYTES: usize = 32;

/// A secret of 32 bytes. It is wiped when it is dropped, and never printed.
#[derive(Clone)]
pub struct Secret(Zeroizing<[u8; SECRET_BYTES]>);

impl Secret {
    /// Returns a secret of these bytes.
    pub fn of_bytes(bytes: [u8; SECRET_BYTES]) -> Self {
        Secret(Zeroizing::new(bytes))
    }

    /// Reads a file that has exactly 32 bytes.
    ///
    /// Errors: a file that cannot be read, or of another length.
    pub fn of_file(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(|error| Error::file("opening", path, &error))?;
        let read = read_secret(&mut file).map_err(|error| Error::file("reading", path, &error))?;
        read.map_err(|bytes| wrong_length(format!("the encryption key in {}", path.display()), bytes))
    }

    /// Runs a program without arguments that prints exactly 32 bytes and succeeds.
    ///
    /// Errors: a program that cannot be started, that fails, or that prints less or more.
    pub fn of_program(program: &str) -> Result<Self> {
        let failed = |reason: String| Error::Program { program: program.to_owned(), reason };
        let mut child = Command::new(program)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failed(format!("cannot be started: {error}")))?;
        let mut output = child.stdout.take().ok_or_else(|| failed("has no output".to_owned()))?;
        let read = read_secret(&mut output);
        // A program that prints more must not wait for a reader.
        drop(output);
        let status = child.wait().map_err(|error| failed(format!("cannot be awaited: {error}")))?;
        let read = read.map_err(|error| failed(format!("cannot be read: {error}")))?;
        if read.is_ok() && !status.success() {
            return Err(failed(format!("ended with {status}")));
        }
        read.map_err(|bytes| wrong_length(format!("the output of {program}"), bytes))
    }

    /// Returns the SHA-256 in hexadecimal digits, as ArangoDB shows it.
    pub fn sha256(&self) -> String {
        let digest = digest::digest(&digest::SHA256, self.0.as_ref());
        digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8; SECRET_BYTES] {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret")
    }
}

/// Reads a secret to the end of the source. Returns the number of bytes if it is another one.
fn read_secret(source: &mut dyn Read) -> std::io::Result<std::result::Result<Secret, usize>> {
    // One byte more tells whether there is more.
    let mut bytes = Zeroizing::new([0; SECRET_BYTES + 1]);
    let mut length = 0;
    while let Some(rest) = bytes.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match source.read(rest) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let mut secret = Zeroizing::new([0; SECRET_BYTES]);
    match bytes.get(..length).filter(|bytes| bytes.len() == SECRET_BYTES) {
        Some(bytes) => secret.copy_from_slice(bytes),
        None => return Ok(Err(length)),
    }
    Ok(Ok(Secret(secret)))
}

fn wrong_length(place: String, bytes: usize) -> Error {
    let hint = match bytes {
        33 => " or more; perhaps it ends with a line break",
        _ => "",
    };
    Error::SecretLength { place, bytes, hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_exactly_32_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, [7; 32]).unwrap();
        assert_eq!(Secret::of_file(&path).unwrap().bytes(), &[7; 32]);
        for (bytes, expected) in
            [(vec![7; 31], "but has 31"), (vec![7; 33], "but has 33 or more; perhaps"), (vec![], "but has 0")]
        {
            std::fs::write(&path, bytes).unwrap();
            let error = Secret::of_file(&path).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("key"), "{error}");
        }
        let absent = Secret::of_file(&folder.path().join("none")).unwrap_err().to_string();
        assert!(absent.starts_with("opening"), "{absent}");
    }

    #[test]
    fn a_program_prints_a_secret_and_succeeds() {
        let folder = tempfile::tempdir().unwrap();
        let program = |name: &str, script: &str| {
            use std::os::unix::fs::PermissionsExt;
            let path = folder.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
            Secret::of_program(path.to_str().unwrap())
        };
        let secret = program("good", "printf 01234567890123456789012345678901").unwrap();
        assert_eq!(secret.bytes(), b"01234567890123456789012345678901");
        for (name, script, expected) in [
            ("short", "printf 0123", "but has 4"),
            ("endless", "yes", "but has 33 or more"),
            ("failing", "printf 01234567890123456789012345678901; exit 3", "exit status: 3"),
        ] {
            let error = program(name, script).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let absent = Secret::of_program("/no/such/program").unwrap_err().to_string();
        assert!(absent.contains("cannot be started"), "{absent}");
    }

    #[test]
    fn a_secret_is_not_printed() {
        let secret = Secret::of_bytes(*b"01234567890123456789012345678901");
        assert_eq!(format!("{secret:?}"), "Secret");
        let digest = "861009ec4d599fab1f40abc76e6f89880cff5833c79c548c99f9045f191cd90b";
        assert_eq!(secret.sha256(), digest);
    }
}
