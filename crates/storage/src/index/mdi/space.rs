//! Boxes of numbers in the space of coordinates.

use catalog::index::FieldBounds;
use velocypack::Slice;

use super::zorder::{ZBox, coordinate};
use crate::index::value::IndexValue;

/// Returns the smallest box of coordinates that contains everything between the bounds, one pair
/// for each field. The caller must check whether the bounds themselves are included.
pub(super) fn box_of(bounds: &[FieldBounds<IndexValue>], fields: usize) -> ZBox {
    let mut zbox = ZBox { low: vec![0; fields], high: vec![u64::MAX; fields] };
    for (field, FieldBounds { lower, upper }) in bounds.iter().enumerate() {
        let (Some(low), Some(high)) = (zbox.low.get_mut(field), zbox.high.get_mut(field)) else { break };
        if let Some(bound) = lower {
            *low = match place_of(bound.value.as_slice()) {
                Place::Null => 0,
                // A bound between null and all numbers excludes null.
                Place::Before => 1,
                Place::Number(coordinate) => coordinate,
                Place::Behind => {
                    // No value is greater, so the box is empty.
                    *high = 0;
                    1
                }
            };
        }
        if let Some(bound) = upper {
            let most = match place_of(bound.value.as_slice()) {
                Place::Null | Place::Before => 0,
                Place::Number(coordinate) => coordinate,
                Place::Behind => u64::MAX,
            };
            *high = (*high).min(most);
        }
    }
    zbox
}

/// The place of a value among numbers and null.
enum Place {
    Null,
    /// Between null and the numbers.
    Before,
    Number(u64),
    /// After the numbers.
    Behind,
}

fn place_of(value: Slice<'_>) -> Place {
    if value.is_null() || value.is_none() {
        return Place::Null;
    }
    match value.as_f64() {
        Some(number) => Place::Number(coordinate(number)),
        None if value.is_bool() => Place::Before,
        None => Place::Behind,
    }
}
