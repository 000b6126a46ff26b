//! `--server`: the users of the server, its threads, and access to its own interfaces.

use std::sync::Arc;

use database::{Instance, UsageMode};
use options::{
    Bytes, Choice, Flag, List, Maybe, Number, Opt, Options, Seconds, Text, bytes, choice, flag, number,
    seconds, text,
};
use server::ApiAccess;
use server::http::tls::Tls;
use server::placement::pool::PoolLimits;
use server::service::authentication::{AuthenticationOptions, SecretFiles, persistent_secret};
use server::service::log::Log;
use server::{HttpOptions, ServerOptions};
use storage::MemoryBudget;

use super::{activities, http, javascript, log as log_section, mcp};
use crate::engine::{ENGINES, EngineName};
use crate::failure::Failure;

const API_ACCESS: &[(&str, ApiAccess); 4] = &[
    ("disabled", ApiAccess::Disabled),
    ("jwt", ApiAccess::Superuser),
    ("admin", ApiAccess::Administrator),
    ("public", ApiAccess::Public),
];

const USAGE_MODES: &[(&str, UsageMode); 3] = &[
    ("disabled", UsageMode::Disabled),
    ("enabled-per-shard", UsageMode::PerCollection),
    ("enabled-per-shard-per-user", UsageMode::PerUser),
];

options::section! {
    static API_CALL_RECORDING: Opt<Flag> =
        flag("server.api-call-recording", true, "Keep recent requests in memory for /_admin/server/api-calls.");
    static API_RECORDING_MEMORY_LIMIT: Opt<Bytes> =
        bytes("server.api-recording-memory-limit", "4MiB", "Maximum memory of recent requests in bytes.");
    static AQL_QUERY_RECORDING: Opt<Flag> =
        flag("server.aql-query-recording", true, "Keep recent queries in memory for /_admin/server/aql-queries.");
    static AQL_RECORDING_MEMORY_LIMIT: Opt<Bytes> =
        bytes("server.aql-recording-memory-limit", "4MiB", "Maximum memory of recent queries in bytes.");
    pub(crate) static AUTHENTICATION: Opt<Flag> =
        flag("server.authentication", true, "Require authentication of every request.");
    static AUTHENTICATION_SYSTEM_ONLY: Opt<Flag> =
        flag("server.authentication-system-only", true, "Require authentication only for paths of the system, which begin with `/_`. Services answer the others.");
    pub(crate) static DESCRIPTORS_MINIMUM: Opt<Number> =
        number("server.descriptors-minimum", "0", "Minimum number of file descriptors that the server needs to start.");
    pub(crate) static ENDPOINT: Opt<List<Text>> =
        text("server.endpoint", "tcp://127.0.0.1:8529", "Listen on this address: tcp://HOST:PORT, ssl://HOST:PORT or unix://PATH.").list();
    static EXPORT_METRICS_API: Opt<Flag> =
        flag("server.export-metrics-api", true, "Serve /_admin/metrics.");
    pub(super) static EXPORT_READ_WRITE_METRICS: Opt<Flag> =
        flag("server.export-read-write-metrics", false, "Measure the time of each read and write of a document.");
    pub(super) static EXPORT_SHARD_USAGE_METRICS: Opt<Choice<UsageMode>> =
        choice("server.export-shard-usage-metrics", USAGE_MODES, "disabled", "Count requests on collections, and the bytes that they read and write, for /_admin/usage-metrics: `enabled-per-shard` for each collection, `enabled-per-shard-per-user` also for each user.");
    static FAILED_LOGIN_MAX_DELAY: Opt<Seconds> =
        seconds("server.failed-login-max-delay", "1", "Maximum delay of a login in seconds after the same user failed at the same address; 0 means no delay.");
    pub(super) static HARDEN: Opt<Flag> =
        flag("server.harden", false, "Restrict version details, status, statistics, metrics and the log to administrators.");
    static JWT_SECRET: Opt<Maybe<Text>> =
        text("server.jwt-secret", "", "Secret that signs tokens.").optional().secret();
    static JWT_SECRET_FOLDER: Opt<Maybe<Text>> =
        text("server.jwt-secret-folder", "", "Folder of files with token secrets. The first by name signs; all are accepted.").optional();
    static JWT_SECRET_KEYFILE: Opt<Maybe<Text>> =
        text("server.jwt-secret-keyfile", "", "File with the secret that signs tokens.").optional();
    static MAXIMAL_QUEUE_SIZE: Opt<Number> =
        number("server.maximal-queue-size", "4096", "Maximum number of requests that wait for a thread.");
    static MAXIMAL_THREADS: Opt<Maybe<Number>> =
        number("server.maximal-threads", "", "Maximum number of worker threads. Default: at least 32.").optional();
    static OPTIONS_API: Opt<Choice<ApiAccess>> =
        choice("server.options-api", API_ACCESS, "jwt", "Access to /_admin/options.");
    pub(super) static PASSWORD: Opt<Maybe<Text>> =
        text("server.password", "", "Password of the user `root` in a new store. Default: ARANGO_ROOT_PASSWORD, or empty.").optional().secret();
    static SESSION_TIMEOUT: Opt<Seconds> =
        seconds("server.session-timeout", "3600", "Lifetime in seconds of a token from /_open/auth.");
    pub(super) static STORAGE_ENGINE: Opt<Choice<EngineName>> =
        choice("server.storage-engine", ENGINES, "auto", "Alias of --storage-engine.");
    static SUPPORT_INFO_API: Opt<Choice<ApiAccess>> =
        choice("server.support-info-api", API_ACCESS, "admin", "Access to /_admin/support-info.");
}

