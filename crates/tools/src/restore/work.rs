//! The work of threads on a collection: read, unpack if needed, and send.
//!
//! [`schedule`] assigns threads to collections. The last thread of a collection creates its
//! indexes.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use replication_client::schedule::{self, lock};

use super::data::{Block, DataFile};
use super::folder::Collection;
use super::options::Settings;
use super::server::Documents;
use super::state::State;
use super::{duplicates, lines, server};
use crate::{Failure, Progress, Server};

/// The shared state of a restore's threads.
pub(super) struct Work<'a> {
    pub(super) server: &'a Server,
    pub(super) settings: &'a Settings,
    pub(super) state: &'a State,
    pub(super) progress: &'a Progress,
    /// The bytes of documents that were sent.
    pub(super) sent_bytes: AtomicU64,
    /// The requests that sent them.
    pub(super) batches: AtomicU64,
    failures: Mutex<Vec<Failure>>,
}

/// A collection in progress.
pub(super) struct Job {
    collection: Collection,
    files: Vec<Mutex<DataFile>>,
    /// True if documents are wrapped: they replace and remove each other, so their order matters.
    is_ordered: bool,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        server: &'a Server,
        settings: &'a Settings,
        state: &'a State,
        progress: &'a Progress,
    ) -> Self {
        let (sent_bytes, batches) = (AtomicU64::new(0), AtomicU64::new(0));
        Work { server, settings, state, progress, sent_bytes, batches, failures: Mutex::default() }
    }

    /// Restores documents, and the indexes of collections that the restore has created.
    ///
    /// Errors: the first failure. With `force`, [`Work::failures`] has all of them.
    pub(super) fn restore(&self, mut collections: Vec<Collection>) -> Result<(), Failure> {
        collections.retain(|collection| !self.state.is_restored(&collection.name));
        let failures = schedule::run(self, collections, self.settings.threads, self.settings.force);
        lock(&self.failures).extend(failures.iter().cloned());
        match failures.into_iter().next() {
            Some(first) if !self.settings.force => Err(first),
            _ => Ok(()),
        }
    }

    /// Returns the failures so far.
    pub(super) fn failures(&self) -> Vec<Failure> {
        lock(&self.failures).clone()
    }

    fn send(&self, job: &Job, path: &Path, velocypack: bool, block: &Block) -> Result<(), Failure> {
        let (start, end) = (block.start, block.end);
        if !self.send_packed(job, path, velocypack, block)? {
            self.send_pieces(job, path, velocypack, block)?;
        }
        self.state.sent(&job.collection.name, &file_name(path), start, end);
        self.progress.add(end - start);
        Ok(())
    }

    /// Sends a block as it lies in its file.
    ///
    /// Returns `false` if it must be changed or divided first, or the server does not accept it.
    fn send_packed(&self, job: &Job, path: &Path, velocypack: bool, block: &Block) -> Result<bool, Failure> {
        let is_taken_as_is = velocypack || !self.settings.cleans_duplicates;
        if !is_taken_as_is || !self.server.knows_packed_documents() {
            return Ok(false);
        }
        let Some((member, plain_bytes)) = block.packed(self.settings.batch_bytes) else { return Ok(false) };
        if plain_bytes > 0 {
            let documents = Documents { velocypack, packed: true, bytes: member };
            server::send_data(&self.server.client, &job.collection.name, self.settings, documents).map_err(
                |error| match block.unpack(path) {
                    Ok(plain) => self.explain(&error, path, block.start, &[], &plain, velocypack),
                    // The file is at fault.
                    Err(failure) => failure,
                },
            )?;
            self.was_sent(plain_bytes);
        }
        Ok(true)
    }

    fn send_pieces(&self, job: &Job, path: &Path, velocypack: bool, block: &Block) -> Result<(), Failure> {
        let mut plain = block.unpack(path)?;
        if self.settings.cleans_duplicates && !velocypack {
            plain = duplicates::keep_first(&plain).into();
        }
        let pieces = match velocypack {
            true => vec![(0, plain.len())],
            false => lines::pieces(&plain, self.settings.batch_bytes),
        };
        for (from, to) in pieces {
            let piece = plain.slice(from..to);
            if piece.trim_ascii().is_empty() {
                continue;
            }
            let documents = Documents { velocypack, packed: false, bytes: piece.clone() };
            let sent = server::send_data(&self.server.client, &job.collection.name, self.settings, documents);
            sent.map_err(|error| {
                let before = plain.get(..from).unwrap_or_default();
                self.explain(&error, path, block.start, before, &piece, velocypack)
            })?;
            self.was_sent(piece.len());
        }
        Ok(())
    }

    /// Names the file and the line that the server has refused, and the reason.
    fn explain(
        &self,
        error: &client::Error,
        path: &Path,
        block_start: u64,
        before: &[u8],
        piece: &[u8],
        velocypack: bool,
    ) -> Failure {
        let Some(refused) = error.server().filter(|_| !velocypack) else {
            return Failure::new(error.to_string()).during(&path.display().to_string());
        };
        let Ok(first) = DataFile::line_at(&self.settings.files, path, block_start) else {
            return Failure::new(error.to_string()).during(&path.display().to_string());
        };
        let first = first + lines::count(before);
        let place = match server::bad_line(piece, &refused.message) {
            Some(line) => format!("{}, line {}", path.display(), first + line),
            None => format!("{}, lines {first} to {}", path.display(), first + lines::count(piece)),
        };
        Failure::new(error.to_string()).during(&place)
    }

    fn was_sent(&self, bytes: usize) {
        self.sent_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.batches.fetch_add(1, Ordering::Relaxed);
    }
}

