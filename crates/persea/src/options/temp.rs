//! `--temp`: temporary files.

use std::path::PathBuf;

use database::SpillOptions;
use options::{Bytes, Maybe, Number, Opt, Options, Text, bytes, number, text};

options::section! {
    static CAPACITY: Opt<Bytes> =
        bytes("temp.intermediate-results-capacity", "0", "Maximum size in bytes of the temporary files of all queries; 0 means no limit.");
    static RESULTS_PATH: Opt<Maybe<Text>> =
        text("temp.intermediate-results-path", "", "Folder for the temporary files of queries. Default: --temp.path.").optional();
    static SPILL_BYTES: Opt<Bytes> =
        bytes("temp.intermediate-results-spillover-threshold-memory-usage", "128MiB", "Spill a sort or grouping to temporary files after this many bytes, at most a quarter of the query's memory limit.");
    static SPILL_ROWS: Opt<Number> =
        number("temp.intermediate-results-spillover-threshold-num-rows", "5000000", "Spill a sort or grouping to temporary files after this many rows.");
    pub(super) static PATH: Opt<Maybe<Text>> =
        text("temp.path", "", "Folder for temporary files. Default: the system's.").optional();
}

/// Returns the folder of temporary files.
pub(super) fn folder(options: &Options) -> PathBuf {
    options.get(&PATH).map_or_else(std::env::temp_dir, PathBuf::from)
}

/// Makes the options of queries that spill to temporary files.
pub(super) fn settings(options: &Options) -> SpillOptions {
    let folder = options.get(&RESULTS_PATH).map_or_else(|| folder(options), PathBuf::from);
    let spill = SpillOptions {
        threshold_bytes: options.get(&SPILL_BYTES),
        threshold_rows: options.get(&SPILL_ROWS),
        folder: Some(folder),
        ..SpillOptions::default()
    };
    spill.with_capacity(options.get(&CAPACITY))
}
