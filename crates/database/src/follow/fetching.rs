//! How the documents of the other server are fetched.

use replication_client::{FetchOptions, Product, Source};
use velocypack::Slice;

/// Bytes of a batch, and of the first one where batches grow.
const BATCH_BYTES: u64 = 4 << 20;
const FIRST_BATCH_BYTES: u64 = 1 << 20;
/// Batches that the other server makes ahead, and its threads.
const PREFETCH: u64 = 2;
const SERVER_THREADS: u64 = 4;

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

/// Counts the documents of a batch that was stored, so it is valid.
pub(super) fn count(options: &FetchOptions, batch: &[u8]) -> u64 {
    match options.velocypack {
        true => count_values(batch),
        false => batch.iter().filter(|byte| **byte == b'\n').count() as u64,
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
