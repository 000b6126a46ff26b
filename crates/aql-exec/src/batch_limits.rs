//! How much an operator is asked for at one time.

/// The most that may be answered at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    /// Rows; at least 1.
    pub rows: usize,
    /// Bytes of documents read from storage, after which a scan ends its batch.
    pub bytes: usize,
    /// Operators may ask for more rows than they answer, to find those that pass a filter. Not where computing a row
    /// has to wait for the writes of the rows before.
    pub read_ahead: bool,
}

impl BatchLimits {
    /// Rows of a batch where the whole input is wanted.
    pub const FULL_ROWS: usize = 1024;
    /// Bytes of documents in a batch.
    pub const FULL_BYTES: usize = 1 << 20;

    /// For consumers that take everything.
    pub const FULL: Self = Self { rows: Self::FULL_ROWS, bytes: Self::FULL_BYTES, read_ahead: true };

    /// What to ask for after a batch of which nothing was left: more.
    pub(crate) fn grown(self, full: Self) -> Self {
        if !self.read_ahead {
            return self;
        }
        Self { rows: self.rows.saturating_mul(GROWTH).min(full.rows).max(self.rows), ..self }
    }

    /// The same for a query with a memory limit: no batch may take more than a small part of it.
    pub(crate) fn within(self, limit_bytes: Option<u64>) -> Self {
        let share = limit_bytes.map_or(u64::MAX, |limit| limit / SHARES_OF_LIMIT);
        Self { bytes: self.bytes.min(usize::try_from(share).unwrap_or(usize::MAX)).max(1), ..self }
    }

    /// The same with at most `rows` rows, and at least 1.
    pub fn of_rows(self, rows: usize) -> Self {
        Self { rows: rows.clamp(1, self.rows), ..self }
    }
}

/// A batch of documents takes at most this part of the query's memory limit.
const SHARES_OF_LIMIT: u64 = 32;

/// Each batch is so many times larger than the one before, up to the largest.
pub(crate) const GROWTH: usize = 4;