/// Makes the options of the server, without those of backups. `descriptors` is the limit of files
/// and connections.
pub(crate) fn settings(
    options: &Options,
    log: &Arc<Log>,
    instance: &Instance,
    budget: &MemoryBudget,
    descriptors: u64,
    tls: Option<&Tls>,
) -> Result<ServerOptions, Failure> {
    let recorded = |switch: &Opt<Flag>, limit: &Opt<Bytes>| match options.get(switch) {
        true => options.size(limit),
        false => 0,
    };
    Ok(ServerOptions {
        services_network: javascript::network(options)?,
        http: HttpOptions {
            authenticates_system_only: options.get(&AUTHENTICATION_SYSTEM_ONLY),
            failed_login_max_delay: options.duration(&FAILED_LOGIN_MAX_DELAY),
            ..http::settings(options, budget, descriptors)
        },
        pool: pool(options),
        authentication: authentication(options, instance)?,
        log: Arc::clone(log),
        log_api: options.get(&log_section::API_ENABLED),
        options_api: options.get(&OPTIONS_API),
        support_info_api: options.get(&SUPPORT_INFO_API),
        activities_api: activities::access(options),
        recording_api: options.get(&log_section::RECORDING_API_ENABLED),
        recorded_calls_max_bytes: recorded(&API_CALL_RECORDING, &API_RECORDING_MEMORY_LIMIT),
        recorded_queries_max_bytes: recorded(&AQL_QUERY_RECORDING, &AQL_RECORDING_MEMORY_LIMIT),
        mcp: mcp::settings(options),
        metrics_api: options.get(&EXPORT_METRICS_API),
        root_redirect: http::root_redirect(options)?,
        endpoints: options.get(&ENDPOINT).into_iter().map(str::to_owned).collect(),
        configuration: options.values()?,
        configuration_description: options.program().description()?,
        memory_limit_bytes: budget.limit_bytes,
        tls: tls.cloned(),
        ..ServerOptions::default()
    })
}

/// Checks that other servers can sign in at this one by the secret of all of them.
pub(super) fn check_secret(options: &Options, reason: &str) -> Result<(), Failure> {
    let has_secret = options.get(&JWT_SECRET_FOLDER).is_some()
        || options.get(&JWT_SECRET_KEYFILE).is_some()
        || options.get(&JWT_SECRET).is_some_and(|secret| !secret.is_empty());
    if has_secret || !options.get(&AUTHENTICATION) {
        return Ok(());
    }
    Err(format!("--{reason} needs --{}: the same secret for all servers", JWT_SECRET_KEYFILE.name).into())
}

fn pool(options: &Options) -> PoolLimits {
    let mut pool = PoolLimits::of_this_machine();
    pool.max_queue = options.size(&MAXIMAL_QUEUE_SIZE).max(1);
    if let Some(threads) = options.get(&MAXIMAL_THREADS).filter(|threads| *threads > 0) {
        pool.max_threads = usize::try_from(threads).unwrap_or(usize::MAX).max(pool.threads);
    }
    pool
}

fn authentication(options: &Options, instance: &Instance) -> Result<AuthenticationOptions, Failure> {
    let folder = options.get(&JWT_SECRET_FOLDER).map(|path| SecretFiles::Folder(path.into()));
    let secret_files =
        folder.or_else(|| options.get(&JWT_SECRET_KEYFILE).map(|path| SecretFiles::Keyfile(path.into())));
    let secrets = match (&secret_files, options.get(&JWT_SECRET)) {
        (Some(files), _) => files.read()?,
        (None, Some(secret)) => vec![secret.as_bytes().to_vec()],
        (None, None) => vec![persistent_secret(instance.store())?],
    };
    Ok(AuthenticationOptions {
        enabled: options.get(&AUTHENTICATION),
        secrets,
        secret_files,
        session_timeout_seconds: options.get(&SESSION_TIMEOUT) as u64,
        ..AuthenticationOptions::default()
    })
}
