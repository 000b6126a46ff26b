//! `--temp`: temporary files.

use std::path::PathBuf;

use database::SpillOptions;
use encryption::TemporaryFolder;
use options::{Bytes, Flag, Maybe, Number, Opt, Options, Text, bytes, flag, number, text};

use super::rocksdb_encryption;

options::section! {
    static CAPACITY: Opt<Bytes> =
        bytes("temp.intermediate-results-capacity", "0", "Maximum size in bytes of the temporary files of all queries; 0 means no limit.");
    static ENCRYPTION: Opt<Flag> =
        flag("temp.intermediate-results-encryption", false, "Encrypt temporary files, each with a random key that stays in memory. Always done if the data is encrypted.");
    static RESULTS_PATH: Opt<Maybe<Text>> =
        text("temp.intermediate-results-path", "", "Folder for the temporary files of queries. Default: --temp.path.").optional();
    static SPILL_BYTES: Opt<Bytes> =
        bytes("temp.intermediate-results-spillover-threshold-memory-usage", "128MiB", "Spill a sort or grouping to temporary files after this many bytes, at most a quarter of the query's memory limit.");
    static SPILL_ROWS: Opt<Number> =
        number("temp.intermediate-results-spillover-threshold-num-rows", "5000000", "Spill a sort or grouping to temporary files after this many rows.");
    pub(super) static PATH: Opt<Maybe<Text>> =
        text("temp.path", "", "Folder for temporary files. Default: the system's.").optional();
}

/// Returns true if temporary files are encrypted.
fn encrypts(options: &Options) -> bool {
    options.get(&ENCRYPTION) || rocksdb_encryption::is_on(options)
}

/// Returns the folder of temporary files.
pub(super) fn folder(options: &Options) -> TemporaryFolder {
    let path = options.get(&PATH).map_or_else(std::env::temp_dir, PathBuf::from);
    TemporaryFolder { path, is_encrypted: encrypts(options) }
}

/// Makes the options of queries that spill to temporary files.
pub(super) fn settings(options: &Options) -> SpillOptions {
    let mut folder = folder(options);
    if let Some(path) = options.get(&RESULTS_PATH) {
        folder.path = PathBuf::from(path);
    }
    let spill = SpillOptions {
        threshold_bytes: options.get(&SPILL_BYTES),
        threshold_rows: options.get(&SPILL_ROWS),
        folder: Some(folder),
        ..SpillOptions::default()
    };
    spill.with_capacity(options.get(&CAPACITY))
}
