//! The check of the write-ahead log before RocksDB replays it.
//!
//! RocksDB silently stops at the first flaw. A flaw is normal at the end of the writes when the
//! process or the machine stopped. Anywhere else it is damage, and a replay up to it would lose
//! acknowledged commits. Three things tell them apart: valid records after the flaw, the sync
//! mark, and pages that never reached the disk. Records of a later file do no harm if their
//! sequence numbers follow without a gap.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use encryption::MasterKey;
use kv::Result;

use super::sync_mark::WalPosition;
use super::wal_reader::{Flaw, FlawKind, WalFile};
use crate::error::map_open_io;

/// The state of a store's log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WalState {
    Intact,
    /// The end of the last record is missing, as after a crash.
    Torn(Cut),
    Damaged(Cut),
}

/// A position after which the log is not used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) path: PathBuf,
    pub(crate) number: u64,
    /// The bytes of whole records before the cut.
    pub(crate) intact_bytes: u64,
    /// The bytes of the file before the cut: these, and the header of an encrypted file.
    pub(crate) stay_bytes: u64,
    /// The bytes after the cut, in this and in all later files.
    pub(crate) dropped_bytes: u64,
    /// The number of whole records among them.
    pub(crate) dropped_records: u64,
    /// The sequence number of the first write after the cut, if there are records before it.
    pub(crate) next_sequence: Option<u64>,
    pub(crate) reason: String,
}

/// The files of a log in their order.
pub(crate) struct WalFiles(Vec<NumberedFile>);

struct NumberedFile {
    number: u64,
    path: PathBuf,
    file: WalFile,
}

/// Returns the path of a file of the log.
pub(crate) fn wal_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:06}.log"))
}

/// Lists the files of the log in `folder`, by number.
pub(crate) fn list(folder: &Path) -> Result<Vec<(u64, PathBuf)>> {
    let failed = |error| map_open_io("listing", folder, &error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_log = path.extension().is_some_and(|extension| extension == "log");
        let number = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
        if let Some(number) = number.filter(|_| is_log) {
            files.push((number, path));
        }
    }
    files.sort_unstable();
    Ok(files)
}

impl WalFiles {
    /// Reads the log in `folder`.
    pub(crate) fn read(folder: &Path, encryption: Option<&MasterKey>) -> Result<WalFiles> {
        let read = |(number, path): (u64, PathBuf)| {
            let file =
                WalFile::read(&path, encryption).map_err(|error| map_open_io("reading", &path, &error))?;
            Ok(NumberedFile { number, path, file })
        };
        Ok(WalFiles(list(folder)?.into_iter().map(read).collect::<Result<_>>()?))
    }

    /// Removes the files before number `oldest`, whose content is in tables.
    pub(crate) fn remove_before(&mut self, oldest: u64) {
        self.0.retain(|file| file.number >= oldest);
    }

    /// Judges the log in `folder`, given its synced part.
    pub(crate) fn judge(&self, folder: &Path, synced: Option<WalPosition>) -> WalState {
        let synced = synced.unwrap_or_default();
        let mut state = WalState::Intact;
        for (index, NumberedFile { number, file, .. }) in self.0.iter().enumerate() {
            if let Some(reason) = self.damage(index, synced) {
                return WalState::Damaged(self.cut(index, reason));
            }
            if *number == synced.number && file.length < synced.bytes {
                let reason = format!("it has {} bytes, but {} were synced", file.length, synced.bytes);
                return WalState::Damaged(self.cut(index, reason));
            }
            if file.flaw.is_some() {
                state = WalState::Torn(self.torn_end(index));
            }
        }
        if synced.bytes > 0 && self.0.last().is_none_or(|last| last.number < synced.number) {
            let reason = format!("it is missing, but {} bytes of it were synced", synced.bytes);
            return WalState::Damaged(self.cut_at_missing(folder, synced.number, reason));
        }
        state
    }

    /// Cuts the torn ends of encrypted files off, which RocksDB would not take for such: pages that
    /// never reached the disk are zeros, and the decryption of zeros is noise. Its replay does not
    /// end for some noise.
    pub(crate) fn cut_torn_ends(&self) -> Result<()> {
        for NumberedFile { path, file, .. } in self.0.iter().filter(|file| file.file.flaw.is_some()) {
            let opened = OpenOptions::new().write(true).open(path);
            let cut = opened.and_then(|opened| {
                opened.set_len(file.header_bytes + file.intact_bytes)?;
                opened.sync_all()
            });
            cut.map_err(|error| map_open_io("cutting the end of", path, &error))?;
        }
        Ok(())
    }

