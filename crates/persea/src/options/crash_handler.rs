//! `--crash-handler`: the dumps of crashes.

use std::sync::Arc;

use options::{Flag, Opt, Options, flag};
use server::service::crashes::CrashDumps;

use super::{database, rocksdb_encryption};

options::section! {
    static ENABLE_DUMPS: Opt<Flag> =
        flag("crash-handler.enable-dumps", true, "Write the diagnosis of crashes into the folder `crashes` of the data folder, and answer /_admin/crashes.");
}

/// Returns the dumps of crashes; `None` if they are off, or all data is `in_memory` or encrypted.
pub(crate) fn dumps(options: &Options, in_memory: bool) -> Option<Arc<CrashDumps>> {
    // The dumps have queries in them.
    let is_on = options.get(&ENABLE_DUMPS) && !in_memory && !rocksdb_encryption::is_on(options);
    is_on.then(|| Arc::new(CrashDumps::in_data_folder(database::data_folder(options))))
}
