//! `--encryption`: the secret of files.

use encryption::Secret;
use options::{Maybe, Opt, Options, Text, text};

use crate::encrypted::Files;
use crate::failure::Failure;

options::section! {
    static KEY_GENERATOR: Opt<Maybe<Text>> =
        text("encryption.key-generator", "", "Program without arguments that prints the 32 bytes of the key with which files are encrypted. Default: none.").optional();
    static KEYFILE: Opt<Maybe<Text>> =
        text("encryption.keyfile", "", "File with exactly 32 bytes, the key with which files are encrypted. Default: none; files are not encrypted.").optional();
}

/// Returns the form of files. Errors: both options, or no secret of 32 bytes.
pub(crate) fn files(options: &Options) -> Result<Files, Failure> {
    Ok(Files::new(secret(options)?))
}

/// Returns the secret. Errors: both options, or no secret of 32 bytes.
pub(crate) fn secret(options: &Options) -> Result<Option<Secret>, Failure> {
    let failed = |option: &str, error: encryption::Error| Failure::option(format!("--{option}: {error}"));
    let secret = match (options.non_empty(&KEYFILE), options.non_empty(&KEY_GENERATOR)) {
        (None, None) => None,
        (Some(path), None) => {
            Some(Secret::of_file(path.as_ref()).map_err(|error| failed(KEYFILE.name, error))?)
        }
        (None, Some(program)) => {
            Some(Secret::of_program(program).map_err(|error| failed(KEY_GENERATOR.name, error))?)
        }
        (Some(_), Some(_)) => {
            let (keyfile, generator) = (KEYFILE.name, KEY_GENERATOR.name);
            return Err(Failure::option(format!("--{keyfile} and --{generator} cannot be combined")));
        }
    };
    Ok(secret)
}
