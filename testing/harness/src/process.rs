//! A process of this machine: its memory and processor time, and signals to it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// The time of a tick in `/proc/PID/stat`: a constant of Linux's interface.
const TICK: Duration = Duration::from_millis(10);

/// Fields 14 to 17 of `/proc/PID/stat`, counted from the one after the name: user and system time
/// of the process, and the same of its children that have ended.
const OWN_TICKS: [usize; 2] = [11, 12];
const CHILDREN_TICKS: [usize; 2] = [13, 14];

/// The number of a process, and what the kernel says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    id: u32,
}

/// Memory of a process in bytes, with mapped files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// `VmRSS`.
    pub resident: u64,
    /// `VmHWM`: the largest `VmRSS` since the last [`Process::forget_peak`].
    pub peak: u64,
}

impl Process {
    /// Returns the process with this number.
    pub fn new(id: u32) -> Self {
        Process { id }
    }

    /// Returns this process.
    pub fn this() -> Self {
        Process { id: std::process::id() }
    }

    /// Returns the number.
    pub fn id(self) -> u32 {
        self.id
    }

    /// Returns true if the process has ended. A process whose parent is gone may remain as a zombie
    /// until somebody reaps it.
    pub fn has_ended(self) -> bool {
        self.read("status").is_none_or(|status| status.contains("State:\tZ"))
    }

    /// Returns the memory of the process; `None` when it has ended.
    pub fn memory(self) -> Option<Memory> {
        let status = self.read("status")?;
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
        };
        Some(Memory { resident: bytes("VmRSS:")?, peak: bytes("VmHWM:")? })
    }

    /// Begins a new peak of memory.
    pub fn forget_peak(self) {
        // Value 5 of proc(5). Errors: the process has ended.
        let _ = std::fs::write(format!("/proc/{}/clear_refs", self.id), "5");
    }

    /// Returns the processor time by now, user and system; zero when the process has ended.
    pub fn cpu_time(self) -> Duration {
        self.ticks(&OWN_TICKS)
    }

    /// Returns the processor time of the process and of those of its children that have ended.
    pub fn cpu_time_with_children(self) -> Duration {
        self.ticks(&OWN_TICKS) + self.ticks(&CHILDREN_TICKS)
    }

    /// Returns the processor time of the threads that the process has now, to the nanosecond.
    pub fn cpu_time_of_threads(self) -> Duration {
        let times = self.threads().map(|thread| {
            let stat = std::fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
            stat.split_whitespace().next().and_then(|time| time.parse().ok()).unwrap_or(0)
        });
        Duration::from_nanos(times.sum())
    }

    /// Returns the name and the processor time so far of each thread, by its number; nothing if the
    /// process has ended.
    pub fn threads_by_number(self) -> HashMap<OsString, (String, Duration)> {
        let read = |folder: &Path| {
            let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
            let (before, fields) = stat.rsplit_once(')')?;
            Some((before.split_once('(')?.1.to_owned(), sum_of_ticks(fields, &OWN_TICKS)))
        };
        self.threads().filter_map(|thread| Some((thread.file_name(), read(&thread.path())?))).collect()
    }

    /// Asks the process to end.
    pub fn terminate(self) {
        self.signal(Signal::TERM);
    }

    /// Ends the process as a crash would.
    pub fn kill(self) {
        self.signal(Signal::KILL);
    }

    /// Stops the process for a while, as a virtual machine that is suspended.
    pub fn pause(self) {
        self.signal(Signal::STOP);
    }

    /// Lets the process go on after [`Process::pause`].
    pub fn resume(self) {
        self.signal(Signal::CONT);
    }

    fn signal(self, signal: Signal) {
        if let Some(id) = i32::try_from(self.id).ok().and_then(Pid::from_raw) {
            // Errors: it has ended already.
            let _ = kill_process(id, signal);
        }
    }

    fn ticks(self, fields_after_name: &[usize]) -> Duration {
        let stat = self.read("stat").unwrap_or_default();
        // The name in brackets may contain blanks.
        sum_of_ticks(stat.rsplit(')').next().unwrap_or_default(), fields_after_name)
    }

    fn read(self, file: &str) -> Option<String> {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.id)).ok()
    }

    fn threads(self) -> impl Iterator<Item = std::fs::DirEntry> {
        std::fs::read_dir(format!("/proc/{}/task", self.id)).into_iter().flatten().flatten()
    }
}

/// Returns the sum of some of the fields after the name in `stat`.
fn sum_of_ticks(fields: &str, wanted: &[usize]) -> Duration {
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks: u32 = wanted.iter().filter_map(|at| fields.get(*at)?.parse::<u32>().ok()).sum();
    TICK * ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_process_has_memory_time_and_threads() {
        let this = Process::this();
        assert!(!this.has_ended());
        assert!(this.memory().is_some_and(|memory| memory.resident > 0 && memory.peak >= memory.resident));
        // This thread computes until whole ticks are counted. The kernel rounds the times in user
        // mode and in the kernel down, each on its own, for the process and for each thread.
        let is_counted = || {
            let of_threads = this.threads_by_number();
            !this.cpu_time().is_zero() && of_threads.values().any(|(_, time)| !time.is_zero())
        };
        while !is_counted() {}
        assert!(this.cpu_time_of_threads() > Duration::ZERO);
    }
}
