//! The watch over the server's memory, which ends the server before the machine suffers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use harness::Process;

/// Time between two checks.
const PERIOD: Duration = Duration::from_millis(20);

/// A server that takes this many times its limit is killed.
const KILL_FACTOR: u64 = 3;

/// The watch over a process.
#[derive(Debug)]
pub(crate) struct Watch {
    process: Mutex<Process>,
    limit: u64,
    peak: AtomicU64,
    highest_peak: AtomicU64,
    has_killed: AtomicBool,
    is_over: AtomicBool,
}

impl Watch {
    pub(crate) fn new(process: Process, limit: u64) -> Self {
        Watch {
            process: Mutex::new(process),
            limit,
            peak: AtomicU64::new(0),
            highest_peak: AtomicU64::new(0),
            has_killed: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        }
    }

    /// Looks until [`Watch::end`]. Calls `warn` before it kills the process.
    pub(crate) fn run(&self, warn: impl Fn()) {
        while !self.is_over.load(Ordering::Relaxed) {
            let resident = self.look();
            if resident > self.limit * KILL_FACTOR && !self.has_killed.swap(true, Ordering::Relaxed) {
                warn();
                self.process().kill();
            }
            // The watch looks every so often.
            std::thread::sleep(PERIOD);
        }
    }

    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Returns the resident memory in bytes.
    fn look(&self) -> u64 {
        let memory = self.process().memory().unwrap_or_default();
        let peak = memory.peak.max(memory.resident);
        self.peak.fetch_max(peak, Ordering::Relaxed);
        self.highest_peak.fetch_max(peak, Ordering::Relaxed);
        memory.resident
    }

    /// Begins a new peak, for a new case.
    pub(crate) fn forget_peak(&self) {
        self.process().forget_peak();
        self.peak.store(0, Ordering::Relaxed);
    }

    /// Returns the largest memory since the last [`Watch::forget_peak`], in bytes.
    pub(crate) fn peak(&self) -> u64 {
        self.look();
        self.peak.load(Ordering::Relaxed)
    }

    /// Returns the largest memory of the whole run, in bytes.
    pub(crate) fn highest_peak(&self) -> u64 {
        self.highest_peak.load(Ordering::Relaxed)
    }

    /// Returns true if the watch has killed the process.
    pub(crate) fn has_killed(&self) -> bool {
        self.has_killed.load(Ordering::Relaxed)
    }

    /// Continues with the process of a restarted server.
    pub(crate) fn follow(&self, process: Process) {
        *self.process.lock().unwrap_or_else(PoisonError::into_inner) = process;
        self.has_killed.store(false, Ordering::Relaxed);
    }

    pub(crate) fn process(&self) -> Process {
        *self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
