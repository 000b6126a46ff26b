//! Scans over documents and indexes. Each hands over blocks, and holds no iterator after `release`.

mod ahead;
mod document;
mod edge;
mod geo;
mod index;
mod walk;
mod word;
mod zorder;

pub use document::{DocumentKeys, DocumentScan, DocumentScanSpec, KeyBound};
pub use edge::{EdgeDirection, EdgeEntries, EdgeEntry, EdgeReader, EdgeScan, VertexEdges};
pub use geo::{GeoEntries, GeoEntry, GeoEntryKind, GeoScan};
pub(crate) use index::look_up;
pub use index::{IndexBounds, IndexEntries, IndexScan};
pub use kv::BlockLimits;
pub use walk::IndexWalk;
pub use word::{WordEntries, WordScan};
pub use zorder::{BoxBounds, BoxScan};
