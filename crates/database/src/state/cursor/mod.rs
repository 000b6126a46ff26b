//! Cursors: results that are delivered batch by batch.
//!
//! A cursor either computes its batches on demand from a [`RowSource`] (exports, streamed queries),
//! or keeps a result that was complete and encoded before its first reply ([`result_buffer`]).
//! After a short idle time it pins no memory of the storage engine ([`store`]). Only idle time
//! counts towards its time to live: a cursor in use never expires. Where several servers share a
//! store, some cursors outlive their server ([`handover`]). One reply may also deliver a result as
//! a whole ([`whole`]).

pub mod encoder;
pub(crate) mod handover;
mod read_ahead;
pub mod result_buffer;
pub mod rows;
mod slot;
mod store;
pub mod whole;

use std::time::Duration;

use aql_value::Charge;
use errors::{Error, ErrorCode, Result};
use storage::{CursorRecord, CursorRecords};

use handover::Handover;

use encoder::{BatchLimits, EncodedRows, Field, Format, RowEncoder};
use result_buffer::ResultBuffer;

pub use read_ahead::ReadAhead;
pub use rows::RowSource;
pub use store::Cursors;

/// Upper bound of a batch in bytes, so that wide documents do not make a reply of gigabytes. Such a
/// batch has fewer rows than requested. Clients must expect this anyway, since the last batch may
/// be short.
pub const MAX_BATCH_BYTES: usize = 256 << 20;

/// Divisor of the memory of all results: one batch gets at most this part, but at least
/// [`SMALLEST_BATCH_BYTES`].
const RESULTS_SHARE: u64 = 4;
const SMALLEST_BATCH_BYTES: usize = 4 << 20;

/// Returns the upper bound of a batch in bytes, given the memory of all results.
pub(crate) fn batch_bytes_max(result_memory_bytes: u64) -> usize {
    let share = usize::try_from(result_memory_bytes / RESULTS_SHARE).unwrap_or(usize::MAX);
    share.clamp(SMALLEST_BATCH_BYTES, MAX_BATCH_BYTES)
}

/// Bytes reserved for the first batch: the size of a reply without rows.
const FIRST_ROOM_BYTES: usize = 512;
/// Upper bound of the bytes that are reserved for a batch before it has rows.
const ROOM_MAX_BYTES: usize = 4 << 20;

/// The way in which a result is delivered.
#[derive(Clone, Debug)]
pub struct CursorSpec {
    /// The format of replies.
    pub format: Format,
    /// Rows of a batch.
    pub batch_size: usize,
    /// True: compute batches on demand. False: compute all rows before the first reply.
    pub stream: bool,
    /// Report the number of all rows. A streamed query cannot know it; an export does.
    pub count: bool,
    /// Idle time after which the cursor expires.
    pub ttl: Duration,
    /// Keep the last batch so that the client can request it again.
    pub allow_retry: bool,
    /// The attribute `cached` of replies: true if the results cache answered the query. `None` for
    /// exports, which do not have the attribute.
    pub cached: Option<bool>,
    /// The key of the query's plan in the plan cache, if replies report it.
    pub plan_cache_key: Option<String>,
    /// The rows may miss the last commits.
    pub may_be_dirty: bool,
}

/// One reply, ready to be sent.
#[derive(Debug)]
pub struct Reply {
    /// The body.
    pub body: Vec<u8>,
    /// The format of the body.
    pub format: Format,
    /// The memory of the body, until something else accounts for it.
    pub memory: Option<Charge>,
    /// The cursor's id, while it can be fetched from.
    pub cursor: Option<u64>,
    /// The rows may miss the last commits.
    pub may_be_dirty: bool,
    /// The task that computes the next batch while the reply is sent, if that is worthwhile.
    pub read_ahead: Option<ReadAhead>,
}

/// The state of a cursor. The store keeps it behind a lock that one request holds at a time.
pub(crate) struct Cursor {
    spec: CursorSpec,
    limits: BatchLimits,
    rest: Rest,
    count: Option<u64>,
    /// The attribute `extra` of the last reply, in the reply's format.
    extra: Option<Vec<u8>>,
    /// The number of the last delivered batch; the first is 1.
    delivered: u64,
    /// The rows of all delivered batches.
    rows: u64,
    /// The rows of the last one.
    last_rows: usize,
    last: Option<Reply>,
    exhausted: bool,
    /// Bytes of the last batch; an estimate for the next one.
    last_bytes: usize,
    /// The next batch, if it was computed ahead of its request.
    ahead: Option<Result<Batch>>,
    /// The records by which another server can go on with the cursor.
    handover: Option<Handover>,
}

/// A batch that was computed on demand.
struct Batch {
    rows: EncodedRows,
    more: bool,
    /// The attribute `extra` of the last reply, in the reply's format.
    extra: Option<Vec<u8>>,
}

enum Rest {
    Source(Box<dyn RowSource>),
    Buffered(ResultBuffer),
}

