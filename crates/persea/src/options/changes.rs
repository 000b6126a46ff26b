//! `--changes`: the change log.

use std::path::PathBuf;
use std::time::Duration;

use options::{Bytes, Choice, Flag, Number, Opt, Options, bytes, choice, flag, number};
use storage::{ChangeLogMode, ChangeLogOptions};

options::section! {
    static LOG: Opt<Choice<ChangeLogMode>> =
        choice("changes.log", MODES, "on-demand", "Write the change log: `on-demand` begins when a client first reads it; `always` begins with the store; `never` removes it.");
    static MAX_SIZE: Opt<Bytes> =
        bytes("changes.max-size", "4GiB", "Maximum size of the change log on disk. The oldest changes are removed first.");
    static OLD_DOCUMENTS: Opt<Flag> =
        flag("changes.old-documents", false, "Keep the previous version of each document in the change log.");
    static RETENTION: Opt<Number> =
        number("changes.retention", "86400", "Seconds for which changes are kept.");
}

const MODES: &[(&str, ChangeLogMode); 3] = &[
    ("on-demand", ChangeLogMode::OnDemand),
    ("always", ChangeLogMode::Always),
    ("never", ChangeLogMode::Never),
];

/// Makes the options of the change log.
pub(super) fn settings(options: &Options, identity_file: Option<PathBuf>) -> ChangeLogOptions {
    ChangeLogOptions {
        mode: options.get(&LOG),
        retain: Duration::from_secs(options.get(&RETENTION)),
        max_bytes: options.get(&MAX_SIZE),
        old_documents: options.get(&OLD_DOCUMENTS),
        identity_file,
    }
}
