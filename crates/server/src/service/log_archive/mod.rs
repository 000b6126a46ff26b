//! The archive of the change log: a thread copies the log into a repository of backups, so that a
//! backup and the log behind it restore to any moment.
//!
//! [`archiver`] makes one pass over the log after another. A repository that fails is tried again
//! after growing pauses. Writers never wait for the archive: the log is kept for it, and beyond its
//! limits a part is missing, which is reported as a gap.

mod archiver;
mod status;

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use backups::Location;
use database::Instance;
use encryption::MasterKey;
use errors::{Error, ErrorCode, Result};

use self::archiver::{Archiver, Outcome};

pub use status::ArchiveStatus;
pub(crate) use status::METRICS;

/// The first and the longest pause after a failure.
const PAUSE_MIN: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// The options of the archive.
#[derive(Clone, Debug)]
pub struct ArchiveOptions {
    /// The repository.
    pub location: Location,
    /// The time between two passes.
    pub interval: Duration,
    /// The key of the segments, if the data of the server is encrypted.
    pub encryption: Option<Arc<MasterKey>>,
}

/// The thread that archives the log. It ends with [`LogArchive::stop`].
#[derive(Debug)]
pub struct LogArchive {
    stop: Arc<Stop>,
    thread: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Stop {
    is_asked: Mutex<bool>,
    asked: Condvar,
}

impl Stop {
    fn ask(&self) {
        *self.is_asked.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.asked.notify_all();
    }

    /// Waits until the thread must end, or for a time. Returns true if it must end.
    fn wait(&self, time: Duration) -> bool {
        let is_asked = self.is_asked.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.asked.wait_timeout_while(is_asked, time, |is_asked| !*is_asked);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl LogArchive {
    /// Starts the thread.
    ///
    /// Errors: 7 if no thread can be started, 4 without random numbers.
    pub fn start(
        instance: Arc<Instance>,
        options: ArchiveOptions,
        status: Arc<ArchiveStatus>,
    ) -> Result<Self> {
        let stop = Arc::<Stop>::default();
        let asked = Arc::clone(&stop);
        let interval = options.interval;
        let mut archiver = Archiver::new(instance, options, status)?;
        let run = move || run(&mut archiver, interval, &asked);
        let thread = std::thread::Builder::new().name("log-archive".to_owned()).spawn(run);
        let thread = thread.map_err(|error| {
            Error::new(ErrorCode::IllegalOption, format!("cannot start a thread: {error}"))
        })?;
        Ok(LogArchive { stop, thread })
    }

    /// Archives the rest of the log, unless the repository fails, and ends the thread. The store
    /// must still be open.
    pub fn stop(self) {
        self.stop.ask();
        // It has reported what it could not archive.
        let _ = self.thread.join();
    }
}

fn run(archiver: &mut Archiver, interval: Duration, stop: &Stop) {
    let mut pause = PAUSE_MIN;
    loop {
        let outcome = archiver.pass(false);
        let time = match &outcome {
            Ok(Outcome::Archived) => {
                pause = PAUSE_MIN;
                interval
            }
            Ok(Outcome::Replaced) => return,
            Err(error) => {
                tracing::warn!(
                    target: "backup",
                    "cannot archive the change log, trying again in {} s: {error}", pause.as_secs()
                );
                let time = pause;
                pause = (pause * 2).min(PAUSE_MAX);
                time
            }
        };
        if stop.wait(time) {
            if outcome.is_ok()
                && let Err(error) = archiver.pass(true)
            {
                tracing::warn!(target: "backup", "cannot archive the end of the change log: {error}");
            }
            return;
        }
    }
}
