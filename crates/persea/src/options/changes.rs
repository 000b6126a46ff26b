//! `--changes`: the change log.

use std::path::PathBuf;
use std::time::Duration;

use options::{Bytes, Choice, Flag, List, Number, Opt, Options, Text, bytes, choice, flag, number, text};
use storage::{ChangeLogMode, ChangeLogOptions, RetentionException};

use super::group;
use crate::failure::Failure;

options::section! {
    static LOG: Opt<Choice<ChangeLogMode>> =
        choice("changes.log", MODES, "on-demand", "Write the change log: `on-demand` begins when a client first reads it; `always` begins with the store; `never` removes it.");
    static MAX_SIZE: Opt<Bytes> =
        bytes("changes.max-size", "4GiB", "Maximum size of the change log on disk. The oldest changes are removed first.");
    static OLD_DOCUMENTS: Opt<Flag> =
        flag("changes.old-documents", false, "Keep the previous version of each document in the change log.");
    static RETENTION: Opt<Number> =
        number("changes.retention", "86400", "Seconds for which changes are kept.");
    static RETENTION_OF: Opt<List<Text>> =
        text("changes.retention-of", "", "Seconds for which the changes of one database or collection are kept, as DATABASE=SECONDS or DATABASE/COLLECTION=SECONDS.").list();
}

const MODES: &[(&str, ChangeLogMode); 3] = &[
    ("on-demand", ChangeLogMode::OnDemand),
    ("always", ChangeLogMode::Always),
    ("never", ChangeLogMode::Never),
];

/// Returns false if the change log is turned off.
pub(super) fn writes_log(options: &Options) -> bool {
    options.get(&LOG) != ChangeLogMode::Never
}

/// Makes the options of the change log.
pub(super) fn settings(
    options: &Options,
    identity_file: Option<PathBuf>,
) -> Result<ChangeLogOptions, Failure> {
    let exceptions = options.get(&RETENTION_OF).into_iter().map(exception).collect::<Result<_, _>>()?;
    // Members of a group read each other's logs from the beginning.
    let is_in_group = group::is_member(options);
    let mode = match options.get(&LOG) {
        ChangeLogMode::Never if is_in_group => {
            return Err(format!("--{} may not be 'never' for a member of a group", LOG.name).into());
        }
        ChangeLogMode::OnDemand if is_in_group => ChangeLogMode::Always,
        mode => mode,
    };
    Ok(ChangeLogOptions {
        mode,
        retain: Duration::from_secs(options.get(&RETENTION)),
        exceptions,
        max_bytes: options.get(&MAX_SIZE),
        old_documents: options.get(&OLD_DOCUMENTS),
        identity_file,
    })
}

/// Reads `DATABASE=SECONDS` or `DATABASE/COLLECTION=SECONDS`.
fn exception(text: &str) -> Result<RetentionException, Failure> {
    let read = || {
        let (place, seconds) = text.rsplit_once('=')?;
        let retain = Duration::from_secs(seconds.parse().ok()?);
        let (database, collection) = match place.split_once('/') {
            Some((database, collection)) => (database, Some(collection)),
            None => (place, None),
        };
        let are_names = !database.is_empty() && collection != Some("");
        are_names.then(|| RetentionException {
            database: database.to_owned(),
            collection: collection.map(str::to_owned),
            retain,
        })
    };
    read().ok_or_else(|| {
        Failure::from(format!(
            "--changes.retention-of: '{text}' must be DATABASE=SECONDS or DATABASE/COLLECTION=SECONDS"
        ))
    })
}
