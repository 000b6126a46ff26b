//! Chunks: the documents of one collection in order. Each request resumes where the last one ended.

use errors::{Error, Result};

use super::reader::{Form, Reader};

/// A client's request for a chunk.
#[derive(Clone, Debug)]
pub struct ChunkRequest {
    /// The batch whose snapshot is read.
    pub batch: u64,
    /// The collection's name or number.
    pub collection: String,
    /// [`Chunk::last_included`] of the chunk before, or 0 for the first chunk. `None` resumes after
    /// the last chunk.
    pub from: Option<u64>,
    /// Bytes after which the chunk ends.
    pub bytes: usize,
    /// The form in which documents are written.
    pub form: Form,
}

/// A piece of a collection.
#[derive(Debug)]
pub struct Chunk {
    /// Documents in the requested form; empty if none is left.
    pub bytes: Vec<u8>,
    /// The number of documents sent up to the end of this chunk.
    pub last_included: u64,
    /// True if another chunk follows.
    pub has_more: bool,
}

/// The progress of reading one collection.
#[derive(Default)]
pub(crate) struct Chunks {
    pub(crate) reader: Option<Reader>,
    pub(crate) sent: u64,
    pub(crate) last_key: Option<String>,
    /// The start of the last chunk: the number of documents before it, and the key of the last of
    /// them. A client that did not get the reply asks for the chunk again.
    pub(crate) before: Option<(u64, Option<String>)>,
}

impl Chunks {
    pub(crate) fn release(&mut self) {
        if let Some(reader) = &mut self.reader {
            reader.release();
        }
    }

    /// Moves to the client's position. Errors: 10 if no chunk began or ended there.
    pub(crate) fn seek(&mut self, from: Option<u64>) -> Result<()> {
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
