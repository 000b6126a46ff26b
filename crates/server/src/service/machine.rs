//! Statistics of the process and the machine from Linux's `/proc` and control groups. A value that
//! cannot be read is 0.

use std::fs;
use std::path::Path;

/// Linux counts CPU time for `/proc` in hundredths of a second on every architecture.
const TICKS_PER_SECOND: f64 = 100.0;

/// The resources that the process uses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Process {
    /// Page faults without disk access.
    pub minor_page_faults: u64,
    /// Page faults with disk access.
    pub major_page_faults: u64,
    /// Seconds of CPU time in user mode.
    pub user_seconds: f64,
    /// Seconds of CPU time in the kernel.
    pub system_seconds: f64,
    /// Number of threads.
    pub threads: u64,
    /// Resident memory.
    pub resident_bytes: u64,
    /// Virtual memory.
    pub virtual_bytes: u64,
    /// Open file descriptors.
    pub file_descriptors: u64,
    /// Limit of open file descriptors.
    pub file_descriptors_limit: u64,
}

impl Process {
    /// Returns the present state of this process.
    pub fn now() -> Self {
        let mut process = Self::from_stat(&read("/proc/self/stat"));
        let status = read("/proc/self/status");
        process.resident_bytes = kilobytes(&status, "VmRSS:");
        process.virtual_bytes = kilobytes(&status, "VmSize:");
        process.file_descriptors = fs::read_dir("/proc/self/fd").map_or(0, |files| files.count() as u64);
        process.file_descriptors_limit = open_files_limit(&read("/proc/self/limits"));
        process
    }

    /// Parses `/proc/self/stat` by `man 5 proc`: the name of the program in parentheses, then
    /// numbers.
    fn from_stat(stat: &str) -> Self {
        let numbers = stat.rsplit_once(')').map_or("", |(_, numbers)| numbers);
        let fields: Vec<u64> =
            numbers.split_ascii_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
        // Field 3 of the manual is the first one after the name.
        let field = |number: usize| fields.get(number - 3).copied().unwrap_or(0);
        Process {
            minor_page_faults: field(10),
            major_page_faults: field(12),
            user_seconds: field(14) as f64 / TICKS_PER_SECOND,
            system_seconds: field(15) as f64 / TICKS_PER_SECOND,
            threads: field(20),
            ..Process::default()
        }
    }
}

/// Shares of the machine's CPU time since its start, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Processor {
    /// User mode.
    pub user_percent: f64,
    /// The kernel.
    pub system_percent: f64,
    /// Idle.
    pub idle_percent: f64,
    /// Waiting for a disk.
    pub wait_percent: f64,
}

impl Processor {
    /// Returns the present state of the machine.
    pub fn now() -> Self {
        Self::from_stat(&read("/proc/stat"))
    }

    fn from_stat(stat: &str) -> Self {
        let line = stat.lines().find_map(|line| line.strip_prefix("cpu ")).unwrap_or_default();
        let ticks: Vec<f64> =
            line.split_ascii_whitespace().map(|field| field.parse().unwrap_or(0.0)).collect();
        let all: f64 = ticks.iter().sum();
        let share = |fields: &[usize]| {
            let sum: f64 = fields.iter().filter_map(|field| ticks.get(*field)).sum();
            if all > 0.0 { 100.0 * sum / all } else { 0.0 }
        };
        Processor {
            user_percent: share(&[0, 1]),
            system_percent: share(&[2, 5, 6]),
            idle_percent: share(&[3]),
            wait_percent: share(&[4]),
        }
    }
}

/// Returns the memory of the machine.
pub fn physical_memory_bytes() -> u64 {
    kilobytes(&read("/proc/meminfo"), "MemTotal:")
}

/// Returns the memory that this process may use: the machine's, or the limit of its control group
/// if that is lower.
pub fn available_memory_bytes() -> u64 {
    let machine = physical_memory_bytes();
    match control_group_memory_bytes() {
        Some(limit) if machine == 0 => limit,
        Some(limit) => limit.min(machine),
        None => machine,
    }
}

/// Returns the lowest limit of this process's control group and its ancestors (version 2, then 1).
fn control_group_memory_bytes() -> Option<u64> {
    let own = read("/proc/self/cgroup");
    let group = own.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/");
    let folder = Path::new("/sys/fs/cgroup").join(group.trim_start_matches('/'));
    let limits = folder.ancestors().take_while(|folder| folder.starts_with("/sys/fs/cgroup"));
    let second = limits.filter_map(|folder| number_in(&folder.join("memory.max"))).min();
    second.or_else(|| number_in(Path::new("/sys/fs/cgroup/memory/memory.limit_in_bytes")))
}

/// Returns the number in a file, or `None` for `max` and for missing files.
fn number_in(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Returns the number of cores that this process may use.
pub fn cores() -> u64 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64)
}

/// Returns the number of cores of the machine, whatever part of them this process may use.
pub fn all_cores() -> u64 {
    cores_in(&read("/proc/stat")).max(cores())
}

fn cores_in(stat: &str) -> u64 {
    let is_core = |line: &&str| {
        line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
    };
    stat.lines().filter(is_core).count() as u64
}

/// Returns the machine's name.
pub fn host_name() -> String {
    let named = std::env::var("HOSTNAME").ok().filter(|name| !name.is_empty());
    named.unwrap_or_else(|| read("/proc/sys/kernel/hostname").trim().to_owned())
}

/// Returns the kernel's name and version.
pub fn operating_system() -> String {
    let (name, version) = (read("/proc/sys/kernel/ostype"), read("/proc/sys/kernel/osrelease"));
    format!("{} {}", name.trim(), version.trim())
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Returns the number of kilobytes after a name, converted to bytes.
fn kilobytes(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    let number = line.split_ascii_whitespace().next().and_then(|number| number.parse::<u64>().ok());
    number.unwrap_or(0).saturating_mul(1_024)
}

fn open_files_limit(limits: &str) -> u64 {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap_or_default();
    line.split_ascii_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let stat = "12 (a) b) S 1 1 1 0 -1 4194304 100 0 7 0 250 50 0 0 20 0 9 0 1 1000 200";
        let process = Process::from_stat(stat);
        assert_eq!((process.minor_page_faults, process.major_page_faults, process.threads), (100, 7, 9));
        assert_eq!((process.user_seconds, process.system_seconds), (2.5, 0.5));
        assert_eq!(Process::from_stat("nonsense"), Process::default());
    }

    #[test]
    fn shares_of_the_processor_sum_up() {
        let processor = Processor::from_stat("cpu  10 0 20 60 10 0 0 0 0 0\ncpu0 1 1 1 1");
        let expected =
            Processor { user_percent: 10.0, system_percent: 20.0, idle_percent: 60.0, wait_percent: 10.0 };
        assert_eq!(processor, expected);
        assert_eq!(cores_in("cpu  10 0 20\ncpu0 1 1\ncpu1 1 1\ncpufreq 3\nintr 9"), 2);
        assert_eq!(Processor::from_stat(""), Processor::default());
    }

    #[test]
    fn this_process_uses_something() {
        let process = Process::now();
        assert!(process.resident_bytes > 1 << 20 && process.threads >= 1 && process.file_descriptors > 0);
        assert!(available_memory_bytes() > 16 << 20 && available_memory_bytes() <= physical_memory_bytes());
    }
}
