//! The tuning of the store, derived from one memory budget.

use std::sync::Arc;

use encryption::MasterKey;
use kv::LogRecovery;
use rust_rocksdb::{
    BlockBasedIndexType, BlockBasedOptions, Cache, DBCompressionType, DBRecoveryMode, LogLevel, Options,
    WriteBufferManager, WriteOptions,
};

use crate::encrypted_env::encrypted_env;
use crate::write_stalls::WriteStalls;

/// The minimum memory in bytes. With less, a memtable is full after a few hundred writes and the
/// cache holds a few blocks.
const MEMORY_BYTES_MIN: usize = 16 << 20;

/// The share of the budget for memtables, as a divisor: the larger part is for reading.
const MEMTABLE_SHARE: usize = 4;

/// The maximum size in bytes of all memtables. Larger ones improve neither writes nor tables, but
/// slow down the start after a crash.
const MEMTABLES_BYTES_MAX: usize = 512 << 20;

/// The number of memtables that share their part of the budget: one is written while others become
/// tables.
const MEMTABLE_COUNT: usize = 4;

/// The share of a memtable that its filter takes: 20 bits or more for each pair of 100 bytes.
const MEMTABLE_FILTER_SHARE: f64 = 0.02;

/// The size in bytes at which a table ends.
pub(crate) const TABLE_BYTES: u64 = 64 << 20;

/// The number of tables in the first level at which RocksDB merges them.
pub(crate) const MERGED_FROM_TABLES: u32 = 4;

const BLOCK_BYTES: usize = 16 << 10;

/// The size in bytes of index and filter partitions. It is small, so that reading one key does not
/// fill a small cache.
const METADATA_BLOCK_BYTES: usize = 4 << 10;

/// The number of deleted or overwritten entries of a memtable that one step of a scan may skip:
/// about a millisecond.
const HIDDEN_ENTRIES_MAX: u32 = 5_000;

/// The number of consecutive entries of a table in which deletions are counted.
const DELETION_WINDOW: usize = 4_096;

/// The number of deletions in such a window at which a table is merged.
const DELETIONS_MAX: usize = 3_072;

/// The size of the data, as a multiple of the memory, from which indexes and filters are
/// partitioned.
///
/// Indexes and filters take a hundredth of the data if values are short. Below this limit they fit
/// into the cache as a whole. A lookup of a key then takes a fifth less time than with partitions,
/// and a lookup of an absent key half the time. Above it, whole ones of half a megabyte each would
/// evict each other.
const PARTITIONED_FROM: u64 = 16;

/// The bits per key in filters: one of a hundred lookups of an absent key reads a block needlessly.
const FILTER_BITS_PER_KEY: f64 = 10.0;

/// The compression of the lowest level, which holds nearly all data. The levels above always use
/// LZ4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Fast to read and to write.
    #[default]
    Lz4,
    /// A quarter smaller than LZ4.
    ///
    /// Measured with small documents, bulk loads take 50 % longer. For data that is not cached,
    /// scans take 25 % longer and lookups 40 % longer.
    Zstd,
}

/// The options for opening a store.
#[derive(Clone, Debug)]
pub struct RocksOptions {
    /// The memory in bytes that the block cache, indexes, filters and memtables may take together.
    /// The minimum is 16 MiB.
    pub memory_bytes: usize,
    /// The maximum number of open table files.
    pub max_open_files: u16,
    /// The time in milliseconds from a buffered commit to the sync of the log.
    pub sync_interval_ms: u64,
    /// Threads for flushes and compactions.
    pub background_jobs: u16,
    /// The size of the log in bytes at which memtables are flushed so that the log can be
    /// truncated.
    pub wal_limit_bytes: u64,
    /// The reaction to a log that is damaged before its end.
    pub wal_recovery: LogRecovery,
    /// The compression of the bulk of the data.
    pub compression: Compression,
    /// Reads and writes tables past the operating system's page cache. `memory_bytes` is then all
    /// the memory for caching. The file system must support this.
    pub direct_io: bool,
    /// The key of encrypted files; `None` for plain ones. A store has one or the other for its
    /// whole life.
    pub encryption: Option<Arc<MasterKey>>,
}

