//! Segments: immutable parts of an index.

mod alive;
mod block_maxima;
mod encrypted_directory;
mod layout;
mod merge;
mod rows;
mod tantivy_document;
mod writer;

use std::collections::HashMap;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use encryption::MasterKey;
use errors::{Error, Result};
use owner::Interrupt;
use tantivy::columnar::Column;
use tantivy::directory::{Directory, MmapDirectory, RamDirectory};
use tantivy::index::InvertedIndexReader;
use tantivy::postings::{SegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, Index, SegmentReader, TantivyError};

use crate::analysis::Dictionary;
use crate::pulse::Pulse;
use crate::term;
use encrypted_directory::EncryptedDirectory;
use rows::{Rows, RowsPlugin};

pub use alive::Alive;
pub(crate) use block_maxima::{BlockMaxima, Corner};
pub use merge::merge;
pub use writer::SegmentWriter;

/// The place of a segment.
#[derive(Clone, Debug)]
pub enum Place {
    /// In memory. It is gone when the segment is dropped.
    Memory,
    /// In a folder that is empty or does not exist. Everything is synced when the segment is done.
    Folder(SegmentFolder),
}

impl Place {
    fn directory(&self) -> Result<Box<dyn Directory>> {
        match self {
            Place::Memory => Ok(Box::new(RamDirectory::create())),
            Place::Folder(folder) => {
                let path = &folder.path;
                std::fs::create_dir_all(path).map_err(|error| failed(path, error))?;
                folder.directory()
            }
        }
    }

    /// Returns a directory for a segment in memory.
    fn memory(&self) -> Option<RamDirectory> {
        matches!(self, Place::Memory).then(RamDirectory::create)
    }
}

/// A folder of a segment.
#[derive(Clone, Debug)]
pub struct SegmentFolder {
    /// The folder.
    pub path: PathBuf,
    /// The key of its files, if they are encrypted.
    pub encryption: Option<Arc<MasterKey>>,
}

impl SegmentFolder {
    fn directory(&self) -> Result<Box<dyn Directory>> {
        let files = MmapDirectory::open(&self.path).map_err(|error| failed(&self.path, error))?;
        Ok(match &self.encryption {
            None => Box::new(files),
            Some(master) => Box::new(EncryptedDirectory::new(files, Arc::clone(master))),
        })
    }
}

impl From<PathBuf> for SegmentFolder {
    /// Returns a folder of plain files.
    fn from(path: PathBuf) -> Self {
        SegmentFolder { path, encryption: None }
    }
}

fn failed(folder: &FilePath, error: impl std::fmt::Display) -> Error {
    Error::internal(format!("the folder {} of a search segment: {error}", folder.display()))
}

/// Returns the error for a failure within tantivy.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub(crate) fn tantivy_error(error: TantivyError) -> Error {
    Error::internal(format!("a search segment: {error}"))
}

/// Returns the error for a file of a segment that cannot be read.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub(crate) fn read_error(error: std::io::Error) -> Error {
    Error::internal(format!("a search segment: {error}"))
}

/// Minimum number of documents of a term whose block maxima are kept. Fewer are scored in less than
/// 50 µs.
const KEPT_MAXIMA_DOCUMENTS_MIN: u32 = 1024;

/// Maximum memory of a segment's block maxima, in bytes for each document.
///
/// Texts of 48 words take about 5 if every frequent word has been searched for.
const MAXIMA_BYTES_PER_DOCUMENT: usize = 8;

/// A merge computes the maxima of terms that one of this many documents has.
const PREPARED_SHARE: u32 = 64;

/// The numbers of tokens that the documents have in one field.
#[derive(Clone)]
pub(crate) struct Lengths {
    column: Column<i64>,
    /// The sum over all documents.
    pub(crate) total: u64,
}

impl Lengths {
    /// Returns the number of tokens of a document.
    #[inline]
    pub(crate) fn of(&self, document: DocId) -> u32 {
        self.column.first(document).map_or(0, |length| length as u32)
    }
}

/// An immutable segment: its dictionaries, keys and lengths.
pub struct Segment {
    segment: tantivy::Segment,
    reader: SegmentReader,
    dictionaries: [Arc<InvertedIndexReader>; 3],
    rows: Rows,
    memory_bytes: usize,
    /// The lengths that were asked for, by the prefix of the field's tokens.
    lengths: Mutex<HashMap<String, Option<Lengths>>>,
    maxima: Mutex<KeptMaxima>,
}

/// The block maxima of terms, by dictionary and the place of the term's documents.
#[derive(Default)]
struct KeptMaxima {
    of_terms: HashMap<(u8, usize), Arc<BlockMaxima>>,
    bytes: usize,
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Segment of {} documents", self.documents())
    }
}

impl Segment {
    /// Opens the segment in a folder.
    ///
    /// Errors: 4 if there is none or it cannot be read.
    pub fn open(folder: &SegmentFolder) -> Result<Segment> {
        let mut index = Index::open(folder.directory()?).map_err(tantivy_error)?;
        index.register_plugin(Arc::new(RowsPlugin));
        Segment::of(&index, 0)
    }

    /// Returns the only segment of a tantivy index.
    pub(crate) fn of(index: &Index, memory_bytes: usize) -> Result<Segment> {
        let segments = index.searchable_segments().map_err(tantivy_error)?;
        let segment = segments.into_iter().next().ok_or_else(|| Error::internal("a segment is empty"))?;
        let reader = SegmentReader::open(&segment).map_err(tantivy_error)?;
        let rows = Rows::open(&reader).map_err(tantivy_error)?;
        let dictionary =
            |dictionary| reader.inverted_index(layout::dictionary_field(dictionary)).map_err(tantivy_error);
        let dictionaries = [
            dictionary(Dictionary::Documents)?,
            dictionary(Dictionary::Frequencies)?,
            dictionary(Dictionary::Positions)?,
        ];
        let (lengths, maxima) = (Mutex::new(HashMap::new()), Mutex::default());
        Ok(Segment { segment, reader, dictionaries, rows, memory_bytes, lengths, maxima })
    }

