//! `--mmfiles`: the memory-mapped engine.

use kv::LogRecovery;
use kv_mmap::MmapOptions;
use options::{Bytes, Choice, Maybe, Number, Opt, Options, bytes, choice, number};
use storage::MemoryBudget;

use super::{LOG_RECOVERIES, unless_zero};

options::section! {
    static FLUSH_INTERVAL: Opt<Number> =
        number("mmfiles.flush-interval", "1000", "Milliseconds until a commit is merged from the log into the mapped file.");
    static LOG_RECOVERY: Opt<Choice<LogRecovery>> =
        choice("mmfiles.log-recovery", LOG_RECOVERIES, "strict", "Start with a damaged log: refused, or up to the damage with the rest moved aside.");
    static MAX_MAP_SIZE: Opt<Maybe<Bytes>> =
        bytes("mmfiles.max-map-size", "", "Bytes of address space for the mapped file, which bounds the data. Default: 1 TiB, or half of the limit of address space.").optional();
    static MAX_OLD_SNAPSHOT_SIZE: Opt<Bytes> =
        bytes("mmfiles.max-old-snapshot-size", "4GiB", "Bytes by which old readers may make the mapped file grow before they get an error.");
    static SYNC_INTERVAL: Opt<Number> =
        number("mmfiles.sync-interval", "100", "Milliseconds until a commit is on disk that did not wait for it.");
}

/// Makes the options of the engine.
pub(super) fn settings(options: &Options, budget: &MemoryBudget) -> MmapOptions {
    let defaults = MmapOptions::default();
    MmapOptions {
        memory_bytes: usize::try_from(budget.block_cache_bytes + budget.memtable_bytes).unwrap_or(usize::MAX),
        flush_interval_ms: unless_zero(options.get(&FLUSH_INTERVAL), defaults.flush_interval_ms),
        sync_interval_ms: unless_zero(options.get(&SYNC_INTERVAL), defaults.sync_interval_ms),
        map_bytes: options.get(&MAX_MAP_SIZE).filter(|bytes| *bytes > 0),
        old_snapshot_bytes: options.get(&MAX_OLD_SNAPSHOT_SIZE),
        log_recovery: options.get(&LOG_RECOVERY),
    }
}
