//! The way in which a scan finds the entries of its indexes: what the executor has strategies for.

use super::{IndexLookup, IndexRange, IndexScan, JoinPart};

/// How entries are found for each incoming row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexAccess {
    /// The ranges are scanned in any order.
    Ranges,
    /// The ranges are scanned so that their entries come in the order of the index.
    OrderedRanges,
    /// Of each combination of looked-up values so many entries are scanned at most.
    LimitEach(u64),
    /// All ranges give values of all fields of one unique index: entries of many rows are found in one step.
    UniqueKeys,
    /// The only range gives one `_key`: it is the entry.
    SingleKey,
    /// The only range gives one `_id`.
    SingleId,
    /// The only range is looked up where the look-up for the row before ended.
    MergeJoin,
}

impl IndexScan {
    /// The way that fits best.
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
