//! The removal of the damaged part of a log.
//!
//! Everything before the damage stays. The rest moves into a folder of its own, so that nothing is
//! destroyed. Files move from the newest to the oldest: if that is interrupted, the remaining log
//! still has the same damage.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use kv::Result;
use kv::damaged_logs::{create_damaged_logs_folder, sync_folder};

use super::wal_check::{Cut, list};
use crate::error::map_open_io;

/// Cuts the log in `store`, and returns the folder with the unchanged damaged files.
pub(crate) fn cut_log(store: &Path, cut: &Cut) -> Result<PathBuf> {
    let kept = create_damaged_logs_folder(store).map_err(|error| map_open_io("creating", store, &error))?;
    for (number, path) in list(store)?.into_iter().rev().filter(|(number, _)| *number >= cut.number) {
        let moved = move_file(&path, &kept, (number == cut.number).then_some(cut.stay_bytes));
        moved.and_then(|()| sync_folder(store)).map_err(|error| map_open_io("moving", &path, &error))?;
    }
    Ok(kept)
}

/// Moves a file into `kept`. If `stay_bytes` is given, that many of its first bytes stay.
fn move_file(path: &Path, kept: &Path, stay_bytes: Option<u64>) -> io::Result<()> {
    let Some(name) = path.file_name() else { return Ok(()) };
    let moved = kept.join(name);
    let Some(stay_bytes) = stay_bytes else {
        fs::rename(path, moved)?;
        return sync_folder(kept);
    };
    let shortened = kept.join("shortened");
    let mut copy = File::create(&shortened)?;
    io::copy(&mut File::open(path)?.take(stay_bytes), &mut copy)?;
    copy.sync_all()?;
    fs::hard_link(path, &moved).or_else(|_| fs::copy(path, &moved).map(drop))?;
    sync_folder(kept)?;
    // The rename is atomic: there is either the damaged file or the shortened one.
    fs::rename(shortened, path)
}
