//! `persea server`: from options to a server that listens, and to its orderly end.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::NamingRules;
use database::query::registry::TrackingProperties;
use database::{Instance, InstanceOptions};
use kv::Engine;
use kv::memory::MemoryEngine;
use kv_rocksdb::{RocksEngine, RocksOptions};
use server::auth::{AuthenticationOptions, create_root, persistent_secret};
use server::http::listener::bind;
use server::http::worker_pool::PoolLimits;
use server::lifecycle::{STOP_PATIENCE, serve};
use server::log::{Format, Level, Log, LogOptions, Output};
use server::machine::{available_memory_bytes, physical_memory_bytes};
use server::server::{ARANGODB_VERSION, ApiAccess, PERSEA_VERSION};
use server::{HttpOptions, Server, ServerOptions};
use storage::{MemoryBudget, StoreOptions};
use tokio::signal::unix::{SignalKind, signal};
use velocypack::Builder;

use crate::options::{DEFINITIONS, Options, Request};

/// Connections that the operating system keeps until they are accepted.
const BACKLOG: u32 = 1_024;
/// The port of an endpoint that names none.
const DEFAULT_PORT: u16 = 8_529;
/// The engines that can be chosen; `auto` is the first.
const DEFAULT_ENGINE: &str = "rocksdb";

/// Why the server could not start, for a person.
type Failure = Box<dyn std::error::Error>;

