//! The documents of a collection, or of a range of its keys, as bytes of a dump.

use std::collections::VecDeque;
use std::sync::Arc;

use errors::Result;
use storage::{BlockLimits, DocumentScan, Documents};
use velocypack::{Builder, Slice, json};

/// Number of documents in one read from storage.
const BLOCK: BlockLimits = BlockLimits { rows: 1_000, bytes: 1 << 20 };
/// Bytes beyond the requested size that a large last document may take.
const ROOM_BYTES: usize = 64 << 10;

/// The form in which documents are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One document per line.
    Lines,
    /// One envelope per line: `{"type":2300,"data":{...}}`.
    Envelopes,
    /// One VelocyPack array.
    VelocyPack,
}

/// A position in the documents, with the documents that were fetched and not yet written.
pub(crate) struct Reader {
    source: Source,
    collection: Arc<str>,
    ready: Option<(Documents, usize)>,
}

enum Source {
    Scan(DocumentScan),
    /// Documents that are generated for the dump.
    Made(VecDeque<Vec<u8>>),
}

/// The result of one call.
pub(crate) struct Written {
    pub(crate) bytes: Vec<u8>,
    pub(crate) documents: u64,
    /// The key of the last document, if the documents come from the storage engine.
    pub(crate) last_key: Option<String>,
    /// True if more documents follow.
    pub(crate) has_more: bool,
}

impl Reader {
    pub(crate) fn scan(scan: DocumentScan, collection: &Arc<str>) -> Self {
        Reader { source: Source::Scan(scan), collection: Arc::clone(collection), ready: None }
    }

    pub(crate) fn made(documents: Vec<Vec<u8>>, collection: &Arc<str>) -> Self {
        Reader { source: Source::Made(documents.into()), collection: Arc::clone(collection), ready: None }
    }

    /// Writes documents until there are at least `bytes`, and at least one document if any is left.
    ///
    /// `reuse` is a buffer whose contents are discarded.
    pub(crate) fn write(&mut self, form: Form, bytes: usize, reuse: Vec<u8>) -> Result<Written> {
        let mut out = Output::new(form, bytes, reuse)?;
        let mut last_key = None;
        while out.len() < bytes || out.documents == 0 {
            if let Source::Made(documents) = &mut self.source {
                let Some(document) = documents.pop_front() else { break };
                out.push(Slice::new(&document), &self.collection)?;
                continue;
            }
            let Some((documents, next)) = self.fetch()? else { break };
            let mut position = next;
            while position < documents.len() && (out.len() < bytes || out.documents == 0) {
                if let Some(document) = documents.get(position) {
                    out.push(document, &self.collection)?;
                }
                position += 1;
            }
            let last = position.checked_sub(1).and_then(|last| documents.get(last)?.get("_key")?.as_str());
            last_key = last.map(str::to_owned);
            self.ready = (position < documents.len()).then_some((documents, position));
        }
        let has_more = match &self.source {
            Source::Made(documents) => !documents.is_empty(),
            Source::Scan(_) => {
                self.ready = self.fetch()?;
                self.ready.is_some()
            }
        };
        let Output { body, documents } = out;
        Ok(Written { bytes: body.finish()?, documents, last_key, has_more })
    }

    fn fetch(&mut self) -> Result<Option<(Documents, usize)>> {
        if let Some(ready) = self.ready.take() {
            return Ok(Some(ready));
        }
        let Source::Scan(scan) = &mut self.source else { return Ok(None) };
        let documents = scan.next_block(BLOCK)?;
        Ok(documents.filter(|documents| !documents.is_empty()).map(|documents| (documents, 0)))
    }

    /// Returns true if the documents come from the storage engine.
    pub(crate) fn is_scan(&self) -> bool {
        matches!(self.source, Source::Scan(_))
    }

    /// Releases the memory that it pins in the storage engine.
    pub(crate) fn release(&mut self) {
        if let Source::Scan(scan) = &mut self.source {
            scan.release();
        }
    }
}

struct Output {
    body: Body,
    documents: u64,
}

enum Body {
    Text { out: Vec<u8>, envelopes: bool },
    VelocyPack(Builder),
}

impl Output {
    fn new(form: Form, bytes: usize, mut memory: Vec<u8>) -> Result<Self> {
        memory.clear();
        memory.reserve(bytes.saturating_add(ROOM_BYTES));
        let body = match form {
            Form::Lines | Form::Envelopes => Body::Text { out: memory, envelopes: form == Form::Envelopes },
            Form::VelocyPack => {
                let mut builder = Builder::from_vec(memory);
                builder.open_array()?;
                Body::VelocyPack(builder)
            }
        };
        Ok(Output { body, documents: 0 })
    }

    fn len(&self) -> usize {
        match &self.body {
            Body::Text { out, .. } => out.len(),
            Body::VelocyPack(builder) => builder.len_bytes(),
        }
    }

    fn push(&mut self, document: Slice<'_>, collection: &str) -> Result<()> {
        match &mut self.body {
            Body::Text { out, envelopes: false } => {
                json::write(document, Some(collection), out);
                out.push(b'\n');
            }
            Body::Text { out, envelopes: true } => {
                out.extend_from_slice(b"{\"type\":2300,\"data\":");
                json::write(document, Some(collection), out);
                out.extend_from_slice(b"}\n");
            }
            Body::VelocyPack(builder) => builder.add_resolved(document, Some(collection))?,
        }
        self.documents += 1;
        Ok(())
    }
}

impl Body {
    fn finish(self) -> Result<Vec<u8>> {
        match self {
            Body::Text { out, .. } => Ok(out),
            Body::VelocyPack(mut builder) => {
                builder.close()?;
                Ok(builder.into_vec())
            }
        }
    }
}
