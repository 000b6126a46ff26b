//! The hash table of a join: values by their keys.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use aql_value::{Charge, Column, Value};
use errors::Result;

use super::group_table::AlreadyHashed;

/// Bytes of an entry besides its keys and values: its link, and its share of the map.
const ENTRY_BYTES: usize = 32;

/// Entries in the order of insertion, chained by the hash of their keys.
pub(super) struct JoinTable {
    /// First and last entry of each hash.
    chains: HashMap<u64, (u32, u32), BuildHasherDefault<AlreadyHashed>>,
    /// For each entry the next of its chain, plus one; 0 at the end.
    links: Vec<u32>,
    key_count: usize,
    /// The keys of all entries, entry after entry.
    keys: Vec<Value>,
    /// The values by column, then by entry.
    columns: Vec<Vec<Value>>,
    charge: Charge,
}

impl JoinTable {
    /// Creates a table for entries of `keys` keys and `values` values.
    pub(super) fn new(keys: usize, values: usize, charge: Charge) -> Self {
        Self {
            chains: HashMap::default(),
            links: Vec::new(),
            key_count: keys,
            keys: Vec::new(),
            columns: vec![Vec::new(); values],
            charge,
        }
    }

    /// Returns the bytes that the table takes.
    pub(super) fn bytes(&self) -> u64 {
        self.charge.bytes()
    }

    /// Accounts for referenced bytes that [`JoinTable::insert`] does not count.
    pub(super) fn grow(&mut self, bytes: u64) -> Result<()> {
        self.charge.grow(bytes)
    }

    /// Adds an entry.
    ///
    /// A single packed value is stored as it is; values of several columns are detached from their
    /// blocks.
    pub(super) fn insert(
        &mut self,
        keys: impl Iterator<Item = Value>,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<()> {
        let entry = self.links.len() as u32;
        let mut bytes = ENTRY_BYTES;
        let first_key = self.keys.len();
        for key in keys {
            let key = key.detached();
            bytes += size_of::<Value>() + key.memory_bytes();
            self.keys.push(key);
        }
        let hash = hash_of(self.keys.get(first_key..).unwrap_or_default().iter());
        for (column, value) in self.columns.iter_mut().zip(values) {
            bytes += size_of::<Value>();
            column.push(value);
        }
        self.links.push(0);
        let last = self.chains.get(&hash).map(|(_, last)| *last);
        match last.and_then(|last| self.links.get_mut(last as usize)) {
            Some(link) => {
                *link = entry + 1;
                if let Some(chain) = self.chains.get_mut(&hash) {
                    chain.1 = entry;
                }
            }
            None => {
                self.chains.insert(hash, (entry, entry));
            }
        }
        self.charge.grow(bytes as u64)
    }

    /// Returns the first entry that may have these keys.
    pub(super) fn first(&self, keys: &[&Value]) -> Option<u32> {
        self.chains.get(&hash_of(keys.iter().copied())).map(|(first, _)| *first)
    }

    /// Returns the next entry that may have the same keys.
    pub(super) fn next(&self, entry: u32) -> Option<u32> {
        self.links.get(entry as usize).copied().unwrap_or(0).checked_sub(1)
    }

    /// Returns true if the entry has these keys.
    pub(super) fn is_match(&self, entry: u32, keys: &[&Value]) -> bool {
        let start = entry as usize * self.key_count;
        let own = self.keys.get(start..start + self.key_count).unwrap_or_default();
        own.len() == keys.len() && own.iter().zip(keys).all(|(own, key)| own == *key)
    }

    /// Returns one column of some entries.
    pub(super) fn column(&self, column: usize, entries: &[u32]) -> Column {
        let column = self.columns.get(column);
        let value = |entry: &u32| column.and_then(|values| values.get(*entry as usize)).cloned();
        Column::from_values(entries.iter().map(|entry| value(entry).unwrap_or_default()).collect())
    }
}

fn hash_of<'a>(keys: impl Iterator<Item = &'a Value>) -> u64 {
    keys.fold(0u64, |hash, key| hash.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key.hash_value())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aql_value::MemoryAccount;

    use super::*;

    fn entries(table: &JoinTable, keys: &[&Value]) -> Vec<u32> {
        let chain = std::iter::successors(table.first(keys), |entry| table.next(*entry));
        chain.filter(|entry| table.is_match(*entry, keys)).collect()
    }

    #[test]
    fn entries_of_a_key_come_in_the_order_of_insertion() {
        let account = Arc::new(MemoryAccount::unlimited());
        let mut table = JoinTable::new(1, 1, Charge::new(Arc::clone(&account)));
        for number in 0..100 {
            table.insert(std::iter::once(Value::Int(number % 7)), [Value::Int(number)]).unwrap();
        }
        assert_eq!(entries(&table, &[&Value::Double(3.0)])[..3], [3, 10, 17]);
        assert!(entries(&table, &[&Value::Int(7)]).is_empty());
        assert_eq!(*table.column(0, &[10]).get(0), Value::Int(10));
        assert_eq!(table.bytes(), account.used_bytes());
        drop(table);
        assert_eq!(account.used_bytes(), 0);
    }
}
