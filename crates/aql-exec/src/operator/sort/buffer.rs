//! Rows to be sorted, in memory.

use aql_value::{Batch, Charge, Column, Interrupt, Register, Value};
use errors::Result;

use super::SortKey;
use super::retained::retain;

/// Spare rows of a limited buffer. It shrinks to the limit at twice the limit plus this number.
const ROWS_BEYOND_LIMIT: usize = 4096;

/// Rows with their keys.
pub(super) struct SortBuffer {
    criteria: Box<[SortKey]>,
    carry: Box<[Register]>,
    limit: Option<usize>,
    batches: Vec<Batch>,
    entries: Vec<Entry>,
    /// All keys, concatenated.
    keys: Vec<u8>,
    /// The key of the last row within the limit, once there are enough rows: greater ones are
    /// dropped.
    threshold: Option<Vec<u8>>,
    charge: Charge,
}

/// A row.
#[derive(Clone, Copy)]
struct Entry {
    /// The first bytes of the key, which decide most comparisons.
    prefix: u64,
    key_start: usize,
    key_end: usize,
    batch: u32,
    row: u32,
}

impl SortBuffer {
    pub(super) fn new(
        criteria: &[SortKey],
        carry: &[Register],
        limit: Option<usize>,
        charge: Charge,
    ) -> Self {
        Self {
            criteria: criteria.into(),
            carry: carry.into(),
            limit,
            batches: Vec::new(),
            entries: Vec::new(),
            keys: Vec::new(),
            threshold: None,
            charge,
        }
    }

