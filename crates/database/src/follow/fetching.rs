//! How the documents of the other server are fetched and stored.

use std::sync::atomic::{AtomicU64, Ordering};

use client::Client;
use errors::{Error, Result};
use replication_client::{Documents, FetchOptions, Fetched, Position, Product, Snapshot, Source};
use velocypack::Slice;

use super::failure::of_source;
use super::users;
use crate::base::user_documents::USERS_COLLECTION;
use crate::session::Session;
use crate::transfer::restore::RestoreBody;

/// Bytes of a batch, and of the first one where batches grow.
const BATCH_BYTES: u64 = 4 << 20;
const FIRST_BATCH_BYTES: u64 = 1 << 20;
/// Batches that the other server makes ahead, and its threads.
const PREFETCH: u64 = 2;
const SERVER_THREADS: u64 = 4;

/// The documents of a database there, and the database here that they go into.
pub(super) struct Fetching<'c> {
    pub(super) session: &'c Session,
    pub(super) client: &'c Client,
    pub(super) snapshot: &'c Snapshot,
    pub(super) options: FetchOptions,
}

impl Fetching<'_> {
    /// Opens the documents of a collection. Errors: those of the request.
    pub(super) fn open(&self, name: &str) -> Result<Documents> {
        let documents = Documents::open(self.client, self.snapshot, name, &self.options);
        documents.map_err(|error| of_source(&error))
    }

    /// Fetches and stores the documents of a collection until none are left or `goes_on` is false.
    ///
    /// Several threads may do that with the same `documents` and `next`, the number of the next
    /// batch. `note_stored` sees each batch afterwards. Errors: those of `goes_on`, of requests and
    /// of writes.
    pub(super) fn store_all(
        &self,
        name: &str,
        (documents, next): (&Documents, &AtomicU64),
        goes_on: &dyn Fn() -> Result<bool>,
        note_stored: &dyn Fn(&[u8]),
    ) -> Result<()> {
        let mut position = Position::default();
        while goes_on()? {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let fetched =
                documents.fetch(self.client, self.snapshot, name, &self.options, number, &mut position);
            match fetched.map_err(|error| of_source(&error))? {
                None => return Ok(()),
                Some(Fetched::Plain(batch)) => {
                    self.store(name, &batch)?;
                    note_stored(&batch);
                }
                Some(Fetched::Packed { .. }) => {
                    return Err(Error::internal("a packed batch came, which nobody asked for"));
                }
            }
        }
        Ok(())
    }

    /// Counts the documents of a batch that was stored, so it is valid.
    pub(super) fn count(&self, batch: &[u8]) -> u64 {
        match self.options.velocypack {
            true => count_values(batch),
            false => batch.iter().filter(|byte| **byte == b'\n').count() as u64,
        }
    }

    fn store(&self, name: &str, batch: &[u8]) -> Result<()> {
        let is_velocypack = self.options.velocypack;
        if name == USERS_COLLECTION && self.session.is_system_database() && !is_velocypack {
            users::note_keys(self.session.instance().store(), batch)?;
        }
        let body = if is_velocypack { RestoreBody::VelocyPack(batch) } else { RestoreBody::Lines(batch) };
        self.session.restore_data(name, body)
    }
}

/// Returns the options for this many threads.
pub(super) fn options(source: &Source, threads: usize) -> FetchOptions {
    FetchOptions {
        parallel: true,
        velocypack: source.product() == Product::Persea,
        packed: false,
        threads,
        server_threads: SERVER_THREADS,
        prefetch: PREFETCH,
        batch_bytes: BATCH_BYTES,
        first_batch_bytes: FIRST_BATCH_BYTES,
    }
}

/// Counts the documents of values and arrays, one after another.
fn count_values(mut bytes: &[u8]) -> u64 {
    let mut count = 0;
    while !bytes.is_empty() {
        let value = Slice::new(bytes);
        count += if value.is_array() { value.len() as u64 } else { 1 };
        bytes = bytes.get(value.byte_len().max(1)..).unwrap_or_default();
    }
    count
}
