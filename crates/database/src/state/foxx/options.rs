//! The configuration of services.

use std::path::PathBuf;
use std::time::Duration;

/// Limits and settings of services, from the configuration.
#[derive(Clone, Debug)]
pub struct FoxxOptions {
    /// True if services answer requests.
    pub is_enabled: bool,
    /// True if clients may install, list and configure services.
    pub has_api: bool,
    /// True if the source of a service may be a URL.
    pub allows_remote_sources: bool,
    /// True if the source of a service may be a path of the server.
    pub allows_paths: bool,
    /// True if jobs of queues run.
    pub runs_queues: bool,
    /// The time between two looks for jobs that are due.
    pub queue_poll_interval: Duration,
    /// True if the server answers no request before the files of all services are there.
    pub checks_at_start: bool,
    /// The folder of the files of services.
    pub folder: PathBuf,
    /// The limits of isolates.
    pub isolates: IsolateLimits,
}

/// The limits of the isolates in which services run.
#[derive(Clone, Copy, Debug)]
pub struct IsolateLimits {
    /// Maximum number of isolates.
    pub most: usize,
    /// The number of calls after which an isolate ends.
    pub calls: u64,
    /// The age at which an isolate ends.
    pub age: Duration,
    /// The time without calls after which an isolate ends.
    pub idle: Duration,
    /// Maximum size in bytes of the values in an isolate.
    pub heap_bytes: u64,
}

impl IsolateLimits {
    /// Returns the maximum number of isolates of one service. It leaves some to the others.
    pub fn most_of_one_service(&self) -> usize {
        (self.most - self.most / 4).max(1)
    }
}

impl Default for IsolateLimits {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        IsolateLimits {
            most: (2 * processors).max(8),
            calls: 100_000,
            age: Duration::from_secs(3_600),
            idle: Duration::from_secs(60),
            heap_bytes: 64 << 20,
        }
    }
}

impl Default for FoxxOptions {
    fn default() -> Self {
        FoxxOptions {
            is_enabled: true,
            has_api: true,
            allows_remote_sources: true,
            allows_paths: true,
            runs_queues: true,
            queue_poll_interval: Duration::from_secs(1),
            checks_at_start: false,
            folder: std::env::temp_dir().join("persea-apps"),
            isolates: IsolateLimits::default(),
        }
    }
}