    /// Returns the bytes that the buffer takes.
    pub(super) fn bytes(&self) -> u64 {
        self.charge.bytes()
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the registers of the rows.
    pub(super) fn carry(&self) -> &[Register] {
        &self.carry
    }

    /// Adds the rows of a batch.
    ///
    /// `morsel` is the number of their morsel where several threads sort. It orders rows that are
    /// equal otherwise.
    pub(super) fn add(&mut self, batch: &Batch, morsel: Option<u32>, interrupt: &Interrupt) -> Result<()> {
        if self.limit == Some(0) {
            return Ok(());
        }
        let (entries_before, keys_before) = (self.entries.len(), self.keys.len());
        let mut rows = Vec::new();
        for row in batch.selected() {
            let key_start = self.keys.len();
            self.push_key(batch, row);
            self.keys.extend(morsel.map(u32::to_be_bytes).into_iter().flatten());
            let key = self.keys.get(key_start..).unwrap_or_default();
            if self.threshold.as_ref().is_some_and(|threshold| key >= threshold.as_slice()) {
                self.keys.truncate(key_start);
                continue;
            }
            let entry = Entry {
                prefix: prefix_of(key),
                key_start,
                key_end: self.keys.len(),
                batch: self.batches.len() as u32,
                row: rows.len() as u32,
            };
            self.entries.push(entry);
            rows.push(row as u32);
        }
        if rows.is_empty() {
            return Ok(());
        }
        let mut kept = batch.clone();
        kept.select(rows.into());
        let (kept, bytes) = retain(&kept, &self.carry);
        self.batches.push(kept);
        let index =
            (self.entries.len() - entries_before) * size_of::<Entry>() + self.keys.len() - keys_before;
        self.charge.grow(bytes + index as u64)?;
        match self.limit {
            Some(limit)
                if self.entries.len() >= limit.saturating_mul(2).saturating_add(ROWS_BEYOND_LIMIT) =>
            {
                self.reduce_to_limit(interrupt)
            }
            _ => Ok(()),
        }
    }

    /// Appends the key of a row.
    ///
    /// Keys of values delimit themselves, so they can be joined, and inverted for a descending
    /// order.
    fn push_key(&mut self, batch: &Batch, row: usize) {
        for criterion in &self.criteria {
            let start = self.keys.len();
            match batch.column(criterion.register) {
                Some(column) => column.get(row).sort_key(&mut self.keys),
                None => Value::Null.sort_key(&mut self.keys),
            }
            if !criterion.ascending {
                self.keys.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
            }
        }
    }

    /// Adds the rows of another buffer, whose morsels are others.
    pub(super) fn append(&mut self, other: Self) -> Result<()> {
        self.charge.grow(other.bytes())?;
        let (keys, batches) = (self.keys.len(), self.batches.len() as u32);
        self.keys.extend_from_slice(&other.keys);
        self.batches.extend(other.batches);
        self.entries.extend(other.entries.into_iter().map(|entry| Entry {
            key_start: entry.key_start + keys,
            key_end: entry.key_end + keys,
            batch: entry.batch + batches,
            ..entry
        }));
        Ok(())
    }

    /// Sorts the rows and drops those beyond the limit, if there are at least twice as many as the
    /// limit.
    pub(super) fn reduce_to_limit(&mut self, interrupt: &Interrupt) -> Result<()> {
        let Some(limit) = self.limit else { return Ok(()) };
        if self.entries.len() < limit.saturating_mul(2) {
            return Ok(());
        }
        self.sort_entries(interrupt)?;
        self.entries.truncate(limit);
        let rows = self.rows(0, limit).unwrap_or_default();
        let mut keys =
            Vec::with_capacity(self.entries.iter().map(|entry| entry.key_end - entry.key_start).sum());
        for (row, entry) in self.entries.iter_mut().enumerate() {
            let start = keys.len();
            keys.extend_from_slice(self.keys.get(entry.key_start..entry.key_end).unwrap_or_default());
            (entry.key_start, entry.key_end) = (start, keys.len());
            (entry.batch, entry.row) = (0, row as u32);
        }
        self.keys = keys;
        self.threshold = self.entries.last().map(|last| self.key(last).to_vec());
        let (rows, bytes) = retain(&detach(&rows, &self.carry), &self.carry);
        self.batches = vec![rows];
        self.charge.clear();
        self.charge.grow(bytes + (self.keys.len() + self.entries.len() * size_of::<Entry>()) as u64)
    }

    fn key(&self, entry: &Entry) -> &[u8] {
        self.keys.get(entry.key_start..entry.key_end).unwrap_or_default()
    }

    /// Sorts the rows and drops those beyond the limit.
    pub(super) fn sort(&mut self, interrupt: &Interrupt) -> Result<()> {
        self.sort_entries(interrupt)?;
        if let Some(limit) = self.limit {
            self.entries.truncate(limit);
        }
        Ok(())
    }

    fn sort_entries(&mut self, interrupt: &Interrupt) -> Result<()> {
        let keys = &self.keys;
        let key = |entry: &Entry| keys.get(entry.key_start..entry.key_end).unwrap_or_default();
        let compare = |left: &Entry, right: &Entry| {
            left.prefix
                .cmp(&right.prefix)
                .then_with(|| key(left).cmp(key(right)))
                // The order of arrival.
                .then_with(|| (left.batch, left.row).cmp(&(right.batch, right.row)))
        };
        aql_value::merge_sort(&mut self.entries, compare, || interrupt.check())
    }

    /// Returns at most `count` rows from position `first` on; `None` after the last.
    pub(super) fn rows(&self, first: usize, count: usize) -> Option<Batch> {
        let end = self.entries.len().min(first.saturating_add(count));
        let entries = self.entries.get(first..end).filter(|entries| !entries.is_empty())?;
        if let [only] = self.batches.as_slice() {
            let rows = entries.iter().map(|entry| entry.row).collect();
            return Some(only.gather(&rows));
        }
        let mut batch = Batch::new(entries.len());
        for &register in &self.carry {
            let value = |entry: &Entry| {
                self.batches
                    .get(entry.batch as usize)
                    .map_or(Value::Null, |batch| batch.value(register, entry.row as usize))
            };
            batch.set_column(register, Column::from_values(entries.iter().map(value).collect()));
        }
        Some(batch)
    }

    /// Calls `visit` with key and row of every row in the order of arrival, then drops them.
    ///
    /// The row is a batch and a position in it.
    pub(super) fn drain(&mut self, mut visit: impl FnMut(&[u8], &Batch, usize) -> Result<()>) -> Result<()> {
        for entry in &self.entries {
            if let Some(batch) = self.batches.get(entry.batch as usize) {
                visit(self.key(entry), batch, entry.row as usize)?;
            }
        }
        self.entries.clear();
        self.batches.clear();
        self.keys.clear();
        self.charge.clear();
        Ok(())
    }
}

/// Returns the first eight bytes as a number that orders as they do.
fn prefix_of(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(key).for_each(|(byte, own)| *byte = *own);
    u64::from_be_bytes(bytes)
}

/// Copies the rows, so that they keep nothing else in memory.
fn detach(batch: &Batch, registers: &[Register]) -> Batch {
    let mut detached = Batch::new(batch.rows());
    for &register in registers {
        let Some(column) = batch.column(register) else { continue };
        let column = match column {
            Column::Constant(_) => column.clone(),
            _ => Column::from_values((0..batch.rows()).map(|row| column.get(row).detached()).collect()),
        };
        detached.set_column(register, column);
    }
    detached
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aql_value::MemoryAccount;

    use super::*;

    fn buffer(limit: Option<usize>, account: &Arc<MemoryAccount>) -> SortBuffer {
        let criteria = [SortKey { register: 0, ascending: true }, SortKey { register: 1, ascending: false }];
        SortBuffer::new(&criteria, &[1, 2], limit, Charge::new(Arc::clone(account)))
    }

    fn batch(rows: std::ops::Range<i64>) -> Batch {
        let mut batch = Batch::new(rows.clone().count());
        let column = |value: fn(i64) -> i64| {
            Column::from_values(rows.clone().map(|row| Value::Int(value(row))).collect())
        };
        batch.set_column(0, column(|row| row * 7919 % 13));
        batch.set_column(1, column(|row| row * 7919 % 101));
        batch.set_column(2, column(|row| row));
        batch
    }

    fn rows_of(buffer: &SortBuffer, first: usize, count: usize) -> Vec<i64> {
        let rows = buffer.rows(first, count);
        rows.map_or_else(Vec::new, |rows| rows.selected().map(|row| rows.value(2, row).to_i64()).collect())
    }

    fn expected(count: i64) -> Vec<i64> {
        let mut rows: Vec<i64> = (0..count).collect();
        rows.sort_by_key(|row| (row * 7919 % 13, std::cmp::Reverse(row * 7919 % 101)));
        rows
    }

    #[test]
    fn sorts_by_several_criteria_and_keeps_the_order_of_equal_rows() {
        let account = Arc::new(MemoryAccount::unlimited());
        let mut buffer = buffer(None, &account);
        for start in (0..5000).step_by(500) {
            buffer.add(&batch(start..start + 500), None, &Interrupt::new()).unwrap();
        }
        buffer.sort(&Interrupt::new()).unwrap();
        assert_eq!(rows_of(&buffer, 0, 10_000), expected(5000));
        assert_eq!(rows_of(&buffer, 4999, 5), expected(5000)[4999..]);
        assert!(buffer.rows(5000, 1).is_none());
    }

    #[test]
    fn buffers_of_several_threads_give_the_order_of_one() {
        let account = Arc::new(MemoryAccount::unlimited());
        let mut buffers = [buffer(Some(50), &account), buffer(Some(50), &account)];
        for morsel in 0..40_u32 {
            let rows = i64::from(morsel) * 500..(i64::from(morsel) + 1) * 500;
            // Threads take morsels in turn, but not in step.
            let thread = usize::from(morsel % 7 > 2);
            buffers[thread].add(&batch(rows), Some(morsel), &Interrupt::new()).unwrap();
        }
        let [mut own, other] = buffers;
        own.append(other).unwrap();
        own.sort(&Interrupt::new()).unwrap();
        assert_eq!(rows_of(&own, 0, 100), expected(20_000)[..50]);
        drop(own);
        assert_eq!(account.used_bytes(), 0);
    }

    #[test]
    fn with_a_limit_it_stays_small() {
        let account = Arc::new(MemoryAccount::unlimited());
        let mut buffer = buffer(Some(7), &account);
        for start in (0..100_000).step_by(1000) {
            buffer.add(&batch(start..start + 1000), None, &Interrupt::new()).unwrap();
            assert!(buffer.entries.len() <= 2 * 7 + ROWS_BEYOND_LIMIT + 1000);
        }
        buffer.sort(&Interrupt::new()).unwrap();
        assert_eq!(rows_of(&buffer, 0, 100), expected(100_000)[..7]);
        assert!(account.peak() < 2_000_000);
        drop(buffer);
        assert_eq!(account.used_bytes(), 0);
    }
}
