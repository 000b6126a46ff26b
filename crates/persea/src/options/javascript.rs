//! `--javascript`: the JavaScript that users may run.

use database::JavaScriptOptions;
use options::{Flag, Opt, Options, flag};

options::section! {
    static ENABLED: Opt<Flag> =
        flag("javascript.enabled", true, "Allow users to run JavaScript in the server.");
    static ALLOW_ADMIN_EXECUTE: Opt<Flag> =
        flag("javascript.allow-admin-execute", false, "Allow users to run JavaScript with /_admin/execute.");
    static TRANSACTIONS: Opt<Flag> =
        flag("javascript.transactions", true, "Allow clients to run transactions written in JavaScript.");
    static TASKS: Opt<Flag> = flag("javascript.tasks", true, "Allow users to create tasks.");
    static USER_DEFINED_FUNCTIONS: Opt<Flag> =
        flag("javascript.user-defined-functions", true, "Allow AQL queries to call functions that users wrote in JavaScript.");
}

/// Makes the settings.
pub(super) fn settings(options: &Options) -> JavaScriptOptions {
    let enabled = options.get(&ENABLED);
    JavaScriptOptions {
        user_defined_functions: enabled && options.get(&USER_DEFINED_FUNCTIONS),
        transactions: enabled && options.get(&TRANSACTIONS),
        tasks: enabled && options.get(&TASKS),
        admin_execute: enabled && options.get(&ALLOW_ADMIN_EXECUTE),
    }
}
