//! Ranges of values, and the ranges of sorted entries that correspond to them.

use catalog::index::{Bound, Search};
use kv::KeyRange;
use velocypack::Slice;

use super::Index;
use super::value::IndexValue;
use crate::encoding::{OBJECT_ID_BYTES, entry};

/// The conditions on wanted entries of an index; all of them must hold. The default is all entries.
#[derive(Clone, Debug, Default)]
pub struct IndexRange {
    /// The field that `equal` begins with. It matters for the primary index (`_key`, `_id`) and the
    /// edge index (`_from`, `_to`), where each field is searched on its own. It is 0 for all
    /// others.
    pub first_field: usize,
    /// The values that each field may have, from the first field on. Each list has at least one
    /// value, ascending, without duplicates.
    pub equal: Vec<Vec<IndexValue>>,
    /// The lower bound of the field after those.
    pub lower: Option<Bound<IndexValue>>,
    /// The upper bound of that field.
    pub upper: Option<Bound<IndexValue>>,
    /// The search in an index that is not sorted by its fields.
    pub search: Option<Search<IndexValue>>,
}

impl IndexRange {
    /// Returns the range with one more field before the others, which must equal a value.
    pub fn behind(&self, first: IndexValue) -> Self {
        let mut equal = Vec::with_capacity(self.equal.len() + 1);
        equal.push(vec![first]);
        equal.extend_from_slice(&self.equal);
        IndexRange { first_field: 0, equal, ..self.clone() }
    }
}

/// The wanted entries of a sorted index: their leading fields equal some values, and their next
/// field lies between two bounds. The default is all entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexBounds {
    /// The sort keys of the values of the leading fields.
    prefix: Vec<u8>,
    fields: usize,
    lower: Option<SortKeyBound>,
    upper: Option<SortKeyBound>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct SortKeyBound {
    sort_key: Vec<u8>,
    inclusive: bool,
}

impl IndexBounds {
    /// Returns bounds that include all entries.
    pub fn all() -> Self {
        IndexBounds::default()
    }

    /// Requires the next leading field to equal `value`. `collection` resolves an `_id` marker in
    /// it.
    pub fn push_equal(&mut self, value: Slice<'_>, collection: Option<&str>) {
        velocypack::order::sort_key_with(value, collection, &mut self.prefix);
        self.fields += 1;
    }

    /// Requires the field after the leading ones to be greater than `value`, or equal to it if
    /// `inclusive`.
    pub fn set_lower(&mut self, value: Slice<'_>, collection: Option<&str>, inclusive: bool) {
        self.lower = Some(SortKeyBound::new(value, collection, inclusive));
    }

    /// Skips entries up to and including those whose fields equal `value`. The caller calls it once
    /// for each field, from the first on. It cannot be combined with other bounds.
    pub fn extend_skipped(&mut self, value: Slice<'_>, collection: Option<&str>) {
        let bound = self.lower.get_or_insert(SortKeyBound { sort_key: Vec::new(), inclusive: false });
        velocypack::order::sort_key_with(value, collection, &mut bound.sort_key);
    }

    /// Requires the field after the leading ones to be less than `value`, or equal to it if
    /// `inclusive`.
    pub fn set_upper(&mut self, value: Slice<'_>, collection: Option<&str>, inclusive: bool) {
        self.upper = Some(SortKeyBound::new(value, collection, inclusive));
    }

    /// Returns the number of fields that are compared for equality.
    pub fn equal_fields(&self) -> usize {
        self.fields
    }

    /// Returns the prefix of the entries' keys. In a unique index with all fields given, it is the
    /// whole key.
    pub(super) fn start(&self, index: &Index) -> Vec<u8> {
        let mut start = Vec::with_capacity(OBJECT_ID_BYTES + self.prefix.len());
        entry::start_key(index.definition().object_id, &mut start);
        start.extend_from_slice(&self.prefix);
        start
    }

    /// Returns the key range of the entries.
    pub(super) fn range(&self, index: &Index) -> KeyRange {
        let prefix = self.start(index);
        let whole = KeyRange::prefix(&prefix);
        let with = |bound: &SortKeyBound| [prefix.as_slice(), &bound.sort_key].concat();
        let start = match &self.lower {
            None => whole.start,
            Some(bound) if bound.inclusive => with(bound),
            Some(bound) => KeyRange::prefix(&with(bound)).end,
        };
        let end = match &self.upper {
            None => whole.end,
            Some(bound) if bound.inclusive => KeyRange::prefix(&with(bound)).end,
            Some(bound) => with(bound),
        };
        KeyRange { start, end }
    }

    /// Returns a sort key of the place where a forward scan over the bounds begins, or a backward
    /// scan if `end`.
    fn position(&self, end: bool) -> Vec<u8> {
        let mut key = self.prefix.clone();
        match if end { &self.upper } else { &self.lower } {
            Some(bound) => {
                key.extend_from_slice(&bound.sort_key);
                // This sorts after all entries with the value itself.
                if end == bound.inclusive {
                    key.push(0xff);
                }
            }
            None if end => key.push(0xff),
            None => {}
        }
        key
    }
}

