//! Ranges of values, and the stretches of sorted entries that they stand for.

use catalog::index::{Bound, Search};
use kv::KeyRange;
use velocypack::Slice;

use super::Index;
use super::value::IndexValue;
use crate::encoding::{OBJECT_ID_BYTES, entry};

/// Which entries of an index are wanted: all of the conditions must hold. The default is all entries.
#[derive(Clone, Debug, Default)]
pub struct IndexRange {
    /// The field that `equal` begins with: of the primary index (`_key`, `_id`) and the edge index (`_from`, `_to`) each
    /// is searched by itself; 0 for all others.
    pub first_field: usize,
    /// For each field from the first on the values that it may have: ascending, each once, at least one.
    pub equal: Vec<Vec<IndexValue>>,
    /// The lower bound of the field behind those.
    pub lower: Option<Bound<IndexValue>>,
    /// The upper bound of that field.
    pub upper: Option<Bound<IndexValue>>,
    /// What an index is searched for that is not sorted by its fields.
    pub search: Option<Search<IndexValue>>,
}

impl IndexRange {
    /// The range of an index that has one more field before those of this one, which equals a value.
    pub fn behind(&self, first: IndexValue) -> Self {
        let mut equal = Vec::with_capacity(self.equal.len() + 1);
        equal.push(vec![first]);
        equal.extend_from_slice(&self.equal);
        IndexRange { first_field: 0, equal, ..self.clone() }
    }
}

/// Which entries of a sorted index to visit: those whose leading fields equal some values and whose next field lies
/// between two bounds. The default is all entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexBounds {
    /// The sort keys of the values for the leading fields.
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
    /// All entries.
    pub fn all() -> Self {
        IndexBounds::default()
    }

    /// The next leading field equals `value`. `collection` resolves an `_id` marker in it.
    pub fn push_equal(&mut self, value: Slice<'_>, collection: Option<&str>) {
        velocypack::order::sort_key_with(value, collection, &mut self.prefix);
        self.fields += 1;
    }

    /// The field behind the leading ones is greater than `value`, or equal to it where `inclusive`.
    pub fn set_lower(&mut self, value: Slice<'_>, collection: Option<&str>, inclusive: bool) {
        self.lower = Some(SortKeyBound::new(value, collection, inclusive));
    }

    /// Leaves out entries up to and including those whose fields (from the first on, one call a field) equal `value`.
    /// Not to be combined with other bounds.
    pub fn extend_skipped(&mut self, value: Slice<'_>, collection: Option<&str>) {
        let bound = self.lower.get_or_insert(SortKeyBound { sort_key: Vec::new(), inclusive: false });
        velocypack::order::sort_key_with(value, collection, &mut bound.sort_key);
    }

    /// The field behind the leading ones is less than `value`, or equal to it where `inclusive`.
    pub fn set_upper(&mut self, value: Slice<'_>, collection: Option<&str>, inclusive: bool) {
        self.upper = Some(SortKeyBound::new(value, collection, inclusive));
    }

    /// Fields that are compared for equality.
    pub fn equal_fields(&self) -> usize {
        self.fields
    }

    /// What the keys of the entries start with; in a unique index, with all fields given, the whole key.
    pub(super) fn start(&self, index: &Index) -> Vec<u8> {
        let mut start = Vec::with_capacity(OBJECT_ID_BYTES + self.prefix.len());
        entry::start_key(index.definition().object_id, &mut start);
        start.extend_from_slice(&self.prefix);
        start
    }

    /// Where the entries lie.
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

    /// A key that orders bounds by where a scan over them begins: `end` instead for scans that go backwards.
    fn position(&self, end: bool) -> Vec<u8> {
        let mut key = self.prefix.clone();
        match if end { &self.upper } else { &self.lower } {
            Some(bound) => {
                key.extend_from_slice(&bound.sort_key);
                // Behind all entries with the value itself.
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

/// What is to be visited for some ranges, made one after the other.
pub type BoundsOfRanges = Box<dyn Iterator<Item = IndexBounds> + Send>;

/// What is to be visited for some ranges; with `ordered` in the order of the index.
pub fn bounds_of(ranges: Vec<IndexRange>, ascending: bool, ordered: bool) -> BoundsOfRanges {
    let several = ranges.len() > 1;
    let all = ranges.into_iter().flat_map(move |range| Combinations::new(range, ascending));
    if several && ordered { Box::new(in_order(all.collect(), ascending).into_iter()) } else { Box::new(all) }
}

/// Bounds in the order in which a scan meets them. What overlaps is left to the deduplication of what is found: an entry
/// that an earlier range does not have lies behind that range's end.
fn in_order(mut all: Vec<IndexBounds>, ascending: bool) -> Vec<IndexBounds> {
    all.sort_by_cached_key(|bounds| bounds.position(!ascending));
    if !ascending {
        all.reverse();
    }
    all
}

/// All combinations of one value a field, in the order of the index, made one after the other: lists of a thousand
/// values on three fields are not written out.
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
        // As an odometer counts: the last field changes fastest.
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