impl Reply {
    /// Returns a copy of the reply for a client that requests it again.
    fn again(&self) -> Reply {
        Reply {
            body: self.body.clone(),
            format: self.format,
            memory: None,
            cursor: self.cursor,
            may_be_dirty: self.may_be_dirty,
            read_ahead: None,
        }
    }
}

impl Cursor {
    /// Reads the first batch and, unless streamed, all others.
    ///
    /// `id` names the cursor in the reply if the cursor stays open. `check_room` is called before
    /// that, and before the query's writes are committed at its end. No batch exceeds its limits by
    /// more than one row.
    pub(crate) fn start(
        mut source: Box<dyn RowSource>,
        spec: CursorSpec,
        mut buffer: ResultBuffer,
        id: u64,
        limits: BatchLimits,
        check_room: impl FnOnce() -> Result<()>,
    ) -> Result<(Cursor, Reply)> {
        let mut first = RowEncoder::new(spec.format, Vec::with_capacity(FIRST_ROOM_BYTES), &limits)?;
        let mut more = fill(source.as_mut(), &mut first, spec.batch_size)?;
        if more {
            check_room()?;
        }
        let first = first.into_rows()?;
        let mut count = source.count();
        let mut extra = None;
        if !spec.stream {
            let mut rows = first.rows;
            while more {
                let mut batch = RowEncoder::new(spec.format, Vec::new(), &limits)?;
                more = fill(source.as_mut(), &mut batch, spec.batch_size)?;
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
            limits,
            rest,
            count,
            extra,
            delivered: 0,
            rows: 0,
            last_rows: 0,
            last: None,
            exhausted: !more,
            last_bytes: 0,
            ahead: None,
            handover: None,
        };
        let reply = cursor.deliver(first, id, 201)?;
        Ok((cursor, reply))
    }

    /// Goes on with a streamed cursor of another server. The next row of `source` is the first one
    /// that its client does not have; with `allowRetry` it is the first one of the last batch.
    ///
    /// Errors: 1600 if the last batch does not fit into a reply of this server, those of the query.
    pub(crate) fn resume(
        source: Box<dyn RowSource>,
        spec: CursorSpec,
        id: u64,
        limits: BatchLimits,
        handover: Handover,
    ) -> Result<Cursor> {
        let progress = handover.progress();
        let allow_retry = spec.allow_retry;
        let mut cursor = Cursor {
            spec,
            limits,
            rest: Rest::Source(source),
            count: None,
            extra: None,
            delivered: progress.batches,
            rows: progress.rows,
            last_rows: 0,
            last: None,
            exhausted: false,
            last_bytes: 0,
            ahead: None,
            handover: Some(handover),
        };
        if allow_retry {
            cursor.deliver_again(id, progress.last_rows)?;
        }
        Ok(cursor)
    }

    /// Computes the last batch for a client that may request it again.
    fn deliver_again(&mut self, id: u64, rows: u64) -> Result<()> {
        let batch = self.compute_rows(usize::try_from(rows).unwrap_or(usize::MAX))?;
        if batch.rows.rows as u64 != rows {
            return Err(no_batch(id, self.delivered));
        }
        self.delivered -= 1;
        self.rows -= rows;
        self.exhausted = !batch.more;
        self.extra = batch.extra;
        self.deliver(batch.rows, id, 200).map(drop)
    }

    /// Keeps in the store, from the first batch on, what another server needs to go on with the
    /// cursor. Its client must be able to ask for a batch again, because the reply to it may be
    /// lost with the server.
    pub(crate) fn prepare_handover(&mut self, begin: impl FnOnce(Vec<u8>, usize) -> Option<Handover>) {
        if self.spec.allow_retry
            && let Some(description) = self.description()
        {
            self.handover = begin(description, self.last_rows);
        }
    }

    /// Returns the description of a streamed query without side effects that has further rows.
    fn description(&self) -> Option<Vec<u8>> {
        let Rest::Source(source) = &self.rest else { return None };
        source.description().filter(|_| !self.exhausted)
    }

    /// Returns the records by which another server can go on with the cursor; `None` if none could,
    /// or if the store has them.
    pub(super) fn record(&self, records: &CursorRecords) -> Option<CursorRecord> {
        let description = self.description().filter(|_| self.handover.is_none())?;
        let sent = (self.delivered, self.rows, self.last_rows);
        handover::record_of(records, description, sent, self.spec.ttl)
    }

    /// Leaves the records of the cursor to another server.
    pub(super) fn leave(&mut self) {
        self.handover.take().into_iter().for_each(Handover::leave);
    }

    /// Notes in the store that the next batch is about to be sent, so that no other server sends it
    /// again. Returns false if another server has the cursor now.
    ///
    /// Errors: those of the store; the cursor stays as it is then.
    pub(crate) fn note_batch(&mut self, batch: Option<u64>, format: Format) -> Result<bool> {
        let is_last = self.last.is_some() && batch == Some(self.delivered);
        if is_last || self.handover.is_none() {
            return Ok(true);
        }
        self.spec.format = format;
        let next = match self.ahead.take() {
            Some(ahead) => ahead,
            None => self.compute(),
        };
        let next = self.ahead.insert(next);
        let (Ok(next), Some(handover)) = (next, &mut self.handover) else { return Ok(true) };
        if !next.more && !self.spec.allow_retry {
            // The records are removed with the cursor.
            return Ok(true);
        }
        let is_own = handover.note_batch(next.rows.rows, self.spec.ttl)?;
        if is_own && handover.is_lost() {
            self.handover = None;
        }
        Ok(is_own)
    }

    /// Checks that a batch can be delivered: the next one, or with `allow_retry` the last again.
    ///
    /// Errors: 1600 if there is no such batch, 400 for an earlier one without `allow_retry`.
    pub(crate) fn check_batch(&self, id: u64, batch: Option<u64>) -> Result<()> {
        let wanted = batch.unwrap_or(self.delivered + 1);
        let exists = if wanted == self.delivered {
            self.last.is_some()
        } else {
            wanted == self.delivered + 1 && !self.exhausted
        };
        match exists {
            true => Ok(()),
            false if wanted <= self.delivered && !self.spec.allow_retry => Err(gone_batch(id, wanted)),
            false => Err(no_batch(id, wanted)),
        }
    }

    /// Returns true if the next batch, or the batch with this number, is neither at hand nor on its
    /// way.
    pub(crate) fn must_compute(&self, batch: Option<u64>) -> bool {
        let is_last = self.last.is_some() && batch == Some(self.delivered);
        matches!(self.rest, Rest::Source(_)) && self.ahead.is_none() && !is_last
    }

    /// Returns the reply for the next batch, or the last reply again (only with `allow_retry`).
    ///
    /// Errors: those of the query, after which it cannot continue.
    pub(crate) fn fetch(&mut self, id: u64, batch: Option<u64>, format: Format) -> Result<Reply> {
        if let Some(last) = self.last.as_ref().filter(|_| batch == Some(self.delivered)) {
            return Ok(last.again());
        }
        if let Rest::Source(_) = self.rest {
            self.spec.format = format;
        }
        let rows = self.next_rows()?;
        self.deliver(rows, id, 200)
    }

    /// Returns true if everything was delivered and no client can ask for more.
    pub(crate) fn is_done(&self) -> bool {
        // A result of one batch has no id by which a client could ask for it again.
        let is_named = self.delivered > 1;
        self.exhausted && !(self.spec.allow_retry && is_named)
    }

    /// Returns the idle time after which the cursor expires.
    pub(crate) fn ttl(&self) -> Duration {
        self.spec.ttl
    }

    /// Releases the memory that it pins in the storage engine, until the next fetch.
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

    /// Computes the next batch of a source.
    fn compute(&mut self) -> Result<Batch> {
        self.compute_rows(self.spec.batch_size)
    }

    fn compute_rows(&mut self, max_rows: usize) -> Result<Batch> {
        let Rest::Source(source) = &mut self.rest else {
            return Err(Error::new(ErrorCode::Internal, "a finished result was asked for more rows"));
        };
        let room = (self.last_bytes + self.last_bytes / 8).min(ROOM_MAX_BYTES);
        let mut rows = RowEncoder::new(self.spec.format, Vec::with_capacity(room), &self.limits)?;
        let more = fill(source.as_mut(), &mut rows, max_rows)?;
        let extra = if more { None } else { source.finish(self.spec.format)? };
        Ok(Batch { rows: rows.into_rows()?, more, extra })
    }

    fn deliver(&mut self, mut rows: EncodedRows, id: u64, code: u64) -> Result<Reply> {
        self.delivered += 1;
        self.rows += rows.rows as u64;
        (self.last_rows, self.last_bytes) = (rows.rows, rows.bytes.len());
        let more = !self.exhausted;
        let mut fields = Vec::with_capacity(8);
        fields.push(("hasMore", Field::Bool(more)));
        if more {
            fields.push(("id", Field::NumberText(id)));
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
        let cursor = more.then_some(id);
        let memory = rows.memory.take();
        let (body, may_be_dirty) = (rows.finish(&fields)?, self.spec.may_be_dirty);
        let reply = Reply { body, format, memory, cursor, may_be_dirty, read_ahead: None };
        self.last = self.spec.allow_retry.then(|| reply.again());
        Ok(reply)
    }
}

/// Fills a batch, and ends it early when it has no more room.
fn fill(source: &mut dyn RowSource, batch: &mut RowEncoder, batch_size: usize) -> Result<bool> {
    /// The rows that a source makes in one step.
    const STEP: usize = 1_000;
    loop {
        let missing = batch_size - batch.rows();
        let more = source.fill(batch, missing.min(STEP))?;
        if !more || batch.rows() >= batch_size || !batch.has_room() {
            return Ok(more);
        }
    }
}

fn gone_batch(id: u64, batch: u64) -> Error {
    let message = format!(
        "batch {batch} of cursor {id} was delivered; the query must have 'allowRetry' to get it again"
    );
    Error::new(ErrorCode::HttpBadParameter, message)
}

fn no_batch(id: u64, batch: u64) -> Error {
    let message = format!("cursor not found: cursor {id} has no batch {batch} to deliver");
    Error::new(ErrorCode::CursorNotFound, message)
}
