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
        let hash = hash_of(registers.iter().map(|register| key_of(batch, row, *register)));
        if let Some(group) = self.find_row(hash, batch, row, registers) {
            return Ok(group);
        }
        let keys = registers.iter().map(|register| key_of(batch, row, *register).detached());
        self.insert(hash, keys, charge)
    }

    /// Adds a group.
    fn insert(
        &mut self,
        hash: u64,
        group_keys: impl Iterator<Item = Value>,
        charge: &mut Charge,
    ) -> Result<u32> {
        let group = self.previous.len() as u32;
        let before = self.heads.insert(hash, group).map_or(0, |head| head + 1);
        self.previous.push(before);
        let mut bytes = GROUP_BYTES;
        for (key, keys) in group_keys.zip(&mut self.keys) {
            bytes += size_of::<Value>() + key.memory_bytes();
            keys.push(key);
        }
        charge.grow(bytes as u64)?;
        Ok(group)
    }

    /// Returns true if there is a group for a row.
    pub(super) fn contains(&self, batch: &Batch, row: usize, registers: &[Register]) -> bool {
        let hash = hash_of(registers.iter().map(|register| key_of(batch, row, *register)));
        self.find_row(hash, batch, row, registers).is_some()
    }

    fn find_row(&self, hash: u64, batch: &Batch, row: usize, registers: &[Register]) -> Option<u32> {
        self.find(hash, |group| {
            let equal = |(register, keys): (&Register, &Vec<Value>)| {
                keys.get(group) == Some(key_of(batch, row, *register))
            };
            registers.iter().zip(&self.keys).all(equal)
        })
    }

    fn find(&self, hash: u64, is_equal: impl Fn(usize) -> bool) -> Option<u32> {
        let mut candidate = self.heads.get(&hash).map_or(0, |head| head + 1);
        while let Some(group) = candidate.checked_sub(1) {
            if is_equal(group as usize) {
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

    /// Returns the keys of some groups, by column.
    pub(super) fn keys(&self, groups: &(impl Iterator<Item = usize> + Clone)) -> Vec<Vec<Value>> {
        let of_column = |keys: &Vec<Value>| {
            groups.clone().map(|group| keys.get(group).cloned().unwrap_or_default()).collect()
        };
        self.keys.iter().map(of_column).collect()
    }

    /// Returns the group with the keys of a group of another table. It is new if its number equals
    /// the previous number of groups.
    pub(super) fn group_of_keys(&mut self, other: &Self, group: usize, charge: &mut Charge) -> Result<u32> {
        let hash = hash_of(other.key(group));
        let equal = |own: usize| self.key(own).eq(other.key(group));
        if let Some(group) = self.find(hash, equal) {
            return Ok(group);
        }
        self.insert(hash, other.key(group).cloned(), charge)
    }

    /// Replaces the keys of a group by equal ones of a group of another table.
    pub(super) fn replace_keys(&mut self, group: usize, other: &Self, of: usize) {
        for (keys, key) in self.keys.iter_mut().zip(other.key(of)) {
            if let Some(own) = keys.get_mut(group) {
                *own = key.clone();
            }
        }
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

fn hash_of<'v>(keys: impl Iterator<Item = &'v Value>) -> u64 {
    keys.fold(0u64, |hash, key| hash.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key.hash_value())
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
        assert_eq!(table.keys(&(0..2))[1], [Value::from_str("a"), Value::from_str("b")]);
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
