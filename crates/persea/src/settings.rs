//! What the options mean for each part of the server.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catalog::NamingRules;
use database::query::QueryDefaults;
use database::query::registry::TrackingProperties;
use database::query::request::MAX_TTL_SECONDS;
use database::query::results_cache::{CacheMode, CacheProperties};
use database::ttl::TtlProperties;
use database::{Instance, InstanceOptions, SpillOptions};
use kv::Engine;
use kv::memory::MemoryEngine;
use kv_rocksdb::{Compression, RocksEngine, RocksOptions};
use options::Options;
use server::auth::{AuthenticationOptions, SecretFiles, persistent_secret};
use server::http::address::Address;
use server::http::cors::TrustedOrigins;
use server::http::tls::{Tls, TlsVersions};
use server::http::worker_pool::PoolLimits;
use server::log::{Format, Level, Log, LogOptions, Output};
use server::machine::available_memory_bytes;
use server::server::{ARANGODB_VERSION, ApiAccess};
use server::{HttpOptions, ServerOptions};
use storage::{MemoryBudget, StoreOptions};

use crate::options::SERVER;
use crate::serve::Failure;

/// The engine where nothing is said.
const DEFAULT_ENGINE: &str = "rocksdb";

/// File descriptors that are left for the log, temporary files and the engine's own needs.
const SPARE_DESCRIPTORS: u64 = 128;

/// Memory for which one table file is held open. It takes some ten kilobytes beside the cache.
const BYTES_PER_OPEN_FILE: u64 = 1 << 20;

/// `--memory-limit`, or half of what the machine or its container has.
pub(crate) fn memory_limit_bytes(options: &Options) -> u64 {
    match options.number("memory-limit") {
        0 => available_memory_bytes() / 2,
        limit => limit,
    }
}

/// Opens the log and makes it the process's.
pub(crate) fn open_log(options: &Options) -> Result<Arc<Log>, Failure> {
    let file = options.text("log.file").map(|path| format!("file://{path}"));
    let named: Vec<&str> = file.as_deref().into_iter().chain(options.all("log.output")).collect();
    let named = if named.is_empty() { vec!["+"] } else { named };
    let outputs = named.iter().map(|name| open_output(name)).collect::<Result<Vec<_>, _>>()?;
    let to_terminal = match named.as_slice() {
        ["-"] => std::io::stdout().is_terminal(),
        ["+"] => std::io::stderr().is_terminal(),
        _ => false,
    };
    let format = Format {
        json: options.flag("log.use-json-format"),
        color: options.flag("log.color") && to_terminal,
        escape_control_characters: options.flag("log.escape-control-chars"),
        escape_unicode: options.flag("log.escape-unicode-chars"),
        process: options.flag("log.process"),
    };
    let log = Log::new(LogOptions {
        outputs,
        format,
        in_memory_level: options.text("log.in-memory-level").and_then(Level::from_name).unwrap_or_default(),
        without_memory: !options.flag("log.in-memory"),
        max_entry_bytes: size(options, "log.max-entry-length"),
    });
    for setting in options.all("log.level").into_iter().flat_map(|levels| levels.split(',')) {
        set_level(&log, setting)?;
    }
    log.remember_levels();
    for parameter in options.all("log.structured-param") {
        let (name, shown) = parameter.split_once('=').unwrap_or((parameter, "true"));
        if !log.show(name, shown != "false") {
            return Err(format!("--log.structured-param: there is no parameter {name:?}").into());
        }
    }
    log.install();
    Ok(log)
}

fn open_output(name: &str) -> Result<Output, Failure> {
    match name {
        "-" => Ok(Output::Stdout),
        "+" => Ok(Output::Stderr),
        other => {
            let path = other
                .strip_prefix("file://")
                .ok_or_else(|| format!("--log.output must be -, + or file://PATH, not {other:?}"))?;
            let opened = Output::file(path.as_ref());
            Ok(opened.map_err(|error| format!("the log file {path} cannot be opened: {error}"))?)
        }
    }
}

fn set_level(log: &Log, setting: &str) -> Result<(), Failure> {
    let (topic, level) = setting.split_once('=').unwrap_or(("all", setting));
    let known = Level::from_name(level).ok_or_else(|| format!("--log.level: there is no level {level:?}"))?;
    if !log.set_level(topic, known) {
        return Err(format!("--log.level: there is no topic {topic:?}").into());
    }
    Ok(())
}

