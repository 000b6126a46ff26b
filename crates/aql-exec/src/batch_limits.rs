//! Limits of one batch.

use aql_value::MemoryAccount;

/// The limits of one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    /// Maximum number of rows; at least 1.
    pub rows: usize,
    /// Bytes of documents read from storage after which a scan ends its batch.
    pub bytes: usize,
    /// True if operators may read more rows than they return, to find those that pass a filter.
    ///
    /// It is false if computing a row must wait for the writes of the rows before.
    pub read_ahead: bool,
}

impl BatchLimits {
    /// Rows of a batch for a consumer of the whole input.
    pub const FULL_ROWS: usize = 1024;
    /// Bytes of documents in a batch for a consumer of the whole input.
    pub const FULL_BYTES: usize = 1 << 20;

    /// The limits for a consumer of the whole input.
    pub const FULL: Self = Self { rows: Self::FULL_ROWS, bytes: Self::FULL_BYTES, read_ahead: true };

    /// Returns larger limits, for the next batch after one that was filtered out entirely.
    pub(crate) fn grown(self, full: Self) -> Self {
        if !self.read_ahead {
            return self;
        }
        Self { rows: self.rows.saturating_mul(GROWTH).min(full.rows).max(self.rows), ..self }
    }

    /// Returns the limits for a query with a memory limit: a batch takes at most a small part of
    /// it.
    pub(crate) fn within(self, limit_bytes: Option<u64>) -> Self {
        let share = limit_bytes.map_or(u64::MAX, |limit| limit / SHARES_OF_LIMIT);
        Self { bytes: self.bytes.min(usize::try_from(share).unwrap_or(usize::MAX)).max(1), ..self }
    }

    /// Returns the limits for a query with this account: the more of the memory is in use, the
    /// shorter are batches.
    ///
    /// So queries that wait for their clients take little more than half of the memory together.
    pub fn within_room(self, account: &MemoryAccount) -> Self {
        let (Some(room), Some(limit)) = (account.room_bytes(), account.limit_bytes()) else { return self };
        let share = room.saturating_sub(limit / 2) / SHARES_OF_ROOM;
        let bytes = usize::try_from(share).unwrap_or(usize::MAX).max(BYTES_MIN);
        Self { bytes: self.bytes.min(bytes), ..self }
    }

    /// Returns the number of rows of the next batch, after a batch of `rows` rows that has left
    /// `left_bytes` bytes in memory.
    ///
    /// Its values may be large, and wait for the client.
    pub(crate) fn rows_after(self, asked_rows: usize, rows: usize, left_bytes: u64) -> usize {
        if left_bytes <= HEAVY_BATCH_BYTES {
            return asked_rows.saturating_mul(GROWTH).min(self.rows);
        }
        let affordable = rows as u64 * HEAVY_BATCH_BYTES / left_bytes;
        usize::try_from(affordable).unwrap_or(self.rows).clamp(1, self.rows)
    }

    /// Returns the same limits with at most `rows` rows, and at least 1.
    pub fn of_rows(self, rows: usize) -> Self {
        Self { rows: rows.clamp(1, self.rows), ..self }
    }
}

/// Divisor of the query's memory limit: a batch of documents takes at most this part of it.
const SHARES_OF_LIMIT: u64 = 32;

/// Divisor of the free part of the first half of the memory: a batch takes at most this part of it.
const SHARES_OF_ROOM: u64 = 64;

/// The bytes of a batch for which there is always room: shorter ones would make scans slow.
const BYTES_MIN: usize = 16 << 10;

/// The bytes of a batch of results after which the next one has fewer rows.
const HEAVY_BATCH_BYTES: u64 = 4 << 20;

/// Growth factor from one batch to the next, up to the largest.
pub(crate) const GROWTH: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_of_large_values_have_few_rows() {
        let full = BatchLimits::FULL;
        assert_eq!(full.rows_after(16, 16, 1000), 64);
        assert_eq!(full.rows_after(1024, 1024, 1000), 1024);
        assert_eq!(full.rows_after(1024, 1024, 4 * HEAVY_BATCH_BYTES), 256);
        assert_eq!(full.rows_after(16, 3, 100 * HEAVY_BATCH_BYTES), 1);
        assert_eq!(full.rows_after(16, 0, 100 * HEAVY_BATCH_BYTES), 1);
    }

    #[test]
    fn batches_are_short_where_room_is_scarce() {
        let bytes = |account: &MemoryAccount| BatchLimits::FULL.within_room(account).bytes;
        let account = MemoryAccount::new(Some(128 << 20), None);
        assert_eq!((bytes(&MemoryAccount::unlimited()), bytes(&account)), (1 << 20, 1 << 20));
        account.charge(32 << 20).unwrap();
        assert_eq!(bytes(&account), 512 << 10);
        account.charge(32 << 20).unwrap();
        assert_eq!(bytes(&account), BYTES_MIN);
    }
}
