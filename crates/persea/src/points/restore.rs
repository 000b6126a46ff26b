//! A restore into a new data folder, which has all of the store or nothing.

use std::path::Path;
use std::sync::atomic::Ordering;

use backups::{Progress, restore};
use tools::{Console, Failure};

use super::Source;
use super::moment::Moment;
use super::progress::Replayed;
use super::replay;
use crate::data_folder;
use crate::process::keep_private;

/// Restores the store of a plan into a data folder that does not exist or is empty.
///
/// Errors: text for the user. Then the folder is as it was before.
pub(super) fn run(
    source: &Source<'_>,
    moment: &Moment,
    data: &Path,
    console: &Console,
) -> Result<Replayed, Failure> {
    let is_new = !data.exists();
    let stage = restore::begin_new(data)?;
    let filled = keep_private(data)
        .map_err(|error| Failure::new(format!("the folder {} cannot be used: {error}", data.display())))
        .and_then(|()| fill(source, moment, &stage, console));
    let placed = filled.and_then(|replayed| {
        restore::put_in_place(data, &source.plan.manifest, data_folder::is_store_file)?;
        Ok(replayed)
    });
    if placed.is_err() && !restore::is_pending(data) {
        restore::give_up(data);
        if is_new {
            // It has no other content, or stays.
            let _ = std::fs::remove_dir(data);
        }
    }
    placed
}

fn fill(source: &Source<'_>, moment: &Moment, stage: &Path, console: &Console) -> Result<Replayed, Failure> {
    let progress = Progress::default();
    let manifest = &source.plan.manifest;
    source.repository.copy_files(manifest, stage, &progress)?;
    let (files, bytes) = (manifest.files.len(), progress.copied_bytes.load(Ordering::Relaxed));
    console.info(&format!("copied {files} files of the backup, {bytes} bytes"));
    Ok(replay::run(source, moment, stage)?)
}
