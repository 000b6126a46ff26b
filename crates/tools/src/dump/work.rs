//! Threads that fetch, change, pack and write. Each takes a collection that nobody has begun; when there is none left, it helps
//! with one that is under way.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use client::Client;

use super::file::{DataFiles, sync};
use super::inventory::Collection;
use super::masking::Mask;
use super::settings::Settings;
use super::source::{Batch, Position, Source};
use crate::archive::gzip::Packer;
use crate::{Console, Failure, Progress, Unit};

/// How long a thread waits for another that is about to open a collection that it could help with.
const OPENING_PAUSE: Duration = Duration::from_millis(1);

/// What a dump has written.
#[derive(Debug, Default)]
pub(super) struct Done {
    collections: usize,
    /// Before packing, and after.
    plain_bytes: u64,
    written_bytes: u64,
}

impl fmt::Display for Done {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plain, written) = (self.plain_bytes as f64 / 1e6, self.written_bytes as f64 / 1e6);
        write!(
            formatter,
            "{} collections, {plain:.1} MB of documents, {written:.1} MB written",
            self.collections
        )
    }
}

struct Work<'a> {
    client: &'a Client,
    batch: &'a Batch,
    settings: &'a Settings,
    folder: &'a Path,
    progress: Progress,
    /// Collections that nobody has begun, the next one last.
    waiting: Mutex<Vec<Collection>>,
    /// Those that are under way.
    running: Mutex<Vec<std::sync::Arc<Job<'a>>>>,
    /// Collections that are being opened, and are not yet among those under way.
    opening: AtomicUsize,
    /// Set by the first failure.
    is_stopped: AtomicBool,
    failures: Mutex<Vec<Failure>>,
    written_bytes: AtomicU64,
    /// Files that are written and not yet synced.
    finished: Mutex<Vec<PathBuf>>,
}

/// A collection that is under way.
struct Job<'a> {
    collection: Collection,
    source: Source,
    files: DataFiles,
    mask: Option<Mask<'a>>,
    /// The number of the next batch.
    next: AtomicU64,
    workers: AtomicUsize,
    is_exhausted: AtomicBool,
    has_failed: AtomicBool,
}

/// Fetches all documents. Errors: the first failure, or with `force` all of them in one.
pub(super) fn fetch_all(
    client: &Client,
    batch: &Batch,
    mut collections: Vec<Collection>,
    settings: &Settings,
    folder: &Path,
    console: &Console,
) -> Result<Done, Failure> {
    let count = collections.len();
    collections.reverse();
    let work = Work {
        client,
        batch,
        settings,
        folder,
        progress: Progress::new(console, settings.progress, "dump", Unit::Bytes, None),
        waiting: Mutex::new(collections),
        running: Mutex::default(),
        opening: AtomicUsize::new(0),
        is_stopped: AtomicBool::new(false),
        failures: Mutex::default(),
        written_bytes: AtomicU64::new(0),
        finished: Mutex::default(),
    };
    std::thread::scope(|scope| {
        for _ in 0..settings.threads {
            scope.spawn(|| work.run());
        }
    });
    // Of collections that other threads were busy with when these found nothing left to do.
    work.sync_files();
    let failures = work.failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some((first, others)) = failures.split_first() {
        if !settings.force || others.is_empty() {
            return Err(first.clone());
        }
        failures.iter().for_each(|failure| console.error(failure.text()));
        return Err(Failure::new(format!("{} of {count} collections could not be dumped", failures.len())));
    }
    let (plain_bytes, written_bytes) = (work.progress.done(), work.written_bytes.into_inner());
    Ok(Done { collections: count, plain_bytes, written_bytes })
}

