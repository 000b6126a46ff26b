//! The metrics of jobs, the log, the process and traces.

use std::sync::Arc;
use std::time::Instant;

use metrics::{Metric, Registry, Section};
use traces::Tracer;

use super::jobs::Jobs;
use super::log::Log;
use super::log_archive::{self, ArchiveStatus};
use super::machine::{self, Process, Processor};

/// The services whose metrics are registered.
pub(crate) struct Sources {
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) log: Arc<Log>,
    pub(crate) tracer: Option<Arc<Tracer>>,
    pub(crate) log_archive: Option<Arc<ArchiveStatus>>,
    /// The start of the server.
    pub(crate) started: Instant,
    pub(crate) memory_limit_bytes: u64,
}

const JOBS: &[Metric<Jobs>] =
    &[Metric::gauge("persea_async_jobs", "Number of async jobs that are pending or not fetched.", |jobs| {
        jobs.len().into()
    })];

const LOG: &[Metric<Log>] = &[
    Metric::counter("arangodb_logger_warnings_total", "Total number of warnings logged.", |log| {
        log.counts().0.into()
    }),
    Metric::counter("arangodb_logger_errors_total", "Total number of errors logged.", |log| {
        log.counts().1.into()
    }),
    Metric::counter(
        "arangodb_logger_messages_dropped_total",
        "Total number of log messages dropped because they could not be written.",
        |log| log.counts().2.into(),
    ),
];

/// The state of the process and its machine at one moment.
struct Usage {
    process: Process,
    processor: Processor,
    physical_memory_bytes: u64,
    uptime_seconds: f64,
    memory_limit_bytes: u64,
}

const PROCESS: &[Metric<Usage>] = &[
    Metric::gauge(
        "arangodb_process_statistics_minor_page_faults_total",
        "Total number of minor page faults, which need no disk access.",
        |usage| usage.process.minor_page_faults.into(),
    ),
    Metric::counter(
        "arangodb_process_statistics_major_page_faults_total",
        "Total number of major page faults, which need disk access.",
        |usage| usage.process.major_page_faults.into(),
    ),
    Metric::gauge(
        "arangodb_process_statistics_user_time",
        "CPU time of the process in user mode, in seconds.",
        |usage| usage.process.user_seconds.into(),
    ),
    Metric::gauge(
        "arangodb_process_statistics_system_time",
        "CPU time of the process in kernel mode, in seconds.",
        |usage| usage.process.system_seconds.into(),
    ),
    Metric::gauge(
        "arangodb_process_statistics_number_of_threads",
        "Number of threads of the process.",
        |usage| usage.process.threads.into(),
    ),
    Metric::gauge(
        "arangodb_process_statistics_resident_set_size",
        "Resident memory size of the process in bytes.",
        |usage| usage.process.resident_bytes.into(),
    ),
    Metric::gauge(
        "arangodb_process_statistics_resident_set_size_percent",
        "Resident memory size of the process as a share of the physical memory, from 0 to 1.",
        |usage| (usage.process.resident_bytes as f64 / usage.physical_memory_bytes.max(1) as f64).into(),
    ),
    Metric::gauge(
        "arangodb_process_statistics_virtual_memory_size",
        "Virtual memory size of the process in bytes.",
        |usage| usage.process.virtual_bytes.into(),
    ),
    Metric::gauge("arangodb_file_descriptors_current", "Number of open file descriptors.", |usage| {
        usage.process.file_descriptors.into()
    }),
    Metric::gauge("arangodb_file_descriptors_limit", "Maximum number of open file descriptors.", |usage| {
        usage.process.file_descriptors_limit.into()
    }),
    Metric::gauge(
        "arangodb_server_statistics_physical_memory",
        "Physical memory of the machine in bytes.",
        |usage| usage.physical_memory_bytes.into(),
    ),
    Metric::gauge(
        "arangodb_server_statistics_effective_physical_memory",
        "Memory available to the process in bytes.",
        |_| machine::available_memory_bytes().into(),
    ),
    Metric::gauge("arangodb_server_statistics_cpu_cores", "Number of CPU cores of the machine.", |_| {
        machine::all_cores().into()
    }),
    Metric::gauge(
        "arangodb_server_statistics_effective_cpu_cores",
        "Number of CPU cores available to the process, including limits of its control group.",
        |_| machine::cores().into(),
    ),
    Metric::gauge(
        "arangodb_server_statistics_user_percent",
        "Percentage of the machine's CPU time in user mode.",
        |usage| usage.processor.user_percent.into(),
    ),
    Metric::gauge(
        "arangodb_server_statistics_system_percent",
        "Percentage of the machine's CPU time in kernel mode.",
        |usage| usage.processor.system_percent.into(),
    ),
    Metric::gauge(
        "arangodb_server_statistics_idle_percent",
        "Percentage of the machine's CPU time spent idle.",
        |usage| usage.processor.idle_percent.into(),
    ),
    Metric::gauge(
        "arangodb_server_statistics_iowait_percent",
        "Percentage of the machine's CPU time spent waiting for I/O.",
        |usage| usage.processor.wait_percent.into(),
    ),
    Metric::counter(
        "arangodb_server_statistics_server_uptime_total",
        "Time since the start of the server in seconds.",
        |usage| usage.uptime_seconds.into(),
    ),
    Metric::gauge("persea_memory_limit_bytes", "Memory limit of the whole process in bytes.", |usage| {
        usage.memory_limit_bytes.into()
    }),
];

const TRACES: &[Metric<traces::Statistics>] = &[
    Metric::counter(
        "persea_traces_exported_spans_total",
        "Total number of spans accepted by the collector.",
        |traces| traces.exported.into(),
    ),
    Metric::counter(
        "persea_traces_dropped_spans_total",
        "Total number of spans dropped, mostly because the queue was full.",
        |traces| traces.dropped.into(),
    ),
    Metric::counter(
        "persea_traces_failed_exports_total",
        "Total number of failed requests to the collector.",
        |traces| traces.failures.into(),
    ),
];

/// Registers the metrics of the services.
pub(crate) fn register(registry: &Registry, sources: Sources) {
    let Sources { jobs, log, tracer, log_archive, started, memory_limit_bytes } = sources;
    registry.register(Section::Scheduler, JOBS, &jobs);
    registry.register(Section::Scheduler, LOG, &log);
    registry.register_reading(Section::Process, PROCESS, move || Usage {
        process: Process::now(),
        processor: Processor::now(),
        physical_memory_bytes: machine::physical_memory_bytes(),
        uptime_seconds: started.elapsed().as_secs_f64(),
        memory_limit_bytes,
    });
    if let Some(archive) = log_archive {
        registry.register(Section::Changes, log_archive::METRICS, &archive);
    }
    if let Some(tracer) = tracer {
        registry.register_reading(Section::Traces, TRACES, move || tracer.statistics());
    }
}
