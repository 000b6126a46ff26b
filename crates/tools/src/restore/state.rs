//! The progress of a restore, in the file `continue.json` of the dump's folder, which is encrypted
//! as the dump is.
//!
//! For each collection it states if it was found, was created or is restored. For each data file it
//! holds the position up to which the server has confirmed the documents. `--continue` sends those
//! after it again; this is idempotent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use velocypack::{Builder, Limits, Slice, json};

use crate::archive::names;
use crate::encrypted::Files;
use crate::{Console, Failure};

/// The time between two writes of the file.
const PAUSE: Duration = Duration::from_secs(1);

/// The progress that all threads of a restore share.
pub(super) struct State {
    path: PathBuf,
    files: Files,
    console: Console,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    collections: BTreeMap<String, Progress>,
    written: Option<Instant>,
    has_warned: bool,
}

/// The progress of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Progress {
    stage: Stage,
    files: BTreeMap<String, Done>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// The collection existed before the restore, which adds only documents to it.
    Found,
    #[default]
    Created,
    Restored,
}

impl Stage {
    /// The names of the stages in the file.
    const NAMES: [(Stage, &str); 3] =
        [(Stage::Found, "found"), (Stage::Created, "created"), (Stage::Restored, "restored")];

    fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(stage, _)| *stage == self).map_or("created", |(_, name)| name)
    }

    fn parse(text: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, name)| *name == text).map(|(stage, _)| *stage)
    }
}

/// The part of a file that the server has confirmed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Done {
    /// The position before which everything is confirmed.
    position: u64,
    /// The ends of confirmed blocks behind it, by their begins.
    more: BTreeMap<u64, u64>,
}

impl Done {
    fn add(&mut self, start: u64, end: u64) {
        self.more.insert(start, end);
        while let Some(end) = self.more.remove(&self.position) {
            self.position = end;
        }
    }
}

impl State {
    /// Returns a new state, or with `should_continue` that of an earlier restore from this folder.
    pub(super) fn open(
        folder: &Path,
        files: &Files,
        should_continue: bool,
        console: &Console,
    ) -> Result<Self, Failure> {
        let path = folder.join(names::CONTINUE);
        let mut kept = Kept::default();
        if should_continue {
            match files.read(&path) {
                Ok(text) => {
                    kept.collections = parse(&text).ok_or_else(|| {
                        Failure::new(format!(
                            "{} does not contain the progress of a restore; remove it to start over",
                            path.display()
                        ))
                    })?;
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    console.info("no interrupted restore was found here; starting over");
                }
                Err(error) => return Err(super::folder::failure(&path, &error)),
            }
        }
        Ok(State { path, files: files.clone(), console: console.clone(), kept: Mutex::new(kept) })
    }

    /// Returns true if the resumed restore has created or found a collection.
    pub(super) fn is_created(&self, collection: &str) -> bool {
        self.lock().collections.contains_key(collection)
    }

    /// Returns true if nothing is left to do for a collection.
    pub(super) fn is_restored(&self, collection: &str) -> bool {
        self.lock().collections.get(collection).is_some_and(|progress| progress.stage == Stage::Restored)
    }

    /// Returns true if a collection existed before the restore.
    pub(super) fn is_found(&self, collection: &str) -> bool {
        self.lock().collections.get(collection).is_some_and(|progress| progress.stage == Stage::Found)
    }

    /// Returns the position in a file from which a restore resumes.
    pub(super) fn position(&self, collection: &str, file: &str) -> u64 {
        let kept = self.lock();
        let progress = kept.collections.get(collection);
        progress.and_then(|progress| progress.files.get(file)).map_or(0, |done| done.position)
    }

    /// Records that a collection was created.
    pub(super) fn created(&self, collection: &str) {
        self.reached(collection, Stage::Created);
    }

    /// Records that a collection existed before the restore.
    pub(super) fn found(&self, collection: &str) {
        self.reached(collection, Stage::Found);
    }

    /// Records that the server has confirmed a block.
    pub(super) fn sent(&self, collection: &str, file: &str, start: u64, end: u64) {
        let mut kept = self.lock();
        let progress = kept.collections.entry(collection.to_owned()).or_default();
        progress.files.entry(file.to_owned()).or_default().add(start, end);
        self.write_now_and_then(&mut kept);
    }

    /// Records that the documents and indexes of a collection are complete.
    pub(super) fn restored(&self, collection: &str) {
        self.reached(collection, Stage::Restored);
    }

    fn reached(&self, collection: &str, stage: Stage) {
        let mut kept = self.lock();
        kept.collections.entry(collection.to_owned()).or_default().stage = stage;
        self.write_now_and_then(&mut kept);
    }

    /// Writes the state, because the restore is about to fail.
    pub(super) fn save(&self) {
        self.write(&mut self.lock());
    }