    /// Returns the number of documents, nested and deleted ones included.
    pub fn documents(&self) -> u32 {
        self.reader.max_doc()
    }

    /// Returns the bytes of memory of a segment in memory; 0 for one in a folder.
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Returns the key of a document; empty for a nested one.
    pub fn key(&self, document: DocId) -> &str {
        self.rows.key(document)
    }

    /// Returns the revision of a document.
    pub fn revision(&self, document: DocId) -> u64 {
        self.rows.revision(document)
    }

    /// Returns what a document has in a stored column ([`crate::Schema::stored_column`],
    /// [`crate::Schema::sort_column`]); empty for a nested document.
    ///
    /// A column of stored values is an array of values as VelocyPack. Sort keys compare byte by
    /// byte.
    pub fn column(&self, document: DocId, column: usize) -> &[u8] {
        self.rows.column(document, column)
    }

    /// Returns the number of stored columns.
    pub fn columns(&self) -> usize {
        self.rows.columns()
    }

    /// Returns a dictionary.
    pub(crate) fn dictionary(&self, dictionary: Dictionary) -> &InvertedIndexReader {
        let [documents, frequencies, positions] = &self.dictionaries;
        match dictionary {
            Dictionary::Documents => documents,
            Dictionary::Frequencies => frequencies,
            Dictionary::Positions => positions,
        }
    }

    /// Looks up a term.
    pub(crate) fn term(&self, dictionary: Dictionary, term: &[u8]) -> Result<Option<TermInfo>> {
        self.dictionary(dictionary).terms().get(term).map_err(read_error)
    }

    /// Returns the documents of a term, with all that its dictionary has.
    pub(crate) fn postings(&self, dictionary: Dictionary, term: &TermInfo) -> Result<SegmentPostings> {
        let option = match dictionary {
            Dictionary::Documents => IndexRecordOption::Basic,
            Dictionary::Frequencies => IndexRecordOption::WithFreqs,
            Dictionary::Positions => IndexRecordOption::WithFreqsAndPositions,
        };
        self.dictionary(dictionary).read_postings_from_terminfo(term, option).map_err(read_error)
    }

    /// Returns the lengths of the field whose tokens have this prefix; `None` if none is stored.
    pub(crate) fn lengths(&self, prefix: &str) -> Result<Option<Lengths>> {
        let mut known = self.lengths.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lengths) = known.get(prefix) {
            return Ok(lengths.clone());
        }
        let name = layout::qualified_length_column(prefix);
        let column = self.reader.fast_fields().column_opt::<i64>(&name).map_err(tantivy_error)?;
        let lengths = column.map(|column| {
            let total = column.values.iter().map(|length| length as u64).sum();
            Lengths { column, total }
        });
        known.insert(prefix.to_owned(), lengths.clone());
        Ok(lengths)
    }

    /// Returns the block maxima of a term with these lengths; `None` if it has few documents.
    ///
    /// The first call for a term reads all of its documents. Errors: those of the interrupt and of
    /// the files.
    pub(crate) fn block_maxima(
        &self,
        dictionary: Dictionary,
        term: &TermInfo,
        lengths: Option<&Lengths>,
        pulse: &Pulse,
    ) -> Result<Option<Arc<BlockMaxima>>> {
        if term.doc_freq < KEPT_MAXIMA_DOCUMENTS_MIN {
            return Ok(None);
        }
        let key = (dictionary as u8, term.postings_range.start);
        let kept = || self.maxima.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(maxima) = kept().of_terms.get(&key) {
            return Ok(Some(Arc::clone(maxima)));
        }
        let mut postings = self.postings(dictionary, term)?;
        let maxima = Arc::new(BlockMaxima::of(&mut postings, lengths, pulse)?);
        let mut kept = kept();
        let limit = self.documents() as usize * MAXIMA_BYTES_PER_DOCUMENT;
        if kept.bytes + maxima.memory_bytes() > limit {
            *kept = KeptMaxima::default();
        }
        kept.bytes += maxima.memory_bytes();
        kept.of_terms.insert(key, Arc::clone(&maxima));
        Ok(Some(maxima))
    }

    /// Prepares searches for the best documents by words that many documents have.
    ///
    /// The first search for each of the others prepares for its words itself. Errors: those of the
    /// interrupt and of the files.
    pub fn prepare_maxima(&self, interrupt: &Interrupt) -> Result<()> {
        let pulse = Pulse::new(interrupt);
        let least = (self.documents() / PREPARED_SHARE).max(KEPT_MAXIMA_DOCUMENTS_MIN);
        for dictionary in [Dictionary::Frequencies, Dictionary::Positions] {
            let mut terms = self.dictionary(dictionary).terms().stream().map_err(read_error)?;
            while terms.advance() {
                pulse.step(1)?;
                let prefix = term::prefix_of_token(terms.key());
                if let Some(prefix) = prefix.filter(|_| terms.value().doc_freq >= least) {
                    let lengths = self.lengths(prefix)?;
                    self.block_maxima(dictionary, terms.value(), lengths.as_ref(), &pulse)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the first document of the block that ends with this one: its nested documents.
    pub(crate) fn block_start(&self, document: DocId) -> DocId {
        let mut first = document;
        while first > 0 && self.rows.key(first - 1).is_empty() {
            first -= 1;
        }
        first
    }
}
