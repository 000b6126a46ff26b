//! The process itself: its limits, its id, the permissions of its files.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::Mode;
use rustix::process::{
    DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit, umask,
};

/// The mode of folders with data: only their owner may access them.
const PRIVATE_FOLDER_MODE: u32 = 0o700;

/// Creates the folder of the data if it does not exist, and restricts it and all files from now on
/// to their owner.
///
/// A folder of another owner keeps its mode, and the log reports that.
pub(crate) fn keep_private(folder: &Path) -> io::Result<()> {
    umask(Mode::RWXG | Mode::RWXO);
    fs::DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER_MODE).create(folder)?;
    let mode = fs::metadata(folder)?.mode();
    if mode & 0o077 != 0
        && let Err(error) = fs::set_permissions(folder, Permissions::from_mode(PRIVATE_FOLDER_MODE))
    {
        let (folder, mode) = (folder.display(), mode & 0o777);
        tracing::warn!(
            "the folder {folder} has the mode {mode:o} and cannot be made private (mode 700): {error}"
        );
    }
    Ok(())
}

/// Keeps the memory of the process, in which there are keys, out of core dumps, and from other
/// processes of the same user.
pub(crate) fn forbid_dumps() {
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::warn!("core dumps, which would have the keys of the data, cannot be forbidden: {error}");
    }
}

/// Writes to the standard output. A reader that has gone, such as `head`, is not a failure.
pub(crate) fn print(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}

/// Raises the limit of file descriptors to the system's maximum, and returns the limit.
pub(crate) fn raise_descriptor_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let wanted = Rlimit { current: limit.maximum, maximum: limit.maximum };
    // If the limit cannot be raised, it stays as it is.
    let current = match setrlimit(Resource::Nofile, wanted) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    current.unwrap_or(u64::MAX)
}

/// Replaces this process by a new one with the same program, arguments, environment and id.
///
/// Returns only if that fails.
pub(crate) fn restart() -> io::Error {
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    // The file of the program may have been replaced by a newer one, which then starts, or be gone.
    let program = std::env::current_exe().ok().filter(|program| program.exists());
    let program = program.unwrap_or_else(|| PathBuf::from("/proc/self/exe"));
    Command::new(program).arg0(name).args(arguments).exec()
}

/// A file with the id of this process, removed at the end.
pub(crate) struct PidFile {
    path: PathBuf,
}

impl PidFile {
    /// Writes the file.
    pub(crate) fn write(path: &Path) -> io::Result<Self> {
        fs::write(path, format!("{}\n", std::process::id()))?;
        Ok(PidFile { path: path.to_owned() })
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        // The file is only a hint for scripts, so a failure to remove it is not an error.
        let _ = fs::remove_file(&self.path);
    }
}