impl schedule::Work for Work<'_> {
    type Failure = Failure;
    type Collection = Collection;
    type Job = Job;
    type Own = ();

    fn name(collection: &Collection) -> &str {
        &collection.name
    }

    fn within(failure: Failure, collection: &str) -> Failure {
        failure.during(&format!("collection {collection:?}"))
    }

    fn own(&self) {}

    fn open(&self, collection: Collection) -> Result<Job, Failure> {
        let mut files = Vec::new();
        let mut is_ordered = false;
        for path in collection.data.iter().filter(|_| self.settings.import_data) {
            is_ordered = is_ordered || DataFile::has_envelopes(&self.settings.files, path)?;
            let position = self.state.position(&collection.name, &file_name(path));
            files.push(Mutex::new(DataFile::open(&self.settings.files, path, position)?));
        }
        Ok(Job { collection, files, is_ordered })
    }

    fn is_shared(&self, job: &Job) -> bool {
        !job.is_ordered && !job.files.is_empty()
    }

    fn work_on(&self, job: &Job, _own: &mut (), should_continue: &dyn Fn() -> bool) -> Result<(), Failure> {
        while should_continue()
            && let Some(mut file) = next_file(job)
        {
            let Some(block) = file.next_block(self.settings.batch_bytes)? else { continue };
            let (path, velocypack) = (file.path().to_owned(), file.is_velocypack());
            // Held while documents are sent whose order matters.
            let held = job.is_ordered.then_some(file);
            self.send(job, &path, velocypack, &block)?;
            drop(held);
        }
        Ok(())
    }

    fn close(&self, job: &Job, is_whole: bool) -> Result<(), Failure> {
        if !is_whole {
            return Ok(());
        }
        if self.settings.creates() && !self.state.is_found(&job.collection.name) {
            server::create_indexes(&self.server.client, &job.collection, self.settings).map_err(
                |failure| failure.during(&format!("the indexes in {}", job.collection.file.display())),
            )?;
        }
        self.state.restored(&job.collection.name);
        Ok(())
    }
}

/// Returns an unfinished file of the collection, preferably one that no thread is reading.
fn next_file(job: &Job) -> Option<MutexGuard<'_, DataFile>> {
    let free = job.files.iter().find_map(|file| file.try_lock().ok().filter(|file| !file.is_exhausted()));
    free.or_else(|| job.files.iter().map(lock).find(|file| !file.is_exhausted()))
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
