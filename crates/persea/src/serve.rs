//! `persea server`: from the options to a listening server, and to its orderly end.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use database::Instance;
use database::changes::WebhookOptions;
use database::follow::SourceOptions;
use database::group::GroupOptions;
use options::{Options, Request};
use rustix::process::Signal;
use server::http::address::Address;
use server::http::listener::{Bound, bind};
use server::server::{STOP_TIMEOUT, StopTimes};
use server::service::authentication::{create_root, root_is_open};
use server::service::encryption::EncryptionKeys;
use server::service::log::Log;
use server::service::log_archive::{ArchiveOptions, ArchiveStatus, LogArchive};
use server::version::{ARANGODB_VERSION, PERSEA_VERSION};
use server::{Server, ServerOptions};
use storage::MemoryBudget;
use tokio::signal::unix::{SignalKind, signal};

use crate::encryption::DataEncryption;
use crate::engine::EngineName;
use crate::failure::Failure;
use crate::options::{
    self as sections, SERVER, backup, cluster, crash_handler, database as store_section, follow, general,
    group, log as log_section, openid, query, rocksdb_encryption, server as server_section, ssl, tcp, traces,
    webhooks,
};
use crate::process::{PidFile, forbid_dumps, print, raise_descriptor_limit, restart};
use crate::service_manager::ServiceManager;
use crate::{crashes, endpoint, freed_memory, process_roles};

/// The exit code after a second request to stop.
const EXIT_IMPATIENT: i32 = 130;

