//! Cursors: results that are handed out batch by batch.
//!
//! A cursor either computes its batches on demand from a [`RowSource`] (exports, streamed queries),
//! or keeps a result that was complete before its first reply, already encoded ([`result_buffer`]).
//! Idle for a moment, it pins no memory of the storage engine ([`store`]). Its time to live counts
//! idle time only: a cursor that is being read never expires.

pub mod encoder;
mod open;
mod read_ahead;
pub mod result_buffer;
pub mod rows;
mod slot;
mod store;

use std::time::Duration;

use crate::{Error, ErrorCode, Result};
use encoder::{EncodedRows, Field, Format, RowEncoder};
pub use read_ahead::ReadAhead;
use result_buffer::ResultBuffer;
pub use rows::RowSource;
pub use slot::CursorOwner;
pub use store::Cursors;

/// Rows of one batch are cut off at this size, so that wide documents do not make a reply of gigabytes. The batch then
/// has fewer rows than asked for, as clients must expect anyway of a last batch.
pub const MAX_BATCH_BYTES: usize = 256 << 20;

/// Where results may have little memory, batches are cut off at this part of it, as a divisor, but not below
/// [`SMALLEST_BATCH_BYTES`].
const RESULTS_SHARE: u64 = 4;
const SMALLEST_BATCH_BYTES: usize = 4 << 20;

/// The size at which batches are cut off, where all results may take so many bytes.
pub(crate) fn batch_bytes_max(result_memory_bytes: u64) -> usize {
    let share = usize::try_from(result_memory_bytes / RESULTS_SHARE).unwrap_or(usize::MAX);
    share.clamp(SMALLEST_BATCH_BYTES, MAX_BATCH_BYTES)
}

/// Room that is made for the first batch: as much as a reply without rows takes.
const FIRST_ROOM_BYTES: usize = 512;
/// Most room that is made for a batch before its first row is there.
const ROOM_MAX_BYTES: usize = 4 << 20;

/// How a result is handed out.
#[derive(Clone, Debug)]
pub struct CursorSpec {
    /// How replies are written.
    pub format: Format,
    /// Rows of a batch.
    pub batch_size: usize,
    /// Compute on demand; otherwise all of it before the first reply.
    pub stream: bool,
    /// Say how many rows there are in all. A streamed query cannot know, an export does.
    pub count: bool,
    /// Idle time after which the cursor is gone.
    pub ttl: Duration,
    /// Keep the last batch for a second request of it.
    pub allow_retry: bool,
    /// What replies say of `cached`: whether a query was answered from the results cache. Exports do not have it.
    pub cached: Option<bool>,
    /// Under which key the plan cache has the query's plan, where replies say so.
    pub plan_cache_key: Option<String>,
}

/// One reply, ready to be sent.
#[derive(Debug)]
pub struct Reply {
    /// The body.
    pub body: Vec<u8>,
    /// What the body is.
    pub format: Format,
    /// The cursor's id while there is one to fetch from.
    pub cursor: Option<u64>,
    /// To be run while the reply is sent, if the next batch is worth computing before it is asked for.
    pub read_ahead: Option<ReadAhead>,
}

/// A cursor's state; the store keeps it behind a lock that only one request holds at a time.
pub(crate) struct Cursor {
    spec: CursorSpec,
    /// The size at which a batch is cut off.
    batch_bytes_max: usize,
    rest: Rest,
    count: Option<u64>,
    /// What the query says at its end, in the reply's format.
    extra: Option<Vec<u8>>,
    /// Number of the batch that was delivered last; the first is 1.
    delivered: u64,
    last: Option<Reply>,
    exhausted: bool,
    /// Bytes of the last batch: as much will do for the next.
    last_bytes: usize,
    /// The next batch, where it was computed before it was asked for.
    ahead: Option<Result<Batch>>,
}

/// A batch that was computed on demand.
struct Batch {
    rows: EncodedRows,
    more: bool,
    /// What the query says at its end, in the reply's format.
    extra: Option<Vec<u8>>,
}

enum Rest {
    Source(Box<dyn RowSource>),
    Buffered(ResultBuffer),
}

impl Reply {
    /// The same reply for a client that asks once more.
    fn again(&self) -> Reply {
        Reply { body: self.body.clone(), format: self.format, cursor: self.cursor, read_ahead: None }
    }
}

impl Cursor {
    /// Reads the first batch and, unless streamed, all others. `id` names the cursor in the reply when it is to live
    /// on; `check_room` is asked before that, and before the query's writes are committed at its end. Batches are cut off
    /// at `batch_bytes_max`.
    pub(crate) fn start(
        mut source: Box<dyn RowSource>,
        spec: CursorSpec,
        mut buffer: ResultBuffer,
        id: u64,
        batch_bytes_max: usize,
        check_room: impl FnOnce() -> Result<()>,
    ) -> Result<(Cursor, Reply)> {
        let mut first = RowEncoder::new(spec.format, Vec::with_capacity(FIRST_ROOM_BYTES))?;
        let mut more = fill(source.as_mut(), &mut first, spec.batch_size, batch_bytes_max)?;
        if more || spec.allow_retry {
            check_room()?;
        }
        let first = first.into_rows()?;
        let mut count = source.count();
        let mut extra = None;
        if !spec.stream {
            let mut rows = first.rows;
            while more {
                let mut batch = RowEncoder::new(spec.format, Vec::new())?;
                more = fill(source.as_mut(), &mut batch, spec.batch_size, batch_bytes_max)?;
                rows += batch.rows();
                buffer.push(batch.into_rows()?)?;
            }
            count = Some(rows as u64);
        }
        if !more {
            extra = source.finish(spec.format)?;
        }
        let more = more || !buffer.is_empty();
        let rest = if spec.stream { Rest::Source(source) } else { Rest::Buffered(buffer) };
        let mut cursor = Cursor {
            spec,
            batch_bytes_max,
            rest,
            count,
            extra,
            delivered: 0,
            last: None,
            exhausted: !more,
            last_bytes: 0,
            ahead: None,
        };
        let reply = cursor.deliver(first, id, 201)?;
        Ok((cursor, reply))
    }

