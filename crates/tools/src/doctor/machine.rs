//! The machine: limits, memory, clock, and the disk of the data.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::{Resource, getrlimit};

use super::{Finding, size};

/// Descriptors that a server with many tables and connections needs.
const DESCRIPTORS_MIN: u64 = 65_536;

/// Memory below which queries spill early.
const MEMORY_BYTES_MIN: u64 = 1 << 30;

/// The share of free disk space, as a divisor, below which compactions may fail.
const FREE_DISK_SHARE: u64 = 10;

/// The seconds from 1970 to 2026: an earlier clock was never set.
const SECONDS_MIN: u64 = 1_767_225_600;

/// Seconds by which a file must be newer than the clock: file systems round times.
const FUTURE_SECONDS_MIN: u64 = 5;

/// Looks at this machine. Without a folder, no disk is looked at.
pub(super) fn look(folder: Option<&Path>) -> Vec<Finding> {
    let mut findings = vec![descriptors(), memory(), huge_pages(), clock()];
    if let Some(folder) = folder {
        findings.extend(disk(folder));
    }
    findings
}

fn descriptors() -> Finding {
    let most = getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX);
    if most >= DESCRIPTORS_MIN {
        return Finding::good(format!("file descriptors: up to {most}"));
    }
    Finding::doubtful(format!(
        "file descriptors: up to {most}, which limits tables and connections; raise the limit to {DESCRIPTORS_MIN} \
         (LimitNOFILE= in the unit, ulimit -Hn)"
    ))
}

/// Returns a value of `/proc/meminfo` in bytes.
fn meminfo(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok()?.checked_mul(1024)
}

fn memory() -> Finding {
    let (Some(total), Some(available)) = (meminfo("MemTotal"), meminfo("MemAvailable")) else {
        return Finding::doubtful("memory: /proc/meminfo cannot be read");
    };
    let text = format!("memory: {} of {} available", size(available), size(total));
    match available {
        0..MEMORY_BYTES_MIN => {
            Finding::doubtful(format!("{text}; lower --memory-limit, or stop other programs"))
        }
        _ => Finding::good(text),
    }
}

fn huge_pages() -> Finding {
    let text = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    match text.contains("[always]") {
        true => Finding::doubtful(
            "transparent huge pages: always, which may exceed --memory-limit; \
             echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
        ),
        false => Finding::good("transparent huge pages: on request only"),
    }
}

fn clock() -> Finding {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    if now < SECONDS_MIN {
        return Finding::bad(
            "clock: it is before 2026, so revisions, tokens and backups get wrong times; set it (timedatectl)",
        );
    }
    // systemd-timesyncd and chrony leave such files; without one, nobody may be setting the clock.
    let is_set =
        ["/run/systemd/timesync/synchronized", "/run/chrony"].iter().any(|path| Path::new(path).exists());
    match is_set {
        true => Finding::good("clock: it is synchronized"),
        false => Finding::doubtful(
            "clock: no time synchronization service was found; a backward jump delays revisions, tokens and ttl",
        ),
    }
}

/// Looks for files that were changed in the future: the clock was set back.
fn times(folder: &Path) -> Finding {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let changed = entries.filter_map(|entry| entry.metadata().ok()?.modified().ok()).max();
    let ahead = changed.and_then(|changed| changed.duration_since(SystemTime::now()).ok());
    let shown = folder.display();
    match ahead.map(|ahead| ahead.as_secs()).filter(|seconds| *seconds >= FUTURE_SECONDS_MIN) {
        None => Finding::good(format!("clock: it is not behind the files in {shown}")),
        Some(seconds) => Finding::bad(format!(
            "clock: it is {seconds} s behind a file in {shown}; it was set back, or that file comes from elsewhere"
        )),
    }
}

fn disk(folder: &Path) -> Vec<Finding> {
    let shown = folder.display();
    let metadata = match fs::metadata(folder) {
        Ok(metadata) => metadata,
        Err(error) => return vec![Finding::bad(format!("disk: the folder {shown} cannot be read: {error}"))],
    };
    let mut findings = vec![times(folder)];
    if metadata.mode() & 0o077 != 0 {
        findings.push(Finding::doubtful(format!(
            "permissions: other users can read {shown} (mode {:o}); run chmod 700 {shown}",
            metadata.mode() & 0o777
        )));
    }
    match rustix::fs::statvfs(folder) {
        Err(error) => findings.push(Finding::doubtful(format!("disk: {shown}: {error}"))),
        Ok(disk) => {
            let (free, total) = (disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize);
            let text = format!("disk: {} of {} are free at {shown}", size(free), size(total));
            findings.push(match free < total / FREE_DISK_SHARE {
                true => Finding::bad(format!(
                    "{text}; a compaction may need as much as the largest collection; free some space or delete backups"
                )),
                false => Finding::good(text),
            });
            let (free, total) = (disk.f_favail, disk.f_files);
            if total > 0 && free < total / FREE_DISK_SHARE {
                findings
                    .push(Finding::bad(format!("disk: only {free} of {total} inodes are free at {shown}")));
            }
        }
    }
    findings
}
