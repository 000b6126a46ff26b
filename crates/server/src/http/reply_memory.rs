//! Memory of replies that wait until their clients read them.
//!
//! A long reply is charged to one half of the memory of queries until the connection has sent it. A
//! streamed reply charges the bytes of its chunks in advance. Clients that read slowly therefore
//! leave the other half to queries. When little of this memory is free, the monitor of the
//! connections ends those that read slowly.

use std::sync::Arc;

use bytes::Bytes;
use database::{Charge, MemoryAccount};
use errors::Result;

/// The length up to which a reply is not counted: the system's buffers take most of it.
const UNCOUNTED_BYTES: usize = 64 << 10;

/// The bytes of a streamed reply: the chunks ahead of the client, and the one being sent.
const STREAM_BYTES: u64 = 768 << 10;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct ReplyMemory {
    account: Arc<MemoryAccount>,
}

impl ReplyMemory {
    /// Returns the memory of replies, half of `work`.
    pub(crate) fn new(work: &Arc<MemoryAccount>) -> Self {
        let limit_bytes = work.limit_bytes().map(|limit| limit / 2);
        ReplyMemory { account: Arc::new(MemoryAccount::new(limit_bytes, Some(Arc::clone(work)))) }
    }

    /// Returns the bytes of a reply, which are counted until they are dropped. Errors: 32.
    pub(crate) fn hold(&self, bytes: Bytes) -> Result<Bytes> {
        if bytes.len() <= UNCOUNTED_BYTES {
            return Ok(bytes);
        }
        let mut charge = Charge::new(Arc::clone(&self.account));
        charge.grow(bytes.len() as u64)?;
        Ok(Bytes::from_owner(Counted { bytes, _charge: charge }))
    }

    /// Returns the memory of a streamed reply. Errors: 32.
    pub(crate) fn of_stream(&self) -> Result<Charge> {
        let mut charge = Charge::new(Arc::clone(&self.account));
        charge.grow(STREAM_BYTES)?;
        Ok(charge)
    }

    /// Returns true if less than a quarter of the memory is free.
    pub(crate) fn is_scarce(&self) -> bool {
        let limit_bytes = self.account.limit_bytes().unwrap_or(u64::MAX);
        self.account.used_bytes() > limit_bytes / 4 * 3
    }
}

/// Bytes with their charge.
struct Counted {
    bytes: Bytes,
    _charge: Charge,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_replies_and_streams_are_counted_until_they_are_gone() {
        let memory = ReplyMemory::new(&Arc::new(MemoryAccount::new(Some(4 << 20), None)));
        let short = memory.hold(vec![0; UNCOUNTED_BYTES].into()).unwrap();
        assert_eq!((memory.account.used_bytes(), short.len()), (0, UNCOUNTED_BYTES));
        let long = memory.hold(vec![0; 1 << 20].into()).unwrap();
        let part = long.slice(5..10);
        drop(long);
        let stream = memory.of_stream().unwrap();
        assert!(memory.is_scarce());
        assert_eq!(memory.hold(vec![0; 1 << 20].into()).unwrap_err().number(), 32);
        drop((part, stream));
        assert_eq!(memory.account.used_bytes(), 0);
    }
}
