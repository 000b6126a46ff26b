//! Documents, keys, indexes, transactions and snapshots over a key-value engine.
//!
//! - [`Store`] opens an engine, holds the [`Catalog`] and changes it (DDL).
//! - [`Snapshot`] reads: look-ups in batches, scans in blocks, without copying each document.
//! - [`Transaction`] writes documents together with their index entries, counts and key generator.
//!
//! `docs/storage-format.md` describes the layout in the engine byte by byte. Only [`encoding`] and
//! the types of [`index`] know it.

mod computed_values;
mod document_times;
mod documents;
mod encoding;
mod error;
mod external_sort;
mod fork_join;
mod longest_document;
mod memory_budget;
mod partial_commits;
mod revision;
mod schema;
mod collection_lock;
mod members;
mod scan;
mod id_sequence;
mod key_generator;
mod catalog_snapshot;
mod deletion;
mod edge_ends;
mod follower;
mod index;
mod load;
mod lock_everywhere;
mod metadata;
mod options;
mod search;
mod shared;
mod snapshot;
mod store;
mod transaction;
mod visibility;
mod ddl;
mod statistics;
mod take_snapshot;

pub use crate::search::options::SearchOptions;
pub use crate::search::pins::SearchState;
pub use crate::search::text_index::TextIndexStatistics;
pub use crate::search::upkeep::SearchNotice;
pub use catalog_snapshot::{Catalog, Collection, DataVersion, Database};
pub use collection_lock::LockStatistics;
pub use computed_values::{ComputeEvent, ComputedValues, ComputedValuesCompiler};
pub use ddl::ViewLink;
pub use document_times::{DocumentOperation, OPERATION_CUTS};
pub use documents::{Documents, StoredDocument};
pub use edge_ends::{CollectionCommits, EdgeEnds, LastLoss};
pub use error::lacks_edge_index;
pub use external_sort::{Check, SortedPairs, Sorter};
pub use fork_join::ForkJoin;
pub use index::Index;
pub use index::bounds::{BoundsOfRanges, IndexBounds, IndexRange, bounds_of};
pub use index::build::SharedCheck;
pub use index::edge::{EdgeDirection, EdgeEntries, EdgeEntry, EdgeReader, EdgeScan, VertexEdges};
pub use index::found::{IndexEntries, UniqueEntries};
pub use index::next_scans::NextScans;
pub use index::persistent::{IndexScan, IndexWalk};
pub use index::scan::{EntryScan, ScanHost, ScanOptions, ScanStatistics};
pub use index::value::IndexValue;
pub use index::vector::{NearBounds, NearEntries, NearScan, TrainingState};
pub use kv::histogram;
pub use kv::{Durability, WaitPolicy};
pub use load::{DocumentLoad, LoadOutcome};
pub use memory_budget::MemoryBudget;
pub use options::StoreOptions;
pub use partial_commits::PartialWait;
pub use revision::{REVISION_TEXT_MAX_BYTES, Revision, RevisionClock, RevisionText};
pub use scan::{BlockLimits, DocumentKeys, DocumentScan, DocumentScanSpec, KeyBound};
pub use schema::Schema;
pub use snapshot::Snapshot;
pub use statistics::{CollectionStatistics, IndexStatistics};
pub use store::Store;
pub use transaction::{
    DOCUMENT_MAX_BYTES, DOCUMENT_WAIT, OverwriteMode, PendingTransaction, Savepoint, TRANSACTION_MAX_BYTES,
    Transaction, TransactionOptions, WriteKind, WriteOptions, WriteOutcome, document_key,
};
pub use visibility::read_cache::{CacheUse, ReadCacheStatistics};
