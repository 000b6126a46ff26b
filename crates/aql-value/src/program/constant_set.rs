//! Arrays that are prepared for many searches.

use std::collections::HashSet;
use std::sync::OnceLock;

use errors::Result;
use owner::{Interrupt, MemoryAccount};

use crate::value::Value;

/// The length up to which arrays are searched linearly: a few comparisons cost less than a hash.
pub(super) const LARGEST_LINEAR_SEARCH: usize = 8;

/// The elements between two checks of the interrupt.
const ELEMENTS_PER_CHECK: usize = 16 << 10;

/// The bytes of an entry of a table with its share of the free places.
const BYTES_OF_ENTRY: usize = 3 * size_of::<Value>();

/// An array prepared for many searches.
#[derive(Debug)]
pub(super) enum ConstantSet {
    /// A value that is not an array: both IN and NOT IN are false.
    NotAnArray,
    /// Few elements.
    List(Vec<Value>),
    /// Many elements, in a table that is made at its first use.
    Many { array: Value, table: OnceLock<Table> },
}

/// A table of values by AQL's equality and hash (1 and 1.0 are the same).
type Table = HashSet<Value>;

impl ConstantSet {
    pub(super) fn new(array: &Value) -> Self {
        if !array.is_array() {
            Self::NotAnArray
        } else if array.len() <= LARGEST_LINEAR_SEARCH {
            Self::List(array.elements().collect())
        } else {
            Self::Many { array: array.clone(), table: OnceLock::new() }
        }
    }

    /// Builds the table. Errors: 1500 if the query is ended during this, 32 for too much memory.
    pub(super) fn prepare(&self, memory: &MemoryAccount, interrupt: &Interrupt) -> Result<()> {
        let Self::Many { array, table } = self else { return Ok(()) };
        if table.get().is_none() {
            // The plan owns the table, or the net below all accounting finds it.
            memory.check_room((array.len() * BYTES_OF_ENTRY) as u64)?;
            let mut made = Table::with_capacity(array.len());
            for (position, element) in array.elements().enumerate() {
                if position.is_multiple_of(ELEMENTS_PER_CHECK) {
                    interrupt.check()?;
                }
                made.insert(element);
            }
            // Another thread may have been faster, with the same table.
            let _ = table.set(made);
        }
        Ok(())
    }

    /// Computes `needle IN array` after its preparation; `None` if it is not an array.
    pub(super) fn contains(&self, needle: &Value) -> Option<bool> {
        match self {
            Self::NotAnArray => None,
            Self::List(list) => Some(list.contains(needle)),
            Self::Many { table, .. } => Some(table.get().is_some_and(|table| table.contains(needle))),
        }
    }
}

/// Computes `needle IN haystack`; `None` if the haystack is not an array.
pub fn contains(haystack: &Value, needle: &Value) -> Option<bool> {
    haystack.is_array().then(|| haystack.elements().any(|element| element == *needle))
}
