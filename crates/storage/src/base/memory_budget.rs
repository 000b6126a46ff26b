//! The division of `--memory-limit` among the parts of the server.

/// The least budget: the server could only return errors with less.
const LIMIT_MIN_BYTES: u64 = 64 << 20;
/// Memory that the process needs and no account covers: code, stacks, catalog, allocator.
const OVERHEAD_BYTES: u64 = 32 << 20;
/// Shares of the rest, in percent: block cache, read cache, memtables, queries, results, bodies of
/// requests, sorting, text indexes. They add up to 96, which leaves room for memory that is not
/// counted exactly.
const CACHE_PERCENT: u64 = 20;
const READ_CACHE_PERCENT: u64 = 10;
const MEMTABLE_PERCENT: u64 = 15;
const QUERY_PERCENT: u64 = 25;
const RESULT_PERCENT: u64 = 7;
const REQUEST_PERCENT: u64 = 9;
const SORT_PERCENT: u64 = 5;
const SEARCH_PERCENT: u64 = 5;
const _: () = assert!(
    CACHE_PERCENT
        + READ_CACHE_PERCENT
        + MEMTABLE_PERCENT
        + QUERY_PERCENT
        + RESULT_PERCENT
        + REQUEST_PERCENT
        + SORT_PERCENT
        + SEARCH_PERCENT
        <= 96,
    "the shares leave too little room for memory that is not counted exactly"
);
/// Maximum number of bytes for sorting: more memory would not make it faster.
const SORT_MAX_BYTES: u64 = 256 << 20;
/// Maximum number of bytes for text indexes: larger segments in memory would not be written faster.
const SEARCH_MAX_BYTES: u64 = 512 << 20;

/// The parts of the server's memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBudget {
    /// The sum of all parts.
    pub limit_bytes: u64,
    /// The engine's block cache.
    pub block_cache_bytes: u64,
    /// Documents and edges that were read recently.
    pub read_cache_bytes: u64,
    /// The engine's memtables.
    pub memtable_bytes: u64,
    /// All running queries together.
    pub query_bytes: u64,
    /// Results that wait to be fetched.
    pub result_bytes: u64,
    /// Bodies of requests.
    pub request_bytes: u64,
    /// Each index build and each bulk load.
    pub sort_bytes: u64,
    /// Segments of text indexes that are in memory or being written.
    pub search_bytes: u64,
}

impl MemoryBudget {
    /// Divides a limit. Limits below 64 MiB count as 64 MiB.
    pub fn split(limit_bytes: u64) -> Self {
        let limit_bytes = limit_bytes.max(LIMIT_MIN_BYTES);
        let divided = limit_bytes - OVERHEAD_BYTES;
        let share = |percent: u64| divided / 100 * percent;
        MemoryBudget {
            limit_bytes,
            block_cache_bytes: share(CACHE_PERCENT),
            read_cache_bytes: share(READ_CACHE_PERCENT),
            memtable_bytes: share(MEMTABLE_PERCENT),
            query_bytes: share(QUERY_PERCENT),
            result_bytes: share(RESULT_PERCENT),
            request_bytes: share(REQUEST_PERCENT),
            sort_bytes: share(SORT_PERCENT).min(SORT_MAX_BYTES),
            search_bytes: share(SEARCH_PERCENT).min(SEARCH_MAX_BYTES),
        }
    }

    /// Changes the share of the read cache; the block cache gets the rest of what both have. The
    /// read cache gets at most three quarters of that.
    pub fn with_read_cache(self, read_cache_bytes: u64) -> Self {
        let both = self.block_cache_bytes + self.read_cache_bytes;
        let read_cache_bytes = read_cache_bytes.min(both / 4 * 3);
        MemoryBudget { read_cache_bytes, block_cache_bytes: both - read_cache_bytes, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_stay_within_the_whole() {
        for limit in [0, 1, 64 << 20, 512 << 20, 16 << 30, u64::MAX] {
            let budget = MemoryBudget::split(limit);
            let parts = [
                budget.block_cache_bytes,
                budget.read_cache_bytes,
                budget.memtable_bytes,
                budget.query_bytes,
                budget.result_bytes,
                budget.request_bytes,
                budget.sort_bytes,
                budget.search_bytes,
            ];
            assert!(parts.iter().all(|part| *part > 1 << 20), "{budget:?}");
            let sum = parts.iter().try_fold(OVERHEAD_BYTES, |sum, part| sum.checked_add(*part)).unwrap();
            assert!(sum <= budget.limit_bytes, "{budget:?}");
            let both = budget.block_cache_bytes + budget.read_cache_bytes;
            for wanted in [0, 1 << 20, u64::MAX] {
                let changed = budget.with_read_cache(wanted);
                assert_eq!(changed.block_cache_bytes + changed.read_cache_bytes, both);
                assert!(changed.read_cache_bytes <= wanted && changed.block_cache_bytes >= both / 4);
            }
        }
    }
}
