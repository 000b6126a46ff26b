//! The outcome of an import, row by row.

use std::io::{BufWriter, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use velocypack::Builder;

use super::batch::RejectedRow;
use super::options::Settings;
use crate::encrypted::Output;
use crate::{Console, Failure};

/// The maximum number of messages about rejected rows.
const MAX_MESSAGES: u64 = 1_000;

/// The counts of all threads.
#[derive(Debug)]
pub(super) struct Outcome {
    file: String,
    console: Console,
    max_errors: u64,
    created: AtomicU64,
    errors: AtomicU64,
    updated: AtomicU64,
    ignored: AtomicU64,
    lines_read: AtomicU64,
    /// The rows of all batches, both the sent and the rejected ones.
    rows: AtomicU64,
    has_stopped: AtomicBool,
    failure: Mutex<Option<Failure>>,
    rejected: Option<Mutex<Rejected>>,
}

#[derive(Debug)]
struct Rejected {
    path: String,
    file: BufWriter<Output>,
}

/// The counts of one reply.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) created: u64,
    pub(super) errors: u64,
    pub(super) updated: u64,
    pub(super) ignored: u64,
}

impl Outcome {
    /// Creates the file for rejected rows, if the options ask for it.
    pub(super) fn new(settings: &Settings, console: &Console) -> Result<Self, Failure> {
        let rejected = match &settings.rejected {
            None => None,
            Some(path) => {
                let file = settings.files.create(path.as_ref()).map_err(|error| {
                    Failure::option(format!("--rejected: {path} cannot be written: {error}"))
                })?;
                Some(Mutex::new(Rejected { path: path.clone(), file: BufWriter::new(file) }))
            }
        };
        Ok(Outcome {
            file: settings.file.clone(),
            console: console.clone(),
            max_errors: settings.max_errors,
            created: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            updated: AtomicU64::new(0),
            ignored: AtomicU64::new(0),
            lines_read: AtomicU64::new(0),
            rows: AtomicU64::new(0),
            has_stopped: AtomicBool::new(false),
            failure: Mutex::new(None),
            rejected,
        })
    }

    /// Returns the outputs of messages.
    pub(super) fn console(&self) -> &Console {
        &self.console
    }

    /// Returns true if nothing more must be sent.
    pub(super) fn has_stopped(&self) -> bool {
        self.has_stopped.load(Ordering::Relaxed)
    }

    /// Stops the import; the first failure is reported.
    pub(super) fn fail(&self, failure: Failure) {
        self.has_stopped.store(true, Ordering::Relaxed);
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
    }

    /// Adds to the numbers of lines and rows read.
    pub(super) fn add_read(&self, lines: u64, rows: u64) {
        self.lines_read.fetch_add(lines, Ordering::Relaxed);
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// Adds the counts of a reply or of unsent rows, with the known rejected rows.
    pub(super) fn add(&self, counts: Counts, rejected: &[RejectedRow]) {
        self.created.fetch_add(counts.created, Ordering::Relaxed);
        self.updated.fetch_add(counts.updated, Ordering::Relaxed);
        self.ignored.fetch_add(counts.ignored, Ordering::Relaxed);
        let before = self.errors.fetch_add(counts.errors, Ordering::Relaxed);
        for (row, count) in rejected.iter().zip(before..) {
            if count < self.max_errors.min(MAX_MESSAGES) {
                self.console.warning(&format!("{}:{}: {}", self.file, row.line, row.reason));
            }
        }
        if let Err(failure) = self.keep(rejected) {
            self.fail(failure);
        }
        let total = before + counts.errors;
        if total >= self.max_errors {
            self.fail(Failure::new(format!(
                "{}: stopped after {total} rejected rows; --max-errors allows more",
                self.file
            )));
        }
    }

    fn keep(&self, rows: &[RejectedRow]) -> Result<(), Failure> {
        let Some(rejected) = self.rejected.as_ref().filter(|_| !rows.is_empty()) else { return Ok(()) };
        let mut text = String::new();
        for row in rows {
            let mut line = Builder::new();
            line.open_object()?;
            for (name, value) in [("file", &self.file), ("reason", &row.reason), ("row", &row.row)] {
                line.key(name)?;
                line.add_str(value)?;
                if name == "file" {
                    line.key("line")?;
                    line.add_u64(row.line)?;
                }
            }
            line.close()?;
            text.push_str(&line.as_slice().to_json_string());
            text.push('\n');
        }
        let mut rejected = rejected.lock().unwrap_or_else(PoisonError::into_inner);
        // Flushed immediately: the rejected rows are known even if the tool is killed.
        let written = rejected.file.write_all(text.as_bytes()).and_then(|()| rejected.file.flush());
        written.map_err(|error| {
            Failure::new(format!("the file of rejected rows {} cannot be written: {error}", rejected.path))
        })
    }

    /// Returns the failure that stopped the import.
    pub(super) fn take_failure(&self) -> Option<Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Checks that the server has accounted for every row that was read.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let read = self.rows.load(Ordering::Relaxed);
        let counts = [&self.created, &self.errors, &self.updated, &self.ignored];
        let told: u64 = counts.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        match read == told {
            true => Ok(()),
            false => Err(Failure::new(format!(
                "{}: {read} rows were read, but {told} are counted as created, updated, ignored or rejected; \
                 compare the collection with the file",
                self.file
            ))),
        }
    }

    /// Prints the counts, as arangoimport does.
    pub(super) fn print(&self, console: &Console) {
        let counts = [
            ("created:", &self.created),
            ("warnings/errors:", &self.errors),
            ("updated/replaced:", &self.updated),
            ("ignored:", &self.ignored),
            ("lines read:", &self.lines_read),
        ];
        console.print("");
        for (name, count) in counts {
            console.print(&format!("{name:<18}{}", count.load(Ordering::Relaxed)));
        }
    }
}
