//! Groups by key: which group a row belongs to.

use aql_value::{Batch, Charge, Register, Result, Value};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What a group takes beside its keys: its entry in the table and its place in the chain.
const GROUP_BYTES: usize = 32;

/// The groups found so far, numbered from 0 in the order in which they were found.
#[derive(Default)]
pub(super) struct GroupTable {
    /// The newest group of each hash.
    heads: HashMap<u64, u32, BuildHasherDefault<AlreadyHashed>>,
    /// For each group the group of the same hash before it, plus one; 0 for none.
    previous: Vec<u32>,
    /// The keys by column, then by group.
    keys: Vec<Vec<Value>>,
}

impl GroupTable {
    /// For keys of so many columns.
    pub(super) fn new(columns: usize) -> Self {
        Self { keys: vec![Vec::new(); columns], ..Self::default() }
    }

    /// Number of groups.
    pub(super) fn len(&self) -> usize {
        self.previous.len()
    }

    /// The group of a row, which is new if its number is that of the groups before.
    pub(super) fn group_of(
        &mut self,
        batch: &Batch,
        row: usize,
        registers: &[Register],
        charge: &mut Charge,
    ) -> Result<u32> {
        let key = |register: &Register| batch.column(*register).map_or(&NULL, |column| column.get(row));
        let hash = registers.iter().fold(0u64, |hash, register| {
            hash.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key(register).hash_value()
        });
        let mut candidate = self.heads.get(&hash).map_or(0, |head| head + 1);
        while let Some(group) = candidate.checked_sub(1) {
            let equal =
                |(register, keys): (&Register, &Vec<Value>)| keys.get(group as usize) == Some(key(register));
            if registers.iter().zip(&self.keys).all(equal) {
                return Ok(group);
            }
            candidate = self.previous.get(group as usize).copied().unwrap_or(0);
        }
        let group = self.previous.len() as u32;
        let before = self.heads.insert(hash, group).map_or(0, |head| head + 1);
        self.previous.push(before);
        let mut bytes = GROUP_BYTES;
        for (register, keys) in registers.iter().zip(&mut self.keys) {
            let key = key(register).detached();
            bytes += size_of::<Value>() + key.memory_bytes();
            keys.push(key);
        }
        charge.grow(bytes as u64)?;
        Ok(group)
    }

    /// One column of the keys of some groups.
    pub(super) fn keys(&self, column: usize, groups: std::ops::Range<usize>) -> Vec<Value> {
        self.keys.get(column).and_then(|keys| keys.get(groups)).map(<[Value]>::to_vec).unwrap_or_default()
    }

    /// Forgets all groups.
    pub(super) fn clear(&mut self) {
        self.heads.clear();
        self.previous.clear();
        self.keys.iter_mut().for_each(Vec::clear);
    }
}

static NULL: Value = Value::Null;

/// The keys of the table are hashes already.
#[derive(Default)]
pub(super) struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        // Not used: keys are u64. Kept correct all the same.
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
