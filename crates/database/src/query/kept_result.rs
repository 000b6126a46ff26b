//! The size of a result that is computed before its first reply.

use aql_value::MemoryAccount;
use errors::Result;

use crate::query::prepare::PreparedQuery;

/// The bytes after which the size is counted.
const STEP_BYTES: usize = 64 << 10;

/// Counts the rows of a result towards the memory limit of its query while they are encoded.
///
/// A result in a file also counts: ArangoDB keeps all of it in memory, and clients set the limit to
/// bound it. The rows of a stream do not count, because they are sent before others are computed.
pub(super) struct KeptResult<'a> {
    memory: Option<&'a MemoryAccount>,
    counted_bytes: usize,
}

impl<'a> KeptResult<'a> {
    /// Begins to count at a reply's present size.
    pub(super) fn begin(query: &'a PreparedQuery, reply_bytes: usize) -> Self {
        let is_kept = !query.request.options.stream;
        KeptResult { memory: is_kept.then_some(&*query.memory), counted_bytes: reply_bytes }
    }

    /// Counts the growth of the reply if it is large. Errors: 32.
    pub(super) fn grow(&mut self, reply_bytes: usize) -> Result<()> {
        if reply_bytes.saturating_sub(self.counted_bytes) < STEP_BYTES {
            Ok(())
        } else {
            self.end(reply_bytes)
        }
    }

    /// Counts the growth of the reply. Errors: 32.
    pub(super) fn end(&mut self, reply_bytes: usize) -> Result<()> {
        let grown = reply_bytes.saturating_sub(self.counted_bytes);
        self.counted_bytes = reply_bytes;
        self.memory.map_or(Ok(()), |memory| memory.count_result(grown as u64))
    }
}