impl Default for RocksOptions {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZeroUsize::get);
        RocksOptions {
            memory_bytes: 256 << 20,
            // This stays below the 1,024 descriptors that many systems allow a process, and leaves
            // room for connections.
            max_open_files: 512,
            sync_interval_ms: 100,
            background_jobs: cores.clamp(2, 8) as u16,
            wal_limit_bytes: 1 << 30,
            wal_recovery: LogRecovery::Strict,
            compression: Compression::Lz4,
            direct_io: false,
            encryption: None,
        }
    }
}

/// RocksDB's options and the memory that they share.
pub(crate) struct Tuning {
    pub(crate) options: Options,
    /// The same options for data far larger than memory: see [`wants_partitions`].
    pub(crate) partitioned: Options,
    pub(crate) cache: Cache,
    /// The counts of a listener in both options.
    pub(crate) stalls: WriteStalls,
    /// Options of commits: they write the log and hand it to the operating system without a sync.
    pub(crate) write_options: WriteOptions,
    pub(crate) no_wait_write_options: WriteOptions,
    pub(crate) memory_bytes: usize,
}

/// The change of an open database's options from whole to partitioned indexes and filters. It
/// applies to tables that are written from then on.
pub(crate) const PARTITION_TABLES: [(&str, &str); 1] =
    [("block_based_table_factory", "{index_type=kTwoLevelIndexSearch;partition_filters=true;}")];

/// Returns true if tables with a total of `disk_bytes` should have partitioned indexes and filters.
pub(crate) fn wants_partitions(disk_bytes: u64, memory_bytes: usize) -> bool {
    disk_bytes / PARTITIONED_FROM > memory_bytes as u64
}

impl Tuning {
    pub(crate) fn new(wanted: &RocksOptions) -> Tuning {
        let memory_bytes = wanted.memory_bytes.max(MEMORY_BYTES_MIN);
        let cache = Cache::new_hyper_clock_cache(memory_bytes, 0);
        let mut options = Options::default();
        options.create_if_missing(true);
        if let Some(master) = &wanted.encryption {
            options.set_env(&encrypted_env(master));
        }
        let stalls = WriteStalls::default();
        options.add_event_listener(stalls.clone());
        set_memory(&mut options, memory_bytes, &cache);
        set_levels(&mut options, wanted);
        set_log(&mut options, wanted);
        set_files(&mut options, wanted);
        let mut tables = table_options(&cache);
        options.set_block_based_table_factory(&tables);
        let mut partitioned = options.clone();
        tables.set_index_type(BlockBasedIndexType::TwoLevelIndexSearch);
        tables.set_partition_filters(true);
        partitioned.set_block_based_table_factory(&tables);
        Tuning {
            options,
            partitioned,
            cache,
            stalls,
            write_options: write_options(),
            no_wait_write_options: no_wait_write_options(),
            memory_bytes,
        }
    }
}

/// Sets the memory of memtables. They are charged to the block cache, which evicts blocks for them,
/// so the sum stays within the budget.
fn set_memory(options: &mut Options, memory_bytes: usize, cache: &Cache) {
    let memtables_bytes = (memory_bytes / MEMTABLE_SHARE).min(MEMTABLES_BYTES_MAX);
    // Stall writers rather than exceed the budget.
    let manager =
        WriteBufferManager::new_write_buffer_manager_with_cache(memtables_bytes, true, cache.clone());
    options.set_write_buffer_manager(&manager);
    options.set_write_buffer_size(memtables_bytes / MEMTABLE_COUNT);
    options.set_max_write_buffer_number(MEMTABLE_COUNT as i32);
    // An empty store takes one of these; the default is up to 1 MiB.
    options.set_arena_block_size(256 << 10);
    // Spare the search of the memtables for absent keys, such as those of new documents.
    options.set_memtable_prefix_bloom_ratio(MEMTABLE_FILTER_SHARE);
    options.set_memtable_whole_key_filtering(true);
}

/// Returns options with which a write fails where it would have to wait because RocksDB stalls
/// writers.
fn no_wait_write_options() -> WriteOptions {
    let mut options = write_options();
    options.set_no_slowdown(true);
    options
}