/// Runs the server until it is asked to stop.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let options = match Options::read(arguments, &|name| std::env::var(name).ok()) {
        Ok(Request::Run(options)) => options,
        Ok(Request::Print(text)) => {
            print!("{text}");
            return ExitCode::SUCCESS;
        }
        Err(mistake) => {
            eprintln!("persea: {mistake}");
            return ExitCode::from(crate::EXIT_USAGE);
        }
    };
    match run_with(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("persea: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run_with(options: &Options) -> Result<(), Failure> {
    let started = Instant::now();
    let log = open_log(options)?;
    let budget = MemoryBudget::split(memory_limit_bytes(options));
    let addresses = endpoints(options)?;
    // Listening comes first: who cannot listen should not open the data.
    let listeners = addresses
        .iter()
        .map(|address| {
            bind(*address, BACKLOG, true).map_err(|error| format!("cannot listen on {address}: {error}"))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let engine = open_engine(options, &budget)?;
    let instance = Instance::with_store_options(
        engine,
        store_options(options, &budget),
        instance_options(options, &budget),
    )?;
    track_queries(options, &instance);
    let authentication = authentication(options, &instance)?;
    let server = Server::new(Arc::clone(&instance), server_options(options, log, authentication, &budget)?)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let addresses: Vec<String> = addresses.iter().map(|address| format!("http://{address}")).collect();
    tracing::info!(
        "persea {PERSEA_VERSION} (compatible with ArangoDB {ARANGODB_VERSION}) is ready at {} after {} ms",
        addresses.join(", "),
        started.elapsed().as_millis()
    );
    let ended = runtime.block_on(async {
        for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
            let mut signals = signal(kind)?;
            let watched = Arc::clone(&server);
            tokio::spawn(async move {
                signals.recv().await;
                watched.shutdown().request();
            });
        }
        serve(server, listeners, STOP_PATIENCE).await
    })?;
    instance.stop();
    instance.store().close()?;
    tracing::info!("stopped{}", if ended { "" } else { "; some requests were cut off" });
    Ok(())
}

fn open_log(options: &Options) -> Result<Arc<Log>, Failure> {
    let mut outputs = Vec::new();
    let file = options.text("log.file").map(|path| format!("file://{path}"));
    let named: Vec<&str> = file.as_deref().into_iter().chain(options.all("log.output")).collect();
    for output in if named.is_empty() { vec!["+"] } else { named } {
        outputs.push(match output {
            "-" => Output::Stdout,
            "+" => Output::Stderr,
            other => {
                let path = other
                    .strip_prefix("file://")
                    .ok_or_else(|| format!("--log.output must be -, + or file://PATH, not {other:?}"))?;
                Output::file(path.as_ref())
                    .map_err(|error| format!("the log file {path} cannot be opened: {error}"))?
            }
        });
    }
    let format = Format { json: options.flag("log.use-json-format"), ..Format::default() };
    let log = Log::new(LogOptions { outputs, format, ..LogOptions::default() });
    for setting in options.all("log.level").into_iter().flat_map(|levels| levels.split(',')) {
        let (topic, level) = setting.split_once('=').unwrap_or(("all", setting));
        let known =
            Level::from_name(level).ok_or_else(|| format!("--log.level: there is no level {level:?}"))?;
        if !log.set_level(topic, known) {
            return Err(format!("--log.level: there is no topic {topic:?}").into());
        }
    }
    log.remember_levels();
    log.install();
    Ok(log)
}

/// `--memory-limit`, or half of what the machine or its container has.
fn memory_limit_bytes(options: &Options) -> u64 {
    match options.number("memory-limit") {
        0 => physical_memory_bytes().min(available_memory_bytes().max(1)) / 2,
        limit => limit,
    }
}

fn endpoints(options: &Options) -> Result<Vec<SocketAddr>, Failure> {
    let mut addresses = Vec::new();
    for endpoint in options.all("server.endpoint") {
        let wrong = || format!("--server.endpoint must be tcp://HOST:PORT, not {endpoint:?}");
        let rest = ["tcp://", "http://", "http+tcp://"]
            .iter()
            .find_map(|scheme| endpoint.strip_prefix(scheme))
            .ok_or_else(wrong)?;
        let rest = rest.trim_end_matches('/');
        let has_port =
            rest.rsplit(':').next().is_some_and(|port| port.parse::<u16>().is_ok()) && !rest.ends_with(']');
        let address = if has_port { rest.to_owned() } else { format!("{rest}:{DEFAULT_PORT}") };
        addresses.push(address.to_socket_addrs().ok().and_then(|mut found| found.next()).ok_or_else(wrong)?);
    }
    Ok(addresses)
}

/// Registration of the engines: a name and how it is opened.
fn open_engine(options: &Options, budget: &MemoryBudget) -> Result<Arc<dyn Engine>, Failure> {
    let named = ["storage-engine", "server.storage-engine"]
        .iter()
        .filter_map(|name| options.text(name))
        .find(|name| *name != "auto");
    match named.unwrap_or(DEFAULT_ENGINE) {
        "memory" => Ok(MemoryEngine::new()),
        _ => {
            let defaults = RocksOptions::default();
            let or_default = |name: &str, default: u64| match options.number(name) {
                0 => default,
                given => given,
            };
            let folder = PathBuf::from(options.text("database.directory").unwrap_or("./data"));
            let rocks = RocksOptions {
                memory_bytes: usize::try_from(budget.block_cache_bytes + budget.memtable_bytes)
                    .unwrap_or(usize::MAX),
                max_open_files: u16::try_from(or_default(
                    "rocksdb.max-open-files",
                    defaults.max_open_files.into(),
                ))
                .unwrap_or(u16::MAX),
                background_jobs: u16::try_from(or_default(
                    "rocksdb.max-background-jobs",
                    defaults.background_jobs.into(),
                ))
                .unwrap_or(u16::MAX),
                sync_interval_ms: or_default("rocksdb.sync-interval", defaults.sync_interval_ms),
                ..defaults
            };
            Ok(RocksEngine::open(folder, &rocks)?)
        }
    }
}

fn temporary_folder(options: &Options) -> PathBuf {
    options.text("temp.path").map_or_else(std::env::temp_dir, PathBuf::from)
}

fn store_options(options: &Options, budget: &MemoryBudget) -> StoreOptions {
    let naming_rules = match options.flag("database.extended-names") {
        true => NamingRules::Extended,
        false => NamingRules::Traditional,
    };
    StoreOptions {
        naming_rules,
        sort_budget_bytes: usize::try_from(budget.sort_bytes).unwrap_or(usize::MAX),
        temporary_folder: temporary_folder(options),
        ..StoreOptions::default()
    }
}

fn instance_options(options: &Options, budget: &MemoryBudget) -> InstanceOptions {
    let max_runtime = options.seconds("query.max-runtime");
    InstanceOptions {
        query_memory_bytes: match options.number("query.global-memory-limit") {
            0 => budget.query_bytes,
            limit => limit,
        },
        query_memory_limit_bytes: options.number("query.memory-limit"),
        query_memory_limit_override: options.flag("query.memory-limit-override"),
        query_max_runtime: (max_runtime > 0.0)
            .then(|| Duration::try_from_secs_f64(max_runtime).unwrap_or(Duration::MAX)),
        result_memory_bytes: budget.result_bytes,
        temporary_folder: temporary_folder(options),
        authentication: options.flag("server.authentication"),
        default_wait_for_sync: options.flag("database.wait-for-sync"),
        compatible_version: ARANGODB_VERSION.to_owned(),
        ..InstanceOptions::default()
    }
}

fn track_queries(options: &Options, instance: &Instance) {
    let threshold = options.seconds("query.slow-threshold");
    instance.queries().set_properties(TrackingProperties {
        enabled: options.flag("query.tracking"),
        track_bind_vars: options.flag("query.tracking-with-bindvars"),
        slow_query_threshold: threshold,
        slow_streaming_query_threshold: threshold,
        ..TrackingProperties::default()
    });
}

fn authentication(options: &Options, instance: &Instance) -> Result<AuthenticationOptions, Failure> {
    let password = options
        .text("server.password")
        .map(str::to_owned)
        .or_else(|| std::env::var("ARANGO_ROOT_PASSWORD").ok());
    create_root(instance.store(), &password.unwrap_or_default())?;
    let secret = match (options.text("server.jwt-secret-keyfile"), options.text("server.jwt-secret")) {
        (Some(path), _) => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| format!("the secret's file {path} cannot be read: {error}"))?;
            text.trim().as_bytes().to_vec()
        }
        (None, Some(secret)) => secret.as_bytes().to_vec(),
        (None, None) => persistent_secret(instance.store())?,
    };
    Ok(AuthenticationOptions {
        enabled: options.flag("server.authentication"),
        secrets: vec![secret],
        session_timeout_seconds: options.seconds("server.session-timeout") as u64,
    })
}