    /// The reply for the next batch, or for the last one again (only with `allow_retry`).
    pub(crate) fn fetch(&mut self, id: u64, batch: Option<u64>, format: Format) -> Result<Reply> {
        match batch {
            Some(again) if again == self.delivered => {
                let last = self
                    .last
                    .as_ref()
                    .filter(|_| self.spec.allow_retry)
                    .ok_or_else(|| no_batch(id, again))?;
                return Ok(last.again());
            }
            Some(wanted) if wanted != self.delivered + 1 => return Err(no_batch(id, wanted)),
            _ if self.exhausted => return Err(no_batch(id, self.delivered + 1)),
            _ => {}
        }
        if let Rest::Source(_) = self.rest {
            self.spec.format = format;
        }
        let rows = self.next_rows()?;
        self.deliver(rows, id, 200)
    }

    /// Whether everything was delivered, so that nobody will ask for more.
    pub(crate) fn is_done(&self) -> bool {
        self.exhausted && !self.spec.allow_retry
    }

    /// Its idle time until it is gone.
    pub(crate) fn ttl(&self) -> Duration {
        self.spec.ttl
    }

    /// Lets go of what pins memory in the storage engine, until the next fetch.
    pub(crate) fn release(&mut self) {
        if let Rest::Source(source) = &mut self.rest {
            source.release();
        }
    }

    fn next_rows(&mut self) -> Result<EncodedRows> {
        if let Rest::Buffered(buffer) = &mut self.rest {
            let rows = buffer
                .pop()?
                .ok_or_else(|| Error::new(ErrorCode::Internal, "a batch of the result is missing"))?;
            self.exhausted = buffer.is_empty();
            return Ok(rows);
        }
        let ahead = self.ahead.take();
        let batch = ahead.unwrap_or_else(|| self.compute())?;
        self.exhausted = !batch.more;
        self.extra = batch.extra;
        Ok(batch.rows)
    }

    /// The next batch of a source.
    fn compute(&mut self) -> Result<Batch> {
        let Rest::Source(source) = &mut self.rest else {
            return Err(Error::new(ErrorCode::Internal, "a finished result was asked to go on"));
        };
        let room = (self.last_bytes + self.last_bytes / 8).min(ROOM_MAX_BYTES);
        let mut rows = RowEncoder::new(self.spec.format, Vec::with_capacity(room))?;
        let more = fill(source.as_mut(), &mut rows, self.spec.batch_size, self.batch_bytes_max)?;
        let extra = if more { None } else { source.finish(self.spec.format)? };
        Ok(Batch { rows: rows.into_rows()?, more, extra })
    }

    fn deliver(&mut self, rows: EncodedRows, id: u64, code: u64) -> Result<Reply> {
        self.delivered += 1;
        self.last_bytes = rows.bytes.len();
        let more = !self.exhausted;
        let keeps_id = more || self.spec.allow_retry;
        let mut fields = Vec::with_capacity(8);
        fields.push(("hasMore", Field::Bool(more)));
        if keeps_id {
            fields.push(("id", Field::NumberText(id)));
        }
        if more {
            fields.push(("nextBatchId", Field::NumberText(self.delivered + 1)));
        }
        if let Some(count) = self.count.filter(|_| self.spec.count) {
            fields.push(("count", Field::Number(count)));
        }
        if let Some(cached) = self.spec.cached {
            fields.push(("cached", Field::Bool(cached)));
        }
        if let Some(key) = &self.spec.plan_cache_key {
            fields.push(("planCacheKey", Field::Text(key)));
        }
        if let Some(extra) = &self.extra {
            fields.push(("extra", Field::Written(extra)));
        }
        fields.push(("error", Field::Bool(false)));
        fields.push(("code", Field::Number(code)));
        let format = rows.format;
        let cursor = keeps_id.then_some(id);
        let reply = Reply { body: rows.finish(&fields)?, format, cursor, read_ahead: None };
        self.last = self.spec.allow_retry.then(|| reply.again());
        Ok(reply)
    }
}

/// Fills a batch; ends it early when it becomes too large.
fn fill(
    source: &mut dyn RowSource,
    batch: &mut RowEncoder,
    batch_size: usize,
    batch_bytes_max: usize,
) -> Result<bool> {
    /// Rows between two looks at the size of the batch.
    const STEP: usize = 1_000;
    loop {
        let missing = batch_size - batch.rows();
        let more = source.fill(batch, missing.min(STEP))?;
        if !more || batch.rows() >= batch_size || batch.size_bytes() >= batch_bytes_max {
            return Ok(more);
        }
    }
}

fn no_batch(id: u64, batch: u64) -> Error {
    let message = format!("cursor not found: cursor {id} has no batch {batch} to deliver");
    Error::new(ErrorCode::CursorNotFound, message)
}