fn write_options() -> WriteOptions {
    let mut options = WriteOptions::default();
    // A batch is in key order, so each insertion starts at the position of the one before.
    options.set_memtable_insert_hint_per_batch(true);
    options
}

fn table_options(cache: &Cache) -> BlockBasedOptions {
    let mut tables = BlockBasedOptions::default();
    tables.set_block_cache(cache);
    tables.set_block_size(BLOCK_BYTES);
    // Indexes and filters live in the cache and count there. With high priority they stay longer
    // than data.
    tables.set_cache_index_and_filter_blocks(true);
    tables.set_cache_index_and_filter_blocks_with_high_priority(true);
    // For partitioned indexes, pin the small top-level index of each table.
    tables.set_pin_top_level_index_and_filter(true);
    tables.set_metadata_block_size(METADATA_BLOCK_BYTES);
    tables.set_bloom_filter(FILTER_BITS_PER_KEY, false);
    tables.set_whole_key_filtering(true);
    // A lookup passes eight keys on average until it finds its own. Side by side, the keys take
    // two or three cache lines of the processor; between documents they would take one each. Blocks
    // also become a hundredth smaller.
    tables.set_separate_key_value_in_data_block(true);
    tables
}

fn set_files(options: &mut Options, wanted: &RocksOptions) {
    options.set_compression_type(DBCompressionType::Lz4);
    options.set_bottommost_compression_type(match wanted.compression {
        Compression::Lz4 => DBCompressionType::Lz4,
        Compression::Zstd => DBCompressionType::Zstd,
    });
    options.set_max_open_files(i32::from(wanted.max_open_files));
    options.set_use_direct_reads(wanted.direct_io);
    options.set_use_direct_io_for_flush_and_compaction(wanted.direct_io);
}

fn set_levels(options: &mut Options, wanted: &RocksOptions) {
    let jobs = wanted.background_jobs.max(2);
    options.set_level_compaction_dynamic_level_bytes(true);
    options.set_max_background_jobs(i32::from(jobs));
    options.set_max_subcompactions(u32::from(jobs.div_ceil(2)));
    options.set_target_file_size_base(TABLE_BYTES);
    options.set_max_bytes_for_level_base(4 * TABLE_BYTES);
    options.set_level_zero_file_num_compaction_trigger(MERGED_FROM_TABLES.cast_signed());
    options.set_bytes_per_sync(1 << 20);
    // Each input of a compaction has such a buffer, outside of the cache.
    options.set_compaction_readahead_size(512 << 10);
    // A range drop should not stay in the memtable until other writes displace it.
    options.set_memtable_max_range_deletions(64);
    // A reader that repeatedly takes the first of many keys, as from a queue, skips all keys that
    // were deleted before. So memtables with many deletions are flushed, and tables with many
    // deletions in a row are merged.
    options.set_memtable_op_scan_flush_trigger(HIDDEN_ENTRIES_MAX);
    options.add_compact_on_deletion_collector_factory_count_only(DELETION_WINDOW, DELETIONS_MAX);
    // An idle server does nothing, and a start does not read all tables.
    options.set_stats_dump_period_sec(0);
    options.set_stats_persist_period_sec(0);
    options.set_skip_stats_update_on_db_open(true);
    options.set_log_level(LogLevel::Warn);
    options.set_keep_log_file_num(3);
    options.set_max_log_file_size(4 << 20);
}

fn set_log(options: &mut Options, wanted: &RocksOptions) {
    options.set_max_total_wal_size(wanted.wal_limit_bytes);
    // Each commit is handed to the operating system before it returns.
    options.set_manual_wal_flush(false);
    // The log is replayed up to the first gap or torn record. `recovery` has already decided
    // whether that is damage. The mode that only tolerates a torn tail would refuse a gap of
    // unsynced pages, which reach the disk in any order.
    options.set_wal_recovery_mode(DBRecoveryMode::PointInTime);
    // A log file that was synced and closed must have its full length.
    options.set_track_and_verify_wals_in_manifest(true);
}