impl<'a> Work<'a> {
    fn run(&self) {
        let mut packer = Packer::new();
        let mut changed = Vec::new();
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
                    Err(_) => return self.sync_files(),
                },
            };
            let outcome = self.work_on(&job, &mut packer, &mut changed);
            let outcome = outcome.and_then(|()| self.leave(&job));
            if let Err(failure) = outcome
                && !job.has_failed.swap(true, Ordering::Relaxed)
            {
                job.is_exhausted.store(true, Ordering::Relaxed);
                self.fail(failure.during(&format!("collection {:?}", job.collection.name)));
            }
        }
    }

    /// Waits for the disk: not file by file while there is other work, when little of them is on disk yet.
    fn sync_files(&self) {
        loop {
            let path = self.finished.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(path) = path else { return };
            if let Err(failure) = sync(&path) {
                self.fail(failure);
            }
        }
    }

    fn fail(&self, failure: Failure) {
        if !self.settings.force {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(failure);
    }

    /// Begins with the next collection.
    fn begin(&self) -> Option<Result<std::sync::Arc<Job<'a>>, Failure>> {
        let collection = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let collection = waiting.pop()?;
            self.opening.fetch_add(1, Ordering::SeqCst);
            collection
        };
        let name = collection.name.clone();
        let job = self.open(collection).map_err(|failure| failure.during(&format!("collection {name:?}")));
        let job = job.map(|job| {
            let job = std::sync::Arc::new(job);
            self.running.lock().unwrap_or_else(PoisonError::into_inner).push(std::sync::Arc::clone(&job));
            job
        });
        self.opening.fetch_sub(1, Ordering::SeqCst);
        Some(job)
    }

    fn open(&self, collection: Collection) -> Result<Job<'a>, Failure> {
        let files = DataFiles::create(self.folder, &collection, self.settings)?;
        let source = match collection.with_data {
            true => Source::open(self.client, self.batch, &collection.name, self.settings)?,
            false => Source::Chunks,
        };
        let mask = self.settings.maskings.as_ref().and_then(|maskings| maskings.mask(&collection.name));
        Ok(Job {
            is_exhausted: AtomicBool::new(!collection.with_data),
            collection,
            source,
            files,
            mask,
            next: AtomicU64::new(1),
            workers: AtomicUsize::new(1),
            has_failed: AtomicBool::new(false),
        })
    }

    /// A collection under way that another thread can help with, the one with the fewest threads; if there is none, whether
    /// one is being opened.
    fn help(&self) -> Result<std::sync::Arc<Job<'a>>, bool> {
        // First: what is opened by now is found below.
        let is_opening = self.opening.load(Ordering::SeqCst) > 0;
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let open = running.iter().filter(|job| {
            job.source.is_parallel()
                && !job.is_exhausted.load(Ordering::Relaxed)
                && job.workers.load(Ordering::Relaxed) > 0
        });
        let job = open.min_by_key(|job| job.workers.load(Ordering::Relaxed)).ok_or(is_opening)?;
        job.workers.fetch_add(1, Ordering::Relaxed);
        Ok(std::sync::Arc::clone(job))
    }

    /// Fetches batches until there are no more.
    fn work_on(&self, job: &Job<'_>, packer: &mut Packer, changed: &mut Vec<u8>) -> Result<(), Failure> {
        let mut position = Position::default();
        while !job.is_exhausted.load(Ordering::Relaxed) && !self.is_stopped.load(Ordering::Relaxed) {
            let number = job.next.fetch_add(1, Ordering::Relaxed);
            let name = &job.collection.name;
            let batch =
                job.source.fetch(self.client, self.batch, name, self.settings, number, &mut position)?;
            let Some(batch) = batch else {
                job.is_exhausted.store(true, Ordering::Relaxed);
                break;
            };
            let plain = self.change(job, &batch, changed)?;
            let bytes = job.files.pack(plain, packer)?;
            job.files.write(bytes)?;
            self.progress.add(plain.len() as u64);
            self.written_bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        }
        Ok(())
    }

    /// A batch as it is to be written.
    fn change<'b>(
        &self,
        job: &Job<'_>,
        batch: &'b [u8],
        changed: &'b mut Vec<u8>,
    ) -> Result<&'b [u8], Failure> {
        let mut current: &[u8] = batch;
        let masked;
        if let Some(mask) = &job.mask {
            let mut out = Vec::with_capacity(batch.len() + batch.len() / 4);
            match self.settings.velocypack {
                true => mask.velocypack(batch, &mut out)?,
                false => mask.lines(batch, &mut out)?,
            }
            masked = out;
            current = &masked;
            if !self.settings.envelopes {
                changed.clear();
                changed.extend_from_slice(current);
                return Ok(changed);
            }
        }
        if !self.settings.envelopes {
            return Ok(batch);
        }
        changed.clear();
        for line in current.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            changed.extend_from_slice(b"{\"type\":2300,\"data\":");
            changed.extend_from_slice(line);
            changed.extend_from_slice(b"}\n");
        }
        Ok(changed)
    }

    /// The last thread to leave a collection closes it.
    fn leave(&self, job: &std::sync::Arc<Job<'a>>) -> Result<(), Failure> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if job.workers.fetch_sub(1, Ordering::Relaxed) > 1 {
            return Ok(());
        }
        running.retain(|other| !std::sync::Arc::ptr_eq(other, job));
        drop(running);
        job.source.close(self.client);
        let paths = job.files.finish()?;
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).extend(paths);
        Ok(())
    }
}
