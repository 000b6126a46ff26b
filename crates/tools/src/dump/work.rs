//! The work of threads on a collection: fetch, change, pack and write.
//!
//! Batches that the server has packed are not packed again. [`schedule`] assigns threads to
//! collections.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use gzip_members::Packer;
use replication_client::schedule::{self, lock};
use replication_client::{Documents, FetchOptions, Fetched, Position, Snapshot};

use super::file::{DataFiles, sync};
use super::inventory::Collection;
use super::masking::Mask;
use super::options::Settings;
use crate::{Console, Failure, Progress, Server, Unit};

/// The documents and bytes that a dump has written.
#[derive(Debug, Default)]
pub(super) struct Done {
    collections: usize,
    written_bytes: u64,
    batches: u64,
}

impl fmt::Display for Done {
    /// Formats the counts in arangodump's words.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Done { collections, written_bytes, batches } = self;
        write!(
            formatter,
            "Processed {collections} collection(s), wrote {written_bytes} byte(s) into datafiles, sent {batches} batch(es)"
        )
    }
}

struct Work<'a> {
    server: &'a Server,
    snapshot: &'a Snapshot,
    settings: &'a Settings,
    folder: &'a Path,
    progress: Progress,
    written_bytes: AtomicU64,
    batches: AtomicU64,
    /// The files that are written and not yet synced.
    finished: Mutex<Vec<PathBuf>>,
}

/// A collection in progress.
struct Job<'a> {
    name: String,
    /// The source; `None` if only the definition is wanted.
    source: Option<Documents>,
    fetch: FetchOptions,
    files: DataFiles,
    mask: Option<Mask<'a>>,
    /// The number of the next batch.
    next: AtomicU64,
}

/// The buffers of a thread.
struct Own {
    packer: Packer,
    changed: Vec<u8>,
}

/// Fetches all documents. Errors: the first failure, or with `force` all of them in one.
pub(super) fn fetch_all(
    server: &Server,
    snapshot: &Snapshot,
    collections: Vec<Collection>,
    settings: &Settings,
    folder: &Path,
    console: &Console,
) -> Result<Done, Failure> {
    let count = collections.len();
    let work = Work {
        server,
        snapshot,
        settings,
        folder,
        progress: Progress::new(console, settings.progress, "dump", Unit::Bytes, None),
        written_bytes: AtomicU64::new(0),
        batches: AtomicU64::new(0),
        finished: Mutex::default(),
    };
    let failures = schedule::run(&work, collections, settings.threads, settings.force);
    if let Some((first, others)) = failures.split_first() {
        if !settings.force || others.is_empty() {
            return Err(first.clone());
        }
        failures.iter().for_each(|failure| console.error(failure.text()));
        return Err(Failure::new(format!("{} of {count} collections could not be dumped", failures.len())));
    }
    let (written_bytes, batches) = (work.written_bytes.into_inner(), work.batches.into_inner());
    Ok(Done { collections: count, written_bytes, batches })
}

impl<'a> schedule::Work for Work<'a> {
    type Failure = Failure;
    type Collection = Collection;
    type Job = Job<'a>;
    type Own = Own;

    fn name(collection: &Collection) -> &str {
        &collection.name
    }

    fn within(failure: Failure, collection: &str) -> Failure {
        failure.during(&format!("collection {collection:?}"))
    }

    fn own(&self) -> Own {
        Own { packer: Packer::default(), changed: Vec::new() }
    }

    fn open(&self, collection: Collection) -> Result<Job<'a>, Failure> {
        let files = DataFiles::create(self.folder, &collection, self.settings)?;
        let mask = self.settings.maskings.as_ref().and_then(|maskings| maskings.mask(&collection.name));
        let is_taken_as_is = mask.is_none() && !self.settings.envelopes;
        let packed = is_taken_as_is && self.settings.compress && self.server.knows_packed_documents();
        let fetch = self.settings.fetch_options(packed);
        let open = || Documents::open(&self.server.client, self.snapshot, &collection.name, &fetch);
        let source = collection.with_data.then(open).transpose()?;
        Ok(Job { name: collection.name, source, fetch, files, mask, next: AtomicU64::new(1) })
    }

    fn is_shared(&self, job: &Job<'a>) -> bool {
        job.source.as_ref().is_some_and(Documents::is_parallel)
    }

    fn work_on(
        &self,
        job: &Job<'a>,
        own: &mut Own,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<(), Failure> {
        let Some(source) = &job.source else { return Ok(()) };
        let mut position = Position::default();
        while should_continue() {
            let number = job.next.fetch_add(1, Ordering::Relaxed);
            let (client, name, fetch) = (&self.server.client, &job.name, &job.fetch);
            let batch = source.fetch(client, self.snapshot, name, fetch, number, &mut position)?;
            let (bytes, plain_bytes) = match &batch {
                None => break,
                Some(Fetched::Packed { member, plain_bytes }) => (&member[..], *plain_bytes),
                Some(Fetched::Plain(batch)) => {
                    let plain = self.change(job, batch, &mut own.changed)?;
                    (job.files.pack(plain, &mut own.packer)?, plain.len())
                }
            };
            job.files.write(bytes)?;
            self.progress.add(plain_bytes as u64);
            self.written_bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            self.batches.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn close(&self, job: &Job<'a>, _is_whole: bool) -> Result<(), Failure> {
        if let Some(source) = &job.source {
            source.close(&self.server.client);
        }
        let paths = job.files.finish()?;
        lock(&self.finished).extend(paths);
        Ok(())
    }

    /// Syncs the finished files.
    ///
    /// It runs when a thread has no other work: syncing each file early would wait for data that
    /// the system has not written yet.
    fn settle(&self) -> Result<(), Failure> {
        loop {
            let path = lock(&self.finished).pop();
            let Some(path) = path else { return Ok(()) };
            sync(&path)?;
        }
    }
}

impl Work<'_> {
    /// Returns a batch in the form of the file.
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
}
