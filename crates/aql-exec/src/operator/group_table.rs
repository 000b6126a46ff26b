//! A hash table of groups by key.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use aql_value::{Batch, Charge, Register, Value};
use errors::Result;

/// Bytes of a group besides its keys: its entry in the table and its place in the chain.
const GROUP_BYTES: usize = 32;

/// The groups found so far, numbered from 0 in the order in which they were found.
#[derive(Default)]
pub(super) struct GroupTable {
    /// The newest group of each hash.
    heads: HashMap<u64, u32, BuildHasherDefault<AlreadyHashed>>,
    /// For each group the previous group with the same hash, plus one; 0 for none.
    previous: Vec<u32>,
    /// The keys by column, then by group.
    keys: Vec<Vec<Value>>,
}

impl GroupTable {
    /// Creates a table for keys of `columns` columns.
    pub(super) fn new(columns: usize) -> Self {
        Self { keys: vec![Vec::new(); columns], ..Self::default() }
    }

    /// Returns the number of groups.
    pub(super) fn len(&self) -> usize {
        self.previous.len()
    }

    /// Returns the group of a row. It is new if its number equals the previous number of groups.
    pub(super) fn group_of(
        &mut self,
        batch: &Batch,
        row: usize,
        registers: &[Register],
        charge: &mut Charge,
    ) -> Result<u32> {
        let hash = hash_of(batch, row, registers);
        if let Some(group) = self.find(hash, batch, row, registers) {
            return Ok(group);
        }
        let group = self.previous.len() as u32;
        let before = self.heads.insert(hash, group).map_or(0, |head| head + 1);
        self.previous.push(before);
        let mut bytes = GROUP_BYTES;
        for (register, keys) in registers.iter().zip(&mut self.keys) {
            let key = key_of(batch, row, *register).detached();
            bytes += size_of::<Value>() + key.memory_bytes();
            keys.push(key);
        }
        charge.grow(bytes as u64)?;
        Ok(group)
    }

    /// Returns true if there is a group for a row.
    pub(super) fn contains(&self, batch: &Batch, row: usize, registers: &[Register]) -> bool {
        self.find(hash_of(batch, row, registers), batch, row, registers).is_some()
    }

    fn find(&self, hash: u64, batch: &Batch, row: usize, registers: &[Register]) -> Option<u32> {
        let mut candidate = self.heads.get(&hash).map_or(0, |head| head + 1);
        while let Some(group) = candidate.checked_sub(1) {
            let equal = |(register, keys): (&Register, &Vec<Value>)| {
                keys.get(group as usize) == Some(key_of(batch, row, *register))
            };
            if registers.iter().zip(&self.keys).all(equal) {
                return Some(group);
            }
            candidate = self.previous.get(group as usize).copied().unwrap_or(0);
        }
        None
    }

    /// Returns the keys of a group.
    pub(super) fn key(&self, group: usize) -> impl Iterator<Item = &Value> {
        self.keys.iter().map(move |keys| keys.get(group).unwrap_or(&NULL))
    }

    /// Returns one column of the keys of some groups.
    pub(super) fn keys(&self, column: usize, groups: std::ops::Range<usize>) -> Vec<Value> {
        self.keys.get(column).and_then(|keys| keys.get(groups)).map(<[Value]>::to_vec).unwrap_or_default()
    }

    /// Drops all groups.
    pub(super) fn clear(&mut self) {
        self.heads.clear();
        self.previous.clear();
        self.keys.iter_mut().for_each(Vec::clear);
    }
}

static NULL: Value = Value::Null;

fn key_of(batch: &Batch, row: usize, register: Register) -> &Value {
    batch.column(register).map_or(&NULL, |column| column.get(row))
}

fn hash_of(batch: &Batch, row: usize, registers: &[Register]) -> u64 {
    registers.iter().fold(0u64, |hash, register| {
        let key = key_of(batch, row, *register).hash_value();
        hash.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key
    })
}

/// A hasher that passes its keys through, because they are hashes already.
#[derive(Default)]
pub(super) struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        // Unused: keys are u64. Kept correct all the same.
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aql_value::{Column, MemoryAccount};

    use super::*;

    #[test]
    fn equal_keys_share_a_group() {
        let rows = [(1.0, "a"), (1.0, "b"), (1.0, "a"), (2.0, "a")];
        let mut batch = Batch::new(rows.len());
        batch.set_column(
            0,
            Column::from_values(rows.iter().map(|(number, _)| Value::Double(*number)).collect()),
        );
        batch
            .set_column(1, Column::from_values(rows.iter().map(|(_, text)| Value::from_str(text)).collect()));
        let account = Arc::new(MemoryAccount::unlimited());
        let mut charge = Charge::new(Arc::clone(&account));
        let mut table = GroupTable::new(2);
        let mut group = |row| table.group_of(&batch, row, &[0, 1], &mut charge).unwrap();
        assert_eq!([group(0), group(1), group(2), group(3), group(1)], [0, 1, 0, 2, 1]);
        // 1 and 1.0 are the same key.
        batch.set_column(0, Column::Constant(Value::Int(1)));
        assert_eq!(table.group_of(&batch, 3, &[0, 1], &mut charge).unwrap(), 0);
        assert_eq!(table.keys(1, 0..2), [Value::from_str("a"), Value::from_str("b")]);
        assert!(account.used_bytes() > 0);
        table.clear();
        assert_eq!(table.len(), 0);
    }

    #[test]
    fn keys_of_equal_hash_are_told_apart() {
        let mut table = GroupTable::new(1);
        let mut charge = Charge::new(Arc::new(MemoryAccount::unlimited()));
        let mut batch = Batch::new(2);
        batch.set_column(0, Column::from_values(vec!["x".into(), "y".into()]));
        assert_eq!(table.group_of(&batch, 0, &[0], &mut charge).unwrap(), 0);
        // Simulates a second key with the hash of the first.
        let head = table.heads.drain().next().map(|(_, group)| group).unwrap();
        let hash =
            [0u64].iter().fold(0u64, |hash, _| hash.rotate_left(5)) ^ Value::from_str("y").hash_value();
        table.heads.insert(hash, head);
        assert_eq!(table.group_of(&batch, 1, &[0], &mut charge).unwrap(), 1);
        assert_eq!(table.group_of(&batch, 1, &[0], &mut charge).unwrap(), 1);
    }
}
