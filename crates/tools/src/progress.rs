//! The progress of a tool: a bar with rate and time left on a terminal, otherwise an occasional
//! line.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::Console;

/// The time between two updates of a bar.
const BAR_PAUSE: Duration = Duration::from_millis(200);

/// The time between two lines without a terminal.
const LINE_PAUSE: Duration = Duration::from_secs(10);

/// The columns of a terminal that does not report its width.
const DEFAULT_COLUMNS: usize = 80;

/// The minimum width of the line in columns.
const MIN_COLUMNS: usize = 20;

/// The width of the widest bar, and of the narrowest that is drawn.
const MAX_BAR: usize = 40;
const MIN_BAR: usize = 5;

/// The unit of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes, shown as kB, MB, ...
    Bytes,
    /// Items with a name in the plural, such as documents.
    Items(&'static str),
}

/// The display of a progress, until it is dropped.
#[derive(Debug)]
pub struct Progress {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    console: Console,
    label: String,
    unit: Unit,
    done: AtomicU64,
    /// The total; 0 if it is unknown.
    total: AtomicU64,
    begin: Instant,
    has_bar: bool,
    /// The flag of the end, and its signal.
    ended: (Mutex<bool>, Condvar),
}

impl Progress {
    /// Begins to show the progress of `label`; with `is_shown` false it only counts.
    ///
    /// `total` may be unknown.
    pub fn new(console: &Console, is_shown: bool, label: &str, unit: Unit, total: Option<u64>) -> Self {
        let shared = Arc::new(Shared {
            console: console.clone(),
            label: label.to_owned(),
            unit,
            done: AtomicU64::new(0),
            total: AtomicU64::new(total.unwrap_or(0)),
            begin: Instant::now(),
            has_bar: std::io::stderr().is_terminal(),
            ended: (Mutex::new(false), Condvar::new()),
        });
        let shown = Arc::clone(&shared);
        let thread = is_shown.then(|| std::thread::spawn(move || shown.show()));
        Progress { shared, thread }
    }

    /// Adds to the number of items done.
    pub fn add(&self, count: u64) {
        self.shared.done.fetch_add(count, Ordering::Relaxed);
    }

    /// Adds to the total.
    pub fn add_total(&self, count: u64) {
        self.shared.total.fetch_add(count, Ordering::Relaxed);
    }

    /// Returns the number of items done.
    pub fn done(&self) -> u64 {
        self.shared.done.load(Ordering::Relaxed)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let (has_ended, waiting) = &self.shared.ended;
        // Under the lock: a thread between its check and its wait would miss the notification.
        *has_ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        waiting.notify_all();
        if let Some(thread) = self.thread.take() {
            // The thread only draws.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn show(&self) {
        let pause = if self.has_bar { BAR_PAUSE } else { LINE_PAUSE };
        let (has_ended, waiting) = &self.ended;
        let mut guard = has_ended.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let waited = waiting.wait_timeout_while(guard, pause, |has_ended| !*has_ended);
            guard = waited.unwrap_or_else(PoisonError::into_inner).0;
            if *guard {
                break;
            }
            let state = self.state();
            if self.has_bar {
                self.console.set_status(&state.bar(&self.label, columns()));
            } else {
                self.console.info(&state.line(&self.label));
            }
        }
        if self.has_bar {
            self.console.set_status("");
        }
    }

    fn state(&self) -> State {
        State {
            unit: self.unit,
            done: self.done.load(Ordering::Relaxed),
            total: Some(self.total.load(Ordering::Relaxed)).filter(|total| *total > 0),
            elapsed: self.begin.elapsed(),
        }
    }
}

fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    let columns = size.map_or(0, |size| usize::from(size.ws_col));
    if columns == 0 { DEFAULT_COLUMNS } else { columns.max(MIN_COLUMNS) }
}

/// The progress at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub(crate) unit: Unit,
    pub(crate) done: u64,
    pub(crate) total: Option<u64>,
    pub(crate) elapsed: Duration,
}

impl State {
    fn per_second(&self) -> f64 {
        self.done as f64 / self.elapsed.as_secs_f64().max(0.001)
    }

    /// Returns the share from 0 to 1, even if a growing file exceeds its total.
    fn share(&self) -> Option<f64> {
        self.total.map(|total| (self.done as f64 / total as f64).min(1.0))
    }

    fn left(&self) -> Option<Duration> {
        let left = self.total?.saturating_sub(self.done) as f64 / self.per_second();
        (left < 1e7).then(|| Duration::from_secs_f64(left))
    }

    fn amounts(&self) -> String {
        let done = amount(self.unit, self.done as f64);
        let of = self.total.map(|total| format!(" of {}", amount(self.unit, total as f64)));
        let rate = amount(self.unit, self.per_second());
        format!("{done}{}, {rate}/s", of.unwrap_or_default())
    }

    /// Returns the text for a terminal of this many columns.
    pub(crate) fn bar(&self, label: &str, columns: usize) -> String {
        let time = match self.left() {
            Some(left) => format!("{} left", clock(left)),
            None => clock(self.elapsed),
        };
        let percent = self.share().map(|share| format!("{:3.0} % ", share * 100.0)).unwrap_or_default();
        let begin = format!("{label} ");
        let end = format!("{percent}{}, {time}", self.amounts());
        let room = columns.saturating_sub(begin.chars().count() + end.chars().count() + 4).min(MAX_BAR);
        let line = match self.share().filter(|_| room >= MIN_BAR) {
            Some(share) => {
                let full = (share * room as f64) as usize;
                format!("{begin}[{}{}] {end}", "=".repeat(full), " ".repeat(room - full.min(room)))
            }
            None => format!("{begin}{end}"),
        };
        line.chars().take(columns.saturating_sub(1)).collect()
    }

    /// Returns the text for one of several lines.
    pub(crate) fn line(&self, label: &str) -> String {
        let percent = self.share().map(|share| format!("{:.0} %, ", share * 100.0)).unwrap_or_default();
        let left = self.left().map(|left| format!(", {} left", clock(left))).unwrap_or_default();
        format!("{label}: {percent}{}{left}", self.amounts())
    }
}

fn amount(unit: Unit, count: f64) -> String {
    match unit {
        Unit::Items(name) => format!("{} {name}", scaled(count, "")),
        Unit::Bytes => scaled(count, "B"),
    }
}

/// Returns a number with at most four digits and a power of thousand.
fn scaled(count: f64, unit: &str) -> String {
    let steps = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match steps.iter().find(|(factor, _)| count >= 10.0 * factor || !unit.is_empty() && count >= *factor) {
        Some((factor, prefix)) => format!("{:.1} {prefix}{unit}", count / factor).trim_end().to_owned(),
        None => format!("{count:.0} {unit}").trim_end().to_owned(),
    }
}

/// Returns `1:23` or `1:02:03`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A task that ends before its thread first waits does not wait until a line is due.
    #[test]
    fn the_end_is_never_missed() {
        let begin = Instant::now();
        for _ in 0..500 {
            drop(Progress::new(&Console::plain(), true, "test", Unit::Bytes, None));
        }
        assert!(begin.elapsed() < LINE_PAUSE, "{:?}", begin.elapsed());
    }
}
