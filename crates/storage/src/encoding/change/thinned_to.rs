//! How far entries of single collections were removed.

use std::collections::BTreeMap;

use catalog::DatabaseId;
use errors::{Error, Result};
use kv::Snapshot;

use super::thinned_key;
use crate::encoding::pack::{STORE_FORMAT, check_format};

/// The name of the rule for everything that has no rule of its own.
pub(crate) const OTHERS: &str = "";

/// The positions up to which the entries of rules were removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThinnedTo(BTreeMap<String, u64>);

impl ThinnedTo {
    /// Reads the record of a database.
    ///
    /// Errors: 35 for a newer format, 1102 for damage, those of the engine.
    pub(crate) fn read(snapshot: &dyn Snapshot, database: DatabaseId) -> Result<Self> {
        let values = snapshot.get_many(&[&thinned_key(database)])?;
        let Some(bytes) = values.iter().next().flatten() else { return Ok(ThinnedTo::default()) };
        let damaged = || Error::corrupt("a record of the change log is damaged");
        let (format, mut rest) = bytes.split_first().ok_or_else(damaged)?;
        check_format(*format)?;
        let mut positions = BTreeMap::new();
        while !rest.is_empty() {
            let (position, after) = rest.split_first_chunk().ok_or_else(damaged)?;
            let (length, after) = after.split_first_chunk().ok_or_else(damaged)?;
            let (name, after) =
                after.split_at_checked(usize::from(u16::from_le_bytes(*length))).ok_or_else(damaged)?;
            let name = std::str::from_utf8(name).map_err(|_| damaged())?;
            positions.insert(name.to_owned(), u64::from_le_bytes(*position));
            rest = after;
        }
        Ok(ThinnedTo(positions))
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![STORE_FORMAT];
        for (name, position) in &self.0 {
            bytes.extend_from_slice(&position.to_le_bytes());
            bytes.extend_from_slice(&u16::try_from(name.len()).unwrap_or(u16::MAX).to_le_bytes());
            bytes.extend_from_slice(name.as_bytes());
        }
        bytes
    }

    /// Returns the first position from which on all entries of a collection are there.
    pub(crate) fn first_of(&self, collection: &str) -> u64 {
        self.0.get(collection).copied().unwrap_or_else(|| self.position(OTHERS))
    }

    /// Returns the position up to which any rule was applied.
    pub(crate) fn last(&self) -> u64 {
        self.0.values().max().copied().unwrap_or_default()
    }

    /// Returns the position up to which a rule was applied.
    pub(crate) fn position(&self, rule: &str) -> u64 {
        self.0.get(rule).copied().unwrap_or_default()
    }

    /// Begins a rule. That of the others has removed entries so far.
    pub(crate) fn begin(&mut self, rule: &str) {
        let others = self.position(OTHERS);
        self.0.entry(rule.to_owned()).or_insert(others);
    }

    /// Notes that a rule was applied up to `end`.
    pub(crate) fn advance(&mut self, rule: &str, end: u64) {
        let position = self.0.entry(rule.to_owned()).or_default();
        *position = end.max(*position);
    }

    /// Notes that rules which do not exist any more follow that of the others.
    pub(crate) fn follow_others(&mut self, is_rule: impl Fn(&str) -> bool) {
        let others = self.position(OTHERS);
        for (name, position) in self.0.iter_mut().filter(|(name, _)| !is_rule(name)) {
            debug_assert!(name != OTHERS, "the others always have a rule");
            *position = others.max(*position);
        }
    }
}