    /// Returns the reason why the flaw of a file is not a torn end, if it has such a flaw.
    fn damage(&self, index: usize, synced: WalPosition) -> Option<String> {
        let NumberedFile { number, file, .. } = self.0.get(index)?;
        let flaw = file.flaw.as_ref()?;
        let what = describe(flaw);
        let later = self.0.iter().skip(index + 1).find(|later| later.file.all_records() > 0);
        if let Some(later) = later.filter(|later| !self.continues(index, later)) {
            return Some(format!("{what}, and records follow in {}", later.path.display()));
        }
        if *number < synced.number {
            return Some(format!("{what}, in a file that was synced"));
        }
        if *number == synced.number && flaw.kind != FlawKind::CutShort && flaw.end <= synced.bytes {
            return Some(format!("{what}, and the first {} bytes were synced", synced.bytes));
        }
        let place = flaw.valid_at.filter(|_| !flaw.has_lost_page)?;
        Some(format!("{what}, and valid records follow from byte {place} on"))
    }

    /// Returns true if the records of a later file follow those before the flaw of a file without a
    /// gap, so that the flaw hides none.
    ///
    /// RocksDB replays such a file. It begins one after a torn end, and the start may crash before
    /// the torn file is forgotten.
    fn continues(&self, index: usize, later: &NumberedFile) -> bool {
        let before = self.0.iter().take(index + 1).rev().find_map(|file| file.file.next_sequence);
        before.is_some() && before == later.file.first_sequence
    }

    /// Returns the cut of a torn end, which drops nothing of later files.
    fn torn_end(&self, index: usize) -> Cut {
        let mut cut = self.cut(index, "its last record was not written whole".to_owned());
        if let Some(NumberedFile { file, .. }) = self.0.get(index) {
            cut.dropped_bytes = file.length - file.intact_bytes;
            cut.dropped_records = file.all_records() - file.records;
        }
        cut
    }

    /// Returns the cut at the flaw of a file, or at its end.
    fn cut(&self, index: usize, reason: String) -> Cut {
        let mut cut = self.cut_before(index, reason);
        if let Some(NumberedFile { number, path, file }) = self.0.get(index) {
            cut.path.clone_from(path);
            cut.number = *number;
            cut.intact_bytes = file.intact_bytes;
            cut.stay_bytes = file.header_bytes + file.intact_bytes;
            cut.dropped_bytes -= file.intact_bytes;
            cut.dropped_records -= file.records;
            cut.next_sequence = file.next_sequence.or(cut.next_sequence);
        }
        cut
    }

    /// Returns the cut at a file that is missing or too short.
    pub(crate) fn cut_at_missing(&self, folder: &Path, number: u64, reason: String) -> Cut {
        let index = self.0.partition_point(|file| file.number < number);
        if self.0.get(index).is_some_and(|file| file.number == number) {
            return self.cut(index, reason);
        }
        Cut { path: wal_path(folder, number), number, ..self.cut_before(index, reason) }
    }

    /// Returns a cut that drops a file and all later ones.
    fn cut_before(&self, index: usize, reason: String) -> Cut {
        let (before, dropped) = self.0.split_at(index.min(self.0.len()));
        Cut {
            path: PathBuf::new(),
            number: 0,
            intact_bytes: 0,
            stay_bytes: 0,
            dropped_bytes: dropped.iter().map(|part| part.file.length).sum(),
            dropped_records: dropped.iter().map(|part| part.file.all_records()).sum(),
            next_sequence: before.iter().rev().find_map(|part| part.file.next_sequence),
            reason,
        }
    }
}

fn describe(flaw: &Flaw) -> String {
    match flaw.kind {
        FlawKind::CutShort => format!("the record at byte {} is cut short", flaw.offset),
        FlawKind::Checksum => format!("the record at byte {} has a wrong checksum", flaw.offset),
        FlawKind::OutOfPlace => format!("the record at byte {} is incomplete", flaw.offset),
    }
}