/// Runs the server until it receives a request to stop.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let options = match sections::read(arguments, &|name| std::env::var(name).ok()) {
        Ok(Request::Run(options)) => options,
        Ok(Request::Print(text)) => {
            print(&text);
            return ExitCode::SUCCESS;
        }
        Err(mistake) => {
            eprintln!("persea: {mistake}");
            return ExitCode::from(mistake.exit_code());
        }
    };
    let served = match process_roles::take(&options) {
        Ok(Some(code)) => return code,
        Ok(None) => run_with(&options),
        Err(failure) => Err(failure),
    };
    match served {
        Ok(End::Stopped) => ExitCode::SUCCESS,
        Ok(End::Restart) => {
            let error = restart();
            eprintln!("persea: cannot restart: {error}");
            ExitCode::FAILURE
        }
        Err(failure) => {
            // On the standard error output, the message needs no form of the log.
            if !log_section::is_on_stderr(&options) {
                tracing::error!("{failure}");
            }
            eprintln!("persea: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// The wish of those who stopped the server.
enum End {
    Stopped,
    /// The process should start again with the same arguments.
    Restart,
}

fn run_with(options: &Options) -> Result<End, Failure> {
    let started = Instant::now();
    let budget = general::memory_budget(options);
    let addresses: Vec<Address> =
        options.get(&server_section::ENDPOINT).into_iter().map(endpoint::parse).collect::<Result<_, _>>()?;
    let tls = ssl::settings(options, &addresses)?;
    let traces = traces::settings(options)?;
    let webhooks = webhooks::settings(options)?;
    let issuers = openid::settings(options)?;
    let archive = backup::archive(options)?;
    let source = follow::source(options)?;
    let group = group::settings(options, store_section::data_folder(options))?;
    let log = log_section::open(options)?;
    if options.get(&general::CHECK_CONFIGURATION) {
        return Ok(End::Stopped);
    }
    for name in options.ignored() {
        let reason = SERVER.why_ignored(name).unwrap_or_default();
        tracing::warn!(target: "config", "--{name} has no effect: {reason}");
    }
    if rocksdb_encryption::is_on(options) {
        forbid_dumps();
    }
    let descriptors = check_descriptors(options)?;
    let pid_file = options.get(&general::PID_FILE).filter(|_| !process_roles::is_supervised());
    let _pid_file = pid_file.map(|path| PidFile::write(Path::new(path))).transpose()?;
    // The server takes its addresses first, because it should not open the data if it cannot
    // listen.
    let bound = take_addresses(&addresses, options)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let manager = Arc::new(ServiceManager::find());
    manager.answer_watchdog(runtime.handle());
    let (instance, encryption) = open(options, &budget, descriptors, (webhooks, source, group.is_some()))?;
    if options.get(&store_section::AUTO_UPGRADE) || options.get(&store_section::INIT_DATABASE) {
        instance.store().close()?;
        tracing::info!("the store is ready");
        return Ok(End::Stopped);
    }
    cluster::announce(options, &instance, &addresses)?;
    let server_options =
        server_section::settings(options, &log, &instance, &budget, descriptors, tls.as_ref())?;
    let mut server_options =
        backup::add(options, instance.store().engine().as_ref(), encryption.clone(), server_options)?;
    server_options.authentication.issuers = issuers;
    let tracer = traces.map(traces::start).transpose()?;
    let writes_wait = group.as_ref().is_some_and(|group| group.is_synchronous);
    let in_memory = instance.store().engine().name() == EngineName::Memory.text();
    let crash_dumps = crash_handler::dumps(options, in_memory);
    let archive_status = archive.is_some().then(Arc::<ArchiveStatus>::default);
    let master = encryption.as_ref().map(|encryption| encryption.master_key());
    let may_rotate = rocksdb_encryption::may_rotate(options);
    let encryption_keys = encryption.filter(|_| may_rotate).map(|keys| keys as Arc<dyn EncryptionKeys>);
    let server_options = ServerOptions {
        encryption_keys,
        tracer: tracer.clone(),
        log_archive: archive_status.clone(),
        crash_dumps: crash_dumps.clone(),
        writes_wait,
        ..server_options
    };
    let server = Server::new(Arc::clone(&instance), server_options)?;
    let log_file = log_section::first_file(options);
    let times = StopTimes { drain: cluster::drain_time(options), requests: STOP_TIMEOUT };
    let _running = crash_dumps.and_then(|dumps| crashes::watch(&dumps, &server, log_file.as_deref()));
    if let Some(group) = group {
        server.join_group(&GroupOptions { encryption: master.clone(), ..group })?;
    }
    let archive = archive.map(|archive| ArchiveOptions { encryption: master, ..archive });
    let archive = archive.zip(archive_status);
    let archive = archive.map(|(archive, status)| LogArchive::start(Arc::clone(&instance), archive, status));
    let archive = archive.transpose()?;
    freed_memory::return_all();
    freed_memory::watch(budget.limit_bytes)?;
    let backlog = u32::try_from(options.get(&tcp::BACKLOG_SIZE)).unwrap_or(u32::MAX);
    let listeners = bound.into_iter().map(|bound| bound.listen(backlog, tls.as_ref()));
    let listeners = listeners.collect::<Result<Vec<_>, _>>()?;
    let ended = runtime.block_on(async {
        watch_signals(&server, &log)?;
        let addresses: Vec<String> = addresses.iter().map(Address::to_string).collect();
        tracing::info!(
            target: "startup",
            "persea {PERSEA_VERSION} (compatible with ArangoDB {ARANGODB_VERSION}) is ready at {} after {} ms",
            addresses.join(", "),
            started.elapsed().as_millis()
        );
        manager.ready();
        tokio::spawn(report_stop(Arc::clone(&server), Arc::clone(&manager)));
        Arc::clone(&server).serve(listeners, times).await
    })?;
    if let Some(archive) = archive {
        archive.stop();
    }
    instance.stop();
    match instance.store().close() {
        // The store no longer has a part for this server. The last writer knows that it failed.
        Err(error) if instance.store().has_lost_lease() => tracing::warn!(target: "cluster", "{error}"),
        closed => closed?,
    }
    if let Some(tracer) = tracer {
        tracer.stop();
    }
    tracing::info!(target: "startup", "stopped{}", if ended { "" } else { "; some requests were interrupted" });
    Ok(if server.shutdown().is_restart() { End::Restart } else { End::Stopped })
}

/// Tells the service manager as soon as the server is asked to stop.
async fn report_stop(server: Arc<Server>, manager: Arc<ServiceManager>) {
    server.shutdown().requested().await;
    match server.shutdown().is_restart() {
        true => manager.restarting(),
        false => manager.stopping(),
    }
}

/// Opens the store, and creates the root user if there is none.
fn open(
    options: &Options,
    budget: &MemoryBudget,
    descriptors: u64,
    (webhooks, source, is_in_group): (WebhookOptions, Option<SourceOptions>, bool),
) -> Result<(Arc<Instance>, Option<Arc<DataEncryption>>), Failure> {
    let (engine, encryption) = general::open_engine(options, budget, descriptors)?;
    let master = encryption.as_ref().map(|encryption| encryption.master_key());
    let in_memory = engine.name() == EngineName::Memory.text();
    let instance = Instance::with_store_options(
        engine,
        store_section::store_options(options, budget, in_memory, master)?,
        store_section::instance_options(options, budget, webhooks, source, in_memory),
    )?;
    query::track(options, &instance);
    let password = store_section::root_password(options);
    let is_new = create_root(instance.store(), &password)?;
    match is_in_group {
        // It accepts writes once it leads.
        true => instance.store().set_following(true),
        false => database::follow::go_on(&instance)?,
    }
    if options.get(&server_section::AUTHENTICATION) && root_is_open(instance.store()) {
        warn_of_open_root(!is_new && !password.is_empty());
    }
    Ok((instance, encryption))
}

/// Warns that everybody can sign in as `root`.
///
/// `is_password_given`: the options name a password, which applies to new stores only.
fn warn_of_open_root(is_password_given: bool) {
    let given = match is_password_given {
        true => "; the given password has no effect, because the user is there already",
        false => "",
    };
    tracing::warn!(
        target: "authentication",
        "the user root HAS NO PASSWORD, so everybody can sign in and do everything{given}; set one in \
         `persea shell`: require(\"@arangodb/users\").replace(\"root\", \"PASSWORD\")"
    );
}

fn check_descriptors(options: &Options) -> Result<u64, Failure> {
    let descriptors = raise_descriptor_limit();
    let least = options.get(&server_section::DESCRIPTORS_MINIMUM);
    if descriptors < least {
        return Err(format!(
            "the process may open {descriptors} files and connections, --server.descriptors-minimum asks for {least}; \
             raise the limit (ulimit -n)"
        )
        .into());
    }
    Ok(descriptors)
}

fn take_addresses(addresses: &[Address], options: &Options) -> Result<Vec<Bound>, Failure> {
    let reuse = options.get(&tcp::REUSE_ADDRESS);
    let take = |address: &Address| {
        bind(address, reuse).map_err(|error| format!("cannot listen on {address}: {error}").into())
    };
    addresses.iter().map(take).collect()
}

/// Handles signals: SIGTERM and SIGINT stop the server, a second one immediately; SIGHUP reopens
/// the log's files; SIGXFSZ, of a file that exceeds a limit, has no effect.
fn watch_signals(server: &Arc<Server>, log: &Arc<Log>) -> Result<(), std::io::Error> {
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let mut signals = signal(kind)?;
        let server = Arc::clone(server);
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                if server.shutdown().is_requested() {
                    tracing::warn!(target: "startup", "stopping immediately");
                    std::process::exit(EXIT_IMPATIENT);
                }
                tracing::info!(target: "startup", "stopping");
                server.shutdown().request();
            }
        });
    }
    // A handler keeps the signal from ending the process: the write fails instead, with an error
    // that names the file.
    let _ = signal(SignalKind::from_raw(Signal::XFSZ.as_raw()))?;
    let mut signals = signal(SignalKind::hangup())?;
    let log = Arc::clone(log);
    tokio::spawn(async move {
        while signals.recv().await.is_some() {
            log.reopen();
        }
    });
    Ok(())
}
