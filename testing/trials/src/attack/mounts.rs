//! Small file systems in memory, for folders that are full or read-only.

use std::path::Path;
use std::process::{Command, Stdio};

/// Mounts a file system of `megabytes` on a folder, which is created. Errors: text for the user,
/// for example without the right to mount.
pub(crate) fn small(folder: &Path, megabytes: u32) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let size = format!("size={megabytes}m");
    run("mount", &["-t", "tmpfs", "-o", &size, "tmpfs"], folder)
}

/// Covers a folder with a view of itself in which nothing can be written.
pub(crate) fn read_only(folder: &Path) -> Result<(), String> {
    let path = folder.display().to_string();
    run("mount", &["--bind", &path], folder)?;
    run("mount", &["-o", "remount,ro,bind"], folder)
}

/// Takes away the uppermost file system of a folder.
pub(crate) fn uncover(folder: &Path) -> Result<(), String> {
    run("umount", &["--lazy"], folder)
}

/// Takes away all file systems within a folder.
pub(crate) fn remove(folder: &Path) {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(1)).map(Path::new);
    for point in points.filter(|point| point.starts_with(folder)) {
        // Errors: the temporary folder stays behind.
        let _ = uncover(point);
    }
}

fn run(program: &str, arguments: &[&str], folder: &Path) -> Result<(), String> {
    let output = Command::new(program).args(arguments).arg(folder).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }
}