impl SortKeyBound {
    fn new(value: Slice<'_>, collection: Option<&str>, inclusive: bool) -> Self {
        let mut sort_key = Vec::new();
        velocypack::order::sort_key_with(value, collection, &mut sort_key);
        SortKeyBound { sort_key, inclusive }
    }
}

/// A lazy iterator over the bounds of some ranges.
pub type BoundsOfRanges = Box<dyn Iterator<Item = IndexBounds> + Send>;

/// Returns the bounds of some ranges, in the order of the index if `ordered`.
pub fn bounds_of(ranges: Vec<IndexRange>, ascending: bool, ordered: bool) -> BoundsOfRanges {
    let several = ranges.len() > 1;
    let all = ranges.into_iter().flat_map(move |range| Combinations::new(range, ascending));
    if several && ordered { Box::new(in_order(all.collect(), ascending).into_iter()) } else { Box::new(all) }
}

/// Sorts bounds in the order in which a scan meets them. Overlaps are left to the deduplication of
/// results. That works because an entry that an earlier range lacks lies after the end of that
/// range.
fn in_order(mut all: Vec<IndexBounds>, ascending: bool) -> Vec<IndexBounds> {
    all.sort_by_cached_key(|bounds| bounds.position(!ascending));
    if !ascending {
        all.reverse();
    }
    all
}

/// All combinations of one value for each field, in the order of the index. They are generated
/// lazily, because three lists of a thousand values have a billion combinations.
pub(super) struct Combinations {
    range: IndexRange,
    /// The position in each field's list; `None` at the end.
    next: Option<Vec<usize>>,
}

impl Combinations {
    pub(super) fn new(mut range: IndexRange, ascending: bool) -> Self {
        if !ascending {
            range.equal.iter_mut().for_each(|values| values.reverse());
        }
        let next = Some(vec![0; range.equal.len()]);
        Combinations { range, next }
    }

    fn bounds(&self, positions: &[usize]) -> IndexBounds {
        let mut bounds = IndexBounds::all();
        for (position, list) in positions.iter().zip(&self.range.equal) {
            bounds.push_equal(list.get(*position).map_or(Slice::NULL, IndexValue::as_slice), None);
        }
        if let Some(lower) = &self.range.lower {
            bounds.set_lower(lower.value.as_slice(), None, lower.inclusive);
        }
        if let Some(upper) = &self.range.upper {
            bounds.set_upper(upper.value.as_slice(), None, upper.inclusive);
        }
        bounds
    }
}

impl Iterator for Combinations {
    type Item = IndexBounds;

    fn next(&mut self) -> Option<IndexBounds> {
        let mut positions = self.next.take()?;
        let bounds = self.bounds(&positions);
        // Like an odometer: the last field changes fastest.
        for (position, list) in positions.iter_mut().zip(&self.range.equal).rev() {
            *position += 1;
            if *position < list.len() {
                self.next = Some(positions);
                break;
            }
            *position = 0;
        }
        Some(bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: i64) -> IndexValue {
        let mut builder = velocypack::Builder::default();
        builder.add_i64(number).unwrap();
        IndexValue::new(builder.as_slice(), None).unwrap()
    }

    fn range(equal: &[&[i64]], lower: Option<i64>) -> IndexRange {
        let values = |list: &&[i64]| list.iter().map(|value| number(*value)).collect();
        let lower = lower.map(|value| Bound { value: number(value), inclusive: true });
        IndexRange { equal: equal.iter().map(values).collect(), lower, ..IndexRange::default() }
    }

    fn combined<const N: usize>(expected: &[[i64; N]]) -> Vec<IndexBounds> {
        let bounds = |values: &[i64; N]| {
            let mut bounds = IndexBounds::all();
            values.iter().for_each(|value| bounds.push_equal(number(*value).as_slice(), None));
            bounds
        };
        expected.iter().map(bounds).collect()
    }

    #[test]
    fn combinations_come_in_the_order_of_the_index() {
        let lists: &[&[i64]] = &[&[1, 2], &[7], &[4, 5]];
        let combinations =
            |lists, ascending| -> Vec<_> { Combinations::new(range(lists, None), ascending).collect() };
        assert_eq!(combinations(lists, true), combined(&[[1, 7, 4], [1, 7, 5], [2, 7, 4], [2, 7, 5]]));
        assert_eq!(combinations(lists, false), combined(&[[2, 7, 5], [2, 7, 4], [1, 7, 5], [1, 7, 4]]));
        assert_eq!(combinations(&[], true), combined(&[[0i64; 0]]));
    }

    #[test]
    fn ranges_are_visited_by_where_they_begin() {
        let all = [range(&[&[3]], None), range(&[], Some(2)), range(&[&[1]], Some(9)), range(&[], None)];
        let bounds = all.into_iter().flat_map(|range| Combinations::new(range, true)).collect();
        let begins = |bounds: &IndexBounds| (bounds.equal_fields(), bounds.lower.is_some());
        let order: Vec<_> = in_order(bounds, true).iter().map(begins).collect();
        assert_eq!(order, [(0, false), (1, true), (0, true), (1, false)]);
    }
}
