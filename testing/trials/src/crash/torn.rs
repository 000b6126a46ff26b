//! The loss of the log's unsynced end, as in a power failure.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use fastrand::Rng;

/// Cuts the newest log file at a random byte after its synced part. The rest is removed or zeroed.
/// Errors: text for the user.
pub(crate) fn tear(data: &Path, rng: &mut Rng) -> Result<(), String> {
    let Some((number, path)) = newest_log(data) else { return Ok(()) };
    let synced = std::fs::read_to_string(data.join("SYNCED")).unwrap_or_default();
    let synced = synced_part(&synced).ok_or_else(|| format!("SYNCED cannot be read: {synced:?}"))?;
    let synced_bytes = if synced.0 == number { synced.1 + header_bytes(&path) } else { 0 };
    if synced.0 > number {
        return Ok(());
    }
    let mut cut = || {
        let file = OpenOptions::new().write(true).open(&path)?;
        let length = file.metadata()?.len();
        file.set_len(rng.u64(synced_bytes.min(length)..=length))?;
        if rng.bool() { file.set_len(length) } else { Ok(()) }
    };
    cut().map_err(|error: std::io::Error| format!("{}: {error}", path.display()))
}

/// Returns the bytes before the content of a file of the log, which its synced part does not count.
fn header_bytes(path: &Path) -> u64 {
    let is_encrypted = std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"PERSEAE1"));
    if is_encrypted { 4_096 } else { 0 }
}

/// Returns the newest file of the write-ahead log, and its number.
pub(crate) fn newest_log(data: &Path) -> Option<(u64, PathBuf)> {
    let files = std::fs::read_dir(data).into_iter().flatten().flatten().map(|entry| entry.path());
    let logs = files.filter(|path| path.extension().is_some_and(|extension| extension == "log"));
    logs.filter_map(|path| Some((path.file_stem()?.to_str()?.parse().ok()?, path))).max()
}

/// Returns the number of a file of the log and its synced bytes from the line of `SYNCED`.
fn synced_part(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_whitespace().skip(3);
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_synced_part_is_never_cut() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("SYNCED"), "persea synced 1 0007 00030 1234\n").unwrap();
        let log = folder.path().join("000007.log");
        let mut rng = Rng::with_seed(1);
        let mut has_cut = false;
        for _ in 0..50 {
            std::fs::write(&log, [1; 100]).unwrap();
            tear(folder.path(), &mut rng).unwrap();
            let left = std::fs::read(&log).unwrap();
            assert!(left.iter().take_while(|byte| **byte == 1).count() >= 30, "{left:?}");
            has_cut |= left != [1; 100];
        }
        assert!(has_cut);
    }
}
