//! The rows of a segment's documents: keys, revisions and stored columns, in a file of our own
//! in addition to tantivy's.
//!
//! ```text
//! number of columns · for each document: revision · end of its key · end of each column
//! for each document: key · columns
//! ```
//! Numbers have 8 bytes, little-endian. Ends count from the beginning of the second part. Tantivy's
//! own columns of strings are dictionaries, in which a lookup by document is slow.

use std::any::Any;
use std::io::Write;

use tantivy::directory::{OwnedBytes, TerminatingWrite};
use tantivy::index::SegmentComponent;
use tantivy::indexer::doc_id_mapping::DocIdMapping;
use tantivy::plugin::{PluginMergeContext, PluginWriter, PluginWriterContext, SegmentPlugin};
use tantivy::schema::Schema;
use tantivy::schema::document::ErasedDocument;
use tantivy::{DocId, Segment, SegmentReader, TantivyError};

use super::tantivy_document::TantivyTerms;

const EXTENSION: &str = "rows";
const NUMBER_BYTES: usize = 8;

/// The place of a part in a row.
#[derive(Clone, Copy)]
enum Part {
    Key,
    Column(usize),
}

/// The rows of an open segment.
pub(crate) struct Rows {
    bytes: OwnedBytes,
    columns: usize,
    /// The beginning of keys and columns.
    heap: usize,
}

impl Rows {
    /// Opens the rows of a segment.
    pub(crate) fn open(reader: &SegmentReader) -> tantivy::Result<Rows> {
        let damaged = || TantivyError::InternalError("the file of rows is damaged".to_owned());
        let bytes = reader.open_read(SegmentComponent::Custom(EXTENSION.to_owned()))?.read_bytes()?;
        let mut rows = Rows { bytes, columns: 0, heap: 0 };
        rows.columns = rows.number(0).filter(|columns| *columns < 1 << 16).ok_or_else(damaged)?;
        rows.heap = rows.row_start(reader.max_doc());
        if rows.bytes.len() < rows.heap { Err(damaged()) } else { Ok(rows) }
    }

    /// Returns the number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the key of a document; empty for a nested one, and for one that does not exist.
    pub(crate) fn key(&self, document: DocId) -> &str {
        std::str::from_utf8(self.part(document, Part::Key)).unwrap_or_default()
    }

    /// Returns what a document has in a column; empty for a nested one.
    pub(crate) fn column(&self, document: DocId, column: usize) -> &[u8] {
        if column < self.columns { self.part(document, Part::Column(column)) } else { &[] }
    }

    /// Returns the revision of a document; 0 for a nested one.
    pub(crate) fn revision(&self, document: DocId) -> u64 {
        self.number(self.row_start(document)).unwrap_or(0) as u64
    }

    fn part(&self, document: DocId, part: Part) -> &[u8] {
        let ends = self.row_start(document) + NUMBER_BYTES;
        let (start, end) = match part {
            Part::Key if document == 0 => (None, ends),
            // The row before ends with the end of its last part.
            Part::Key => (Some(ends - 2 * NUMBER_BYTES), ends),
            Part::Column(column) => {
                let start = ends + column * NUMBER_BYTES;
                (Some(start), start + NUMBER_BYTES)
            }
        };
        let start = start.map_or(Some(0), |start| self.number(start));
        let (Some(start), Some(end)) = (start, self.number(end)) else { return &[] };
        let range = self.heap.saturating_add(start)..self.heap.saturating_add(end);
        self.bytes.get(range).unwrap_or_default()
    }

    fn row_start(&self, document: DocId) -> usize {
        NUMBER_BYTES * (1 + document as usize * (2 + self.columns))
    }

    fn number(&self, start: usize) -> Option<usize> {
        let bytes = self.bytes.get(start..start.checked_add(NUMBER_BYTES)?)?;
        usize::try_from(u64::from_le_bytes(bytes.try_into().ok()?)).ok()
    }
}

/// The plugin that writes and merges the rows with the rest of a segment.
pub(crate) struct RowsPlugin;

impl SegmentPlugin for RowsPlugin {
    fn extensions(&self) -> &[&str] {
        &[EXTENSION]
    }

    fn create_writer(&self, _context: &PluginWriterContext<'_>) -> tantivy::Result<Box<dyn PluginWriter>> {
        Ok(Box::new(RowsWriter::default()))
    }

    fn merge(&self, context: PluginMergeContext<'_>) -> tantivy::Result<()> {
        // The merged segment has the living documents of each segment in turn.
        let mut writer = RowsWriter::default();
        let readers = context.readers.iter();
        let all =
            readers.map(|reader| Ok((reader, Rows::open(reader)?))).collect::<tantivy::Result<Vec<_>>>()?;
        // A segment of an earlier version may have fewer columns; the others are empty then.
        let width = all.iter().map(|(_, rows)| rows.columns()).max().unwrap_or(0);
        for (reader, rows) in all {
            for document in reader.doc_ids_alive() {
                let columns = (0..width).map(|column| rows.column(document, column));
                writer.push(rows.key(document), rows.revision(document), columns);
            }
        }
        writer.write(context.target_segment)
    }
}

/// Rows that are collected for a segment.
#[derive(Default)]
struct RowsWriter {
    columns: usize,
    rows: Vec<u8>,
    heap: Vec<u8>,
}

impl RowsWriter {
    /// Adds a row. All rows have the same number of columns.
    fn push<'c>(&mut self, key: &str, revision: u64, columns: impl Iterator<Item = &'c [u8]>) {
        self.rows.extend_from_slice(&revision.to_le_bytes());
        self.push_part(key.as_bytes());
        self.columns = 0;
        for column in columns {
            self.push_part(column);
            self.columns += 1;
        }
    }

    fn push_part(&mut self, part: &[u8]) {
        self.heap.extend_from_slice(part);
        self.rows.extend_from_slice(&(self.heap.len() as u64).to_le_bytes());
    }

    fn write(&self, segment: &Segment) -> tantivy::Result<()> {
        let mut file = segment.open_write(SegmentComponent::Custom(EXTENSION.to_owned()))?;
        file.write_all(&(self.columns as u64).to_le_bytes())?;
        file.write_all(&self.rows)?;
        file.write_all(&self.heap)?;
        Ok(file.terminate()?)
    }
}

impl PluginWriter for RowsWriter {
    fn add_document(
        &mut self,
        _id: DocId,
        document: &dyn ErasedDocument,
        _schema: &Schema,
    ) -> tantivy::Result<()> {
        if let Some(TantivyTerms { terms, .. }) = document.as_any().downcast_ref() {
            self.push(&terms.key, terms.revision, terms.columns.iter().map(Vec::as_slice));
        }
        Ok(())
    }

    fn serialize(self: Box<Self>, segment: &Segment, _mapping: Option<&DocIdMapping>) -> tantivy::Result<()> {
        self.write(segment)
    }

    fn mem_usage(&self) -> usize {
        self.rows.capacity() + self.heap.capacity()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
