//! The metrics of the store: handles, names and help texts.
//!
//! [`crate::Store::register_metrics`] registers them, together with those of the engine.

use std::time::Instant;

use metrics::{Counter, Gauge, Histogram, Metric, Value};

/// The bounds in seconds between which times of operations and of locks are counted.
const OPERATION_CUTS: [f64; 10] = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0];

/// An operation on a document or on all documents of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentOperation {
    /// A new document.
    Insert,
    /// A patch of a document.
    Update,
    /// Another document under the same key.
    Replace,
    /// A removal of a document.
    Remove,
    /// A lookup of a document by its key.
    Read,
    /// A removal of all documents of a collection.
    Truncate,
}

/// The times of each kind of operation since the store opened.
#[derive(Debug)]
pub(crate) struct DocumentTimes {
    inserts: Histogram<10>,
    updates: Histogram<10>,
    replacements: Histogram<10>,
    removals: Histogram<10>,
    reads: Histogram<10>,
    truncations: Histogram<10>,
}

impl Default for DocumentTimes {
    fn default() -> Self {
        let [inserts, updates, replacements, removals, reads, truncations] =
            [(); 6].map(|()| Histogram::of_times(&OPERATION_CUTS));
        DocumentTimes { inserts, updates, replacements, removals, reads, truncations }
    }
}

impl DocumentTimes {
    /// Counts operations that have ended now and began together.
    pub(crate) fn note(&self, operation: DocumentOperation, count: usize, began: Instant) {
        let histogram = match operation {
            DocumentOperation::Insert => &self.inserts,
            DocumentOperation::Update => &self.updates,
            DocumentOperation::Replace => &self.replacements,
            DocumentOperation::Remove => &self.removals,
            DocumentOperation::Read => &self.reads,
            DocumentOperation::Truncate => &self.truncations,
        };
        histogram.add_times(count as u64, began.elapsed());
    }

    fn writes(&self) -> u64 {
        let kinds = [&self.inserts, &self.updates, &self.replacements, &self.removals];
        kinds.map(|kind| kind.summary().count()).iter().sum()
    }
}

/// Registered only if the times are measured.
pub(crate) const DOCUMENTS: &[Metric<DocumentTimes>] = &[
    Metric::histogram(
        "arangodb_document_insert_time",
        "Time of each insert of a document in seconds.",
        |times| (&times.inserts).into(),
    ),
    Metric::histogram(
        "arangodb_document_update_time",
        "Time of each update of a document in seconds.",
        |times| (&times.updates).into(),
    ),
    Metric::histogram(
        "arangodb_document_replace_time",
        "Time of each replacement of a document in seconds.",
        |times| (&times.replacements).into(),
    ),
    Metric::histogram(
        "arangodb_document_remove_time",
        "Time of each removal of a document in seconds.",
        |times| (&times.removals).into(),
    ),
    Metric::counter("arangodb_document_writes_total", "Total number of document writes.", |times| {
        times.writes().into()
    }),
    Metric::counter(
        "arangodb_document_writes_replication_total",
        "Total number of document writes for another server; always 0.",
        |_| Value::Number(0),
    ),
    Metric::histogram(
        "arangodb_document_read_time",
        "Time of each document lookup by key in seconds.",
        |times| (&times.reads).into(),
    ),
    Metric::histogram(
        "arangodb_collection_truncate_time",
        "Time of each truncation of a collection in seconds.",
        |times| (&times.truncations).into(),
    ),
    Metric::counter(
        "arangodb_collection_truncates_total",
        "Total number of truncations of collections.",
        |times| times.truncations.summary().count().into(),
    ),
    Metric::counter(
        "arangodb_collection_truncates_replication_total",
        "Total number of truncations of collections for another server; always 0.",
        |_| Value::Number(0),
    ),
];

/// The waits of transactions for collections since the store opened.
#[derive(Debug)]
pub(crate) struct LockCounts {
    /// The times of all locks, including those that were free.
    pub(crate) waits: Histogram<10>,
    pub(crate) shared_timeouts: Counter,
    pub(crate) exclusive_timeouts: Counter,
}

impl Default for LockCounts {
    fn default() -> Self {
        LockCounts {
            waits: Histogram::of_times(&OPERATION_CUTS),
            shared_timeouts: Counter::new(),
            exclusive_timeouts: Counter::new(),
        }
    }
}

pub(crate) const LOCKS: &[Metric<LockCounts>] = &[
    Metric::counter(
        "arangodb_collection_lock_acquisition_micros_total",
        "Total time that writers waited for locks of collections, in microseconds.",
        |locks| (locks.waits.summary().sum * 1e6).round().into(),
    ),
    Metric::histogram(
        "arangodb_collection_lock_acquisition_time",
        "Time that writers waited for locks of collections, in seconds.",
        |locks| (&locks.waits).into(),
    ),
    Metric::counter(
        "arangodb_collection_lock_timeouts_exclusive_total",
        "Total number of timeouts while waiting for exclusive locks of collections.",
        |locks| (&locks.exclusive_timeouts).into(),
    ),
    Metric::counter(
        "arangodb_collection_lock_timeouts_write_total",
        "Total number of timeouts while waiting for shared locks of collections.",
        |locks| (&locks.shared_timeouts).into(),
    ),
];

pub(crate) const COMMITS: &[Metric<Counter>] = &[Metric::counter(
    "arangodb_intermediate_commits_total",
    "Total number of intermediate commits of queries.",
    |commits| commits.into(),
)];

