//! The methods of sessions that open, read and close cursors.

use errors::Result;
use velocypack::Slice;

use crate::session::Session;
use crate::state::cursor::encoder::{BatchLimits, Format};
use crate::state::cursor::handover::Handover;
use crate::state::cursor::result_buffer::ResultBuffer;
use crate::state::cursor::whole::WholeResult;
use crate::state::cursor::{Cursor, CursorSpec, Reply, RowSource, batch_bytes_max};

/// The bytes after which a batch of a whole result takes no further row.
const WHOLE_RESULT_BATCH_BYTES: usize = 1 << 20;

impl Session {
    /// Opens a cursor over a result and returns the first batch. The cursor is kept only if more
    /// follow.
    pub(crate) fn open_cursor(&self, source: Box<dyn RowSource>, spec: CursorSpec) -> Result<Reply> {
        let instance = self.instance();
        let buffer = ResultBuffer::new(
            instance.result_buffer_limits(),
            std::sync::Arc::clone(&instance.result_memory),
        );
        let id = instance.next_cursor_id();
        let (limits, ttl) = (self.batch_limits(), spec.ttl);
        let check_room = || instance.cursors().check_room(self.user());
        let (mut cursor, reply) = Cursor::start(source, spec, buffer, id, limits, check_room)?;
        if !cursor.is_done() {
            if let Some(records) = instance.store().cursor_records() {
                let forgotten = instance.cursors().forgotten();
                cursor.prepare_handover(|description, rows| {
                    Handover::begin(id, (records, forgotten), description, rows, ttl)
                });
            }
            instance.cursors().insert(id, self.owner(), cursor);
        }
        Ok(reply)
    }

    /// Goes on with a cursor of another server, whose client has all rows before the next one of
    /// `source` ([`Cursor::resume`]).
    pub(crate) fn resume_cursor(
        &self,
        source: Box<dyn RowSource>,
        spec: CursorSpec,
        id: u64,
        handover: Handover,
    ) -> Result<()> {
        let cursor = Cursor::resume(source, spec, id, self.batch_limits(), handover)?;
        self.instance().cursors().insert(id, self.owner(), cursor);
        Ok(())
    }

    fn batch_limits(&self) -> BatchLimits {
        let bytes_max = batch_bytes_max(self.instance().options().result_memory_bytes);
        BatchLimits { bytes_max, memory: self.work_memory() }
    }

    /// Begins to read a result that one reply delivers as a whole. `observe` sees each row that is
    /// computed before it returns: all of them, unless the result is streamed.
    pub(crate) fn open_whole(
        &self,
        source: Box<dyn RowSource>,
        spec: &CursorSpec,
        observe: &mut dyn FnMut(Slice<'_>),
    ) -> Result<WholeResult> {
        let instance = self.instance();
        let memory = std::sync::Arc::clone(&instance.result_memory);
        let buffer = ResultBuffer::new(instance.result_buffer_limits(), memory);
        let limits = BatchLimits { bytes_max: WHOLE_RESULT_BATCH_BYTES, memory: self.work_memory() };
        WholeResult::start(source, spec.batch_size, spec.stream, buffer, limits, observe)
    }

    /// Returns the next batch of a cursor or export of this server, or the batch with the number
    /// `batch`.
    ///
    /// Errors: 1600, 1601, and those of the query; 1478 if the batch must be read from a shared
    /// store that does not answer, and the cursor stays as it is.
    pub(crate) fn fetch_here(&self, id: u64, batch: Option<u64>, format: Format) -> Result<Reply> {
        let check_source = || self.instance().store().check_reachable();
        self.instance().cursors().fetch(id, &self.owner(), batch, format, check_source)
    }
}
