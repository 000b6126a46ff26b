//! The division of a transaction's keys into messages.

use std::sync::Arc;

use kv::Result;

use crate::protocol::kv::Mutation;
use crate::topology::client::Client;
use crate::topology::regions::Region;

/// Maximum number of keys of one message, and the bytes after which it ends.
const BATCH_KEYS: usize = 2048;
const BATCH_BYTES: usize = 512 << 10;

/// The number of concurrent messages of one transaction.
pub(super) const CONCURRENT_BATCHES: usize = 16;

/// Keys of one region.
pub(crate) type Batch<T> = (Arc<Region>, Vec<T>);

/// Divides mutations by region and size.
pub(crate) async fn of_mutations(client: &Client, mutations: Vec<Mutation>) -> Result<Vec<Batch<Mutation>>> {
    let groups = client.by_region(mutations, |mutation| &mutation.key).await?;
    Ok(cut(groups, |mutation| mutation.key.len() + mutation.value.len()))
}

/// Divides keys by region and size.
pub(super) async fn of_keys(client: &Client, keys: Vec<Vec<u8>>) -> Result<Vec<Batch<Vec<u8>>>> {
    let groups = client.by_region(keys, |key| key).await?;
    Ok(cut(groups, Vec::len))
}

fn cut<T>(groups: Vec<Batch<T>>, bytes: impl Fn(&T) -> usize) -> Vec<Batch<T>> {
    let mut batches = Vec::with_capacity(groups.len());
    for (region, items) in groups {
        let (mut batch, mut size) = (Vec::new(), 0);
        for item in items {
            let added = bytes(&item);
            if !batch.is_empty() && (batch.len() >= BATCH_KEYS || size + added > BATCH_BYTES) {
                batches.push((Arc::clone(&region), std::mem::take(&mut batch)));
                size = 0;
            }
            size += added;
            batch.push(item);
        }
        batches.push((region, batch));
    }
    batches
}
