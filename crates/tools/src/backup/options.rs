//! The options of `persea backup`.

use std::path::PathBuf;
use std::time::Duration;

use ::encryption::Secret;
use backups::Location;
use options::{
    Choice, Flag, Maybe, Number, Opt, Options, Program, Seconds, Text, Unsupported, choice, flag, number,
    seconds, text,
};

use crate::failure::Failure;
use crate::options::{ENVIRONMENT_PREFIX, IGNORED, REFUSED, encryption, general, log, server};

pub(super) static PROGRAM: Program = Program {
    name: "persea backup",
    usage: "OPERATION [--OPTION VALUE ...]",
    about: "Create, list, restore and delete backups next to a server's data, and copy them to and from \
            repositories, which keep each file once: folders, or s3://BUCKET/PREFIX. Operations: create, list, restore, delete, upload, download; \
            without a server, on --repository: list, delete, verify, prune, and restore with --at.",
    sections: &[ROWS, encryption::ROWS, general::ROWS, server::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED, OWN_IGNORED],
    refused: &[REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some(OPERATION.row()),
};

/// The work of the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Create,
    Delete,
    Download,
    List,
    Prune,
    Restore,
    Upload,
    Verify,
}

const OPERATIONS: &[(&str, Operation); 8] = &[
    ("create", Operation::Create),
    ("delete", Operation::Delete),
    ("download", Operation::Download),
    ("list", Operation::List),
    ("prune", Operation::Prune),
    ("restore", Operation::Restore),
    ("upload", Operation::Upload),
    ("verify", Operation::Verify),
];

options::section! {
    static ABORT: Opt<Flag> =
        flag("abort", false, "Abort the transfer that --status-id names.");
    static ALLOW_INCONSISTENT: Opt<Flag> =
        flag("allow-inconsistent", false, "Allow a backup with part of a query's writes if the query does not end within --max-wait-for-lock.");
    static AT: Opt<Maybe<Text>> =
        text("at", "", "Restore a moment between backups: a time in ISO 8601, a token of a change, or a tick. Needs --repository and --database.directory, and no server.").optional();
    static DIRECTORY: Opt<Maybe<Text>> =
        text("database.directory", "", "New or empty data folder for `restore --at`.").optional();
    static FORCE: Opt<Flag> =
        flag("force", false, "After --max-wait-for-lock, kill queries that have committed part of their writes.");
    static IDENTIFIER: Opt<Maybe<Text>> =
        text("identifier", "", "Backup to restore, delete, upload, download or list. Default for `restore --at`: the newest one before the moment.").optional();
    static KEEP: Opt<Maybe<Number>> =
        number("keep", "", "Number of newest backups that `prune` keeps. Default: all.").optional();
    static KEEP_DAYS: Opt<Maybe<Number>> =
        number("keep-days", "", "Maximum age in days of the backups that `prune` keeps. Default: any.").optional();
    static LABEL: Opt<Text> =
        text("label", "", "Label in the ID of a new backup, after the time. Default: random.");
    static LOG_FROM: Opt<Maybe<Text>> =
        text("log-from", "", "Data folder of a stopped server, whose change log continues the archive in `restore --at`.").optional();
    static MAX_WAIT_FOR_LOCK: Opt<Seconds> =
        seconds("max-wait-for-lock", "120", "Maximum time in seconds to wait for queries that have committed part of their writes.");
    static MAX_WAIT_FOR_RESTART: Opt<Seconds> =
        seconds("max-wait-for-restart", "0", "Maximum time in seconds to wait for the server after a restore; 0 does not wait.");
    static OPERATION: Opt<Choice<Operation>> =
        choice("operation", OPERATIONS, "list", "Operation to run. The option's name may be left out.");
    static RCLONE_CONFIG_FILE: Opt<Maybe<Text>> =
        text("rclone-config-file", "", "JSON file with the section that --remote-path names. Its type must be `local` or `s3`.").optional();
    static REMOTE_PATH: Opt<Maybe<Text>> =
        text("remote-path", "", "Repository as SECTION:/PATH or SECTION://BUCKET/PREFIX. Without --rclone-config-file, s3://BUCKET/PREFIX works as in --repository.").optional();
    static REPOSITORY: Opt<Maybe<Text>> =
        text("repository", "", "Folder of the repository, or s3://BUCKET/PREFIX. The key, region and endpoint are read from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL.").optional();
    static STATUS_ID: Opt<Maybe<Text>> =
        text("status-id", "", "ID of the transfer to report on.").optional();
    static WAIT: Opt<Flag> =
        flag("wait", false, "Wait until the transfer ends.");
}

const OWN_IGNORED: &[Unsupported] = &[Unsupported {
    reason: "a server always reads backups of earlier versions, and never those of later ones",
    names: &["ignore-version"],
}];

/// The options of a restore to a moment, which needs no server.
#[derive(Clone, Debug)]
pub struct RestoreRequest {
    /// The moment.
    pub at: String,
    /// The folder or bucket with the backup and the archive of the log.
    pub repository: String,
    /// The backup to begin with; `None` for the newest one before the moment.
    pub identifier: Option<String>,
    /// The data folder.
    pub directory: String,
    /// The data folder whose log continues the archive.
    pub log_from: Option<String>,
    /// A secret that opens the backup, if it is encrypted.
    pub secret: Option<Secret>,
}