/// How the memory is divided.
pub(crate) fn memory_budget(options: &Options) -> MemoryBudget {
    let budget = MemoryBudget::split(memory_limit_bytes(options));
    match options.text("cache.size") {
        Some(_) => budget.with_read_cache(options.number("cache.size")),
        None => budget,
    }
}

/// A number as a size in memory.
fn size(options: &Options, name: &str) -> usize {
    usize::try_from(options.number(name)).unwrap_or(usize::MAX)
}

/// Registration of the engines: a name and how it is opened.
pub(crate) fn open_engine(
    options: &Options,
    budget: &MemoryBudget,
    descriptors: u64,
) -> Result<Arc<dyn Engine>, Failure> {
    let named = ["storage-engine", "server.storage-engine"]
        .iter()
        .filter_map(|name| options.text(name))
        .find(|name| *name != "auto");
    match named.unwrap_or(DEFAULT_ENGINE) {
        "memory" => Ok(MemoryEngine::new()),
        _ => {
            let folder = PathBuf::from(options.text("database.directory").unwrap_or("./data"));
            Ok(RocksEngine::open(folder, &rocks_options(options, budget, descriptors))?)
        }
    }
}

/// How many table files are held open: half of the descriptors, and as many as have room beside the cache.
fn max_open_files(options: &Options, budget: &MemoryBudget, descriptors: u64) -> u64 {
    match options.number("rocksdb.max-open-files") {
        0 => (descriptors / 2)
            .min(budget.block_cache_bytes / BYTES_PER_OPEN_FILE)
            .max(u64::from(RocksOptions::default().max_open_files)),
        given => given,
    }
}

fn rocks_options(options: &Options, budget: &MemoryBudget, descriptors: u64) -> RocksOptions {
    let defaults = RocksOptions::default();
    let given = |name: &str| Some(options.number(name)).filter(|number| *number > 0);
    let short = |name: &str, default: u16| {
        given(name).map_or(default, |number| u16::try_from(number).unwrap_or(u16::MAX))
    };
    RocksOptions {
        memory_bytes: usize::try_from(budget.block_cache_bytes + budget.memtable_bytes).unwrap_or(usize::MAX),
        max_open_files: u16::try_from(max_open_files(options, budget, descriptors)).unwrap_or(u16::MAX),
        background_jobs: short("rocksdb.max-background-jobs", defaults.background_jobs),
        sync_interval_ms: given("rocksdb.sync-interval").unwrap_or(defaults.sync_interval_ms),
        wal_limit_bytes: given("rocksdb.max-total-wal-size").unwrap_or(defaults.wal_limit_bytes),
        compression: match options.text("rocksdb.compression-type") {
            Some("zstd") => Compression::Zstd,
            _ => Compression::Lz4,
        },
        direct_io: options.flag("rocksdb.use-direct-io"),
    }
}

fn temporary_folder(options: &Options) -> PathBuf {
    options.text("temp.path").map_or_else(std::env::temp_dir, PathBuf::from)
}

pub(crate) fn store_options(options: &Options, budget: &MemoryBudget) -> StoreOptions {
    let naming_rules = match options.flag("database.extended-names") {
        true => NamingRules::Extended,
        false => NamingRules::Traditional,
    };
    StoreOptions {
        naming_rules,
        sort_budget_bytes: usize::try_from(budget.sort_bytes).unwrap_or(usize::MAX),
        read_cache_bytes: budget.read_cache_bytes,
        temporary_folder: temporary_folder(options),
        ..StoreOptions::default()
    }
}

pub(crate) fn instance_options(options: &Options, budget: &MemoryBudget) -> InstanceOptions {
    InstanceOptions {
        query_memory_bytes: match options.number("query.global-memory-limit") {
            0 => budget.query_bytes,
            limit => limit,
        },
        query_memory_limit_bytes: options.number("query.memory-limit"),
        query_memory_limit_override: options.flag("query.memory-limit-override"),
        query_max_runtime: Some(duration(options, "query.max-runtime")).filter(|limit| !limit.is_zero()),
        query_requires_with: options.flag("query.require-with"),
        query_defaults: query_defaults(options),
        result_memory_bytes: budget.result_bytes,
        results_cache: results_cache(options),
        temporary_folder: temporary_folder(options),
        spill: spill_options(options),
        plan_cache_entries: size(options, "query.plan-cache-max-entries"),
        plan_cache_key_bytes: size(options, "query.plan-cache-max-entry-size"),
        authentication: options.flag("server.authentication"),
        default_wait_for_sync: options.flag("database.wait-for-sync"),
        ttl: TtlProperties {
            frequency_ms: options.number("ttl.frequency"),
            max_total_removes: options.number("ttl.max-total-removes"),
            max_collection_removes: options.number("ttl.max-collection-removes"),
            ..TtlProperties::default()
        },
        compatible_version: ARANGODB_VERSION.to_owned(),
        ..InstanceOptions::default()
    }
}

