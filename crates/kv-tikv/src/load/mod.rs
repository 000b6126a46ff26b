//! Loads of pairs in the order of their keys.

mod atomic;
mod private;

use std::sync::Arc;

use kv::{Error, Result};

use crate::protocol::kv::Mutation;
use crate::shared::Shared;

pub(crate) use atomic::AtomicLoad;
pub(crate) use private::PrivateLoad;

/// Returns the mutation that adds a pair to a load whose last key is `last`.
///
/// Errors: [`Error::Misuse`] if the key is not greater than `last`, [`Error::KeyTooLong`],
/// [`Error::TooLarge`].
fn checked_mutation(
    store: &Arc<Shared>,
    last: Option<&[u8]>,
    (key, value): (&[u8], &[u8]),
    is_insert: bool,
) -> Result<Mutation> {
    kv::bulk::check_pair(last, key, value)?;
    let (bytes, limit_bytes) = (key.len(), store.keys.bytes_max());
    if bytes > limit_bytes {
        return Err(Error::KeyTooLong { bytes, limit_bytes });
    }
    store.mutation(key, Some(value), is_insert)
}