/// The settings of the tool.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) operation: Operation,
    pub(super) identifier: Option<String>,
    at: Option<String>,
    directory: Option<String>,
    log_from: Option<String>,
    secret: Option<Secret>,
    pub(super) label: String,
    pub(super) allows_inconsistent: bool,
    pub(super) force: bool,
    pub(super) lock_wait: Duration,
    pub(super) restart_wait: Duration,
    pub(super) repository: Option<String>,
    pub(super) remote_path: Option<String>,
    pub(super) rclone_config: Option<PathBuf>,
    pub(super) status_id: Option<String>,
    pub(super) aborts: bool,
    pub(super) waits: bool,
    pub(super) keep: Option<u64>,
    pub(super) keep_days: Option<u64>,
}

impl Settings {
    pub(super) fn read(options: &Options) -> Result<Self, Failure> {
        let text = |option: &Opt<Maybe<Text>>| options.non_empty(option).map(str::to_owned);
        let mut settings = Settings {
            operation: options.get(&OPERATION),
            identifier: text(&IDENTIFIER),
            at: text(&AT),
            directory: text(&DIRECTORY),
            log_from: text(&LOG_FROM),
            secret: encryption::secret(options)?,
            label: options.get(&LABEL).to_owned(),
            allows_inconsistent: options.get(&ALLOW_INCONSISTENT),
            force: options.get(&FORCE),
            lock_wait: options.duration(&MAX_WAIT_FOR_LOCK),
            restart_wait: options.duration(&MAX_WAIT_FOR_RESTART),
            repository: text(&REPOSITORY),
            remote_path: text(&REMOTE_PATH),
            rclone_config: text(&RCLONE_CONFIG_FILE).map(PathBuf::from),
            status_id: text(&STATUS_ID),
            aborts: options.get(&ABORT),
            waits: options.get(&WAIT),
            keep: options.get(&KEEP),
            keep_days: options.get(&KEEP_DAYS),
        };
        // Without a section there is only one meaning of an address in object storage.
        if settings.rclone_config.is_none() && settings.repository.is_none() {
            settings.repository = settings.remote_path.take_if(|path| Location::is_bucket(path));
        }
        settings.check()?;
        Ok(settings)
    }

    /// Refuses operations that lack an option.
    fn check(&self) -> Result<(), Failure> {
        self.check_moment()?;
        let is_transfer = matches!(self.operation, Operation::Upload | Operation::Download);
        let needs_id = (self.operation == Operation::Restore && self.at.is_none())
            || self.operation == Operation::Delete
            || (is_transfer && self.status_id.is_none());
        if needs_id && self.identifier.is_none() {
            return Err(Failure::option("--identifier is missing: the id of a backup, as `list` prints it"));
        }
        if is_transfer
            && self.status_id.is_none()
            && self.repository.is_none()
            && (self.remote_path.is_none() || self.rclone_config.is_none())
        {
            let needed = "--repository FOLDER or s3://BUCKET/PREFIX, or --remote-path and --rclone-config-file, are missing";
            return Err(Failure::option(needed));
        }
        if self.repository.is_some() && self.remote_path.is_some() {
            return Err(Failure::option("--repository and --remote-path cannot be combined"));
        }
        if matches!(self.operation, Operation::Verify | Operation::Prune) && self.repository.is_none() {
            return Err(Failure::option("--repository is missing: the folder or bucket with the backups"));
        }
        if self.operation == Operation::Prune && self.keep.is_none() && self.keep_days.is_none() {
            return Err(Failure::option("--keep or --keep-days is required: it selects the backups to keep"));
        }
        Ok(())
    }

    /// Refuses incomplete options of a restore to a moment.
    fn check_moment(&self) -> Result<(), Failure> {
        if self.operation != Operation::Restore && (self.at.is_some() || self.directory.is_some()) {
            return Err(Failure::option("--at and --database.directory are options of `restore` only"));
        }
        let missing = match (&self.at, &self.directory) {
            (None, None) if self.log_from.is_some() => "--at is missing: --log-from belongs to it",
            (None, None) if self.secret.is_some() => "--at is missing: --encryption.* belong to it",
            (None, None) => return Ok(()),
            (Some(_), None) => "--database.directory is missing: the new data folder",
            (None, Some(_)) => "--at is missing: the moment to restore",
            (Some(_), Some(_)) if self.repository.is_none() => {
                "--repository is missing: the folder or bucket with the backup and the archive of the log"
            }
            (Some(_), Some(_)) => return Ok(()),
        };
        Err(Failure::option(missing))
    }

    /// Returns the options of a restore to a moment; `None` for all other operations.
    pub(super) fn moment(self) -> Option<RestoreRequest> {
        Some(RestoreRequest {
            at: self.at?,
            repository: self.repository?,
            identifier: self.identifier,
            directory: self.directory?,
            log_from: self.log_from,
            secret: self.secret,
        })
    }

    /// Returns the id of the backup, which [`Settings::check`] found if it is needed.
    pub(super) fn id(&self) -> &str {
        self.identifier.as_deref().unwrap_or_default()
    }
}
