//! The process under attack: its memory and processor time.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Ticks a second of the times in `/proc/PID/stat`: a constant of Linux's interface.
const TICKS_PER_SECOND: f64 = 100.0;

/// The beginnings of the names of threads that compact the store, which is nobody's request.
const COMPACTION: [&str; 2] = ["rocksdb", "merge"];

/// The number of a process, and what the kernel says about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    id: u32,
}

/// Memory of a process in bytes, with mapped files.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    /// `VmRSS`.
    pub(crate) resident: u64,
    /// `VmHWM`: the largest `VmRSS` since the last [`Process::forget_peak`].
    pub(crate) peak: u64,
}

impl Process {
    /// Returns the process with this number.
    pub(crate) fn new(id: u32) -> Self {
        Process { id }
    }

    /// Returns the memory of the process; `None` when it has ended.
    pub(crate) fn memory(self) -> Option<Memory> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id)).ok()?;
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
        };
        Some(Memory { resident: bytes("VmRSS:")?, peak: bytes("VmHWM:")? })
    }

    /// Begins a new peak of memory.
    pub(crate) fn forget_peak(self) {
        // Value 5 of proc(5). Errors: the process has ended.
        let _ = std::fs::write(format!("/proc/{}/clear_refs", self.id), "5");
    }

    /// Returns the processor time by now of all threads but those that compact the store, by the
    /// threads' numbers, and their names; nothing when the process has ended.
    pub(crate) fn processor_times(self) -> HashMap<OsString, (String, Duration)> {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.id)).into_iter().flatten().flatten();
        let times = threads
            .filter_map(|thread| Some((thread.file_name(), processor_time(&thread.path().join("stat"))?)));
        times.filter(|(_, (name, _))| !COMPACTION.iter().any(|known| name.starts_with(known))).collect()
    }

    /// Kills the process from a thread that does not own it.
    pub(crate) fn kill(self) {
        if let Some(id) = i32::try_from(self.id).ok().and_then(Pid::from_raw) {
            // Errors: it has ended already.
            let _ = kill_process(id, Signal::KILL);
        }
    }
}

/// Returns a thread's name and processor time.
fn processor_time(stat: &Path) -> Option<(String, Duration)> {
    let stat = std::fs::read_to_string(stat).ok()?;
    // The name in parentheses may hold blanks. Fields 14 and 15 are 11 and 12 after it.
    let (before, after) = stat.rsplit_once(')')?;
    let name = before.split_once('(')?.1.to_owned();
    let fields: Vec<&str> = after.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some((name, Duration::from_secs_f64(ticks as f64 / TICKS_PER_SECOND)))
}
