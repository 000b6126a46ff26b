//! `--javascript`: the JavaScript that users may run.

use std::time::Duration;

use database::JavaScriptOptions;
use database::foxx::IsolateLimits;
use options::{Flag, List, Maybe, Number, Opt, Options, Seconds, Text, flag, number, seconds, text};
use server::ServiceNetwork;

use super::unless_zero;
use crate::failure::Failure;

options::section! {
    static APP_PATH: Opt<Maybe<Text>> =
        text("javascript.app-path", "", "Folder for the files of services. Default: `apps` in the data folder.").optional();
    static ENDPOINTS_ALLOWLIST: Opt<List<Text>> =
        text("javascript.endpoints-allowlist", "", "Allow services to send requests to endpoints that match this regular expression, such as `^https://api\\.example\\.com$`. Default: none.").list();
    static ENDPOINTS_DENYLIST: Opt<List<Text>> =
        text("javascript.endpoints-denylist", "", "Refuse services requests to endpoints that match this regular expression, also if the other list allows them.").list();
    static V8_CONTEXTS: Opt<Number> =
        number("javascript.v8-contexts", "0", "Maximum number of isolates in which services run; 0 means twice the number of processors, at least 8.");
    static V8_CONTEXTS_MAX_AGE: Opt<Seconds> =
        seconds("javascript.v8-contexts-max-age", "3600", "End an isolate of a service after this many seconds.");
    static V8_CONTEXTS_MAX_INVOCATIONS: Opt<Number> =
        number("javascript.v8-contexts-max-invocations", "0", "End an isolate of a service after this many calls; 0 means no limit.");
    static V8_MAX_HEAP: Opt<Number> =
        number("javascript.v8-max-heap", "64", "Maximum memory of an isolate of a service in MiB.");
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

/// Returns true if users may run JavaScript.
pub(super) fn is_enabled(options: &Options) -> bool {
    options.get(&ENABLED)
}

/// Returns the folder for the files of services, if the user names one.
pub(super) fn app_path(options: &Options) -> Option<&str> {
    options.get(&APP_PATH)
}

/// Makes the limits of the isolates in which services run.
pub(super) fn isolates(options: &Options) -> IsolateLimits {
    let default = IsolateLimits::default();
    IsolateLimits {
        most: unless_zero(options.size(&V8_CONTEXTS), default.most),
        calls: unless_zero(options.get(&V8_CONTEXTS_MAX_INVOCATIONS), u64::MAX),
        age: unless_zero(options.duration(&V8_CONTEXTS_MAX_AGE), Duration::MAX),
        heap_bytes: options.get(&V8_MAX_HEAP).saturating_mul(1 << 20),
        ..default
    }
}

/// Returns the other hosts that services may send requests to; `None` if there are none.
pub(super) fn network(options: &Options) -> Result<Option<ServiceNetwork>, Failure> {
    let texts = |option: &Opt<List<Text>>| -> Vec<String> {
        options.get(option).into_iter().map(str::to_owned).collect()
    };
    let (allowed, denied) = (texts(&ENDPOINTS_ALLOWLIST), texts(&ENDPOINTS_DENYLIST));
    let network = ServiceNetwork::new(&allowed, &denied)
        .map_err(|error| format!("--{}: {error}", ENDPOINTS_ALLOWLIST.name))?;
    Ok((!allowed.is_empty()).then_some(network))
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
