//! Dumps of crashes: of panics in this process, and of an earlier one that did not end in order.
//!
//! A thread that panics may hold any lock. So it only hands its backtrace to a thread that writes
//! dumps, which describes the rest of the server once the locks are free. A process that a signal
//! ends writes nothing itself: the next start finds its note, and what its log file says.

use std::backtrace::Backtrace;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use server::Server;
use server::service::crashes::{CrashDumps, DumpFile, KEPT, Running};

/// Time that the main thread waits for its dump, because the process ends with it.
const LAST_DUMP_TIMEOUT: Duration = Duration::from_secs(5);

/// The bytes at the end of the log file that a dump contains.
const LOG_TAIL_BYTES: u64 = 256 << 10;

/// The name of the thread whose end ends the process.
const MAIN_THREAD: &str = "main";

/// The contents of a dump's backtrace if there is none.
const NO_BACKTRACE: &str = "There is no backtrace. The process did not stop in order: a signal ended it, \
    such as one for a fault or for a lack of memory, or the machine went down. system_info.txt has the \
    state at its start, log.txt the last lines of its log file.\n";

/// Begins to write dumps. The server runs in order until the value is dropped.
///
/// Writes a dump for an earlier process that did not end in order. The server starts also if its
/// folder cannot be written, and the log says that it writes no dumps.
pub(crate) fn watch(
    dumps: &Arc<CrashDumps>,
    server: &Arc<Server>,
    log_file: Option<&Path>,
) -> Option<Running> {
    let unusable = |error: &io::Error| tracing::warn!(target: "crash", "no crash dumps are written: {error}");
    begin(dumps, server, log_file).inspect_err(unusable).ok()
}

fn begin(dumps: &Arc<CrashDumps>, server: &Arc<Server>, log_file: Option<&Path>) -> io::Result<Running> {
    let (running, earlier) = dumps.begin(&server::system_info())?;
    if let Some(earlier) = earlier {
        let dump = dumps.write(&[
            ("backtrace.txt".to_owned(), NO_BACKTRACE.to_owned()),
            ("system_info.txt".to_owned(), earlier),
            ("log.txt".to_owned(), log_file.and_then(|path| tail(path).ok()).unwrap_or_default()),
        ])?;
        tracing::warn!(target: "crash", "the server did not stop in order the last time: crash dump {dump}");
    }
    dumps.shorten()?;
    let server: Weak<Server> = Arc::downgrade(server);
    let diagnosis = move || server.upgrade().map(|server| server.diagnosis()).unwrap_or_default();
    Reporter::start(Arc::clone(dumps), diagnosis)?.install();
    Ok(running)
}

/// Returns the end of a text file.
fn tail(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(LOG_TAIL_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A panic that needs a dump.
struct Report {
    text: String,
    /// Is told once the dump is written.
    written: SyncSender<()>,
}

/// Hands panics to the thread that writes dumps.
struct Reporter {
    reports: SyncSender<Report>,
    /// The number of panics so far. A process writes no more dumps than are kept.
    panics: AtomicUsize,
}

impl Reporter {
    /// Starts the thread. `diagnosis` returns the files that describe the server.
    fn start(
        dumps: Arc<CrashDumps>,
        diagnosis: impl Fn() -> Vec<DumpFile> + Send + 'static,
    ) -> io::Result<Self> {
        let (reports, received) = sync_channel(KEPT);
        let write = move || write_all(&received, &dumps, &diagnosis);
        std::thread::Builder::new().name("crash-dumps".to_owned()).spawn(write)?;
        Ok(Reporter { reports, panics: AtomicUsize::new(0) })
    }

    /// Reports the panics of all threads, besides the message that each prints. Those that only
    /// say that a client's stream is not valid are neither printed nor reported.
    fn install(self) {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if server::panics_are_errors() {
                return;
            }
            print(panic);
            self.report(panic, Backtrace::force_capture);
        }));
    }

    fn report<T: Display>(&self, panic: &impl Display, backtrace: impl FnOnce() -> T) {
        if self.panics.fetch_add(1, Ordering::Relaxed) >= KEPT {
            return;
        }
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("without a name");
        let text = format!("thread: {name}\n{panic}\n\n{}", backtrace());
        let (written, is_written) = sync_channel(1);
        let sent = self.reports.try_send(Report { text, written });
        if sent.is_ok() && name == MAIN_THREAD {
            // Late or not, the process ends.
            let _ = is_written.recv_timeout(LAST_DUMP_TIMEOUT);
        }
    }
}

fn write_all(reports: &Receiver<Report>, dumps: &CrashDumps, diagnosis: &dyn Fn() -> Vec<DumpFile>) {
    while let Ok(report) = reports.recv() {
        let mut files = vec![("backtrace.txt".to_owned(), report.text)];
        files.extend(diagnosis());
        match dumps.write(&files) {
            Ok(dump) => tracing::error!(target: "crash", "a thread panicked: crash dump {dump}"),
            Err(error) => tracing::error!(target: "crash", "a crash dump cannot be written: {error}"),
        }
        // Only the main thread waits.
        let _ = report.written.try_send(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A real backtrace takes memory, which another test of this process measures.
    #[test]
    fn a_panic_leaves_a_dump_with_its_backtrace_and_the_state() {
        let data = tempfile::tempdir().unwrap();
        let dumps = Arc::new(CrashDumps::in_data_folder(data.path()));
        let state = || vec![("Activities.json".to_owned(), "{}".to_owned())];
        let reporter = Reporter::start(Arc::clone(&dumps), state).unwrap();
        let doomed = std::thread::Builder::new().name("doomed".to_owned());
        std::thread::scope(|scope| {
            let report = || reporter.report(&"panicked: this is the end", || "at main.rs");
            doomed.spawn_scoped(scope, report).unwrap();
        });
        harness::wait_until("no dump is written", || !dumps.list().unwrap().is_empty()).unwrap();
        let files = dumps.read(&dumps.list().unwrap()[0]).unwrap().unwrap();
        assert_eq!(files[0], ("Activities.json".to_owned(), "{}".to_owned()));
        let (name, text) = &files[1];
        assert_eq!(name, "backtrace.txt");
        assert_eq!(text, "thread: doomed\npanicked: this is the end\n\nat main.rs");
    }

    #[test]
    fn a_process_writes_no_more_dumps_than_are_kept() {
        let (reports, received) = sync_channel(2 * KEPT);
        let reporter = Reporter { reports, panics: AtomicUsize::new(0) };
        (0..2 * KEPT).for_each(|_| reporter.report(&"again", || ""));
        assert_eq!(received.try_iter().count(), KEPT);
    }

    #[test]
    fn the_end_of_a_long_file_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, format!("{}end", "x".repeat(LOG_TAIL_BYTES as usize))).unwrap();
        let text = tail(&path).unwrap();
        assert_eq!(text.len() as u64, LOG_TAIL_BYTES);
        assert!(text.ends_with("xend"));
    }
}
