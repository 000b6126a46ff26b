//! `--mmfiles`: the memory-mapped engine.

use std::sync::Arc;

use encryption::MasterKey;
use kv::LogRecovery;
use kv_mmap::MmapOptions;
use options::{Bytes, Choice, Maybe, Number, Opt, Options, bytes, choice, number};
use storage::MemoryBudget;

use super::{LOG_RECOVERIES, unless_zero};

options::section! {
    static FLUSH_INTERVAL: Opt<Number> =
        number("mmfiles.flush-interval", "1000", "Maximum delay in milliseconds until a commit is merged from the log into the mapped file.");
    static LOG_RECOVERY: Opt<Choice<LogRecovery>> =
        choice("mmfiles.log-recovery", LOG_RECOVERIES, "strict", "Action on a damaged log: `strict` refuses to start; `salvage` recovers what precedes the damage and moves the rest aside.");
    static MAX_MAP_SIZE: Opt<Maybe<Bytes>> =
        bytes("mmfiles.max-map-size", "", "Address space in bytes for the mapped file, which limits the size of the data. Default: 1 TiB, or half of the address space limit.").optional();
    static MAX_OLD_SNAPSHOT_SIZE: Opt<Bytes> =
        bytes("mmfiles.max-old-snapshot-size", "4GiB", "Maximum number of bytes that the mapped file may grow because of old readers. Beyond that they fail.");
    static SYNC_INTERVAL: Opt<Number> =
        number("mmfiles.sync-interval", "100", "Maximum delay in milliseconds until a commit that does not wait for the disk is synced.");
}

/// Makes the options of the engine. An encrypted store keeps decrypted pages in the memory that the
/// block cache of RocksDB would have.
pub(super) fn settings(
    options: &Options,
    budget: &MemoryBudget,
    encryption: Option<Arc<MasterKey>>,
) -> MmapOptions {
    let defaults = MmapOptions::default();
    if encryption.is_some() && options.is_given(MAX_MAP_SIZE.row()) {
        let name = MAX_MAP_SIZE.name;
        tracing::warn!(target: "config", "--{name} has no effect: the tables of encrypted data are not mapped");
    }
    let unmerged = budget.memtable_bytes + if encryption.is_some() { 0 } else { budget.block_cache_bytes };
    MmapOptions {
        memory_bytes: usize::try_from(unmerged).unwrap_or(usize::MAX),
        cache_bytes: usize::try_from(budget.block_cache_bytes).unwrap_or(usize::MAX),
        encryption,
        flush_interval_ms: unless_zero(options.get(&FLUSH_INTERVAL), defaults.flush_interval_ms),
        sync_interval_ms: unless_zero(options.get(&SYNC_INTERVAL), defaults.sync_interval_ms),
        map_bytes: options.get(&MAX_MAP_SIZE).filter(|bytes| *bytes > 0),
        old_snapshot_bytes: options.get(&MAX_OLD_SNAPSHOT_SIZE),
        log_recovery: options.get(&LOG_RECOVERY),
    }
}
