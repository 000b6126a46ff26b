//! Documents, keys, indexes, transactions and snapshots over a key-value engine.
//!
//! - [`Store`] opens an engine, holds the [`Catalog`] and changes it (DDL).
//! - [`Snapshot`] reads: lookups in batches, scans in blocks, without copying each document.
//! - [`Transaction`] writes documents together with their index entries, counts and key generator.
//!
//! `docs/storage-format.md` describes the layout in the engine byte by byte. Only [`encoding`] and
//! the types of [`index`] know it.

mod metrics;
mod base;
mod encoding;
mod sharing;
mod ids;
mod change_log;
mod visibility;
mod locks;
mod scan;
mod index;
mod catalog_snapshot;
mod store_core;
mod snapshot;
mod transaction;
mod store;
mod text_maintenance;
mod load;
mod ddl;
mod changes;

pub use crate::metrics::{ReadCacheStatistics, TextIndexStatistics};
pub use base::change_log_options::{ChangeLogMode, ChangeLogOptions, LogUse, RetentionException};
pub use base::computed_values::{ComputeEvent, ComputedValues, ComputedValuesCompiler};
pub use base::conflicts::repeat_on_conflict;
pub use base::documents::{Documents, StoredDocument};
pub use base::error::lacks_edge_index;
pub use base::external_sort::{Check, SortedPairs, Sorter};
pub use base::fork_join::{ForkJoin, Turn};
pub use base::memory_budget::MemoryBudget;
pub use base::options::StoreOptions;
pub use base::restriction::{Restriction, Restrictions};
pub use base::revision::{REVISION_TEXT_MAX_BYTES, Revision, RevisionClock, RevisionText};
pub use base::schema::Schema;
pub use base::search_options::SearchOptions;
pub use base::usage::{CollectionUsage, UsageCounts};
pub use catalog_snapshot::{Catalog, Collection, Database};
pub use change_log::{LogStart, entries_between, is_left_out};
pub use changes::{COUNTED_MAX, ChangeBlock, ChangeScan, ChangeScope, Commit};
pub use ddl::ViewLink;
pub use ddl::index_build::SharedCheck;
pub use encoding::change::{Change, ChangeKind, ChangedCollection, SERVER_LOG};
pub use index::Index;
pub use index::bounds::{BoundsOfRanges, IndexBounds, IndexRange, bounds_of};
pub use index::edge::{
    EdgeDirection, EdgeEndPairs, EdgeEntries, EdgeEntry, EdgeReader, EdgeScan, EdgeWalk, VertexEdges,
};
pub use index::found::{IndexEntries, UniqueEntries};
pub use index::next_scans::NextScans;
pub use index::persistent::{IndexScan, IndexWalk};
pub use index::scan::{EntryScan, ScanHost, ScanOptions, ScanStatistics};
pub use index::text::pins::SearchState;
pub use index::value::IndexValue;
pub use index::vector::{NearBounds, NearEntries, NearScan, TrainingState};
pub use kv::{Durability, WaitPolicy};
pub use load::{DocumentLoad, LoadOutcome};
pub use locks::partial_commits::PartialWait;
pub use scan::{BlockLimits, DocumentKeys, DocumentScan, DocumentScanSpec, KeyBound};
pub use sharing::{CursorProgress, CursorRecord, CursorRecords};
pub use snapshot::Snapshot;
pub use store::statistics::{CollectionStatistics, IndexStatistics};
pub use store::{DataVersion, DataVersions, Store};
pub use store_core::write_gate::{Membership, WritePermit};
pub use text_maintenance::upkeep::SearchNotice;
pub use transaction::{
    DOCUMENT_MAX_BYTES, DOCUMENT_WAIT, OverwriteMode, PendingTransaction, Savepoint, TRANSACTION_MAX_BYTES,
    Transaction, TransactionOptions, WriteKind, WriteOptions, WriteOutcome, document_key,
};
pub use visibility::edge_ends::{CollectionCommits, EdgeEnds, LastLoss};
pub use visibility::read_cache::CacheUse;
