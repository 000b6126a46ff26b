//! File systems for tests of full disks.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder on which a file system is mounted. It is unmounted at the end.
pub struct Mounted(PathBuf);

impl Mounted {
    /// Mounts a new file system of 24 MiB in memory; `None` if this user may not mount.
    pub fn small(folder: &Path) -> Option<Mounted> {
        let arguments = ["-t", "tmpfs", "-o", "size=24m", "kv-test"];
        let output = Command::new("mount").args(arguments).arg(folder).output().ok()?;
        output.status.success().then(|| Mounted(folder.to_owned()))
    }

    /// Takes over a folder on which something is mounted.
    pub fn at(folder: &Path) -> Mounted {
        Mounted(folder.to_owned())
    }

    /// Returns the path of a file or a folder in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).output();
    }
}
