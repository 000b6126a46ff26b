//! `--activities`: the list of requests, queries and transactions in progress.

use options::{Flag, Opt, Options, flag};
use server::ApiAccess;

options::section! {
    static ONLY_SUPERUSER_ENABLED: Opt<Flag> =
        flag("activities.only-superuser-enabled", false, "Restrict /_admin/activities to tokens of a superuser. Otherwise every administrator may use it.");
}

/// Returns the access to the list.
pub(super) fn access(options: &Options) -> ApiAccess {
    match options.get(&ONLY_SUPERUSER_ENABLED) {
        true => ApiAccess::Superuser,
        false => ApiAccess::Administrator,
    }
}
