//! Full-text search: the engine room of inverted indexes and views.
//!
//! - [`Schema`]: the fields of an index, from its definition.
//! - [`SegmentWriter`]: documents to an immutable [`Segment`], in memory or in a folder; [`merge`]:
//!   several segments to one.
//! - [`SearchSnapshot`]: a state of an index, segments with the bits of their living documents.
//! - [`Query`] and [`Hits`]: conditions, the documents that satisfy them, and their scores.
//!
//! The library tantivy writes, merges and reads dictionaries, lists of documents and columns.
//! Everything that ArangoDB's search defines is here: which terms a document has, which documents
//! a query matches, and how they are scored. This crate knows neither the store nor AQL.

mod analysis;
mod pulse;
mod document_set;
mod encoded_tokens;
mod hit;
mod path;
mod score;
mod schema;
mod term;
mod document;
mod segment;
mod matches;
mod snapshot;
mod hit_set;
mod query;
mod highlight;
mod search;

pub use analysis::Analysis;
pub use highlight::{HighlightLimits, highlights};
pub use hit::Hit;
pub use hit_set::HitSet;
pub use path::Path;
pub use query::{Bounds, DISTANCE_MAX, Matcher, PhrasePart, Query, Similar};
pub use schema::{AnalyzerLookup, FieldRef, Schema, Step};
pub use score::Scorer;
pub use search::Hits;
pub use segment::{Alive, Place, Segment, SegmentFolder, SegmentWriter, merge};
pub use snapshot::{SearchSnapshot, SnapshotPart};
pub use term::{Presence, Value};
