//! Chunks: the documents of one collection one after the other, each request going on where the last one ended.

use std::sync::PoisonError;

use catalog::AccessLevel;
use storage::{Collection, DocumentScanSpec, KeyBound, Snapshot};

use super::reader::{Form, Reader, Written};
use super::{USERS_COLLECTION, users};
use crate::session::Session;
use crate::{Error, Result};

/// Bounds of a chunk's size.
const CHUNK_BYTES: (usize, usize) = (1 << 10, 64 << 20);

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
    reader: Option<Reader>,
    sent: u64,
    last_key: Option<String>,
    /// Where the last chunk began: documents before it, and the key of the last of them. For a client that did not get
    /// the reply and asks again.
    before: Option<(u64, Option<String>)>,
}

impl Chunks {
    pub(super) fn release(&mut self) {
        if let Some(reader) = &mut self.reader {
            reader.release();
        }
    }

    /// Moves to where the client wants to go on. Errors: 10 if that is not where a chunk began or ended.
    fn seek(&mut self, from: Option<u64>) -> Result<()> {
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

impl Session {
    /// The next piece of a collection. Errors: 1600, 1203, 11, 10.
    pub fn dump_chunk(&self, request: &ChunkRequest) -> Result<Chunk> {
        let batch = self.batch(request.batch)?;
        let database = self.database_in(batch.snapshot.catalog())?;
        let collection = database.require_collection(&request.collection)?;
        self.require_dumpable(collection.name())?;
        let chunks = batch.chunks(collection.id());
        let mut chunks = chunks.lock().unwrap_or_else(PoisonError::into_inner);
        chunks.seek(request.from)?;
        let start = (chunks.sent, chunks.last_key.clone());
        let mut reader = match chunks.reader.take() {
            Some(reader) => reader,
            None => {
                let after = chunks.last_key.as_ref();
                let after = after.map(|key| KeyBound { key: key.clone(), inclusive: false });
                self.reader(&batch.snapshot, collection, after)?
            }
        };
        let bytes = request.bytes.clamp(CHUNK_BYTES.0, CHUNK_BYTES.1);
        let Written { bytes, documents, last_key, has_more } =
            reader.write(request.form, bytes, Vec::new())?;
        chunks.before = Some(start);
        chunks.reader = Some(reader);
        chunks.sent += documents;
        chunks.last_key = last_key.or_else(|| chunks.last_key.take());
        Ok(Chunk { bytes, last_included: chunks.sent, has_more })
    }

    /// Error 11 unless the user may read the collection in a dump; users with their passwords' hashes are for those who
    /// administer the server.
    pub(super) fn require_dumpable(&self, collection: &str) -> Result<()> {
        if self.is_system_database() && collection == USERS_COLLECTION {
            return self.require_administrator();
        }
        self.require_collection(collection, AccessLevel::ReadOnly)
    }

    /// A reader of the documents with keys behind `after`.
    pub(super) fn reader(
        &self,
        snapshot: &Snapshot,
        collection: &Collection,
        after: Option<KeyBound>,
    ) -> Result<Reader> {
        if self.is_system_database() && collection.name() == USERS_COLLECTION {
            let documents = users::documents(snapshot.catalog(), after.as_ref().map(|after| &*after.key))?;
            return Ok(Reader::made(documents, collection.shared_name()));
        }
        let spec = DocumentScanSpec { from_key: after, sequential: true, ..DocumentScanSpec::default() };
        Ok(Reader::scan(snapshot.scan(collection, &spec)?, collection.shared_name()))
    }
}
