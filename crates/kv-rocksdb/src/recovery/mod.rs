//! Opening the database: the check of the log, RocksDB's replay, and the report about both.

mod oldest_log;
mod salvage;
mod sync_mark;
mod log_content;
mod wal_check;
mod wal_reader;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use encryption::MasterKey;
use kv::{Error, LogRecovery, Result};
use rust_rocksdb::{DB, Options};

use crate::error::map_open;
use crate::options::RocksOptions;
use wal_check::{Cut, WalFiles, WalState};

pub(crate) use sync_mark::{SyncMark, WalPosition};

/// The part of the log that an open did not replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedLog {
    /// The file in which the dropped part begins.
    pub file: PathBuf,
    /// The offset of its first byte in that file.
    pub offset: u64,
    /// The number of its bytes, in this and all later files.
    pub bytes: u64,
    /// The number of its whole records: commits, or parts of large ones.
    pub records: u64,
    /// The sequence number of its first write, if that is known.
    pub sequence: Option<u64>,
    /// The flaw at which the part begins.
    pub reason: String,
    /// The folder with the damaged files. `None` for a torn end, which is normal after a crash.
    pub kept_in: Option<PathBuf>,
}

/// An open database whose log was replayed.
pub(crate) struct Recovered {
    pub(crate) db: DB,
    pub(crate) sync_mark: SyncMark,
    pub(crate) dropped: Option<DroppedLog>,
}

/// Opens the database in `folder`, which already has its `FORMAT`.
///
/// Errors: [`Error::DamagedLog`] if acknowledged commits would be lost.
pub(crate) fn open(folder: &Path, options: &Options, wanted: &RocksOptions) -> Result<Recovered> {
    let (encryption, wanted) = (wanted.encryption.as_deref(), wanted.wal_recovery);
    let sync_mark = SyncMark::open(folder)?;
    let (files, state) = check_log(folder, options, encryption, sync_mark.read())?;
    let mut dropped = match state {
        WalState::Intact => None,
        WalState::Torn(cut) => {
            if encryption.is_some() {
                files.cut_torn_ends()?;
            }
            Some(DroppedLog::new(cut, None))
        }
        WalState::Damaged(cut) => Some(go_on_without(cut, folder, options, wanted)?),
    };
    let db = match DB::open(options, folder) {
        Ok(db) => db,
        Err(error) => {
            let cut = missing_log(&error, folder, &files).ok_or_else(|| map_open(&error, folder))?;
            dropped = Some(go_on_without(cut, folder, options, wanted)?);
            DB::open(options, folder).map_err(|error| map_open(&error, folder))?
        }
    };
    sync_mark.write_all_flushed(&db);
    Ok(Recovered { db, sync_mark, dropped })
}

fn check_log(
    folder: &Path,
    options: &Options,
    encryption: Option<&MasterKey>,
    synced: Option<WalPosition>,
) -> Result<(WalFiles, WalState)> {
    let mut files = WalFiles::read(folder, encryption)?;
    let state = files.judge(folder, synced);
    if !matches!(state, WalState::Damaged(_)) {
        return Ok((files, state));
    }
    // The damaged file may no longer be needed.
    let oldest = oldest_log::oldest_needed_log(options, folder);
    files.remove_before(oldest);
    let state = files.judge(folder, synced.filter(|synced| synced.number >= oldest));
    Ok((files, state))
}

/// Moves the log after the cut aside and replays the rest, or fails in strict mode.
fn go_on_without(cut: Cut, folder: &Path, options: &Options, wanted: LogRecovery) -> Result<DroppedLog> {
    if wanted == LogRecovery::Strict {
        return Err(refusal(cut));
    }
    let kept_in = salvage::cut_log(folder, &cut)?;
    // The manifest still expects the whole log. Without tracking, RocksDB forgets that.
    let mut untracked = options.clone();
    untracked.set_track_and_verify_wals_in_manifest(false);
    drop(DB::open(&untracked, folder).map_err(|error| map_open(&error, folder))?);
    Ok(DroppedLog::new(cut, Some(kept_in)))
}

fn refusal(cut: Cut) -> Error {
    let Cut { path, reason, dropped_bytes, dropped_records, .. } = cut;
    let reason = format!(
        "{reason}; {dropped_bytes} bytes with {dropped_records} readable records behind it were acknowledged and \
         would be lost; restore the store from a backup or a dump, or start it with \
         `--rocksdb.wal-recovery salvage`, which keeps everything before the damage"
    );
    Error::DamagedLog { path, reason }
}

/// Returns the cut at the file that the manifest expects, if the error is about one.
///
/// RocksDB's messages: "Missing WAL with log number: 12." and "Size mismatch: WAL (log number: 12)
/// in MANIFEST is 4711 bytes , but actually is 42 bytes on disk."
fn missing_log(error: &rust_rocksdb::Error, folder: &Path, files: &WalFiles) -> Option<Cut> {
    let text = error.as_ref();
    let (_, behind) = text.split_once("log number: ").filter(|_| text.contains("WAL"))?;
    let digits = behind.split(|letter: char| !letter.is_ascii_digit()).next()?;
    let reason = format!("it is missing or too short: {}", text.trim_end_matches('.'));
    Some(files.cut_at_missing(folder, digits.parse().ok()?, reason))
}

impl DroppedLog {
    fn new(cut: Cut, kept_in: Option<PathBuf>) -> Self {
        DroppedLog {
            file: cut.path,
            offset: cut.intact_bytes,
            bytes: cut.dropped_bytes,
            records: cut.dropped_records,
            sequence: cut.next_sequence,
            reason: cut.reason,
            kept_in,
        }
    }
}

impl fmt::Display for DroppedLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DroppedLog { file, offset, bytes, records, reason, .. } = self;
        write!(f, "the write-ahead log {} was replayed up to byte {offset}: {reason}; ", file.display())?;
        write!(f, "{bytes} bytes with {records} readable records were dropped")?;
        if let Some(sequence) = self.sequence {
            write!(f, ", from sequence number {sequence} on")?;
        }
        match &self.kept_in {
            Some(folder) => write!(f, "; the damaged files are in {}", folder.display()),
            None => Ok(()),
        }
    }
}
