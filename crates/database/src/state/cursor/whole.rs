//! A result that one reply delivers as a whole, without a cursor.

use errors::Result;
use velocypack::Slice;

use super::encoder::{BatchLimits, EncodedRows, Format, RowEncoder};
use super::result_buffer::ResultBuffer;
use super::rows::RowSource;
use super::{Rest, fill};

/// The rows of a result, batch by batch, as arrays in VelocyPack.
pub struct WholeResult {
    rest: Rest,
    limits: BatchLimits,
    batch_rows: usize,
    is_done: bool,
}

impl WholeResult {
    /// Begins to read a source. Unless it is streamed, all rows are computed, and kept in `buffer`.
    ///
    /// `observe` sees each row that is computed here. Errors: those of the query.
    pub(crate) fn start(
        mut source: Box<dyn RowSource>,
        batch_rows: usize,
        is_streamed: bool,
        mut buffer: ResultBuffer,
        limits: BatchLimits,
        observe: &mut dyn FnMut(Slice<'_>),
    ) -> Result<Self> {
        if is_streamed {
            return Ok(WholeResult { rest: Rest::Source(source), limits, batch_rows, is_done: false });
        }
        loop {
            let (rows, has_more) = compute(source.as_mut(), batch_rows, &limits)?;
            Slice::new(&rows.bytes).elements().for_each(&mut *observe);
            buffer.push(rows)?;
            if !has_more {
                break;
            }
        }
        source.finish(Format::VelocyPack)?;
        Ok(WholeResult { rest: Rest::Buffered(buffer), limits, batch_rows, is_done: false })
    }

    /// Returns true if all rows were computed and observed already.
    pub fn is_complete(&self) -> bool {
        matches!(self.rest, Rest::Buffered(_))
    }

    /// Returns the next rows as an array in VelocyPack, or `None` at the end. Errors: those of the
    /// query.
    pub fn next_rows(&mut self) -> Result<Option<EncodedRows>> {
        match &mut self.rest {
            _ if self.is_done => Ok(None),
            Rest::Buffered(buffer) => buffer.pop(),
            Rest::Source(source) => {
                let (rows, has_more) = compute(source.as_mut(), self.batch_rows, &self.limits)?;
                if !has_more {
                    source.finish(Format::VelocyPack)?;
                    self.is_done = true;
                }
                Ok(Some(rows))
            }
        }
    }

    /// Releases the memory that it pins in the storage engine, until the next
    /// [`WholeResult::next_rows`].
    pub fn release(&mut self) {
        if let Rest::Source(source) = &mut self.rest {
            source.release();
        }
    }
}

/// Computes the next rows. Returns true if more follow.
fn compute(source: &mut dyn RowSource, rows: usize, limits: &BatchLimits) -> Result<(EncodedRows, bool)> {
    let mut batch = RowEncoder::new(Format::VelocyPack, Vec::new(), limits)?;
    let has_more = fill(source, &mut batch, rows)?;
    Ok((batch.into_rows()?, has_more))
}
