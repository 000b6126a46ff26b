//! `--rocksdb.encryption`: the secrets that protect the data on disk.

use std::path::PathBuf;

use options::{Flag, Maybe, Opt, Options, Text, flag, text};

use crate::encryption::SecretSource;
use crate::failure::Failure;

options::section! {
    static KEY_GENERATOR: Opt<Maybe<Text>> =
        text("rocksdb.encryption-key-generator", "", "Encrypt a new data folder with the 32 bytes that this program prints.").optional();
    static KEY_ROTATION: Opt<Flag> =
        flag("rocksdb.encryption-key-rotation", false, "Let superusers change the secrets while the server runs, by POST /_admin/server/encryption.");
    static KEYFILE: Opt<Maybe<Text>> =
        text("rocksdb.encryption-keyfile", "", "Encrypt a new data folder with the 32 bytes in this file.").optional();
    static KEYFOLDER: Opt<Maybe<Text>> =
        text("rocksdb.encryption-keyfolder", "", "Encrypt a new data folder with the files in this folder, each of 32 bytes. One right file is enough to start.").optional();
}

/// Returns the source of the secrets; `None` if the data is not to be encrypted.
///
/// Errors: text for the user, if several sources are named.
pub(crate) fn source(options: &Options) -> Result<Option<SecretSource>, Failure> {
    let sources = [
        options.non_empty(&KEYFILE).map(|path| SecretSource::File(PathBuf::from(path))),
        options.non_empty(&KEYFOLDER).map(|path| SecretSource::Folder(PathBuf::from(path))),
        options.non_empty(&KEY_GENERATOR).map(|program| SecretSource::Program(program.to_owned())),
    ];
    let mut sources: Vec<SecretSource> = sources.into_iter().flatten().collect();
    if sources.len() > 1 {
        let names = [KEYFILE.name, KEYFOLDER.name, KEY_GENERATOR.name];
        return Err(
            format!("name one of --{}, --{} and --{}, not several", names[0], names[1], names[2]).into()
        );
    }
    let source = sources.pop();
    if source.is_none() && options.get(&KEY_ROTATION) {
        return Err(format!("--{} needs --{}", KEY_ROTATION.name, KEYFOLDER.name).into());
    }
    Ok(source)
}

/// Returns true if the options name a source of secrets.
pub(crate) fn is_on(options: &Options) -> bool {
    [&KEYFILE, &KEYFOLDER, &KEY_GENERATOR].iter().any(|option| options.non_empty(option).is_some())
}

/// Returns true if the secrets may be changed while the server runs.
pub(crate) fn may_rotate(options: &Options) -> bool {
    options.get(&KEY_ROTATION)
}
