//! Documents to a segment.

use std::sync::Arc;

use errors::{Error, Result};
use owner::Interrupt;
use tantivy::SingleSegmentIndexWriter;
use tantivy::directory::{Directory, RamDirectory};
use velocypack::Slice;

use super::layout::index_builder;
use super::rows::RowsPlugin;
use super::tantivy_document::TantivyTerms;
use super::{Place, Segment, tantivy_error};
use crate::document;
use crate::schema::Schema;

/// The minimum memory budget with which tantivy begins a segment.
const BUDGET_BYTES_MIN: usize = 1 << 20;

/// Maximum number of documents of a segment. Tantivy's numbers of documents have 31 bits.
const DOCUMENTS_MAX: u32 = 1 << 30;

/// A segment that is being written.
///
/// Each key may be added once.
pub struct SegmentWriter {
    schema: Arc<Schema>,
    writer: SingleSegmentIndexWriter<TantivyTerms>,
    memory: Option<RamDirectory>,
    budget_bytes: usize,
    /// The memory that the writer had without a document.
    empty_bytes: usize,
    documents: u32,
}

impl SegmentWriter {
    /// Begins a segment whose documents take about `budget_bytes` of memory until it is full.
    ///
    /// The writer itself has 10 MB of tantivy's arenas, most of which few documents never touch.
    pub fn new(schema: Arc<Schema>, place: &Place, budget_bytes: usize) -> Result<Self> {
        let budget_bytes = budget_bytes.max(BUDGET_BYTES_MIN);
        let memory = place.memory();
        let directory = match &memory {
            Some(directory) => Box::new(directory.clone()) as Box<dyn Directory>,
            None => place.directory()?,
        };
        let builder = index_builder().register_plugin(Arc::new(RowsPlugin));
        let writer = builder.single_segment_index_writer(directory, budget_bytes).map_err(tantivy_error)?;
        let empty_bytes = writer.mem_usage();
        Ok(SegmentWriter { schema, writer, memory, budget_bytes, empty_bytes, documents: 0 })
    }

    /// Adds a document under its key and revision.
    ///
    /// Errors: 4 if the segment cannot have more documents; those of the interrupt, which leave the
    /// segment as it was.
    pub fn add(
        &mut self,
        key: &str,
        revision: u64,
        document: Slice<'_>,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let block = document::analyze(&self.schema, key, revision, document, interrupt)?;
        let count = u32::try_from(block.len()).unwrap_or(u32::MAX);
        let documents = self.documents.checked_add(count).filter(|documents| *documents <= DOCUMENTS_MAX);
        self.documents =
            documents.ok_or_else(|| Error::internal("a search segment has too many documents"))?;
        for terms in block {
            self.writer.add_document(TantivyTerms::new(terms)).map_err(tantivy_error)?;
        }
        Ok(())
    }

    /// Returns the bytes of memory that it takes now.
    pub fn memory_bytes(&self) -> usize {
        self.writer.mem_usage()
    }

    /// Returns true if the segment should be finished, because it has used its memory.
    pub fn is_full(&self) -> bool {
        let own_bytes = self.memory_bytes().saturating_sub(self.empty_bytes);
        own_bytes >= self.budget_bytes || self.documents >= DOCUMENTS_MAX / 2
    }

    /// Returns the number of documents so far, nested ones included.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// Writes the segment.
    pub fn finish(self) -> Result<Segment> {
        let index = self.writer.finalize().map_err(tantivy_error)?;
        Segment::of(&index, self.memory.map_or(0, |directory| directory.total_mem_usage()))
    }
}

#[cfg(test)]
mod tests {
    use velocypack::{Builder, Limits, json};

    use super::*;

    fn parsed(text: &str) -> Builder {
        let mut builder = Builder::new();
        json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
        builder
    }

    /// The budget is for documents: what an empty segment takes does not count.
    #[test]
    fn a_small_budget_holds_many_documents() {
        let definition = parsed(r#"{"fields": ["a", "b"]}"#);
        let analysis = |_: &str| Ok(crate::Analysis::of(analyzers::built_in("identity").unwrap()));
        let schema = Arc::new(Schema::parse(definition.as_slice(), &analysis).unwrap());
        let mut writer = SegmentWriter::new(schema, &Place::Memory, 0).unwrap();
        for number in 0..2_000_u32 {
            let document = parsed(&format!(r#"{{"a": {number}, "b": "text {number}"}}"#));
            writer.add(&number.to_string(), 1, document.as_slice(), &Interrupt::new()).unwrap();
            assert!(!writer.is_full(), "full after {number} documents");
        }
    }
}
