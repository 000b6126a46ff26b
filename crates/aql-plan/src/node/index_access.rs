//! The way in which a scan finds the entries of its indexes. The executor has a strategy for each.

use super::{IndexLookup, IndexRange, IndexScan, JoinPart};

/// The way in which entries are found for each incoming row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexAccess {
    /// A scan of the ranges in any order.
    Ranges,
    /// A scan of the ranges that returns their entries in the order of the index.
    OrderedRanges,
    /// A scan of at most this number of entries for each combination of looked-up values.
    LimitEach(u64),
    /// Lookups for many rows in one step: all ranges give values of all fields of one unique
    /// index.
    UniqueKeys,
    /// A lookup of one document: the only range gives one `_key`.
    SingleKey,
    /// A lookup of one document: the only range gives one `_id`.
    SingleId,
    /// A lookup of the only range that starts where the lookup for the previous row ended.
    MergeJoin,
}

impl IndexScan {
    /// Returns the way that fits best.
    pub fn access(&self) -> IndexAccess {
        let only_range = match self.ranges.as_slice() {
            [range] => self.indexes.get(range.index).map(|index| (index, range)),
            _ => None,
        };
        if let Some((index, range)) = only_range {
            if self.join == JoinPart::Next && index.capabilities.ordered {
                return IndexAccess::MergeJoin;
            }
            let is_single = index.capabilities.clustered
                && matches!(range.lookups.as_slice(), [IndexLookup::Equal(_)])
                && range.lower.is_none()
                && range.upper.is_none()
                && self.source.count_into.is_none();
            match range.first_field {
                0 if is_single => return IndexAccess::SingleKey,
                1 if is_single => return IndexAccess::SingleId,
                _ => {}
            }
        }
        match self.limit_each {
            _ if self.finds_unique_keys() => IndexAccess::UniqueKeys,
            Some(limit) => IndexAccess::LimitEach(limit),
            None if self.ordered => IndexAccess::OrderedRanges,
            None => IndexAccess::Ranges,
        }
    }

    fn finds_unique_keys(&self) -> bool {
        let [index] = self.indexes.as_slice() else { return false };
        let is_whole = |range: &IndexRange| range.lookups.len() == index.fields.len();
        index.capabilities.unique_lookup && self.ranges.iter().all(is_whole)
    }
}