    /// Removes the file, because nothing is left to resume.
    pub(super) fn remove(&self) {
        // The file may never have been written.
        let _ = std::fs::remove_file(&self.path);
    }

    fn write_now_and_then(&self, kept: &mut Kept) {
        if kept.written.is_none_or(|written| written.elapsed() >= PAUSE) {
            self.write(kept);
        }
    }

    /// Writes a new file and renames it, so that there is always a whole one.
    fn write(&self, kept: &mut Kept) {
        kept.written = Some(Instant::now());
        let beside = self.path.with_extension("json.new");
        let written = self
            .files
            .write(&beside, print(&kept.collections))
            .and_then(|()| std::fs::rename(&beside, &self.path));
        if let Err(error) = written
            && !kept.has_warned
        {
            kept.has_warned = true;
            let path = self.path.display();
            self.console
                .warning(&format!("{path} cannot be written, so --continue will not be possible: {error}"));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn print(collections: &BTreeMap<String, Progress>) -> String {
    let mut text = b"{\"collections\":{".to_vec();
    for (position, (name, progress)) in collections.iter().enumerate() {
        if position > 0 {
            text.push(b',');
        }
        json::write_str(name, &mut text);
        let stage = progress.stage.name();
        text.extend_from_slice(format!(":{{\"state\":\"{stage}\",\"files\":{{").as_bytes());
        for (position, (file, done)) in progress.files.iter().enumerate() {
            if position > 0 {
                text.push(b',');
            }
            json::write_str(file, &mut text);
            text.extend_from_slice(format!(":{}", done.position).as_bytes());
        }
        text.extend_from_slice(b"}}");
    }
    text.extend_from_slice(b"}}\n");
    String::from_utf8_lossy(&text).into_owned()
}

fn parse(text: &[u8]) -> Option<BTreeMap<String, Progress>> {
    let mut builder = Builder::new();
    json::parse(text, &Limits::default(), &mut builder).ok()?;
    let mut collections = BTreeMap::new();
    for (name, found) in builder.as_slice().get("collections")?.entries() {
        let stage = found.get("state").and_then(Slice::as_str).and_then(Stage::parse)?;
        let mut files = BTreeMap::new();
        for (file, position) in found.get("files")?.entries() {
            files.insert(file.to_owned(), Done { position: position.as_u64()?, more: BTreeMap::new() });
        }
        collections.insert(name.to_owned(), Progress { stage, files });
    }
    Some(collections)
}

#[cfg(test)]
mod tests {
    use encryption::Secret;

    use super::*;

    #[test]
    fn only_what_is_confirmed_without_a_gap_is_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let console = Console::plain();
        let files = Files::default();
        let state = State::open(folder.path(), &files, true, &console).unwrap();
        state.created("a");
        state.sent("a", "a.0.data.json", 100, 200);
        assert_eq!(state.position("a", "a.0.data.json"), 0);
        state.sent("a", "a.0.data.json", 0, 100);
        state.sent("a", "a.0.data.json", 300, 400);
        assert_eq!(state.position("a", "a.0.data.json"), 200);
        state.restored("b");
        state.found("d");
        state.sent("d", "d.data.json", 0, 1);
        state.save();
        let later = State::open(folder.path(), &files, true, &console).unwrap();
        assert_eq!((later.position("a", "a.0.data.json"), later.position("a", "x")), (200, 0));
        assert!(
            later.is_created("a")
                && !later.is_restored("a")
                && later.is_restored("b")
                && !later.is_created("c")
        );
        assert!(later.is_created("d") && later.is_found("d") && !later.is_found("a"));
        assert!(!State::open(folder.path(), &files, false, &console).unwrap().is_created("a"));
        std::fs::write(folder.path().join(names::CONTINUE), "{").unwrap();
        assert!(State::open(folder.path(), &files, true, &console).is_err());
        later.remove();
        assert!(State::open(folder.path(), &files, true, &console).is_ok());
    }

    #[test]
    fn the_progress_of_an_encrypted_dump_is_encrypted() {
        let folder = tempfile::tempdir().unwrap();
        let console = Console::plain();
        let files = Files::new(Some(Secret::of_bytes([7; 32])));
        let state = State::open(folder.path(), &files, false, &console).unwrap();
        state.sent("customers", "customers.data.json", 0, 100);
        state.save();
        let bytes = std::fs::read(folder.path().join(names::CONTINUE)).unwrap();
        assert!(!bytes.windows(9).any(|bytes| bytes == b"customers"));
        let later = State::open(folder.path(), &files, true, &console).unwrap();
        assert_eq!(later.position("customers", "customers.data.json"), 100);
        assert!(State::open(folder.path(), &Files::default(), true, &console).is_err());
    }
}
