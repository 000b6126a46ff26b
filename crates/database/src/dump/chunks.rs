//! Chunks: the documents of one collection one after the other, each request going on where the last one ended.

use super::reader::{Form, Reader};
use crate::{Error, Result};

/// What a client asks for.
#[derive(Clone, Debug)]
pub struct ChunkRequest {
    /// The batch whose snapshot is read.
    pub batch: u64,
    /// By name or number.
    pub collection: String,
    /// [`Chunk::last_included`] of the chunk before, 0 for the first chunk; `None` goes on.
    pub from: Option<u64>,
    /// Bytes after which the chunk ends.
    pub bytes: usize,
    /// How documents are written.
    pub form: Form,
}

/// A piece of a collection.
#[derive(Debug)]
pub struct Chunk {
    /// Documents in the form that was asked for; empty when there is none left.
    pub bytes: Vec<u8>,
    /// How many documents were sent up to its end.
    pub last_included: u64,
    /// Whether there is another chunk.
    pub has_more: bool,
}

/// How far a collection was read.
#[derive(Default)]
pub(super) struct Chunks {
    pub(super) reader: Option<Reader>,
    pub(super) sent: u64,
    pub(super) last_key: Option<String>,
    /// Where the last chunk began: documents before it, and the key of the last of them. For a client that did not get
    /// the reply and asks again.
    pub(super) before: Option<(u64, Option<String>)>,
}

impl Chunks {
    pub(super) fn release(&mut self) {
        if let Some(reader) = &mut self.reader {
            reader.release();
        }
    }

    /// Moves to where the client wants to go on. Errors: 10 if that is not where a chunk began or ended.
    pub(super) fn seek(&mut self, from: Option<u64>) -> Result<()> {
        let Some(from) = from.filter(|from| *from != self.sent) else { return Ok(()) };
        match self.before.take() {
            Some((sent, last_key)) if sent == from => (self.sent, self.last_key) = (sent, last_key),
            _ if from == 0 => (self.sent, self.last_key) = (0, None),
            _ => {
                let sent = self.sent;
                let message = format!(
                    "parameter 'from' must be 0, or X-Arango-Replication-Lastincluded of the last reply ({sent}), \
                     not {from}"
                );
                return Err(Error::bad_parameter(message));
            }
        }
        self.reader = None;
        Ok(())
    }
}
