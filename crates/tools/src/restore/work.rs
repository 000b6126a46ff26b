//! Threads that read, unpack and send. Each takes a collection that nobody has begun; when there is none left, it helps with one
//! that is under way. The last to leave a collection creates its indexes.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use client::Client;

use super::data::{Block, DataFile};
use super::folder::Collection;
use super::settings::Settings;
use super::state::State;
use super::{lines, server};
use crate::{Failure, Progress};

/// How long a thread waits for another that is about to open a collection that it could help with.
const OPENING_PAUSE: Duration = Duration::from_millis(1);

/// What the threads of a restore share.
pub(super) struct Work<'a> {
    pub(super) client: &'a Client,
    pub(super) settings: &'a Settings,
    pub(super) state: &'a State,
    pub(super) progress: &'a Progress,
    /// Bytes of documents that were sent.
    pub(super) sent_bytes: AtomicU64,
    waiting: Mutex<Vec<Collection>>,
    running: Mutex<Vec<Arc<Job>>>,
    /// Collections that are being opened, and are not yet among those under way.
    opening: AtomicUsize,
    is_stopped: AtomicBool,
    failures: Mutex<Vec<Failure>>,
}

/// A collection that is under way.
struct Job {
    collection: Collection,
    files: Vec<Mutex<DataFile>>,
    /// Documents are wrapped: they replace and remove each other, and go one after the other.
    is_ordered: bool,
    workers: AtomicUsize,
    is_exhausted: AtomicBool,
    has_failed: AtomicBool,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        client: &'a Client,
        settings: &'a Settings,
        state: &'a State,
        progress: &'a Progress,
    ) -> Self {
        Work {
            client,
            settings,
            state,
            progress,
            sent_bytes: AtomicU64::new(0),
            waiting: Mutex::default(),
            running: Mutex::default(),
            opening: AtomicUsize::new(0),
            is_stopped: AtomicBool::new(false),
            failures: Mutex::default(),
        }
    }

    /// Restores documents and indexes of collections. Errors: the first failure; with `force` all that there were are kept for
    /// [`Work::failures`].
    pub(super) fn restore(&self, mut collections: Vec<Collection>) -> Result<(), Failure> {
        collections.retain(|collection| !self.state.is_restored(&collection.name));
        collections.reverse();
        *lock(&self.waiting) = collections;
        std::thread::scope(|scope| {
            for _ in 0..self.settings.threads {
                scope.spawn(|| self.run());
            }
        });
        if self.settings.force {
            return Ok(());
        }
        match lock(&self.failures).first() {
            Some(failure) => Err(failure.clone()),
            None => Ok(()),
        }
    }

    /// What went wrong so far.
    pub(super) fn failures(&self) -> Vec<Failure> {
        lock(&self.failures).clone()
    }

    fn run(&self) {
        while !self.is_stopped.load(Ordering::Relaxed) {
            let job = match self.begin() {
                Some(Ok(job)) => job,
                Some(Err(failure)) => {
                    self.fail(failure);
                    continue;
                }
                None => match self.help() {
                    Ok(job) => job,
                    Err(is_opening) if is_opening => {
                        std::thread::sleep(OPENING_PAUSE);
                        continue;
                    }
                    Err(_) => return,
                },
            };
            if let Err(failure) = self.work_on(&job) {
                self.fail_job(&job, failure);
            }
            if let Err(failure) = self.leave(&job) {
                self.fail_job(&job, failure);
            }
        }
    }

    fn fail(&self, failure: Failure) {
        if !self.settings.force {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        lock(&self.failures).push(failure);
    }

    fn fail_job(&self, job: &Job, failure: Failure) {
        job.is_exhausted.store(true, Ordering::Relaxed);
        if !job.has_failed.swap(true, Ordering::Relaxed) {
            self.fail(failure.during(&format!("collection {:?}", job.collection.name)));
        }
    }

    fn begin(&self) -> Option<Result<Arc<Job>, Failure>> {
        let collection = {
            let mut waiting = lock(&self.waiting);
            let collection = waiting.pop()?;
            self.opening.fetch_add(1, Ordering::SeqCst);
            collection
        };
        let name = collection.name.clone();
        let job = self.open(collection).map_err(|failure| failure.during(&format!("collection {name:?}")));
        let job = job.map(|job| {
            let job = Arc::new(job);
            lock(&self.running).push(Arc::clone(&job));
            job
        });
        self.opening.fetch_sub(1, Ordering::SeqCst);
        Some(job)
    }

    fn open(&self, collection: Collection) -> Result<Job, Failure> {
        let mut files = Vec::new();
        let mut is_ordered = false;
        for path in collection.data.iter().filter(|_| self.settings.import_data) {
            is_ordered = is_ordered || DataFile::has_envelopes(path)?;
            let position = self.state.position(&collection.name, &file_name(path));
            files.push(Mutex::new(DataFile::open(path, position)?));
        }
        Ok(Job {
            is_exhausted: AtomicBool::new(files.is_empty()),
            collection,
            files,
            is_ordered,
            workers: AtomicUsize::new(1),
            has_failed: AtomicBool::new(false),
        })
    }

    /// A collection under way that another thread can help with; if there is none, whether one is being opened.
    fn help(&self) -> Result<Arc<Job>, bool> {
        // First: what is opened by now is found below.
        let is_opening = self.opening.load(Ordering::SeqCst) > 0;
        let running = lock(&self.running);
        let open = running.iter().filter(|job| {
            !job.is_ordered
                && !job.is_exhausted.load(Ordering::Relaxed)
                && job.workers.load(Ordering::Relaxed) > 0
        });
        let job = open.min_by_key(|job| job.workers.load(Ordering::Relaxed)).ok_or(is_opening)?;
        job.workers.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::clone(job))
    }

    /// Sends blocks until the files have no more.
    fn work_on(&self, job: &Job) -> Result<(), Failure> {
        while !job.is_exhausted.load(Ordering::Relaxed) && !self.is_stopped.load(Ordering::Relaxed) {
            let Some(mut file) = next_file(job) else {
                job.is_exhausted.store(true, Ordering::Relaxed);
                return Ok(());
            };
            let Some(block) = file.next_block(self.settings.batch_bytes)? else { continue };
            let (path, velocypack) = (file.path().to_owned(), file.is_velocypack());
            // Held while documents are sent whose order matters.
            let held = job.is_ordered.then_some(file);
            self.send(job, &path, velocypack, block)?;
            drop(held);
        }
        Ok(())
    }

    fn send(&self, job: &Job, path: &Path, velocypack: bool, block: Block) -> Result<(), Failure> {
        let name = &job.collection.name;
        let (start, end) = (block.start, block.end);
        let plain = Bytes::from(block.unpack(path)?);
        let pieces = match velocypack {
            true => vec![(0, plain.len())],
            false => lines::pieces(&plain, self.settings.batch_bytes),
        };
        for (from, to) in pieces {
            let piece = plain.slice(from..to);
            if piece.trim_ascii().is_empty() {
                continue;
            }
            let sent = server::send_data(self.client, name, self.settings, velocypack, piece.clone());
            sent.map_err(|error| {
                explain(&error, path, start, plain.get(..from).unwrap_or_default(), &piece, velocypack)
            })?;
            self.sent_bytes.fetch_add(piece.len() as u64, Ordering::Relaxed);
        }
        self.state.sent(name, &file_name(path), start, end);
        self.progress.add(end - start);
        Ok(())
    }

    /// The last thread to leave a collection creates its indexes.
    fn leave(&self, job: &Arc<Job>) -> Result<(), Failure> {
        {
            let mut running = lock(&self.running);
            if job.workers.fetch_sub(1, Ordering::Relaxed) > 1 {
                return Ok(());
            }
            running.retain(|other| !Arc::ptr_eq(other, job));
        }
        if job.has_failed.load(Ordering::Relaxed) || self.is_stopped.load(Ordering::Relaxed) {
            return Ok(());
        }
        if self.settings.import_structure {
            server::create_indexes(self.client, &job.collection, self.settings).map_err(|failure| {
                failure.during(&format!("the indexes in {}", job.collection.file.display()))
            })?;
        }
        self.state.restored(&job.collection.name);
        Ok(())
    }
}

/// A file of the collection that has more: one that nobody reads just now, if there is one.
fn next_file(job: &Job) -> Option<MutexGuard<'_, DataFile>> {
    let free = job.files.iter().find_map(|file| file.try_lock().ok().filter(|file| !file.is_exhausted()));
    free.or_else(|| job.files.iter().map(lock).find(|file| !file.is_exhausted()))
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Which line of which file the server has refused, and why.
fn explain(
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
    let Ok(first) = DataFile::line_at(path, block_start) else {
        return Failure::new(error.to_string()).during(&path.display().to_string());
    };
    let first = first + lines::count(before);
    let place = match server::bad_line(piece, &refused.message) {
        Some(line) => format!("{}, line {}", path.display(), first + line),
        None => format!("{}, lines {first} to {}", path.display(), first + lines::count(piece)),
    };
    Failure::new(error.to_string()).during(&place)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
