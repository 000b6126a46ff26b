//! `--foxx`: services in JavaScript.

use std::path::{Path, PathBuf};
use std::time::Duration;

use database::foxx::FoxxOptions;
use options::{Flag, Opt, Options, Seconds, flag, seconds};

use super::{javascript, temp};

options::section! {
    static ALLOW_INSTALL_FROM_PATH: Opt<Flag> =
        flag("foxx.allow-install-from-path", true, "Allow users who may write a database to install services from paths of the server: archives (.zip), scripts (.js) and folders with a manifest.json.");
    static ALLOW_INSTALL_FROM_REMOTE: Opt<Flag> =
        flag("foxx.allow-install-from-remote", false, "Allow users to install services from URLs.");
    static API: Opt<Flag> =
        flag("foxx.api", true, "Allow users to install, configure and remove services.");
    static ENABLE: Opt<Flag> =
        flag("foxx.enable", true, "Answer requests by services.");
    static FORCE_UPDATE_ON_STARTUP: Opt<Flag> =
        flag("foxx.force-update-on-startup", false, "Make the files of all services before the server answers requests. Otherwise those of a database are made at its first use.");
    static QUEUES: Opt<Flag> =
        flag("foxx.queues", true, "Run the jobs of queues.");
    static QUEUES_POLL_INTERVAL: Opt<Seconds> =
        seconds("foxx.queues-poll-interval", "1", "Look for jobs that are due after this many seconds.");
}

/// The shortest time between two looks for jobs.
const POLL_MIN: Duration = Duration::from_millis(10);

/// The folder of services in the data folder.
const FOLDER: &str = "apps";

/// Makes the options of services. Without a data folder, their files are temporary.
pub(super) fn settings(options: &Options, data_folder: Option<&Path>) -> FoxxOptions {
    let named = javascript::app_path(options).map(PathBuf::from);
    let folder = named.unwrap_or_else(|| match data_folder {
        Some(folder) => folder.join(FOLDER),
        None => temp::folder(options).path.join(format!("persea-{FOLDER}-{}", std::process::id())),
    });
    // Services see their files by whole paths, whatever the data folder is called.
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    FoxxOptions {
        is_enabled: options.get(&ENABLE) && javascript::is_enabled(options),
        has_api: options.get(&API) && javascript::is_enabled(options),
        allows_paths: options.get(&ALLOW_INSTALL_FROM_PATH),
        allows_remote_sources: options.get(&ALLOW_INSTALL_FROM_REMOTE),
        runs_queues: options.get(&QUEUES),
        queue_poll_interval: options.duration(&QUEUES_POLL_INTERVAL).max(POLL_MIN),
        checks_at_start: options.get(&FORCE_UPDATE_ON_STARTUP),
        folder,
        isolates: javascript::isolates(options),
    }
}
