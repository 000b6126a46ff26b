//! Rows that an operator has beyond those requested.

use aql_value::Batch;

use crate::batch_limits::BatchLimits;

/// The rest of a batch that had more rows than requested.
#[derive(Default)]
pub(super) struct PendingRows(Option<Batch>);

impl PendingRows {
    /// Returns the next rows, if there are any left.
    pub(super) fn take(&mut self, limits: BatchLimits) -> Option<Batch> {
        let batch = self.0.take()?;
        Some(self.split(batch, limits))
    }

    /// Returns as many rows of a batch as requested and keeps the others.
    pub(super) fn split(&mut self, mut batch: Batch, limits: BatchLimits) -> Batch {
        if batch.selected_len() > limits.rows {
            let mut rest = batch.clone();
            rest.slice(limits.rows, usize::MAX);
            self.0 = Some(rest);
            batch.slice(0, limits.rows);
        }
        batch
    }

    /// Drops the rest, and returns the number of its rows.
    pub(super) fn count_rest(&mut self) -> u64 {
        self.0.take().map_or(0, |rest| rest.selected_len() as u64)
    }

    /// Drops the rest.
    pub(super) fn clear(&mut self) {
        self.0 = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_as_much_as_is_asked_for_until_nothing_is_left() {
        let mut pending = PendingRows::default();
        let limits = |rows| BatchLimits::FULL.of_rows(rows);
        assert_eq!(pending.split(Batch::new(7), limits(3)).selected_len(), 3);
        assert_eq!(pending.take(limits(1)).unwrap().selected().collect::<Vec<_>>(), [3]);
        assert_eq!(pending.take(limits(10)).unwrap().selected().collect::<Vec<_>>(), [4, 5, 6]);
        assert!(pending.take(limits(10)).is_none());
        pending.split(Batch::new(7), limits(3));
        pending.clear();
        assert!(pending.take(limits(10)).is_none());
    }
}
