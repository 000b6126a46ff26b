//! Streams from outside as record batches.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use bytes::Bytes;
use errors::{Error, ErrorCode, Result};

use crate::frames;

/// An Arrow IPC stream that is being read, within bounds.
///
/// Compressed batches are refused. Memory stays within that of the stream and of its largest batch.
pub struct StreamDecoder {
    rest: Buffer,
    decoder: arrow_ipc::reader::StreamDecoder,
    /// Batches that were read.
    batches: u64,
}

impl std::fmt::Debug for StreamDecoder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = self.rest.len();
        out.debug_struct("StreamDecoder").field("rest_bytes", &bytes).field("batches", &self.batches).finish()
    }
}

impl StreamDecoder {
    /// Checks the messages of a whole stream, and begins to read it. Errors: 400.
    pub fn new(stream: Bytes) -> Result<Self> {
        frames::check(&stream)?;
        let decoder = arrow_ipc::reader::StreamDecoder::new();
        Ok(StreamDecoder { rest: Buffer::from(stream), decoder, batches: 0 })
    }

    /// Returns the next record batch, or `None` at the end. Errors: 400.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        self.batches += 1;
        guarded(|| self.decoder.decode(&mut self.rest)).map_err(|error| {
            let message = format!("the Arrow stream is not valid at batch {}: {error}", self.batches);
            Error::new(ErrorCode::HttpBadParameter, message)
        })
    }
}

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if a panic of the calling thread is about a stream that is not valid, and becomes
/// an error: it is no fault of the program.
pub fn panics_are_errors() -> bool {
    IS_GUARDED.get()
}

/// Runs a decoder of the library, and makes an error of a panic.
///
/// [`frames`] and the library's own checks refuse all that is known to be wrong. Hostile bytes must
/// not end a thread by what nobody knows yet.
fn guarded<T, E: std::fmt::Display>(
    decode: impl FnOnce() -> std::result::Result<T, E>,
) -> std::result::Result<T, String> {
    IS_GUARDED.set(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    IS_GUARDED.set(false);
    match decoded {
        Ok(decoded) => decoded.map_err(|error| error.to_string()),
        Err(_) => Err("its data contradicts its schema".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, reason = "tests")]

    use super::*;

    #[test]
    fn a_panic_of_the_decoder_is_an_error_and_known_as_such() {
        let decode = || -> std::result::Result<(), String> {
            assert!(panics_are_errors());
            panic!("by the test")
        };
        assert_eq!(guarded(decode).unwrap_err(), "its data contradicts its schema");
        assert!(!panics_are_errors());
    }
}