/// Statistics of the cache of documents and edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadCacheStatistics {
    /// Maximum size of all entries in bytes.
    pub limit_bytes: u64,
    /// Size of all entries in bytes.
    pub used_bytes: u64,
    /// Lookups that found an entry.
    pub hits: u64,
    /// Lookups that found none.
    pub misses: u64,
}

pub(crate) const READ_CACHE: &[Metric<ReadCacheStatistics>] = &[
    Metric::gauge(
        "rocksdb_cache_limit",
        "Maximum size of the cache of documents and edges in bytes.",
        |cache| cache.limit_bytes.into(),
    ),
    Metric::gauge("rocksdb_cache_allocated", "Size of the cache of documents and edges in bytes.", |cache| {
        cache.used_bytes.into()
    }),
    Metric::gauge(
        "rocksdb_cache_hit_rate_lifetime",
        "Hit rate of the cache of documents and edges since the start, from 0 to 1.",
        |cache| (cache.hits as f64 / (cache.hits + cache.misses).max(1) as f64).into(),
    ),
];

/// Bucket bounds for the times of trainings and builds of vector indexes, in seconds.
const BUILD_CUTS: [f64; 8] = [0.1, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0];

/// The trainings and builds of vector indexes since the store opened.
#[derive(Debug)]
pub(crate) struct VectorBuilds {
    /// The times of trainings that had enough documents.
    pub(crate) trainings: Histogram<8>,
    /// The times of builds of all entries after a training.
    pub(crate) ingestions: Histogram<8>,
    pub(crate) ongoing_trainings: Gauge,
}

impl Default for VectorBuilds {
    fn default() -> Self {
        VectorBuilds {
            trainings: Histogram::of_times(&BUILD_CUTS),
            ingestions: Histogram::of_times(&BUILD_CUTS),
            ongoing_trainings: Gauge::new(),
        }
    }
}

pub(crate) const VECTOR_BUILDS: &[Metric<VectorBuilds>] = &[
    Metric::histogram(
        "arangodb_vector_index_ingestion_duration",
        "Time in which vector indexes stored the vectors of all documents after a training, in seconds.",
        |builds| (&builds.ingestions).into(),
    ),
    Metric::histogram(
        "arangodb_vector_index_training_duration",
        "Time of trainings of vector indexes in seconds.",
        |builds| (&builds.trainings).into(),
    ),
    Metric::gauge(
        "arangodb_vector_index_training_ongoing",
        "Number of trainings of vector indexes that run now.",
        |builds| (&builds.ongoing_trainings).into(),
    ),
];

/// The number of vector indexes that are not trained.
pub(crate) struct UntrainedIndexes(pub(crate) usize);

pub(crate) const UNTRAINED: &[Metric<UntrainedIndexes>] = &[Metric::gauge(
    "arangodb_vector_index_unusable",
    "Number of vector indexes that are not trained.",
    |untrained| untrained.0.into(),
)];

/// The size of the catalog.
pub(crate) struct CatalogSize {
    pub(crate) databases: usize,
    pub(crate) collections: usize,
}

pub(crate) const CATALOG: &[Metric<CatalogSize>] = &[
    Metric::gauge("arangodb_metadata_number_of_databases", "Number of databases.", |catalog| {
        catalog.databases.into()
    }),
    Metric::gauge(
        "arangodb_metadata_number_of_collections",
        "Number of collections in all databases, including system collections.",
        |catalog| catalog.collections.into(),
    ),
];

/// The size and the state of a text index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextIndexStatistics {
    /// Documents, nested and deleted ones included.
    pub documents: u64,
    /// Documents that were not deleted.
    pub living_documents: u64,
    /// Segments.
    pub segments: u64,
    /// Files of segments.
    pub files: u64,
    /// Bytes of segments, in memory and in files.
    pub bytes: u64,
    /// Percent of the documents that an index which is being built has; `None` for a built one.
    pub progress_percent: Option<u64>,
    /// The age of the oldest change that a built index does not show yet, in milliseconds.
    pub delay_ms: u64,
}

/// The labels and the statistics of each index.
pub(crate) type TextIndexes = Vec<(String, TextIndexStatistics)>;

pub(crate) const SEARCH: &[Metric<TextIndexes>] = &[
    Metric::gauge(
        "arangodb_search_num_docs",
        "Number of documents in the index, including nested and deleted ones.",
        |indexes| of_each(indexes, |index| index.documents),
    ),
    Metric::gauge("arangodb_search_num_live_docs", "Number of live documents in the index.", |indexes| {
        of_each(indexes, |index| index.living_documents)
    }),
    Metric::gauge("arangodb_search_num_segments", "Number of segments of the index.", |indexes| {
        of_each(indexes, |index| index.segments)
    }),
    Metric::gauge("arangodb_search_num_files", "Number of segment files of the index.", |indexes| {
        of_each(indexes, |index| index.files)
    }),
    Metric::gauge("arangodb_search_index_size", "Size of the index's segments in bytes.", |indexes| {
        of_each(indexes, |index| index.bytes)
    }),
    Metric::gauge(
        "persea_search_delay_milliseconds",
        "Age of the oldest change that the index does not show yet, in milliseconds.",
        |indexes| of_each(indexes, |index| index.delay_ms),
    ),
];

fn of_each(indexes: &TextIndexes, value: fn(&TextIndexStatistics) -> u64) -> Value {
    Value::Labelled(indexes.iter().map(|(labels, index)| (labels.clone(), value(index).into())).collect())
}
