//! `--rocksdb`: the default engine, and the sizes of transactions in it.

use database::query::QueryDefaults;
use kv::LogRecovery;
use kv_rocksdb::{Compression, RocksOptions};
use options::{Bytes, Choice, Flag, Maybe, Number, Opt, Options, bytes, choice, flag, number};
use storage::MemoryBudget;

use super::{LOG_RECOVERIES, unless_zero};

/// Bytes of cache for each table file that stays open. An open file takes about ten kilobytes
/// outside of the cache, so all of them take a twenty-fifth of it. A load leaves a table for each
/// batch, and a lookup in a table that is not open takes several times as long.
const BYTES_PER_OPEN_FILE: u64 = 256 << 10;

const COMPRESSIONS: &[(&str, Compression); 2] = &[("lz4", Compression::Lz4), ("zstd", Compression::Zstd)];

options::section! {
    static COMPRESSION_TYPE: Opt<Choice<Compression>> =
        choice("rocksdb.compression-type", COMPRESSIONS, "lz4", "Compression of most of the data.");
    static INTERMEDIATE_COMMIT_COUNT: Opt<Number> =
        number("rocksdb.intermediate-commit-count", "1000000", "Commit a query's writes after this many documents; 0 means the default.");
    static INTERMEDIATE_COMMIT_SIZE: Opt<Bytes> =
        bytes("rocksdb.intermediate-commit-size", "512MiB", "Commit a query's writes after this many bytes; 0 means the default.");
    static MAX_BACKGROUND_JOBS: Opt<Maybe<Number>> =
        number("rocksdb.max-background-jobs", "", "Maximum number of threads for flushes and compactions. Default: the number of cores.").optional();
    static MAX_OPEN_FILES: Opt<Maybe<Number>> =
        number("rocksdb.max-open-files", "", "Maximum number of table files to keep open. Default: depends on the memory; at most half of the file descriptors.").optional();
    static MAX_TOTAL_WAL_SIZE: Opt<Bytes> =
        bytes("rocksdb.max-total-wal-size", "1GiB", "Size of the write-ahead log in bytes at which old parts are flushed and removed.");
    static MAX_TRANSACTION_SIZE: Opt<Bytes> =
        bytes("rocksdb.max-transaction-size", "0", "Maximum number of bytes that a query may write in one transaction; 0 means no limit.");
    static SYNC_INTERVAL: Opt<Number> =
        number("rocksdb.sync-interval", "100", "Maximum delay in milliseconds until a commit that does not wait for the disk is synced.");
    static USE_DIRECT_IO: Opt<Flag> =
        flag("rocksdb.use-direct-io", false, "Read and write table files without the operating system's page cache.");
    static WAL_RECOVERY_SKIP_CORRUPTED: Opt<Flag> =
        flag("rocksdb.wal-recovery-skip-corrupted", false, "Same as --rocksdb.wal-recovery salvage.");
    static WAL_RECOVERY: Opt<Choice<LogRecovery>> =
        choice("rocksdb.wal-recovery", LOG_RECOVERIES, "strict", "Action on a damaged write-ahead log: `strict` refuses to start; `salvage` recovers what precedes the damage and moves the rest aside.");
}

/// Makes the options of the engine. `descriptors` is the limit of files and connections.
pub(super) fn settings(options: &Options, budget: &MemoryBudget, descriptors: u64) -> RocksOptions {
    let defaults = RocksOptions::default();
    let open_files = max_open_files(options, budget, descriptors);
    let jobs = options.get(&MAX_BACKGROUND_JOBS).unwrap_or(0);
    RocksOptions {
        memory_bytes: usize::try_from(budget.block_cache_bytes + budget.memtable_bytes).unwrap_or(usize::MAX),
        max_open_files: u16::try_from(open_files).unwrap_or(u16::MAX),
        background_jobs: unless_zero(u16::try_from(jobs).unwrap_or(u16::MAX), defaults.background_jobs),
        sync_interval_ms: unless_zero(options.get(&SYNC_INTERVAL), defaults.sync_interval_ms),
        wal_limit_bytes: unless_zero(options.get(&MAX_TOTAL_WAL_SIZE), defaults.wal_limit_bytes),
        wal_recovery: match options.get(&WAL_RECOVERY_SKIP_CORRUPTED) {
            true => LogRecovery::Salvage,
            false => options.get(&WAL_RECOVERY),
        },
        compression: options.get(&COMPRESSION_TYPE),
        direct_io: options.get(&USE_DIRECT_IO),
        encryption: None,
    }
}

/// Returns the number of table files that stay open.
///
/// Without the option, it is at most half of the descriptors and at most what the memory allows,
/// but at least the engine's default.
pub(super) fn max_open_files(options: &Options, budget: &MemoryBudget, descriptors: u64) -> u64 {
    let by_memory = (descriptors / 2)
        .min(budget.block_cache_bytes / BYTES_PER_OPEN_FILE)
        .max(u64::from(RocksOptions::default().max_open_files));
    unless_zero(options.get(&MAX_OPEN_FILES).unwrap_or(0), by_memory)
}

/// Makes the defaults of queries for the sizes of transactions.
pub(super) fn query_defaults(options: &Options) -> QueryDefaults {
    let default = QueryDefaults::default();
    let (count, bytes) = (options.get(&INTERMEDIATE_COMMIT_COUNT), options.get(&INTERMEDIATE_COMMIT_SIZE));
    QueryDefaults {
        max_transaction_bytes: unless_zero(
            options.size(&MAX_TRANSACTION_SIZE),
            default.max_transaction_bytes,
        ),
        intermediate_commit_operations: unless_zero(count, default.intermediate_commit_operations),
        intermediate_commit_bytes: unless_zero(bytes, default.intermediate_commit_bytes),
        ..default
    }
}