fn server_options(
    options: &Options,
    log: Arc<Log>,
    authentication: AuthenticationOptions,
    budget: &MemoryBudget,
) -> Result<ServerOptions, Failure> {
    let size = |name: &str| usize::try_from(options.number(name)).unwrap_or(usize::MAX);
    let mut pool = PoolLimits::of_this_machine();
    pool.max_queue = size("server.maximal-queue-size").max(1);
    if size("server.maximal-threads") > 0 {
        pool.max_threads = size("server.maximal-threads").max(pool.threads);
    }
    let (configuration, configuration_description) = describe(options)?;
    Ok(ServerOptions {
        http: HttpOptions {
            max_body_bytes: size("http.max-body-size"),
            keep_alive: Duration::try_from_secs_f64(options.seconds("http.keep-alive-timeout"))
                .unwrap_or(Duration::MAX),
            compress_response_threshold_bytes: size("http.compress-response-threshold"),
            return_queue_time_header: options.flag("http.return-queue-time-header"),
            trusted_origins: server::http::cors::TrustedOrigins::new(
                options.all("http.trusted-origin").into_iter().map(str::to_owned),
            ),
            ..HttpOptions::default()
        },
        pool,
        authentication,
        log,
        options_api: access(options.text("server.options-api")),
        support_info_api: access(options.text("server.support-info-api")),
        endpoints: options.all("server.endpoint").into_iter().map(str::to_owned).collect(),
        configuration,
        configuration_description,
        memory_limit_bytes: budget.limit_bytes,
        ..ServerOptions::default()
    })
}

fn access(name: Option<&str>) -> ApiAccess {
    match name {
        Some("disabled") => ApiAccess::Disabled,
        Some("admin") => ApiAccess::Administrator,
        Some("public") => ApiAccess::Public,
        _ => ApiAccess::Superuser,
    }
}

/// What `/_admin/options` and `/_admin/options-description` show: values, secrets left out, and what each option does.
fn describe(options: &Options) -> Result<(Vec<u8>, Vec<u8>), velocypack::Error> {
    let (mut values, mut descriptions) = (Builder::new(), Builder::new());
    values.open_object()?;
    descriptions.open_object()?;
    for definition in DEFINITIONS {
        if !definition.is_secret {
            values.key(definition.name)?;
            match options.all(definition.name).as_slice() {
                many if definition.is_list => {
                    values.open_array()?;
                    many.iter().try_for_each(|value| values.add_str(value))?;
                    values.close()?;
                }
                [value, ..] => values.add_str(value)?,
                [] => values.add_null()?,
            }
        }
        descriptions.key(definition.name)?;
        descriptions.open_object()?;
        for (name, text) in [("description", definition.help), ("default", definition.default)] {
            descriptions.key(name)?;
            descriptions.add_str(text)?;
        }
        descriptions.close()?;
    }
    values.close()?;
    descriptions.close()?;
    Ok((values.into_vec(), descriptions.into_vec()))
}