/// What queries do not say themselves. Zero stands for no limit, or for the default.
fn query_defaults(options: &Options) -> QueryDefaults {
    let default = QueryDefaults::default();
    QueryDefaults {
        fail_on_warning: options.flag("query.fail-on-warning"),
        max_collections: size(options, "query.max-collections-per-query"),
        max_number_of_plans: size(options, "query.optimizer-max-plans").max(1),
        max_condition_branches: unless_zero(
            size(options, "query.max-dnf-condition-members"),
            default.max_condition_branches,
        ),
        rules: options.all("query.optimizer-rules").iter().map(|rule| (*rule).to_owned()).collect(),
        cursor_ttl: unless_zero(duration(options, "query.registry-ttl"), default.cursor_ttl)
            .min(Duration::from_secs_f64(MAX_TTL_SECONDS)),
        max_transaction_bytes: unless_zero(
            size(options, "rocksdb.max-transaction-size"),
            default.max_transaction_bytes,
        ),
        intermediate_commit_operations: unless_zero(
            options.number("rocksdb.intermediate-commit-count"),
            default.intermediate_commit_operations,
        ),
        intermediate_commit_bytes: unless_zero(
            options.number("rocksdb.intermediate-commit-size"),
            default.intermediate_commit_bytes,
        ),
    }
}

/// A number of the configuration, where zero stands for another.
fn unless_zero<T: Default + PartialEq>(value: T, otherwise: T) -> T {
    if value == T::default() { otherwise } else { value }
}

fn spill_options(options: &Options) -> SpillOptions {
    let number = |name: &str| options.number(&format!("temp.intermediate-results-{name}"));
    let folder = options.text("temp.intermediate-results-path");
    let spill = SpillOptions {
        threshold_bytes: number("spillover-threshold-memory-usage"),
        threshold_rows: number("spillover-threshold-num-rows"),
        folder: Some(folder.map_or_else(|| temporary_folder(options), PathBuf::from)),
        ..SpillOptions::default()
    };
    spill.with_capacity(number("capacity"))
}

/// Which results are kept. Zero stands for the default, as in ArangoDB.
fn results_cache(options: &Options) -> CacheProperties {
    let default = CacheProperties::default();
    let bytes = |name: &str, default: u64| match options.number(name) {
        0 => default,
        bytes => bytes,
    };
    CacheProperties {
        mode: options
            .text("query.cache-mode")
            .and_then(|mode| CacheMode::from_name(mode).ok())
            .unwrap_or_default(),
        max_results: match size(options, "query.cache-entries") {
            0 => default.max_results,
            entries => entries,
        },
        max_results_bytes: bytes("query.cache-entries-max-size", default.max_results_bytes),
        max_entry_bytes: bytes("query.cache-entry-max-size", default.max_entry_bytes),
        include_system: options.flag("query.cache-include-system-collections"),
    }
}

/// A number of seconds; those beyond what a duration holds are for ever.
fn duration(options: &Options, name: &str) -> Duration {
    Duration::try_from_secs_f64(options.seconds(name)).unwrap_or(Duration::MAX)
}

pub(crate) fn track_queries(options: &Options, instance: &Instance) {
    instance.queries().set_default_properties(TrackingProperties {
        enabled: options.flag("query.tracking"),
        track_slow_queries: options.flag("query.tracking-slow-queries"),
        track_bind_vars: options.flag("query.tracking-with-bindvars"),
        track_query_string: options.flag("query.tracking-with-querystring"),
        slow_query_threshold: options.seconds("query.slow-threshold"),
        slow_streaming_query_threshold: options.seconds("query.slow-streaming-threshold"),
        ..TrackingProperties::default()
    });
}

/// The password of `root` on a new store.
pub(crate) fn root_password(options: &Options) -> String {
    let named = ["server.password", "database.password"].iter().find_map(|name| options.text(name));
    let named = named.map(str::to_owned).or_else(|| std::env::var("ARANGO_ROOT_PASSWORD").ok());
    named.unwrap_or_default()
}

