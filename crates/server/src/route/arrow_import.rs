//! Bodies in Arrow's IPC stream format, as documents of an import.

use arrow_format::{RowReader, StreamDecoder};
use database::import::DocumentSource;
use database::{Charge, Session};
use errors::Result;
use velocypack::Slice;

use crate::http::request::Request;

/// The documents of a stream.
pub(super) struct ArrowDocuments {
    stream: StreamDecoder,
    /// The memory of record batches that are not aligned in the body and are copied: its length.
    _memory: Charge,
}

impl ArrowDocuments {
    /// Checks the messages of a request's body. Nothing is imported from one that is not whole.
    /// Errors: 32, 400.
    pub(super) fn of(session: &Session, request: &Request) -> Result<Self> {
        let mut memory = Charge::new(session.request_memory());
        memory.grow(request.body().len() as u64)?;
        Ok(ArrowDocuments { stream: StreamDecoder::new(request.body().clone())?, _memory: memory })
    }
}

impl DocumentSource for ArrowDocuments {
    fn for_each(&mut self, take: &mut dyn FnMut(Result<Slice<'_>>) -> Result<()>) -> Result<()> {
        while let Some(batch) = self.stream.next_batch()? {
            let mut rows = RowReader::new(&batch)?;
            while let Some(document) = rows.next_document().transpose() {
                take(document)?;
            }
        }
        Ok(())
    }
}