fn authentication(options: &Options, instance: &Instance) -> Result<AuthenticationOptions, Failure> {
    let keyfile = options.text("server.jwt-secret-keyfile").map(|path| SecretFiles::Keyfile(path.into()));
    let secret_files = match options.text("server.jwt-secret-folder") {
        Some(folder) => Some(SecretFiles::Folder(folder.into())),
        None => keyfile,
    };
    let secrets = match (&secret_files, options.text("server.jwt-secret")) {
        (Some(files), _) => files.read()?,
        (None, Some(secret)) => vec![secret.as_bytes().to_vec()],
        (None, None) => vec![persistent_secret(instance.store())?],
    };
    Ok(AuthenticationOptions {
        enabled: options.flag("server.authentication"),
        secrets,
        secret_files,
        session_timeout_seconds: options.seconds("server.session-timeout") as u64,
    })
}

/// Certificate and key, if any address is one of TLS.
pub(crate) fn tls(options: &Options, addresses: &[Address]) -> Result<Option<Tls>, Failure> {
    let Some(address) = addresses.iter().find(|address| matches!(address, Address::Tls(_))) else {
        return Ok(None);
    };
    let keyfile = options.text("ssl.keyfile").filter(|path| !path.is_empty());
    let keyfile = keyfile
        .ok_or_else(|| format!("{address} needs --ssl.keyfile: a PEM file with certificate and key"))?;
    let versions = match options.text("ssl.protocol") {
        Some("5") => TlsVersions::Tls12,
        Some("6") => TlsVersions::Tls13,
        _ => TlsVersions::Both,
    };
    Ok(Some(Tls::from_keyfile(keyfile.as_ref(), versions)?))
}

/// Everything that the server itself needs to know. `descriptors` is how many files and connections there may be.
pub(crate) fn server_options(
    options: &Options,
    log: &Arc<Log>,
    instance: &Instance,
    budget: &MemoryBudget,
    descriptors: u64,
    tls: Option<&Tls>,
) -> Result<ServerOptions, Failure> {
    let mut pool = PoolLimits::of_this_machine();
    pool.max_queue = size(options, "server.maximal-queue-size").max(1);
    if size(options, "server.maximal-threads") > 0 {
        pool.max_threads = size(options, "server.maximal-threads").max(pool.threads);
    }
    let recorded = |switch: &str, limit: &str| match options.flag(&format!("server.{switch}")) {
        true => size(options, &format!("server.{limit}")),
        false => 0,
    };
    Ok(ServerOptions {
        http: http_options(options, budget, descriptors),
        pool,
        authentication: authentication(options, instance)?,
        log: Arc::clone(log),
        log_api: access(options.text("log.api-enabled")),
        options_api: access(options.text("server.options-api")),
        support_info_api: access(options.text("server.support-info-api")),
        recording_api: access(options.text("log.recording-api-enabled")),
        recorded_calls_max_bytes: recorded("api-call-recording", "api-recording-memory-limit"),
        recorded_queries_max_bytes: recorded("aql-query-recording", "aql-recording-memory-limit"),
        metrics_api: options.flag("server.export-metrics-api"),
        endpoints: options.all("server.endpoint").into_iter().map(str::to_owned).collect(),
        configuration: options.values()?,
        configuration_description: SERVER.description()?,
        memory_limit_bytes: budget.limit_bytes,
        tls: tls.cloned(),
    })
}

fn http_options(options: &Options, budget: &MemoryBudget, descriptors: u64) -> HttpOptions {
    let files = max_open_files(options, budget, descriptors) + SPARE_DESCRIPTORS;
    let for_connections = usize::try_from(descriptors.saturating_sub(files)).unwrap_or(usize::MAX);
    let origins = options.all("http.trusted-origin").into_iter().map(str::to_owned);
    HttpOptions {
        max_body_bytes: size(options, "http.max-body-size"),
        request_memory_bytes: usize::try_from(budget.request_bytes).unwrap_or(usize::MAX),
        keep_alive: duration(options, "http.keep-alive-timeout"),
        compress_response_threshold_bytes: size(options, "http.compress-response-threshold"),
        // Never none, or nobody could ask why.
        max_connections: size(options, "http.max-connections").min(for_connections).max(16),
        return_queue_time_header: options.flag("http.return-queue-time-header"),
        trusted_origins: TrustedOrigins::new(origins),
    }
}

fn access(name: Option<&str>) -> ApiAccess {
    match name {
        Some("disabled" | "false") => ApiAccess::Disabled,
        Some("admin" | "true") => ApiAccess::Administrator,
        Some("public") => ApiAccess::Public,
        _ => ApiAccess::Superuser,
    }
}
